//! What an import reports: counts, rejected lines, and why nothing was imported.

use crate::line::LineError;
use perennial_app::error::Error;

/// The counts of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Lines that were read.
    pub lines: u64,
    /// Records that were created.
    pub made: u64,
    /// Records that existed and are equal.
    pub unchanged: u64,
    /// Lines that were rejected.
    pub refused: u64,
}

/// A rejected line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedLine {
    /// Its number in its file, from one.
    pub number: u64,
    /// The line itself.
    pub text: Vec<u8>,
    /// Its errors. Empty if it refers to a rejected line.
    pub errors: Vec<LineError>,
}

/// Why an import was not committed. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotImported {
    /// A record that lines refer to was deleted while the import ran.
    #[error(
        "nothing was imported: {kind} {id} was deleted while the import ran. Run the import again to see which lines refer to it"
    )]
    ReferenceDeleted {
        /// The kind of the record.
        kind: &'static str,
        /// Its ID.
        id: String,
    },
    /// The store failed.
    #[error(transparent)]
    App(#[from] Error),
}
