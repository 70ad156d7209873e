//! The order in which the steps of many changes are sent, with equal ones combined.
//!
//! Changes do not affect each other. Within a change, steps on different tables do not either: a step may be sent earlier than
//! one before it, together with an equal step, unless both are on the same table. A statement whose tables are unknown keeps
//! its place: what is before it in its change stays before it, what is after it stays after it.

use std::collections::{HashMap, HashSet};

use crate::change::{Statement, Step};
use crate::value::Value;

/// Steps that are sent as one statement.
pub(super) struct Group<'a> {
    pub(super) statement: Statement,
    pub(super) steps: Vec<&'a Step>,
    /// The rows that are replaced or updated: a statement can write a row once.
    rows: HashSet<&'a [Value]>,
}

/// The statements of a phase.
#[derive(Default)]
pub(super) struct Schedule<'a> {
    groups: Vec<Group<'a>>,
    /// The last group of each statement.
    latest: HashMap<Identity, usize>,
}

/// The address of a structured statement, and how it is used.
type Identity = (u8, usize);

impl<'a> Schedule<'a> {
    /// Adds the steps of a change.
    pub(super) fn add(&mut self, steps: impl IntoIterator<Item = &'a Step>) {
        let mut first = 0;
        let mut tables: Vec<(&'static str, usize)> = Vec::new();
        for step in steps {
            let Some((table, identity)) = combined(step.statement) else {
                self.groups.push(Group::of(step));
                first = self.groups.len();
                continue;
            };
            let known = tables.iter().position(|(name, _)| *name == table);
            let earliest = known.map_or(first, |known| tables[known].1.max(first));
            let place = self.latest.get(&identity).copied().filter(|place| *place >= earliest);
            let place = place.filter(|place| self.groups[*place].join(step)).unwrap_or_else(|| {
                self.groups.push(Group::of(step));
                self.latest.insert(identity, self.groups.len() - 1);
                self.groups.len() - 1
            });
            match known {
                Some(known) => tables[known].1 = place,
                None => tables.push((table, place)),
            }
        }
    }

    /// The statements in their order.
    pub(super) fn groups(self) -> Vec<Group<'a>> {
        self.groups
    }
}

impl<'a> Group<'a> {
    fn of(step: &'a Step) -> Self {
        Self { statement: step.statement, steps: vec![step], rows: row(step).into_iter().collect() }
    }

    /// Adds a step, if the statement can do both.
    fn join(&mut self, step: &'a Step) -> bool {
        let is_possible =
            self.steps[0].violation == step.violation && row(step).is_none_or(|row| self.rows.insert(row));
        if is_possible {
            self.steps.push(step);
        }
        is_possible
    }
}

/// The table of a statement that can be combined with equal ones, and its identity.
fn combined(statement: Statement) -> Option<(&'static str, Identity)> {
    match statement {
        Statement::Insert(insert) => Some((insert.table, (0, std::ptr::from_ref(insert).addr()))),
        Statement::InsertMany(insert) => Some((insert.table, (1, std::ptr::from_ref(insert).addr()))),
        Statement::Update(update) => Some((update.table, (2, std::ptr::from_ref(update).addr()))),
        Statement::Execute(_) => None,
    }
}

/// The row that a step replaces or updates.
fn row(step: &Step) -> Option<&[Value]> {
    match step.statement {
        Statement::Insert(insert) => insert.replaced(&step.params),
        Statement::Update(update) => Some(update.key(&step.params)),
        Statement::InsertMany(_) | Statement::Execute(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Change;
    use crate::error::Violation;
    use crate::sql::{Insert, Sql};
    use crate::update::Update;
    use crate::value::Type;
    use std::sync::LazyLock;

    static ROW: Insert = Insert::new("t", &[("n", Type::Int)], "");
    static OTHER: Insert = Insert::new("o", &[("n", Type::Int)], "");
    static ANY: Sql = Sql::new("DELETE FROM t");
    static UPDATE: LazyLock<Update> =
        LazyLock::new(|| Update::new("t", ("m = $2", "n = $1"), vec![Type::Int, Type::Int], 1));

    fn insert(change: Change, insert: &'static Insert, n: i64) -> Change {
        change.insert(insert, vec![n.into()], Violation::Record)
    }

    fn update(change: Change, n: i64, m: i64) -> Change {
        change.update(&UPDATE, vec![n.into(), m.into()], Violation::Record)
    }

    /// The statements in their order: a letter for each, and the first value of each of their steps.
    fn sent(changes: &[Change]) -> Vec<(char, Vec<i64>)> {
        let mut schedule = Schedule::default();
        for change in changes {
            schedule.add(&change.rows);
        }
        let letter = |statement| match statement {
            Statement::Insert(insert) if insert.table == "o" => 'o',
            Statement::Insert(_) | Statement::InsertMany(_) => 'i',
            Statement::Update(_) => 'u',
            Statement::Execute(_) => 'x',
        };
        let value = |step: &&Step| if let Some(Value::Int(n)) = step.params.first() { *n } else { 0 };
        let groups = schedule.groups().into_iter();
        groups.map(|group| (letter(group.statement), group.steps.iter().map(value).collect())).collect()
    }

    #[test]
    fn equal_steps_of_one_change_are_one_statement() {
        let change = [1, 2].into_iter().fold(Change::new(), |change, n| insert(insert(change, &ROW, n), &OTHER, n));
        assert_eq!(sent(&[change]), [('i', vec![1, 2]), ('o', vec![1, 2])]);
    }

    #[test]
    fn steps_on_one_table_stay_in_their_order() {
        let change = update(insert(update(Change::new(), 1, 0), &ROW, 2), 3, 0);
        let next = insert(Change::new(), &ROW, 4);
        assert_eq!(sent(&[change, next]), [('u', vec![1]), ('i', vec![2, 4]), ('u', vec![3])]);
    }

    #[test]
    fn a_row_is_written_once_by_a_statement() {
        let change = update(update(update(Change::new(), 1, 0), 2, 0), 1, 9);
        assert_eq!(sent(&[change]), [('u', vec![1, 2]), ('u', vec![1])]);
    }

    #[test]
    fn a_row_is_replaced_once_by_a_statement() {
        let replacing = &crate::analytics_sums::ANALYTICS_PAYMENTS.statements().insert;
        let inserted = |steps: &[u8]| {
            let mut schedule = Schedule::default();
            let change = steps.iter().fold(Change::new(), |change, key| {
                let key = [Value::Uuid([0; 16]), Value::Int(1), Value::Uuid([*key; 16])];
                let others = replacing.columns.iter().skip(3).map(|(_, kind)| Value::Null(*kind));
                change.insert(replacing, key.into_iter().chain(others).collect(), Violation::Record)
            });
            schedule.add(&change.rows);
            schedule.groups().len()
        };
        assert_eq!((inserted(&[1, 2, 3]), inserted(&[1, 2, 1])), (1, 2));
    }

    #[test]
    fn a_statement_whose_tables_are_unknown_keeps_its_place() {
        let change = insert(insert(Change::new(), &OTHER, 1).execute_any(&ANY, Vec::new()), &OTHER, 2);
        let next = insert(Change::new(), &OTHER, 3);
        assert_eq!(sent(&[change, next]), [('o', vec![1]), ('x', vec![0]), ('o', vec![2, 3])]);
    }

    #[test]
    fn steps_with_different_violations_are_separate() {
        let change = insert(Change::new(), &ROW, 1).insert(&ROW, vec![2.into()], Violation::Cycle);
        assert_eq!(sent(&[change]), [('i', vec![1]), ('i', vec![2])]);
    }
}
