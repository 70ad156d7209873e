//! Gets a planned batch committed: one transaction, run again as long as nothing of it can be committed.
//!
//! Until COMMIT is sent a batch may be run again, because the server rolls back what it has. After that, never.

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

/// How often a deadlock is answered with another try.
const RETRIES: u32 = 10;
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// Before a server that cannot write is asked again, on another connection.
const READ_ONLY_PAUSE: Duration = Duration::from_millis(100);

pub(super) struct Committer {
    slot: Slot,
    counters: Arc<Counters>,
    /// BEGIN with the usual wait for a lock, written once.
    opening: String,
}

/// Why a transaction did not come to an end.
pub(super) enum End {
    /// A violation or a wrong statement: the changes must be told apart.
    Apart(Error),
    /// A lock was not released in time: the change that needs it must be separated from the others.
    Locked(Error),
    /// Nothing was committed and the same again may succeed.
    Again(DatabaseError),
    /// It is over: nothing was committed, or nobody knows.
    Over(Error),
}

impl Committer {
    pub(super) fn new(slot: Slot, counters: Arc<Counters>) -> Self {
        let opening = slot.timeouts().begin(slot.timeouts().short_lock());
        Self { slot, counters, opening }
    }

    /// BEGIN with this wait for a lock.
    pub(super) fn opening(&self, lock: Duration) -> Cow<'_, str> {
        if lock == self.timeouts().short_lock() {
            Cow::Borrowed(&self.opening)
        } else {
            Cow::Owned(self.timeouts().begin(lock))
        }
    }

    /// Writes one change, waiting for the locks it needs for as long as any change may.
    pub(super) async fn write_alone(&self, change: &Change) -> Result<(), Failed> {
        self.together(&plan::batch(&[change]), self.timeouts().lock).await
    }

    pub(super) fn close(&self) {
        self.slot.close();
    }

    pub(super) fn timeouts(&self) -> PostgresTimeouts {
        self.slot.timeouts()
    }

    /// The whole batch, hoping that nothing misses.
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
            Ok(Err(Stop::Violated(violation))) => Err(roll_back(connection, deadline, End::missed(violation)).await),
            Ok(Err(Stop::Database(failure))) => Err(roll_back(connection, deadline, End::of(failure)).await),
            Err(silent) => Err(End::of(silent)),
        }
    }

    /// COMMIT, after which nothing may be run again.
    pub(super) async fn finish(&self, connection: &Arc<Connection>) -> Result<(), End> {
        let deadline = self.timeouts().deadline();
        commit(connection, Some(deadline)).await.map_err(|failure| match failure {
            CommitError::NotSent => End::Again(DatabaseError::Lost("the connection was lost".to_owned())),
            CommitError::Sent(error) => {
                // The answer may still be on its way and must not be taken for that of the next transaction.
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

/// What has been tried already to get a transaction through.
#[derive(Default)]
pub(super) struct Attempts {
    retries: u32,
    lost: bool,
    stale: bool,
}

impl Attempts {
    /// Returns when the transaction may be run again, or why it may not.
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
            DatabaseError::Lost(_) | DatabaseError::Silent(_) | DatabaseError::ReadOnly(_) => {
                committer.slot.abandon(connection);
                if self.lost {
                    return Err(Failed::Over(failure.error()));
                }
                self.lost = true;
                // The address may lead to another server by now; asking faster than this would only make connections.
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

/// Why a batch was not committed in the end.
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
            DatabaseError::Moment(_) => Self::Over(failure.error()),
            DatabaseError::Lost(_)
            | DatabaseError::Silent(_)
            | DatabaseError::ReadOnly(_)
            | DatabaseError::Retry(_)
            | DatabaseError::Stale(_) => Self::Again(failure),
        }
    }

    fn missed(violation: Violation) -> Self {
        Self::Apart(Error::Violated(violation))
    }
}

/// Ends the transaction and passes on why; a connection that cannot even roll back is lost.
pub(super) async fn roll_back(connection: &Connection, deadline: Deadline, end: End) -> End {
    let rolled_back = deadline.within(pin!(control(connection, "ROLLBACK"))).await;
    match rolled_back.and_then(|rolled_back| rolled_back) {
        Err(failure @ (DatabaseError::Lost(_) | DatabaseError::Silent(_))) => match end {
            End::Over(error) => End::Over(error),
            End::Apart(_) | End::Locked(_) | End::Again(_) => End::Again(failure),
        },
        _ => end,
    }
}
