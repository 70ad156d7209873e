//! Which changes conflict and cannot share a batch.
//! If a batch runs all guards before all rows, a row of the batch must not invalidate a guard of the same batch.

use std::collections::{HashMap, HashSet};

use crate::change::{Change, Statement};
use crate::lock::Lock;
use crate::value::Value;

/// The rows and idempotency keys that the changes of a batch have claimed so far.
#[derive(Default)]
pub(crate) struct Claims {
    rows: HashMap<(u8, [u8; 16]), Lock>,
    keys: HashSet<(&'static str, Vec<Value>)>,
}

impl Claims {
    /// Admits the change if it conflicts with none before it.
    pub(crate) fn admit(&mut self, change: &Change) -> bool {
        let keys: Vec<_> = change.keys.iter().filter_map(identity).collect();
        let free = keys.iter().all(|key| !self.keys.contains(key))
            && change.guards.iter().all(|guard| {
                let held = self.rows.get(&(guard.table.order, guard.key));
                held.is_none_or(|held| *held.max(&guard.lock) < Lock::Exclusive)
            });
        if free {
            self.keys.extend(keys);
            for guard in &change.guards {
                let held = self.rows.entry((guard.table.order, guard.key)).or_insert(guard.lock);
                *held = guard.lock.max(*held);
            }
        }
        free
    }
}

/// The identity of an idempotency key: the table and the first three values.
fn identity(step: &crate::change::Step) -> Option<(&'static str, Vec<Value>)> {
    match step.statement {
        Statement::Insert(insert) => Some((insert.table, step.params.iter().take(3).cloned().collect())),
        Statement::InsertMany(_) | Statement::Update(_) | Statement::Execute(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Guard;
    use crate::error::Violation;
    use crate::sql::{Insert, Sql};
    use crate::tables::PLANS;
    use crate::value::Type;

    static LIVE: Sql = Sql::new("SELECT 1");
    static KEY: Insert = Insert::new("idempotency_keys", &[("key", Type::Text)], "");

    fn guarding(locks: &[(Lock, u8)]) -> Change {
        locks.iter().fold(Change::new(), |change, (lock, key)| {
            change.guard(Guard {
                table: &PLANS,
                key: [*key; 16],
                lock: *lock,
                sql: &LIVE,
                params: Vec::new(),
                violation: Violation::Plan,
            })
        })
    }

    #[test]
    fn shared_locks_are_compatible_and_exclusive_ones_are_not() {
        let mut claims = Claims::default();
        assert!(claims.admit(&guarding(&[(Lock::Share, 1)])));
        assert!(claims.admit(&guarding(&[(Lock::Share, 1), (Lock::None, 1)])));
        assert!(!claims.admit(&guarding(&[(Lock::Exclusive, 1)])));
        assert!(claims.admit(&guarding(&[(Lock::Exclusive, 2)])));
        assert!(!claims.admit(&guarding(&[(Lock::Share, 2)])));
        assert!(!claims.admit(&guarding(&[(Lock::None, 2)])));
    }

    #[test]
    fn a_change_may_lock_and_check_the_same_row() {
        let mut claims = Claims::default();
        assert!(claims.admit(&guarding(&[(Lock::Exclusive, 1), (Lock::None, 1)])));
        assert!(!claims.admit(&guarding(&[(Lock::None, 1)])));
    }

    #[test]
    fn a_rejected_change_claims_nothing() {
        let mut claims = Claims::default();
        assert!(claims.admit(&guarding(&[(Lock::Share, 1)])));
        assert!(!claims.admit(&guarding(&[(Lock::Exclusive, 3), (Lock::Exclusive, 1)])));
        assert!(claims.admit(&guarding(&[(Lock::Share, 3)])));
    }

    #[test]
    fn equal_keys_do_not_share_a_batch() {
        let mut claims = Claims::default();
        let keyed = |key: &str| Change::new().key(&KEY, vec![Value::from(key)], Violation::Key);
        assert!(claims.admit(&keyed("a")));
        assert!(claims.admit(&keyed("b")));
        assert!(!claims.admit(&keyed("a")));
    }
}
