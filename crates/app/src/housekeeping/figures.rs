//! What housekeeping reports: expired rows that are still stored, and the last backup.

use perennial_domain::time::Time;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The latest figures, for `/metrics`.
#[derive(Debug, Default)]
pub struct Figures {
    expired_keys: AtomicU64,
    expired_sessions: AtomicU64,
    backup_interval_seconds: AtomicU64,
    last_backup_seconds: AtomicU64,
}

impl Figures {
    /// Expired rows still stored when they were last counted, by table.
    pub fn expired_rows(&self) -> [(&'static str, u64); 2] {
        [("idempotency_keys", self.expired_keys.load(Relaxed)), ("sessions", self.expired_sessions.load(Relaxed))]
    }

    /// The interval of scheduled backups in seconds; 0 if there are none.
    pub fn backup_interval_seconds(&self) -> u64 {
        self.backup_interval_seconds.load(Relaxed)
    }

    /// When the last verified scheduled backup began, in seconds since 1970; 0 if there is none.
    pub fn last_backup_seconds(&self) -> u64 {
        self.last_backup_seconds.load(Relaxed)
    }

    /// Sets the interval of scheduled backups.
    pub fn set_backup_interval(&self, seconds: u64) {
        self.backup_interval_seconds.store(seconds, Relaxed);
    }

    /// Records a verified backup that began at this time.
    pub fn set_last_backup(&self, began: Time) {
        let seconds = u64::try_from(began.as_micros() / 1_000_000).unwrap_or(0);
        self.last_backup_seconds.store(seconds, Relaxed);
    }

    /// Sets the numbers of expired rows that are still stored.
    pub(super) fn set_expired(&self, keys: i64, sessions: i64) {
        self.expired_keys.store(u64::try_from(keys).unwrap_or(0), Relaxed);
        self.expired_sessions.store(u64::try_from(sessions).unwrap_or(0), Relaxed);
    }
}
