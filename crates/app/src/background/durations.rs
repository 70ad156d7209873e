//! How long background work takes, counted in buckets.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The upper bounds of durations, in microseconds.
pub const DURATION_BOUNDS: [u64; 10] =
    [1_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000, 15_000_000, 60_000_000];

/// How often durations fell into each bucket; the last bucket has no bound.
#[derive(Debug, Default)]
pub struct Durations {
    counts: [AtomicU64; DURATION_BOUNDS.len() + 1],
    micros: AtomicU64,
}

impl Durations {
    pub(crate) fn add(&self, duration: Duration) {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let bucket = DURATION_BOUNDS.iter().position(|bound| micros <= *bound).unwrap_or(DURATION_BOUNDS.len());
        self.counts[bucket].fetch_add(1, Relaxed);
        self.micros.fetch_add(micros, Relaxed);
    }

    /// The number of durations in each bucket, and their sum in microseconds.
    pub fn read(&self) -> (Vec<u64>, u64) {
        (self.counts.iter().map(|count| count.load(Relaxed)).collect(), self.micros.load(Relaxed))
    }
}
