//! Classifies the errors of PostgreSQL: they concern one statement, the batch or the connection.

use std::error::Error as StdError;

use tokio_postgres::error::{DbError, Severity, SqlState};

use crate::error::Error;

/// Why a statement or a transaction failed before COMMIT was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DatabaseError {
    /// The connection is lost, or the server cannot process requests.
    Lost(String),
    /// A deadlock or a serialization failure: a retry can succeed.
    Retry(String),
    /// A prepared statement that the server no longer has or that no longer matches the schema.
    Stale(String),
    /// The server responds but accepts no writes: a standby, or a primary that becomes one.
    ReadOnly(String),
    /// No response within the deadline: the connection must be closed.
    Timeout(String),
    /// A lock that another transaction holds was not released in time.
    Locked(String),
    /// The server cannot write now: no space, no memory, no connections, or a statement took too long.
    Temporary(String),
    /// The statement is wrong or broke a constraint.
    Statement(String),
}

impl DatabaseError {
    pub(super) fn of(error: &tokio_postgres::Error) -> Self {
        let text = describe(error);
        let Some(database) = error.as_db_error() else {
            // Without a response of the server it is the connection, unless a value could not be encoded or decoded.
            let ours = text.starts_with("error serializing") || text.starts_with("error deserializing");
            return if ours || text.starts_with("expected ") { Self::Statement(text) } else { Self::Lost(text) };
        };
        let code = database.code();
        if *code == SqlState::T_R_DEADLOCK_DETECTED || *code == SqlState::T_R_SERIALIZATION_FAILURE {
            return Self::Retry(text);
        }
        if *code == SqlState::INVALID_SQL_STATEMENT_NAME
            || *code == SqlState::DUPLICATE_PSTATEMENT
            || *code == SqlState::FEATURE_NOT_SUPPORTED
        {
            return Self::Stale(text);
        }
        // 57P: shutting down; 08: the pooler lost its server.
        if code.code().starts_with("08")
            || code.code().starts_with("57P")
            || matches!(database.parsed_severity(), Some(Severity::Fatal | Severity::Panic))
        {
            return Self::Lost(text);
        }
        if *code == SqlState::READ_ONLY_SQL_TRANSACTION {
            return Self::ReadOnly(text);
        }
        if *code == SqlState::LOCK_NOT_AVAILABLE {
            return Self::Locked(text);
        }
        if code.code().starts_with("53") || code.code().starts_with("58") || *code == SqlState::QUERY_CANCELED {
            Self::Temporary(text)
        } else {
            Self::Statement(text)
        }
    }

    pub(super) fn error(&self) -> Error {
        match self {
            Self::Lost(text)
            | Self::ReadOnly(text)
            | Self::Timeout(text)
            | Self::Locked(text)
            | Self::Retry(text)
            | Self::Temporary(text) => Error::Unavailable(text.clone()),
            Self::Stale(text) | Self::Statement(text) => Error::Internal(text.clone()),
        }
    }
}

/// The driver's message and its cause, without the details of a row, which contain its values.
pub(super) fn describe(error: &tokio_postgres::Error) -> String {
    if let Some(database) = error.as_db_error() {
        return format!("{} ({})", database.message(), database.code().code());
    }
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

pub(super) fn unavailable(error: &tokio_postgres::Error) -> Error {
    Error::Unavailable(describe(error))
}

/// Whether a unique index rejected the row: a conflict, not a defect.
pub(super) fn is_taken(error: &tokio_postgres::Error) -> bool {
    error.code() == Some(&SqlState::UNIQUE_VIOLATION)
}

/// What is known after COMMIT has returned an error.
pub(super) fn at_commit(error: &tokio_postgres::Error) -> Error {
    let is_error = error.as_db_error().and_then(DbError::parsed_severity) == Some(Severity::Error);
    match error.code() {
        Some(code) if is_error && is_rolled_back(code) => Error::Unavailable(describe(error)),
        _ => Error::OutcomeUnknown,
    }
}

/// Whether an error code of COMMIT guarantees that nothing was committed: a violated constraint (23), a failed
/// transaction (25P02), a rollback (40) except 40003, which means that the outcome is unknown. All others, such as a
/// cancelled COMMIT or an internal error of a distributed database, guarantee nothing.
fn is_rolled_back(code: &SqlState) -> bool {
    let class = code.code().get(..2);
    match class {
        Some("23") => true,
        Some("40") => *code != SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN,
        _ => *code == SqlState::IN_FAILED_SQL_TRANSACTION,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_codes_that_guarantee_a_rollback_count_as_one() {
        for code in ["23505", "23503", "40001", "40P01", "40002", "25P02"] {
            assert!(is_rolled_back(&SqlState::from_code(code)), "{code}");
        }
        for code in ["40003", "57014", "57P01", "53100", "53200", "58030", "XX000", "08006", "25006", "0A000", "55P03"]
        {
            assert!(!is_rolled_back(&SqlState::from_code(code)), "{code}");
        }
    }
}
