//! A batch as the statements that are sent to PostgreSQL: combined, sorted, deduplicated.

use std::collections::HashSet;

use super::schedule::{Group, Schedule};
use super::value::Argument;
use crate::change::{Change, Guard, Statement, Step};
use crate::error::Violation;
use crate::sql::Insert;
use crate::value::{Type, Value};

/// A statement to send, and the number of rows it must touch.
pub(super) struct Planned<'a> {
    pub(super) text: &'a str,
    pub(super) arguments: Vec<Argument<'a>>,
    pub(super) expected: Option<u64>,
    /// The violation to report if a single change is run and this statement fails.
    pub(super) violation: Violation,
}

/// All statements of a batch, each phase of all changes before the next.
pub(super) fn batch<'a>(changes: &[&'a Change]) -> Vec<Planned<'a>> {
    let mut keys: Vec<&Step> = changes.iter().flat_map(|change| &change.keys).collect();
    // Two servers that insert the same keys wait for each other; in one order they cannot deadlock.
    keys.sort_by(|left, right| left.params.cmp(&right.params));
    let mut schedules: [Schedule<'a>; 3] = Default::default();
    let [of_keys, of_rows, of_events] = &mut schedules;
    for key in keys {
        of_keys.add([key]);
    }
    for change in changes {
        of_rows.add(&change.rows);
        of_events.add(&change.events);
    }
    let [of_keys, of_rows, of_events] = schedules.map(planned);
    of_keys.chain(guards(changes)).chain(of_rows).chain(of_events).collect()
}

/// The guards of a batch, sorted by the row they lock, without duplicates, adjacent ones of a kind as one statement.
pub(super) fn guards<'a>(changes: &[&'a Change]) -> Vec<Planned<'a>> {
    let mut guards: Vec<&Guard> = changes.iter().flat_map(|change| &change.guards).collect();
    // Stable: guards of one row stay in the order of their change.
    guards.sort_by_key(|guard| (guard.table.order, guard.key));
    let mut seen: HashSet<(&str, &[Value])> = HashSet::with_capacity(guards.len());
    let wanted: Vec<&Guard> =
        guards.into_iter().filter(|guard| seen.insert((guard.sql.locking(guard.lock), &guard.params))).collect();
    wanted.chunk_by(|left, right| std::ptr::eq(left.sql, right.sql) && left.lock == right.lock).flat_map(held).collect()
}

/// Adjacent guards of one kind become one statement, which locks their rows in the same order.
fn held<'a>(guards: &[&'a Guard]) -> Vec<Planned<'a>> {
    let [first, _, ..] = guards else {
        return guards.iter().copied().map(guard_alone).collect();
    };
    let kinds: Vec<Type> = first.params.iter().map(Value::kind).collect();
    let Some(text) = first.sql.locking_many(first.lock, kinds.iter().copied()) else {
        return guards.iter().copied().map(guard_alone).collect();
    };
    let column =
        |(position, kind)| Argument::Column(kind, guards.iter().map(|guard| &guard.params[position]).collect());
    let arguments = kinds.into_iter().enumerate().map(column).collect();
    vec![Planned { text, arguments, expected: Some(guards.len() as u64), violation: first.violation }]
}

/// The statements of one change, in its own order.
pub(super) fn alone(change: &Change) -> Vec<Planned<'_>> {
    let keys = change.keys.iter().map(step_alone);
    let guards = change.guards.iter().map(guard_alone);
    let rest = change.rows.iter().chain(&change.events).map(step_alone);
    keys.chain(guards).chain(rest).collect()
}

/// The statements of a schedule.
fn planned(schedule: Schedule<'_>) -> impl Iterator<Item = Planned<'_>> {
    schedule.groups().into_iter().map(|Group { statement, steps, .. }| match (statement, steps.as_slice()) {
        (Statement::InsertMany(insert), steps) => inserted_many(insert, steps),
        (Statement::Insert(insert), [_, _, ..]) => {
            combined(insert.folded(), insert.columns.iter().map(|(_, kind)| *kind), &steps)
        }
        (Statement::Update(update), [_, _, ..]) => combined(&update.many, update.kinds.iter().copied(), &steps),
        (_, steps) => step_alone(steps[0]),
    })
}

/// The rows of all steps as one statement, in the order of their values: two servers that insert the same rows wait for
/// each other, and in one order they cannot deadlock.
fn inserted_many<'a>(insert: &'static Insert, steps: &[&'a Step]) -> Planned<'a> {
    let mut rows: Vec<&[Value]> = steps.iter().flat_map(|step| step.params.chunks(insert.columns.len())).collect();
    rows.sort_unstable();
    Planned {
        text: insert.folded(),
        arguments: insert
            .columns
            .iter()
            .enumerate()
            .map(|(column, (_, kind))| Argument::Column(*kind, rows.iter().map(|row| &row[column]).collect()))
            .collect(),
        expected: Some(rows.len() as u64),
        violation: steps[0].violation.unwrap_or(Violation::Record),
    }
}

fn combined<'a>(text: &'static str, kinds: impl Iterator<Item = Type>, steps: &[&'a Step]) -> Planned<'a> {
    let column = |(column, kind)| Argument::Column(kind, steps.iter().map(|step| &step.params[column]).collect());
    Planned {
        text,
        arguments: kinds.enumerate().map(column).collect(),
        expected: Some(steps.len() as u64),
        violation: steps[0].violation.unwrap_or(Violation::Record),
    }
}

fn step_alone(step: &Step) -> Planned<'_> {
    Planned {
        text: match step.statement {
            Statement::InsertMany(insert) => return inserted_many(insert, &[step]),
            Statement::Insert(insert) => insert.postgres(),
            Statement::Update(update) => update.one.postgres(),
            Statement::Execute(sql) => sql.postgres(),
        },
        arguments: step.params.iter().map(Argument::One).collect(),
        expected: step.violation.map(|_| 1),
        violation: step.violation.unwrap_or(Violation::Record),
    }
}

fn guard_alone(guard: &Guard) -> Planned<'_> {
    Planned {
        text: guard.sql.locking(guard.lock),
        arguments: guard.params.iter().map(Argument::One).collect(),
        expected: Some(1),
        violation: guard.violation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lock::Lock;
    use crate::sql::Sql;
    use crate::table::Table;
    use crate::tables::{PLANS, USERS};

    static ROW: Insert = Insert::new("t", &[("n", Type::Int)], "");
    static EVENT: Insert = Insert::new("e", &[("n", Type::Int)], "");
    static LIVE: Sql = Sql::new("SELECT 1 FROM p WHERE id = $1");
    static UPDATE: Sql = Sql::new("UPDATE t SET n = $1");

    fn guard(table: &'static Table, key: u8, lock: Lock) -> Guard {
        Guard {
            table,
            key: [key; 16],
            lock,
            sql: &LIVE,
            params: vec![Value::Uuid([key; 16])],
            violation: Violation::Plan,
        }
    }

    #[test]
    fn equal_inserts_are_folded_and_each_change_stays_in_order() {
        let insert = |change: Change, n| change.insert(&ROW, vec![Value::Int(n)], Violation::Record);
        let event = |change: Change, n| change.event(&EVENT, vec![Value::Int(n)]);
        let first = event(insert(Change::new(), 1), 1);
        let second = event(insert(Change::new(), 2), 2);
        let update = Change::new().execute(&UPDATE, vec![Value::Int(3)], Violation::Record);
        let third = insert(update, 3);
        let planned = batch(&[&first, &second, &third]);
        let shape: Vec<_> = planned.iter().map(|one| (one.text, one.expected)).collect();
        assert_eq!(
            shape,
            [
                (ROW.folded(), Some(2)),
                (UPDATE.postgres(), Some(1)),
                (ROW.postgres(), Some(1)),
                (EVENT.folded(), Some(2)),
            ]
        );
    }

    #[test]
    fn the_rows_of_several_changes_are_one_statement_in_their_order() {
        let many = |rows: &[i64]| {
            let rows = rows.iter().map(|n| vec![Value::Int(*n)]).collect();
            Change::new().insert_many(&ROW, rows, Violation::Record)
        };
        let (first, second) = (many(&[3, 1]), many(&[2]));
        let planned = batch(&[&first, &second]);
        assert_eq!((planned.len(), planned[0].text, planned[0].expected), (1, ROW.folded(), Some(3)));
        let Argument::Column(_, values) = &planned[0].arguments[0] else { panic!("a column") };
        assert_eq!(values, &[&Value::Int(1), &Value::Int(2), &Value::Int(3)]);
        assert_eq!(alone(&first)[0].expected, Some(2));
    }

    #[test]
    fn guards_are_sorted_by_table_and_key_and_deduplicated() {
        let first = Change::new().guard(guard(&PLANS, 9, Lock::Share)).guard(guard(&USERS, 5, Lock::Share));
        let second = Change::new().guard(guard(&PLANS, 2, Lock::Exclusive)).guard(guard(&PLANS, 9, Lock::Share));
        let planned = guards(&[&first, &second]);
        let keys: Vec<u8> = planned
            .iter()
            .map(|one| match one.arguments[0] {
                Argument::One(Value::Uuid(key)) => key[0],
                _ => 0,
            })
            .collect();
        assert_eq!(keys, [5, 2, 9]);
        assert!(planned[1].text.ends_with("FOR UPDATE"));
        assert!(planned[2].text.ends_with("FOR SHARE"));
    }
}
