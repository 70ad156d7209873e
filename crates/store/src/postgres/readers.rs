//! The connections for reads. Statements are pipelined: each is sent without waiting for the results of those before
//! it.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use tokio_postgres::Row;

use super::connection::{Connection, Slot, recoverable};
use super::database_error::DatabaseError;
use super::value::Argument;
use crate::error::Error;

/// How many statements may be in progress: far more than a server that responds ever has in its queue.
const MOST_PENDING: usize = 4096;

pub(super) struct Readers {
    slots: Vec<Slot>,
    next: AtomicUsize,
    pending: AtomicUsize,
}

struct Pending<'a>(&'a AtomicUsize);

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// The rejection of a read that would have to wait behind too many others.
pub(super) fn too_many() -> DatabaseError {
    DatabaseError::Temporary("too many reads wait for PostgreSQL".to_owned())
}

impl Readers {
    /// At least one.
    pub(super) fn new(slots: Vec<Slot>) -> Self {
        Self { slots, next: AtomicUsize::new(0), pending: AtomicUsize::new(0) }
    }

    pub(super) fn count(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn close(&self) {
        self.slots.iter().for_each(Slot::close);
    }

    /// The rows of a statement, which is sent again if the connection is lost.
    pub(super) async fn query(&self, text: &str, arguments: &[Argument<'_>]) -> Result<Vec<Row>, DatabaseError> {
        match self.query_once(None, text, arguments).await {
            Err(failure) if recoverable(&failure) => self.query_once(None, text, arguments).await,
            first => first,
        }
    }

    /// The same for a statement in a transaction that begins with a text.
    pub(super) async fn query_within(&self, opening: &str, text: &str) -> Result<Vec<Row>, DatabaseError> {
        match self.query_once(Some(opening), text, &[]).await {
            Err(failure) if recoverable(&failure) => self.query_once(Some(opening), text, &[]).await,
            first => first,
        }
    }

    async fn query_once(
        &self,
        opening: Option<&str>,
        text: &str,
        arguments: &[Argument<'_>],
    ) -> Result<Vec<Row>, DatabaseError> {
        let (slot, connection) = self.next().await?;
        let _pending = self.pending()?;
        let read = async {
            match opening {
                None => connection.query(text, arguments).await,
                // Boxed: it is rare and large, and every read would carry its size.
                Some(opening) => Box::pin(connection.query_within(opening, text)).await,
            }
        };
        let received = slot.timeouts().deadline().within(pin!(read)).await;
        received.and_then(|rows| rows.map_err(|error| DatabaseError::of(&error))).inspect_err(|failure| match failure {
            DatabaseError::Lost(_) => slot.discard(&connection),
            DatabaseError::Timeout(_) => slot.abandon(&connection),
            DatabaseError::Stale(_) => connection.forget_statements(),
            _ => {}
        })
    }

    /// Counts a read as in progress, unless there are too many: they would accumulate while the server does not
    /// respond.
    fn pending(&self) -> Result<Pending<'_>, DatabaseError> {
        let pending = Pending(&self.pending);
        if self.pending.fetch_add(1, Relaxed) < MOST_PENDING { Ok(pending) } else { Err(too_many()) }
    }

    /// The next connection in turn or, if that one is lost and cannot be replaced now, any other open one.
    async fn next(&self) -> Result<(&Slot, Arc<Connection>), DatabaseError> {
        let slot = &self.slots[self.next.fetch_add(1, Relaxed) % self.slots.len()];
        let error = match slot.connection().await {
            Ok(connection) => return Ok((slot, connection)),
            Err(error) => error,
        };
        let other = self.slots.iter().find_map(|other| Some((other, other.live()?)));
        other.ok_or_else(|| match error {
            Error::Unavailable(text) => DatabaseError::Lost(text),
            other => DatabaseError::Temporary(other.to_string()),
        })
    }
}
