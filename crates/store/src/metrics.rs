//! The counters of the store, read as plain numbers.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// The upper bounds of the batch size histogram.
pub const BATCH_SIZES: [usize; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/// A snapshot of the store's counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreMetrics {
    /// Changes waiting for the writer.
    pub queue_depth: usize,
    pub queue_capacity: usize,
    /// Changes of background work waiting for the writer.
    pub background_waiting: usize,
    /// How long the oldest change without an outcome has waited.
    pub oldest_change: Duration,
    /// Transactions with changes, and the number of changes in them.
    pub batches: u64,
    pub changes: u64,
    /// Batches by size: entry i counts sizes up to `BATCH_SIZES[i]` and above the entry before.
    pub batch_sizes: [u64; BATCH_SIZES.len()],
    /// Batches that had to be run again, change by change or as a whole.
    pub replays: u64,
    /// Reads in progress.
    pub readers_in_use: usize,
    /// The most reading connections.
    pub readers_total: usize,
    /// Statements executed, reads and steps of changes, without BEGIN, COMMIT and savepoints.
    pub statements: u64,
    /// Walks of lists that were long enough to run separately from other reads.
    pub long_walks: u64,
    /// Connections that were opened again after a loss.
    pub reconnects: u64,
}

/// How full the queue of changes is.
pub(crate) struct QueueLevel {
    pub(crate) waiting: usize,
    /// Changes of background work, which wait in a separate queue.
    pub(crate) background: usize,
    pub(crate) capacity: usize,
    /// How long its oldest change has waited.
    pub(crate) oldest: Duration,
}

/// The live counters, shared by readers and the writer.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) deferred: AtomicUsize,
    pub(crate) batches: AtomicU64,
    pub(crate) changes: AtomicU64,
    pub(crate) batch_sizes: [AtomicU64; BATCH_SIZES.len()],
    pub(crate) replays: AtomicU64,
    pub(crate) reading: AtomicUsize,
    pub(crate) statements: AtomicU64,
    pub(crate) long_walks: AtomicU64,
    pub(crate) reconnects: AtomicU64,
}

impl Counters {
    pub(crate) fn batch(&self, size: usize) {
        self.batches.fetch_add(1, Relaxed);
        self.changes.fetch_add(size as u64, Relaxed);
        let bucket = BATCH_SIZES.iter().position(|bound| size <= *bound).unwrap_or(BATCH_SIZES.len() - 1);
        self.batch_sizes[bucket].fetch_add(1, Relaxed);
    }

    pub(crate) fn replay(&self) {
        self.replays.fetch_add(1, Relaxed);
    }

    pub(crate) fn statements(&self, count: usize) {
        self.statements.fetch_add(count as u64, Relaxed);
    }

    /// Counts the statement of a long walk.
    pub(crate) fn long_walk(&self) {
        self.statements(1);
        self.long_walks.fetch_add(1, Relaxed);
    }

    /// Counts a read as long as the guard exists, also when its caller cancels it.
    pub(crate) fn reading(&self) -> Reading<'_> {
        self.reading.fetch_add(1, Relaxed);
        Reading(self)
    }

    /// The counters together with the state of the queue and the size of the pool of readers.
    pub(crate) fn snapshot(&self, queue: &QueueLevel, readers: usize) -> StoreMetrics {
        let mut batch_sizes = [0; BATCH_SIZES.len()];
        for (size, counter) in batch_sizes.iter_mut().zip(&self.batch_sizes) {
            *size = counter.load(Relaxed);
        }
        StoreMetrics {
            queue_depth: queue.waiting + self.deferred.load(Relaxed),
            queue_capacity: queue.capacity,
            background_waiting: queue.background,
            oldest_change: queue.oldest,
            batches: self.batches.load(Relaxed),
            changes: self.changes.load(Relaxed),
            batch_sizes,
            replays: self.replays.load(Relaxed),
            readers_in_use: self.reading.load(Relaxed),
            readers_total: readers,
            statements: self.statements.load(Relaxed),
            long_walks: self.long_walks.load(Relaxed),
            reconnects: self.reconnects.load(Relaxed),
        }
    }
}

pub(crate) struct Reading<'a>(&'a Counters);

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.reading.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_falls_into_the_bucket_that_bounds_it() {
        let counters = Counters::default();
        for size in [1, 2, 3, 4, 256] {
            counters.batch(size);
        }
        let queue = QueueLevel { waiting: 0, background: 0, capacity: 1, oldest: Duration::ZERO };
        let metrics = counters.snapshot(&queue, 0);
        assert_eq!(metrics.batch_sizes, [1, 1, 2, 0, 0, 0, 0, 0, 1]);
        assert_eq!((metrics.batches, metrics.changes), (5, 266));
    }
}
