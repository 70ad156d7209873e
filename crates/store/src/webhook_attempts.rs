//! Attempts to deliver events, in the store. The IDs of an endpoint's attempts are in the order of their creation.

use crate::change::Change;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{BY_CREATION, KeysetQuery, Order, Page, Position};
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::Type;
use perennial_domain::id::{EventId, OrganizationId, WebhookAttemptId, WebhookEndpointId};
use perennial_domain::webhook_delivery::{Attempt, AttemptError, Outcome, Trigger};

/// The attempts of every endpoint.
pub static WEBHOOK_ATTEMPTS: Table = Table::new(
    21,
    "webhook_attempts",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("endpoint_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("event_id", Type::Uuid),
        Column::fixed("event_type", Type::Text),
        Column::fixed("cause", Type::Text),
        Column::fixed("number", Type::Int),
        Column::fixed("outcome", Type::Text),
        Column::fixed("status", Type::Int).nullable(),
        Column::fixed("error", Type::Text).nullable(),
        Column::fixed("duration_ms", Type::Int),
        Column::fixed("response", Type::Text),
        Column::fixed("created_at", Type::Time),
    ],
);

pub(crate) static OLDER: Sql = Sql::new(
    "DELETE FROM webhook_attempts
     WHERE organization_id = $1 AND endpoint_id = $2 AND id IN (
         SELECT id FROM webhook_attempts
         WHERE organization_id = $1 AND endpoint_id = $2 AND id < $3 ORDER BY id LIMIT $4
     )",
);

pub(crate) static OLDEST: Sql = Sql::new(
    "SELECT id FROM webhook_attempts
     WHERE organization_id = $1 AND endpoint_id = $2 AND id < $3 ORDER BY id LIMIT $4",
);

pub(crate) static NUMBERED: Sql = Sql::new(
    "SELECT id FROM webhook_attempts WHERE organization_id = $1 AND endpoint_id = $2 ORDER BY id DESC LIMIT 1 OFFSET $3",
);

impl Record for Attempt {
    fn table() -> &'static Table {
        &WEBHOOK_ATTEMPTS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("endpoint_id", self.endpoint_id.bytes());
        row.uuid("id", self.id.bytes());
        row.uuid("event_id", self.event_id.bytes());
        row.text("event_type", &self.event_type);
        row.text("cause", self.trigger.as_str());
        row.int("number", self.number);
        row.text("outcome", self.outcome.as_str());
        row.optional_int("status", self.status);
        row.optional_text("error", self.error.map(AttemptError::as_str));
        row.int("duration_ms", self.duration_ms);
        row.text("response", &self.response);
        row.time("created_at", self.created_at);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            endpoint_id: WebhookEndpointId::from_bytes(row.uuid("endpoint_id")?),
            id: WebhookAttemptId::from_bytes(row.uuid("id")?),
            event_id: EventId::from_bytes(row.uuid("event_id")?),
            event_type: row.text("event_type")?,
            trigger: row.word("cause", Trigger::from_stored)?,
            number: row.int("number")?,
            outcome: row.word("outcome", Outcome::from_stored)?,
            status: row.optional_int("status")?,
            error: row.optional_text("error")?.as_deref().and_then(AttemptError::from_stored),
            duration_ms: row.int("duration_ms")?,
            response: row.text("response")?,
            created_at: row.time("created_at")?,
        })
    }
}

/// A new attempt.
pub fn insert(change: Change, attempt: &Attempt) -> Change {
    record::insert(change, attempt, Violation::Record)
}

/// The filters of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The event.
    pub event_id: Option<EventId>,
    /// The outcome.
    pub outcome: Option<Outcome>,
}

/// A page of an endpoint's attempts, newest first.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    query: Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Attempt>, Error> {
    compose(organization, endpoint, query).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId, endpoint: WebhookEndpointId, query: Query) -> KeysetQuery {
    let list = WEBHOOK_ATTEMPTS.list(organization.bytes()).equal("endpoint_id", endpoint.bytes());
    let mut list = list.sort(BY_CREATION, Order::Descending);
    if let Some(event) = query.event_id {
        list = list.filter("event_id = {}", vec![event.bytes().into()]);
    }
    if let Some(outcome) = query.outcome {
        list = list.filter("outcome = {}", vec![outcome.as_str().into()]);
    }
    list
}

/// The newest attempt that is not among the newest `count`.
pub async fn beyond(
    db: &Db,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    count: i64,
) -> Result<Option<WebhookAttemptId>, Error> {
    let params = [organization.bytes().into(), endpoint.bytes().into(), count.into()];
    db.one(&NUMBERED, &params, |row| Ok(WebhookAttemptId::from_bytes(row.uuid(0)?))).await
}

/// The first attempts of an endpoint that are older than this one.
pub async fn older(
    db: &Db,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    than: WebhookAttemptId,
    limit: i64,
) -> Result<Vec<[u8; 16]>, Error> {
    let params = [organization.bytes().into(), endpoint.bytes().into(), than.bytes().into(), limit.into()];
    db.all(&OLDEST, &params, |row| row.uuid(0)).await
}

/// Removes up to `limit` attempts of an endpoint that are older than this one.
pub fn remove_older(
    change: Change,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    than: WebhookAttemptId,
    limit: i64,
) -> Change {
    let params = vec![organization.bytes().into(), endpoint.bytes().into(), than.bytes().into(), limit.into()];
    change.execute_any(&OLDER, params)
}
