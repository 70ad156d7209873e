//! Why a backup was not created, or why it cannot be used.

use std::path::{Path, PathBuf};

use crate::error::Error;

/// A failure of a backup, a restore or a compaction.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
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

impl BackupError {
    pub(super) fn unusable(path: &Path, reason: impl Into<String>) -> Self {
        Self::Unusable { path: path.to_owned(), reason: reason.into() }
    }

    pub(super) fn files(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |error| Self::Files { path: path.to_owned(), error }
    }
}
