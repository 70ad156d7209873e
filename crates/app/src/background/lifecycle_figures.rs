//! What the lifecycle reports, for `/metrics`: counted as it happens, or read from the store every minute.

use super::durations::Durations;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The actions that are always reported, with 0 before the first.
const ACTIONS: [&str; 1] = ["access_change"];

/// The reasons for parking that are always reported.
const REASONS: [&str; 3] = ["out_of_range", "missing_plan", "failing"];

/// The figures of the lifecycle.
#[derive(Debug, Default)]
pub struct LifecycleFigures {
    /// Searches for organizations with due work.
    pub passes: Durations,
    transitions: Mutex<BTreeMap<&'static str, u64>>,
    parked: Mutex<BTreeMap<&'static str, u64>>,
    misses: AtomicU64,
    stored: Mutex<StoredLifecycle>,
}

/// What was last read from the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoredLifecycle {
    /// How late the oldest due work of organizations in real time is.
    pub live_lag_seconds: u64,
    /// The same of organizations with a test clock, by that clock.
    pub test_lag_seconds: u64,
    /// Subscriptions and invoices with something due.
    pub due: u64,
    /// Organizations on hold.
    pub held: u64,
    /// Parked subscriptions.
    pub parked: u64,
}

impl LifecycleFigures {
    /// Counts an action that was committed.
    pub(crate) fn count_transition(&self, action: &'static str) {
        *lock(&self.transitions).entry(action).or_default() += 1;
    }

    /// Counts a decision that another writer was faster than.
    pub(crate) fn count_miss(&self) {
        self.misses.fetch_add(1, Relaxed);
    }

    /// Counts a subscription that was parked.
    pub(crate) fn count_parked(&self, reason: &'static str) {
        *lock(&self.parked).entry(reason).or_default() += 1;
    }

    pub(crate) fn set_stored(&self, stored: StoredLifecycle) {
        *lock(&self.stored) = stored;
    }

    /// Actions by name since the start of the process.
    pub fn transitions(&self) -> Vec<(&'static str, u64)> {
        let mut counts: BTreeMap<&'static str, u64> = ACTIONS.map(|action| (action, 0)).into();
        counts.extend(lock(&self.transitions).iter());
        counts.into_iter().collect()
    }

    /// Parked subscriptions by reason since the start of the process.
    pub fn parked(&self) -> Vec<(&'static str, u64)> {
        let mut counts: BTreeMap<&'static str, u64> = REASONS.map(|reason| (reason, 0)).into();
        counts.extend(lock(&self.parked).iter());
        counts.into_iter().collect()
    }

    /// Decisions that another writer was faster than.
    pub fn misses(&self) -> u64 {
        self.misses.load(Relaxed)
    }

    /// What was last read from the store.
    pub fn stored(&self) -> StoredLifecycle {
        *lock(&self.stored)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
