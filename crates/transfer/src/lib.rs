//! Export, import and copy of whole stores, the demo store, and importers for the exports of other services.
//! Each operation reads one snapshot and writes one transaction: all records arrive, or none.

#![warn(missing_docs)]

mod copy;
mod csv;
pub mod demo;
mod export;
mod first_event;
mod form;
mod import;
mod kinds;
mod line;
mod record;
mod rules;
mod services;

pub use copy::{Copied, Progress, copy};
pub use export::{Export, Portion};
pub use import::{Import, NotImported, RejectedLine, Tally};
pub use line::LineError;
pub use services::{Count, Counts, Finding, Level, Moving, Reading, Service};

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per line. A file may hold every kind.
    Ndjson,
    /// CSV, one file per kind.
    Csv,
}

impl Format {
    /// The extension of its files.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::Csv => "csv",
        }
    }

    /// The name of the file that holds one of [`files`].
    pub fn file(self, kind: &str) -> String {
        format!("{kind}.{}", self.extension())
    }
}

/// Rows that are read or written at a time: about 30 MB with the longest texts.
const AT_ONCE: usize = 250;

/// The same number as the limit of a page.
const PAGE: i64 = 250;

/// The names of the files in an exported directory, in the order in which they are read.
pub fn files() -> impl Iterator<Item = &'static str> {
    kinds::ALL.into_iter().map(|kind| kind.table.name)
}
