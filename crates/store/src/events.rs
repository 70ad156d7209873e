//! Events in the store: appended, read in order, pruned by age, never rewritten.

use crate::change::Change;
use crate::row::Row;
use crate::sql::{Insert, Sql};
use crate::value::{Type, Value};
use crate::{Db, Error, codec};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{ClientId, EventId, OrganizationId};

pub(crate) static INSERT: Insert = Insert::new(
    "events",
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("kind", Type::Text),
        ("record_id", Type::Uuid),
        ("client_id", Type::Uuid),
        ("request_id", Type::Text),
        ("at", Type::Time),
        ("before", Type::Text),
        ("after", Type::Text),
    ],
    "",
);

pub(crate) static NEWEST: Sql = Sql::new(
    "SELECT organization_id, id, kind, record_id, client_id, request_id, at, before, after
     FROM events
     WHERE organization_id = $1 AND id < $2
     ORDER BY id DESC
     LIMIT $3",
);

macro_rules! due {
    () => {
        "SELECT id FROM events
         WHERE organization_id = $1 AND id < $2
         ORDER BY id
         LIMIT $3"
    };
}

pub(crate) static DUE: Sql = Sql::new(due!());

/// See the sweep of idempotency keys.
pub(crate) static PRUNE: Sql = Sql::split(
    concat!("DELETE FROM events WHERE organization_id = $1 AND id IN (", due!(), ")"),
    concat!("DELETE FROM events WHERE organization_id = $1 AND id IN (", due!(), " FOR UPDATE SKIP LOCKED)"),
);

/// Writes the event with the change it tells of.
pub fn insert(change: Change, event: &Event) -> Change {
    change.event(&INSERT, values(event))
}

/// An event as [`INSERT`] has it.
pub(crate) fn values(event: &Event) -> Vec<Value> {
    vec![
        event.organization_id.bytes().into(),
        event.id.bytes().into(),
        event.kind.as_str().into(),
        event.record_id.into(),
        event.client_id.map(ClientId::bytes).into(),
        event.request_id.as_deref().into(),
        codec::time(event.at),
        event.before.as_deref().into(),
        event.after.as_deref().into(),
    ]
}

/// Events older than `before`, newest first.
pub async fn newest(db: &Db, organization: OrganizationId, before: EventId, limit: i64) -> Result<Vec<Event>, Error> {
    db.all(&NEWEST, &[organization.bytes().into(), before.bytes().into(), limit.into()], read).await
}

/// The ids of the first `limit` events older than `before`, oldest first.
pub async fn due(db: &Db, organization: OrganizationId, before: EventId, limit: i64) -> Result<Vec<EventId>, Error> {
    db.all(&DUE, &bounds(organization, before, limit), |row| Ok(EventId::from_bytes(row.uuid(0)?))).await
}

/// Removes up to `limit` events older than `before`, oldest first.
pub fn prune(change: Change, organization: OrganizationId, before: EventId, limit: i64) -> Change {
    change.execute_any(&PRUNE, bounds(organization, before, limit).into())
}

fn bounds(organization: OrganizationId, before: EventId, limit: i64) -> [Value; 3] {
    [organization.bytes().into(), before.bytes().into(), limit.into()]
}

fn read(row: &Row<'_>) -> Result<Event, Error> {
    Ok(Event {
        organization_id: OrganizationId::from_bytes(row.uuid(0)?),
        id: EventId::from_bytes(row.uuid(1)?),
        kind: codec::word(row.text_ref(2)?, EventKind::from_stored)?,
        record_id: row.uuid(3)?,
        client_id: row.optional_uuid(4)?.map(ClientId::from_bytes),
        request_id: row.optional_text(5)?,
        at: codec::read_time(row.time(6)?)?,
        before: row.optional_text(7)?,
        after: row.optional_text(8)?,
    })
}
