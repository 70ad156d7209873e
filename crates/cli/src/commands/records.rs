//! `list` and `get` for every kind of record, as a table, as JSON or as CSV.
//! A list is read and written one page at a time, so that memory use does not depend on its length.
//!
//! To add a kind, implement [`Record`], add its flags to `arguments/records.rs` and its line to `commands.rs`.

mod csv;
mod kind;
mod sheet;
mod table;

pub(super) use kind::Kind;
pub(super) use table::Column;

use super::flags::organization;
use crate::arguments::{Format, Portion, RecordCommand, RecordFlags, Single};
use crate::failure::Failure;
use perennial_app::business_time;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_domain::time::Time;
use perennial_store::{Page, Position};
use serde::Serialize;
use sheet::{Form, Sheet};

/// Records that are read and written at a time.
pub(super) const PAGE_SIZE: usize = 200;

/// A record that the operator lists and reads.
pub(super) trait Record: Sized {
    /// The flags of `list`.
    type Filters;
    /// The filters and the sort order of a list.
    type Query;

    const KIND: &'static Kind;

    /// The record that an argument names, by its ID or another unique name.
    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error>;

    /// Reads the flags of `list`.
    async fn query(app: &App, caller: &Caller, filters: &Self::Filters) -> Result<Self::Query, Failure>;

    /// A page of the list after a position.
    async fn page(
        app: &App,
        caller: &Caller,
        query: &Self::Query,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Page<Self>, Error>;

    /// The record's position in the list.
    fn position(&self, query: &Self::Query) -> Position;

    /// The name that `find` accepts.
    fn name(&self) -> String;

    /// The record as the API returns it.
    fn render(&self, app: &App) -> String;

    /// More about the record, below its fields: lists that do not fit into one row.
    fn details(&self) -> Option<String> {
        None
    }

    /// The record as the API returns it at the instant that is now for its organization.
    fn render_at(&self, app: &App, _now: Time) -> String {
        self.render(app)
    }
}

/// Runs `list` or `get`.
pub(super) async fn run<R>(app: &App, command: RecordCommand<R::Filters>, json: bool) -> Result<(), Failure>
where
    R: Record<Filters: RecordFlags>,
{
    match command {
        RecordCommand::List(list) => self::list::<R>(app, &list.filters, &list.portion, json).await,
        RecordCommand::Get { named, single } => get::<R>(app, &named, &single, json).await,
    }
}

/// Writes a list: `--limit` records, or all.
pub(super) async fn list<R: Record>(
    app: &App,
    filters: &R::Filters,
    portion: &Portion,
    json: bool,
) -> Result<(), Failure> {
    let caller = Caller::system(organization(app, &portion.org.org).await?.id);
    let query = R::query(app, &caller, filters).await?;
    let mut after = match &portion.after {
        Some(named) => Some(find::<R>(app, &caller, named).await?.position(&query)),
        None => None,
    };
    let mut sheet = Sheet::new(R::KIND, form(json, portion.output.format)?);
    let mut left = if portion.all { usize::MAX } else { portion.limit as usize };
    let mut last = None;
    let now = business_time::now(app, &caller).await?;
    loop {
        let page = R::page(app, &caller, &query, after, left.min(PAGE_SIZE)).await?;
        left = left.saturating_sub(page.items.len());
        let texts: Vec<String> = page.items.iter().map(|record| record.render_at(app, now)).collect();
        last = page.items.last().map(R::name).or(last);
        if !sheet.add(&texts)? {
            return Ok(());
        }
        after = page.next;
        // A page can be empty and have a next one: filters are tested on a bounded number of rows.
        if after.is_none() || left == 0 {
            break;
        }
    }
    sheet.end(last.as_deref().filter(|_| after.is_some()), (!portion.all).then_some(portion.limit))
}

/// Writes one record.
pub(super) async fn get<R: Record>(app: &App, named: &str, single: &Single, json: bool) -> Result<(), Failure> {
    let caller = Caller::system(organization(app, &single.org.org).await?.id);
    let record = find::<R>(app, &caller, named).await?;
    sheet::one(
        R::KIND,
        form(json, single.output.format)?,
        &record.render_at(app, business_time::now(app, &caller).await?),
        record.details(),
    )
}

/// Writes records that were read at once.
pub(super) fn write<T: Serialize>(kind: &Kind, records: &[T], single: &Single, json: bool) -> Result<(), Failure> {
    written(kind, records, single, json)?.end(None, None)
}

/// The same, with one more member of the API's response.
pub(super) fn write_with<T: Serialize, M: Serialize>(
    kind: &Kind,
    records: &[T],
    member: (&str, &M),
    single: &Single,
    json: bool,
) -> Result<(), Failure> {
    written(kind, records, single, json)?.end_with(None, None, Some((member.0, text(member.1))))
}

fn written<'a, T: Serialize>(kind: &'a Kind, records: &[T], single: &Single, json: bool) -> Result<Sheet<'a>, Failure> {
    let mut sheet = Sheet::new(kind, form(json, single.output.format)?);
    sheet.add(&records.iter().map(text).collect::<Vec<_>>())?;
    Ok(sheet)
}

/// The record that an argument names. The failure names the command that lists them.
pub(super) async fn find<R: Record>(app: &App, caller: &Caller, named: &str) -> Result<R, Failure> {
    match R::find(app, caller, named).await {
        Err(Error::NotFound) => Err(R::KIND.missing(named)),
        found => Ok(found?),
    }
}

/// An ID that an argument names. Text that is no ID names no record.
pub(super) fn parse_id<T: std::str::FromStr>(named: &str) -> Result<T, Error> {
    named.parse().map_err(|_| Error::NotFound)
}

/// The position of a record in a list that is sorted by ID.
pub(super) fn position_of(id: [u8; 16]) -> Position {
    Position { values: vec![id.into()] }
}

/// A record as JSON.
pub(super) fn text<T: Serialize>(record: &T) -> String {
    serde_json::to_string(record).expect("a record is plain data")
}

/// The output format.
fn form(json: bool, format: Option<Format>) -> Result<Form, Failure> {
    match (json, format) {
        (true, Some(_)) => Err(Failure::new("give --json or --output, not both")),
        (true, None) => Ok(Form::Envelope),
        (false, Some(Format::Json)) => Ok(Form::Lines),
        (false, Some(Format::Csv)) => Ok(Form::Csv),
        (false, Some(Format::Table) | None) => Ok(Form::Table),
    }
}
