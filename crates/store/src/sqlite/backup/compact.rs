//! Compaction: SQLite reuses the space of removed rows but does not release it, so the store is rewritten without it.
//!
//! The change is one rename: before it the store is as it was, and after it the new file is complete and durable.

use std::fs::OpenOptions;
use std::path::Path;

use rusqlite::{Connection, ErrorCode};

use super::draft::{Draft, exclusive, fold_log, sync_directory};
use super::error::BackupError;
use super::verify::{rows, verify};
use crate::error::Error;
use crate::sqlite::connection::{self, Purpose};
use crate::sqlite::database_error::read_error;
use crate::sqlite::files::lock_directory;
use crate::sqlite::options::SqliteOptions;

/// The size of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The whole file.
    pub bytes: u64,
    /// The part that contains rows: the most space that a compaction needs next to the file.
    pub used_bytes: u64,
}

/// What a compaction did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// The size before, without the log.
    pub bytes_before: u64,
    /// The size after.
    pub bytes_after: u64,
}

/// The size of the store and the part in use.
pub fn sizes(store: &Path) -> Result<Sizes, BackupError> {
    let options = SqliteOptions { read_only: true, exclusive: false, ..SqliteOptions::new(store) };
    let connection = connection::open(&options, Purpose::Read)?;
    measure(&connection).map_err(store_error)
}

/// Rewrites the store without its free space. No server and no other command may use the store.
pub fn compact(store: &Path) -> Result<Compacted, BackupError> {
    let _held = lock_directory(store)?;
    fold_log(store).map_err(|error| in_use(store, &error))?;
    // Opened before SQLite's handle and closed after it: closing any handle of a file drops the process's locks on it.
    let old = OpenOptions::new().write(true).open(store).map_err(BackupError::files(store))?;
    let connection = exclusive(store).map_err(store_error)?;
    // In exclusive mode the lock stays until the connection is closed: nothing is written that would be lost.
    connection.execute_batch("BEGIN EXCLUSIVE; COMMIT").map_err(|error| in_use(store, &error))?;
    let before = measure(&connection).map_err(store_error)?;
    let draft = Draft::begin(store)?;
    rewrite(&connection, &draft.path)?;
    let report = verify(&draft.path)?;
    if report.rows != rows(&connection).map_err(store_error)? {
        return Err(Error::Internal("the compacted file does not have the rows of the store".to_owned()).into());
    }
    let bytes_after = draft.finish(store)?;
    sync_directory(store)?;
    // A command that has waited for the lock has the old file open, which has no name any more. In an emptied file the
    // command fails; otherwise it would write to the file, and the writes would be lost.
    old.set_len(0).map_err(BackupError::files(store))?;
    drop(connection);
    drop(old);
    Ok(Compacted { bytes_before: before.bytes, bytes_after })
}

fn rewrite(connection: &Connection, draft: &Path) -> Result<(), BackupError> {
    let Some(name) = draft.to_str() else {
        return Err(BackupError::unusable(draft, "the name of the data directory is not UTF-8"));
    };
    connection.execute("VACUUM INTO ?1", [name]).map(drop).map_err(store_error)
}

fn measure(connection: &Connection) -> rusqlite::Result<Sizes> {
    let number =
        |pragma: &str| connection.query_row(&format!("PRAGMA {pragma}"), (), |row| row.get::<_, u32>(0)).map(u64::from);
    let (pages, free, size) = (number("page_count")?, number("freelist_count")?, number("page_size")?);
    Ok(Sizes { bytes: pages * size, used_bytes: pages.saturating_sub(free) * size })
}

fn in_use(store: &Path, error: &rusqlite::Error) -> BackupError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => BackupError::InUse(store.to_owned()),
        _ => BackupError::Store(read_error(error)),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn store_error(error: rusqlite::Error) -> BackupError {
    BackupError::Store(read_error(&error))
}
