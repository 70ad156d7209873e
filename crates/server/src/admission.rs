//! Whose turn it is, when more requests come than can be answered.
//!
//! Handlers run on the threads that read requests. Were each run as it is read, a flood would make everyone wait
//! unseen, in the sockets, those who will be refused too. So in each round of the runtime only so many are begun; the
//! others stand in a line whose age is known, and who would stand there too long is refused while there is time.
//!
//! There are two lines. To refuse a read costs as much as to answer it, so a round begins all reads that wait. A write costs
//! several times that: a round begins as many as it can without becoming long, and never none.

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

/// Requests of a line begun in a round, for each thread, before others stand in it.
const A_ROUND: usize = 64;
/// Writes begun however long a round is, for each thread.
const FEWEST_WRITES: usize = 8;
/// A round that takes longer begins half as many writes the next time: whoever comes now must not wait to be refused.
const LONG: Duration = Duration::from_millis(10);

/// When a request may begin.
#[derive(Debug)]
pub(crate) enum Turn {
    Now,
    /// When this resolves.
    Later(oneshot::Receiver<()>),
    /// The line moves too slowly.
    Never,
}

#[derive(Debug)]
pub(crate) struct Admission {
    /// How long the first in line may have stood there when another comes.
    limit: Duration,
    a_round: usize,
    fewest_writes: usize,
    reads_begun: AtomicUsize,
    writes_begun: AtomicUsize,
    lines: Mutex<Lines>,
}

type Line = VecDeque<(Instant, oneshot::Sender<()>)>;

#[derive(Debug)]
struct Lines {
    reads: Line,
    writes: Line,
    /// Writes that a round begins, as things are.
    writes_a_round: usize,
    /// Since when there is a [`Round`] under way.
    round_began: Option<Instant>,
}

impl Admission {
    /// Must be called within a tokio runtime.
    pub(crate) fn new(limit: Duration) -> Arc<Self> {
        let threads = Handle::current().metrics().num_workers();
        Self::with(limit, A_ROUND * threads, FEWEST_WRITES * threads)
    }

    fn with(limit: Duration, a_round: usize, fewest_writes: usize) -> Arc<Self> {
        let (reads, writes) = (Line::new(), Line::new());
        let lines = Mutex::new(Lines { reads, writes, writes_a_round: a_round, round_began: None });
        let (reads_begun, writes_begun) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Admission { limit, a_round, fewest_writes, reads_begun, writes_begun, lines })
    }

    pub(crate) fn take(self: &Arc<Self>, lane: Lane) -> Turn {
        let begun = match lane {
            Lane::Reads => &self.reads_begun,
            Lane::Writes => &self.writes_begun,
        };
        if begun.fetch_add(1, Relaxed) < self.a_round {
            return Turn::Now;
        }
        self.stand_in_line(lane, Instant::now())
    }

    fn stand_in_line(self: &Arc<Self>, lane: Lane, now: Instant) -> Turn {
        let mut lines = self.lines();
        let standing = match lane {
            Lane::Reads => &mut lines.reads,
            Lane::Writes => &mut lines.writes,
        };
        if standing.front().is_some_and(|(since, _)| now.duration_since(*since) > self.limit) {
            return Turn::Never;
        }
        let (turn, its_turn) = oneshot::channel();
        standing.push_back((now, turn));
        if lines.round_began.is_none() {
            lines.round_began = Some(now);
            tokio::spawn(Round { admission: Arc::clone(self), has_begun: false });
        }
        Turn::Later(its_turn)
    }

    /// Begins as many as a round has; says whether any are left.
    fn next_round(&self, now: Instant) -> bool {
        let mut lines = self.lines();
        let is_long = lines.round_began.is_some_and(|began| now.duration_since(began) > LONG);
        lines.writes_a_round = match lines.writes_a_round {
            many if is_long => (many / 2).max(self.fewest_writes),
            few => (few * 2).min(self.a_round),
        };
        let room_for_writes = lines.writes_a_round;
        self.reads_begun.store(begin(&mut lines.reads, usize::MAX), Relaxed);
        let writes = begin(&mut lines.writes, room_for_writes);
        self.writes_begun.store(self.a_round - room_for_writes + writes, Relaxed);
        let is_over = lines.reads.is_empty() && lines.writes.is_empty();
        lines.round_began = (!is_over).then_some(now);
        !is_over
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        // Nothing that could panic happens under the lock.
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Begins so many of a line, or all; says how many.
fn begin(line: &mut Line, most: usize) -> usize {
    let mut begun = 0;
    while begun < most
        && let Some((_, turn)) = line.pop_front()
    {
        // Those who have gone meanwhile take nobody's turn.
        begun += usize::from(turn.send(()).is_ok());
    }
    begun
}

/// A task that wakes itself goes behind all that are ready: when it is polled again, a round is over.
struct Round {
    admission: Arc<Admission>,
    has_begun: bool,
}

impl Future for Round {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.has_begun && !self.admission.next_round(Instant::now()) {
            return Poll::Ready(());
        }
        self.has_begun = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::Lane::{Reads, Writes};
    use super::*;

    const LIMIT: Duration = Duration::from_millis(300);

    fn later(turn: Turn) -> oneshot::Receiver<()> {
        match turn {
            Turn::Later(its_turn) => its_turn,
            other => panic!("{other:?}"),
        }
    }

    fn begun(line: &mut [oneshot::Receiver<()>]) -> usize {
        line.iter_mut().filter_map(|turn| turn.try_recv().ok()).count()
    }

    #[tokio::test]
    async fn a_round_begins_so_many_writes_and_the_others_in_the_order_they_came() {
        let admission = Admission::with(LIMIT, 2, 1);
        let now = Instant::now();
        assert!(matches!((admission.take(Writes), admission.take(Writes)), (Turn::Now, Turn::Now)));
        let mut line: Vec<_> = (0..4).map(|_| later(admission.take(Writes))).collect();
        assert!(admission.next_round(now));
        assert!(line[0].try_recv().is_ok() && line[1].try_recv().is_ok());
        assert!(line[2].try_recv().is_err());
        // Nobody overtakes the line.
        let mut last = later(admission.take(Writes));
        assert!(admission.next_round(now));
        assert!(line[3].try_recv().is_ok() && last.try_recv().is_err());
        assert!(!admission.next_round(now));
        assert!(last.try_recv().is_ok());
        assert!(matches!(admission.take(Writes), Turn::Now));
    }

    #[tokio::test]
    async fn a_round_begins_every_read_that_waits() {
        let admission = Admission::with(LIMIT, 2, 1);
        assert!(matches!((admission.take(Reads), admission.take(Reads)), (Turn::Now, Turn::Now)));
        let mut reads: Vec<_> = (0..9).map(|_| later(admission.take(Reads))).collect();
        assert!(!admission.next_round(Instant::now()));
        assert_eq!(begun(&mut reads), 9);
    }

    #[tokio::test]
    async fn long_rounds_begin_fewer_writes_but_some_and_short_ones_more_again() {
        let admission = Admission::with(LIMIT, 16, 3);
        while let Turn::Now = admission.take(Writes) {}
        let mut now = Instant::now();
        let mut writes: Vec<_> = (0..100).map(|_| later(admission.stand_in_line(Writes, now))).collect();
        let mut rounds = |took| {
            now += took;
            admission.next_round(now);
            begun(&mut writes)
        };
        // The one that found no turn above has left.
        assert_eq!([2 * LONG; 4].map(&mut rounds), [8, 4, 3, 3]);
        assert_eq!([LONG; 4].map(&mut rounds), [6, 12, 16, 16]);
    }

    #[tokio::test]
    async fn each_line_has_its_own_age() {
        let admission = Admission::with(LIMIT, 1, 1);
        let start = Instant::now();
        let _write = later(admission.stand_in_line(Writes, start));
        assert!(matches!(admission.stand_in_line(Writes, start + 2 * LIMIT), Turn::Never));
        let _read = later(admission.stand_in_line(Reads, start + 2 * LIMIT));
    }

    #[tokio::test]
    async fn who_would_stand_too_long_is_refused_until_the_line_has_moved() {
        let admission = Admission::with(LIMIT, 1, 1);
        let start = Instant::now();
        let _first = later(admission.stand_in_line(Writes, start));
        let _second = later(admission.stand_in_line(Writes, start + LIMIT));
        assert!(matches!(admission.stand_in_line(Writes, start + 2 * LIMIT), Turn::Never));
        admission.next_round(start + 2 * LIMIT);
        let _third = later(admission.stand_in_line(Writes, start + 2 * LIMIT));
    }

    #[tokio::test]
    async fn those_who_left_take_nobodys_turn() {
        let admission = Admission::with(LIMIT, 1, 1);
        assert!(matches!(admission.take(Writes), Turn::Now));
        drop(later(admission.take(Writes)));
        let mut second = later(admission.take(Writes));
        admission.next_round(Instant::now());
        assert!(second.try_recv().is_ok());
    }

    #[tokio::test]
    async fn the_line_moves_by_itself() {
        let admission = Admission::with(LIMIT, 1, 1);
        for _ in 0..100 {
            if let Turn::Later(its_turn) = admission.take(Writes) {
                its_turn.await.unwrap();
            }
        }
        assert!(admission.lines().writes.is_empty());
    }
}
