//! Identity providers in the store. What they are told is kept as text that the floors above read; a secret only sealed.

use crate::change::{Change, Violation};
use crate::sql::{Insert, Sql};
use crate::value::{Type, Value};
use crate::{Db, Error, codec, row};
use perennial_domain::id::{OrganizationId, ProviderId};
use perennial_domain::time::Time;

/// A provider as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Whose users come from there.
    pub organization_id: OrganizationId,
    /// Its id.
    pub id: ProviderId,
    /// What its tokens say in `iss`.
    pub issuer: String,
    /// Its kind, in a word.
    pub kind: String,
    /// Everything else it was told, as JSON.
    pub settings: String,
    /// Its secret, sealed under a key that is not here.
    pub sealed_secret: Option<Vec<u8>>,
    /// When it was added.
    pub created_at: Time,
}

pub(crate) static ALL: Sql = Sql::new(
    "SELECT organization_id, id, issuer, kind, settings, sealed_secret, created_at
     FROM providers
     ORDER BY organization_id, id",
);

pub(crate) static BY_ORGANIZATION: Sql = Sql::new(
    "SELECT organization_id, id, issuer, kind, settings, sealed_secret, created_at
     FROM providers
     WHERE organization_id = $1
     ORDER BY id",
);

pub(crate) static INSERT: Insert = Insert::new(
    "providers",
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("issuer", Type::Text),
        ("kind", Type::Text),
        ("settings", Type::Text),
        ("sealed_secret", Type::Bytes),
        ("created_at", Type::Time),
    ],
    "ON CONFLICT DO NOTHING",
);

pub(crate) static REMOVE: Sql = Sql::new("DELETE FROM providers WHERE organization_id = $1 AND id = $2");

pub(crate) static REMOVE_ALL: Sql = Sql::new("DELETE FROM providers WHERE organization_id = $1");

pub(crate) static RESEAL: Sql = Sql::new(
    "UPDATE providers
     SET sealed_secret = $1
     WHERE organization_id = $2 AND id = $3 AND sealed_secret = $4",
);

/// Every provider of the installation.
pub async fn all(db: &Db) -> Result<Vec<Row>, Error> {
    db.all(&ALL, &[], read).await
}

/// Every provider of an organization, oldest first.
pub async fn by_organization(db: &Db, organization: OrganizationId) -> Result<Vec<Row>, Error> {
    db.all(&BY_ORGANIZATION, &[organization.bytes().into()], read).await
}

/// A new provider; misses with [`Violation::Name`] if the organization has one with its issuer.
pub fn insert(change: Change, provider: &Row) -> Change {
    let values = vec![
        provider.organization_id.bytes().into(),
        provider.id.bytes().into(),
        provider.issuer.as_str().into(),
        provider.kind.as_str().into(),
        provider.settings.as_str().into(),
        Value::optional_bytes(provider.sealed_secret.clone()),
        codec::time(provider.created_at),
    ];
    change.insert(&INSERT, values, Violation::Name)
}

/// Removes a provider; misses with [`Violation::Record`] if it is gone already.
pub fn remove(change: Change, organization: OrganizationId, id: ProviderId) -> Change {
    change.execute(&REMOVE, vec![organization.bytes().into(), id.bytes().into()], Violation::Record)
}

/// Removes every provider of an organization.
pub fn remove_all(change: Change, organization: OrganizationId) -> Change {
    change.execute_any(&REMOVE_ALL, vec![organization.bytes().into()])
}

/// Replaces the seal of a provider's secret. Changes nothing if another server has replaced it or the provider is gone.
pub fn reseal(change: Change, provider: &Row, sealed: Vec<u8>) -> Change {
    let values = vec![
        Value::bytes(sealed),
        provider.organization_id.bytes().into(),
        provider.id.bytes().into(),
        Value::optional_bytes(provider.sealed_secret.clone()),
    ];
    change.execute_any(&RESEAL, values)
}

fn read(row: &row::Row<'_>) -> Result<Row, Error> {
    Ok(Row {
        organization_id: OrganizationId::from_bytes(row.uuid(0)?),
        id: ProviderId::from_bytes(row.uuid(1)?),
        issuer: row.text(2)?,
        kind: row.text(3)?,
        settings: row.text(4)?,
        sealed_secret: row.optional_bytes(5)?,
        created_at: codec::read_time(row.time(6)?)?,
    })
}
