//! Layer 2: invoices and credit notes as HTML and PDF.
//!
//! A document is a pure function of its frozen record and a template version: no clock, no random numbers, no file, no network. The
//! same record and version give the same bytes at any later time. Change what a template draws only in a new version.

#![warn(missing_docs)]

mod decimal;
mod html;
mod locale;
mod model;
mod pdf;
mod view;

pub use decimal::Decimal;
pub use locale::Locale;
pub use model::{Document, DocumentKind, DocumentLine, DocumentTax, Party, Period};

/// The version of the template, which is stored with the record when it is issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Template {
    /// The first version.
    V1,
}

impl Template {
    /// The version that new documents get.
    pub const CURRENT: Self = Self::V1;

    /// The number, as it is stored.
    pub const fn number(self) -> i64 {
        match self {
            Self::V1 => 1,
        }
    }

    /// The version of a stored number.
    pub const fn from_stored(number: i64) -> Option<Self> {
        match number {
            1 => Some(Self::V1),
            _ => None,
        }
    }
}

/// The document as one HTML file: no script, no external resource.
pub fn html(document: &Document, template: Template) -> String {
    match template {
        Template::V1 => html::render(&view::View::new(document)),
    }
}

/// The document as a PDF with embedded fonts and selectable text.
pub fn pdf(document: &Document, template: Template) -> Vec<u8> {
    match template {
        Template::V1 => pdf::render(&view::View::new(document)),
    }
}
