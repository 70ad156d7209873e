//! The installation's signing keys: when each one signs, is published and is removed.
//! A key is published a day before it signs, so that caches of the set contain it by then, and until the last token that
//! it can have signed has expired: 30 days and 60 seconds after it stopped signing. The rules are pure; the caller stores the rows.

use crate::grant::{LEEWAY_SECONDS, LONGEST_LIFE_SECONDS};
use crate::signing::{KeyError, SealedKey, SigningKey, WrappingKey};
use perennial_domain::time::Time;
use serde_json::json;

const DAY_SECONDS: i64 = 24 * 3600;
/// How long a key signs before the next one replaces it.
pub const TERM_SECONDS: i64 = 30 * DAY_SECONDS;
const NOTICE_SECONDS: i64 = DAY_SECONDS;
/// How long a key is stored after it was last published: a server with a fast clock must not remove it for the others.
const KEPT_SECONDS: i64 = DAY_SECONDS;

/// The signing keys, oldest first.
#[derive(Default)]
pub struct KeySet {
    keys: Vec<SigningKey>,
}

impl KeySet {
    /// Opens the rows of the store.
    pub fn open(rows: &[SealedKey], wrapping: &WrappingKey) -> Result<Self, KeyError> {
        rows.iter().map(|row| SigningKey::open(row, wrapping)).collect::<Result<Vec<_>, _>>().map(Self::new)
    }

    /// The set of these keys.
    pub fn new(mut keys: Vec<SigningKey>) -> Self {
        // The name decides between two keys of one instant, so that all servers have the same order.
        keys.sort_by(|one, other| (one.active_from(), one.kid()).cmp(&(other.active_from(), other.kid())));
        Self { keys }
    }

    /// When the next key must begin to sign, if it is time to create it: at once for the first, otherwise a day ahead.
    pub fn due(&self, now: Time) -> Option<Time> {
        let Some(newest) = self.keys.last() else { return Some(now) };
        let planned = newest.active_from().plus_seconds(TERM_SECONDS);
        let earliest = now.plus_seconds(NOTICE_SECONDS);
        (planned <= earliest).then_some(planned.max(earliest))
    }

    /// The key that signs now. Before the first one begins, which only happens if the clock stepped back, the oldest.
    pub fn current(&self, now: Time) -> Option<&SigningKey> {
        self.keys.iter().rfind(|key| key.active_from() <= now).or(self.keys.first())
    }

    /// The published key of this name.
    pub fn published(&self, kid: &str, now: Time) -> Option<&SigningKey> {
        self.published_keys(now).find(|key| key.kid() == kid)
    }

    /// The names of keys whose last token expired long ago: their rows can be removed.
    pub fn spent(&self, now: Time) -> Vec<&str> {
        let then = now.plus_seconds(-KEPT_SECONDS);
        let spent = self.keys.iter().enumerate().filter(|(place, _)| self.is_spent(*place, then));
        spent.map(|(_, key)| key.kid()).collect()
    }

    /// The published set, as `/.well-known/jwks.json` returns it.
    pub fn jwks_json(&self, now: Time) -> String {
        json!({ "keys": self.published_keys(now).map(SigningKey::jwk).collect::<Vec<_>>() }).to_string()
    }

    fn published_keys(&self, now: Time) -> impl Iterator<Item = &SigningKey> {
        let announced = now.plus_seconds(NOTICE_SECONDS);
        self.keys
            .iter()
            .enumerate()
            .filter(move |(place, key)| {
                let is_announced = *place == 0 || key.active_from() <= announced;
                is_announced && !self.is_spent(*place, now)
            })
            .map(|(_, key)| key)
    }

    fn is_spent(&self, place: usize, now: Time) -> bool {
        self.keys
            .get(place + 1)
            .is_some_and(|next| next.active_from().plus_seconds(LONGEST_LIFE_SECONDS + LEEWAY_SECONDS) <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: i64 = 1_800_000_000;

    fn at(seconds: i64) -> Time {
        Time::from_micros((START + seconds) * 1_000_000).unwrap()
    }

    fn set(starts: &[i64]) -> KeySet {
        KeySet::new(starts.iter().map(|start| SigningKey::generate(at(*start)).unwrap()).collect())
    }

    fn published(set: &KeySet, now: i64) -> Vec<i64> {
        set.published_keys(at(now)).map(|key| key.active_from().as_micros() / 1_000_000 - START).collect()
    }

    #[test]
    fn the_first_key_signs_at_once_and_the_next_is_made_a_day_ahead() {
        assert_eq!(set(&[]).due(at(0)), Some(at(0)));
        assert!(set(&[]).current(at(0)).is_none());
        let one = set(&[0]);
        assert_eq!(one.due(at(TERM_SECONDS - DAY_SECONDS - 1)), None);
        assert_eq!(one.due(at(TERM_SECONDS - DAY_SECONDS)), Some(at(TERM_SECONDS)));
        // A server that slept through it still gives notice.
        assert_eq!(one.due(at(5 * TERM_SECONDS)), Some(at(5 * TERM_SECONDS + DAY_SECONDS)));
        assert_eq!(set(&[0, TERM_SECONDS]).due(at(TERM_SECONDS)), None);
    }

    #[test]
    fn a_key_is_published_a_day_before_it_signs_and_until_its_last_token_expired() {
        let keys = set(&[TERM_SECONDS, 0]);
        let signs = |now: i64| keys.current(at(now)).unwrap().active_from();
        assert_eq!(published(&keys, 0), [0]);
        assert_eq!(published(&keys, TERM_SECONDS - DAY_SECONDS - 1), [0]);
        assert_eq!(published(&keys, TERM_SECONDS - DAY_SECONDS), [0, TERM_SECONDS]);
        assert_eq!(signs(TERM_SECONDS - 1), at(0));
        assert_eq!(signs(TERM_SECONDS), at(TERM_SECONDS));
        let last = TERM_SECONDS + 30 * DAY_SECONDS + 60;
        assert_eq!(published(&keys, last - 1), [0, TERM_SECONDS]);
        assert_eq!(published(&keys, last), [TERM_SECONDS]);
        assert!(keys.spent(at(last + DAY_SECONDS - 1)).is_empty(), "another server's clock may be behind");
        assert_eq!(keys.spent(at(last + DAY_SECONDS)).len(), 1);
    }

    #[test]
    fn a_clock_before_every_key_signs_with_the_oldest_and_publishes_it() {
        let keys = set(&[0, TERM_SECONDS]);
        for now in [-300, -2 * DAY_SECONDS, -3 * TERM_SECONDS] {
            assert_eq!(keys.current(at(now)).unwrap().active_from(), at(0));
            assert_eq!(published(&keys, now), [0]);
            assert_eq!(keys.due(at(now)), None);
        }
    }

    #[test]
    fn the_published_set_holds_public_halves_only() {
        let keys = set(&[0]);
        let document: serde_json::Value = serde_json::from_str(&keys.jwks_json(at(0))).unwrap();
        let key = document["keys"][0].as_object().unwrap();
        let mut names: Vec<&str> = key.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["alg", "crv", "kid", "kty", "use", "x"]);
        assert_eq!(key["kid"], keys.current(at(0)).unwrap().kid());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn whoever_follows_the_rules_always_has_a_published_key(steps in prop::collection::vec(1..3 * TERM_SECONDS, 1..12)) {
            let (mut starts, mut now) = (Vec::new(), 0);
            for step in steps {
                let keys = set(&starts);
                if let Some(due) = keys.due(at(now)) {
                    starts.push(due.as_micros() / 1_000_000 - START);
                }
                let keys = set(&starts);
                let current = keys.current(at(now)).unwrap();
                prop_assert!(keys.published(current.kid(), at(now)).is_some());
                prop_assert!(!keys.spent(at(now)).contains(&current.kid()));
                prop_assert!(keys.due(at(now)).is_none());
                now += step;
            }
        }

        /// N9: whatever the rotations, a token of the longest lifetime verifies until it expires.
        #[test]
        fn the_key_of_a_token_is_published_until_the_token_expires(
            starts in prop::collection::btree_set(0..6 * TERM_SECONDS, 1..8),
            signed_after in 0..6 * TERM_SECONDS,
            age in 0..=LONGEST_LIFE_SECONDS + 59,
        ) {
            let keys = set(&starts.into_iter().collect::<Vec<_>>());
            let kid = keys.current(at(signed_after)).unwrap().kid();
            prop_assert!(keys.published(kid, at(signed_after + age)).is_some());
            prop_assert!(!keys.spent(at(signed_after + age + DAY_SECONDS)).contains(&kid), "nor is its row removed");
        }
    }
}
