//! Inspection of a store for its operator. Nothing here changes the store or needs a schema.

use crate::codec;
use crate::db::Db;
use crate::error::Error;
use crate::migrate::{Applied, Found};
use crate::row::Row;
use crate::sql::Sql;
use perennial_domain::time::Time;

pub use crate::postgres::examine::{Pooling, Server};

pub(crate) static VERSION: Sql = Sql::new(
    "SELECT COALESCE(MAX(version), 0), COALESCE(MAX(COALESCE(oldest_program, version)), 0) FROM schema_migrations",
);

pub(crate) static APPLIED: Sql =
    Sql::new("SELECT version, name, checksum, oldest_program FROM schema_migrations ORDER BY version");

/// For a store that was last migrated before compatibility was recorded.
pub(crate) static APPLIED_BEFORE: Sql =
    Sql::new("SELECT version, name, checksum FROM schema_migrations ORDER BY version");

pub(crate) static NOW: Sql =
    Sql::split("SELECT CAST(unixepoch('subsec') * 1000000 AS INTEGER)", "SELECT clock_timestamp()");

/// The schema of a store, compared with this program's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The version it has; 0 if it has none.
    pub found: i64,
    /// The version this program needs. The version found may be newer and compatible.
    pub known: i64,
    /// Why the migrations of both do not match, if they do not.
    pub error: Option<Error>,
}

impl Db {
    /// Whether the database responds and has a schema that this program works with.
    pub async fn ping(&self) -> Result<(), Error> {
        let read = self.one(&VERSION, &[], |row| Ok(Found { version: row.int(0)?, oldest_program: row.int(1)? }));
        let found = match read.await {
            // The only possible cause: the table is missing, or was created by an older program.
            Err(Error::Internal(_)) => Found { version: schema(self).await?.found, oldest_program: 0 },
            found => found?.unwrap_or_default(),
        };
        let known = self.migrations();
        if found.version < known.version() {
            return Err(Error::Migration(format!(
                "the database has schema version {} and needs {}; run `perennial migrate`",
                found.version,
                known.version()
            )));
        }
        known.check(found)
    }
}

/// Inspects the schema.
pub async fn schema(db: &Db) -> Result<Schema, Error> {
    let applied = match read(db, &APPLIED, |row| row.optional_int(3)).await {
        Err(Error::Internal(_)) => match read(db, &APPLIED_BEFORE, |_| Ok(None)).await {
            // The only possible cause: the table does not exist yet.
            Err(Error::Internal(_)) => Vec::new(),
            applied => applied?,
        },
        applied => applied?,
    };
    let known = db.migrations();
    Ok(Schema {
        found: applied.iter().map(|row| row.version).max().unwrap_or(0),
        known: known.version(),
        error: known.next(&applied).err(),
    })
}

async fn read(
    db: &Db,
    sql: &Sql,
    oldest_program: fn(&Row<'_>) -> Result<Option<i64>, Error>,
) -> Result<Vec<Applied>, Error> {
    db.all(sql, &[], |row| {
        Ok(Applied {
            version: row.int(0)?,
            name: row.text(1)?,
            checksum: row.bytes(2)?,
            oldest_program: oldest_program(row)?,
        })
    })
    .await
}

/// The clock of the database.
pub async fn now(db: &Db) -> Result<Time, Error> {
    let micros = db.one(&NOW, &[], |row| row.time(0)).await?;
    codec::read_time(micros.unwrap_or_default())
}
