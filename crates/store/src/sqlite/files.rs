//! The files of a store: the lock that keeps a second server out, and the names of the files next to the database.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::connection;
use crate::error::Error;

/// Files that a server keeps open as long as the store is. To close a file of the database releases all locks that SQLite has
/// on it in this process, so that comes last.
pub(super) struct Files {
    _lock: File,
    /// For checkpoints.
    pub(super) database: Arc<File>,
}

impl Files {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let lock = lock_directory(path)?;
        let database = File::open(path).map_err(|error| Error::Unavailable(format!("no database file: {error}")))?;
        Ok(Self { _lock: lock, database: Arc::new(database) })
    }
}

/// Takes the lock of the data directory, which a second server does not get.
pub(super) fn lock_directory(path: &Path) -> Result<File, Error> {
    let directory = path.parent().unwrap_or(Path::new(""));
    let lock = directory.join("perennial.lock");
    let unusable =
        |error: &dyn std::fmt::Display| Error::Unavailable(format!("{} cannot be locked: {error}", lock.display()));
    let file = connection::private_file(&lock).map_err(|error| unusable(&error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Locked(format!(
            "another server is using {}; stop it or choose another data directory",
            directory.display()
        ))),
        Err(TryLockError::Error(error)) => Err(unusable(&error)),
    }
}

/// The write-ahead log of a store.
pub(super) fn log_of(store: &Path) -> PathBuf {
    with_suffix(store, "-wal")
}

/// The path with something appended to the file name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
