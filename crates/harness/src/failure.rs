//! What went wrong and what to do about it, in words for the terminal: the one error of the instruments.

use std::fmt;

#[derive(Debug)]
pub struct Failure(String);

pub type Result<T = ()> = std::result::Result<T, Failure>;

impl Failure {
    pub fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(feature = "sqlite")]
impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self(format!("SQLite refused: {error}"))
    }
}

/// Turns an input or output error into a sentence: `could not <what>: <error>`.
pub fn could_not(what: impl fmt::Display) -> impl FnOnce(std::io::Error) -> Failure {
    move |error| Failure::new(format!("could not {what}: {error}"))
}
