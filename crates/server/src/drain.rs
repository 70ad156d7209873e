//! The stages of a graceful shutdown, announced to every connection.
//! A stage only moves forward: serving, draining, cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

/// How long an idle connection stays open when draining starts. A request may already be on its way and should receive a
/// response instead of a reset.
pub(crate) const CLOSE_DELAY: Duration = Duration::from_millis(25);

/// The stage of a graceful shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Serving,
    /// Requests in flight finish, new ones are rejected, idle connections close.
    Draining,
    /// The drain timeout has passed: connections that are still open are dropped.
    Cut,
}

/// The current stage, and a notification of its changes.
#[derive(Debug, Default)]
pub(crate) struct Drain {
    stage: AtomicU8,
    change: Arc<Notify>,
    aborted: AtomicUsize,
    all_closed: Notify,
}

impl Drain {
    pub(crate) fn stage(&self) -> Stage {
        match self.stage.load(Ordering::Acquire) {
            0 => Stage::Serving,
            1 => Stage::Draining,
            _ => Stage::Cut,
        }
    }

    pub(crate) fn advance(&self, stage: Stage) {
        self.stage.store(stage as u8, Ordering::Release);
        self.change.notify_waiters();
    }

    /// Completes at the next change of stage. A change after this call is never missed, even before the first poll. Read
    /// [`Drain::stage`] afterwards to see earlier changes.
    pub(crate) fn changed(&self) -> OwnedNotified {
        Arc::clone(&self.change).notified_owned()
    }

    /// Counts the unfinished requests of a connection that was cut.
    pub(crate) fn aborted(&self, requests: usize) {
        self.aborted.fetch_add(requests, Ordering::Relaxed);
    }

    pub(crate) fn aborted_so_far(&self) -> usize {
        self.aborted.load(Ordering::Relaxed)
    }

    /// The last open connection has closed.
    pub(crate) fn last_one_closed(&self) {
        self.all_closed.notify_one();
    }

    pub(crate) async fn closing(&self) {
        self.all_closed.notified().await;
    }
}
