//! Restores a backup: one rename, before which nothing has changed.

use std::fs::File;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::draft::{Draft, exclusive, fold_log, sync_directory};
use super::error::BackupError;
use super::verify::{Report, check_head, verify};
use crate::holds::{RESTORED, RESTORED_WITHOUT_LOSS};
use crate::sqlite::connection;
use crate::sqlite::files::{lock_directory, log_of, with_suffix};

/// What a restore did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The content of the store now.
    pub report: Report,
    /// The path of the previous store.
    pub replaced: Option<PathBuf>,
}

/// Makes a backup the store. `accept` receives the report on its content before anything changes, and can reject it.
///
/// The verified copy itself becomes the store. A previous store is preserved next to it.
pub fn restore<E: From<BackupError>>(
    file: &Path,
    store: &Path,
    replace: bool,
    accept: impl FnOnce(&Report) -> Result<(), E>,
) -> Result<Restored, E> {
    check_head(file)?;
    let directory = store.parent().unwrap_or(Path::new(""));
    connection::create_directory(store).map_err(BackupError::Store)?;
    let _held = lock_directory(store).map_err(BackupError::Store)?;
    let aside = store.with_added_extension("replaced");
    let is_there = exists(store)? || exists(&log_of(store))?;
    if is_there && !replace {
        return Err(BackupError::StoreExists(directory.to_owned()).into());
    }
    if is_there && exists(&aside)? {
        return Err(BackupError::Exists(aside).into());
    }
    let draft = copy(file, store)?;
    let report = verify(&draft.path)?;
    accept(&report)?;
    hold(&draft.path)?;
    if is_there {
        set_aside(store, &aside)?;
    }
    draft.finish(store)?;
    Ok(Restored { report, replaced: is_there.then_some(aside) })
}

fn copy(file: &Path, store: &Path) -> Result<Draft, BackupError> {
    let mut draft = Draft::begin(store)?;
    let mut source = File::open(file).map_err(BackupError::files(file))?;
    std::io::copy(&mut source, &mut draft.file).map_err(BackupError::files(&draft.path))?;
    Ok(draft)
}

/// Puts the organizations of the restored store on hold: what became due since the backup may have been done already.
fn hold(path: &Path) -> Result<(), BackupError> {
    const COLUMNS: &str = "SELECT MAX(name = 'lost_since') FROM pragma_table_info('lifecycle_holds')";
    let hold = || -> rusqlite::Result<()> {
        let connection = exclusive(path)?;
        match connection.query_row(COLUMNS, (), |row| row.get::<_, Option<bool>>(0))? {
            Some(true) => connection.execute(RESTORED, ())?,
            Some(false) => connection.execute(RESTORED_WITHOUT_LOSS, ())?,
            // A backup of an older version has no organization to hold.
            None => 0,
        };
        Ok(())
    };
    hold().map_err(|error| BackupError::unusable(path, format!("its organizations cannot be put on hold: {error}")))
}

/// Gives the old store a second name, so that the following rename removes nothing.
///
/// Its log must be removed first: next to the new file it would be taken for the log of that file.
fn set_aside(store: &Path, aside: &Path) -> Result<(), BackupError> {
    match fold_log(store) {
        Ok(()) => {}
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
            return Err(BackupError::InUse(store.to_owned()));
        }
        // A damaged store may be the reason for the restore: its log is moved as it is.
        Err(_) => {
            move_if_there(&log_of(store), &log_of(aside))?;
            move_if_there(&with_suffix(store, "-shm"), &with_suffix(aside, "-shm"))?;
        }
    }
    if exists(store)? {
        std::fs::hard_link(store, aside).map_err(BackupError::files(aside))?;
    }
    sync_directory(store)
}

fn move_if_there(from: &Path, to: &Path) -> Result<(), BackupError> {
    if exists(from)? { std::fs::rename(from, to).map_err(BackupError::files(to)) } else { Ok(()) }
}

fn exists(path: &Path) -> Result<bool, BackupError> {
    path.try_exists().map_err(BackupError::files(path))
}
