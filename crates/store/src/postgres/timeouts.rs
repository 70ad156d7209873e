//! The timeouts of every request to PostgreSQL.
//!
//! The server-side timeouts are set inside each transaction, because a pooler in transaction mode does not preserve
//! session settings. The client-side deadline covers what the server cannot notice: a dead network or a hanging
//! backend.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::Instant;

use super::database_error::DatabaseError;

/// How long the main writer waits for a lock before the change that needs it leaves the batch.
const SHORT_WAIT: Duration = Duration::from_millis(250);

/// How long a change may wait for PostgreSQL, a lock or the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostgresTimeouts {
    /// For a lock that another transaction holds (`lock_timeout`).
    pub lock: Duration,
    /// For one statement of a change (`statement_timeout`); COMMIT is not bounded by it.
    pub statement: Duration,
    /// For a transaction whose client sends nothing (`idle_in_transaction_session_timeout`). After that PostgreSQL
    /// ends it and releases its locks.
    pub idle_in_transaction: Duration,
    /// For all responses of a transaction before COMMIT, for that to COMMIT, and for a read. After that the connection
    /// is closed. Longer than `idle_in_transaction`, so that a lost session's locks are free before the next attempt.
    pub conversation: Duration,
}

impl Default for PostgresTimeouts {
    fn default() -> Self {
        Self {
            lock: Duration::from_secs(2),
            statement: Duration::from_secs(5),
            idle_in_transaction: Duration::from_secs(5),
            conversation: Duration::from_secs(7),
        }
    }
}

impl PostgresTimeouts {
    /// How long the main writer waits for a lock.
    pub(super) fn short_lock(&self) -> Duration {
        self.lock.min(SHORT_WAIT)
    }

    /// Opens a transaction. The isolation level is fixed: only at this level guards read the row again after they
    /// waited for a lock. Nothing may be sent before BEGIN has succeeded: if it fails, as on a standby, the session
    /// commits every later statement separately.
    ///
    /// A change follows indexes: PostgreSQL would scan a table that is small, or was when it was analyzed, for every row
    /// of a batch. Where a scan is the only way, it then seems so expensive that PostgreSQL would compile it, which takes
    /// far longer than the scan.
    pub(super) fn begin(&self, lock: Duration) -> String {
        format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL enable_seqscan = off; SET LOCAL jit = off; \
             SET LOCAL lock_timeout = {}; SET LOCAL statement_timeout = {}; \
             SET LOCAL idle_in_transaction_session_timeout = {}",
            milliseconds(lock),
            milliseconds(self.statement),
            milliseconds(self.idle_in_transaction),
        )
    }

    /// Starts the deadline of a request.
    pub(super) fn deadline(&self) -> Deadline {
        Deadline(Instant::now() + self.conversation)
    }
}

/// In the format of PostgreSQL. Zero would disable the timeout.
pub(super) fn milliseconds(time: Duration) -> u128 {
    time.as_millis().clamp(1, i32::MAX as u128)
}

/// The deadline of a request.
#[derive(Clone, Copy)]
pub(super) struct Deadline(Instant);

impl Deadline {
    /// The output of the future, or that the connection must be closed. The future is large and stays where it is
    /// pinned.
    pub(super) async fn within<F: Future>(self, future: Pin<&mut F>) -> Result<F::Output, DatabaseError> {
        let late = |_| DatabaseError::Timeout("PostgreSQL did not respond in time".to_owned());
        tokio::time::timeout_at(self.0, future).await.map_err(late)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_timeout_is_disabled() {
        assert_eq!(milliseconds(Duration::ZERO), 1);
        assert_eq!(milliseconds(Duration::from_micros(1)), 1);
        assert_eq!(milliseconds(Duration::MAX), i32::MAX as u128);
        let text = PostgresTimeouts::default().begin(Duration::from_millis(20));
        assert!(text.contains("lock_timeout = 20;") && text.ends_with("session_timeout = 5000"), "{text}");
    }
}
