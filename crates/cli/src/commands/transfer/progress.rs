//! The progress of a command, its speed and the remaining time, shown only on a terminal.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// The interval of updates.
const EVERY: Duration = Duration::from_millis(100);
const WIDTH: usize = 79;

pub(super) struct Bar {
    on_terminal: bool,
    total: u64,
    begun: Instant,
    shown: Option<Instant>,
}

impl Bar {
    /// A bar for this amount of work, in the unit of `show`.
    pub(super) fn new(json: bool, total: u64) -> Self {
        Self { on_terminal: !json && stderr().is_terminal(), total, begun: Instant::now(), shown: None }
    }

    pub(super) fn show(&mut self, done: u64, records: u64) {
        let now = Instant::now();
        if !self.on_terminal || self.shown.is_some_and(|shown| now.duration_since(shown) < EVERY) {
            return;
        }
        self.shown = Some(now);
        let line = line(done, self.total, records, now.duration_since(self.begun));
        // A failed write of the progress does not stop the command.
        let _ = write!(stderr(), "\r{line:WIDTH$}");
    }

    /// Clears the line.
    pub(super) fn clear(&self) {
        if self.shown.is_some() {
            let _ = write!(stderr(), "\r{:WIDTH$}\r", "");
        }
    }
}

fn line(done: u64, total: u64, records: u64, passed: Duration) -> String {
    let millis = passed.as_millis().max(1);
    let (total, done) = (u128::from(total.max(1)), u128::from(done.min(total)));
    let percent = done * 100 / total;
    let bar = "=".repeat(usize::try_from(percent / 4).unwrap_or(0));
    let rate = u128::from(records) * 1_000 / millis;
    let left = match done {
        0 => String::new(),
        _ => {
            let seconds = (total - done) * millis / done / 1_000;
            format!(", {}:{:02} left", seconds / 60, seconds % 60)
        }
    };
    format!("[{bar:25}] {percent:3} %  {records} records, {rate}/s{left}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_how_fast_and_how_long() {
        let half = line(500, 1_000, 90_000, Duration::from_secs(90));
        assert_eq!(half, "[============             ]  50 %  90000 records, 1000/s, 1:30 left");
        assert_eq!(line(0, 0, 0, Duration::ZERO), "[                         ]   0 %  0 records, 0/s");
    }
}
