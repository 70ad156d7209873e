//! Classifies the errors of SQLite: they concern one statement, are temporary, or are permanent.

use rusqlite::{ErrorCode, ffi};

use crate::error::{Error, Violation};

/// Why a batch was not committed.
pub(super) enum DatabaseError {
    /// A step affected another number of rows than expected.
    Violated(Violation),
    /// A statement is wrong or broke a constraint; other changes are not affected.
    Statement(String),
    /// Nothing can be written now, but perhaps later: a full disk, or another process writes.
    Temporary(String),
    /// The disk is no longer reliable.
    Disk(String),
    /// The disk failed while committing: after a restart the batch may turn out to be committed.
    DiskAtCommit(String),
}

impl DatabaseError {
    pub(super) fn of(error: &rusqlite::Error) -> Self {
        let text = error.to_string();
        let rusqlite::Error::SqliteFailure(failure, _) = error else {
            return Self::Statement(text);
        };
        match failure.code {
            // The index of the log grows by itself too, and on a full disk that is an I/O error.
            ErrorCode::SystemIoFailure
                if failure.extended_code == ffi::SQLITE_IOERR_SHMSIZE
                    || failure.extended_code == ffi::SQLITE_IOERR_NOMEM =>
            {
                Self::Temporary(text)
            }
            ErrorCode::SystemIoFailure | ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Disk(text),
            ErrorCode::DiskFull
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::ReadOnly
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::OutOfMemory => Self::Temporary(text),
            _ => Self::Statement(text),
        }
    }

    /// The same for COMMIT itself.
    pub(super) fn at_commit(error: &rusqlite::Error) -> Self {
        match Self::of(error) {
            Self::Disk(text) => Self::DiskAtCommit(text),
            // No single statement is the cause, so running the changes one by one would not help.
            Self::Statement(text) => Self::Temporary(text),
            other => other,
        }
    }

    pub(super) fn error(&self) -> Error {
        match self {
            Self::Violated(violation) => Error::Violated(*violation),
            Self::Statement(text) => Error::Internal(text.clone()),
            Self::Temporary(text) | Self::Disk(text) => Error::Unavailable(text.clone()),
            Self::DiskAtCommit(_) => Error::OutcomeUnknown,
        }
    }
}

/// Whether a unique index rejected the row: a conflict, not a defect.
pub(super) fn is_taken(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_extended_error_code(),
        Some(ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY)
    )
}

/// The error that a reader gets.
pub(super) fn read_error(error: &rusqlite::Error) -> Error {
    DatabaseError::of(error).error()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: i32) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
    }

    #[test]
    fn a_full_disk_is_temporary_and_a_failed_sync_is_permanent() {
        assert!(matches!(DatabaseError::of(&failure(ffi::SQLITE_FULL)), DatabaseError::Temporary(_)));
        assert!(matches!(DatabaseError::of(&failure(ffi::SQLITE_IOERR_SHMSIZE)), DatabaseError::Temporary(_)));
        assert!(matches!(DatabaseError::of(&failure(ffi::SQLITE_IOERR_WRITE)), DatabaseError::Disk(_)));
        let sync = DatabaseError::at_commit(&failure(ffi::SQLITE_IOERR_FSYNC));
        assert!(matches!(sync, DatabaseError::DiskAtCommit(_)));
        assert_eq!(sync.error(), Error::OutcomeUnknown);
    }

    #[test]
    fn a_broken_constraint_concerns_one_statement() {
        let failure = DatabaseError::of(&failure(ffi::SQLITE_CONSTRAINT_NOTNULL));
        assert!(matches!(failure, DatabaseError::Statement(_)));
    }
}
