//! The installation: one row with the fingerprint of the master key that the store belongs to.

use crate::change::Change;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::time::Time;

/// One row: which master key the store belongs to.
pub static INSTALLATION: Table = Table::new(
    0,
    "installation",
    &[
        Column::key("id", Type::Int).unread(),
        Column::fixed("key_fingerprint", Type::Bytes),
        Column::fixed("issuer", Type::Text),
        Column::fixed("created_at", Type::Time),
    ],
);

/// The key of the only row.
const ID: i64 = 1;

/// The installation that the store belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// A fingerprint of the master key. A server with another key does not start.
    pub key_fingerprint: Vec<u8>,
    /// The issuer of access tokens unless a public URL is configured.
    pub issuer: String,
    /// The time of the first start.
    pub created_at: Time,
}

/// Rows are counted up to a bound, so that a start on a large store costs no more than one on a small store. SQLite
/// would walk the table itself, through every deleted row.
pub(crate) static HOLDINGS: Sql = Sql::split(
    "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM organizations WHERE deleted_at IS NULL LIMIT $1) AS counted),
            (SELECT COUNT(*) FROM (
                SELECT 1 FROM subscriptions INDEXED BY subscriptions_by_user WHERE deleted_at IS NULL LIMIT $1) AS counted)",
    "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM organizations WHERE deleted_at IS NULL LIMIT $1) AS counted),
            (SELECT COUNT(*) FROM (SELECT 1 FROM subscriptions WHERE deleted_at IS NULL LIMIT $1) AS counted)",
);

pub(crate) static MOVE_KEY: Sql =
    Sql::new("UPDATE installation SET key_fingerprint = $1 WHERE id = 1 AND key_fingerprint = $2");

impl Record for Installation {
    fn table() -> &'static Table {
        &INSTALLATION
    }

    fn write(&self, row: &mut RowWriter) {
        row.int("id", ID);
        row.bytes("key_fingerprint", &self.key_fingerprint);
        row.text("issuer", &self.issuer);
        row.time("created_at", self.created_at);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            key_fingerprint: row.bytes("key_fingerprint")?,
            issuer: row.text("issuer")?,
            created_at: row.time("created_at")?,
        })
    }
}

/// The installation, once there has been a first run.
pub async fn find(db: &Db) -> Result<Option<Installation>, Error> {
    db.one(&INSTALLATION.statements().by_key, &[ID.into()], record::read).await
}

/// The numbers of organizations and of live subscriptions, each counted up to `most`.
pub async fn holdings(db: &Db, most: i64) -> Result<(i64, i64), Error> {
    let counted = db.one(&HOLDINGS, &[most.into()], |row| Ok((row.int(0)?, row.int(1)?))).await?;
    Ok(counted.unwrap_or_default())
}

/// Records that the store now belongs to another master key. Changes nothing if it no longer belongs to `from`.
pub fn move_key(change: Change, from: &[u8], to: &[u8]) -> Change {
    change.execute_any(&MOVE_KEY, vec![Value::bytes(to.to_vec()), Value::bytes(from.to_vec())])
}

/// Records the first run; rejected with [`Violation::Record`] if another server was first.
pub fn insert(change: Change, installation: &Installation) -> Change {
    record::insert(change, installation, Violation::Record)
}
