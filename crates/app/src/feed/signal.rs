//! Signals that the feed has grown, for calls that wait for events.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// The most calls that wait on one server. Further ones return at once.
const MAX_WAITING: usize = 1_000;

/// How often a waiting call reads anyway: on SQLite another process can write without a signal.
const READ_EVERY: Duration = Duration::from_millis(250);

/// The state of the feed on this server.
pub(crate) struct FeedSignal {
    sender: watch::Sender<Signal>,
    waiting: Arc<AtomicUsize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signal {
    /// The feed has grown this many times.
    Grown(u64),
    /// The server stops: nothing waits any more.
    Stopped,
}

/// A call that waits. It is counted until it is dropped.
pub(crate) struct Waiter(Arc<AtomicUsize>);

/// What a waiting call subscribes to.
pub(crate) struct Subscription(watch::Receiver<Signal>);

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Woken {
    /// The feed may have grown, or the time has passed.
    MayHaveGrown,
    /// The server stops.
    Stopped,
}

impl Default for FeedSignal {
    fn default() -> Self {
        Self { sender: watch::Sender::new(Signal::Grown(0)), waiting: Arc::default() }
    }
}

impl FeedSignal {
    /// Wakes the calls that wait.
    pub(crate) fn grown(&self) {
        self.sender.send_if_modified(|signal| match signal {
            Signal::Grown(count) => {
                *count = count.wrapping_add(1);
                true
            }
            Signal::Stopped => false,
        });
    }

    /// Ends every wait, now and later.
    pub(crate) fn stop(&self) {
        self.sender.send_replace(Signal::Stopped);
    }

    /// Subscribes to later growth.
    pub(crate) fn subscribe(&self) -> Subscription {
        Subscription(self.sender.subscribe())
    }

    /// A permit to wait, unless too many calls wait or the server stops.
    pub(crate) fn wait(&self) -> Option<Waiter> {
        let waiter = Waiter(Arc::clone(&self.waiting));
        let others = self.waiting.fetch_add(1, Relaxed);
        (others < MAX_WAITING && *self.sender.borrow() != Signal::Stopped).then_some(waiter)
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl Subscription {
    /// Waits for growth, for a short time, or until the deadline.
    pub(crate) async fn changed_before(&mut self, deadline: Instant) -> Woken {
        if *self.0.borrow() == Signal::Stopped {
            return Woken::Stopped;
        }
        let _ = timeout_at(deadline.min(Instant::now() + READ_EVERY), self.0.changed()).await;
        if *self.0.borrow() == Signal::Stopped { Woken::Stopped } else { Woken::MayHaveGrown }
    }
}

impl Woken {
    pub(crate) fn is_stopped(self) -> bool {
        self == Self::Stopped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn growth_wakes_and_a_stop_ends_every_wait() {
        let feed = FeedSignal::default();
        let later = Instant::now() + Duration::from_secs(25);
        let mut subscription = feed.subscribe();
        feed.grown();
        let before = Instant::now();
        assert_eq!(subscription.changed_before(later).await, Woken::MayHaveGrown);
        assert_eq!(Instant::now(), before);
        assert_eq!(subscription.changed_before(later).await, Woken::MayHaveGrown);
        assert_eq!(Instant::now() - before, READ_EVERY);
        feed.stop();
        feed.grown();
        assert_eq!(subscription.changed_before(later).await, Woken::Stopped);
        assert_eq!(feed.subscribe().changed_before(later).await, Woken::Stopped);
        assert!(feed.wait().is_none());
    }

    #[test]
    fn the_number_of_waiting_calls_is_bounded() {
        let feed = FeedSignal::default();
        let mut waiting: Vec<_> = (0..MAX_WAITING).map(|_| feed.wait().unwrap()).collect();
        assert!(feed.wait().is_none());
        waiting.pop();
        assert!(feed.wait().is_some());
    }
}
