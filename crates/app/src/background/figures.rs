//! What background work reports, for `/metrics`: counted as it happens, or read from the store every minute.

use super::durations::Durations;
use super::lifecycle_figures::LifecycleFigures;
use perennial_domain::webhook_delivery::UndeliveredState;
use perennial_domain::webhooks::EndpointState;
use perennial_store::webhook_figures::StoredFigures;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The figures of background work.
#[derive(Debug, Default)]
pub struct BackgroundFigures {
    /// Placements of events into the feed.
    pub placements: Durations,
    /// Attempts to deliver webhooks.
    pub attempts: Durations,
    succeeded: AtomicU64,
    failed: AtomicU64,
    access_lag_seconds: AtomicU64,
    /// The lifecycle.
    pub lifecycle: LifecycleFigures,
    analytics_lag_seconds: AtomicU64,
    stored: Mutex<StoredFigures>,
}

impl BackgroundFigures {
    pub(crate) fn count_attempt(&self, is_success: bool, duration: Duration) {
        self.attempts.add(duration);
        let counter = if is_success { &self.succeeded } else { &self.failed };
        counter.fetch_add(1, Relaxed);
    }

    /// Attempts by outcome since the start of the process.
    pub fn outcomes(&self) -> [(&'static str, u64); 2] {
        [("succeeded", self.succeeded.load(Relaxed)), ("failed", self.failed.load(Relaxed))]
    }

    pub(crate) fn set_access_lag(&self, seconds: i64) {
        self.access_lag_seconds.store(u64::try_from(seconds).unwrap_or(0), Relaxed);
    }

    /// How late the last change of access was.
    pub fn access_lag_seconds(&self) -> u64 {
        self.access_lag_seconds.load(Relaxed)
    }

    pub(crate) fn set_analytics_lag(&self, seconds: u64) {
        self.analytics_lag_seconds.store(seconds, Relaxed);
    }

    /// The age of the oldest event that analytics do not include.
    pub fn analytics_lag_seconds(&self) -> u64 {
        self.analytics_lag_seconds.load(Relaxed)
    }

    pub(crate) fn set_stored(&self, stored: StoredFigures) {
        *self.stored.lock().unwrap_or_else(PoisonError::into_inner) = stored;
    }

    /// What was last read from the store.
    pub fn stored(&self) -> StoredFigures {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Endpoints by state.
    pub fn endpoints(&self) -> Vec<(&'static str, u64)> {
        let counts = self.stored().endpoints;
        EndpointState::ALL.iter().map(|state| (state.as_str(), count(&counts, state.as_str()))).collect()
    }

    /// Undelivered events by state.
    pub fn undelivered(&self) -> Vec<(&'static str, u64)> {
        let counts = self.stored().undelivered;
        UndeliveredState::ALL.iter().map(|state| (state.as_str(), count(&counts, state.as_str()))).collect()
    }
}

fn count(counts: &[(String, u64)], state: &str) -> u64 {
    counts.iter().find(|(known, _)| known == state).map_or(0, |(_, count)| *count)
}
