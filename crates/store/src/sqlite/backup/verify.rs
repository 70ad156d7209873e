//! Verification of a backup without changing it: its integrity, its origin and its content.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use perennial_domain::time::Time;
use rusqlite::{Connection, ErrorCode, OptionalExtension};

use super::error::BackupError;
use crate::codec;
use crate::migrate::Migrations;
use crate::sqlite::connection::open_immutable;
use crate::sqlite::migrate::applied;

const TABLES: &str = "
SELECT name
FROM sqlite_schema
WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
ORDER BY name";

/// The properties of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Its size.
    pub bytes: u64,
    /// The version of its schema.
    pub schema_version: i64,
    /// The version this program has; a backup of an older one is migrated by the first server that opens it.
    pub known_version: i64,
    /// The rows of each table.
    pub rows: Vec<(String, i64)>,
    /// When the last event in it happened.
    pub last_event_at: Option<Time>,
    /// A fingerprint of the master key that a server needs for it; none before a first run.
    pub key_fingerprint: Option<Vec<u8>>,
}

/// Reads a backup completely; fails if it is damaged or this program cannot use it.
pub fn verify(file: &Path) -> Result<Report, BackupError> {
    let bytes = check_head(file)?;
    let unusable = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            BackupError::unusable(file, format!("it is damaged: {error}"))
        }
        _ => BackupError::unusable(file, format!("it cannot be read: {error}")),
    };
    let connection = open(file).map_err(unusable)?;
    let damage = damage(&connection).map_err(unusable)?;
    if !damage.is_empty() {
        return Err(BackupError::unusable(file, format!("it is damaged: {}", damage.join("; "))));
    }
    let not_ours = |_: rusqlite::Error| BackupError::unusable(file, "it is not a backup of Perennial");
    let migrations = applied(&connection).map_err(not_ours)?;
    Migrations::sqlite().next(&migrations).map_err(|error| BackupError::unusable(file, error.to_string()))?;
    let schema_version = migrations.iter().map(|row| row.version).max().unwrap_or(0);
    let fingerprint = "SELECT key_fingerprint FROM installation";
    let last = "SELECT MAX(at) FROM events";
    let last: Option<i64> = connection.query_row(last, (), |row| row.get(0)).map_err(unusable)?;
    let last_event_at = codec::read_optional_time(last)?;
    Ok(Report {
        bytes,
        schema_version,
        known_version: Migrations::sqlite().version(),
        rows: rows(&connection).map_err(unusable)?,
        last_event_at,
        key_fingerprint: connection.query_row(fingerprint, (), |row| row.get(0)).optional().map_err(unusable)?,
    })
}

/// Recognizes a backup by its first bytes. Returns its size.
pub(super) fn check_head(file: &Path) -> Result<u64, BackupError> {
    let mut head = [0; 20];
    let mut opened = File::open(file).map_err(BackupError::files(file))?;
    let bytes = opened.metadata().map_err(BackupError::files(file))?.len();
    match opened.read_exact(&mut head) {
        Ok(()) if head.starts_with(b"SQLite format 3\0") => {}
        _ => return Err(BackupError::unusable(file, "it is not a backup")),
    }
    // Bytes 18 and 19 show whether the file has a log: without the log, recent writes would be missing.
    if head[18..20] == [1, 1] {
        return Ok(bytes);
    }
    Err(BackupError::unusable(file, "it is the file of a store, not a backup; make one with `perennial backup create`"))
}

/// Opens a file read-only, with an untrusted schema.
fn open(file: &Path) -> rusqlite::Result<Connection> {
    let connection = open_immutable(file)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

/// The damage that SQLite finds; empty if there is none.
fn damage(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut found: Vec<String> =
        connection.prepare("PRAGMA integrity_check(5)")?.query_map((), |row| row.get(0))?.collect::<Result<_, _>>()?;
    found.retain(|line| line != "ok");
    let dangling = "SELECT 'a row of ' || \"table\" || ' refers to nothing' FROM pragma_foreign_key_check LIMIT 5";
    for line in connection.prepare(dangling)?.query_map((), |row| row.get(0))? {
        found.push(line?);
    }
    Ok(found.into_iter().map(|line| line.replace('\n', " ")).collect())
}

pub(super) fn rows(connection: &Connection) -> rusqlite::Result<Vec<(String, i64)>> {
    let tables: Vec<String> = connection.prepare(TABLES)?.query_map((), |row| row.get(0))?.collect::<Result<_, _>>()?;
    let count = |table: String| {
        let sql = format!("SELECT COUNT(*) FROM \"{}\"", table.replace('"', "\"\""));
        Ok((table, connection.query_row(&sql, (), |row| row.get(0))?))
    };
    tables.into_iter().map(count).collect()
}
