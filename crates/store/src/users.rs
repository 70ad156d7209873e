//! Users in the store.

use crate::change::{Change, Guard, Lock, Miss, Table};
use crate::row::Row;
use crate::sql::{Insert, Sql};
use crate::value::Type;
use crate::{Db, Error, kept};
use perennial_domain::id::{EventId, OrganizationId, UserId};
use perennial_domain::users::{Email, User};

pub(crate) static INSERT: Insert = Insert::new(
    "users",
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("email", Type::Text),
        ("created_at", Type::Time),
        ("updated_at", Type::Time),
        ("revision", Type::Uuid),
    ],
    "ON CONFLICT DO NOTHING",
);

pub(crate) static LIVE: Sql = Sql::new(
    "SELECT 1 FROM users
     WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL",
);

pub(crate) static NEWEST: Sql = Sql::new(
    "SELECT id, organization_id, email, created_at, updated_at, revision
     FROM users
     WHERE organization_id = $1 AND id < $2 AND deleted_at IS NULL
     ORDER BY id DESC
     LIMIT $3",
);

/// Whether a live user has this id.
pub async fn exists(db: &Db, organization: OrganizationId, id: UserId) -> Result<bool, Error> {
    Ok(db.one(&LIVE, &[organization.bytes().into(), id.bytes().into()], |_| Ok(())).await?.is_some())
}

/// Live users made before `before`, newest first.
pub async fn newest(db: &Db, organization: OrganizationId, before: UserId, limit: i64) -> Result<Vec<User>, Error> {
    db.all(&NEWEST, &[organization.bytes().into(), before.bytes().into(), limit.into()], read).await
}

/// A new user; misses with [`Miss::Email`] if its address is in use.
pub fn insert(change: Change, user: &User) -> Change {
    let values = vec![
        user.organization_id.bytes().into(),
        user.id.bytes().into(),
        user.email.as_ref().map(Email::as_str).into(),
        kept::time(user.created_at),
        kept::time(user.updated_at),
        user.revision.bytes().into(),
    ];
    change.insert(&INSERT, values, Miss::Email)
}

/// Holds the user as live until the change is written.
pub fn guard_live(change: Change, organization: OrganizationId, id: UserId) -> Change {
    change.guard(Guard {
        table: Table::Users,
        key: id.bytes(),
        lock: Lock::Share,
        sql: &LIVE,
        params: vec![organization.bytes().into(), id.bytes().into()],
        miss: Miss::User,
    })
}

fn read(row: &Row<'_>) -> Result<User, Error> {
    Ok(User {
        id: UserId::from_bytes(row.uuid(0)?),
        organization_id: OrganizationId::from_bytes(row.uuid(1)?),
        email: row.optional_text(2)?.map(Email::kept),
        created_at: kept::read_time(row.time(3)?)?,
        updated_at: kept::read_time(row.time(4)?)?,
        revision: EventId::from_bytes(row.uuid(5)?),
    })
}
