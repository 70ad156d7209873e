//! A backup that is being written: a file with the extension `draft`, which gets its name when it is complete and
//! durable.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::error::BackupError;

/// An unfinished file, locked against another one for the same name.
pub(super) struct Draft {
    pub(super) path: PathBuf,
    pub(super) file: File,
    finished: bool,
}

impl Draft {
    pub(super) fn begin(target: &Path) -> Result<Self, BackupError> {
        let path = target.with_added_extension("draft");
        let being_written = || BackupError::BeingWritten(target.to_owned());
        // The remains of an interrupted copy are not reused: another user may have created the file.
        let left = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            opened => Some(opened.map_err(BackupError::files(&path))?),
        };
        if let Some(left) = &left {
            left.try_lock().map_err(|_| being_written())?;
            std::fs::remove_file(&path).map_err(BackupError::files(&path))?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => BackupError::NoDirectory(directory_of(target).to_owned()),
            _ => BackupError::files(&path)(error),
        })?;
        file.try_lock().map_err(|_| being_written())?;
        Ok(Self { path, file, finished: false })
    }

    /// Gives the file its name once it is durable, and makes the name durable. Returns the size.
    pub(super) fn finish(mut self, target: &Path) -> Result<u64, BackupError> {
        self.file.sync_all().map_err(BackupError::files(&self.path))?;
        let bytes = self.file.metadata().map_err(BackupError::files(&self.path))?.len();
        std::fs::rename(&self.path, target).map_err(BackupError::files(target))?;
        self.finished = true;
        sync_directory(target)?;
        Ok(bytes)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.finished {
            // An unfinished file that cannot be removed does no harm.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Folds the log of a database that no other process has open into its file.
pub(super) fn fold_log(path: &Path) -> rusqlite::Result<()> {
    let connection = exclusive(path)?;
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get::<_, String>(0))?;
    if mode == "delete" {
        return Ok(());
    }
    Err(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY), None))
}

pub(super) fn exclusive(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(1))?;
    connection.pragma_update_and_check(None, "locking_mode", "EXCLUSIVE", |_| Ok(()))?;
    Ok(connection)
}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A name is durable only when its directory is.
pub(super) fn sync_directory(path: &Path) -> Result<(), BackupError> {
    let directory = directory_of(path);
    File::open(directory).and_then(|opened| opened.sync_all()).map_err(BackupError::files(directory))
}
