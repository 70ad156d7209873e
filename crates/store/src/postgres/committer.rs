//! Commits a planned batch in one transaction, with retries.
//!
//! Until COMMIT is sent a batch can be run again, because the server rolls it back. After that, never.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use super::connection::{Connection, Slot};
use super::database_error::DatabaseError;
use super::pause::jittered;
use super::plan;
use super::timeouts::{Deadline, PostgresTimeouts};
use super::transaction::{CommitError, Stop, begin, commit, control, prepare, run};
use crate::change::Change;
use crate::error::{Error, Violation};
use crate::metrics::Counters;

/// The most retries after a deadlock.
const RETRIES: u32 = 10;
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// The pause before the retry on another connection if a server accepts no writes.
const READ_ONLY_PAUSE: Duration = Duration::from_millis(100);

pub(super) struct Committer {
    slot: Slot,
    counters: Arc<Counters>,
    /// BEGIN with the usual lock timeout, built once.
    opening: String,
}

/// Why a transaction was not committed.
pub(super) enum End {
    /// A violation or a wrong statement: the changes must be run one by one.
    Apart(Error),
    /// A lock was not released in time: the change that needs it must be separated from the others.
    Locked(Error),
    /// Nothing was committed, and a retry can succeed.
    Again(DatabaseError),
    /// Final: nothing was committed, or the outcome is unknown.
    Over(Error),
}

impl Committer {
    pub(super) fn new(slot: Slot, counters: Arc<Counters>) -> Self {
        let opening = slot.timeouts().begin(slot.timeouts().short_lock());
        Self { slot, counters, opening }
    }

    /// BEGIN with this lock timeout.
    pub(super) fn opening(&self, lock: Duration) -> Cow<'_, str> {
        if lock == self.timeouts().short_lock() {
            Cow::Borrowed(&self.opening)
        } else {
            Cow::Owned(self.timeouts().begin(lock))
        }
    }

    /// Commits one change with the full lock timeout.
    pub(super) async fn write_alone(&self, change: &Change) -> Result<(), Failed> {
        self.together(&plan::batch(&[change]), self.timeouts().lock).await
    }

    pub(super) fn close(&self) {
        self.slot.close();
    }

    pub(super) fn timeouts(&self) -> PostgresTimeouts {
        self.slot.timeouts()
    }

    /// The whole batch, on the assumption that no step fails.
    pub(super) async fn together(&self, planned: &[plan::Planned<'_>], lock: Duration) -> Result<(), Failed> {
        let opening = self.opening(lock);
        let mut attempts = Attempts::default();
        loop {
            let connection = self.connection().await?;
            match self.attempt(&connection, &opening, planned).await {
                Ok(()) => return Ok(()),
                Err(end) => attempts.after(self, &connection, end).await?,
            }
        }
    }

    async fn attempt(
        &self,
        connection: &Arc<Connection>,
        opening: &str,
        planned: &[plan::Planned<'_>],
    ) -> Result<(), End> {
        let deadline = self.timeouts().deadline();
        let statements = async {
            prepare(connection, planned).await.map_err(Stop::Database)?;
            begin(connection, opening).await.map_err(Stop::Database)?;
            run(connection, &self.counters, None, planned).await
        };
        match deadline.within(pin!(statements)).await {
            Ok(Ok(())) => self.finish(connection).await,
            Ok(Err(Stop::Violated(violation))) => Err(roll_back(connection, deadline, End::violated(violation)).await),
            Ok(Err(Stop::Database(failure))) => Err(roll_back(connection, deadline, End::of(failure)).await),
            Err(silent) => Err(End::of(silent)),
        }
    }

    /// COMMIT, after which nothing can be run again.
    pub(super) async fn finish(&self, connection: &Arc<Connection>) -> Result<(), End> {
        let deadline = self.timeouts().deadline();
        commit(connection, Some(deadline)).await.map_err(|failure| match failure {
            CommitError::NotSent => End::Again(DatabaseError::Lost("the connection was lost".to_owned())),
            CommitError::Sent(error) => {
                // The response may still arrive and must not be taken for that of the next transaction.
                if error == Error::OutcomeUnknown {
                    self.slot.abandon(connection);
                }
                End::Over(error)
            }
        })
    }

    pub(super) async fn connection(&self) -> Result<Arc<Connection>, Failed> {
        self.slot.connection().await.map_err(Failed::Over)
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }
}

/// The retries of a transaction so far.
#[derive(Default)]
pub(super) struct Attempts {
    retries: u32,
    lost: bool,
    stale: bool,
}

impl Attempts {
    /// Returns when the transaction can be run again, or why it cannot.
    pub(super) async fn after(
        &mut self,
        committer: &Committer,
        connection: &Arc<Connection>,
        end: End,
    ) -> Result<(), Failed> {
        let failure = match end {
            End::Apart(error) => return Err(Failed::Apart(error)),
            End::Locked(error) => return Err(Failed::Locked(error)),
            End::Over(error) => return Err(Failed::Over(error)),
            End::Again(failure) => failure,
        };
        match failure {
            DatabaseError::Retry(_) if self.retries < RETRIES => {
                let pause = (FIRST_PAUSE * 2_u32.pow(self.retries.min(8))).min(LONGEST_PAUSE);
                tokio::time::sleep(jittered(pause)).await;
                self.retries += 1;
            }
            DatabaseError::Lost(_) | DatabaseError::Timeout(_) | DatabaseError::ReadOnly(_) => {
                committer.slot.abandon(connection);
                if self.lost {
                    return Err(Failed::Over(failure.error()));
                }
                self.lost = true;
                // The address may lead to another server by now; a faster retry would only open connections.
                if matches!(failure, DatabaseError::ReadOnly(_)) {
                    tokio::time::sleep(jittered(READ_ONLY_PAUSE)).await;
                }
            }
            DatabaseError::Stale(_) if !self.stale => {
                connection.forget_statements();
                self.stale = true;
            }
            DatabaseError::Stale(_) => return Err(Failed::Apart(failure.error())),
            other => return Err(Failed::Over(other.error())),
        }
        committer.counters.replay();
        Ok(())
    }
}

/// Why a batch was not committed after all retries.
pub(super) enum Failed {
    Apart(Error),
    Locked(Error),
    Over(Error),
}

impl Failed {
    pub(super) fn error(&self) -> &Error {
        match self {
            Self::Apart(error) | Self::Locked(error) | Self::Over(error) => error,
        }
    }
}

impl End {
    pub(super) fn of(failure: DatabaseError) -> Self {
        match failure {
            DatabaseError::Statement(_) => Self::Apart(failure.error()),
            DatabaseError::Locked(_) => Self::Locked(failure.error()),
            DatabaseError::Temporary(_) => Self::Over(failure.error()),
            DatabaseError::Lost(_)
            | DatabaseError::Timeout(_)
            | DatabaseError::ReadOnly(_)
            | DatabaseError::Retry(_)
            | DatabaseError::Stale(_) => Self::Again(failure),
        }
    }

    fn violated(violation: Violation) -> Self {
        Self::Apart(Error::Violated(violation))
    }
}

/// Rolls back and returns the cause; a connection that cannot roll back is lost.
pub(super) async fn roll_back(connection: &Connection, deadline: Deadline, end: End) -> End {
    let rolled_back = deadline.within(pin!(control(connection, "ROLLBACK"))).await;
    match rolled_back.and_then(|rolled_back| rolled_back) {
        Err(failure @ (DatabaseError::Lost(_) | DatabaseError::Timeout(_))) => match end {
            End::Over(error) => End::Over(error),
            End::Apart(_) | End::Locked(_) | End::Again(_) => End::Again(failure),
        },
        _ => end,
    }
}
