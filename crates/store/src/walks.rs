//! Long walks: pages under a rare filter, which test thousands of rows to find a few.
//!
//! They run separately from other reads, a few at a time, so that they occupy neither the runtime's threads nor the
//! shared connections. If too many wait, further ones are rejected.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::Error;
use crate::sql::Sql;
use crate::value::Value;

/// How many walks may wait for each one that runs. A walk takes about ten milliseconds.
const WAITING_PER_TURN: usize = 32;

/// Where a walk runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// With the other reads: it is as short as they are.
    Shared,
    /// Separately from them.
    Long,
}

/// A walk: its statement, the rows it may walk, and the matches after which it stops.
pub(crate) struct Walk {
    pub(crate) sql: Sql,
    pub(crate) params: Vec<Value>,
    pub(crate) rows: usize,
    pub(crate) wanted: usize,
}

/// Admission to the long lane.
pub(crate) struct Walks {
    turns: Arc<Semaphore>,
    waiting: AtomicUsize,
    most_waiting: usize,
}

impl Walks {
    /// This many walks at a time.
    pub(crate) fn new(at_once: usize) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(at_once)),
            waiting: AtomicUsize::new(0),
            most_waiting: at_once * WAITING_PER_TURN,
        }
    }

    /// Waits for a permit, which is valid until it is dropped; rejected if too many wait already.
    pub(crate) async fn enter(&self) -> Result<OwnedSemaphorePermit, Error> {
        if let Ok(permit) = Arc::clone(&self.turns).try_acquire_owned() {
            return Ok(permit);
        }
        let _waiting = Waiting::begin(self)?;
        let permit = Arc::clone(&self.turns).acquire_owned().await;
        permit.map_err(|_| Error::Unavailable("the store is closed".to_owned()))
    }
}

/// A walk that waits; counted until it stops waiting, also when its caller cancels it.
struct Waiting<'a>(&'a Walks);

impl<'a> Waiting<'a> {
    fn begin(walks: &'a Walks) -> Result<Self, Error> {
        let waiting = Self(walks);
        let before = walks.waiting.fetch_add(1, Relaxed);
        if before < walks.most_waiting { Ok(waiting) } else { Err(Error::Overloaded) }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::{Context, Poll, Waker};

    #[tokio::test]
    async fn few_walk_at_a_time_and_a_bounded_number_waits() {
        let walks = Walks::new(2);
        let (first, _second) = (walks.enter().await.unwrap(), walks.enter().await.unwrap());
        let mut nobody = Context::from_waker(Waker::noop());
        let mut waiting: Vec<_> = (0..2 * WAITING_PER_TURN).map(|_| Box::pin(walks.enter())).collect();
        for walk in &mut waiting {
            assert!(walk.as_mut().poll(&mut nobody).is_pending());
        }
        assert_eq!(walks.enter().await.err(), Some(Error::Overloaded));
        drop(first);
        let next = waiting.remove(0).await.unwrap();
        drop(waiting);
        assert!(matches!(Box::pin(walks.enter()).as_mut().poll(&mut nobody), Poll::Pending));
        drop(next);
        assert!(walks.enter().await.is_ok());
        assert_eq!(walks.waiting.load(Relaxed), 0);
    }
}
