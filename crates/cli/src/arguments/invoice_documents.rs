//! `perennial invoice document`.

use super::InOrg;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct InvoiceDocument {
    /// The ID or number of an invoice, or the ID of a credit note
    #[arg(value_name = "ID")]
    pub(crate) named: String,
    /// The format of the document.
    #[arg(long, value_name = "FORMAT", default_value = "html")]
    pub(crate) format: Paper,
    /// The file to create [default: standard output]
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

/// The format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Paper {
    /// One HTML file.
    Html,
    /// A PDF with embedded fonts.
    Pdf,
}
