//! Clients in the store. A client is found by the hash of its credential; the credential itself is never stored.

use std::sync::LazyLock;

use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{BY_CREATION, KeysetQuery, Order, Page, Position};
use crate::record::{self, Purpose, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::clients::{Client, ClientKind, Origin, PublicId, Scope, Scopes};
use perennial_domain::id::{ClientId, EventId, OrganizationId};
use perennial_domain::text::Line;

/// The clients. The hash of a credential is searched for and never read.
pub static CLIENTS: Table = Table::new(
    2,
    "clients",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::mutable("name", Type::Text),
        Column::fixed("kind", Type::Text),
        Column::fixed("credential_hash", Type::Bytes).unread(),
        Column::fixed("public_id", Type::Text).nullable(),
        Column::mutable("scopes", Type::Text),
        Column::mutable("origins", Type::Text),
        Column::mutable("cidrs", Type::Text),
        Column::mutable("expires_at", Type::Time).nullable(),
        Column::mutable("disabled_at", Type::Time).nullable(),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::mutable("revision", Type::Uuid),
    ],
)
.small();

pub(crate) static BY_CREDENTIAL: LazyLock<Sql> = LazyLock::new(|| CLIENTS.select("WHERE credential_hash = $1"));

pub(crate) static BY_ORGANIZATION: LazyLock<Sql> =
    LazyLock::new(|| CLIENTS.select("WHERE organization_id = $1 ORDER BY id"));

pub(crate) static PUBLIC: LazyLock<Sql> = LazyLock::new(|| CLIENTS.select("WHERE kind = 'public'"));

pub(crate) static REMOVE_ALL: Sql = Sql::new("DELETE FROM clients WHERE organization_id = $1");

pub(crate) static ROTATE: Sql = Sql::new(
    "UPDATE clients
     SET credential_hash = $3, updated_at = $4, revision = $5
     WHERE organization_id = $1 AND id = $2",
);

impl Record for Client {
    fn table() -> &'static Table {
        &CLIENTS
    }

    /// For updates, which do not write the credential's hash: an insert passes it to [`write`].
    fn write(&self, row: &mut RowWriter) {
        write(self, &[], row);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: ClientId::from_bytes(row.uuid("id")?),
            name: Line::from_stored(row.text("name")?),
            kind: row.word("kind", ClientKind::parse)?,
            public_id: row.optional_text("public_id")?.map(PublicId::from_stored),
            scopes: {
                let scopes = row.list("scopes")?.map(|word| codec::word(&word, Scope::parse));
                Scopes::of(&scopes.collect::<Result<Vec<Scope>, Error>>()?)
            },
            origins: row.list("origins")?.map(Origin::from_stored).collect(),
            cidrs: row
                .list("cidrs")?
                .map(|word| codec::word(&word, |word| word.parse().ok()))
                .collect::<Result<_, Error>>()?,
            expires_at: row.optional_time("expires_at")?,
            disabled_at: row.optional_time("disabled_at")?,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

fn write(client: &Client, hash: &[u8], row: &mut RowWriter) {
    let cidrs: Vec<String> = client.cidrs.iter().map(ToString::to_string).collect();
    row.uuid("organization_id", client.organization_id.bytes());
    row.uuid("id", client.id.bytes());
    row.text("name", client.name.as_str());
    row.text("kind", client.kind.as_str());
    row.bytes("credential_hash", hash);
    row.optional_text("public_id", client.public_id.as_ref().map(PublicId::as_str));
    row.list("scopes", client.scopes.iter().map(Scope::as_str));
    row.list("origins", client.origins.iter().map(Origin::as_str));
    row.list("cidrs", cidrs.iter().map(String::as_str));
    row.optional_time("expires_at", client.expires_at);
    row.optional_time("disabled_at", client.disabled_at);
    row.time("created_at", client.created_at);
    row.time("updated_at", client.updated_at);
    row.uuid("revision", client.revision.bytes());
}

/// The SHA-256 of a client's credential.
pub type CredentialHash = [u8; 32];

/// The client with this credential, enabled or not.
pub async fn by_credential(db: &Db, hash: CredentialHash) -> Result<Option<Client>, Error> {
    db.find(&BY_CREDENTIAL, [Value::bytes(hash.to_vec())], record::read).await
}

/// The client with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: ClientId) -> Result<Option<Client>, Error> {
    record::by_id(db, organization, id.bytes()).await
}

/// Every client of an organization, oldest first.
pub async fn by_organization(db: &Db, organization: OrganizationId) -> Result<Vec<Client>, Error> {
    db.all(&BY_ORGANIZATION, &[organization.bytes().into()], record::read).await
}

/// A page of clients, newest first.
pub async fn page(
    db: &Db,
    organization: OrganizationId,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Client>, Error> {
    compose(organization).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId) -> KeysetQuery {
    CLIENTS.list(organization.bytes()).sort(BY_CREATION, Order::Descending)
}

/// Every public client of the installation.
pub async fn public(db: &Db) -> Result<Vec<Client>, Error> {
    db.all(&PUBLIC, &[], record::read).await
}

/// A new client; rejected with [`Violation::Credential`] if its credential is in use.
pub fn insert(change: Change, client: &Client, hash: CredentialHash) -> Change {
    let values = record::values_of(&CLIENTS, Purpose::Insert, |row| write(client, &hash, row));
    change.insert(&CLIENTS.statements().insert, values, Violation::Credential)
}

/// Changes the client's name, what it may do, where and until when, and whether it is enabled.
pub fn update(change: Change, client: &Client, read_at: EventId) -> Change {
    record::update(change, client, read_at, Violation::Record)
}

/// Removes every client of an organization.
pub fn remove_all(change: Change, organization: OrganizationId) -> Change {
    change.execute_any(&REMOVE_ALL, vec![organization.bytes().into()])
}

/// Replaces the client's credential.
pub fn rotate(change: Change, client: &Client, read_at: EventId, hash: CredentialHash) -> Change {
    let values = vec![
        client.organization_id.bytes().into(),
        client.id.bytes().into(),
        Value::bytes(hash.to_vec()),
        codec::time(client.updated_at),
        client.revision.bytes().into(),
    ];
    record::at_revision(change, client, read_at).execute(&ROTATE, values, Violation::Record)
}
