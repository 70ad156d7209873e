//! The installation's signing keys in the store, each sealed under a key that the store does not have.

use std::sync::LazyLock;

use crate::change::Change;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::record::{self, Purpose, RowReader};
use crate::row;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::time::Time;

/// The signing keys, sealed.
pub static SIGNING_KEYS: Table = Table::new(
    4,
    "signing_keys",
    &[
        Column::key("sequence", Type::Int),
        Column::fixed("kid", Type::Text),
        Column::fixed("active_from", Type::Time),
        Column::fixed("sealed", Type::Bytes),
        Column::fixed("created_at", Type::Time).unread(),
    ],
);

/// A signing key as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number. The next key has the next number, so that two servers cannot both create it.
    pub sequence: i64,
    /// Its ID in tokens.
    pub kid: String,
    /// The time from which it signs.
    pub active_from: Time,
    /// The key itself, sealed.
    pub sealed: Vec<u8>,
}

pub(crate) static ALL: LazyLock<Sql> = LazyLock::new(|| SIGNING_KEYS.select("ORDER BY sequence"));

pub(crate) static REMOVE: Sql = Sql::new("DELETE FROM signing_keys WHERE sequence = $1");

pub(crate) static RESEAL: Sql = Sql::new("UPDATE signing_keys SET sealed = $1 WHERE sequence = $2 AND sealed = $3");

/// Every key, oldest first.
pub async fn all(db: &Db) -> Result<Vec<Row>, Error> {
    let read = |row: &row::Row<'_>| {
        let mut row = RowReader::new(row, &SIGNING_KEYS);
        Ok(Row {
            sequence: row.int("sequence")?,
            kid: row.text("kid")?,
            active_from: row.time("active_from")?,
            sealed: row.bytes("sealed")?,
        })
    };
    db.all(&ALL, &[], read).await
}

/// A new key; rejected with [`Violation::Record`] if another server has created it.
pub fn insert(change: Change, key: &Row, now: Time) -> Change {
    let values = record::values_of(&SIGNING_KEYS, Purpose::Insert, |row| {
        row.int("sequence", key.sequence);
        row.text("kid", &key.kid);
        row.time("active_from", key.active_from);
        row.bytes("sealed", &key.sealed);
        row.time("created_at", now);
    });
    change.insert(&SIGNING_KEYS.statements().insert, values, Violation::Record)
}

/// Replaces the seal of a key. Changes nothing if another server has replaced or removed it.
pub fn reseal(change: Change, key: &Row, sealed: Vec<u8>) -> Change {
    let values = vec![Value::bytes(sealed), key.sequence.into(), Value::bytes(key.sealed.clone())];
    change.execute_any(&RESEAL, values)
}

/// Removes a key whose last token has expired.
pub fn remove(change: Change, sequence: i64) -> Change {
    change.execute_any(&REMOVE, vec![sequence.into()])
}
