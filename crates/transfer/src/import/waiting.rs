//! A line that waits to be written with others of its kind.

use crate::line::{LineFault, Read};
use perennial_store::Value;

/// A line that is right for itself.
pub(super) struct Waiting {
    pub(super) number: u64,
    pub(super) text: Vec<u8>,
    pub(super) read: Read,
    pub(super) faults: Vec<LineFault>,
    pub(super) is_out: bool,
    /// Its organization is not there, so that nothing else of it can be.
    pub(super) is_homeless: bool,
}

impl Waiting {
    pub(super) fn new(number: u64, bytes: &[u8], read: Read) -> Self {
        Self { number, text: bytes.to_vec(), read, faults: Vec::new(), is_out: false, is_homeless: false }
    }

    pub(super) fn blame(&mut self, place: usize, code: &'static str, detail: String) {
        // It was read as text before.
        let text = std::str::from_utf8(&self.text).unwrap_or_default();
        self.faults.push(LineFault::at(text, self.read.offsets[place], code, detail));
    }

    pub(super) fn is_live(&self) -> bool {
        self.read.record.find("deleted_at").is_none_or(Value::is_null)
    }
}
