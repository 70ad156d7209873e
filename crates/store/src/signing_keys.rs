//! The installation's signing keys in the store, each sealed under a key that is not there.

use crate::change::{Change, Violation};
use crate::sql::{Insert, Sql};
use crate::value::{Type, Value};
use crate::{Db, Error, codec};
use perennial_domain::time::Time;

/// A signing key as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its place: the next key has the next one, so that two servers cannot both make it.
    pub sequence: i64,
    /// Its name in tokens.
    pub kid: String,
    /// From when it signs.
    pub active_from: Time,
    /// The key itself, sealed.
    pub sealed: Vec<u8>,
}

pub(crate) static ALL: Sql = Sql::new(
    "SELECT sequence, kid, active_from, sealed
     FROM signing_keys
     ORDER BY sequence",
);

pub(crate) static INSERT: Insert = Insert::new(
    "signing_keys",
    &[
        ("sequence", Type::Int),
        ("kid", Type::Text),
        ("active_from", Type::Time),
        ("sealed", Type::Bytes),
        ("created_at", Type::Time),
    ],
    "ON CONFLICT DO NOTHING",
);

pub(crate) static REMOVE: Sql = Sql::new("DELETE FROM signing_keys WHERE sequence = $1");

pub(crate) static RESEAL: Sql = Sql::new("UPDATE signing_keys SET sealed = $1 WHERE sequence = $2 AND sealed = $3");

/// Every key, oldest first.
pub async fn all(db: &Db) -> Result<Vec<Row>, Error> {
    db.all(&ALL, &[], |row| {
        Ok(Row {
            sequence: row.int(0)?,
            kid: row.text(1)?,
            active_from: codec::read_time(row.time(2)?)?,
            sealed: row.bytes(3)?,
        })
    })
    .await
}

/// A new key; misses with [`Violation::Record`] if another server has made it.
pub fn insert(change: Change, key: &Row, now: Time) -> Change {
    let values = vec![
        key.sequence.into(),
        key.kid.as_str().into(),
        codec::time(key.active_from),
        Value::bytes(key.sealed.clone()),
        codec::time(now),
    ];
    change.insert(&INSERT, values, Violation::Record)
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
