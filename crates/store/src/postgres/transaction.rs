//! The pieces of a transaction: a pipeline of statements with their counts, and COMMIT with its three outcomes.

use super::connection::{Connection, Pending, pipelined};
use super::fault::{Fault, at_commit, is_taken};
use super::plan::Planned;
use crate::change::Miss;
use crate::error::Error;
use crate::metrics::Counters;

/// Guards look again after they waited for a lock, which only this level allows, whatever the database's default.
pub(super) const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/// How a pipeline stopped short.
pub(super) enum Stop {
    Missed(Miss),
    Fault(Fault),
}

/// Prepares what the connection does not know yet, outside any transaction.
pub(super) async fn prepare(connection: &Connection, planned: &[Planned<'_>]) -> Result<(), Fault> {
    for statement in planned {
        connection.prepare(statement.text, &statement.arguments).await.map_err(|error| Fault::of(&error))?;
    }
    Ok(())
}

/// Sends an opening text and all statements at once, then compares every count. The first problem in order counts:
/// what came after it was run by a server that did not know yet, and is rolled back.
pub(super) async fn run(
    connection: &Connection,
    counters: &Counters,
    opening: &str,
    planned: &[Planned<'_>],
) -> Result<(), Stop> {
    let mut pending: Vec<Pending<'_>> = Vec::with_capacity(planned.len() + 1);
    pending.push(connection.control(opening));
    for statement in planned {
        pending.push(connection.execute(statement.text, &statement.arguments));
    }
    counters.statements(planned.len());
    let mut answers = pipelined(pending).await.into_iter();
    if let Some(Err(error)) = answers.next() {
        return Err(Stop::Fault(Fault::of(&error)));
    }
    for (statement, answer) in planned.iter().zip(answers) {
        let touched = match answer {
            Ok(touched) => touched,
            // Another server took the name between the statement's own check and its write.
            Err(error) if is_taken(&error) && statement.expected.is_some() => return Err(Stop::Missed(statement.miss)),
            Err(error) => return Err(Stop::Fault(Fault::of(&error))),
        };
        if statement.expected.is_some_and(|expected| expected != touched) {
            return Err(Stop::Missed(statement.miss));
        }
    }
    Ok(())
}

pub(super) async fn control(connection: &Connection, text: &str) -> Result<(), Fault> {
    connection.control(text).await.map(drop).map_err(|error| Fault::of(&error))
}

/// How COMMIT can fail.
pub(super) enum CommitFault {
    /// It was never sent.
    NotSent,
    /// It was sent; the error says what is known.
    Sent(Error),
}

pub(super) async fn commit(connection: &Connection) -> Result<(), CommitFault> {
    if connection.is_closed() {
        return Err(CommitFault::NotSent);
    }
    match connection.control("COMMIT").await {
        Ok(_) => Ok(()),
        Err(error) => Err(CommitFault::Sent(at_commit(&error))),
    }
}
