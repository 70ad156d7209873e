//! Output of a list or a record in one of the formats.

use super::csv;
use super::kind::Kind;
use super::table::{self, Cell, cells};
use crate::failure::Failure;
use crate::output;
use std::io::IsTerminal;

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One object, as the API returns it: `--json`.
    Envelope,
    /// One record per line.
    Lines,
    Csv,
    Table,
}

/// A list that is being written.
pub(super) struct Sheet<'a> {
    kind: &'a Kind,
    fields: Vec<String>,
    form: Form,
    /// The widths of the columns, determined by the first records.
    widths: Option<Vec<usize>>,
    is_empty: bool,
    terminal: Option<usize>,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(kind: &'a Kind, form: Form) -> Self {
        Self { kind, fields: (kind.fields)(), form, widths: None, is_empty: true, terminal: terminal_width() }
    }

    /// Writes records, with a header before the first. Returns false if the reader has closed the output.
    pub(super) fn add(&mut self, records: &[String]) -> Result<bool, Failure> {
        let mut text = match (self.form, &self.widths) {
            (Form::Envelope, None) => "{\"data\":[".to_owned(),
            (Form::Csv, None) => header(&self.fields),
            _ => String::new(),
        };
        match self.form {
            Form::Envelope => {
                let comma = if self.is_empty || records.is_empty() { "" } else { "," };
                text.extend([comma, &records.join(",")]);
            }
            Form::Lines => text.extend(records.iter().flat_map(|record| [record.as_str(), "\n"])),
            Form::Csv => {
                let lines =
                    records.iter().map(|record| csv::line(&cells(record, self.fields.iter().map(String::as_str))));
                text.extend(lines);
            }
            Form::Table => text.push_str(&self.rows(records)),
        }
        self.widths.get_or_insert_default();
        self.is_empty &= records.is_empty();
        output::offer(&text)
    }

    /// Ends the list. If there are more records after `last`, prints how to continue.
    pub(super) fn end(self, last: Option<&str>, limit: Option<u32>) -> Result<(), Failure> {
        self.end_with(last, limit, None)
    }

    /// The same, with one more member of the API's response: its name and its JSON.
    pub(super) fn end_with(
        self,
        last: Option<&str>,
        limit: Option<u32>,
        member: Option<(&str, String)>,
    ) -> Result<(), Failure> {
        if self.form == Form::Envelope {
            let page = serde_json::json!({ "after": last, "has_more": last.is_some(), "limit": limit });
            let member = member.map(|(name, json)| format!(",\"{name}\":{json}")).unwrap_or_default();
            return output::write(&format!("],\"page\":{page}{member}}}\n"));
        }
        if let Some(last) = last {
            // On standard error, because a program may read the records.
            eprintln!("There may be more: continue with --after {last}, or list them with --all.");
        }
        Ok(())
    }

    fn rows(&mut self, records: &[String]) -> String {
        let fields = || self.kind.columns.iter().map(|column| column.field);
        let rows: Vec<Vec<String>> =
            records.iter().map(|record| cells(record, fields()).iter().map(Cell::shown).collect()).collect();
        let (mut lines, is_cut) = (Vec::new(), self.terminal.is_some());
        let widths = match &self.widths {
            Some(widths) => widths.clone(),
            None => {
                let widths = table::widths(self.kind.columns, &rows, self.terminal);
                let heads: Vec<String> = self.kind.columns.iter().map(|column| column.head.to_owned()).collect();
                lines.push(table::line(&heads, &widths, is_cut));
                widths
            }
        };
        lines.extend(rows.iter().map(|row| table::line(row, &widths, is_cut)));
        self.widths = Some(widths);
        lines.into_iter().fold(String::new(), |text, line| text + &line + "\n")
    }
}

/// Writes one record.
pub(super) fn one(kind: &Kind, form: Form, record: &str, details: Option<String>) -> Result<(), Failure> {
    let fields = (kind.fields)();
    let cells = cells(record, fields.iter().map(String::as_str));
    output::write(&match form {
        Form::Envelope => format!("{{\"data\":{record}}}\n"),
        Form::Lines => format!("{record}\n"),
        Form::Csv => header(&fields) + &csv::line(&cells),
        Form::Table => {
            let width = fields.iter().map(String::len).max().unwrap_or(0);
            let lines = fields.iter().zip(&cells).map(|(field, cell)| format!("{field:width$}  {}", cell.shown()));
            let text = lines.fold(String::new(), |text, line| text + line.trim_end() + "\n");
            details.map_or_else(|| text.clone(), |details| format!("{text}\n{details}\n"))
        }
    })
}

fn header(fields: &[String]) -> String {
    format!("{}\r\n", fields.join(","))
}

/// The width of the terminal, if standard output is one.
fn terminal_width() -> Option<usize> {
    let stdout = std::io::stdout();
    let size = stdout.is_terminal().then(|| rustix::termios::tcgetwinsize(&stdout).ok()).flatten()?;
    Some(usize::from(size.ws_col)).filter(|width| *width > 0)
}
