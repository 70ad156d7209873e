//! Applying migrations to SQLite: each in its own immediate transaction, so that processes queue up.

use rusqlite::{Connection, params};

use super::SqliteOptions;
use super::connection::{Purpose, open};
use super::fault::read_error;
use crate::error::Error;
use crate::migrate::{Applied, Migrated, Migration, SQLITE, known_version, next};

const TABLE: &str = "
CREATE TABLE IF NOT EXISTS schema_migrations (
    version INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    checksum BLOB NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT";

const APPLIED: &str = "SELECT version, name, checksum FROM schema_migrations ORDER BY version";

const RECORD: &str = "
INSERT INTO schema_migrations (version, name, checksum, applied_at)
VALUES (?1, ?2, ?3, CAST(unixepoch('subsec') * 1000000 AS INTEGER))";

pub(super) fn run(options: &SqliteOptions) -> Result<Migrated, Error> {
    let connection = open(options, Purpose::Write)?;
    let mut applied = Vec::new();
    while let Some(migration) = one(&connection)? {
        applied.push(migration.name.to_owned());
    }
    Ok(Migrated { applied, version: known_version() })
}

/// Applies the next migration, if there is one.
fn one(connection: &Connection) -> Result<Option<&'static Migration>, Error> {
    let sqlite = |error: rusqlite::Error| read_error(&error);
    connection.execute_batch("BEGIN IMMEDIATE").map_err(sqlite)?;
    let outcome = apply_next(connection);
    let end = match outcome {
        Ok(Some(_)) => "COMMIT",
        _ => "ROLLBACK",
    };
    // An error of SQLite may have rolled back already.
    if !connection.is_autocommit() {
        connection.execute_batch(end).map_err(sqlite)?;
    }
    outcome
}

fn apply_next(connection: &Connection) -> Result<Option<&'static Migration>, Error> {
    let sqlite = |error: rusqlite::Error| read_error(&error);
    connection.execute_batch(TABLE).map_err(sqlite)?;
    let Some(migration) = next(SQLITE, &applied(connection).map_err(sqlite)?)? else {
        return Ok(None);
    };
    connection
        .execute_batch(migration.text)
        .map_err(|error| Error::Migration(format!("migration {} failed: {error}", migration.name)))?;
    connection.execute(RECORD, params![migration.version, migration.name, migration.checksum()]).map_err(sqlite)?;
    Ok(Some(migration))
}

pub(super) fn applied(connection: &Connection) -> rusqlite::Result<Vec<Applied>> {
    connection
        .prepare(APPLIED)?
        .query_map((), |row| Ok(Applied { version: row.get(0)?, name: row.get(1)?, checksum: row.get(2)? }))?
        .collect()
}
