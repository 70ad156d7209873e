//! The lifetime of an entitlement token: how long an application may rely on what it grants without asking.

use crate::time::Time;

/// The shortest lifetime that can be requested, in seconds.
pub const MIN_TTL_SECONDS: i64 = 60;
/// The longest lifetime, and the longest grace, in seconds: 30 days.
pub const MAX_TTL_SECONDS: i64 = 2_592_000;
/// The lifetime if none is requested, and the longest that a user can request, in seconds: a day.
pub const DEFAULT_TTL_SECONDS: i64 = 86_400;
/// The longest token, in bytes.
pub const MAX_TOKEN_BYTES: usize = 8 * 1024;

/// When a token is issued, should be refreshed, and expires. Instants are whole seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenLife {
    /// The claim `iat`.
    pub issued_at: Time,
    /// A quarter of the lifetime later.
    pub refresh_after: Time,
    /// The claim `exp`.
    pub expires_at: Time,
}

impl TokenLife {
    /// The life of a token that is issued at this instant. `until_change` is the time in microseconds until the clock alone
    /// next changes the access of one of the user's subscriptions, in the time of the organization.
    pub fn new(issued_at: Time, ttl_seconds: i64, until_change: Option<i64>, grace_seconds: i64) -> Self {
        let whole = issued_at.as_micros().div_euclid(1_000_000);
        let issued_at = Time::from_micros(whole * 1_000_000).unwrap_or(issued_at);
        let bound =
            until_change.map_or(i64::MAX, |micros| micros.max(0).div_euclid(1_000_000).saturating_add(grace_seconds));
        let life = ttl_seconds.min(bound).min(MAX_TTL_SECONDS);
        Self { issued_at, refresh_after: issued_at.plus_seconds(life / 4), expires_at: issued_at.plus_seconds(life) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn life(until_change: Option<i64>, grace: i64) -> i64 {
        let life = TokenLife::new(Time::from_micros(1_800_000_000_700_000).unwrap(), 86_400, until_change, grace);
        assert_eq!(life.issued_at.as_micros(), 1_800_000_000_000_000);
        let seconds = life.expires_at.seconds_since(life.issued_at);
        assert_eq!(life.refresh_after.seconds_since(life.issued_at), seconds / 4);
        seconds
    }

    #[test]
    fn a_token_ends_with_access_and_the_grace() {
        assert_eq!(life(None, 0), 86_400);
        assert_eq!(life(Some(3_600_000_000), 0), 3_600);
        assert_eq!(life(Some(3_600_000_000), 600), 4_200);
        assert_eq!(life(Some(3_600_999_999), 0), 3_600, "never later than the change");
        assert_eq!(life(Some(999_999), 0), 0);
        assert_eq!(life(Some(i64::MAX), MAX_TTL_SECONDS), 86_400);
    }

    proptest! {
        #[test]
        fn it_is_never_longer_than_requested_nor_than_access_and_grace(
            now in 0..4_000_000_000_000_000_i64,
            ttl in MIN_TTL_SECONDS..=MAX_TTL_SECONDS,
            until in prop::option::of(0..10_000_000_000_000_i64),
            grace in 0..=MAX_TTL_SECONDS,
        ) {
            let now = Time::from_micros(now).unwrap();
            let life = TokenLife::new(now, ttl, until, grace);
            let seconds = life.expires_at.seconds_since(life.issued_at);
            prop_assert!(seconds >= 0 && seconds <= ttl);
            prop_assert!(life.issued_at <= now && life.refresh_after <= life.expires_at);
            if let Some(until) = until {
                let change = now.as_micros() + until;
                prop_assert!(life.expires_at.as_micros() <= change + grace * 1_000_000);
            }
        }
    }
}
