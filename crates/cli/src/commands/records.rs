//! Records at the terminal: a list or one of them, as a table, as JSON or as CSV.
//! A list is read and written a portion at a time, so that the longest takes no more memory than the shortest.

pub(super) mod csv;
mod sheet;
mod table;

pub(super) use table::Column;

use crate::arguments::{Format, Portion, Single};
use crate::failure::Failure;
use perennial_store::{Page, Position};
use serde::Serialize;
use sheet::{Form, Sheet};

/// Records that are read and written at a time.
const AT_ONCE: usize = 200;

/// What kind of record it is.
pub(super) struct Kind {
    /// What people call it.
    pub(super) name: &'static str,
    /// The fields of its record, in the API's order.
    pub(super) fields: &'static [&'static str],
    /// The columns of a table of them.
    pub(super) columns: &'static [Column],
}

impl Kind {
    /// Why there is nothing to show.
    pub(super) fn missing(&self, named: &str) -> Failure {
        let name = self.name;
        Failure::new(format!("there is no {name} {named:?}: see `perennial {name} list`"))
    }
}

/// A record as the API answers it.
pub(super) fn text<T: Serialize>(record: &T) -> String {
    serde_json::to_string(record).expect("a record is plain data")
}

/// How it is to be written.
fn form(json: bool, format: Option<Format>) -> Result<Form, Failure> {
    match (json, format) {
        (true, Some(_)) => Err(Failure::new("give --json or --output, not both")),
        (true, None) => Ok(Form::Envelope),
        (false, Some(Format::Json)) => Ok(Form::Lines),
        (false, Some(Format::Csv)) => Ok(Form::Csv),
        (false, Some(Format::Table) | None) => Ok(Form::Table),
    }
}

/// Writes a list, as much of it as was asked for. `pages` reads on from a place; `record` is an item's id and its text.
pub(super) async fn list<T>(
    kind: &Kind,
    json: bool,
    portion: &Portion,
    after: Option<Position>,
    pages: impl AsyncFn(Option<Position>, usize) -> Result<Page<T>, Failure>,
    record: impl Fn(&T) -> (String, String),
) -> Result<(), Failure> {
    let mut sheet = Sheet::new(kind, form(json, portion.output.format)?);
    let mut left = if portion.all { usize::MAX } else { portion.limit as usize };
    let (mut place, mut last) = (after, None);
    loop {
        let page = pages(place, left.min(AT_ONCE)).await?;
        left = left.saturating_sub(page.items.len());
        let (ids, texts): (Vec<String>, Vec<String>) = page.items.iter().map(&record).unzip();
        last = ids.into_iter().next_back().or(last);
        if !sheet.add(&texts)? {
            return Ok(());
        }
        place = page.next;
        // A page may be empty and still have a next one: filters are tested on a bounded walk.
        if place.is_none() || left == 0 {
            break;
        }
    }
    sheet.end(last.as_deref().filter(|_| place.is_some()), (!portion.all).then_some(portion.limit))
}

/// Writes one record.
pub(super) fn show(kind: &Kind, json: bool, single: &Single, record: &str) -> Result<(), Failure> {
    sheet::one(kind, form(json, single.output.format)?, record)
}
