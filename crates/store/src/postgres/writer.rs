//! The one writer: a task that drains the queue, a batch to a transaction.
//!
//! Until COMMIT is sent a batch may be run again, because the server will have forgotten it; after that, never.

use std::sync::Arc;
use std::time::Duration;

use super::connection::{Connection, Slot};
use super::fault::Fault;
use super::pause::jittered;
use super::statistics::Statistics;
use super::transaction::{BEGIN, CommitFault, Stop, commit, control, prepare, run};
use super::{plan, replay};
use crate::change::{Change, Miss};
use crate::error::Error;
use crate::metrics::Counters;
use crate::queue::{Failure, Inbox, Job};

/// How often a deadlock is answered with another try.
const RETRIES: u32 = 10;
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

pub(super) struct Writer {
    slot: Slot,
    counters: Arc<Counters>,
}

/// Why a transaction did not come to an end.
pub(super) enum End {
    /// A miss or a wrong statement: the changes must be told apart.
    Apart(Error),
    /// Nothing was committed and the same again may succeed.
    Again(Fault),
    /// It is over: nothing was committed, or nobody knows.
    Over(Error),
}

pub(super) fn start(
    slot: Slot,
    mut inbox: Inbox,
    mut statistics: Statistics,
    counters: Arc<Counters>,
    failure: Failure,
) {
    let writer = Writer { slot, counters };
    tokio::spawn(async move {
        let _watch = failure.watch_for_panic();
        while let Some(batch) = inbox.next().await {
            let changes = batch.len();
            writer.write(batch).await;
            statistics.written(changes);
        }
        writer.slot.close();
        inbox.finished();
    });
}

impl Writer {
    async fn write(&self, batch: Vec<Job>) {
        self.counters.batch(batch.len());
        let outcome = {
            let changes: Vec<&Change> = batch.iter().map(|job| &job.change).collect();
            self.together(&plan::batch(&changes)).await
        };
        match outcome {
            Ok(()) => batch.into_iter().for_each(|job| job.answer(Ok(()))),
            Err(Failed::Apart(error)) if batch.len() == 1 => refuse(batch, &error),
            Err(Failed::Apart(_)) => {
                self.counters.replay();
                replay::run(self, batch).await;
            }
            Err(Failed::Over(error)) => {
                tracing::warn!(%error, changes = batch.len(), "a batch could not be written");
                refuse(batch, &error);
            }
        }
    }

    /// The whole batch, hoping that nothing misses.
    async fn together(&self, planned: &[plan::Planned<'_>]) -> Result<(), Failed> {
        let mut patience = Patience::default();
        loop {
            let connection = self.connection().await?;
            match self.attempt(&connection, planned).await {
                Ok(()) => return Ok(()),
                Err(end) => patience.after(self, &connection, end).await?,
            }
        }
    }

    async fn attempt(&self, connection: &Connection, planned: &[plan::Planned<'_>]) -> Result<(), End> {
        prepare(connection, planned).await.map_err(End::of)?;
        match run(connection, &self.counters, BEGIN, planned).await {
            Ok(()) => finish(connection).await,
            Err(Stop::Missed(miss)) => Err(roll_back(connection, End::missed(miss)).await),
            Err(Stop::Fault(fault)) => Err(roll_back(connection, End::of(fault)).await),
        }
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
pub(super) struct Patience {
    retries: u32,
    lost: bool,
    stale: bool,
}

impl Patience {
    /// Returns when the transaction may be run again, or why it may not.
    pub(super) async fn after(
        &mut self,
        writer: &Writer,
        connection: &Arc<Connection>,
        end: End,
    ) -> Result<(), Failed> {
        let fault = match end {
            End::Apart(error) => return Err(Failed::Apart(error)),
            End::Over(error) => return Err(Failed::Over(error)),
            End::Again(fault) => fault,
        };
        match fault {
            Fault::Retry(_) if self.retries < RETRIES => {
                let pause = (FIRST_PAUSE * 2_u32.pow(self.retries.min(8))).min(LONGEST_PAUSE);
                tokio::time::sleep(jittered(pause)).await;
                self.retries += 1;
            }
            Fault::Lost(_) => {
                writer.slot.discard(connection);
                if self.lost {
                    return Err(Failed::Over(fault.error()));
                }
                self.lost = true;
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
    Over(Error),
}

impl Failed {
    pub(super) fn error(&self) -> &Error {
        match self {
            Self::Apart(error) | Self::Over(error) => error,
        }
    }
}

impl End {
    pub(super) fn of(fault: Fault) -> Self {
        match fault {
            Fault::Statement(_) => Self::Apart(fault.error()),
            Fault::Moment(_) => Self::Over(fault.error()),
            Fault::Lost(_) | Fault::Retry(_) | Fault::Stale(_) => Self::Again(fault),
        }
    }

    fn missed(miss: Miss) -> Self {
        Self::Apart(Error::Missed(miss))
    }
}

/// COMMIT, after which nothing may be run again.
pub(super) async fn finish(connection: &Connection) -> Result<(), End> {
    commit(connection).await.map_err(|fault| match fault {
        CommitFault::NotSent => End::Again(Fault::Lost("the connection was lost".to_owned())),
        CommitFault::Sent(error) => End::Over(error),
    })
}

/// Ends the transaction and passes on why; a connection that cannot even roll back is lost.
pub(super) async fn roll_back(connection: &Connection, end: End) -> End {
    match control(connection, "ROLLBACK").await {
        Err(fault @ Fault::Lost(_)) => match end {
            End::Over(error) => End::Over(error),
            End::Apart(_) | End::Again(_) => End::Again(fault),
        },
        _ => end,
    }
}

fn refuse(batch: Vec<Job>, error: &Error) {
    for job in batch {
        job.answer(Err(error.clone()));
    }
}
