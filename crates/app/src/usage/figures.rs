//! What is counted about usage events, for `/metrics`.

use perennial_domain::usage::Intake;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The number of usage events by outcome, since the server started.
#[derive(Debug, Default)]
pub struct UsageFigures {
    accepted: AtomicU64,
    duplicates: AtomicU64,
    conflicts: AtomicU64,
    late: AtomicU64,
    refused: AtomicU64,
}

impl UsageFigures {
    /// The number of events by outcome.
    pub fn outcomes(&self) -> [(&'static str, u64); 4] {
        [
            ("accepted", self.accepted.load(Relaxed)),
            ("duplicate", self.duplicates.load(Relaxed)),
            ("conflict", self.conflicts.load(Relaxed)),
            ("late", self.late.load(Relaxed)),
        ]
    }

    /// The number of calls that were refused because they would exceed a quota.
    pub fn refused(&self) -> u64 {
        self.refused.load(Relaxed)
    }

    pub(super) fn refuse(&self) {
        self.refused.fetch_add(1, Relaxed);
    }

    pub(super) fn count(&self, intake: &Intake) {
        self.accepted.fetch_add(intake.accepted.len() as u64, Relaxed);
        self.duplicates.fetch_add(intake.duplicates as u64, Relaxed);
        self.conflicts.fetch_add(intake.conflicts.len() as u64, Relaxed);
        self.late.fetch_add(intake.late.len() as u64, Relaxed);
    }
}
