//! What went wrong, in one sentence for the terminal.

use std::fmt;

#[derive(Debug)]
pub(crate) struct Failure(String);

pub(crate) type Result<T = ()> = std::result::Result<T, Failure>;

impl Failure {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self(format!("SQLite refused: {error}"))
    }
}

/// Turns an input or output error into a sentence: `could not <what>: <error>`.
pub(crate) fn could_not(what: impl fmt::Display) -> impl FnOnce(std::io::Error) -> Failure {
    move |error| Failure::new(format!("could not {what}: {error}"))
}
