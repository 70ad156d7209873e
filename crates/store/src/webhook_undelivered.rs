//! Undelivered events in the store: those that a reader has passed and its endpoint has not received.

use std::sync::LazyLock;

use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{Key, KeysetQuery, Order, Page, Position};
use crate::record::{self, Purpose, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::id::{EventId, OrganizationId, WebhookEndpointId};
use perennial_domain::time::Time;
use perennial_domain::webhook_delivery::{AttemptError, BLOCKING_ATTEMPTS, Undelivered, UndeliveredState};

/// The undelivered events of every endpoint.
pub static WEBHOOK_UNDELIVERED: Table = Table::new(
    22,
    "webhook_undelivered",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("endpoint_id", Type::Uuid),
        Column::key("sequence", Type::Int),
        Column::fixed("event_id", Type::Uuid),
        Column::fixed("event_type", Type::Text),
        Column::fixed("record_id", Type::Uuid),
        Column::fixed("entered_at", Type::Time),
        Column::fixed("state", Type::Text),
        Column::fixed("attempts", Type::Int),
        Column::fixed("is_resend", Type::Bool),
        Column::fixed("next_attempt_at", Type::Time).nullable(),
        Column::fixed("first_failed_at", Type::Time).nullable(),
        Column::fixed("last_status", Type::Int).nullable(),
        Column::fixed("last_error", Type::Text).nullable(),
    ],
);

/// A row that is stored or replaced.
pub(crate) static PUT: Sql = Sql::new(
    "INSERT INTO webhook_undelivered (organization_id, endpoint_id, sequence, event_id, event_type, record_id, entered_at,
         state, attempts, is_resend, next_attempt_at, first_failed_at, last_status, last_error)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     ON CONFLICT (organization_id, endpoint_id, sequence) DO UPDATE SET
         state = excluded.state, attempts = excluded.attempts, is_resend = excluded.is_resend,
         next_attempt_at = excluded.next_attempt_at, first_failed_at = excluded.first_failed_at,
         last_status = excluded.last_status, last_error = excluded.last_error",
);

pub(crate) static REMOVE: Sql =
    Sql::new("DELETE FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2 AND sequence = $3");

pub(crate) static REMOVE_SOUGHT: Sql = Sql::new(
    "DELETE FROM webhook_undelivered
     WHERE organization_id = $1 AND endpoint_id = $2 AND (state = 'waiting' OR sequence > $3)",
);

pub(crate) static REMOVE_ALL: Sql =
    Sql::new("DELETE FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2");

/// An event of the feed, delivered or not, is due.
pub(crate) static RESEND: Sql = Sql::new(
    "INSERT INTO webhook_undelivered (organization_id, endpoint_id, sequence, event_id, event_type, record_id, entered_at,
         state, attempts, is_resend, next_attempt_at)
     SELECT f.organization_id, $2, f.sequence, e.id, e.kind, e.record_id, f.entered_at, 'waiting', 0, $4, $5
     FROM feed AS f JOIN events AS e ON e.organization_id = f.organization_id AND e.id = f.event_id
     WHERE f.organization_id = $1 AND f.event_id = $3
     ON CONFLICT (organization_id, endpoint_id, sequence) DO UPDATE SET
         state = excluded.state, is_resend = excluded.is_resend, next_attempt_at = excluded.next_attempt_at",
);

/// Rows of a range are due. A row that waits behind an earlier event of its record continues to wait.
pub(crate) static RESEND_RANGE: Sql = Sql::new(
    "UPDATE webhook_undelivered SET state = 'waiting', is_resend = $5, next_attempt_at = $6
     WHERE organization_id = $1 AND endpoint_id = $2 AND entered_at >= $3 AND entered_at < $4
         AND (next_attempt_at IS NOT NULL OR state = 'given_up')",
);

pub(crate) static COUNT_RANGE: Sql = Sql::new(
    "SELECT COUNT(*) FROM webhook_undelivered
     WHERE organization_id = $1 AND endpoint_id = $2 AND entered_at >= $3 AND entered_at < $4",
);

pub(crate) static REMOVE_PRUNED: Sql =
    Sql::new("DELETE FROM webhook_undelivered WHERE organization_id = $1 AND sequence <= $2");

pub(crate) static REMOVE_GIVEN_UP: Sql = Sql::new(
    "DELETE FROM webhook_undelivered
     WHERE organization_id = $1 AND endpoint_id = $2 AND state = 'given_up' AND first_failed_at < $3",
);

/// The first blocking event of the record, if it waits behind others.
pub(crate) static WAKE: Sql = Sql::new(
    "UPDATE webhook_undelivered SET next_attempt_at = $4
     WHERE organization_id = $1 AND endpoint_id = $2 AND sequence = (
         SELECT MIN(sequence) FROM webhook_undelivered
         WHERE organization_id = $1 AND endpoint_id = $2 AND record_id = $3 AND attempts < $5 AND state = 'waiting'
     ) AND next_attempt_at IS NULL",
);

/// The same for every record.
pub(crate) static WAKE_ALL: Sql = Sql::new(
    "UPDATE webhook_undelivered SET next_attempt_at = $3
     WHERE organization_id = $1 AND endpoint_id = $2 AND sequence IN (
         SELECT MIN(sequence) FROM webhook_undelivered
         WHERE organization_id = $1 AND endpoint_id = $2 AND attempts < $4 AND state = 'waiting'
         GROUP BY record_id
     ) AND next_attempt_at IS NULL",
);

/// Everything that waits for a retry is due.
pub(crate) static HASTEN: Sql = Sql::new(
    "UPDATE webhook_undelivered SET next_attempt_at = $3
     WHERE organization_id = $1 AND endpoint_id = $2 AND next_attempt_at > $3",
);

pub(crate) static DUE: LazyLock<Sql> = LazyLock::new(|| {
    WEBHOOK_UNDELIVERED.select(
        "WHERE organization_id = $1 AND endpoint_id = $2 AND next_attempt_at <= $3
         ORDER BY next_attempt_at, sequence LIMIT $4",
    )
});

pub(crate) static OLDEST_WAITING: LazyLock<Sql> = LazyLock::new(|| {
    WEBHOOK_UNDELIVERED
        .select("WHERE organization_id = $1 AND endpoint_id = $2 AND state = 'waiting' ORDER BY sequence LIMIT 1")
});

pub(crate) static BLOCKING: Sql = Sql::new(
    "SELECT record_id FROM webhook_undelivered
     WHERE organization_id = $1 AND endpoint_id = $2 AND state = 'waiting' AND attempts < $3",
);

pub(crate) static RECORDS: Sql =
    Sql::new("SELECT DISTINCT record_id FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2");

pub(crate) static AFTER: Sql = Sql::new(
    "SELECT sequence FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2 AND sequence > $3",
);

impl Record for Undelivered {
    fn table() -> &'static Table {
        &WEBHOOK_UNDELIVERED
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("endpoint_id", self.endpoint_id.bytes());
        row.int("sequence", self.sequence);
        row.uuid("event_id", self.event_id.bytes());
        row.text("event_type", &self.event_type);
        row.uuid("record_id", self.record_id);
        row.time("entered_at", self.entered_at);
        row.text("state", self.state.as_str());
        row.int("attempts", self.attempts);
        row.bool("is_resend", self.is_resend);
        row.optional_time("next_attempt_at", self.next_attempt_at);
        row.optional_time("first_failed_at", self.first_failed_at);
        row.optional_int("last_status", self.last_status);
        row.optional_text("last_error", self.last_error.map(AttemptError::as_str));
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            endpoint_id: WebhookEndpointId::from_bytes(row.uuid("endpoint_id")?),
            sequence: row.int("sequence")?,
            event_id: EventId::from_bytes(row.uuid("event_id")?),
            event_type: row.text("event_type")?,
            record_id: row.uuid("record_id")?,
            entered_at: row.time("entered_at")?,
            state: row.word("state", UndeliveredState::from_stored)?,
            attempts: row.int("attempts")?,
            is_resend: row.bool("is_resend")?,
            next_attempt_at: row.optional_time("next_attempt_at")?,
            first_failed_at: row.optional_time("first_failed_at")?,
            last_status: row.optional_int("last_status")?,
            last_error: row.optional_text("last_error")?.as_deref().and_then(AttemptError::from_stored),
        })
    }
}

/// Stores a row, or replaces it.
pub fn put(change: Change, row: &Undelivered) -> Change {
    change.execute_any(&PUT, record::values(row, Purpose::Insert))
}

/// Removes a row: the event was delivered.
pub fn remove(change: Change, row: &Undelivered) -> Change {
    let mut params = key(row.organization_id, row.endpoint_id);
    params.push(row.sequence.into());
    change.execute_any(&REMOVE, params)
}

/// Drops everything that waits, and what a reader that continues after this position sends again.
pub fn remove_sought(
    change: Change,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    sequence: i64,
) -> Change {
    let mut params = key(organization, endpoint);
    params.push(sequence.into());
    change.execute_any(&REMOVE_SOUGHT, params)
}

/// Removes the rows of events up to a position, which were pruned.
pub fn remove_pruned(change: Change, organization: OrganizationId, last: i64) -> Change {
    change.execute_any(&REMOVE_PRUNED, vec![organization.bytes().into(), last.into()])
}

/// Removes the rows of events that were given up, if they first failed before this time.
pub fn remove_given_up(
    change: Change,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    before: Time,
) -> Change {
    let mut params = key(organization, endpoint);
    params.push(codec::time(before));
    change.execute_any(&REMOVE_GIVEN_UP, params)
}

/// The next event of the row's record is due, unless it waits behind another one.
pub fn wake_next(change: Change, row: &Undelivered, now: Time) -> Change {
    let mut params = key(row.organization_id, row.endpoint_id);
    params.extend([row.record_id.into(), codec::time(now), BLOCKING_ATTEMPTS.into()]);
    change.execute_any(&WAKE, params)
}

/// Events that wait behind no other one are due.
pub fn wake_all(change: Change, organization: OrganizationId, endpoint: WebhookEndpointId, now: Time) -> Change {
    let mut params = key(organization, endpoint);
    params.extend([codec::time(now), BLOCKING_ATTEMPTS.into()]);
    change.execute_any(&WAKE_ALL, params)
}

/// Everything that waits for a retry is due now.
pub fn hasten(change: Change, organization: OrganizationId, endpoint: WebhookEndpointId, now: Time) -> Change {
    let mut params = key(organization, endpoint);
    params.push(codec::time(now));
    change.execute_any(&HASTEN, params)
}

/// The first rows that are due.
pub async fn due(
    db: &Db,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    now: Time,
    limit: i64,
) -> Result<Vec<Undelivered>, Error> {
    let mut params = key(organization, endpoint);
    params.extend([codec::time(now), limit.into()]);
    db.all(&DUE, &params, record::read).await
}

/// The oldest event that waits.
pub async fn oldest_waiting(
    db: &Db,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
) -> Result<Option<Undelivered>, Error> {
    db.one(&OLDEST_WAITING, &key(organization, endpoint), record::read).await
}

/// The records of the events that later ones wait for, one for each event.
pub async fn blocking(
    db: &Db,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
) -> Result<Vec<[u8; 16]>, Error> {
    let mut params = key(organization, endpoint);
    params.push(BLOCKING_ATTEMPTS.into());
    db.all(&BLOCKING, &params, |row| row.uuid(0)).await
}

/// The records that have undelivered events, whether later ones wait for these or not.
pub async fn records(
    db: &Db,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
) -> Result<Vec<[u8; 16]>, Error> {
    db.all(&RECORDS, &key(organization, endpoint), |row| row.uuid(0)).await
}

/// The positions of the undelivered events after a position.
pub async fn after(
    db: &Db,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    sequence: i64,
) -> Result<Vec<i64>, Error> {
    let mut params = key(organization, endpoint);
    params.push(sequence.into());
    db.all(&AFTER, &params, |row| row.int(0)).await
}

/// Removes every row of a deleted endpoint.
pub fn remove_all(change: Change, organization: OrganizationId, endpoint: WebhookEndpointId) -> Change {
    change.execute_any(&REMOVE_ALL, key(organization, endpoint))
}

/// Sends an event again, delivered or not; rejected with [`Violation::Event`] if the feed does not hold it.
pub fn resend(
    change: Change,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    event: EventId,
    now: Time,
) -> Change {
    let mut params = key(organization, endpoint);
    params.extend([event.bytes().into(), true.into(), codec::time(now)]);
    change.execute(&RESEND, params, Violation::Event)
}

/// Sends everything again that is undelivered and entered the feed from `since` to before `until`.
pub fn resend_range(
    change: Change,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    (since, until): (Time, Time),
    now: Time,
) -> Change {
    let mut params = key(organization, endpoint);
    params.extend([codec::time(since), codec::time(until), true.into(), codec::time(now)]);
    change.execute_any(&RESEND_RANGE, params)
}

/// The number of undelivered events that entered the feed from `since` to before `until`.
pub async fn count_range(
    db: &Db,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    (since, until): (Time, Time),
) -> Result<i64, Error> {
    let mut params = key(organization, endpoint);
    params.extend([codec::time(since), codec::time(until)]);
    Ok(db.one(&COUNT_RANGE, &params, |row| row.int(0)).await?.unwrap_or(0))
}

/// The order of the feed.
static BY_SEQUENCE: &[Key] = &[Key::new("sequence", Type::Int)];

/// A page of an endpoint's undelivered events, oldest first.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    state: Option<UndeliveredState>,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Undelivered>, Error> {
    compose(organization, endpoint, state).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    state: Option<UndeliveredState>,
) -> KeysetQuery {
    let list = WEBHOOK_UNDELIVERED.list(organization.bytes()).equal("endpoint_id", endpoint.bytes());
    let list = list.sort(BY_SEQUENCE, Order::Ascending);
    match state {
        Some(state) => list.filter("state = {}", vec![state.as_str().into()]),
        None => list,
    }
}

fn key(organization: OrganizationId, endpoint: WebhookEndpointId) -> Vec<Value> {
    vec![organization.bytes().into(), endpoint.bytes().into()]
}
