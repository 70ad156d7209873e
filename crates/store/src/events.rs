//! Events in the store: appended, read in order, pruned by age, never rewritten.

use std::sync::LazyLock;

use crate::change::Change;
use crate::column::Column;
use crate::db::Db;
use crate::error::Error;
use crate::record::{self, Purpose, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::{Conflict, Table};
use crate::value::{Type, Value};
use perennial_domain::events::{Event, EventKind, difference};
use perennial_domain::id::{ClientId, EventId, OperatorId, OrganizationId};

/// The events: appended, never rewritten.
pub static EVENTS: Table = Table::new(
    10,
    "events",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("kind", Type::Text),
        Column::fixed("record_id", Type::Uuid),
        Column::fixed("client_id", Type::Uuid).nullable(),
        Column::fixed("operator_id", Type::Uuid).nullable(),
        Column::fixed("request_id", Type::Text).nullable(),
        Column::fixed("at", Type::Time),
        Column::fixed("previous_id", Type::Uuid).nullable(),
        Column::fixed("before", Type::Text).nullable(),
        Column::fixed("after", Type::Text).nullable(),
    ],
)
.on_conflict(Conflict::Fail);

pub(crate) static NEWEST: LazyLock<Sql> =
    LazyLock::new(|| EVENTS.select("WHERE organization_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"));

impl Record for Event {
    fn table() -> &'static Table {
        &EVENTS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.text("kind", self.kind.as_str());
        row.uuid("record_id", self.record_id);
        row.optional_uuid("client_id", self.client_id.map(ClientId::bytes));
        row.optional_uuid("operator_id", self.operator_id.map(OperatorId::bytes));
        row.optional_text("request_id", self.request_id.as_deref());
        row.time("at", self.at);
        row.optional_uuid("previous_id", self.previous_id.map(EventId::bytes));
        let before = match (&self.before, &self.after) {
            (Some(before), Some(after)) => Some(difference::shorten(before, after)),
            (before, _) => before.clone(),
        };
        row.optional_text("before", before.as_deref());
        row.optional_text("after", self.after.as_deref());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        let mut event = Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: EventId::from_bytes(row.uuid("id")?),
            kind: row.word("kind", EventKind::from_stored)?,
            record_id: row.uuid("record_id")?,
            client_id: row.optional_uuid("client_id")?.map(ClientId::from_bytes),
            operator_id: row.optional_uuid("operator_id")?.map(OperatorId::from_bytes),
            request_id: row.optional_text("request_id")?,
            at: row.time("at")?,
            previous_id: row.optional_uuid("previous_id")?.map(EventId::from_bytes),
            before: row.optional_text("before")?,
            after: row.optional_text("after")?,
        };
        event.before = event.before.map(|stored| restored(stored, event.after.as_deref())).transpose()?;
        Ok(event)
    }
}

/// The record before a change, from what the column stores.
fn restored(stored: String, after: Option<&str>) -> Result<String, Error> {
    let misfit = || Error::Internal("what a stored event has of the record before does not fit that after".to_owned());
    difference::restore(stored, after).ok_or_else(misfit)
}

/// Restores the record before a change in a row of this table.
pub(crate) fn restore_row(row: &mut [Value]) -> Result<(), Error> {
    if let [.., Value::Text(before), after] = row {
        let after = if let Value::Text(after) = after { Some(after.as_str()) } else { None };
        *before = restored(std::mem::take(before), after)?;
    }
    Ok(())
}

/// Shortens the record before a change in a row of this table.
pub(crate) fn shorten_row(row: &mut [Value]) {
    if let [.., Value::Text(before), Value::Text(after)] = row {
        *before = difference::shorten(before, after);
    }
}

/// Writes the event in the same transaction as the change it describes.
pub fn insert(change: Change, event: &Event) -> Change {
    change.event(&EVENTS.statements().insert, record::values(event, Purpose::Insert))
}

/// The event with this ID.
pub async fn by_id(db: &Db, organization: OrganizationId, id: EventId) -> Result<Option<Event>, Error> {
    record::by_id(db, organization, id.bytes()).await
}

/// Events older than `before`, newest first.
pub async fn newest(db: &Db, organization: OrganizationId, before: EventId, limit: i64) -> Result<Vec<Event>, Error> {
    db.all(&NEWEST, &[organization.bytes().into(), before.bytes().into(), limit.into()], record::read).await
}
