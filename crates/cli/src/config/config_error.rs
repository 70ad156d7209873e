//! Errors of a configuration, each with its source.

use super::source::Source;
use crate::failure::Failure;
use serde::Serialize;
use std::path::PathBuf;

/// One error.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ConfigError {
    /// The line, variable or flag to correct. None if several belong together.
    pub(crate) place: Option<Source>,
    /// The error and its remedy. Never a secret.
    pub(crate) detail: String,
}

impl ConfigError {
    pub(crate) fn new(place: Source, detail: impl Into<String>) -> Self {
        Self { place: Some(place), detail: detail.into() }
    }

    pub(crate) fn in_file(file: impl Into<PathBuf>, line: usize, detail: impl Into<String>) -> Self {
        Self::new(Source::File { file: file.into(), line }, detail)
    }

    /// Its line; 0 if it has none.
    pub(crate) fn number(&self) -> usize {
        match self.place {
            Some(Source::File { line, .. }) => line,
            _ => 0,
        }
    }

    /// As a line of a list, in a form that editors can open.
    pub(crate) fn line(&self) -> String {
        match &self.place {
            Some(place) => format!("{place}: {}", self.detail),
            None => self.detail.clone(),
        }
    }

    /// As the message of a program that stops, with the number of other errors.
    pub(crate) fn sentence(&self, others: usize) -> Failure {
        let detail = match &self.place {
            Some(Source::File { file, line }) => {
                format!("the configuration {} is wrong in line {line}: {}", file.display(), self.detail)
            }
            _ => self.detail.clone(),
        };
        Failure::new(match others {
            0 => detail,
            others => format!("{detail} (`perennial config check` reports {others} more)"),
        })
    }
}

impl From<Failure> for ConfigError {
    fn from(Failure(detail): Failure) -> Self {
        Self { place: None, detail }
    }
}
