//! The progress of a copy, shown only on a terminal.

use perennial_store::backup::Progress;
use std::io::{IsTerminal, Write, stderr};

pub(super) struct Bar {
    shown: Option<i64>,
    on_terminal: bool,
}

impl Bar {
    pub(super) fn new(json: bool) -> Self {
        Self { shown: None, on_terminal: !json && stderr().is_terminal() }
    }

    pub(super) fn show(&mut self, progress: Progress) {
        let percent = i64::from(progress.copied) * 100 / i64::from(progress.total.max(1));
        if self.on_terminal && self.shown != Some(percent) {
            let done = usize::try_from(percent / 4).unwrap_or(0);
            // A failed write of the progress does not stop the copy.
            let _ = write!(stderr(), "\r[{:25}] {percent:3} %", "=".repeat(done));
            self.shown = Some(percent);
        }
    }

    /// Clears the line.
    pub(super) fn clear(&self) {
        if self.shown.is_some() {
            let _ = write!(stderr(), "\r{:34}\r", "");
        }
    }
}
