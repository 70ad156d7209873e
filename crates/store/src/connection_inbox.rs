//! The inbox of connections in the store: one row for each webhook, found by its key, its object and when it is due.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::connection_bucket;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::leases::{self, Unit};
use crate::list::{BY_CREATION, KeysetQuery, Order, Page, Position};
use crate::record::{self, Record, RowReader, RowWriter};
use crate::row::Row;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::bucket::Bucket;
use perennial_domain::connections::inbox::{InboxItem, InboxState, LOOK_SECONDS, Outcome};
use perennial_domain::id::{ConnectionId, OrganizationId};
use perennial_domain::time::Time;

/// The inbox of every connection.
pub static CONNECTION_INBOX: Table = Table::new(
    50,
    "connection_inbox",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("connection_id", Type::Uuid),
        Column::fixed("event_key", Type::Text),
        Column::fixed("kind", Type::Text).nullable(),
        Column::fixed("object", Type::Text).nullable(),
        Column::fixed("object_id", Type::Text).nullable(),
        Column::fixed("unit", Type::Uuid).nullable(),
        Column::fixed("state", Type::Text),
        Column::fixed("code", Type::Text).nullable(),
        Column::fixed("attempts", Type::Int),
        Column::fixed("next_attempt_at", Type::Time).nullable(),
        Column::fixed("occurred_at", Type::Time).nullable(),
        Column::fixed("received_at", Type::Time),
        Column::fixed("settled_at", Type::Time).nullable(),
        Column::fixed("body", Type::Bytes).nullable(),
    ],
)
.personal();

/// The background work of an object at a provider.
pub const JOB: &str = "connections";

/// Enabled connections with a hint that is due, each with its bucket and the clock of the database. `$1` is now. Hints of paused
/// connections are not due; the oldest one of a failing connection is due at the time of its probe too.
pub(crate) static DUE_CONNECTIONS: LazyLock<Sql> = LazyLock::new(|| {
    leases::timed(
        "SELECT s.tokens, s.tokens_at, s.paused_until, s.slow_until, {now}, c.organization_id, c.id, c.requests_per_minute
         FROM connections AS c
         JOIN connection_states AS s ON s.organization_id = c.organization_id AND s.connection_id = c.id
         WHERE c.deleted_at IS NULL AND c.is_enabled AND (s.paused_until IS NULL OR s.paused_until <= $1)
             AND EXISTS (
                 SELECT 1 FROM connection_inbox AS i
                 WHERE i.organization_id = c.organization_id AND i.connection_id = c.id AND i.state = 'waiting'
                     AND i.next_attempt_at <= $1)",
    )
});

/// Objects of a connection with a hint that is due and that no server holds, the oldest hints first. `$3` is now.
pub(crate) static DUE_UNITS: LazyLock<Sql> = LazyLock::new(|| {
    leases::timed(
        "SELECT i.unit
         FROM connection_inbox AS i
         LEFT JOIN leases AS l ON l.organization_id = i.organization_id AND l.job = 'connections' AND l.unit = i.unit
         WHERE i.organization_id = $1 AND i.connection_id = $2 AND i.state = 'waiting' AND i.next_attempt_at <= $3
             AND (l.expires_at IS NULL OR l.expires_at <= {now})
         ORDER BY i.next_attempt_at LIMIT $4",
    )
});

/// Connections whose oldest hint is to be tried although requests fail. `$1` is now.
pub(crate) static PROBES: Sql = Sql::new(
    "SELECT s.organization_id, s.connection_id FROM connection_states AS s
     WHERE s.probe_at <= $1",
);

/// The oldest hint of a connection is due.
pub(crate) static PROBE: Sql = Sql::new(
    "UPDATE connection_inbox SET next_attempt_at = $3
     WHERE organization_id = $1 AND id = (
         SELECT id FROM connection_inbox
         WHERE organization_id = $1 AND connection_id = $2 AND state = 'waiting' AND code IS NULL
         ORDER BY id LIMIT 1
     ) AND next_attempt_at > $3",
);

pub(crate) static OF_UNIT: LazyLock<Sql> = LazyLock::new(|| {
    CONNECTION_INBOX.select("WHERE organization_id = $1 AND unit = $2 AND state = 'waiting' ORDER BY id LIMIT $3")
});

pub(crate) static BY_KEY: LazyLock<Sql> =
    LazyLock::new(|| CONNECTION_INBOX.select("WHERE organization_id = $1 AND connection_id = $2 AND event_key = $3"));

pub(crate) static OF_OBJECT_SINCE: Sql = Sql::new(
    "SELECT 1 FROM connection_inbox
     WHERE organization_id = $1 AND connection_id = $2 AND object_id = $3 AND received_at >= $4 LIMIT 1",
);

/// A hint leaves `waiting`, or waits longer.
pub(crate) static SETTLE: Sql = Sql::new(
    "UPDATE connection_inbox
     SET state = $3, code = $4, attempts = attempts + $5, next_attempt_at = $6, settled_at = $7
     WHERE organization_id = $1 AND id = $2 AND state = 'waiting'",
);

/// Everything that waits for its provider is due.
pub(crate) static HASTEN: Sql = Sql::new(
    "UPDATE connection_inbox SET next_attempt_at = $3
     WHERE organization_id = $1 AND connection_id = $2 AND state = 'waiting' AND code IS NULL AND next_attempt_at > $3",
);

/// Payments that wait for a subscription are due, unless they are due only after `$4`.
pub(crate) static FOUND: Sql = Sql::new(
    "UPDATE connection_inbox SET next_attempt_at = $3
     WHERE organization_id = $1 AND connection_id = $2 AND state = 'waiting' AND code = 'missing_subscription'
         AND next_attempt_at > $3 AND next_attempt_at <= $4",
);

/// Failed hints are applied again.
pub(crate) static RETRY: Sql = Sql::new(
    "UPDATE connection_inbox SET state = 'waiting', code = NULL, next_attempt_at = $3, settled_at = NULL
     WHERE organization_id = $1 AND connection_id = $2 AND state = 'failed' AND unit IS NOT NULL",
);

pub(crate) static RETRY_ONE: Sql = Sql::new(
    "UPDATE connection_inbox SET state = 'waiting', code = NULL, next_attempt_at = $3, settled_at = NULL
     WHERE organization_id = $1 AND connection_id = $2 AND event_key = $4 AND unit IS NOT NULL",
);

pub(crate) static COUNT_FAILED: Sql = Sql::new(
    "SELECT COUNT(*) FROM connection_inbox
     WHERE organization_id = $1 AND connection_id = $2 AND state = 'failed' AND unit IS NOT NULL",
);

/// Bodies of hints that were applied before `$1`, or received before `$2`.
pub(crate) static FORGET_BODIES: Sql = Sql::new(
    "UPDATE connection_inbox SET body = NULL
     WHERE body IS NOT NULL AND (received_at < $2
         OR (received_at < $1 AND settled_at < $1 AND state IN ('applied', 'unchanged')))",
);

/// Another body in place of one that is stored. An erasure may have deleted it since it was read.
pub(crate) static REPLACE_BODY: Sql =
    Sql::new("UPDATE connection_inbox SET body = $3 WHERE organization_id = $1 AND id = $2 AND body IS NOT NULL");

/// Bodies about an object.
pub(crate) static FORGET_OBJECT: Sql = Sql::new(
    "UPDATE connection_inbox SET body = NULL
     WHERE organization_id = $1 AND connection_id = $2 AND object_id = $3 AND body IS NOT NULL",
);

pub(crate) static REMOVE: Sql =
    Sql::new("DELETE FROM connection_inbox WHERE organization_id = $1 AND connection_id = $2");

/// A figure. Reads of requests wait behind it, so it counts no more than this many hints, and the oldest is that of these.
pub(crate) static WAITING: Sql = Sql::new(
    "SELECT COUNT(*), MIN(received_at)
     FROM (SELECT received_at FROM connection_inbox WHERE state = 'waiting' LIMIT 10000) AS counted",
);

pub(crate) static LAST_RECEIVED: Sql = Sql::new(
    "SELECT received_at FROM connection_inbox
     WHERE organization_id = $1 AND connection_id = $2 ORDER BY id DESC LIMIT 1",
);

impl Record for InboxItem {
    fn table() -> &'static Table {
        &CONNECTION_INBOX
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id);
        row.uuid("connection_id", self.connection_id.bytes());
        row.text("event_key", &self.key);
        row.optional_text("kind", self.kind.as_deref());
        row.optional_text("object", self.object.map(ObjectKind::as_str));
        row.optional_text("object_id", self.object_id.as_deref());
        row.optional_uuid("unit", self.unit);
        row.text("state", self.state.as_str());
        row.optional_text("code", self.code.as_deref());
        row.int("attempts", self.attempts);
        row.optional_time("next_attempt_at", self.next_attempt_at);
        row.optional_time("occurred_at", self.occurred_at);
        row.time("received_at", self.received_at);
        row.optional_time("settled_at", self.settled_at);
        row.optional_bytes("body", self.body.as_deref());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: row.uuid("id")?,
            connection_id: ConnectionId::from_bytes(row.uuid("connection_id")?),
            key: row.text("event_key")?,
            kind: row.optional_text("kind")?,
            object: row.optional_text("object")?.as_deref().and_then(ObjectKind::from_stored),
            object_id: row.optional_text("object_id")?,
            unit: row.optional_uuid("unit")?,
            state: row.word("state", InboxState::from_stored)?,
            code: row.optional_text("code")?,
            attempts: row.int("attempts")?,
            next_attempt_at: row.optional_time("next_attempt_at")?,
            occurred_at: row.optional_time("occurred_at")?,
            received_at: row.time("received_at")?,
            settled_at: row.optional_time("settled_at")?,
            body: row.optional_bytes("body")?,
        })
    }
}

/// The unit of background work of an object.
pub const fn unit(organization: OrganizationId, id: [u8; 16]) -> Unit {
    Unit { job: JOB, organization, id }
}

/// A connection with a hint that is due.
#[derive(Clone, Copy, Debug)]
pub struct DueConnection {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The connection.
    pub id: ConnectionId,
    /// Its limit of requests.
    pub requests_per_minute: i64,
    /// The bucket of its requests.
    pub bucket: Bucket,
    /// The time of the bucket's clock.
    pub now: Time,
}

/// Enabled connections that are not paused and have a hint that is due.
pub async fn due_connections(db: &Db, now: Time) -> Result<Vec<DueConnection>, Error> {
    let read = |row: &Row<'_>| {
        let (bucket, now) = connection_bucket::read_row(row)?;
        let (organization_id, id) = (OrganizationId::from_bytes(row.uuid(5)?), ConnectionId::from_bytes(row.uuid(6)?));
        Ok(DueConnection { organization_id, id, requests_per_minute: row.int(7)?, bucket, now })
    };
    db.all(&DUE_CONNECTIONS, &[codec::time(now)], read).await
}

/// Objects of a connection with a hint that is due and that no server holds, the oldest first. Of so many hints.
pub async fn due_units(db: &Db, connection: &DueConnection, now: Time, hints: i64) -> Result<Vec<Unit>, Error> {
    let organization = connection.organization_id;
    let params = [organization.bytes().into(), connection.id.bytes().into(), codec::time(now), hints.into()];
    let mut units = db.all(&DUE_UNITS, &params, |row| Ok(unit(organization, row.uuid(0)?))).await?;
    let mut seen = HashSet::new();
    units.retain(|unit| seen.insert(unit.id));
    Ok(units)
}

/// Connections whose oldest hint is to be tried although requests fail.
pub async fn probes(db: &Db, now: Time) -> Result<Vec<(OrganizationId, ConnectionId)>, Error> {
    let read = |row: &Row<'_>| Ok((OrganizationId::from_bytes(row.uuid(0)?), ConnectionId::from_bytes(row.uuid(1)?)));
    db.all(&PROBES, &[codec::time(now)], read).await
}

/// The oldest hint of a connection is due now.
pub fn probe(change: Change, organization: OrganizationId, connection: ConnectionId, now: Time) -> Change {
    change.execute_any(&PROBE, timed_key(organization, connection, now))
}

/// The first hints of an object that wait.
pub async fn of_unit(
    db: &Db,
    organization: OrganizationId,
    unit: [u8; 16],
    limit: i64,
) -> Result<Vec<InboxItem>, Error> {
    db.all(&OF_UNIT, &[organization.bytes().into(), unit.into(), limit.into()], record::read).await
}

/// Whether a hint of an object was received at this time or later.
pub async fn has_since(
    db: &Db,
    organization: OrganizationId,
    connection: ConnectionId,
    object_id: &str,
    since: Time,
) -> Result<bool, Error> {
    let params = [organization.bytes().into(), connection.bytes().into(), object_id.into(), codec::time(since)];
    Ok(db.one(&OF_OBJECT_SINCE, &params, |_| Ok(())).await?.is_some())
}

/// The hint with this key.
pub async fn by_key(
    db: &Db,
    organization: OrganizationId,
    connection: ConnectionId,
    event_key: &str,
) -> Result<Option<InboxItem>, Error> {
    let mut params = key(organization, connection);
    params.push(event_key.into());
    db.one(&BY_KEY, &params, record::read).await
}

/// A new hint; rejected with [`Violation::Key`] if its key exists.
pub fn insert(change: Change, item: &InboxItem) -> Change {
    record::insert(change, item, Violation::Key)
}

/// What became of a hint. Nothing changes if it does not wait any more.
pub fn settle(change: Change, item: &InboxItem, outcome: Outcome, now: Time) -> Change {
    let settled_at = (outcome.state != InboxState::Waiting).then_some(now);
    let params = vec![
        item.organization_id.bytes().into(),
        item.id.into(),
        outcome.state.as_str().into(),
        outcome.code.into(),
        i64::from(outcome.counts).into(),
        codec::optional_time(outcome.next_attempt_at),
        codec::optional_time(settled_at),
    ];
    change.execute_any(&SETTLE, params)
}

/// Everything that waits for its provider is due now.
pub fn hasten(change: Change, organization: OrganizationId, connection: ConnectionId, now: Time) -> Change {
    change.execute_any(&HASTEN, timed_key(organization, connection, now))
}

/// Payments that wait for a subscription are due now. One that names none looks rarely after a while, and stays so: a shop with
/// many sales apart from subscriptions would fetch all of them for each new subscription.
pub fn hasten_payments(change: Change, organization: OrganizationId, connection: ConnectionId, now: Time) -> Change {
    let mut params = timed_key(organization, connection, now);
    params.push(codec::time(now.plus_seconds(LOOK_SECONDS)));
    change.execute_any(&FOUND, params)
}

/// Applies failed hints again, or one hint whatever became of it.
pub fn retry(
    change: Change,
    organization: OrganizationId,
    connection: ConnectionId,
    event_key: Option<&str>,
    now: Time,
) -> Change {
    let mut params = timed_key(organization, connection, now);
    match event_key {
        Some(event_key) => {
            params.push(event_key.into());
            change.execute(&RETRY_ONE, params, Violation::Key)
        }
        None => change.execute_any(&RETRY, params),
    }
}

/// The number of failed hints that can be applied again.
pub async fn count_failed(db: &Db, organization: OrganizationId, connection: ConnectionId) -> Result<i64, Error> {
    Ok(db.one(&COUNT_FAILED, &key(organization, connection), |row| row.int(0)).await?.unwrap_or(0))
}

/// Deletes the bodies of hints that were applied before `applied`, and of all that were received before `received`.
pub fn forget_bodies(change: Change, applied: Time, received: Time) -> Change {
    change.execute_any(&FORGET_BODIES, vec![codec::time(applied), codec::time(received)])
}

/// Replaces the body of a hint, unless it was deleted.
pub fn replace_body(change: Change, item: &InboxItem, body: Option<Vec<u8>>) -> Change {
    let params = vec![item.organization_id.bytes().into(), item.id.into(), Value::optional_bytes(body)];
    change.execute_any(&REPLACE_BODY, params)
}

/// Deletes the bodies about an object.
pub fn forget_object(change: Change, organization: OrganizationId, connection: ConnectionId, id: &str) -> Change {
    let mut params = key(organization, connection);
    params.push(id.into());
    change.execute_any(&FORGET_OBJECT, params)
}

/// Removes the inbox of a deleted connection.
pub fn remove(change: Change, organization: OrganizationId, connection: ConnectionId) -> Change {
    change.execute_any(&REMOVE, key(organization, connection))
}

/// The number of hints that wait, up to 10,000, and when the oldest of these was received.
pub async fn waiting(db: &Db) -> Result<(i64, Option<Time>), Error> {
    let read = |row: &Row<'_>| Ok((row.int(0)?, codec::read_optional_time(row.optional_time(1)?)?));
    Ok(db.one(&WAITING, &[], read).await?.unwrap_or((0, None)))
}

/// When the last webhook of a connection was received.
pub async fn last_received(
    db: &Db,
    organization: OrganizationId,
    connection: ConnectionId,
) -> Result<Option<Time>, Error> {
    let read = |row: &Row<'_>| codec::read_optional_time(row.optional_time(0)?);
    Ok(db.one(&LAST_RECEIVED, &key(organization, connection), read).await?.flatten())
}

/// The filters of a list of hints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Hints in this state.
    pub state: Option<InboxState>,
    /// Hints of this type.
    pub kind: Option<String>,
    /// Hints of this object.
    pub object_id: Option<String>,
}

/// A page of a connection's hints, newest first.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    connection: ConnectionId,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<InboxItem>, Error> {
    compose(organization, connection, query).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId, connection: ConnectionId, query: &Query) -> KeysetQuery {
    let mut list = CONNECTION_INBOX.list(organization.bytes()).equal("connection_id", connection.bytes());
    list = list.sort(BY_CREATION, Order::Descending);
    if let Some(state) = query.state {
        list = list.filter("state = {}", vec![state.as_str().into()]);
    }
    if let Some(kind) = &query.kind {
        list = list.filter("kind = {}", vec![kind.as_str().into()]);
    }
    if let Some(object_id) = &query.object_id {
        list = list.filter("object_id = {}", vec![object_id.as_str().into()]);
    }
    list
}

fn timed_key(organization: OrganizationId, connection: ConnectionId, now: Time) -> Vec<Value> {
    let mut params = key(organization, connection);
    params.push(codec::time(now));
    params
}

fn key(organization: OrganizationId, connection: ConnectionId) -> Vec<Value> {
    vec![organization.bytes().into(), connection.bytes().into()]
}
