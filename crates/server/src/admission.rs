//! Admission control: which requests start now, which wait, and which are rejected.
//!
//! Handlers run on the threads that read requests. If every request started as it is read, an overload would make all
//! requests wait in the sockets, unmeasured, including those that will be rejected. So each round of the runtime starts a
//! limited number of requests. The others wait in a queue with a known age, and a request that would wait too long is
//! rejected at once.
//!
//! There are two queues. Rejecting a read costs as much as handling it, so a round starts all waiting reads. A write costs
//! several times more: a round starts as many as it can without becoming long, and always some.
//!
//! A round ends when a task that woke itself is polled again. See decision 0013.

use crate::lane::Lane;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Requests of a lane that start in a round, per thread, before further ones wait.
const PER_ROUND: usize = 64;
/// Writes that start in a round however long it is, per thread.
const MIN_WRITES: usize = 8;
/// After a longer round the next one starts half as many writes, so that a new request learns quickly that it is rejected.
const LONG_ROUND: Duration = Duration::from_millis(10);

/// When a request may start.
#[derive(Debug)]
pub(crate) enum Decision {
    Start,
    /// When this resolves.
    Wait(oneshot::Receiver<()>),
    /// Never: the queue is too long.
    Reject,
}

#[derive(Debug)]
pub(crate) struct Admission {
    /// The longest time that the first request in a queue may have waited when another one arrives.
    limit: Duration,
    per_round: usize,
    min_writes: usize,
    reads_started: AtomicUsize,
    writes_started: AtomicUsize,
    queues: Mutex<Queues>,
}

type Queue = VecDeque<(Instant, oneshot::Sender<()>)>;

#[derive(Debug)]
struct Queues {
    reads: Queue,
    writes: Queue,
    /// The number of writes that the next round starts.
    writes_per_round: usize,
    /// The start of the current [`Round`], if there is one.
    round_started: Option<Instant>,
}

impl Admission {
    /// Must be called within a tokio runtime.
    pub(crate) fn new(limit: Duration) -> Arc<Self> {
        let threads = Handle::current().metrics().num_workers();
        Self::with(limit, PER_ROUND * threads, MIN_WRITES * threads)
    }

    fn with(limit: Duration, per_round: usize, min_writes: usize) -> Arc<Self> {
        let (reads, writes) = (Queue::new(), Queue::new());
        let queues = Mutex::new(Queues { reads, writes, writes_per_round: per_round, round_started: None });
        let (reads_started, writes_started) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Admission { limit, per_round, min_writes, reads_started, writes_started, queues })
    }

    pub(crate) fn admit(self: &Arc<Self>, lane: Lane) -> Decision {
        let started = match lane {
            Lane::Reads => &self.reads_started,
            Lane::Writes => &self.writes_started,
        };
        if started.fetch_add(1, Relaxed) < self.per_round {
            return Decision::Start;
        }
        self.wait(lane, Instant::now())
    }

    fn wait(self: &Arc<Self>, lane: Lane, now: Instant) -> Decision {
        let mut queues = self.queues();
        let queue = match lane {
            Lane::Reads => &mut queues.reads,
            Lane::Writes => &mut queues.writes,
        };
        if queue.front().is_some_and(|(since, _)| now.duration_since(*since) > self.limit) {
            return Decision::Reject;
        }
        let (start, admitted) = oneshot::channel();
        queue.push_back((now, start));
        if queues.round_started.is_none() {
            queues.round_started = Some(now);
            tokio::spawn(Round { admission: Arc::clone(self), is_polled_again: false });
        }
        Decision::Wait(admitted)
    }

    /// Starts the requests of a round. Returns whether requests are left in a queue.
    fn next_round(&self, now: Instant) -> bool {
        let mut queues = self.queues();
        let is_long = queues.round_started.is_some_and(|began| now.duration_since(began) > LONG_ROUND);
        queues.writes_per_round = match queues.writes_per_round {
            many if is_long => (many / 2).max(self.min_writes),
            few => (few * 2).min(self.per_round),
        };
        let room_for_writes = queues.writes_per_round;
        self.reads_started.store(start(&mut queues.reads, usize::MAX), Relaxed);
        let writes = start(&mut queues.writes, room_for_writes);
        self.writes_started.store(self.per_round - room_for_writes + writes, Relaxed);
        let is_over = queues.reads.is_empty() && queues.writes.is_empty();
        queues.round_started = (!is_over).then_some(now);
        !is_over
    }

    fn queues(&self) -> MutexGuard<'_, Queues> {
        // Nothing that could panic happens under the lock.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts at most this many requests of a queue. Returns how many.
fn start(queue: &mut Queue, max: usize) -> usize {
    let mut started = 0;
    while started < max
        && let Some((_, start)) = queue.pop_front()
    {
        // A request whose client disconnected does not count.
        started += usize::from(start.send(()).is_ok());
    }
    started
}

/// A task that wakes itself is queued behind all ready tasks. When it is polled again, all of them have run: a round is
/// over.
struct Round {
    admission: Arc<Admission>,
    is_polled_again: bool,
}

impl Future for Round {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_polled_again && !self.admission.next_round(Instant::now()) {
            return Poll::Ready(());
        }
        self.is_polled_again = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::Lane::{Reads, Writes};
    use super::*;

    const LIMIT: Duration = Duration::from_millis(300);

    fn waiting(decision: Decision) -> oneshot::Receiver<()> {
        match decision {
            Decision::Wait(admitted) => admitted,
            other => panic!("{other:?}"),
        }
    }

    fn started(queue: &mut [oneshot::Receiver<()>]) -> usize {
        queue.iter_mut().filter_map(|admitted| admitted.try_recv().ok()).count()
    }

    #[tokio::test]
    async fn a_round_starts_a_number_of_writes_and_the_others_follow_in_order() {
        let admission = Admission::with(LIMIT, 2, 1);
        let now = Instant::now();
        assert!(matches!((admission.admit(Writes), admission.admit(Writes)), (Decision::Start, Decision::Start)));
        let mut queue: Vec<_> = (0..4).map(|_| waiting(admission.admit(Writes))).collect();
        assert!(admission.next_round(now));
        assert!(queue[0].try_recv().is_ok() && queue[1].try_recv().is_ok());
        assert!(queue[2].try_recv().is_err());
        // A new request does not overtake the queue.
        let mut last = waiting(admission.admit(Writes));
        assert!(admission.next_round(now));
        assert!(queue[3].try_recv().is_ok() && last.try_recv().is_err());
        assert!(!admission.next_round(now));
        assert!(last.try_recv().is_ok());
        assert!(matches!(admission.admit(Writes), Decision::Start));
    }

    #[tokio::test]
    async fn a_round_starts_every_waiting_read() {
        let admission = Admission::with(LIMIT, 2, 1);
        assert!(matches!((admission.admit(Reads), admission.admit(Reads)), (Decision::Start, Decision::Start)));
        let mut reads: Vec<_> = (0..9).map(|_| waiting(admission.admit(Reads))).collect();
        assert!(!admission.next_round(Instant::now()));
        assert_eq!(started(&mut reads), 9);
    }

    #[tokio::test]
    async fn long_rounds_start_fewer_writes_but_some_and_short_ones_more_again() {
        let admission = Admission::with(LIMIT, 16, 3);
        while let Decision::Start = admission.admit(Writes) {}
        let mut now = Instant::now();
        let mut writes: Vec<_> = (0..100).map(|_| waiting(admission.wait(Writes, now))).collect();
        let mut rounds = |took| {
            now += took;
            admission.next_round(now);
            started(&mut writes)
        };
        // The request that had to wait above is dropped.
        assert_eq!([2 * LONG_ROUND; 4].map(&mut rounds), [8, 4, 3, 3]);
        assert_eq!([LONG_ROUND; 4].map(&mut rounds), [6, 12, 16, 16]);
    }

    #[tokio::test]
    async fn each_queue_has_its_own_age() {
        let admission = Admission::with(LIMIT, 1, 1);
        let start = Instant::now();
        let _write = waiting(admission.wait(Writes, start));
        assert!(matches!(admission.wait(Writes, start + 2 * LIMIT), Decision::Reject));
        let _read = waiting(admission.wait(Reads, start + 2 * LIMIT));
    }

    #[tokio::test]
    async fn a_request_that_would_wait_too_long_is_rejected_until_the_queue_has_moved() {
        let admission = Admission::with(LIMIT, 1, 1);
        let start = Instant::now();
        let _first = waiting(admission.wait(Writes, start));
        let _second = waiting(admission.wait(Writes, start + LIMIT));
        assert!(matches!(admission.wait(Writes, start + 2 * LIMIT), Decision::Reject));
        admission.next_round(start + 2 * LIMIT);
        let _third = waiting(admission.wait(Writes, start + 2 * LIMIT));
    }

    #[tokio::test]
    async fn a_dropped_request_does_not_count() {
        let admission = Admission::with(LIMIT, 1, 1);
        assert!(matches!(admission.admit(Writes), Decision::Start));
        drop(waiting(admission.admit(Writes)));
        let mut second = waiting(admission.admit(Writes));
        admission.next_round(Instant::now());
        assert!(second.try_recv().is_ok());
    }

    #[tokio::test]
    async fn the_queue_moves_without_further_requests() {
        let admission = Admission::with(LIMIT, 1, 1);
        for _ in 0..100 {
            if let Decision::Wait(admitted) = admission.admit(Writes) {
                admitted.await.unwrap();
            }
        }
        assert!(admission.queues().writes.is_empty());
    }
}
