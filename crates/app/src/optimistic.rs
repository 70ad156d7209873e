//! Optimistic creates: a create commits without reading its idempotency key and its references first, because its change
//! checks all of them anyway.
//!
//! A change that fails its checks makes the other changes of its batch run a second time. So after a failure, all creates
//! of the same client read first for one second. Other clients and other organizations are not affected.

use crate::caller::Caller;
use perennial_domain::id::{ClientId, OrganizationId};
use perennial_domain::time::Time;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

const BACKOFF_SECONDS: i64 = 1;
/// The number of clients that can be in backoff. Beyond it the oldest entries are dropped; the cost is a few failed changes.
const MAX_CLIENTS: usize = 1_024;

type ClientKey = (OrganizationId, ClientId);

/// Which clients may create optimistically.
#[derive(Default)]
pub(crate) struct OptimisticCreate {
    /// When an optimistic create of each client last failed.
    failures: RwLock<HashMap<ClientKey, Time>>,
}

impl OptimisticCreate {
    /// Whether a create of this caller may rely on the guards of its change alone.
    pub(crate) fn is_allowed(&self, caller: &Caller, now: Time) -> bool {
        caller.client_key().is_some_and(|client| self.is_allowed_for(client, now))
    }

    fn is_allowed_for(&self, client: ClientKey, now: Time) -> bool {
        let failures = self.failures.read().unwrap_or_else(PoisonError::into_inner);
        failures.get(&client).is_none_or(|failed_at| !in_backoff(*failed_at, now))
    }

    /// An optimistic create of this client has failed.
    pub(crate) fn back_off(&self, client: ClientKey, now: Time) {
        let mut failures = self.failures.write().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MAX_CLIENTS && !failures.contains_key(&client) {
            failures.retain(|_, failed_at| in_backoff(*failed_at, now));
            let oldest = failures.iter().min_by_key(|(_, failed_at)| **failed_at).map(|(client, _)| *client);
            if let Some(oldest) = oldest.filter(|_| failures.len() >= MAX_CLIENTS) {
                failures.remove(&oldest);
            }
        }
        failures.insert(client, now);
    }
}

/// A clock that stepped back ends the backoff, so that it cannot last long.
fn in_backoff(failed_at: Time, now: Time) -> bool {
    (failed_at..failed_at.plus_seconds(BACKOFF_SECONDS)).contains(&now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> Time {
        Time::from_micros(micros).unwrap()
    }

    #[test]
    fn backoff_ends_after_a_second_or_when_the_clock_steps_back() {
        let optimistic = OptimisticCreate::default();
        let client = client(1, 1);
        let is_allowed = |micros| optimistic.is_allowed_for(client, at(micros));
        assert!(is_allowed(5_000_000));
        optimistic.back_off(client, at(5_000_000));
        assert!(!is_allowed(5_000_000));
        assert!(!is_allowed(5_999_999));
        assert!(is_allowed(6_000_000));
        assert!(is_allowed(4_999_999));
    }

    #[test]
    fn a_failure_affects_no_other_client_and_no_other_organization() {
        let optimistic = OptimisticCreate::default();
        optimistic.back_off(client(1, 1), at(5_000_000));
        assert!(!optimistic.is_allowed_for(client(1, 1), at(5_000_000)));
        for other in [client(1, 2), client(2, 1), client(2, 2)] {
            assert!(optimistic.is_allowed_for(other, at(5_000_000)), "{other:?}");
        }
    }

    #[test]
    fn the_number_of_clients_in_backoff_is_bounded() {
        let optimistic = OptimisticCreate::default();
        let count = || optimistic.failures.read().unwrap().len();
        for number in 0..3_000_u16 {
            let now = at(5_000_000 + i64::from(number));
            optimistic.back_off(client(1, number), now);
            assert!(count() <= MAX_CLIENTS);
            assert!(!optimistic.is_allowed_for(client(1, number), now));
        }
        // The oldest entries were dropped, and all of them are dropped a second later.
        assert!(optimistic.is_allowed_for(client(1, 0), at(5_000_001)));
        optimistic.back_off(client(2, 1), at(9_000_000));
        assert_eq!(count(), 1);
    }

    fn client(organization: u8, client: u16) -> ClientKey {
        let id = ClientId::new(at(1), u64::from(client) << 2);
        (OrganizationId::from_bytes([organization; 16]), id)
    }
}
