//! The installation: one row that says which master key the store belongs to.

use crate::change::{Change, Violation};
use crate::sql::{Insert, Sql};
use crate::value::{Type, Value};
use crate::{Db, Error, codec};
use perennial_domain::time::Time;

/// What the store knows of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// A fingerprint of the master key; another key's server must not start.
    pub key_fingerprint: Vec<u8>,
    /// The name our tokens are issued under unless a public URL is configured.
    pub issuer: String,
    /// When it was first started.
    pub created_at: Time,
}

pub(crate) static FIND: Sql = Sql::new("SELECT key_fingerprint, issuer, created_at FROM installation WHERE id = 1");

/// Rows are counted up to a bound, so that a start on a large store costs no more than one on a small store. SQLite would
/// walk the table itself, through every deleted row.
pub(crate) static HOLDINGS: Sql = Sql::split(
    "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM organizations WHERE deleted_at IS NULL LIMIT $1) AS counted),
            (SELECT COUNT(*) FROM (
                SELECT 1 FROM subscriptions INDEXED BY subscriptions_by_user WHERE deleted_at IS NULL LIMIT $1) AS counted)",
    "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM organizations WHERE deleted_at IS NULL LIMIT $1) AS counted),
            (SELECT COUNT(*) FROM (SELECT 1 FROM subscriptions WHERE deleted_at IS NULL LIMIT $1) AS counted)",
);

pub(crate) static INSERT: Insert = Insert::new(
    "installation",
    &[("id", Type::Int), ("key_fingerprint", Type::Bytes), ("issuer", Type::Text), ("created_at", Type::Time)],
    "ON CONFLICT DO NOTHING",
);

pub(crate) static MOVE_KEY: Sql =
    Sql::new("UPDATE installation SET key_fingerprint = $1 WHERE id = 1 AND key_fingerprint = $2");

/// The installation, once there has been a first run.
pub async fn find(db: &Db) -> Result<Option<Installation>, Error> {
    db.one(&FIND, &[], |row| {
        Ok(Installation {
            key_fingerprint: row.bytes(0)?,
            issuer: row.text(1)?,
            created_at: codec::read_time(row.time(2)?)?,
        })
    })
    .await
}

/// How many organizations and live subscriptions there are, of each at most so many.
pub async fn holdings(db: &Db, most: i64) -> Result<(i64, i64), Error> {
    let counted = db.one(&HOLDINGS, &[most.into()], |row| Ok((row.int(0)?, row.int(1)?))).await?;
    Ok(counted.unwrap_or_default())
}

/// Records that the store now belongs to another master key. Changes nothing if it no longer belongs to `from`.
pub fn move_key(change: Change, from: &[u8], to: &[u8]) -> Change {
    change.execute_any(&MOVE_KEY, vec![Value::bytes(to.to_vec()), Value::bytes(from.to_vec())])
}

/// The first run's mark; misses with [`Violation::Record`] if another server was first.
pub fn insert(change: Change, installation: &Installation) -> Change {
    let values = vec![
        1_i64.into(),
        Value::bytes(installation.key_fingerprint.clone()),
        installation.issuer.as_str().into(),
        codec::time(installation.created_at),
    ];
    change.insert(&INSERT, values, Violation::Record)
}
