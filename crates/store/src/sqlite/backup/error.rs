//! Why a backup was not created, or why it cannot be used.

use std::path::{Path, PathBuf};

use crate::error::Error;

/// A failure of a backup, a restore or a compaction.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// A file is never overwritten.
    #[error("{} already exists; choose another file or remove it", .0.display())]
    Exists(PathBuf),
    /// The directory of the file does not exist.
    #[error("the directory {} does not exist; create it or choose another file", .0.display())]
    NoDirectory(PathBuf),
    /// Two backups to the same file.
    #[error("another backup is being written to {}", .0.display())]
    BeingWritten(PathBuf),
    /// A restore must not replace a store.
    #[error("{} already contains a store", .0.display())]
    StoreExists(PathBuf),
    /// Another command during the restore.
    #[error("another process is using {}; wait for it to end", .0.display())]
    InUse(PathBuf),
    /// The file is not a backup, or it is damaged.
    #[error("{}: {reason}", .path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file system returned an error.
    #[error("{}: {error}", .path.display())]
    Files {
        /// The file.
        path: PathBuf,
        /// The error.
        error: std::io::Error,
    },
    /// The store returned an error.
    #[error(transparent)]
    Store(#[from] Error),
}

impl BackupError {
    pub(super) fn unusable(path: &Path, reason: impl Into<String>) -> Self {
        Self::Unusable { path: path.to_owned(), reason: reason.into() }
    }

    pub(super) fn files(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |error| Self::Files { path: path.to_owned(), error }
    }
}
