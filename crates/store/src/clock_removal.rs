//! The removal of what a test clock governs: records and their events. It is done in bounded parts, each of which can be
//! repeated, so that an interrupted removal continues.

use crate::change::Change;
use crate::db::Db;
use crate::error::Error;
use crate::sql::Sql;
use crate::value::Value;
use perennial_domain::events::{EventKind, RecordKind};
use perennial_domain::id::{EventId, OrganizationId};

pub(crate) static PART: Sql =
    Sql::new("SELECT id FROM events WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3");

/// The types are one text with commas around each. The event `$5` stays.
pub(crate) static REMOVE_POSITIONS: Sql = Sql::split(
    "DELETE FROM feed WHERE organization_id = $1 AND sequence IN (
         SELECT f.sequence FROM events AS e
         JOIN feed AS f ON f.organization_id = e.organization_id AND f.event_id = e.id
         WHERE e.organization_id = $1 AND e.id > $2 AND e.id <= $3 AND e.id <> $5
             AND INSTR($4, ',' || e.kind || ',') > 0)",
    "DELETE FROM feed WHERE organization_id = $1 AND sequence IN (
         SELECT f.sequence FROM events AS e
         JOIN feed AS f ON f.organization_id = e.organization_id AND f.event_id = e.id
         WHERE e.organization_id = $1 AND e.id > $2 AND e.id <= $3 AND e.id <> $5
             AND STRPOS($4, ',' || e.kind || ',') > 0)",
);

pub(crate) static REMOVE_EVENTS: Sql = Sql::split(
    "DELETE FROM events WHERE organization_id = $1 AND id > $2 AND id <= $3 AND id <> $5
         AND INSTR($4, ',' || kind || ',') > 0",
    "DELETE FROM events WHERE organization_id = $1 AND id > $2 AND id <= $3 AND id <> $5
         AND STRPOS($4, ',' || kind || ',') > 0",
);

/// Webhooks of events that are gone.
pub(crate) static REMOVE_UNDELIVERED: Sql = Sql::new(
    "DELETE FROM webhook_undelivered WHERE organization_id = $1 AND NOT EXISTS (
         SELECT 1 FROM events AS e WHERE e.organization_id = $1 AND e.id = webhook_undelivered.event_id)",
);

/// Stored responses: a retry must not return a record that is gone.
pub(crate) static REMOVE_KEYS: Sql = Sql::new("DELETE FROM idempotency_keys WHERE organization_id = $1");

/// The last of the next `limit` events after one; none if there are no more.
pub async fn end_of_part(
    db: &Db,
    organization: OrganizationId,
    after: EventId,
    limit: i64,
) -> Result<Option<EventId>, Error> {
    let params = [organization.bytes().into(), after.bytes().into(), limit.into()];
    Ok(db.all(&PART, &params, |row| Ok(EventId::from_bytes(row.uuid(0)?))).await?.pop())
}

/// Removes the events of records under the clock after one event and up to another one, with their positions in the feed. The
/// event `except` stays.
pub fn remove_events(
    change: Change,
    organization: OrganizationId,
    (after, last): (EventId, EventId),
    except: EventId,
) -> Change {
    let params = || -> Vec<Value> {
        let kinds = kinds();
        let (after, last, except) = (after.bytes(), last.bytes(), except.bytes());
        vec![organization.bytes().into(), after.into(), last.into(), kinds.as_str().into(), except.into()]
    };
    change.execute_any(&REMOVE_POSITIONS, params()).execute_any(&REMOVE_EVENTS, params())
}

/// Removes what refers to removed records and events.
pub fn remove_traces(change: Change, organization: OrganizationId) -> Change {
    let params = || vec![organization.bytes().into()];
    change.execute_any(&REMOVE_UNDELIVERED, params()).execute_any(&REMOVE_KEYS, params())
}

/// The types of events of records under the clock, with commas around each.
fn kinds() -> String {
    let kinds = EventKind::ALL.iter().filter(|kind| RecordKind::is_under_clock(kind.record_kind()));
    kinds.fold(",".to_owned(), |list, kind| list + kind.as_str() + ",")
}
