//! Connections in the store. Their secrets are stored sealed, and only their own statements write them: an update that was
//! decided before a new seal was stored must not bring the old one back.

use std::sync::LazyLock;

use crate::bulk::Bulk;
use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{BY_CREATION, KeysetQuery, Order, Page, Position};
use crate::record::{self, Record, RowReader, RowWriter};
use crate::row::Row;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::connections::{
    Connection, ConnectionKind, ConnectionMode, ConnectionState, Drift, RequestsPerMinute,
};
use perennial_domain::id::{ConnectionId, EventId, OrganizationId};
use perennial_domain::text::Line;
use perennial_domain::time::Time;

/// The connections, their secrets sealed.
pub static CONNECTIONS: Table = Table::new(
    47,
    "connections",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("kind", Type::Text),
        Column::mutable("name", Type::Text).unique(),
        Column::mutable("mode", Type::Text),
        Column::mutable("account", Type::Text).nullable(),
        Column::mutable("base_url", Type::Text),
        Column::mutable("drift", Type::Text),
        Column::mutable("collect", Type::Bool),
        Column::mutable("requests_per_minute", Type::Int),
        Column::mutable("allow_private_addresses", Type::Bool),
        Column::mutable("allow_http", Type::Bool),
        Column::mutable("is_enabled", Type::Bool),
        Column::mutable("state", Type::Text),
        Column::fixed("sealed_secrets", Type::Bytes),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::deleted_at(),
        Column::mutable("revision", Type::Uuid),
    ],
);

pub(crate) static ALL: LazyLock<Sql> =
    LazyLock::new(|| CONNECTIONS.select("WHERE deleted_at IS NULL ORDER BY organization_id, id"));

pub(crate) static SET_SECRETS: Sql = Sql::new(
    "UPDATE connections
     SET sealed_secrets = $3
     WHERE organization_id = $1 AND id = $2",
);

pub(crate) static RESEAL: Sql = Sql::new(
    "UPDATE connections
     SET sealed_secrets = $3
     WHERE organization_id = $1 AND id = $2 AND sealed_secrets = $4",
);

pub(crate) static SWEPT: Sql = Sql::new(
    "SELECT k.kind, MIN(COALESCE(s.swept_at, k.created_at))
     FROM connections AS k
     LEFT JOIN connection_states AS s ON s.organization_id = k.organization_id AND s.connection_id = k.id
     WHERE k.is_enabled AND k.deleted_at IS NULL
     GROUP BY k.kind",
);

/// The connections of a copy of the store.
pub(crate) static DISABLE_COPIED: Sql = Sql::new(
    "UPDATE connections
     SET is_enabled = $1, state = 'disabled', updated_at = $2
     WHERE is_enabled AND deleted_at IS NULL",
);

impl Record for Connection {
    fn table() -> &'static Table {
        &CONNECTIONS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.text("kind", self.kind.as_str());
        row.text("name", self.name.as_str());
        row.text("mode", self.mode.as_str());
        row.optional_text("account", self.account.as_ref().map(Line::as_str));
        row.text("base_url", self.base_url.as_str());
        row.text("drift", self.drift.as_str());
        row.bool("collect", self.collect);
        row.whole("requests_per_minute", self.requests_per_minute);
        row.bool("allow_private_addresses", self.allow_private_addresses);
        row.bool("allow_http", self.allow_http);
        row.bool("is_enabled", self.is_enabled);
        row.text("state", self.state.as_str());
        row.bytes("sealed_secrets", &self.sealed_secrets);
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
        row.uuid("revision", self.revision.bytes());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: ConnectionId::from_bytes(row.uuid("id")?),
            kind: row.word("kind", ConnectionKind::from_stored)?,
            name: Line::from_stored(row.text("name")?),
            mode: row.word("mode", ConnectionMode::from_stored)?,
            account: row.optional_text("account")?.map(Line::from_stored),
            base_url: Line::from_stored(row.text("base_url")?),
            drift: row.word("drift", Drift::from_stored)?,
            collect: row.bool("collect")?,
            requests_per_minute: RequestsPerMinute::from_stored(row.int("requests_per_minute")?),
            allow_private_addresses: row.bool("allow_private_addresses")?,
            allow_http: row.bool("allow_http")?,
            is_enabled: row.bool("is_enabled")?,
            state: row.word("state", ConnectionState::from_stored)?,
            sealed_secrets: row.bytes("sealed_secrets")?,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

/// The live connection with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: ConnectionId) -> Result<Option<Connection>, Error> {
    record::by_id(db, organization, id.bytes()).await
}

/// The live connection with this name.
pub async fn by_name(db: &Db, organization: OrganizationId, name: &str) -> Result<Option<Connection>, Error> {
    record::by_unique(db, organization, name).await
}

/// Every live connection of the installation.
pub async fn all(db: &Db) -> Result<Vec<Connection>, Error> {
    db.all(&ALL, &[], record::read).await
}

/// By kind, when the enabled connection whose sweep is the oldest was swept, or created if it never was.
pub async fn swept(db: &Db) -> Result<Vec<(ConnectionKind, Time)>, Error> {
    let read = |row: &Row<'_>| {
        let kind = ConnectionKind::from_stored(row.text(0)?.as_ref());
        let kind = kind.ok_or_else(|| Error::Internal("a connection of an unknown kind".to_owned()))?;
        Ok((kind, codec::read_time(row.time(1)?)?))
    };
    db.all(&SWEPT, &[], read).await
}

/// A page of an organization's connections, newest first.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Connection>, Error> {
    compose(organization).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId) -> KeysetQuery {
    CONNECTIONS.list(organization.bytes()).sort(BY_CREATION, Order::Descending)
}

/// A new connection; rejected with [`Violation::Name`] if its name is in use.
pub fn insert(change: Change, connection: &Connection) -> Change {
    record::insert(change, connection, Violation::Name)
}

/// The connection as it is now, without its secrets, if it is still at the revision it was read at; rejected with
/// [`Violation::Name`] if its name is in use.
pub fn update(change: Change, connection: &Connection, read_at: EventId) -> Change {
    record::update(change, connection, read_at, Violation::Name)
}

/// Locks the connection as it was read until the change is committed; rejected with [`Violation::Record`] if it has changed.
pub fn guard(change: Change, connection: &Connection) -> Change {
    record::at_revision(change, connection, connection.revision)
}

/// Stores the connection's secrets. It must be guarded with [`update`].
pub fn set_secrets(change: Change, connection: &Connection) -> Change {
    let mut values = key(connection);
    values.push(Value::bytes(connection.sealed_secrets.clone()));
    change.execute(&SET_SECRETS, values, Violation::Record)
}

/// Soft-deletes the connection and erases its secrets.
pub fn delete(change: Change, connection: &Connection, at: Time, revision: EventId) -> Change {
    let change = record::delete(change, connection, connection.revision, (at, revision), Violation::Record);
    let mut values = key(connection);
    values.push(Value::bytes(Vec::new()));
    change.execute(&SET_SECRETS, values, Violation::Record)
}

/// Replaces the seal of the connection's secrets. Changes nothing if another server has replaced it.
pub fn reseal(change: Change, connection: &Connection, sealed: Vec<u8>) -> Change {
    let mut values = key(connection);
    values.extend([Value::bytes(sealed), Value::bytes(connection.sealed_secrets.clone())]);
    change.execute_any(&RESEAL, values)
}

/// Disables every connection in a transaction that copies records, so that a copy calls no provider. The records get no
/// event: they are those of the original.
pub async fn disable_copied(bulk: &mut Bulk, at: Time) -> Result<u64, Error> {
    bulk.execute(&DISABLE_COPIED, &[vec![false.into(), codec::time(at)]]).await
}

fn key(connection: &Connection) -> Vec<Value> {
    vec![connection.organization_id.bytes().into(), connection.id.bytes().into()]
}
