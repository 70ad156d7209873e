//! What an import reports: counts, rejected lines, and why nothing was imported.

use crate::line::LineFault;
use perennial_app::error::Error;

/// What an import has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Lines that were read.
    pub lines: u64,
    /// Records that came into being.
    pub made: u64,
    /// Records that were there already, and equal.
    pub unchanged: u64,
    /// Lines that were refused.
    pub refused: u64,
}

/// A line that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedLine {
    /// Its number in its file, from one.
    pub number: u64,
    /// The line itself.
    pub text: Vec<u8>,
    /// What is wrong with it; nothing, if it refers to a line that was refused.
    pub faults: Vec<LineFault>,
}

/// Why an import was not committed. It has left nothing behind.
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
    /// The store could not do it.
    #[error(transparent)]
    App(#[from] Error),
}
