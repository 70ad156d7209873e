//! The PDF of a document: pages of A4 with embedded fonts and selectable text.
//!
//! Streams are not compressed: the bytes then depend on no version of a compressor, and an invoice is small anyway.

mod file;
mod fonts;
mod layout;
mod page;

use crate::view::View;

pub(crate) fn render(view: &View) -> Vec<u8> {
    let drawn = layout::draw(view);
    file::write(view, drawn)
}
