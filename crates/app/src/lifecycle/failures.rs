//! Actions that fail: since when, and whether others succeed at the same time.

use perennial_domain::id::SubscriptionId;
use perennial_domain::time::Time;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How long an action fails before its subscription is parked.
const PARK_AFTER_SECONDS: i64 = 3_600;
/// The number of failing subscriptions that are remembered. Beyond it the first failures of others are forgotten.
const MAX_REMEMBERED: usize = 10_000;

/// The failing actions of this server.
#[derive(Default)]
pub(crate) struct ActionFailures(Mutex<Failures>);

#[derive(Default)]
struct Failures {
    since: HashMap<SubscriptionId, Time>,
    last_success: Option<Time>,
}

impl ActionFailures {
    /// An action of this subscription succeeded.
    pub(crate) fn succeeded(&self, id: SubscriptionId, now: Time) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.since.remove(&id);
        failures.last_success = Some(now);
    }

    /// An action of this subscription failed. True: it has failed for an hour while others succeeded.
    pub(crate) fn failed(&self, id: SubscriptionId, now: Time) -> bool {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.since.len() >= MAX_REMEMBERED && !failures.since.contains_key(&id) {
            failures.since.clear();
        }
        let since = *failures.since.entry(id).or_insert(now);
        let others_succeed = failures.last_success.is_some_and(|success| success >= since);
        others_succeed && now.seconds_since(since) >= PARK_AFTER_SECONDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_of_failures_counts_only_if_others_succeed() {
        let at = |seconds: i64| Time::from_micros(seconds * 1_000_000).unwrap();
        let (failures, one, other) =
            (ActionFailures::default(), SubscriptionId::new(at(0), 4), SubscriptionId::new(at(0), 8));
        assert!(!failures.failed(one, at(10)));
        assert!(!failures.failed(one, at(3_610)), "the database may be down");
        failures.succeeded(other, at(3_620));
        assert!(failures.failed(one, at(3_630)));
        failures.succeeded(one, at(3_640));
        assert!(!failures.failed(one, at(9_000)), "it counts from the first failure after a success");
    }
}
