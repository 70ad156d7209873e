//! Clients in the store. A client is found by the hash of what it presents; a credential is never kept.

use crate::change::{Change, Guard, Lock, Table, Violation};
use crate::row::Row;
use crate::sql::{Insert, Sql};
use crate::value::{Type, Value};
use crate::{Db, Error, codec};
use perennial_domain::clients::{Client, ClientKind, Origin, PublicId, Scope, Scopes};
use perennial_domain::id::{ClientId, EventId, OrganizationId};
use perennial_domain::text::Line;

macro_rules! columns {
    () => {
        "id, organization_id, name, kind, public_id, scopes, origins, cidrs, expires_at, disabled_at, created_at, \
         updated_at, revision"
    };
}

pub(crate) static BY_CREDENTIAL: Sql =
    Sql::new(concat!("SELECT ", columns!(), " FROM clients WHERE credential_hash = $1"));

pub(crate) static BY_ID: Sql =
    Sql::new(concat!("SELECT ", columns!(), " FROM clients WHERE organization_id = $1 AND id = $2"));

pub(crate) static BY_ORGANIZATION: Sql =
    Sql::new(concat!("SELECT ", columns!(), " FROM clients WHERE organization_id = $1 ORDER BY id"));

pub(crate) static PUBLIC: Sql = Sql::new(concat!("SELECT ", columns!(), " FROM clients WHERE kind = 'public'"));

pub(crate) static INSERT: Insert = Insert::new(
    "clients",
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("name", Type::Text),
        ("kind", Type::Text),
        ("credential_hash", Type::Bytes),
        ("public_id", Type::Text),
        ("scopes", Type::Text),
        ("origins", Type::Text),
        ("cidrs", Type::Text),
        ("expires_at", Type::Time),
        ("created_at", Type::Time),
        ("updated_at", Type::Time),
        ("revision", Type::Uuid),
    ],
    "ON CONFLICT DO NOTHING",
);

pub(crate) static DISABLE: Sql = Sql::new(
    "UPDATE clients
     SET disabled_at = $3, updated_at = $3, revision = $4
     WHERE organization_id = $1 AND id = $2",
);

pub(crate) static UPDATE: Sql = Sql::new(
    "UPDATE clients
     SET scopes = $3, origins = $4, cidrs = $5, expires_at = $6, disabled_at = $7, updated_at = $8, revision = $9
     WHERE organization_id = $1 AND id = $2",
);

pub(crate) static REMOVE_ALL: Sql = Sql::new("DELETE FROM clients WHERE organization_id = $1");

pub(crate) static ROTATE: Sql = Sql::new(
    "UPDATE clients
     SET credential_hash = $3, updated_at = $4, revision = $5
     WHERE organization_id = $1 AND id = $2",
);

pub(crate) static AT_REVISION: Sql = Sql::new(
    "SELECT 1 FROM clients
     WHERE organization_id = $1 AND id = $2 AND revision = $3",
);

/// The SHA-256 of what a client presents.
pub type CredentialHash = [u8; 32];

/// The client that presents this, whether it works or not.
pub async fn by_credential(db: &Db, hash: CredentialHash) -> Result<Option<Client>, Error> {
    db.find(&BY_CREDENTIAL, [Value::bytes(hash.to_vec())], read).await
}

/// The client with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: ClientId) -> Result<Option<Client>, Error> {
    db.find(&BY_ID, [organization.bytes().into(), id.bytes().into()], read).await
}

/// Every client of an organization, oldest first.
pub async fn by_organization(db: &Db, organization: OrganizationId) -> Result<Vec<Client>, Error> {
    db.all(&BY_ORGANIZATION, &[organization.bytes().into()], read).await
}

/// Every public client of the installation.
pub async fn public(db: &Db) -> Result<Vec<Client>, Error> {
    db.all(&PUBLIC, &[], read).await
}

/// A new client; misses with [`Violation::Credential`] if what it presents is in use.
pub fn insert(change: Change, client: &Client, hash: CredentialHash) -> Change {
    let cidrs: Vec<String> = client.cidrs.iter().map(ToString::to_string).collect();
    let values = vec![
        client.organization_id.bytes().into(),
        client.id.bytes().into(),
        client.name.as_str().into(),
        client.kind.as_str().into(),
        Value::bytes(hash.to_vec()),
        client.public_id.as_ref().map(PublicId::as_str).into(),
        codec::join(client.scopes.iter().map(Scope::as_str)).into(),
        codec::join(client.origins.iter().map(Origin::as_str)).into(),
        codec::join(cidrs.iter().map(String::as_str)).into(),
        codec::optional_time(client.expires_at),
        codec::time(client.created_at),
        codec::time(client.updated_at),
        client.revision.bytes().into(),
    ];
    change.insert(&INSERT, values, Violation::Credential)
}

/// Switches the client off, as `client` says it was.
pub fn disable(change: Change, client: &Client, read_at: EventId) -> Change {
    let values = vec![
        client.organization_id.bytes().into(),
        client.id.bytes().into(),
        codec::time(client.updated_at),
        client.revision.bytes().into(),
    ];
    at_revision(change, client, read_at).execute(&DISABLE, values, Violation::Record)
}

/// Changes what the client may do, where and until when, and whether it is enabled.
pub fn update(change: Change, client: &Client, read_at: EventId) -> Change {
    let cidrs: Vec<String> = client.cidrs.iter().map(ToString::to_string).collect();
    let values = vec![
        client.organization_id.bytes().into(),
        client.id.bytes().into(),
        codec::join(client.scopes.iter().map(Scope::as_str)).into(),
        codec::join(client.origins.iter().map(Origin::as_str)).into(),
        codec::join(cidrs.iter().map(String::as_str)).into(),
        codec::optional_time(client.expires_at),
        codec::optional_time(client.disabled_at),
        codec::time(client.updated_at),
        client.revision.bytes().into(),
    ];
    at_revision(change, client, read_at).execute(&UPDATE, values, Violation::Record)
}

/// Removes every client of an organization.
pub fn remove_all(change: Change, organization: OrganizationId) -> Change {
    change.execute_any(&REMOVE_ALL, vec![organization.bytes().into()])
}

/// Gives the client another credential.
pub fn rotate(change: Change, client: &Client, read_at: EventId, hash: CredentialHash) -> Change {
    let values = vec![
        client.organization_id.bytes().into(),
        client.id.bytes().into(),
        Value::bytes(hash.to_vec()),
        codec::time(client.updated_at),
        client.revision.bytes().into(),
    ];
    at_revision(change, client, read_at).execute(&ROTATE, values, Violation::Record)
}

fn at_revision(change: Change, client: &Client, revision: EventId) -> Change {
    change.guard(Guard {
        table: Table::Clients,
        key: client.id.bytes(),
        lock: Lock::Exclusive,
        sql: &AT_REVISION,
        params: vec![client.organization_id.bytes().into(), client.id.bytes().into(), revision.bytes().into()],
        violation: Violation::Record,
    })
}

fn read(row: &Row<'_>) -> Result<Client, Error> {
    let scopes = codec::split(row.text_ref(5)?)
        .map(|word| codec::word(&word, Scope::parse))
        .collect::<Result<Vec<Scope>, Error>>()?;
    Ok(Client {
        id: ClientId::from_bytes(row.uuid(0)?),
        organization_id: OrganizationId::from_bytes(row.uuid(1)?),
        name: Line::from_stored(row.text(2)?),
        kind: codec::word(row.text_ref(3)?, ClientKind::parse)?,
        public_id: row.optional_text(4)?.map(PublicId::from_stored),
        scopes: Scopes::of(&scopes),
        origins: codec::split(row.text_ref(6)?).map(Origin::from_stored).collect(),
        cidrs: codec::split(row.text_ref(7)?)
            .map(|word| codec::word(&word, |word| word.parse().ok()))
            .collect::<Result<_, Error>>()?,
        expires_at: codec::read_optional_time(row.optional_time(8)?)?,
        disabled_at: codec::read_optional_time(row.optional_time(9)?)?,
        created_at: codec::read_time(row.time(10)?)?,
        updated_at: codec::read_time(row.time(11)?)?,
        revision: EventId::from_bytes(row.uuid(12)?),
    })
}
