//! Exports every record of a store as lines, from one snapshot, one portion at a time.

use super::kinds::ALL;
use super::record::Kind;
use super::{Format, PAGE, csv};
use perennial_app::error::Error;
use perennial_store::transfer::Values;
use perennial_store::{Bulk, Db, Value};

/// A running export.
pub struct Export {
    bulk: Bulk,
    format: Format,
    /// The number of records.
    pub total: u64,
    kind: usize,
    after: Option<Values>,
}

/// Some lines of one kind.
pub struct Portion {
    /// The file they belong to, if each kind has its own file.
    pub file: &'static str,
    /// The lines, each with its line end.
    pub lines: String,
    /// The number of records.
    pub records: u64,
}

impl Export {
    /// Opens a snapshot of the store.
    pub async fn begin(db: &Db, format: Format) -> Result<Self, Error> {
        let mut bulk = db.snapshot().await?;
        let mut total = 0;
        for kind in ALL {
            total += kind.table.count(&mut bulk).await?.unsigned_abs();
        }
        Ok(Self { bulk, format, total, kind: 0, after: None })
    }

    /// The next lines. None at the end.
    pub async fn next(&mut self) -> Result<Option<Portion>, Error> {
        while let Some(kind) = ALL.get(self.kind) {
            let page = kind.table.page(&mut self.bulk, self.after.as_deref(), PAGE).await?;
            if let Some(last) = page.last() {
                let mut lines = String::new();
                if self.format == Format::Csv && self.after.is_none() {
                    csv::write_head(kind, &mut lines);
                }
                self.after = Some(kind.table.key(last).to_vec());
                for row in &page {
                    match self.format {
                        Format::Ndjson => write(kind, row, &mut lines),
                        Format::Csv => csv::write(kind, row, event_kind(kind, row), &mut lines),
                    }
                }
                return Ok(Some(Portion { file: kind.table.name, lines, records: page.len() as u64 }));
            }
            self.kind += 1;
            self.after = None;
        }
        Ok(None)
    }
}

/// Writes a record and the line end.
pub(super) fn write(kind: &Kind, row: &[Value], out: &mut String) {
    let event_kind = event_kind(kind, row);
    out.push_str("{\"type\":\"");
    out.push_str(kind.name);
    out.push('"');
    for (field, value) in kind.fields().iter().zip(row) {
        out.push_str(",\"");
        out.push_str(field.name);
        out.push_str("\":");
        field.form.write(value, event_kind, out);
    }
    out.push_str("}\n");
}

/// The kind of an event. Empty for other records.
fn event_kind<'a>(kind: &Kind, row: &'a [Value]) -> &'a str {
    match kind.table.place("kind").map(|place| &row[place]) {
        Some(Value::Text(event_kind)) => event_kind,
        _ => "",
    }
}
