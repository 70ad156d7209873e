//! Users in the store.

use crate::bulk::Bulk;
use crate::change::{Change, Guard, Lock, Table, Violation};
use crate::row::Row;
use crate::sql::{Insert, Sql};
use crate::value::{Type, Value};
use crate::{Db, Error, codec};
use perennial_domain::id::{EventId, OrganizationId, UserId};
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use perennial_domain::users::{Email, Identity, Profile, User};

/// The columns of a user, under the name its table has in the statement.
macro_rules! columns {
    () => {
        "u.id, u.organization_id, u.email, u.issuer, u.subject, u.auth_type, u.username, u.first_name, u.last_name, \
         u.terms, u.notifications, u.session_epoch, u.created_at, u.updated_at, u.revision, u.blocked_at"
    };
}
pub(crate) use columns;

/// How many columns a user has.
pub(crate) const WIDTH: usize = 16;

pub(crate) static INSERT: Insert = Insert::new(
    "users",
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("email", Type::Text),
        ("issuer", Type::Text),
        ("subject", Type::Text),
        ("auth_type", Type::Text),
        ("username", Type::Text),
        ("first_name", Type::Text),
        ("last_name", Type::Text),
        ("terms", Type::Bool),
        ("notifications", Type::Bool),
        ("session_epoch", Type::Int),
        ("updated_at", Type::Time),
        ("revision", Type::Uuid),
        ("created_at", Type::Time),
    ],
    "ON CONFLICT DO NOTHING",
);

pub(crate) static LIVE: Sql = Sql::new(
    "SELECT 1 FROM users
     WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL",
);

pub(crate) static BY_ID: Sql = Sql::new(concat!(
    "SELECT ",
    columns!(),
    "
     FROM users AS u
     WHERE u.organization_id = $1 AND u.id = $2 AND u.deleted_at IS NULL"
));

pub(crate) static BY_IDENTITY: Sql = Sql::new(concat!(
    "SELECT ",
    columns!(),
    "
     FROM users AS u
     WHERE u.organization_id = $1 AND u.issuer = $2 AND u.subject = $3 AND u.subject IS NOT NULL
       AND u.deleted_at IS NULL"
));

pub(crate) static BY_EMAIL: Sql = Sql::new(concat!(
    "SELECT ",
    columns!(),
    "
     FROM users AS u
     WHERE u.organization_id = $1 AND u.email = $2 AND u.email IS NOT NULL AND u.deleted_at IS NULL"
));

pub(crate) static NEWEST: Sql = Sql::new(concat!(
    "SELECT ",
    columns!(),
    "
     FROM users AS u
     WHERE u.organization_id = $1 AND u.id < $2 AND u.deleted_at IS NULL
     ORDER BY u.id DESC
     LIMIT $3"
));

pub(crate) static AT_REVISION: Sql = Sql::new(
    "SELECT 1 FROM users
     WHERE organization_id = $1 AND id = $2 AND revision = $3 AND session_epoch = $4 AND deleted_at IS NULL",
);

/// Misses when another live user has the address, as the insert does.
pub(crate) static UPDATE: Sql = Sql::new(
    "UPDATE users
     SET email = $3, issuer = $4, subject = $5, auth_type = $6, username = $7, first_name = $8, last_name = $9,
         terms = $10, notifications = $11, session_epoch = $12, updated_at = $13, revision = $14
     WHERE organization_id = $1 AND id = $2
       AND NOT EXISTS (
           SELECT 1 FROM users AS other
           WHERE other.organization_id = $1 AND other.email = $3 AND other.email IS NOT NULL
             AND other.deleted_at IS NULL AND other.id <> $2)",
);

/// What its guard holds is said again: see the sessions' `ROTATE`.
pub(crate) static MOVE_EPOCH: Sql = Sql::new(
    "UPDATE users
     SET session_epoch = session_epoch + 1
     WHERE organization_id = $1 AND id = $2 AND revision = $3 AND session_epoch = $4 AND deleted_at IS NULL",
);

/// What its guard holds is repeated: see the sessions' `ROTATE`.
pub(crate) static SET_BLOCKED: Sql = Sql::new(
    "UPDATE users
     SET blocked_at = $5, session_epoch = session_epoch + 1, updated_at = $6, revision = $7
     WHERE organization_id = $1 AND id = $2 AND revision = $3 AND session_epoch = $4 AND deleted_at IS NULL",
);

/// Touches no row if the user has changed since it was read, or if the identity was given to another user.
pub(crate) static RELINK: Sql = Sql::new(
    "UPDATE users
     SET issuer = $4, subject = $5, updated_at = $6, revision = $7
     WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL
       AND NOT EXISTS (
           SELECT 1 FROM users AS other
           WHERE other.organization_id = $1 AND other.issuer = $4 AND other.subject = $5
             AND other.subject IS NOT NULL AND other.deleted_at IS NULL)",
);

pub(crate) static ERASE: Sql = Sql::new(
    "UPDATE users
     SET email = NULL, issuer = NULL, subject = NULL, auth_type = NULL, username = NULL, first_name = NULL,
         last_name = NULL, terms = NULL, notifications = NULL, blocked_at = NULL, deleted_at = $3, updated_at = $3,
         revision = $4
     WHERE organization_id = $1 AND id = $2",
);

/// Whether a live user has this id.
pub async fn exists(db: &Db, organization: OrganizationId, id: UserId) -> Result<bool, Error> {
    Ok(db.find(&LIVE, [organization.bytes().into(), id.bytes().into()], |_| Ok(())).await?.is_some())
}

/// The live user with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: UserId) -> Result<Option<User>, Error> {
    db.find(&BY_ID, [organization.bytes().into(), id.bytes().into()], read).await
}

/// The live user who is this person at a provider.
pub async fn by_identity(db: &Db, organization: OrganizationId, identity: &Identity) -> Result<Option<User>, Error> {
    let params = [organization.bytes().into(), identity.issuer.as_str().into(), identity.subject.as_str().into()];
    db.find(&BY_IDENTITY, params, read).await
}

/// The live user with this address.
pub async fn by_email(db: &Db, organization: OrganizationId, email: &Email) -> Result<Option<User>, Error> {
    db.find(&BY_EMAIL, [organization.bytes().into(), email.as_str().into()], read).await
}

/// Live users made before `before`, newest first.
pub async fn newest(db: &Db, organization: OrganizationId, before: UserId, limit: i64) -> Result<Vec<User>, Error> {
    let params = [organization.bytes().into(), before.bytes().into(), limit.into()];
    db.all(&NEWEST, &params, read).await
}

/// A new user; misses with [`Violation::Email`] if its address or identity is in use.
pub fn insert(change: Change, user: &User) -> Change {
    let mut values = fields(user);
    values.push(codec::time(user.created_at));
    change.insert(&INSERT, values, Violation::Email)
}

/// The user as it is now, if it is still as it was read; misses with [`Violation::Email`] if its address is in use.
pub fn update(change: Change, user: &User, read: &User) -> Change {
    unchanged(change, read).execute(&UPDATE, fields(user), Violation::Email)
}

/// Erases the person: an empty row stays for what refers to it.
pub fn erase(change: Change, user: &User, at: Time, revision: EventId) -> Change {
    let mut values = key(user);
    values.push(codec::time(at));
    values.push(revision.bytes().into());
    unchanged(change, user).execute(&ERASE, values, Violation::Record)
}

/// Tells sign-ins under way that the user's sessions are no longer what they saw.
pub fn move_epoch(change: Change, user: &User) -> Change {
    unchanged(change, user).execute(&MOVE_EPOCH, state(user), Violation::User)
}

/// Blocks or unblocks the user, if it is still as it was read, its sessions included.
pub fn set_blocked(change: Change, user: &User, read: &User) -> Change {
    let mut values = state(read);
    values.extend([codec::optional_time(user.blocked_at), codec::time(user.updated_at), user.revision.bytes().into()]);
    unchanged(change, read).execute(&SET_BLOCKED, values, Violation::User)
}

/// The live users with these ids.
pub async fn find_by_id(
    bulk: &mut Bulk,
    organization: OrganizationId,
    ids: &[UserId],
) -> Result<Vec<Option<User>>, Error> {
    let keys: Vec<Vec<Value>> = ids.iter().map(|id| vec![organization.bytes().into(), id.bytes().into()]).collect();
    bulk.find(&BY_ID, &keys, read).await
}

/// The live users with these addresses.
pub async fn find_by_email(
    bulk: &mut Bulk,
    organization: OrganizationId,
    emails: &[&Email],
) -> Result<Vec<Option<User>>, Error> {
    let key = |email: &&Email| vec![organization.bytes().into(), email.as_str().into()];
    let keys: Vec<Vec<Value>> = emails.iter().map(key).collect();
    bulk.find(&BY_EMAIL, &keys, read).await
}

/// The live users with these identities.
pub async fn find_by_identity(
    bulk: &mut Bulk,
    organization: OrganizationId,
    identities: &[&Identity],
) -> Result<Vec<Option<User>>, Error> {
    let key = |identity: &&Identity| {
        vec![organization.bytes().into(), identity.issuer.as_str().into(), identity.subject.as_str().into()]
    };
    let keys: Vec<Vec<Value>> = identities.iter().map(key).collect();
    bulk.find(&BY_IDENTITY, &keys, read).await
}

/// Gives users the identities they have here, each if it is still at the revision it was read at; returns how many were.
pub async fn relink(bulk: &mut Bulk, users: &[(&User, EventId)]) -> Result<u64, Error> {
    let row = |(user, read_at): &(&User, EventId)| {
        let mut values = key(user);
        values.extend([
            read_at.bytes().into(),
            user.identity.as_ref().map(|identity| identity.issuer.as_str()).into(),
            user.identity.as_ref().map(|identity| identity.subject.as_str()).into(),
            codec::time(user.updated_at),
            user.revision.bytes().into(),
        ]);
        values
    };
    bulk.execute(&RELINK, &users.iter().map(row).collect::<Vec<_>>()).await
}

/// Holds the user as live until the change is written.
pub fn guard_live(change: Change, organization: OrganizationId, id: UserId) -> Change {
    change.guard(Guard {
        table: Table::Users,
        key: id.bytes(),
        lock: Lock::Share,
        sql: &LIVE,
        params: vec![organization.bytes().into(), id.bytes().into()],
        violation: Violation::User,
    })
}

/// Holds the user as it was read, its sessions included.
fn unchanged(change: Change, user: &User) -> Change {
    change.guard(Guard {
        table: Table::Users,
        key: user.id.bytes(),
        lock: Lock::Exclusive,
        sql: &AT_REVISION,
        params: state(user),
        violation: Violation::User,
    })
}

/// What tells one state of a user from the next, after the key.
fn state(user: &User) -> Vec<Value> {
    let mut values = key(user);
    values.push(user.revision.bytes().into());
    values.push(user.session_epoch.into());
    values
}

fn key(user: &User) -> Vec<Value> {
    vec![user.organization_id.bytes().into(), user.id.bytes().into()]
}

/// What an insert and an update have in common, in the order both list it.
fn fields(user: &User) -> Vec<Value> {
    let Profile { username, first_name, last_name, terms, notifications, auth_type } = &user.profile;
    let mut values = key(user);
    values.extend([
        user.email.as_ref().map(Email::as_str).into(),
        user.identity.as_ref().map(|identity| identity.issuer.as_str()).into(),
        user.identity.as_ref().map(|identity| identity.subject.as_str()).into(),
        auth_type.as_ref().map(Line::as_str).into(),
        username.as_ref().map(Line::as_str).into(),
        first_name.as_ref().map(Line::as_str).into(),
        last_name.as_ref().map(Line::as_str).into(),
        (*terms).into(),
        (*notifications).into(),
        user.session_epoch.into(),
        codec::time(user.updated_at),
        user.revision.bytes().into(),
    ]);
    values
}

pub(crate) fn read(row: &Row<'_>) -> Result<User, Error> {
    let identity = match (row.optional_text(3)?, row.optional_text(4)?) {
        (Some(issuer), Some(subject)) => Some(Identity { issuer, subject }),
        _ => None,
    };
    Ok(User {
        id: UserId::from_bytes(row.uuid(0)?),
        organization_id: OrganizationId::from_bytes(row.uuid(1)?),
        email: row.optional_text(2)?.map(Email::from_stored),
        identity,
        profile: Profile {
            auth_type: row.optional_text(5)?.map(Line::from_stored),
            username: row.optional_text(6)?.map(Line::from_stored),
            first_name: row.optional_text(7)?.map(Line::from_stored),
            last_name: row.optional_text(8)?.map(Line::from_stored),
            terms: row.optional_bool(9)?,
            notifications: row.optional_bool(10)?,
        },
        session_epoch: row.int(11)?,
        created_at: codec::read_time(row.time(12)?)?,
        updated_at: codec::read_time(row.time(13)?)?,
        revision: EventId::from_bytes(row.uuid(14)?),
        blocked_at: codec::read_optional_time(row.optional_time(15)?)?,
    })
}
