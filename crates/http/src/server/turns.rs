//! Whose turn it is, when more requests come than can be answered.
//!
//! Handlers run on the threads that read requests. Were each run as it is read, a flood would make everyone wait
//! unseen, in the sockets, those who will be refused too. So in each round of the runtime only so many are begun; the
//! others stand in a line whose age is known, and who would stand there too long is refused while there is time.

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
    line: Mutex<Line>,
}

#[derive(Debug, Default)]
struct Line {
    standing: VecDeque<(Instant, oneshot::Sender<()>)>,
    /// There is a [`Round`] under way.
    is_moving: bool,
}

impl Turns {
    /// Must be called within a tokio runtime.
    pub(super) fn new(limit: Duration) -> Arc<Self> {
        Self::with(limit, A_ROUND * Handle::current().metrics().num_workers())
    }

    fn with(limit: Duration, a_round: usize) -> Arc<Self> {
        Arc::new(Turns { limit, a_round, begun: AtomicUsize::new(0), line: Mutex::default() })
    }

    pub(super) fn take(self: &Arc<Self>) -> Turn {
        if self.begun.fetch_add(1, Relaxed) < self.a_round {
            return Turn::Now;
        }
        self.stand_in_line(Instant::now())
    }

    fn stand_in_line(self: &Arc<Self>, now: Instant) -> Turn {
        let mut line = self.line();
        if line.standing.front().is_some_and(|(since, _)| now.duration_since(*since) > self.limit) {
            return Turn::Never;
        }
        let (turn, its_turn) = oneshot::channel();
        line.standing.push_back((now, turn));
        if !line.is_moving {
            line.is_moving = true;
            tokio::spawn(Round { turns: Arc::clone(self), has_begun: false });
        }
        Turn::Later(its_turn)
    }

    /// Begins as many as a round has; says whether any are left.
    fn next_round(&self) -> bool {
        let mut line = self.line();
        let mut begun = 0;
        while begun < self.a_round
            && let Some((_, turn)) = line.standing.pop_front()
        {
            // Those who have gone meanwhile take nobody's turn.
            begun += usize::from(turn.send(()).is_ok());
        }
        self.begun.store(begun, Relaxed);
        line.is_moving = !line.standing.is_empty();
        line.is_moving
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        // Nothing that could panic happens under the lock.
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        assert!(matches!((turns.take(), turns.take()), (Turn::Now, Turn::Now)));
        let mut line: Vec<_> = (0..4).map(|_| later(turns.take())).collect();
        assert!(turns.next_round());
        assert!(line[0].try_recv().is_ok() && line[1].try_recv().is_ok());
        assert!(line[2].try_recv().is_err());
        // Nobody overtakes the line.
        let mut last = later(turns.take());
        assert!(turns.next_round());
        assert!(line[3].try_recv().is_ok() && last.try_recv().is_err());
        assert!(!turns.next_round());
        assert!(last.try_recv().is_ok());
        assert!(matches!(turns.take(), Turn::Now));
    }

    #[tokio::test]
    async fn who_would_stand_too_long_is_refused_until_the_line_has_moved() {
        let turns = Turns::with(LIMIT, 1);
        let start = Instant::now();
        let _first = later(turns.stand_in_line(start));
        let _second = later(turns.stand_in_line(start + LIMIT));
        assert!(matches!(turns.stand_in_line(start + 2 * LIMIT), Turn::Never));
        turns.next_round();
        let _third = later(turns.stand_in_line(start + 2 * LIMIT));
    }

    #[tokio::test]
    async fn those_who_left_take_nobodys_turn() {
        let turns = Turns::with(LIMIT, 1);
        assert!(matches!(turns.take(), Turn::Now));
        drop(later(turns.take()));
        let mut second = later(turns.take());
        turns.next_round();
        assert!(second.try_recv().is_ok());
    }

    #[tokio::test]
    async fn the_line_moves_by_itself() {
        let turns = Turns::with(LIMIT, 1);
        for _ in 0..100 {
            if let Turn::Later(its_turn) = turns.take() {
                its_turn.await.unwrap();
            }
        }
        assert!(turns.line().standing.is_empty());
    }
}
