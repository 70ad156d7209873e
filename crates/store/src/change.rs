//! A write as a value: what one use case wants to happen, all or nothing.
//!
//! A change has four phases, always in this order: the idempotency key, the guards, the rows, the events.
//! The engine may run many changes in one transaction; a change never sees that.

use std::time::Duration;

use crate::error::{Error, Violation};
use crate::lock::Lock;
use crate::sql::{Insert, Sql};
use crate::table::Table;
use crate::value::Value;

/// An ordered set of statements, each with the number of rows it must touch.
#[derive(Debug, Default)]
pub struct Change {
    pub(crate) keys: Vec<Step>,
    pub(crate) guards: Vec<Guard>,
    pub(crate) rows: Vec<Step>,
    pub(crate) events: Vec<Step>,
    /// How long it may wait before it begins; as long as the queue lets it if nothing is said.
    pub(crate) within: Option<Duration>,
}

/// A SELECT that must return exactly one row, and the row it locks until the change is committed.
///
/// Whatever an `Exclusive` guard is about to change, others must guard too, with `Share`: two changes that guard the
/// same `(table, key)`, one of them exclusively, never run together.
///
/// A condition on **other** rows than the locked one ("nothing refers to the plan") belongs into a second guard of the
/// same `(table, key)` with [`Lock::None`], or into a row statement: PostgreSQL evaluates the rest of a locking SELECT
/// with the snapshot from before it waited for the lock.
#[derive(Debug)]
pub struct Guard {
    /// The table of the locked row; its place in the list of tables orders the locks.
    pub table: &'static Table,
    pub key: [u8; 16],
    pub lock: Lock,
    pub sql: &'static Sql,
    pub params: Vec<Value>,
    pub violation: Violation,
}

#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) statement: Statement,
    pub(crate) params: Vec<Value>,
    /// The reason given when not exactly one row was touched; `None` when any number will do.
    pub(crate) violation: Option<Violation>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Statement {
    Insert(&'static Insert),
    Execute(&'static Sql),
}

impl Change {
    /// An empty change.
    pub fn new() -> Self {
        Self::default()
    }

    /// The idempotency key: its first three values (organization, client, key) identify it.
    #[must_use]
    pub fn key(mut self, insert: &'static Insert, params: Vec<Value>, violation: Violation) -> Self {
        self.keys.push(Step::insert(insert, params, violation));
        self
    }

    /// Something the decision relied on.
    #[must_use]
    pub fn guard(mut self, guard: Guard) -> Self {
        self.guards.push(guard);
        self
    }

    /// A new row; exactly one must come into being.
    #[must_use]
    pub fn insert(mut self, insert: &'static Insert, params: Vec<Value>, violation: Violation) -> Self {
        self.rows.push(Step::insert(insert, params, violation));
        self
    }

    /// A statement that must touch exactly one row.
    #[must_use]
    pub fn execute(mut self, sql: &'static Sql, params: Vec<Value>, violation: Violation) -> Self {
        self.rows.push(Step { statement: Statement::Execute(sql), params, violation: Some(violation) });
        self
    }

    /// A statement that may touch any number of rows.
    #[must_use]
    pub fn execute_any(mut self, sql: &'static Sql, params: Vec<Value>) -> Self {
        self.rows.push(Step { statement: Statement::Execute(sql), params, violation: None });
        self
    }

    /// The event that tells of this change.
    #[must_use]
    pub fn event(mut self, insert: &'static Insert, params: Vec<Value>) -> Self {
        self.events.push(Step::insert(insert, params, Violation::Event));
        self
    }

    /// A change that must begin within this time. After it the decision behind the change no longer holds, and the
    /// change is refused with [`Error::Overloaded`].
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.within = Some(time);
        self
    }

    /// Whether nothing would be done.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.guards.is_empty() && self.rows.is_empty() && self.events.is_empty()
    }

    /// Refuses inserts whose values do not fit their columns, before a whole batch stumbles over them.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let steps = self.keys.iter().chain(&self.rows).chain(&self.events);
        for step in steps {
            let Statement::Insert(insert) = step.statement else {
                continue;
            };
            let columns = insert.columns.iter().map(|(_, kind)| *kind);
            if !columns.eq(step.params.iter().map(Value::kind)) {
                return Err(Error::Internal(format!(
                    "the values do not fit the columns of the insert into {}",
                    insert.table
                )));
            }
        }
        Ok(())
    }
}

impl Step {
    fn insert(insert: &'static Insert, params: Vec<Value>, violation: Violation) -> Self {
        Self { statement: Statement::Insert(insert), params, violation: Some(violation) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Type;

    static INSERT: Insert = Insert::new("t", &[("id", Type::Uuid), ("n", Type::Int)], "");

    #[test]
    fn values_must_fit_their_columns() {
        let good = vec![Value::Uuid([1; 16]), Value::Null(Type::Int)];
        let short = vec![Value::Uuid([1; 16])];
        let swapped = vec![Value::Int(1), Value::Uuid([1; 16])];
        assert!(Change::new().event(&INSERT, good).check().is_ok());
        for params in [short, swapped] {
            assert!(Change::new().insert(&INSERT, params, Violation::Record).check().is_err());
        }
    }
}
