//! Whose turn it is, when more requests come than can be answered.
//!
//! Handlers run on the threads that read requests. Were each run as it is read, a flood would make everyone wait
//! unseen, in the sockets, those who will be refused too. So in each round of the runtime only so many are begun; the
//! others stand in a line whose age is known, and who would stand there too long is refused while there is time.
//!
//! There are two lines. A read costs a fraction of a write, so most turns go to reads as long as any wait: more people get
//! an answer that way. A part of every round is left to writes, so that no flood of reads keeps them out.

use super::Lane;
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

/// Requests begun in a round, for each thread: some milliseconds of work, after which new requests are looked at.
const A_ROUND: usize = 64;
/// One turn in so many is a write's, if any wait.
const WRITES_TURN: usize = 4;

/// When a request may begin.
#[derive(Debug)]
pub(super) enum Turn {
    Now,
    /// When this resolves.
    Later(oneshot::Receiver<()>),
    /// The line moves too slowly.
    Never,
}

#[derive(Debug)]
pub(super) struct Turns {
    /// How long the first in line may have stood there when another comes.
    limit: Duration,
    a_round: usize,
    begun: AtomicUsize,
    lines: Mutex<Lines>,
}

type Line = VecDeque<(Instant, oneshot::Sender<()>)>;

#[derive(Debug, Default)]
struct Lines {
    reads: Line,
    writes: Line,
    /// There is a [`Round`] under way.
    are_moving: bool,
}

impl Turns {
    /// Must be called within a tokio runtime.
    pub(super) fn new(limit: Duration) -> Arc<Self> {
        Self::with(limit, A_ROUND * Handle::current().metrics().num_workers())
    }

    fn with(limit: Duration, a_round: usize) -> Arc<Self> {
        Arc::new(Turns { limit, a_round, begun: AtomicUsize::new(0), lines: Mutex::default() })
    }

    pub(super) fn take(self: &Arc<Self>, lane: Lane) -> Turn {
        if self.begun.fetch_add(1, Relaxed) < self.a_round {
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
        if !lines.are_moving {
            lines.are_moving = true;
            tokio::spawn(Round { turns: Arc::clone(self), has_begun: false });
        }
        Turn::Later(its_turn)
    }

    /// Begins as many as a round has; says whether any are left.
    fn next_round(&self) -> bool {
        let mut lines = self.lines();
        let for_writes = lines.writes.len().min(self.a_round.div_ceil(WRITES_TURN));
        let reads = begin(&mut lines.reads, self.a_round - for_writes);
        let begun = reads + begin(&mut lines.writes, self.a_round - reads);
        self.begun.store(begun, Relaxed);
        lines.are_moving = !(lines.reads.is_empty() && lines.writes.is_empty());
        lines.are_moving
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
    turns: Arc<Turns>,
    has_begun: bool,
}

impl Future for Round {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.has_begun && !self.turns.next_round() {
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

    #[tokio::test]
    async fn a_round_begins_so_many_and_the_others_in_the_order_they_came() {
        let turns = Turns::with(LIMIT, 2);
        assert!(matches!((turns.take(Reads), turns.take(Reads)), (Turn::Now, Turn::Now)));
        let mut line: Vec<_> = (0..4).map(|_| later(turns.take(Reads))).collect();
        assert!(turns.next_round());
        assert!(line[0].try_recv().is_ok() && line[1].try_recv().is_ok());
        assert!(line[2].try_recv().is_err());
        // Nobody overtakes the line.
        let mut last = later(turns.take(Reads));
        assert!(turns.next_round());
        assert!(line[3].try_recv().is_ok() && last.try_recv().is_err());
        assert!(!turns.next_round());
        assert!(last.try_recv().is_ok());
        assert!(matches!(turns.take(Reads), Turn::Now));
    }

    #[tokio::test]
    async fn reads_go_first_and_a_part_of_every_round_is_left_to_writes() {
        let turns = Turns::with(LIMIT, 4);
        while let Turn::Now = turns.take(Reads) {}
        let mut writes: Vec<_> = (0..6).map(|_| later(turns.take(Writes))).collect();
        let mut reads: Vec<_> = (0..4).map(|_| later(turns.take(Reads))).collect();
        let mut begun_in_a_round = || {
            turns.next_round();
            [&mut reads, &mut writes]
                .map(|line| line.iter_mut().map(|turn| usize::from(turn.try_recv().is_ok())).sum::<usize>())
        };
        // The one that found no turn above has left.
        assert_eq!(begun_in_a_round(), [3, 1]);
        assert_eq!(begun_in_a_round(), [1, 3]);
        assert_eq!(begun_in_a_round(), [0, 2]);
    }

    #[tokio::test]
    async fn each_line_has_its_own_age() {
        let turns = Turns::with(LIMIT, 1);
        let start = Instant::now();
        let _write = later(turns.stand_in_line(Writes, start));
        assert!(matches!(turns.stand_in_line(Writes, start + 2 * LIMIT), Turn::Never));
        let _read = later(turns.stand_in_line(Reads, start + 2 * LIMIT));
    }

    #[tokio::test]
    async fn who_would_stand_too_long_is_refused_until_the_line_has_moved() {
        let turns = Turns::with(LIMIT, 1);
        let start = Instant::now();
        let _first = later(turns.stand_in_line(Reads, start));
        let _second = later(turns.stand_in_line(Reads, start + LIMIT));
        assert!(matches!(turns.stand_in_line(Reads, start + 2 * LIMIT), Turn::Never));
        turns.next_round();
        let _third = later(turns.stand_in_line(Reads, start + 2 * LIMIT));
    }

    #[tokio::test]
    async fn those_who_left_take_nobodys_turn() {
        let turns = Turns::with(LIMIT, 1);
        assert!(matches!(turns.take(Reads), Turn::Now));
        drop(later(turns.take(Reads)));
        let mut second = later(turns.take(Reads));
        turns.next_round();
        assert!(second.try_recv().is_ok());
    }

    #[tokio::test]
    async fn the_line_moves_by_itself() {
        let turns = Turns::with(LIMIT, 1);
        for _ in 0..100 {
            if let Turn::Later(its_turn) = turns.take(Reads) {
                its_turn.await.unwrap();
            }
        }
        assert!(turns.lines().reads.is_empty());
    }
}
