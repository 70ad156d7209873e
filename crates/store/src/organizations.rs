//! Organizations in the store.

use crate::change::{Change, Guard, Lock, Table, Violation};
use crate::row::Row;
use crate::sql::{Insert, Sql};
use crate::value::Type;
use crate::{Db, Error, codec};
use perennial_domain::currency::Currency;
use perennial_domain::id::{EventId, OrganizationId};
use perennial_domain::organizations::Organization;
use perennial_domain::text::Line;
use perennial_domain::time::Time;

pub(crate) static BY_NAME: Sql = Sql::new(
    "SELECT id, name, currency, max_sessions, created_at, updated_at, revision, deleted_at
     FROM organizations
     WHERE name = $1 AND deleted_at IS NULL",
);

pub(crate) static BY_ID: Sql = Sql::new(
    "SELECT id, name, currency, max_sessions, created_at, updated_at, revision, deleted_at
     FROM organizations
     WHERE id = $1",
);

pub(crate) static ALL: Sql = Sql::new(
    "SELECT id, name, currency, max_sessions, created_at, updated_at, revision, deleted_at
     FROM organizations
     WHERE deleted_at IS NULL
     ORDER BY id",
);

pub(crate) static DELETED_SINCE: Sql = Sql::new(
    "SELECT id, name, currency, max_sessions, created_at, updated_at, revision, deleted_at
     FROM organizations
     WHERE deleted_at >= $1
     ORDER BY id",
);

pub(crate) static INSERT: Insert = Insert::new(
    "organizations",
    &[
        ("id", Type::Uuid),
        ("name", Type::Text),
        ("currency", Type::Text),
        ("max_sessions", Type::Int),
        ("created_at", Type::Time),
        ("updated_at", Type::Time),
        ("revision", Type::Uuid),
    ],
    "ON CONFLICT DO NOTHING",
);

pub(crate) static UPDATE: Sql = Sql::new(
    "UPDATE organizations
     SET max_sessions = $2, updated_at = $3, revision = $4
     WHERE id = $1",
);

pub(crate) static DELETE: Sql = Sql::new(
    "UPDATE organizations
     SET name = $2, deleted_at = $3, updated_at = $3, revision = $4
     WHERE id = $1",
);

pub(crate) static AT_REVISION: Sql = Sql::new(
    "SELECT 1 FROM organizations
     WHERE id = $1 AND revision = $2",
);

/// The organization with this name.
pub async fn by_name(db: &Db, name: &str) -> Result<Option<Organization>, Error> {
    db.find(&BY_NAME, [name.into()], read).await
}

/// The organization with this id, deleted or not.
pub async fn by_id(db: &Db, id: OrganizationId) -> Result<Option<Organization>, Error> {
    db.find(&BY_ID, [id.bytes().into()], read).await
}

/// Every organization that is not deleted, oldest first.
pub async fn all(db: &Db) -> Result<Vec<Organization>, Error> {
    db.all(&ALL, &[], read).await
}

/// The organizations that were deleted at this instant or later.
pub async fn deleted_since(db: &Db, since: Time) -> Result<Vec<Organization>, Error> {
    db.all(&DELETED_SINCE, &[codec::time(since)], read).await
}

/// A new organization; misses with [`Violation::Name`] if its name is in use.
pub fn insert(change: Change, organization: &Organization) -> Change {
    let values = vec![
        organization.id.bytes().into(),
        organization.name.as_str().into(),
        organization.currency.as_str().into(),
        organization.max_sessions.map(i64::from).into(),
        codec::time(organization.created_at),
        codec::time(organization.updated_at),
        organization.revision.bytes().into(),
    ];
    change.insert(&INSERT, values, Violation::Name)
}

/// Changes what can be changed about an organization; misses with [`Violation::Record`] if it is no longer at `read_at`.
pub fn update(change: Change, organization: &Organization, read_at: EventId) -> Change {
    let id = organization.id.bytes();
    let values = vec![
        id.into(),
        organization.max_sessions.map(i64::from).into(),
        codec::time(organization.updated_at),
        organization.revision.bytes().into(),
    ];
    at_revision(change, organization.id, read_at).execute(&UPDATE, values, Violation::Record)
}

/// Marks an organization as deleted and frees its name; misses with [`Violation::Record`] if it is no longer at `read_at`.
pub fn delete(change: Change, organization: &Organization, read_at: EventId) -> Change {
    let values = vec![
        organization.id.bytes().into(),
        organization.name.as_str().into(),
        codec::time(organization.updated_at),
        organization.revision.bytes().into(),
    ];
    at_revision(change, organization.id, read_at).execute(&DELETE, values, Violation::Record)
}

fn at_revision(change: Change, id: OrganizationId, read_at: EventId) -> Change {
    change.guard(Guard {
        table: Table::Organizations,
        key: id.bytes(),
        lock: Lock::Exclusive,
        sql: &AT_REVISION,
        params: vec![id.bytes().into(), read_at.bytes().into()],
        violation: Violation::Record,
    })
}

fn read(row: &Row<'_>) -> Result<Organization, Error> {
    Ok(Organization {
        id: OrganizationId::from_bytes(row.uuid(0)?),
        name: Line::from_stored(row.text(1)?),
        currency: codec::word(row.text_ref(2)?, |word| Currency::parse(word).ok())?,
        max_sessions: row.optional_int(3)?.and_then(|most| u32::try_from(most).ok()),
        created_at: codec::read_time(row.time(4)?)?,
        updated_at: codec::read_time(row.time(5)?)?,
        revision: EventId::from_bytes(row.uuid(6)?),
        deleted_at: codec::read_optional_time(row.optional_time(7)?)?,
    })
}
