//! The output of a command: text for people, or one JSON object for scripts.

use crate::failure::Failure;
use serde::Serialize;
use std::io::{ErrorKind, Write};

/// Prints `{"data": …}` or, without `--json`, the text.
pub(crate) fn print<T: Serialize>(json: bool, data: &T, text: impl FnOnce() -> String) -> Result<(), Failure> {
    let text = if json { serde_json::json!({ "data": data }).to_string() } else { text() };
    write(&format!("{text}\n"))
}

/// Writes to standard output. If the reader has closed it, such as `head`, that is no failure.
pub(crate) fn write(text: &str) -> Result<(), Failure> {
    offer(text).map(drop)
}

/// Writes to standard output. Returns false if the reader has closed it.
pub(crate) fn offer(text: &str) -> Result<bool, Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::new(format!("standard output cannot be written: {error}"))),
    }
}

/// A count with its noun, such as `1 session` or `2 sessions`.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// Rows in columns as wide as their widest cell.
pub(crate) fn table<const N: usize>(heads: [&str; N], rows: &[[String; N]]) -> String {
    let mut widths = heads.map(|head| head.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: &[String; N]| {
        let padded: Vec<String> = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(&heads.map(str::to_owned))];
    lines.extend(rows.iter().map(line));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [["a".to_owned(), "long cell".to_owned()], ["bbbb".to_owned(), "é".to_owned()]];
        assert_eq!(table(["ID", "NAME"], &rows), "ID    NAME\na     long cell\nbbbb  é");
    }
}
