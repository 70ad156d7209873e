//! Webhook endpoints in the store. Their secrets are stored sealed, and only their own statements write them: an update
//! that was decided before a new seal was stored must not bring the old one back.

use std::sync::LazyLock;

use crate::bulk::Bulk;
use crate::change::{Change, Guard};
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{BY_CREATION, KeysetQuery, Order, Page, Position};
use crate::lock::Lock;
use crate::organizations::ORGANIZATIONS;
use crate::record::{self, Record, RowReader, RowWriter};
use crate::row::Row;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::id::{EventId, OrganizationId, WebhookEndpointId};
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use perennial_domain::webhooks::{
    DisabledReason, EndpointState, EventTypes, MAX_ENDPOINTS, Payload, Signature, WebhookEndpoint,
};

/// The webhook endpoints, their secrets sealed.
pub static WEBHOOK_ENDPOINTS: Table = Table::new(
    18,
    "webhook_endpoints",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::mutable("url", Type::Text),
        Column::mutable("description", Type::Text),
        Column::mutable("types", Type::Text),
        Column::mutable("payload", Type::Text),
        Column::fixed("signature", Type::Text),
        Column::mutable("is_active", Type::Bool),
        Column::mutable("state", Type::Text),
        Column::mutable("disabled_reason", Type::Text).nullable(),
        Column::mutable("disabled_at", Type::Time).nullable(),
        Column::fixed("sealed_secrets", Type::Bytes),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::deleted_at(),
        Column::mutable("revision", Type::Uuid),
    ],
);

pub(crate) static ALL: LazyLock<Sql> =
    LazyLock::new(|| WEBHOOK_ENDPOINTS.select("WHERE deleted_at IS NULL ORDER BY organization_id, id"));

pub(crate) static OF_ANY_AGE: Sql =
    Sql::new("SELECT organization_id, id, CASE WHEN deleted_at IS NULL THEN 0 ELSE 1 END FROM webhook_endpoints");

/// Evaluated under the lock of the organization.
pub(crate) static UNDER_LIMIT: Sql = Sql::new(
    "SELECT 1 WHERE (
         SELECT COUNT(*) FROM webhook_endpoints WHERE organization_id = $1 AND deleted_at IS NULL
     ) < $2",
);

pub(crate) static SET_SECRETS: Sql = Sql::new(
    "UPDATE webhook_endpoints
     SET sealed_secrets = $3
     WHERE organization_id = $1 AND id = $2",
);

pub(crate) static RESEAL: Sql = Sql::new(
    "UPDATE webhook_endpoints
     SET sealed_secrets = $3
     WHERE organization_id = $1 AND id = $2 AND sealed_secrets = $4",
);

/// The endpoints of a copy of the store.
pub(crate) static DISABLE_COPIED: Sql = Sql::new(
    "UPDATE webhook_endpoints
     SET is_active = $1, state = 'disabled', disabled_reason = 'copied', disabled_at = $2
     WHERE is_active AND deleted_at IS NULL",
);

impl Record for WebhookEndpoint {
    fn table() -> &'static Table {
        &WEBHOOK_ENDPOINTS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.text("url", self.url.as_str());
        row.text("description", self.description.as_str());
        row.list("types", self.types.iter());
        row.text("payload", self.payload.as_str());
        row.text("signature", self.signature.as_str());
        row.bool("is_active", self.is_active);
        row.text("state", self.state.as_str());
        row.optional_text("disabled_reason", self.disabled_reason.map(DisabledReason::as_str));
        row.optional_time("disabled_at", self.disabled_at);
        row.bytes("sealed_secrets", &self.sealed_secrets);
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
        row.uuid("revision", self.revision.bytes());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: WebhookEndpointId::from_bytes(row.uuid("id")?),
            url: Line::from_stored(row.text("url")?),
            description: Line::from_stored(row.text("description")?),
            types: EventTypes::from_stored(row.list("types")?.collect()),
            payload: row.word("payload", Payload::from_stored)?,
            signature: row.word("signature", Signature::from_stored)?,
            is_active: row.bool("is_active")?,
            state: row.word("state", EndpointState::from_stored)?,
            disabled_reason: row.optional_text("disabled_reason")?.as_deref().and_then(DisabledReason::from_stored),
            disabled_at: row.optional_time("disabled_at")?,
            sealed_secrets: row.bytes("sealed_secrets")?,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

/// The live endpoint with this id.
pub async fn by_id(
    db: &Db,
    organization: OrganizationId,
    id: WebhookEndpointId,
) -> Result<Option<WebhookEndpoint>, Error> {
    record::by_id(db, organization, id.bytes()).await
}

/// Every live endpoint of the installation.
pub async fn all(db: &Db) -> Result<Vec<WebhookEndpoint>, Error> {
    db.all(&ALL, &[], record::read).await
}

/// Every endpoint of the installation, and whether it was deleted.
pub async fn of_any_age(db: &Db) -> Result<Vec<(OrganizationId, WebhookEndpointId, bool)>, Error> {
    let read = |row: &Row<'_>| {
        let (organization, id) =
            (OrganizationId::from_bytes(row.uuid(0)?), WebhookEndpointId::from_bytes(row.uuid(1)?));
        Ok((organization, id, row.int(2)? == 1))
    };
    db.all(&OF_ANY_AGE, &[], read).await
}

/// A page of an organization's endpoints, newest first.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<WebhookEndpoint>, Error> {
    compose(organization).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId) -> KeysetQuery {
    WEBHOOK_ENDPOINTS.list(organization.bytes()).sort(BY_CREATION, Order::Descending)
}

/// A new endpoint; rejected with [`Violation::EndpointLimit`] if the organization has the maximum number. The lock on
/// the organization orders concurrent creates.
pub fn insert(change: Change, endpoint: &WebhookEndpoint) -> Change {
    let organization = endpoint.organization_id.bytes();
    let guard =
        |lock, sql, params, violation| Guard { table: &ORGANIZATIONS, key: organization, lock, sql, params, violation };
    let live = &ORGANIZATIONS.statements().live;
    let change = change.guard(guard(Lock::Exclusive, live, vec![organization.into()], Violation::Record));
    let limit = vec![organization.into(), MAX_ENDPOINTS.into()];
    let change = change.guard(guard(Lock::None, &UNDER_LIMIT, limit, Violation::EndpointLimit));
    record::insert(change, endpoint, Violation::Record)
}

/// The endpoint as it is now, without its secrets, if it is still at the revision it was read at.
pub fn update(change: Change, endpoint: &WebhookEndpoint, read_at: EventId) -> Change {
    record::update(change, endpoint, read_at, Violation::Record)
}

/// Locks the endpoint as it was read until the change is committed; rejected with [`Violation::Record`] if it has
/// changed.
pub fn guard(change: Change, endpoint: &WebhookEndpoint) -> Change {
    record::at_revision(change, endpoint, endpoint.revision)
}

/// Stores the endpoint's secrets. It must be guarded with [`update`].
pub fn set_secrets(change: Change, endpoint: &WebhookEndpoint) -> Change {
    let mut values = key(endpoint);
    values.push(Value::bytes(endpoint.sealed_secrets.clone()));
    change.execute(&SET_SECRETS, values, Violation::Record)
}

/// Soft-deletes the endpoint and erases its secrets.
pub fn delete(change: Change, endpoint: &WebhookEndpoint, at: Time, revision: EventId) -> Change {
    let change = record::delete(change, endpoint, endpoint.revision, (at, revision), Violation::Record);
    let mut values = key(endpoint);
    values.push(Value::bytes(Vec::new()));
    change.execute(&SET_SECRETS, values, Violation::Record)
}

/// Replaces the seal of the endpoint's secrets. Changes nothing if another server has replaced it.
pub fn reseal(change: Change, endpoint: &WebhookEndpoint, sealed: Vec<u8>) -> Change {
    let mut values = key(endpoint);
    values.extend([Value::bytes(sealed), Value::bytes(endpoint.sealed_secrets.clone())]);
    change.execute_any(&RESEAL, values)
}

/// Disables every endpoint in a transaction that copies or imports records, so that a copy sends nothing. The records get
/// no event: they are those of the original.
pub async fn disable_copied(bulk: &mut Bulk, at: Time) -> Result<u64, Error> {
    bulk.execute(&DISABLE_COPIED, &[vec![false.into(), codec::time(at)]]).await
}

fn key(endpoint: &WebhookEndpoint) -> Vec<Value> {
    vec![endpoint.organization_id.bytes().into(), endpoint.id.bytes().into()]
}
