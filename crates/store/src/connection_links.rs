//! Links in the store: which object at a provider is which record here.

use std::sync::LazyLock;

use crate::change::Change;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::record::{self, Purpose, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::connections::ObjectKind;
use perennial_domain::id::{ConnectionId, OrganizationId};
use perennial_domain::time::Time;

/// The links of every connection.
pub static CONNECTION_LINKS: Table = Table::new(
    49,
    "connection_links",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("connection_id", Type::Uuid),
        Column::key("object", Type::Text),
        Column::key("external_id", Type::Text),
        Column::fixed("record_id", Type::Uuid),
        Column::fixed("digest", Type::Bytes),
        Column::fixed("is_erased", Type::Bool),
        Column::fixed("seen_at", Type::Time),
        Column::fixed("created_at", Type::Time),
    ],
);

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The connection.
    pub connection_id: ConnectionId,
    /// The kind of the object.
    pub object: ObjectKind,
    /// Its ID at the provider.
    pub external_id: String,
    /// The record here.
    pub record_id: [u8; 16],
    /// The digest of what was last fetched.
    pub digest: Vec<u8>,
    /// Whether the user of the object was erased.
    pub is_erased: bool,
    /// When it was last fetched.
    pub seen_at: Time,
    /// When it was made.
    pub created_at: Time,
}

pub(crate) static PUT: Sql = Sql::new(
    "INSERT INTO connection_links (organization_id, connection_id, object, external_id, record_id, digest, is_erased,
         seen_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (organization_id, connection_id, object, external_id) DO UPDATE SET
         record_id = excluded.record_id, digest = excluded.digest, is_erased = excluded.is_erased,
         seen_at = excluded.seen_at",
);

/// Another server may have made the link at the same time.
pub(crate) static ADD: Sql = Sql::new(
    "INSERT INTO connection_links (organization_id, connection_id, object, external_id, record_id, digest, is_erased,
         seen_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (organization_id, connection_id, object, external_id) DO NOTHING",
);

pub(crate) static OF_OBJECT: LazyLock<Sql> = LazyLock::new(|| {
    CONNECTION_LINKS.select("WHERE organization_id = $1 AND connection_id = $2 AND object = $3 AND external_id = $4")
});

pub(crate) static OF_RECORD: LazyLock<Sql> = LazyLock::new(|| {
    CONNECTION_LINKS.select("WHERE organization_id = $1 AND record_id = $2 ORDER BY connection_id, object, external_id")
});

/// A digest of personal data is erased with it.
pub(crate) static ERASE: Sql = Sql::new(
    "UPDATE connection_links SET is_erased = $3, digest = $4
     WHERE organization_id = $1 AND record_id = $2 AND object = 'customer'",
);

pub(crate) static REMOVE: Sql =
    Sql::new("DELETE FROM connection_links WHERE organization_id = $1 AND connection_id = $2");

impl Record for Link {
    fn table() -> &'static Table {
        &CONNECTION_LINKS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("connection_id", self.connection_id.bytes());
        row.text("object", self.object.as_str());
        row.text("external_id", &self.external_id);
        row.uuid("record_id", self.record_id);
        row.bytes("digest", &self.digest);
        row.bool("is_erased", self.is_erased);
        row.time("seen_at", self.seen_at);
        row.time("created_at", self.created_at);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            connection_id: ConnectionId::from_bytes(row.uuid("connection_id")?),
            object: row.word("object", ObjectKind::from_stored)?,
            external_id: row.text("external_id")?,
            record_id: row.uuid("record_id")?,
            digest: row.bytes("digest")?,
            is_erased: row.bool("is_erased")?,
            seen_at: row.time("seen_at")?,
            created_at: row.time("created_at")?,
        })
    }
}

/// The link of an object.
pub async fn of_object(
    db: &Db,
    organization: OrganizationId,
    connection: ConnectionId,
    object: ObjectKind,
    external_id: &str,
) -> Result<Option<Link>, Error> {
    let mut params = key(organization, connection);
    params.extend([object.as_str().into(), external_id.into()]);
    db.one(&OF_OBJECT, &params, record::read).await
}

/// The links of a record.
pub async fn of_record(db: &Db, organization: OrganizationId, record: [u8; 16]) -> Result<Vec<Link>, Error> {
    db.all(&OF_RECORD, &[organization.bytes().into(), record.into()], record::read).await
}

/// Stores a link, or replaces it. The change must be fenced by the lease on the link.
pub fn put(change: Change, link: &Link) -> Change {
    change.execute(&PUT, record::values(link, Purpose::Insert), Violation::Record)
}

/// Stores a link unless there is one.
pub fn add(change: Change, link: &Link) -> Change {
    change.execute_any(&ADD, record::values(link, Purpose::Insert))
}

/// Marks the customers that are this user.
pub fn erase(change: Change, organization: OrganizationId, user: [u8; 16]) -> Change {
    let params = vec![organization.bytes().into(), user.into(), true.into(), Value::bytes(Vec::new())];
    change.execute_any(&ERASE, params)
}

/// Removes the links of a deleted connection.
pub fn remove(change: Change, organization: OrganizationId, connection: ConnectionId) -> Change {
    change.execute_any(&REMOVE, key(organization, connection))
}

fn key(organization: OrganizationId, connection: ConnectionId) -> Vec<Value> {
    vec![organization.bytes().into(), connection.bytes().into()]
}
