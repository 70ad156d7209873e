//! The removal of a generation of a ledger, in bounded parts.

use crate::analytics_ledgers::{Ledger, key};
use crate::change::Change;
use crate::db::Db;
use crate::error::Error;
use crate::sql::Sql;
use crate::{analytics_movements, analytics_subscriptions, analytics_sums};

/// Removes some rows of a generation, of each table.
pub fn remove_rows(change: Change, ledger: &Ledger, limit: i64) -> Change {
    let removals: [&'static Sql; 6] = [
        &analytics_subscriptions::REMOVE,
        &analytics_subscriptions::REMOVE_PRICES,
        &analytics_movements::REMOVE,
        &analytics_sums::REMOVE,
        &analytics_sums::REMOVE_COHORTS,
        &analytics_sums::REMOVE_PAYMENTS,
    ];
    removals.into_iter().fold(change, |change, sql| {
        let mut params = key(ledger);
        params.push(limit.into());
        change.execute_any(sql, params)
    })
}

/// Whether a generation has rows.
pub async fn has_rows(db: &Db, ledger: &Ledger) -> Result<bool, Error> {
    let tables: [&Sql; 6] = [
        &analytics_subscriptions::ANY,
        &analytics_subscriptions::ANY_PRICES,
        &analytics_movements::ANY,
        &analytics_sums::ANY,
        &analytics_sums::ANY_COHORTS,
        &analytics_sums::ANY_PAYMENTS,
    ];
    for sql in tables {
        if db.one(sql, &key(ledger), |_| Ok(())).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
