//! Identity providers in the store. Their settings are text that the layers above parse; a secret is stored sealed.

use std::sync::LazyLock;

use crate::change::Change;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::id::{OrganizationId, ProviderId};
use perennial_domain::time::Time;

/// The identity providers, their secrets sealed.
pub static PROVIDERS: Table = Table::new(
    3,
    "providers",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("issuer", Type::Text),
        Column::fixed("kind", Type::Text),
        Column::fixed("settings", Type::Text),
        Column::fixed("sealed_secret", Type::Bytes).nullable(),
        Column::fixed("created_at", Type::Time),
    ],
)
.small();

/// A provider as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The organization whose users it authenticates.
    pub organization_id: OrganizationId,
    /// Its id.
    pub id: ProviderId,
    /// The `iss` claim of its tokens.
    pub issuer: String,
    /// Its kind.
    pub kind: String,
    /// All other settings, as JSON.
    pub settings: String,
    /// Its secret, sealed under a key that the store does not have.
    pub sealed_secret: Option<Vec<u8>>,
    /// When it was added.
    pub created_at: Time,
}

pub(crate) static ALL: LazyLock<Sql> = LazyLock::new(|| PROVIDERS.select("ORDER BY organization_id, id"));

pub(crate) static BY_ORGANIZATION: LazyLock<Sql> =
    LazyLock::new(|| PROVIDERS.select("WHERE organization_id = $1 ORDER BY id"));

pub(crate) static REMOVE: Sql = Sql::new("DELETE FROM providers WHERE organization_id = $1 AND id = $2");

pub(crate) static REMOVE_ALL: Sql = Sql::new("DELETE FROM providers WHERE organization_id = $1");

pub(crate) static RESEAL: Sql = Sql::new(
    "UPDATE providers
     SET sealed_secret = $1
     WHERE organization_id = $2 AND id = $3 AND sealed_secret = $4",
);

impl Record for Row {
    fn table() -> &'static Table {
        &PROVIDERS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.text("issuer", &self.issuer);
        row.text("kind", &self.kind);
        row.text("settings", &self.settings);
        row.optional_bytes("sealed_secret", self.sealed_secret.as_deref());
        row.time("created_at", self.created_at);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: ProviderId::from_bytes(row.uuid("id")?),
            issuer: row.text("issuer")?,
            kind: row.text("kind")?,
            settings: row.text("settings")?,
            sealed_secret: row.optional_bytes("sealed_secret")?,
            created_at: row.time("created_at")?,
        })
    }
}

/// Every provider of the installation.
pub async fn all(db: &Db) -> Result<Vec<Row>, Error> {
    db.all(&ALL, &[], record::read).await
}

/// Every provider of an organization, oldest first.
pub async fn by_organization(db: &Db, organization: OrganizationId) -> Result<Vec<Row>, Error> {
    db.all(&BY_ORGANIZATION, &[organization.bytes().into()], record::read).await
}

/// A new provider; rejected with [`Violation::Name`] if the organization has one with its issuer.
pub fn insert(change: Change, provider: &Row) -> Change {
    record::insert(change, provider, Violation::Name)
}

/// Removes a provider; rejected with [`Violation::Record`] if it does not exist.
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
