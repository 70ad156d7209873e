//! The way from serving to stopped, told to every connection.
//! It only ever moves forward: serving, draining, cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

/// When draining, how long an idle connection is still listened to: a request may already be on the
/// wire, or even here and not yet noticed, and deserves an answer instead of a reset.
pub(crate) const CLOSE_DELAY: Duration = Duration::from_millis(25);

/// How far the server is on its way down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Serving,
    /// Requests in flight finish, new ones are refused, idle connections close.
    Draining,
    /// Time is up: whatever is still open is dropped.
    Cut,
}

/// The stage, and a bell that rings when it changes.
#[derive(Debug, Default)]
pub(crate) struct Drain {
    stage: AtomicU8,
    bell: Arc<Notify>,
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
        self.bell.notify_waiters();
    }

    /// Completes at the next change of stage. A change after this call is never missed, even before
    /// the first poll; look at [`Drain::stage`] after it for changes before.
    pub(crate) fn bell(&self) -> OwnedNotified {
        Arc::clone(&self.bell).notified_owned()
    }

    /// A connection was cut with this many requests unanswered.
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
