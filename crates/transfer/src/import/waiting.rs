//! A line that waits to be written with others of its kind.

use crate::line::{LineError, Read};
use perennial_store::Value;

/// A line that is valid by itself.
pub(super) struct Waiting {
    pub(super) number: u64,
    pub(super) text: Vec<u8>,
    pub(super) read: Read,
    pub(super) errors: Vec<LineError>,
    pub(super) is_out: bool,
    /// Its organization does not exist, so further errors would be redundant.
    pub(super) is_homeless: bool,
}

impl Waiting {
    pub(super) fn new(number: u64, bytes: &[u8], read: Read) -> Self {
        Self { number, text: bytes.to_vec(), read, errors: Vec::new(), is_out: false, is_homeless: false }
    }

    pub(super) fn blame(&mut self, place: usize, code: &'static str, detail: String) {
        // It was validated as UTF-8 before.
        let text = std::str::from_utf8(&self.text).unwrap_or_default();
        self.errors.push(LineError::at(text, self.read.offsets[place], code, detail));
    }

    pub(super) fn is_live(&self) -> bool {
        self.read.record.find("deleted_at").is_none_or(Value::is_null)
    }
}
