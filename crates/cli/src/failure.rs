//! A failure of the program: one sentence for the user of the terminal.

use perennial_app::error::Error;
use perennial_store::backup::BackupError;
use perennial_transfer::NotImported;

/// Why the program stops, with a remedy.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl Failure {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl From<perennial_store::Error> for Failure {
    fn from(error: perennial_store::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<BackupError> for Failure {
    fn from(error: BackupError) -> Self {
        let advice = match error {
            BackupError::StoreExists(_) => "; --replace puts the backup in its place, or name another --data-dir",
            _ => "",
        };
        Self(format!("{error}{advice}"))
    }
}

impl From<NotImported> for Failure {
    fn from(error: NotImported) -> Self {
        match error {
            NotImported::App(error) => error.into(),
            deleted @ NotImported::ReferenceDeleted { .. } => Self(deleted.to_string()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(faults) => {
                let sentences: Vec<String> = faults
                    .iter()
                    .map(|error| format!("{} {}", error.pointer.trim_start_matches('/'), error.reason.detail))
                    .collect();
                Self(sentences.join("; "))
            }
            other => Self(other.to_string()),
        }
    }
}
