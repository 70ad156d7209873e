//! Events as the ledger reads them: in the order of the feed, and only what figures depend on.
//!
//! Each position is read once. Of an event of another kind there is the position alone, so that one statement finds both where a
//! portion of the feed ends and what counts in it.

use std::sync::LazyLock;

use crate::codec;
use crate::db::Db;
use crate::error::Error;
use crate::feed::FeedPosition;
use crate::row::Row;
use crate::sql::Sql;
use perennial_domain::analytics::event::RecordEvent;
use perennial_domain::events::EventKind;
use perennial_domain::id::{EventId, OrganizationId};

/// A place in the feed, and the event there if it is of a kind that counts.
#[derive(Clone, Debug)]
pub struct LedgerEvent {
    /// Its place.
    pub position: FeedPosition,
    /// What it contains.
    pub content: Option<RecordEvent>,
}

/// The bound above makes PostgreSQL expect few rows, and the offset prevents it from joining them with all events of the
/// organization.
pub(crate) static AFTER: LazyLock<Sql> = LazyLock::new(|| {
    let statement = |events: &str| {
        format!(
            "SELECT f.sequence, f.event_id, e.kind, e.record_id, e.at, e.before, e.after
             FROM feed AS f LEFT JOIN {events}
             WHERE f.organization_id = $1 AND f.sequence > $2 AND f.sequence <= $3
             ORDER BY f.sequence LIMIT $5"
        )
    };
    Sql::built_pair(
        statement(
            "events AS e ON e.organization_id = f.organization_id AND e.id = f.event_id
                 AND INSTR($4, ',' || e.kind || ',') > 0",
        ),
        statement(
            "LATERAL (
                 SELECT kind, record_id, at, before, after FROM events
                 WHERE organization_id = f.organization_id AND id = f.event_id AND STRPOS($4, ',' || kind || ',') > 0 OFFSET 0
             ) AS e ON TRUE",
        ),
    )
});

/// The first positions after one, with the events of these kinds.
pub async fn after(
    db: &Db,
    organization: OrganizationId,
    sequence: i64,
    kinds: &[&str],
    limit: i64,
) -> Result<Vec<LedgerEvent>, Error> {
    let kinds = format!(",{},", kinds.join(","));
    let params = [organization.bytes().into(), sequence.into(), i64::MAX.into(), kinds.as_str().into(), limit.into()];
    db.all(&AFTER, &params, read).await
}

fn read(row: &Row<'_>) -> Result<LedgerEvent, Error> {
    let position = FeedPosition { sequence: row.int(0)?, event_id: EventId::from_bytes(row.uuid(1)?) };
    let content = match row.optional_text_ref(2)? {
        None => None,
        Some(kind) => Some(RecordEvent {
            kind: codec::word(kind, EventKind::from_stored)?,
            record_id: row.uuid(3)?,
            at: codec::read_time(row.time(4)?)?,
            stored_before: row.optional_text(5)?,
            after: row.optional_text(6)?,
        }),
    };
    Ok(LedgerEvent { position, content })
}
