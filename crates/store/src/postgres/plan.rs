//! A batch as the statements that are sent to PostgreSQL: folded, sorted, deduplicated.
//!
//! Within a phase the k-th steps of all changes run before their (k+1)-th. That preserves the order within each change
//! and still combines equal inserts.

use std::collections::HashSet;

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
    let mut planned = Vec::new();
    fold(&keys, &mut planned);
    planned.extend(guards(changes));
    ranks(changes, |change| &change.rows, &mut planned);
    ranks(changes, |change| &change.events, &mut planned);
    planned
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

fn ranks<'a>(changes: &[&'a Change], phase: impl Fn(&'a Change) -> &'a Vec<Step>, planned: &mut Vec<Planned<'a>>) {
    let longest = changes.iter().map(|change| phase(change).len()).max();
    for rank in 0..longest.unwrap_or(0) {
        let steps: Vec<&Step> = changes.iter().filter_map(|change| phase(change).get(rank)).collect();
        fold(&steps, planned);
    }
}

/// Equal inserts become one statement at the place of the first; all other steps stay as they are.
fn fold<'a>(steps: &[&'a Step], planned: &mut Vec<Planned<'a>>) {
    let (mut groups, mut many) = (Groups::new(), Groups::new());
    let mut order: Vec<Entry<'a>> = Vec::new();
    for step in steps {
        match step.statement {
            Statement::Execute(_) => order.push(Entry::Alone(step)),
            Statement::Insert(insert) => order.extend(join(&mut groups, insert, step).map(Entry::Folded)),
            Statement::InsertMany(insert) => order.extend(join(&mut many, insert, step).map(Entry::Many)),
        }
    }
    for entry in order {
        planned.push(match entry {
            Entry::Alone(step) => step_alone(step),
            Entry::Many(position) => inserted_many(many[position].0, &many[position].1),
            Entry::Folded(position) => {
                let (insert, steps) = &groups[position];
                match steps.as_slice() {
                    [step] => step_alone(step),
                    steps => folded(insert, steps),
                }
            }
        });
    }
}

/// The steps of equal inserts.
type Groups<'a> = Vec<(&'static Insert, Vec<&'a Step>)>;

/// A statement to plan, at the place of its first step.
enum Entry<'a> {
    Alone(&'a Step),
    Folded(usize),
    Many(usize),
}

/// Adds a step to the group of its insert. Returns the position of a new group.
fn join<'a>(groups: &mut Groups<'a>, insert: &'static Insert, step: &'a Step) -> Option<usize> {
    if let Some((_, steps)) = groups.iter_mut().find(|(other, _)| std::ptr::eq(*other, insert)) {
        steps.push(step);
        return None;
    }
    groups.push((insert, vec![step]));
    Some(groups.len() - 1)
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

fn folded<'a>(insert: &'static Insert, steps: &[&'a Step]) -> Planned<'a> {
    let columns = insert.columns.iter().enumerate();
    Planned {
        text: insert.folded(),
        arguments: columns
            .map(|(column, (_, kind))| {
                let values = steps.iter().map(|step| &step.params[column]).collect();
                Argument::Column(*kind, values)
            })
            .collect(),
        expected: Some(steps.len() as u64),
        violation: steps[0].violation.unwrap_or(Violation::Record),
    }
}

fn step_alone(step: &Step) -> Planned<'_> {
    Planned {
        text: match step.statement {
            Statement::InsertMany(insert) => return inserted_many(insert, &[step]),
            Statement::Insert(insert) => insert.postgres(),
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
