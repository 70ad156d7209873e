//! A separate lane for changes that wait for a lock of another transaction.
//!
//! The main writer waits briefly for a lock and then passes the change on, so that no other change waits with it. A few
//! workers run each such change alone in a transaction, with the full lock timeout, and then reject it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

use super::committer::{Committer, Failed};
use super::connection::Slot;
use super::timeouts::PostgresTimeouts;
use crate::error::Error;
use crate::metrics::Counters;
use crate::queue::Job;

/// How many such changes run at a time, and how many more may wait.
const WORKERS: usize = 4;
const WAITING: usize = 256;

/// How long the main writer waits for a lock after another lock was not released, and for how long this applies.
const CAUTIOUS_WAIT: Duration = Duration::from_millis(20);
const CAUTION: Duration = Duration::from_secs(10);

pub(super) struct BlockedLane {
    jobs: mpsc::Sender<Job>,
    workers: Vec<JoinHandle<()>>,
    caution: Arc<Caution>,
}

impl BlockedLane {
    /// Connections are opened when a change needs one, and closed when no other follows.
    pub(super) fn start(slot: impl Fn() -> Slot, counters: &Arc<Counters>) -> Self {
        let (jobs, waiting) = mpsc::channel(WAITING);
        let (waiting, caution) = (Arc::new(Mutex::new(waiting)), Arc::new(Caution::new()));
        let worker = |_| {
            let committer = Committer::new(slot(), Arc::clone(counters));
            tokio::spawn(work(committer, Arc::clone(&waiting), Arc::clone(&caution)))
        };
        let workers = (0..WORKERS).map(worker).collect();
        Self { jobs, workers, caution }
    }

    pub(super) fn caution(&self) -> &Caution {
        &self.caution
    }

    /// Accepts a change, or rejects it if too many wait.
    pub(super) fn accept(&self, job: Job) {
        if let Err(full) = self.jobs.try_send(job) {
            full.into_inner().complete(Err(locked()));
        }
    }

    /// Waits until the workers have finished.
    pub(super) async fn finish(self) {
        drop(self.jobs);
        for worker in self.workers {
            let _ = worker.await;
        }
    }
}

async fn work(committer: Committer, waiting: Arc<Mutex<mpsc::Receiver<Job>>>, caution: Arc<Caution>) {
    loop {
        let (next, is_last) = {
            let mut waiting = waiting.lock().await;
            let next = waiting.recv().await;
            (next, waiting.is_empty())
        };
        let Some(job) = next else { break };
        if job.is_late(Duration::ZERO) {
            job.complete(Err(Error::Overloaded));
        } else if !job.is_abandoned() {
            let outcome = committer.write_alone(&job.change).await.map_err(|failed| match failed {
                Failed::Locked(_) => {
                    caution.begin();
                    locked()
                }
                Failed::Apart(error) | Failed::Over(error) => error,
            });
            job.complete(outcome);
        }
        if is_last {
            committer.close();
        }
    }
    committer.close();
}

fn locked() -> Error {
    Error::Unavailable("another transaction holds a lock that this change needs".to_owned())
}

/// Whether a lock was recently not released: then the main writer waits less for each.
pub(super) struct Caution {
    epoch: Instant,
    /// In milliseconds since the epoch.
    until: AtomicU64,
}

impl Caution {
    fn new() -> Self {
        Self { epoch: Instant::now(), until: AtomicU64::new(0) }
    }

    pub(super) fn begin(&self) {
        self.until.store(self.milliseconds(Instant::now() + CAUTION), Relaxed);
    }

    pub(super) fn lock_timeout(&self, timeouts: PostgresTimeouts) -> Duration {
        let short = timeouts.short_lock();
        let is_cautious = self.milliseconds(Instant::now()) < self.until.load(Relaxed);
        if is_cautious { short.min(CAUTIOUS_WAIT) } else { short }
    }

    fn milliseconds(&self, at: Instant) -> u64 {
        u64::try_from(at.duration_since(self.epoch).as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stuck_lock_shortens_the_wait_for_all_others() {
        let caution = Caution::new();
        let timeouts = PostgresTimeouts::default();
        assert_eq!(caution.lock_timeout(timeouts), timeouts.short_lock());
        caution.begin();
        assert_eq!(caution.lock_timeout(timeouts), CAUTIOUS_WAIT);
        caution.until.store(0, Relaxed);
        assert_eq!(caution.lock_timeout(timeouts), timeouts.short_lock());
    }
}
