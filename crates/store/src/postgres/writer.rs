//! The one writer: a task that drains the queue, a batch to a transaction.
//!
//! Until COMMIT is sent a batch may be run again, because the server will have forgotten it; after that, never. Every wait
//! is bounded: a change whose lock is held elsewhere leaves the batch and waits in a lane of its own.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use super::blocked::{BlockedLane, Caution};
use super::connection::{Connection, Slot};
use super::fault::Fault;
use super::pause::jittered;
use super::statistics::Statistics;
use super::timeouts::{Deadline, PostgresTimeouts};
use super::transaction::{CommitFault, Stop, begin, commit, control, prepare, run};
use super::{plan, replay};
use crate::change::Change;
use crate::error::{Error, Violation};
use crate::metrics::Counters;
use crate::queue::{Failure, Inbox, Job};

/// How often a deadlock is answered with another try.
const RETRIES: u32 = 10;
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// Before a server that cannot write is asked again, on another connection.
const READ_ONLY_PAUSE: Duration = Duration::from_millis(100);

pub(super) struct Writer {
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
    Again(Fault),
    /// It is over: nothing was committed, or nobody knows.
    Over(Error),
}

pub(super) fn start(
    slot: Slot,
    blocked: BlockedLane,
    mut inbox: Inbox,
    mut statistics: Statistics,
    counters: Arc<Counters>,
    failure: Failure,
) {
    let writer = Writer::new(slot, counters);
    tokio::spawn(async move {
        let _watch = failure.watch_for_panic();
        while let Some(batch) = inbox.next().await {
            let changes = batch.len();
            for job in writer.write(batch, blocked.caution()).await {
                blocked.accept(job);
            }
            statistics.written(changes);
        }
        blocked.finish().await;
        writer.slot.close();
        inbox.finished();
    });
}

impl Writer {
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

    /// Writes a batch and answers its changes, except those it returns: what they need is locked.
    async fn write(&self, batch: Vec<Job>, caution: &Caution) -> Vec<Job> {
        self.counters.batch(batch.len());
        let lock = caution.lock_timeout(self.timeouts());
        let outcome = {
            let changes: Vec<&Change> = batch.iter().map(|job| &job.change).collect();
            self.together(&plan::batch(&changes), lock).await
        };
        match outcome {
            Ok(()) => batch.into_iter().for_each(|job| job.answer(Ok(()))),
            Err(Failed::Locked(_)) if batch.len() == 1 => {
                self.counters.replay();
                return batch;
            }
            Err(Failed::Apart(error)) if batch.len() == 1 => refuse(batch, &error),
            Err(Failed::Apart(_) | Failed::Locked(_)) => {
                self.counters.replay();
                return replay::run(self, batch, lock).await;
            }
            Err(Failed::Over(error)) => {
                tracing::warn!(%error, changes = batch.len(), "a batch could not be written");
                refuse(batch, &error);
            }
        }
        Vec::new()
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
    async fn together(&self, planned: &[plan::Planned<'_>], lock: Duration) -> Result<(), Failed> {
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
            prepare(connection, planned).await.map_err(Stop::Fault)?;
            begin(connection, opening).await.map_err(Stop::Fault)?;
            run(connection, &self.counters, None, planned).await
        };
        match deadline.within(pin!(statements)).await {
            Ok(Ok(())) => self.finish(connection).await,
            Ok(Err(Stop::Violated(violation))) => Err(roll_back(connection, deadline, End::missed(violation)).await),
            Ok(Err(Stop::Fault(fault))) => Err(roll_back(connection, deadline, End::of(fault)).await),
            Err(silent) => Err(End::of(silent)),
        }
    }

    /// COMMIT, after which nothing may be run again.
    pub(super) async fn finish(&self, connection: &Arc<Connection>) -> Result<(), End> {
        let deadline = self.timeouts().deadline();
        commit(connection, Some(deadline)).await.map_err(|fault| match fault {
            CommitFault::NotSent => End::Again(Fault::Lost("the connection was lost".to_owned())),
            CommitFault::Sent(error) => {
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
        writer: &Writer,
        connection: &Arc<Connection>,
        end: End,
    ) -> Result<(), Failed> {
        let fault = match end {
            End::Apart(error) => return Err(Failed::Apart(error)),
            End::Locked(error) => return Err(Failed::Locked(error)),
            End::Over(error) => return Err(Failed::Over(error)),
            End::Again(fault) => fault,
        };
        match fault {
            Fault::Retry(_) if self.retries < RETRIES => {
                let pause = (FIRST_PAUSE * 2_u32.pow(self.retries.min(8))).min(LONGEST_PAUSE);
                tokio::time::sleep(jittered(pause)).await;
                self.retries += 1;
            }
            Fault::Lost(_) | Fault::Silent(_) | Fault::ReadOnly(_) => {
                writer.slot.abandon(connection);
                if self.lost {
                    return Err(Failed::Over(fault.error()));
                }
                self.lost = true;
                // The address may lead to another server by now; asking faster than this would only make connections.
                if matches!(fault, Fault::ReadOnly(_)) {
                    tokio::time::sleep(jittered(READ_ONLY_PAUSE)).await;
                }
            }
            Fault::Stale(_) if !self.stale => {
                connection.forget_statements();
                self.stale = true;
            }
            Fault::Stale(_) => return Err(Failed::Apart(fault.error())),
            other => return Err(Failed::Over(other.error())),
        }
        writer.counters.replay();
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
    pub(super) fn of(fault: Fault) -> Self {
        match fault {
            Fault::Statement(_) => Self::Apart(fault.error()),
            Fault::Locked(_) => Self::Locked(fault.error()),
            Fault::Moment(_) => Self::Over(fault.error()),
            Fault::Lost(_) | Fault::Silent(_) | Fault::ReadOnly(_) | Fault::Retry(_) | Fault::Stale(_) => {
                Self::Again(fault)
            }
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
        Err(fault @ (Fault::Lost(_) | Fault::Silent(_))) => match end {
            End::Over(error) => End::Over(error),
            End::Apart(_) | End::Locked(_) | End::Again(_) => End::Again(fault),
        },
        _ => end,
    }
}

fn refuse(batch: Vec<Job>, error: &Error) {
    for job in batch {
        job.answer(Err(error.clone()));
    }
}
