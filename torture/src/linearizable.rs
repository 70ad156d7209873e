//! Whether what clients saw of one record can have happened one operation at a time.
//!
//! After Wing and Gong, with Lowe's memory of places already visited: look for an order of the operations that keeps
//! each between its call and its response and in which every response is right. What makes thousands of operations cheap
//! are two rules of the histories: every write has unique numbers, so a client that saw a number saw that
//! write; and no client expects a value that it has not seen before. Independent of servers.

mod history;
mod problem;
mod search;
mod window;

#[cfg(test)]
mod every_order;
#[cfg(test)]
mod planted;

pub(crate) use history::{Action, NEVER, Operation, Outcome, Value};
pub(crate) use window::shortest;

use problem::Problem;

/// What the search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Linearizable,
    Violation,
    /// The search was given up before it came to an end; it proves nothing.
    Undecided,
}

/// Judges all operations on one record that began as `initial`.
pub(crate) fn check(initial: Value, history: &[Operation]) -> Verdict {
    match Problem::of(history) {
        Some(problem) => search::run(&problem, initial),
        None => Verdict::Undecided,
    }
}
