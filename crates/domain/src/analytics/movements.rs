//! Movements: how the revenue of a customer changes from the close of a day to the close of the next.

use super::Value;
use super::calendar::Day;
use super::contribution::CustomerKey;
pub use super::movement::{Before, Movement, MovementKind};
use super::sums::Sums;
use std::collections::BTreeMap;

/// What a change does to the movements of a customer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revision {
    /// Movements that are stored or replaced.
    pub put: Vec<Movement>,
    /// Days whose movement is removed.
    pub removed: Vec<Day>,
}

/// Applies changes of a customer's value. `known` are the movements from the day of the first change on, and `before` is the
/// customer before that day. Later movements can change too: `new` becomes `reactivation` if there is an earlier one.
pub fn revise(
    (currency, user_id): CustomerKey,
    before: Before,
    known: &[Movement],
    changes: &BTreeMap<Day, Value>,
    sums: &mut Sums,
) -> Revision {
    let mut amounts: BTreeMap<Day, Value> = known.iter().map(|movement| (movement.day, movement.amount)).collect();
    for (day, change) in changes {
        *amounts.entry(*day).or_default() += change;
    }
    let (mut value, mut cohort) = before.map_or((0, None), |(value, cohort)| (value, Some(cohort)));
    let mut after = BTreeMap::new();
    for (day, amount) in amounts.into_iter().filter(|(_, amount)| *amount != 0) {
        let kind = MovementKind::of(value, value + amount, cohort.is_some());
        value += amount;
        let cohort = *cohort.get_or_insert(day.month());
        after.insert(day, Movement { currency, user_id, day, kind, amount, after: value, cohort });
    }
    let mut revision = Revision::default();
    for old in known {
        match after.get(&old.day) {
            Some(new) if new == old => {
                after.remove(&old.day);
                continue;
            }
            Some(_) => {}
            None => revision.removed.push(old.day),
        }
        sums.add_movement(old, -1);
    }
    revision.put = after.into_values().collect();
    for movement in &revision.put {
        sums.add_movement(movement, 1);
    }
    revision
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::currency::Currency;
    use crate::id::UserId;
    use crate::time::Time;

    fn customer() -> CustomerKey {
        (Currency::USD, UserId::new(Time::MAX, 1))
    }

    fn kinds(movements: &[Movement]) -> Vec<(i64, &'static str, Value)> {
        movements.iter().map(|movement| (movement.day.number(), movement.kind.as_str(), movement.amount)).collect()
    }

    fn changes(changes: &[(i64, Value)]) -> BTreeMap<Day, Value> {
        changes.iter().map(|(day, change)| (Day::from_number(*day), *change)).collect()
    }

    #[test]
    fn each_change_has_its_kind() {
        let made = changes(&[(1, 5), (2, 3), (3, -1), (4, -7), (40, 9)]);
        let Revision { put, removed } = revise(customer(), None, &[], &made, &mut Sums::default());
        let expected =
            [(1, "new", 5), (2, "expansion", 3), (3, "contraction", -1), (4, "churned", -7), (40, "reactivation", 9)];
        assert_eq!((kinds(&put), removed), (expected.to_vec(), vec![]));
        assert!(put.iter().all(|movement| movement.cohort.to_string() == "1970-01"));
    }

    #[test]
    fn an_earlier_change_makes_a_reactivation_of_what_was_new() {
        let mut sums = Sums::default();
        let first = revise(customer(), None, &[], &changes(&[(40, 5)]), &mut sums);
        let second = revise(customer(), None, &first.put, &changes(&[(1, 5), (3, -5)]), &mut sums);
        assert_eq!(kinds(&second.put), [(1, "new", 5), (3, "churned", -5), (40, "reactivation", 5)]);
        assert_eq!(second.put[2].cohort.to_string(), "1970-01");
        sums.normalize();
        let months: Vec<_> = sums.cohorts.keys().map(|(_, cohort, month)| (cohort.number(), month.number())).collect();
        assert_eq!(months, [(0, 0), (0, 1)]);
    }

    #[test]
    fn what_is_undone_leaves_no_row() {
        let mut sums = Sums::default();
        let first = revise(customer(), None, &[], &changes(&[(1, 5), (2, 1)]), &mut sums);
        let second = revise(customer(), None, &first.put, &changes(&[(1, -5), (2, -1)]), &mut sums);
        assert_eq!((second.put, second.removed.len()), (vec![], 2));
        sums.normalize();
        assert_eq!(sums, Sums::default());
    }
}
