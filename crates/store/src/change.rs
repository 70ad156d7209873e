//! A write as a value: all statements of one use case, committed together or not at all.
//!
//! A change has four phases, always in this order: the idempotency key, the guards, the rows, the events.
//! The engine may run many changes in one transaction; they do not affect each other.

use std::time::Duration;

use crate::error::{Error, Violation};
use crate::lock::Lock;
use crate::sql::{Insert, Sql};
use crate::table::Table;
use crate::update::Update;
use crate::value::Value;

/// An ordered set of statements, each with the number of rows it must affect.
#[derive(Debug, Default)]
pub struct Change {
    pub(crate) keys: Vec<Step>,
    pub(crate) guards: Vec<Guard>,
    pub(crate) rows: Vec<Step>,
    pub(crate) events: Vec<Step>,
    /// How long it may wait before it begins; by default as long as the queue allows.
    pub(crate) within: Option<Duration>,
    pub(crate) is_background: bool,
}

/// A SELECT that must return exactly one row, and the row it locks until the change is committed.
///
/// A change that relies on a row which others guard with `Exclusive` must guard it with `Share`: two changes that guard
/// the same `(table, key)`, one of them exclusively, never run at the same time.
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
    /// The violation to report if not exactly one row was affected; `None` if any number is allowed.
    pub(crate) violation: Option<Violation>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Statement {
    Insert(&'static Insert),
    /// The parameters are those of one row after the other.
    InsertMany(&'static Insert),
    Update(&'static Update),
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

    /// A condition that the decision relies on.
    #[must_use]
    pub fn guard(mut self, guard: Guard) -> Self {
        self.guards.push(guard);
        self
    }

    /// The lock for one more guard of a row: a shared one, or none if the change locks the row already. A second lock of
    /// the same row could wait for another server that does the same.
    pub(crate) fn additional_lock(&self, table: &'static Table, key: [u8; 16]) -> Lock {
        let is_locked = self.guards.iter().any(|guard| guard.table.order == table.order && guard.key == key);
        if is_locked { Lock::None } else { Lock::Share }
    }

    /// A new row; exactly one must be inserted.
    #[must_use]
    pub fn insert(mut self, insert: &'static Insert, params: Vec<Value>, violation: Violation) -> Self {
        self.rows.push(Step::insert(insert, params, violation));
        self
    }

    /// New rows of one table, each with the values of all columns; all of them must be inserted. On PostgreSQL they are
    /// one statement.
    #[must_use]
    pub fn insert_many(mut self, insert: &'static Insert, rows: Vec<Vec<Value>>, violation: Violation) -> Self {
        let params = rows.into_iter().flatten().collect();
        self.rows.push(Step { statement: Statement::InsertMany(insert), params, violation: Some(violation) });
        self
    }

    /// New values of a row, which must be there.
    #[must_use]
    pub(crate) fn update(mut self, update: &'static Update, params: Vec<Value>, violation: Violation) -> Self {
        self.rows.push(Step { statement: Statement::Update(update), params, violation: Some(violation) });
        self
    }

    /// A statement that must affect exactly one row.
    #[must_use]
    pub fn execute(mut self, sql: &'static Sql, params: Vec<Value>, violation: Violation) -> Self {
        self.rows.push(Step { statement: Statement::Execute(sql), params, violation: Some(violation) });
        self
    }

    /// A statement that may affect any number of rows.
    #[must_use]
    pub fn execute_any(mut self, sql: &'static Sql, params: Vec<Value>) -> Self {
        self.rows.push(Step { statement: Statement::Execute(sql), params, violation: None });
        self
    }

    /// The event that describes this change.
    #[must_use]
    pub fn event(mut self, insert: &'static Insert, params: Vec<Value>) -> Self {
        self.events.push(Step::insert(insert, params, Violation::Event));
        self
    }

    /// A change that must begin within this time. After that its decision is no longer valid, and the change is
    /// rejected with [`Error::Overloaded`].
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.within = Some(time);
        self
    }

    /// A change of background work: it waits in a separate queue, and few such changes share a transaction with those of
    /// requests.
    #[must_use]
    pub fn background(mut self) -> Self {
        self.is_background = true;
        self
    }

    /// This change and another one, committed together: the statements of the other one follow in each phase.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.keys.extend(other.keys);
        self.guards.extend(other.guards);
        self.rows.extend(other.rows);
        self.events.extend(other.events);
        self
    }

    /// Whether the change is empty.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.guards.is_empty() && self.rows.is_empty() && self.events.is_empty()
    }

    /// Rejects inserts and updates whose values do not match their columns, before a whole batch fails.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let steps = self.keys.iter().chain(&self.rows).chain(&self.events);
        for step in steps {
            let (table, is_valid) = match step.statement {
                Statement::Execute(_) => continue,
                Statement::Insert(insert) => (insert.table, insert.takes(&step.params)),
                Statement::InsertMany(insert) => {
                    let rows = step.params.chunks(insert.columns.len());
                    (insert.table, rows.into_iter().all(|row| insert.takes(row)))
                }
                Statement::Update(update) => (update.table, update.takes(&step.params)),
            };
            if !is_valid {
                return Err(Error::Internal(format!("the values do not match the columns of {table}")));
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
    fn values_must_match_their_columns() {
        let good = vec![Value::Uuid([1; 16]), Value::Null(Type::Int)];
        let short = vec![Value::Uuid([1; 16])];
        let swapped = vec![Value::Int(1), Value::Uuid([1; 16])];
        assert!(Change::new().event(&INSERT, good.clone()).check().is_ok());
        for params in [short, swapped] {
            assert!(Change::new().insert(&INSERT, params.clone(), Violation::Record).check().is_err());
            let rows = vec![good.clone(), params];
            assert!(Change::new().insert_many(&INSERT, rows, Violation::Record).check().is_err());
        }
        assert!(Change::new().insert_many(&INSERT, vec![good.clone(), good], Violation::Record).check().is_ok());
    }
}
