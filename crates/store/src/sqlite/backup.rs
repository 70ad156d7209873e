//! Backups of a SQLite store: a copy of the file as it was at one moment, taken while a server writes.
//!
//! The copy is made page by page inside one read transaction. Readers of a log never make its writer wait, and the
//! transaction holds the moment still: without it a backup starts over whenever another process commits, and under
//! constant writes never ends. `VACUUM INTO` holds the moment too, but builds every index anew and tells nothing of
//! how far it is.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::connection::{self, Purpose};
use super::{SqliteOptions, fault::read_error};
use crate::error::Error;

mod compact;
mod restore;
mod verify;

pub use compact::{Compacted, Sizes, compact, sizes};
pub use restore::{Restored, restore};
pub use verify::{Report, verify};

/// Pages between two reports of progress: a few milliseconds' worth.
const PAGES: i32 = 512;

/// Why there is no backup, or why it cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Nothing is ever overwritten.
    #[error("{} is there already; name another file or remove it", .0.display())]
    Exists(PathBuf),
    /// A file needs one to be in.
    #[error("there is no directory {}; make it, or name another file", .0.display())]
    NoDirectory(PathBuf),
    /// Two backups to one name.
    #[error("another backup is being written to {}", .0.display())]
    BeingWritten(PathBuf),
    /// A restore must not hide a store.
    #[error("there is a store in {} already", .0.display())]
    StoreExists(PathBuf),
    /// A command beside the restore.
    #[error("another process is using {}; wait for it to end", .0.display())]
    InUse(PathBuf),
    /// The file is no backup, or not one any more.
    #[error("{}: {reason}", .path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file system refused.
    #[error("{}: {error}", .path.display())]
    Files {
        /// Where.
        path: PathBuf,
        /// How.
        error: std::io::Error,
    },
    /// The store itself refused.
    #[error(transparent)]
    Store(#[from] Error),
}

impl Fault {
    fn unusable(path: &Path, reason: impl Into<String>) -> Self {
        Self::Unusable { path: path.to_owned(), reason: reason.into() }
    }

    fn files(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |error| Self::Files { path: path.to_owned(), error }
    }
}

/// How far a copy has come, in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Copied so far.
    pub copied: i32,
    /// In all.
    pub total: i32,
}

/// Copies the store as it is now to a new file of its own, durable when this returns. Answers its size in bytes.
pub fn create(store: &Path, file: &Path, tell: impl FnMut(Progress)) -> Result<u64, Fault> {
    let draft = Draft::begin(file)?;
    if file.try_exists().map_err(Fault::files(file))? {
        return Err(Fault::Exists(file.to_owned()));
    }
    copy(store, &draft.path, tell)?;
    draft.finish(file)
}

/// The same, but the file gets its name only after it was read from end to end and found whole.
pub fn create_verified(store: &Path, file: &Path) -> Result<Report, Fault> {
    let draft = Draft::begin(file)?;
    if file.try_exists().map_err(Fault::files(file))? {
        return Err(Fault::Exists(file.to_owned()));
    }
    copy(store, &draft.path, |_| ())?;
    let report = verify(&draft.path)?;
    draft.finish(file)?;
    Ok(report)
}

fn copy(store: &Path, draft: &Path, mut tell: impl FnMut(Progress)) -> Result<(), Fault> {
    let wrong = |error: rusqlite::Error| Fault::Store(read_error(&error));
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

/// Brings a database that nobody else has open into one file.
fn fold_log(path: &Path) -> rusqlite::Result<()> {
    let connection = exclusive(path)?;
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get::<_, String>(0))?;
    if mode == "delete" {
        return Ok(());
    }
    Err(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY), None))
}

fn exclusive(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(1))?;
    connection.pragma_update_and_check(None, "locking_mode", "EXCLUSIVE", |_| Ok(()))?;
    Ok(connection)
}

/// A file under a name that says it is not finished, locked against another that would be given the same name.
struct Draft {
    path: PathBuf,
    file: File,
    finished: bool,
}

impl Draft {
    fn begin(target: &Path) -> Result<Self, Fault> {
        let path = target.with_added_extension("draft");
        let being_written = || Fault::BeingWritten(target.to_owned());
        // What a copy that was cut short left behind. It is made anew rather than used, whoever may have made it.
        let left = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            opened => Some(opened.map_err(Fault::files(&path))?),
        };
        if let Some(left) = &left {
            left.try_lock().map_err(|_| being_written())?;
            std::fs::remove_file(&path).map_err(Fault::files(&path))?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Fault::NoDirectory(directory_of(target).to_owned()),
            _ => Fault::files(&path)(error),
        })?;
        file.try_lock().map_err(|_| being_written())?;
        Ok(Self { path, file, finished: false })
    }

    /// Gives the file its name once it and the name are durable. Answers its size.
    fn finish(mut self, target: &Path) -> Result<u64, Fault> {
        self.file.sync_all().map_err(Fault::files(&self.path))?;
        let bytes = self.file.metadata().map_err(Fault::files(&self.path))?.len();
        std::fs::rename(&self.path, target).map_err(Fault::files(target))?;
        self.finished = true;
        sync_directory(target)?;
        Ok(bytes)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.finished {
            // It is of no use to anyone; that it cannot be removed changes nothing.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// The write-ahead log of a store.
pub(super) fn log_of(store: &Path) -> PathBuf {
    with_suffix(store, "-wal")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A name is durable only when its directory is.
fn sync_directory(path: &Path) -> Result<(), Fault> {
    let directory = directory_of(path);
    File::open(directory).and_then(|opened| opened.sync_all()).map_err(Fault::files(directory))
}
