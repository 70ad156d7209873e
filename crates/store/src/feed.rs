//! The feed: the events of an organization in one fixed order, which is the order in which they were committed.
//!
//! Positions are assigned by the database: on SQLite by a trigger in the transaction of the change; on PostgreSQL a trigger
//! queues the events, and a placement moves committed ones into the feed. So every committed event gets exactly one
//! position, and no event appears at or below a position that a reader has seen.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::bulk::Bulk;
use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::{Db, Engine};
use crate::error::Error;
use crate::events::EVENTS;
use crate::record;
use crate::row::Row;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::events::Event;
use perennial_domain::id::{ClientId, EventId, OperatorId, OrganizationId};
use perennial_domain::time::Time;

/// The positions of the events.
pub static FEED: Table = Table::new(
    17,
    "feed",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("sequence", Type::Int),
        Column::fixed("event_id", Type::Uuid),
        Column::fixed("entered_at", Type::Time),
    ],
);

/// How many events a page examines at most.
pub const EXAMINED: i64 = 10_000;

/// A place in the feed: a position and the event there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedPosition {
    /// The position. Zero is before the first event.
    pub sequence: i64,
    /// The event at this position.
    pub event_id: EventId,
}

/// An event with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedEvent {
    /// Its position.
    pub sequence: i64,
    /// The event.
    pub event: Event,
}

impl FeedEvent {
    /// Its place in the feed.
    pub fn position(&self) -> FeedPosition {
        FeedPosition { sequence: self.sequence, event_id: self.event.id }
    }
}

/// Which events a page contains.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The types; empty means all.
    pub kinds: Vec<&'static str>,
    /// The record.
    pub record_id: Option<[u8; 16]>,
    /// The client that caused them.
    pub client_id: Option<ClientId>,
    /// The operator who caused them.
    pub operator_id: Option<OperatorId>,
}

impl Filter {
    /// Whether the event is one of those.
    pub fn matches(&self, event: &Event) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&event.kind.as_str()))
            && self.record_id.is_none_or(|id| id == event.record_id)
            && (self.client_id.is_none() || self.client_id == event.client_id)
            && (self.operator_id.is_none() || self.operator_id == event.operator_id)
    }

    /// Whether every event matches.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.record_id.is_none() && self.client_id.is_none() && self.operator_id.is_none()
    }
}

/// The end of what a page examined: the position of the last event, if there was one, and the number of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Examined {
    /// The last event that was examined.
    pub last: Option<FeedPosition>,
    /// The number of events.
    pub count: i64,
}

/// What a placement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The last position of the feed of any organization.
    pub last: i64,
    /// The number of events that entered the feed.
    pub events: i64,
}

/// The types are one text with commas around each, so that the statement has a fixed number of parameters.
const CONDITIONS: &str = "
    ($4 = '' OR FIND(',' || e.kind || ',', $4) > 0)
    AND (NOT $5 OR e.record_id = $6) AND (NOT $7 OR e.client_id = $8) AND (NOT $9 OR e.operator_id = $10)";

pub(crate) static PAGE: LazyLock<Sql> =
    LazyLock::new(|| page_statement("f.sequence > $2 AND f.sequence <= $3", "f.sequence"));

pub(crate) static PAGE_DOWN: LazyLock<Sql> =
    LazyLock::new(|| page_statement("f.sequence < $2 AND f.sequence >= $3", "f.sequence DESC"));

/// PostgreSQL does not know how short the range of a page is, and would join it with all events of the organization. The
/// offset prevents that.
fn page_statement(range: &str, order: &str) -> Sql {
    let statement = |events: &str, find: &str| {
        let conditions = CONDITIONS.replace("FIND(',' || e.kind || ',', $4)", find);
        format!(
            "SELECT {}, f.sequence
             FROM feed AS f {events}
             WHERE f.organization_id = $1 AND {range} AND {conditions}
             ORDER BY {order} LIMIT $11",
            EVENTS.columns_of("e"),
        )
    };
    Sql::built_pair(
        statement(
            "JOIN events AS e ON e.organization_id = f.organization_id AND e.id = f.event_id",
            "INSTR($4, ',' || e.kind || ',')",
        ),
        statement(
            "CROSS JOIN LATERAL (
                 SELECT * FROM events WHERE organization_id = f.organization_id AND id = f.event_id OFFSET 0
             ) AS e",
            "STRPOS($4, ',' || e.kind || ',')",
        ),
    )
}

pub(crate) static END_OF_PAGE: Sql = Sql::new(
    "SELECT f.sequence, f.event_id, n.examined
     FROM (
         SELECT MAX(sequence) AS sequence, COUNT(*) AS examined FROM (
             SELECT sequence FROM feed WHERE organization_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3
         ) AS p
     ) AS n
     JOIN feed AS f ON f.organization_id = $1 AND f.sequence = n.sequence",
);

pub(crate) static END_OF_PAGE_DOWN: Sql = Sql::new(
    "SELECT MIN(sequence), COUNT(*) FROM (
         SELECT sequence FROM feed WHERE organization_id = $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3
     ) AS p HAVING COUNT(*) > 0",
);

pub(crate) static AT: Sql = Sql::new("SELECT event_id FROM feed WHERE organization_id = $1 AND sequence = $2");

pub(crate) static SEQUENCE: Sql = Sql::new("SELECT sequence FROM feed WHERE organization_id = $1 AND event_id = $2");

pub(crate) static OLDEST: Sql =
    Sql::new("SELECT sequence, event_id, entered_at FROM feed WHERE organization_id = $1 ORDER BY sequence LIMIT 1");

pub(crate) static NEWEST: Sql = Sql::new(
    "SELECT sequence, event_id, entered_at FROM feed WHERE organization_id = $1 ORDER BY sequence DESC LIMIT 1",
);

pub(crate) static NEXT: Sql = Sql::new(
    "SELECT sequence, event_id, entered_at FROM feed WHERE organization_id = $1 AND sequence >= $2 ORDER BY sequence LIMIT 1",
);

pub(crate) static BEFORE: Sql = Sql::new(
    "SELECT sequence, event_id, entered_at FROM feed
     WHERE organization_id = $1 AND sequence < $2 ORDER BY sequence DESC LIMIT 1",
);

/// The first events after a position and up to another one.
pub async fn page(
    db: &Db,
    organization: OrganizationId,
    range: (i64, i64),
    filter: &Filter,
    limit: i64,
) -> Result<Vec<FeedEvent>, Error> {
    read_page(db, &PAGE, organization, range, filter, limit).await
}

/// The last events before a position and down to another one, newest first.
pub async fn page_down(
    db: &Db,
    organization: OrganizationId,
    range: (i64, i64),
    filter: &Filter,
    limit: i64,
) -> Result<Vec<FeedEvent>, Error> {
    read_page(db, &PAGE_DOWN, organization, range, filter, limit).await
}

async fn read_page(
    db: &Db,
    statement: &'static Sql,
    organization: OrganizationId,
    (after, last): (i64, i64),
    filter: &Filter,
    limit: i64,
) -> Result<Vec<FeedEvent>, Error> {
    let kinds = if filter.kinds.is_empty() { String::new() } else { format!(",{},", filter.kinds.join(",")) };
    let id = |id: Option<[u8; 16]>| [Value::Bool(id.is_some()), Value::Uuid(id.unwrap_or_default())];
    let mut params: Vec<Value> = vec![organization.bytes().into(), after.into(), last.into(), kinds.as_str().into()];
    params.extend(id(filter.record_id));
    params.extend(id(filter.client_id.map(ClientId::bytes)));
    params.extend(id(filter.operator_id.map(OperatorId::bytes)));
    params.push(limit.into());
    db.all(statement, &params, |row| Ok(FeedEvent { sequence: row.int(EVENTS.width())?, event: record::read(row)? }))
        .await
}

/// What a page after a position examines: at most `most` events.
pub async fn examined(db: &Db, organization: OrganizationId, after: i64, most: i64) -> Result<Examined, Error> {
    let params = [organization.bytes().into(), after.into(), most.into()];
    let found =
        db.one(&END_OF_PAGE, &params, |row| Ok(Examined { last: Some(position(row)?), count: row.int(2)? })).await?;
    Ok(found.unwrap_or(Examined { last: None, count: 0 }))
}

/// The lowest position that a page before a position examines, and whether there may be more below; none if there is no event.
pub async fn examined_down(db: &Db, organization: OrganizationId, before: i64) -> Result<Option<(i64, bool)>, Error> {
    let params = [organization.bytes().into(), before.into(), EXAMINED.into()];
    db.one(&END_OF_PAGE_DOWN, &params, |row| Ok((row.int(0)?, row.int(1)? == EXAMINED))).await
}

/// The event at a position.
pub async fn at(db: &Db, organization: OrganizationId, sequence: i64) -> Result<Option<EventId>, Error> {
    let id = |row: &Row<'_>| Ok(EventId::from_bytes(row.uuid(0)?));
    db.one(&AT, &[organization.bytes().into(), sequence.into()], id).await
}

/// The position of an event; none if it is not placed yet.
pub async fn sequence_of(db: &Db, organization: OrganizationId, id: EventId) -> Result<Option<i64>, Error> {
    db.one(&SEQUENCE, &[organization.bytes().into(), id.bytes().into()], |row| row.int(0)).await
}

/// The oldest event of the feed, and when it entered it.
pub async fn oldest(db: &Db, organization: OrganizationId) -> Result<Option<(FeedPosition, Time)>, Error> {
    db.one(&OLDEST, &[organization.bytes().into()], entry).await
}

/// The newest event of the feed, and when it entered it.
pub async fn newest(db: &Db, organization: OrganizationId) -> Result<Option<(FeedPosition, Time)>, Error> {
    db.one(&NEWEST, &[organization.bytes().into()], entry).await
}

/// When the event at a position entered the feed, or the first one after it.
pub async fn entered_at(db: &Db, organization: OrganizationId, sequence: i64) -> Result<Option<Time>, Error> {
    let found = db.one(&NEXT, &[organization.bytes().into(), sequence.into()], entry).await?;
    Ok(found.map(|(_, entered_at)| entered_at))
}

/// The earliest stored time of an event that entered the feed at or after an instant. SQLite's clock has milliseconds: what is
/// stored with the millisecond of the instant may have entered at or after it.
pub fn stored_since(db: &Db, instant: Time) -> Time {
    if db.is_shared() { instant } else { instant.whole_milliseconds() }
}

/// The last event before the first one that entered the feed at or after an instant; none if that is the oldest event.
///
/// The time of entry never decreases along the feed, so a binary search over the positions needs no index by time.
pub async fn last_before(db: &Db, organization: OrganizationId, instant: Time) -> Result<Option<FeedPosition>, Error> {
    let instant = stored_since(db, instant);
    let (Some((first, _)), Some((last, _))) = (oldest(db, organization).await?, newest(db, organization).await?) else {
        return Ok(None);
    };
    // Every event below `low` entered before the instant; every event from `high` on, at or after it.
    let (mut low, mut high) = (first.sequence, last.sequence + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        match db.one(&NEXT, &[organization.bytes().into(), middle.into()], entry).await? {
            Some((found, entered_at)) if entered_at < instant => low = found.sequence + 1,
            _ => high = middle,
        }
    }
    let before = db.one(&BEFORE, &[organization.bytes().into(), low.into()], entry).await?;
    Ok(before.map(|(position, _)| position))
}

pub(crate) static DUE: Sql =
    Sql::new("SELECT sequence FROM feed WHERE organization_id = $1 AND sequence <= $2 ORDER BY sequence LIMIT $3");

/// On PostgreSQL an array: it would join a part of unknown size with the whole table.
pub(crate) static PRUNE_EVENTS: Sql = Sql::split(
    "DELETE FROM events WHERE organization_id = $1 AND id IN (
         SELECT event_id FROM feed WHERE organization_id = $1 AND sequence <= $2 ORDER BY sequence LIMIT $3)",
    "DELETE FROM events WHERE organization_id = $1 AND id = ANY (ARRAY(
         SELECT event_id FROM feed WHERE organization_id = $1 AND sequence <= $2 ORDER BY sequence LIMIT $3))",
);

pub(crate) static PRUNE: Sql = Sql::split(
    "DELETE FROM feed WHERE organization_id = $1 AND sequence IN (
         SELECT sequence FROM feed WHERE organization_id = $1 AND sequence <= $2 ORDER BY sequence LIMIT $3)",
    "DELETE FROM feed WHERE organization_id = $1 AND sequence = ANY (ARRAY(
         SELECT sequence FROM feed WHERE organization_id = $1 AND sequence <= $2 ORDER BY sequence LIMIT $3))",
);

/// The first positions up to and including `last`.
pub async fn due(db: &Db, organization: OrganizationId, last: i64, limit: i64) -> Result<Vec<i64>, Error> {
    db.all(&DUE, &[organization.bytes().into(), last.into(), limit.into()], |row| row.int(0)).await
}

/// Removes the first `limit` events up to and including a position, which must not be the newest: positions continue after
/// the newest one.
pub fn prune(change: Change, organization: OrganizationId, last: i64, limit: i64) -> Change {
    let params = || vec![organization.bytes().into(), last.into(), limit.into()];
    change.execute_any(&PRUNE_EVENTS, params()).execute_any(&PRUNE, params())
}

pub(crate) static FORGET: Sql =
    Sql::split("DELETE FROM feed", "DELETE FROM feed_queue WHERE transaction_id = pg_current_xact_id()");

/// Committed events that get their position later, in its order. On SQLite there are none.
pub(crate) static QUEUED: Sql = Sql::split(
    "SELECT organization_id, event_id FROM feed WHERE FALSE",
    "SELECT e.organization_id, e.event_id
     FROM feed_queue AS q,
          UNNEST(COALESCE(q.organization_ids, ARRAY[q.organization_id]), COALESCE(q.event_ids, ARRAY[q.event_id]))
              WITH ORDINALITY AS e (organization_id, event_id, position)
     ORDER BY q.transaction_id, q.place, e.position",
);

/// The next position of the feed.
pub(crate) static PLACE_QUEUED: Sql = Sql::split(
    "INSERT INTO feed (organization_id, sequence, event_id, entered_at)
     SELECT $1,
            COALESCE((SELECT sequence FROM feed WHERE organization_id = $1 ORDER BY sequence DESC LIMIT 1), 0) + 1,
            $2,
            COALESCE((SELECT entered_at FROM feed WHERE organization_id = $1 ORDER BY sequence DESC LIMIT 1), e.at)
     FROM events AS e WHERE e.organization_id = $1 AND e.id = $2",
    "INSERT INTO feed_queue (organization_id, event_id) VALUES ($1, $2)",
);

pub(crate) static ENDS: Sql = Sql::new(
    "SELECT o.id, COALESCE((SELECT MAX(f.sequence) FROM feed AS f WHERE f.organization_id = o.id), 0)
     FROM organizations AS o ORDER BY o.id",
);

pub(crate) static WITHDRAW: Sql = Sql::split(
    "DELETE FROM feed WHERE organization_id = $1 AND sequence > $2",
    "DELETE FROM feed_queue
     WHERE transaction_id = pg_current_xact_id() AND organization_id = $1 AND $2::bigint IS NOT NULL",
);

/// On SQLite the next position follows from the rows.
pub(crate) static RESUME: Sql = Sql::split(
    "DELETE FROM feed WHERE FALSE",
    "UPDATE feed_end SET
         sequence = GREATEST(sequence, (SELECT COALESCE(MAX(f.sequence), 0) FROM feed AS f)),
         entered_at = GREATEST(entered_at, (SELECT COALESCE(MAX(f.entered_at), feed_end.entered_at) FROM feed AS f))",
);

/// Forgets the positions of the events that this transaction has written into an empty store: a copy has those of the
/// original.
pub async fn forget_copied(bulk: &mut Bulk) -> Result<(), Error> {
    bulk.execute(&FORGET, &[Vec::new()]).await.map(drop)
}

/// The last position of every organization at an instant.
#[derive(Debug)]
pub struct Ends(HashMap<OrganizationId, i64>);

/// The ends of the feed, for [`withdraw`] in the same transaction.
pub async fn ends(bulk: &mut Bulk) -> Result<Ends, Error> {
    let ends = bulk.all(&ENDS, &[], |row| Ok((OrganizationId::from_bytes(row.uuid(0)?), row.int(1)?))).await?;
    Ok(Ends(ends.into_iter().collect()))
}

/// Removes the events that this transaction has written from the feed. `before` are the ends of the feed when it began.
pub async fn withdraw(bulk: &mut Bulk, before: &Ends) -> Result<(), Error> {
    let end = |organization: &OrganizationId| before.0.get(organization).copied().unwrap_or(0);
    let row = |organization: &OrganizationId| vec![organization.bytes().into(), end(organization).into()];
    let rows: Vec<Vec<Value>> = ends(bulk).await?.0.keys().map(row).collect();
    bulk.execute(&WITHDRAW, &rows).await.map(drop)
}

/// The events of a store that is copied which have no position yet. An import may have left others out of the feed.
pub async fn queued(bulk: &mut Bulk) -> Result<Vec<Vec<Value>>, Error> {
    bulk.all(&QUEUED, &[], |row| Ok(vec![Value::Uuid(row.uuid(0)?), Value::Uuid(row.uuid(1)?)])).await
}

/// Ends a copy: the queued events and all later ones get positions after those that were copied.
pub async fn resume(bulk: &mut Bulk, queued: &[Vec<Value>]) -> Result<(), Error> {
    bulk.execute(&RESUME, &[Vec::new()]).await?;
    bulk.execute(&PLACE_QUEUED, queued).await.map(drop)
}

impl Db {
    /// Whether there are committed events without a position. Never on SQLite.
    pub async fn has_unplaced_events(&self) -> Result<bool, Error> {
        match &self.engine {
            Engine::Sqlite(_) => Ok(false),
            Engine::Postgres(postgres) => Box::pin(postgres.has_unplaced()).await,
        }
    }

    /// Moves committed events into the feed. None if another server does so now, and on SQLite, where each event has its
    /// position when it is committed.
    pub async fn place_events(&self) -> Result<Option<Placed>, Error> {
        match &self.engine {
            Engine::Sqlite(_) => Ok(None),
            Engine::Postgres(postgres) => Box::pin(postgres.place()).await,
        }
    }
}

fn entry(row: &Row<'_>) -> Result<(FeedPosition, Time), Error> {
    Ok((position(row)?, codec::read_time(row.time(2)?)?))
}

fn position(row: &Row<'_>) -> Result<FeedPosition, Error> {
    Ok(FeedPosition { sequence: row.int(0)?, event_id: EventId::from_bytes(row.uuid(1)?) })
}
