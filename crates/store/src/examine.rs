//! What a look at a store tells its operator. Nothing here changes anything, and nothing here needs a schema.

use crate::migrate::{Applied, POSTGRES, SQLITE, known_version, next};
use crate::sql::Sql;
use crate::{Db, Error, kept};
use perennial_domain::time::Time;

pub use crate::postgres::examine::{Pooling, Server};

pub(crate) static APPLIED: Sql = Sql::new("SELECT version, name, checksum FROM schema_migrations ORDER BY version");

pub(crate) static NOW: Sql =
    Sql::split("SELECT CAST(unixepoch('subsec') * 1000000 AS INTEGER)", "SELECT clock_timestamp()");

/// The schema of a store, held against this program's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The version it has; 0 if it has none.
    pub found: i64,
    /// The version this program needs.
    pub known: i64,
    /// Why the migrations of both do not fit together, if they do not.
    pub fault: Option<Error>,
}

/// Looks at the schema.
pub async fn schema(db: &Db) -> Result<Schema, Error> {
    let read =
        db.all(&APPLIED, &[], |row| Ok(Applied { version: row.int(0)?, name: row.text(1)?, checksum: row.bytes(2)? }));
    let applied = match read.await {
        // The one way in which this statement can be wrong: nobody has made the table yet.
        Err(Error::Internal(_)) => Vec::new(),
        applied => applied?,
    };
    let known = if db.is_shared() { POSTGRES } else { SQLITE };
    Ok(Schema {
        found: applied.iter().map(|row| row.version).max().unwrap_or(0),
        known: known_version(),
        fault: next(known, &applied).err(),
    })
}

/// What time it is where the store is.
pub async fn now(db: &Db) -> Result<Time, Error> {
    let micros = db.one(&NOW, &[], |row| row.time(0)).await?;
    kept::read_time(micros.unwrap_or_default())
}
