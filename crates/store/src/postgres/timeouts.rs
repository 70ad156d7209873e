//! Bounds on every wait in a conversation with PostgreSQL.
//!
//! The server's own timeouts are set inside each transaction, because a pooler in transaction mode keeps nothing of a
//! session. The deadline on our side covers what the server cannot notice: a dead network or a hanging backend.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::Instant;

use super::database_error::DatabaseError;

/// How long the main writer waits for a lock before the change that needs it gives way to the others.
const SHORT_WAIT: Duration = Duration::from_millis(250);

/// How long PostgreSQL, a lock or the network may keep a change waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostgresTimeouts {
    /// For a lock that another transaction holds (`lock_timeout`).
    pub lock: Duration,
    /// For one statement of a change (`statement_timeout`); COMMIT is not bounded by it.
    pub statement: Duration,
    /// For a transaction whose server says nothing (`idle_in_transaction_session_timeout`): then PostgreSQL ends it and
    /// releases its locks.
    pub idle_in_transaction: Duration,
    /// For all answers of a transaction before COMMIT, for the one to COMMIT, and for a read. Then the connection is
    /// given up. Longer than `idle_in_transaction`, so that a lost session's locks are free before the next attempt.
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
    /// What the main writer waits for a lock.
    pub(super) fn short_lock(&self) -> Duration {
        self.lock.min(SHORT_WAIT)
    }

    /// Opens a transaction. Guards look again after they waited for a lock, which only this level allows, whatever the
    /// database's default. Nothing may be sent behind it before it was answered: if it fails, as it does on a standby, the
    /// session commits every later statement by itself.
    pub(super) fn begin(&self, lock: Duration) -> String {
        format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = {}; \
             SET LOCAL statement_timeout = {}; SET LOCAL idle_in_transaction_session_timeout = {}",
            milliseconds(lock),
            milliseconds(self.statement),
            milliseconds(self.idle_in_transaction),
        )
    }

    /// Begins to count the time of a conversation.
    pub(super) fn deadline(&self) -> Deadline {
        Deadline(Instant::now() + self.conversation)
    }
}

/// As PostgreSQL reads it. Zero would switch the timeout off.
pub(super) fn milliseconds(time: Duration) -> u128 {
    time.as_millis().clamp(1, i32::MAX as u128)
}

/// When a conversation has taken too long.
#[derive(Clone, Copy)]
pub(super) struct Deadline(Instant);

impl Deadline {
    /// What the future gives, or that the connection must be given up. It is large and stays where it is pinned.
    pub(super) async fn within<F: Future>(self, future: Pin<&mut F>) -> Result<F::Output, DatabaseError> {
        let late = |_| DatabaseError::Silent("PostgreSQL did not answer in time".to_owned());
        tokio::time::timeout_at(self.0, future).await.map_err(late)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bound_is_ever_switched_off() {
        assert_eq!(milliseconds(Duration::ZERO), 1);
        assert_eq!(milliseconds(Duration::from_micros(1)), 1);
        assert_eq!(milliseconds(Duration::MAX), i32::MAX as u128);
        let text = PostgresTimeouts::default().begin(Duration::from_millis(20));
        assert!(text.contains("lock_timeout = 20;") && text.ends_with("session_timeout = 5000"), "{text}");
    }
}
