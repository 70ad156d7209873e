//! How long the oldest change in the queue has waited.
//! The length of the queue does not show that: a slow disk needs seconds for what a fast one writes in milliseconds.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// No change waits. Instants are stored one microsecond late, so that none of them has this value.
const NOBODY: u64 = 0;

/// Since when the oldest change has waited. Both sides update it without a lock, so it can be off by one change until
/// the writer takes the next batch.
pub(super) struct Age {
    epoch: Instant,
    since: AtomicU64,
    /// When the oldest change of the batch that the writer is working on was queued.
    batch: AtomicU64,
}

impl Age {
    pub(super) fn new() -> Self {
        Self { epoch: Instant::now(), since: AtomicU64::new(NOBODY), batch: AtomicU64::new(NOBODY) }
    }

    /// Called before a change is queued. Returns whether one has waited for longer than `limit` already. Because the
    /// change is not in the queue yet, the writer, which takes every change, always makes the last update.
    pub(super) fn exceeds(&self, limit: Duration, now: Instant) -> bool {
        match self.since.compare_exchange(NOBODY, self.micros(now), Relaxed, Relaxed) {
            Ok(_) => false,
            Err(since) => u128::from(self.micros(now).saturating_sub(since)) > limit.as_micros(),
        }
    }

    /// The writer has taken a batch; `oldest` is roughly when the first change that it left began to wait.
    pub(super) fn taken(&self, oldest: Option<Instant>) {
        self.since.store(oldest.map_or(NOBODY, |oldest| self.micros(oldest)), Relaxed);
    }

    /// The writer begins a batch whose oldest change was queued at `oldest`, or has finished one.
    pub(super) fn writing(&self, oldest: Option<Instant>) {
        self.batch.store(oldest.map_or(NOBODY, |oldest| self.micros(oldest)), Relaxed);
    }

    /// How long the oldest change that has no outcome yet has waited, in the queue or for its transaction.
    pub(super) fn oldest(&self, now: Instant) -> Duration {
        let waited = |since: &AtomicU64| match since.load(Relaxed) {
            NOBODY => 0,
            since => self.micros(now).saturating_sub(since),
        };
        Duration::from_micros(waited(&self.since).max(waited(&self.batch)))
    }

    fn micros(&self, at: Instant) -> u64 {
        u64::try_from(at.duration_since(self.epoch).as_micros()).unwrap_or(u64::MAX).saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(300);

    #[test]
    fn the_first_to_wait_begins_the_count_and_the_writer_ends_it() {
        let age = Age::new();
        let start = Instant::now();
        assert!(!age.exceeds(LIMIT, start));
        assert!(!age.exceeds(LIMIT, start + LIMIT));
        assert!(age.exceeds(LIMIT, start + LIMIT + Duration::from_micros(1)));
        age.taken(None);
        assert!(!age.exceeds(LIMIT, start + 2 * LIMIT));
    }

    #[test]
    fn a_change_counts_as_waiting_until_its_batch_has_ended() {
        let age = Age::new();
        let start = Instant::now();
        assert_eq!(age.oldest(start + LIMIT), Duration::ZERO);
        assert!(!age.exceeds(LIMIT, start));
        age.taken(None);
        age.writing(Some(start));
        assert_eq!(age.oldest(start + LIMIT), LIMIT);
        age.writing(None);
        assert_eq!(age.oldest(start + LIMIT), Duration::ZERO);
    }

    #[test]
    fn those_the_writer_left_have_waited_since_they_came() {
        let age = Age::new();
        let start = Instant::now();
        age.taken(Some(start));
        assert!(!age.exceeds(LIMIT, start + LIMIT));
        assert!(age.exceeds(LIMIT, start + 2 * LIMIT));
    }
}
