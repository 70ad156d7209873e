//! Applies migrations to SQLite, each in its own immediate transaction, so that processes wait for each other.

use rusqlite::{Connection, params};

use super::connection::{Purpose, open};
use super::database_error::read_error;
use super::options::SqliteOptions;
use crate::error::Error;
use crate::migrate::{Applied, Migrated, Migration, Migrations};

const TABLE: &str = "
CREATE TABLE IF NOT EXISTS schema_migrations (
    version INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    checksum BLOB NOT NULL,
    applied_at INTEGER NOT NULL,
    oldest_program INTEGER
) STRICT";

/// Whether the table has the column, which older programs did not create.
const HAS_COLUMN: &str = "SELECT COUNT(*) FROM pragma_table_info('schema_migrations') WHERE name = 'oldest_program'";

const ADD_COLUMN: &str = "ALTER TABLE schema_migrations ADD COLUMN oldest_program INTEGER";

const APPLIED: &str = "SELECT version, name, checksum, oldest_program FROM schema_migrations ORDER BY version";

const APPLIED_BEFORE: &str = "SELECT version, name, checksum, NULL FROM schema_migrations ORDER BY version";

const RECORD: &str = "
INSERT INTO schema_migrations (version, name, checksum, applied_at, oldest_program)
VALUES (?1, ?2, ?3, CAST(unixepoch('subsec') * 1000000 AS INTEGER), ?4)";

pub(super) fn run(options: &SqliteOptions) -> Result<Migrated, Error> {
    let connection = open(options, Purpose::Write)?;
    let mut names = Vec::new();
    while let Some(migration) = alone(&connection, || apply_next(&connection, options.migrations))? {
        names.push(migration.name.to_owned());
    }
    let applied = applied(&connection).map_err(|error| read_error(&error))?;
    let version = applied.iter().map(|row| row.version).max().unwrap_or(0);
    Ok(Migrated { applied: names, version })
}

/// One step, as the only process that writes.
fn alone<T>(connection: &Connection, step: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let sqlite = |error: rusqlite::Error| read_error(&error);
    connection.execute_batch("BEGIN IMMEDIATE").map_err(sqlite)?;
    let outcome = step();
    let end = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
    // An error of SQLite may have rolled back already.
    if !connection.is_autocommit() {
        connection.execute_batch(end).map_err(sqlite)?;
    }
    outcome
}

fn make_table(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLE)?;
    if has_column(connection)? { Ok(()) } else { connection.execute_batch(ADD_COLUMN) }
}

/// Applies the next migration, if there is one.
fn apply_next(connection: &Connection, known: Migrations) -> Result<Option<&'static Migration>, Error> {
    let sqlite = |error: rusqlite::Error| read_error(&error);
    make_table(connection).map_err(sqlite)?;
    let Some(migration) = known.next(&applied(connection).map_err(sqlite)?)? else {
        return Ok(None);
    };
    let run = |text: &str| {
        let failed = |error| Error::Migration(format!("migration {} failed: {error}", migration.name));
        connection.execute_batch(text).map_err(failed)
    };
    run(migration.text)?;
    for index in migration.indexes {
        run(&format!("CREATE INDEX {} ON {}", index.name, index.on))?;
    }
    let values = params![migration.version, migration.name, migration.checksum(), migration.oldest_program];
    connection.execute(RECORD, values).map_err(sqlite)?;
    Ok(Some(migration))
}

pub(super) fn applied(connection: &Connection) -> rusqlite::Result<Vec<Applied>> {
    connection
        .prepare(if has_column(connection)? { APPLIED } else { APPLIED_BEFORE })?
        .query_map((), |row| {
            Ok(Applied { version: row.get(0)?, name: row.get(1)?, checksum: row.get(2)?, oldest_program: row.get(3)? })
        })?
        .collect()
}

fn has_column(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row(HAS_COLUMN, (), |row| row.get::<_, i64>(0)).map(|count| count > 0)
}
