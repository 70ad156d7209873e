//! What is wrong with a configuration, each fault with its place.

use super::source::Source;
use crate::failure::Failure;
use serde::Serialize;
use std::path::PathBuf;

/// One thing that is wrong.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Fault {
    /// The line, the variable or the flag to correct; where several belong together, none of them.
    pub(crate) place: Option<Source>,
    /// What is wrong, in a sentence that says what to do. Never a secret.
    pub(crate) detail: String,
}

impl Fault {
    pub(crate) fn new(place: Source, detail: impl Into<String>) -> Self {
        Self { place: Some(place), detail: detail.into() }
    }

    pub(crate) fn in_file(file: impl Into<PathBuf>, line: usize, detail: impl Into<String>) -> Self {
        Self::new(Source::File { file: file.into(), line }, detail)
    }

    /// The line it is in; 0 if it is in none.
    pub(crate) fn number(&self) -> usize {
        match self.place {
            Some(Source::File { line, .. }) => line,
            _ => 0,
        }
    }

    /// As a line of a list, in the form that editors jump to.
    pub(crate) fn line(&self) -> String {
        match &self.place {
            Some(place) => format!("{place}: {}", self.detail),
            None => self.detail.clone(),
        }
    }

    /// As the sentence of a program that stops, with how many others there are.
    pub(crate) fn sentence(&self, others: usize) -> Failure {
        let detail = match &self.place {
            Some(Source::File { file, line }) => {
                format!("the configuration {} is wrong in line {line}: {}", file.display(), self.detail)
            }
            _ => self.detail.clone(),
        };
        Failure::new(match others {
            0 => detail,
            others => format!("{detail} (`perennial config check` tells {others} more)"),
        })
    }
}

impl From<Failure> for Fault {
    fn from(Failure(detail): Failure) -> Self {
        Self { place: None, detail }
    }
}
