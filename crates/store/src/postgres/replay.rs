//! The second attempt at a batch in which a step failed or a lock was not released: one savepoint per change, so that
//! each succeeds or fails alone.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use super::committer::{Attempts, Committer, End, Failed, roll_back};
use super::connection::Connection;
use super::database_error::DatabaseError;
use super::plan::{self, Planned};
use super::timeouts::milliseconds;
use super::transaction::{self, Stop, begin, control, prepare};
use crate::change::Change;
use crate::error::Error;
use crate::metrics::Counters;
use crate::queue::Job;

/// Beyond 64 subtransactions PostgreSQL spills their list and every snapshot becomes slow.
const SAVEPOINTS: usize = 64;
/// Each lock that is not released halves the wait for the next, down to this: all changes of a batch wait together.
const SHORTEST_WAIT: Duration = Duration::from_millis(5);

const OPEN: &str = "SAVEPOINT change";
const KEEP_AND_OPEN: &str = "RELEASE SAVEPOINT change; SAVEPOINT change";
const UNDO: &str = "ROLLBACK TO SAVEPOINT change";

/// The outcome of one change.
enum Outcome {
    Ended(Result<(), Error>),
    /// A lock it needs is held by another transaction.
    Locked,
}

/// Runs a batch change by change and reports each outcome; returns those whose locks other transactions hold.
pub(super) async fn run(committer: &Committer, batch: Vec<Job>, lock: Duration) -> Vec<Job> {
    let mut locked = Vec::new();
    let mut jobs = batch.into_iter().peekable();
    while jobs.peek().is_some() {
        let chunk: Vec<Job> = jobs.by_ref().take(SAVEPOINTS).collect();
        let outcomes = {
            let changes: Vec<&Change> = chunk.iter().map(|job| &job.change).collect();
            each(committer, &changes, lock).await
        };
        match outcomes {
            Ok(outcomes) => {
                for (job, outcome) in chunk.into_iter().zip(outcomes) {
                    match outcome {
                        Outcome::Ended(outcome) => job.complete(outcome),
                        Outcome::Locked => locked.push(job),
                    }
                }
            }
            Err(failed) => {
                for job in chunk {
                    job.complete(Err(failed.error().clone()));
                }
            }
        }
    }
    locked
}

async fn each(committer: &Committer, changes: &[&Change], lock: Duration) -> Result<Vec<Outcome>, Failed> {
    let mut attempts = Attempts::default();
    loop {
        let connection = committer.connection().await?;
        match apart(committer, &connection, changes, lock).await {
            Ok(outcomes) => return Ok(outcomes),
            Err(end) => attempts.after(committer, &connection, end).await?,
        }
    }
}

async fn apart(
    committer: &Committer,
    connection: &Arc<Connection>,
    changes: &[&Change],
    lock: Duration,
) -> Result<Vec<Outcome>, End> {
    let deadline = committer.timeouts().deadline();
    let within = async {
        let prepared = prepare_each(connection, changes).await?;
        begin(connection, &committer.opening(lock)).await?;
        savepoints(connection, committer.counters(), changes, prepared, lock).await
    };
    match deadline.within(pin!(within)).await {
        Ok(Ok(outcomes)) => committer.finish(connection).await.map(|()| outcomes),
        Ok(Err(failure)) => Err(roll_back(connection, deadline, End::of(failure)).await),
        Err(silent) => Err(End::of(silent)),
    }
}

/// A change with a statement that cannot be prepared is rejected before the transaction begins.
async fn prepare_each<'a>(
    connection: &Connection,
    changes: &[&'a Change],
) -> Result<Vec<Result<Vec<Planned<'a>>, Error>>, DatabaseError> {
    let mut prepared = Vec::with_capacity(changes.len());
    for change in changes {
        let planned = plan::alone(change);
        prepared.push(match prepare(connection, &planned).await {
            Ok(()) => Ok(planned),
            Err(failure @ (DatabaseError::Statement(_) | DatabaseError::Stale(_))) => Err(report(&failure)),
            Err(failure) => return Err(failure),
        });
    }
    Ok(prepared)
}

async fn savepoints(
    connection: &Connection,
    counters: &Counters,
    changes: &[&Change],
    prepared: Vec<Result<Vec<Planned<'_>>, Error>>,
    mut lock: Duration,
) -> Result<Vec<Outcome>, DatabaseError> {
    lock_in_order(connection, counters, changes).await?;
    let mut outcomes = Vec::with_capacity(changes.len());
    let mut opening = KEEP_AND_OPEN.to_owned();
    for planned in prepared {
        let planned = match planned {
            Ok(planned) => planned,
            Err(error) => {
                outcomes.push(Outcome::Ended(Err(error)));
                continue;
            }
        };
        let outcome = match transaction::run(connection, counters, Some(&opening), &planned).await {
            Ok(()) => Outcome::Ended(Ok(())),
            Err(Stop::Violated(violation)) => Outcome::Ended(Err(Error::Violated(violation))),
            // The statements were prepared again before this, so a stale one is wrong.
            Err(Stop::Database(failure @ (DatabaseError::Statement(_) | DatabaseError::Stale(_)))) => {
                Outcome::Ended(Err(report(&failure)))
            }
            Err(Stop::Database(DatabaseError::Locked(_))) => Outcome::Locked,
            Err(Stop::Database(failure)) => return Err(failure),
        };
        if !matches!(outcome, Outcome::Ended(Ok(()))) {
            control(connection, UNDO).await?;
        }
        if matches!(outcome, Outcome::Locked) {
            lock = (lock / 2).max(SHORTEST_WAIT);
            opening = format!("{KEEP_AND_OPEN}; SET LOCAL lock_timeout = {}", milliseconds(lock));
        }
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

/// Takes every lock of the chunk in the common order before the changes take them in theirs. Row counts are checked
/// later.
async fn lock_in_order(connection: &Connection, counters: &Counters, changes: &[&Change]) -> Result<(), DatabaseError> {
    let mut guards = plan::guards(changes);
    for guard in &mut guards {
        guard.expected = None;
    }
    match transaction::run(connection, counters, Some(OPEN), &guards).await {
        Ok(()) | Err(Stop::Violated(_)) => Ok(()),
        // A guard that is wrong or waits is reported by its own change; here it must not affect the others. Two servers
        // that now take locks in different orders wait for each other only until the lock timeout.
        Err(Stop::Database(DatabaseError::Statement(_) | DatabaseError::Stale(_) | DatabaseError::Locked(_))) => {
            control(connection, UNDO).await
        }
        Err(Stop::Database(failure)) => Err(failure),
    }
}

fn report(failure: &DatabaseError) -> Error {
    let error = failure.error();
    tracing::error!(%error, "a statement of a change failed");
    error
}
