//! The way from serving to stopped, told to every connection.
//! It only ever moves forward: serving, draining, cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

/// How far the server is on its way down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    Serving,
    /// Requests in flight finish, new ones are refused, idle connections close.
    Draining,
    /// Time is up: whatever is still open is dropped.
    Cut,
}

/// The stage, and a bell that rings when it changes.
#[derive(Debug, Default)]
pub(super) struct Drain {
    stage: AtomicU8,
    bell: Arc<Notify>,
    aborted: AtomicUsize,
    all_closed: Notify,
}

impl Drain {
    pub(super) fn stage(&self) -> Stage {
        match self.stage.load(Ordering::Acquire) {
            0 => Stage::Serving,
            1 => Stage::Draining,
            _ => Stage::Cut,
        }
    }

    pub(super) fn advance(&self, stage: Stage) {
        self.stage.store(stage as u8, Ordering::Release);
        self.bell.notify_waiters();
    }

    /// Completes at the next change of stage. A change after this call is never missed, even before
    /// the first poll; look at [`Drain::stage`] after it for changes before.
    pub(super) fn bell(&self) -> OwnedNotified {
        Arc::clone(&self.bell).notified_owned()
    }

    /// A connection was cut with this many requests unanswered.
    pub(super) fn aborted(&self, requests: usize) {
        self.aborted.fetch_add(requests, Ordering::Relaxed);
    }

    pub(super) fn aborted_so_far(&self) -> usize {
        self.aborted.load(Ordering::Relaxed)
    }

    /// The last open connection has closed.
    pub(super) fn last_one_closed(&self) {
        self.all_closed.notify_one();
    }

    pub(super) async fn closing(&self) {
        self.all_closed.notified().await;
    }
}
