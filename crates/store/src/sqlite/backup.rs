//! Backups of a SQLite store: a consistent copy of the file, taken while a server writes.
//!
//! The file is copied page by page inside one read transaction. Readers of the write-ahead log never block the writer.
//! Without the transaction a backup starts over whenever another process commits, and never ends under constant writes.
//! `VACUUM INTO` is consistent too, but rebuilds every index and reports no progress.

use std::path::Path;

use rusqlite::backup::{Backup, StepResult};

use super::connection::{self, Purpose};
use super::database_error::read_error;
use super::options::SqliteOptions;
use crate::error::Error;

mod compact;
mod draft;
mod error;
mod restore;
mod verify;

pub use compact::{Compacted, Sizes, compact, sizes};
use draft::{Draft, exclusive, fold_log};
pub use error::BackupError;
pub use restore::{Restored, restore};
pub use verify::{Report, verify};

/// Pages between two reports of progress, which take a few milliseconds.
const PAGES: i32 = 512;

/// The progress of a copy, in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Pages copied so far.
    pub copied: i32,
    /// All pages.
    pub total: i32,
}

/// Copies the store as it is now to a new file, which is durable when this returns. Returns its size in bytes.
pub fn create(store: &Path, file: &Path, report: impl FnMut(Progress)) -> Result<u64, BackupError> {
    let draft = Draft::begin(file)?;
    if file.try_exists().map_err(BackupError::files(file))? {
        return Err(BackupError::Exists(file.to_owned()));
    }
    copy(store, &draft.path, report)?;
    draft.finish(file)
}

/// The same, but the file gets its name only after it was read completely and verified.
pub fn create_verified(store: &Path, file: &Path) -> Result<Report, BackupError> {
    let draft = Draft::begin(file)?;
    if file.try_exists().map_err(BackupError::files(file))? {
        return Err(BackupError::Exists(file.to_owned()));
    }
    copy(store, &draft.path, |_| ())?;
    let report = verify(&draft.path)?;
    draft.finish(file)?;
    Ok(report)
}

fn copy(store: &Path, draft: &Path, mut report: impl FnMut(Progress)) -> Result<(), BackupError> {
    let wrong = |error: rusqlite::Error| BackupError::Store(read_error(&error));
    let source = connection::open(&SqliteOptions::new(store), Purpose::Read)?;
    // The first read determines the state that the backup contains.
    source.execute_batch("BEGIN; SELECT COUNT(*) FROM sqlite_schema").map_err(wrong)?;
    // The draft gets its name after it is synced as a whole, so the copy itself needs neither journal nor syncs.
    let mut target = exclusive(draft).map_err(wrong)?;
    target.execute_batch("PRAGMA synchronous = OFF").map_err(wrong)?;
    {
        let backup = Backup::new(&source, &mut target).map_err(wrong)?;
        loop {
            let step = backup.step(PAGES).map_err(wrong)?;
            let progress = backup.progress();
            report(Progress { copied: progress.pagecount - progress.remaining, total: progress.pagecount });
            match step {
                StepResult::Done => break,
                StepResult::More => {}
                _ => return Err(Error::Unavailable("the database is locked by another process".to_owned()).into()),
            }
        }
    }
    drop(target);
    // A single file without a log next to it, which can be read from a read-only medium.
    fold_log(draft).map_err(wrong)
}
