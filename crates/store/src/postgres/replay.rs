//! The second attempt at a batch in which something missed: a savepoint per change, so that each stands alone.

use super::connection::Connection;
use super::fault::Fault;
use super::plan::{self, Planned};
use super::transaction::{self, BEGIN, Stop, control, prepare};
use super::writer::{End, Failed, Patience, Writer, finish, roll_back};
use crate::change::Change;
use crate::error::Error;
use crate::metrics::Counters;
use crate::queue::Job;

/// Beyond 64 subtransactions PostgreSQL spills their list and every snapshot becomes slow.
const SAVEPOINTS: usize = 64;

const OPEN: &str = "SAVEPOINT change";
const KEEP_AND_OPEN: &str = "RELEASE SAVEPOINT change; SAVEPOINT change";
const UNDO: &str = "ROLLBACK TO SAVEPOINT change";

/// Runs a batch change by change and answers each.
pub(super) async fn run(writer: &Writer, batch: Vec<Job>) {
    let mut jobs = batch.into_iter().peekable();
    while jobs.peek().is_some() {
        let chunk: Vec<Job> = jobs.by_ref().take(SAVEPOINTS).collect();
        let outcomes = {
            let changes: Vec<&Change> = chunk.iter().map(|job| &job.change).collect();
            each(writer, &changes).await
        };
        match outcomes {
            Ok(outcomes) => {
                for (job, outcome) in chunk.into_iter().zip(outcomes) {
                    job.answer(outcome);
                }
            }
            Err(failed) => {
                for job in chunk {
                    job.answer(Err(failed.error().clone()));
                }
            }
        }
    }
}

async fn each(writer: &Writer, changes: &[&Change]) -> Result<Vec<Result<(), Error>>, Failed> {
    let mut patience = Patience::default();
    loop {
        let connection = writer.connection().await?;
        match apart(&connection, writer.counters(), changes).await {
            Ok(outcomes) => return Ok(outcomes),
            Err(end) => patience.after(writer, &connection, end).await?,
        }
    }
}

async fn apart(
    connection: &Connection,
    counters: &Counters,
    changes: &[&Change],
) -> Result<Vec<Result<(), Error>>, End> {
    let prepared = prepare_each(connection, changes).await?;
    let within = savepoints(connection, counters, changes, prepared).await;
    match within {
        Ok(outcomes) => finish(connection).await.map(|()| outcomes),
        Err(fault) => Err(roll_back(connection, End::of(fault)).await),
    }
}

/// A change with a statement that cannot even be prepared is out before the transaction begins.
async fn prepare_each<'a>(
    connection: &Connection,
    changes: &[&'a Change],
) -> Result<Vec<Result<Vec<Planned<'a>>, Error>>, End> {
    let mut prepared = Vec::with_capacity(changes.len());
    for change in changes {
        let planned = plan::alone(change);
        prepared.push(match prepare(connection, &planned).await {
            Ok(()) => Ok(planned),
            Err(fault @ (Fault::Statement(_) | Fault::Stale(_))) => Err(report(&fault)),
            Err(fault) => return Err(End::of(fault)),
        });
    }
    Ok(prepared)
}

async fn savepoints(
    connection: &Connection,
    counters: &Counters,
    changes: &[&Change],
    prepared: Vec<Result<Vec<Planned<'_>>, Error>>,
) -> Result<Vec<Result<(), Error>>, Fault> {
    control(connection, BEGIN).await?;
    lock_in_order(connection, counters, changes).await?;
    let mut outcomes = Vec::with_capacity(changes.len());
    for planned in prepared {
        let planned = match planned {
            Ok(planned) => planned,
            Err(error) => {
                outcomes.push(Err(error));
                continue;
            }
        };
        let outcome = match transaction::run(connection, counters, KEEP_AND_OPEN, &planned).await {
            Ok(()) => Ok(()),
            Err(Stop::Missed(miss)) => Err(Error::Missed(miss)),
            // Statements were prepared afresh before it came to this, so a stale one is a wrong one.
            Err(Stop::Fault(fault @ (Fault::Statement(_) | Fault::Stale(_)))) => Err(report(&fault)),
            Err(Stop::Fault(fault)) => return Err(fault),
        };
        if outcome.is_err() {
            control(connection, UNDO).await?;
        }
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

/// Takes every lock of the chunk in the common order before the changes take them in theirs. Counts do not matter yet.
async fn lock_in_order(connection: &Connection, counters: &Counters, changes: &[&Change]) -> Result<(), Fault> {
    let mut guards = plan::guards(changes);
    for guard in &mut guards {
        guard.expected = None;
    }
    match transaction::run(connection, counters, OPEN, &guards).await {
        Ok(()) | Err(Stop::Missed(_)) => Ok(()),
        // A wrong guard will be found again in its own change; here it must not cost the others their turn.
        Err(Stop::Fault(Fault::Statement(_) | Fault::Stale(_))) => control(connection, UNDO).await,
        Err(Stop::Fault(fault)) => Err(fault),
    }
}

fn report(fault: &Fault) -> Error {
    let error = fault.error();
    tracing::error!(%error, "a statement of a change failed");
    error
}
