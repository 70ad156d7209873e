//! Tables: columns as wide as their cells, together no wider than the terminal.

use serde_json::value::RawValue;
use std::collections::HashMap;

/// The minimum width of a column. If it does not fit, columns are omitted.
const NARROWEST: usize = 8;

/// A column of a table.
pub(in crate::commands) struct Column {
    /// Its header.
    pub(in crate::commands) head: &'static str,
    /// The field of the record that it shows.
    pub(in crate::commands) field: &'static str,
    /// Whether it is never cut: the ID that the next command needs.
    pub(in crate::commands) whole: bool,
}

impl Column {
    pub(in crate::commands) const fn new(head: &'static str, field: &'static str) -> Self {
        Self { head, field, whole: false }
    }

    pub(in crate::commands) const fn whole(head: &'static str, field: &'static str) -> Self {
        Self { head, field, whole: true }
    }
}

/// The value of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) text: String,
    /// Whether it is a text and not a number.
    pub(super) is_text: bool,
}

impl Cell {
    /// Reads a field from the record's JSON. Numbers are not rounded.
    pub(super) fn of(raw: &str) -> Self {
        match raw.as_bytes().first() {
            Some(b'"') => Self { text: serde_json::from_str(raw).unwrap_or_default(), is_text: true },
            Some(b'[') => {
                let parts: Vec<String> = serde_json::from_str(raw).unwrap_or_default();
                Self { text: parts.join(", "), is_text: true }
            }
            _ if raw == "null" => Self::default(),
            _ => Self { text: raw.to_owned(), is_text: false },
        }
    }

    /// As shown on a terminal: without control characters, and instants to the second.
    pub(super) fn shown(&self) -> String {
        let text = match self.text.split_once('.') {
            Some((seconds, _)) if is_instant(&self.text) => format!("{seconds}Z"),
            _ => self.text.clone(),
        };
        text.chars().map(|character| if character.is_control() { '\u{fffd}' } else { character }).collect()
    }
}

/// Whether it is an instant in our format, `2026-01-31T09:30:00.000000Z`.
fn is_instant(text: &str) -> bool {
    let shape = |(place, byte): (usize, u8)| match place {
        4 | 7 => byte == b'-',
        10 => byte == b'T',
        13 | 16 => byte == b':',
        19 => byte == b'.',
        26 => byte == b'Z',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 27 && text.bytes().enumerate().all(shape)
}

/// The cells of these fields of a record.
pub(super) fn cells<'a>(record: &str, fields: impl IntoIterator<Item = &'a str>) -> Vec<Cell> {
    let values: HashMap<&str, &RawValue> = serde_json::from_str(record).unwrap_or_default();
    let cell = |field: &str| values.get(field).map(|raw| Cell::of(raw.get())).unwrap_or_default();
    fields.into_iter().map(cell).collect()
}

/// The width of each column; 0 for an omitted one.
pub(super) fn widths(columns: &[Column], rows: &[Vec<String>], terminal: Option<usize>) -> Vec<usize> {
    let mut widths: Vec<usize> = columns.iter().map(|column| column.head.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let Some(terminal) = terminal else { return widths };
    let least = |place: usize| if columns[place].whole { widths[place] } else { widths[place].min(NARROWEST) };
    let narrow: Vec<usize> = (0..columns.len()).map(least).collect();
    let shown = (1..=columns.len()).rev().find(|shown| total(&narrow[..*shown]) <= terminal).unwrap_or(1);
    widths[shown..].fill(0);
    while total(&widths) > terminal {
        let cuttable = widths.iter().copied().enumerate().filter(|(place, width)| *width > narrow[*place]);
        let Some((widest, _)) = cuttable.max_by_key(|(_, width)| *width) else { break };
        widths[widest] -= 1;
    }
    widths
}

fn total(widths: &[usize]) -> usize {
    let shown = widths.iter().filter(|width| **width > 0).count();
    widths.iter().sum::<usize>() + 2 * shown.saturating_sub(1)
}

/// A line of the table. On a terminal, long cells are cut.
pub(super) fn line(cells: &[String], widths: &[usize], is_cut: bool) -> String {
    let shown = cells.iter().zip(widths).filter(|(_, width)| **width > 0);
    let padded = shown.map(|(cell, &width)| {
        if is_cut && cell.chars().count() > width {
            let start: String = cell.chars().take(width.saturating_sub(1)).collect();
            return format!("{start}…");
        }
        format!("{cell:width$}")
    });
    padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 3] = [Column::whole("ID", "id"), Column::new("NAME", "name"), Column::new("NOTE", "note")];

    fn table(rows: &[[&str; 3]], terminal: Option<usize>) -> Vec<String> {
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect();
        let widths = widths(&COLUMNS, &rows, terminal);
        rows.iter().map(|row| line(row, &widths, terminal.is_some())).collect()
    }

    #[test]
    fn a_table_fits_the_terminal_and_keeps_the_id_whole() {
        let rows = [["0123456789abcdef", "a name that is long", "and a note as well"]];
        assert_eq!(table(&rows, None), ["0123456789abcdef  a name that is long  and a note as well"]);
        for terminal in [20, 30, 36, 40, 56, 57] {
            let [line] = &table(&rows, Some(terminal))[..] else { panic!() };
            assert!(line.chars().count() <= terminal, "{terminal}: {line}");
            assert!(line.starts_with("0123456789abcdef"), "{line}");
        }
        assert_eq!(table(&rows, Some(40)), ["0123456789abcdef  a name th…  and a not…"]);
        assert_eq!(table(&rows, Some(20)), ["0123456789abcdef"]);
    }

    #[test]
    fn a_cell_is_what_the_record_says() {
        let record = r#"{"id":"a","name":null,"price":19.9900,"tags":["x","y"],"on":true}"#;
        let texts: Vec<String> =
            cells(record, ["price", "tags", "name", "on", "none"]).into_iter().map(|cell| cell.text).collect();
        assert_eq!(texts, ["19.9900", "x, y", "", "true", ""]);
    }

    #[test]
    fn nothing_in_a_cell_moves_the_cursor() {
        let shown = |text: &str| Cell { text: text.to_owned(), is_text: true }.shown();
        assert_eq!(shown("\u{1b}[2Jgone\n"), "\u{fffd}[2Jgone\u{fffd}");
        assert_eq!(shown("2026-01-31T09:30:00.123456Z"), "2026-01-31T09:30:00Z");
        assert_eq!(shown("Mozilla/5.0"), "Mozilla/5.0");
    }
}
