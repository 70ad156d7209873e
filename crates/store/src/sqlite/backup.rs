//! Backups of a SQLite store: a copy of the file as it was at one moment, taken while a server writes.
//!
//! The copy is made page by page inside one read transaction. Readers of a log never make its writer wait, and the
//! transaction holds the moment still: without it a backup starts over whenever another process commits, and under
//! constant writes never ends. `VACUUM INTO` holds the moment too, but builds every index anew and tells nothing of
//! how far it is.

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

/// Pages between two reports of progress: a few milliseconds' worth.
const PAGES: i32 = 512;

/// How far a copy has come, in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Copied so far.
    pub copied: i32,
    /// In all.
    pub total: i32,
}

/// Copies the store as it is now to a new file of its own, durable when this returns. Answers its size in bytes.
pub fn create(store: &Path, file: &Path, tell: impl FnMut(Progress)) -> Result<u64, BackupError> {
    let draft = Draft::begin(file)?;
    if file.try_exists().map_err(BackupError::files(file))? {
        return Err(BackupError::Exists(file.to_owned()));
    }
    copy(store, &draft.path, tell)?;
    draft.finish(file)
}

/// The same, but the file gets its name only after it was read from end to end and found whole.
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

fn copy(store: &Path, draft: &Path, mut tell: impl FnMut(Progress)) -> Result<(), BackupError> {
    let wrong = |error: rusqlite::Error| BackupError::Store(read_error(&error));
    let source = connection::open(&SqliteOptions::new(store), Purpose::Read)?;
    // The first read is the moment that the backup holds.
    source.execute_batch("BEGIN; SELECT COUNT(*) FROM sqlite_schema").map_err(wrong)?;
    // Nobody sees the draft before it is synced as a whole, so the copy itself needs neither journal nor syncs.
    let mut target = exclusive(draft).map_err(wrong)?;
    target.execute_batch("PRAGMA synchronous = OFF").map_err(wrong)?;
    {
        let backup = Backup::new(&source, &mut target).map_err(wrong)?;
        loop {
            let step = backup.step(PAGES).map_err(wrong)?;
            let progress = backup.progress();
            tell(Progress { copied: progress.pagecount - progress.remaining, total: progress.pagecount });
            match step {
                StepResult::Done => break,
                StepResult::More => {}
                _ => return Err(Error::Unavailable("it is locked by another process".to_owned()).into()),
            }
        }
    }
    drop(target);
    // A single file, which needs no log beside it and can be read from a medium that cannot be written.
    fold_log(draft).map_err(wrong)
}
