//! The parts of a transaction: BEGIN, a pipeline of statements with their row counts, and COMMIT with its three
//! outcomes.

use std::pin::Pin;

use super::connection::{Connection, Pending, pipelined};
use super::database_error::{DatabaseError, at_commit, is_taken};
use super::plan::Planned;
use super::timeouts::Deadline;
use crate::error::{Error, Violation};
use crate::metrics::Counters;

/// A server-side timeout must not interrupt COMMIT: one that waits for a synchronous standby would be reported as done
/// without it. The client's deadline limits it. In a failed transaction the first statement is rejected, whereas COMMIT
/// alone would roll back and report success.
const COMMIT: &str = "SET LOCAL statement_timeout = 0; COMMIT";

/// Why a pipeline stopped early.
pub(super) enum Stop {
    Violated(Violation),
    Database(DatabaseError),
}

/// Prepares what the connection does not know yet, outside any transaction.
pub(super) async fn prepare(connection: &Connection, planned: &[Planned<'_>]) -> Result<(), DatabaseError> {
    for statement in planned {
        connection.prepare(statement.text, &statement.arguments).await.map_err(|error| DatabaseError::of(&error))?;
    }
    Ok(())
}

/// Opens a transaction and waits until it is open. This fails on a standby, which accepts no writes.
pub(super) async fn begin(connection: &Connection, text: &str) -> Result<(), DatabaseError> {
    control(connection, text).await.map_err(|failure| match failure {
        DatabaseError::Locked(text) | DatabaseError::Stale(text) | DatabaseError::Statement(text) => {
            DatabaseError::ReadOnly(text)
        }
        DatabaseError::Lost(_)
        | DatabaseError::ReadOnly(_)
        | DatabaseError::Timeout(_)
        | DatabaseError::Temporary(_)
        | DatabaseError::Retry(_) => failure,
    })
}

/// Sends all statements of an open transaction at once, after `opening` if there is one, then checks every row count.
/// The first failure in their order is reported. The server has run the statements after it too; they are rolled back.
pub(super) async fn run(
    connection: &Connection,
    counters: &Counters,
    opening: Option<&str>,
    planned: &[Planned<'_>],
) -> Result<(), Stop> {
    let mut pending: Vec<Pending<'_>> = Vec::with_capacity(planned.len() + 1);
    pending.extend(opening.map(|text| connection.control(text)));
    for statement in planned {
        pending.push(connection.execute(statement.text, &statement.arguments));
    }
    counters.statements(planned.len());
    let mut results = pipelined(pending).await.into_iter();
    if opening.is_some()
        && let Some(Err(error)) = results.next()
    {
        return Err(Stop::Database(DatabaseError::of(&error)));
    }
    for (statement, result) in planned.iter().zip(results) {
        let touched = match result {
            Ok(touched) => touched,
            // Another server inserted the same unique value between the check of this statement and its write.
            Err(error) if is_taken(&error) && statement.expected.is_some() => {
                return Err(Stop::Violated(statement.violation));
            }
            Err(error) => return Err(Stop::Database(DatabaseError::of(&error))),
        };
        if statement.expected.is_some_and(|expected| expected != touched) {
            return Err(Stop::Violated(statement.violation));
        }
    }
    Ok(())
}

pub(super) async fn control(connection: &Connection, text: &str) -> Result<(), DatabaseError> {
    connection.control(text).await.map(drop).map_err(|error| DatabaseError::of(&error))
}

/// How COMMIT can fail.
pub(super) enum CommitError {
    /// It was never sent.
    NotSent,
    /// It was sent; the error describes what is known.
    Sent(Error),
}

/// Commits. Once COMMIT is sent, no response means that the outcome is unknown.
pub(super) async fn commit(connection: &Connection, deadline: Option<Deadline>) -> Result<(), CommitError> {
    if connection.is_closed() {
        return Err(CommitError::NotSent);
    }
    let mut sent = connection.control(COMMIT);
    let result = match deadline {
        Some(deadline) => {
            deadline.within(Pin::new(&mut sent)).await.map_err(|_| CommitError::Sent(Error::OutcomeUnknown))?
        }
        None => sent.await,
    };
    result.map(drop).map_err(|error| CommitError::Sent(at_commit(&error)))
}
