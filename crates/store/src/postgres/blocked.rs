//! Changes that wait for a lock held by another transaction, in a lane of their own.
//!
//! The main writer waits a moment for a lock and then passes the change on, so that no other change waits with it. A few
//! workers give each such change the full lock timeout, alone in a transaction, then reject it.

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

/// How many such changes may be tried at once, and how many more may wait for that.
const WORKERS: usize = 4;
const WAITING: usize = 256;

/// What the main writer waits for a lock while some lock has proven to be stuck, and for how long after that.
const CAUTIOUS_WAIT: Duration = Duration::from_millis(20);
const CAUTION: Duration = Duration::from_secs(10);

pub(super) struct BlockedLane {
    jobs: mpsc::Sender<Job>,
    workers: Vec<JoinHandle<()>>,
    caution: Arc<Caution>,
}

impl BlockedLane {
    /// Connections are made when a change needs one, and closed when no other follows.
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

    /// Takes a change in; one too many is rejected at once.
    pub(super) fn accept(&self, job: Job) {
        if let Err(full) = self.jobs.try_send(job) {
            full.into_inner().answer(Err(locked()));
        }
    }

    /// Lets the workers finish what they have.
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
            job.answer(Err(Error::Overloaded));
        } else if !job.is_abandoned() {
            let outcome = committer.write_alone(&job.change).await.map_err(|failed| match failed {
                Failed::Locked(_) => {
                    caution.begin();
                    locked()
                }
                Failed::Apart(error) | Failed::Over(error) => error,
            });
            job.answer(outcome);
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

/// Whether some lock has lately proven to be stuck: then the main writer waits less for each.
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
