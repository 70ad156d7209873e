//! The lines of a file, one at a time, so that memory use does not depend on its length.

use std::io::{BufRead, Read, Result};

/// The maximum length, which no record reaches.
pub(super) const LONGEST: usize = 4 << 20;

/// The byte order mark.
const MARK: &[u8] = "\u{feff}".as_bytes();

pub(super) struct Lines<R> {
    reader: R,
    /// Whether a record continues on the next line while its quotes are open.
    in_quotes: bool,
    passed: u64,
    /// The number of the line, or of its first if there are several, from one.
    pub(super) number: u64,
    /// Bytes read so far.
    pub(super) bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Line,
    /// Longer than any record; the rest was skipped.
    TooLong,
    End,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R, in_quotes: bool) -> Self {
        Self { reader, in_quotes, passed: 0, number: 0, bytes: 0 }
    }

    /// Reads the next line, without its end.
    pub(super) fn next(&mut self, line: &mut Vec<u8>) -> Result<Found> {
        line.clear();
        self.number = self.passed + 1;
        let mut quotes = Quotes::default();
        loop {
            let (before, room) = (line.len(), (LONGEST + 1).saturating_sub(line.len()) as u64);
            let read = Read::by_ref(&mut self.reader).take(room).read_until(b'\n', line)?;
            if read == 0 && line.is_empty() {
                return Ok(Found::End);
            }
            self.passed += 1;
            self.bytes += read as u64;
            if line.len() > LONGEST && line.last() != Some(&b'\n') {
                self.pass_over()?;
                return Ok(Found::TooLong);
            }
            let goes_on = self.in_quotes && quotes.are_open_behind(&line[before..]);
            if read == 0 || !goes_on {
                break;
            }
        }
        // Some programs begin a file with a byte order mark.
        if self.number == 1 && line.starts_with(MARK) {
            line.drain(..MARK.len());
        }
        for end in [b'\n', b'\r'] {
            if line.last() == Some(&end) {
                line.pop();
            }
        }
        Ok(Found::Line)
    }

    fn pass_over(&mut self) -> Result<()> {
        loop {
            let buffer = self.reader.fill_buf()?;
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let (length, is_over) = (end.map_or(buffer.len(), |end| end + 1), end.is_some() || buffer.is_empty());
            self.reader.consume(length);
            self.bytes += length as u64;
            if is_over {
                return Ok(());
            }
        }
    }
}

/// The quotes of a CSV record. Only a quote at the beginning of a cell opens it.
#[derive(Default)]
struct Quotes {
    are_open: bool,
    /// The last closing quote may be the first half of an escaped one.
    were_just_closed: bool,
    in_cell: bool,
}

impl Quotes {
    fn are_open_behind(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            let is_quote = *byte == b'"';
            let opens = is_quote && !self.are_open && (!self.in_cell || self.were_just_closed);
            self.were_just_closed = is_quote && self.are_open;
            self.are_open = if is_quote { opens } else { self.are_open };
            self.in_cell = self.are_open || *byte != b',';
        }
        self.are_open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_cut_and_the_longest_are_passed_over() {
        let long = "x".repeat(LONGEST + 1);
        let text = format!("a\r\n\n{long}\nlast");
        let mut lines = Lines::new(text.as_bytes(), false);
        let (mut line, mut seen) = (Vec::new(), Vec::new());
        loop {
            match lines.next(&mut line).unwrap() {
                Found::End => break,
                Found::Line => seen.push((lines.number, String::from_utf8(line.clone()).unwrap())),
                Found::TooLong => seen.push((lines.number, "…".to_owned())),
            }
        }
        let expected = [(1, "a"), (2, ""), (3, "…"), (4, "last")].map(|(number, text)| (number, text.to_owned()));
        assert_eq!(seen, expected);
        assert_eq!(lines.bytes, text.len() as u64);
    }

    #[test]
    fn a_line_goes_on_while_its_quotes_are_open() {
        let mut lines = Lines::new("\u{feff}a,\"b\n\"\"c\nd\"\r\ne\n".as_bytes(), true);
        let mut line = Vec::new();
        assert_eq!((lines.next(&mut line).unwrap(), lines.number), (Found::Line, 1));
        assert_eq!(line, b"a,\"b\n\"\"c\nd\"", "without the mark");
        assert_eq!((lines.next(&mut line).unwrap(), lines.number), (Found::Line, 4));
        assert_eq!(lines.next(&mut line).unwrap(), Found::End);
        let held = |text: &str| Quotes::default().are_open_behind(text.as_bytes());
        for open in ["\"", "a,\"", "a,\"b\"\"", "\"a\",\"b,"] {
            assert!(held(open), "{open}");
        }
        for closed in ["a\"", "a\"b,c", "\"a\"", "\"a\"\"\"", "\"\",b"] {
            assert!(!held(closed), "{closed}");
        }
    }
}
