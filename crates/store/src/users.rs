//! Users in the store.

use std::sync::LazyLock;

use crate::bulk::Bulk;
use crate::change::{Change, Guard};
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{BY_CREATION, Key, KeysetQuery, Order, Page, Position, Range};
use crate::lock::Lock;
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::id::{EventId, OrganizationId, UserId, uuid_floor};
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use perennial_domain::users::{Email, EmailPrefix, Identity, Profile, User};

/// The users.
pub static USERS: Table = Table::new(
    5,
    "users",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::mutable("email", Type::Text).nullable().unique(),
        Column::mutable("issuer", Type::Text).nullable(),
        Column::mutable("subject", Type::Text).nullable(),
        Column::mutable("auth_type", Type::Text).nullable(),
        Column::mutable("username", Type::Text).nullable(),
        Column::mutable("first_name", Type::Text).nullable(),
        Column::mutable("last_name", Type::Text).nullable(),
        Column::mutable("terms", Type::Bool).nullable(),
        Column::mutable("notifications", Type::Bool).nullable(),
        Column::mutable("session_epoch", Type::Int),
        Column::mutable("blocked_at", Type::Time).nullable(),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::deleted_at(),
        Column::mutable("revision", Type::Uuid),
    ],
)
.personal();

pub(crate) static BY_IDENTITY: LazyLock<Sql> = LazyLock::new(|| {
    USERS.select(
        "WHERE organization_id = $1 AND issuer = $2 AND subject = $3 AND subject IS NOT NULL AND deleted_at IS NULL",
    )
});

/// The user as it was read, its sessions included.
pub(crate) static UNCHANGED: Sql = Sql::new(
    "SELECT 1 FROM users
     WHERE organization_id = $1 AND id = $2 AND revision = $3 AND session_epoch = $4 AND deleted_at IS NULL",
);

/// The conditions of its guard are repeated: see the sessions' `ROTATE`.
pub(crate) static MOVE_EPOCH: Sql = Sql::new(
    "UPDATE users
     SET session_epoch = session_epoch + 1
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

impl Record for User {
    fn table() -> &'static Table {
        &USERS
    }

    fn write(&self, row: &mut RowWriter) {
        let (issuer, subject) = self.identity.as_ref().map(|known| (&*known.issuer, &*known.subject)).unzip();
        let profile = &self.profile;
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.optional_text("email", self.email.as_ref().map(Email::as_str));
        row.optional_text("issuer", issuer);
        row.optional_text("subject", subject);
        row.optional_text("auth_type", profile.auth_type.as_ref().map(Line::as_str));
        row.optional_text("username", profile.username.as_ref().map(Line::as_str));
        row.optional_text("first_name", profile.first_name.as_ref().map(Line::as_str));
        row.optional_text("last_name", profile.last_name.as_ref().map(Line::as_str));
        row.optional_bool("terms", profile.terms);
        row.optional_bool("notifications", profile.notifications);
        row.int("session_epoch", self.session_epoch);
        row.optional_time("blocked_at", self.blocked_at);
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
        row.uuid("revision", self.revision.bytes());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: UserId::from_bytes(row.uuid("id")?),
            email: row.optional_text("email")?.map(Email::from_stored),
            identity: match (row.optional_text("issuer")?, row.optional_text("subject")?) {
                (Some(issuer), Some(subject)) => Some(Identity { issuer, subject }),
                _ => None,
            },
            profile: Profile {
                auth_type: row.optional_text("auth_type")?.map(Line::from_stored),
                username: row.optional_text("username")?.map(Line::from_stored),
                first_name: row.optional_text("first_name")?.map(Line::from_stored),
                last_name: row.optional_text("last_name")?.map(Line::from_stored),
                terms: row.optional_bool("terms")?,
                notifications: row.optional_bool("notifications")?,
            },
            session_epoch: row.int("session_epoch")?,
            blocked_at: row.optional_time("blocked_at")?,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

/// Whether a live user has this id.
pub async fn exists(db: &Db, organization: OrganizationId, id: UserId) -> Result<bool, Error> {
    record::exists::<User>(db, organization, id.bytes()).await
}

/// The live user with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: UserId) -> Result<Option<User>, Error> {
    record::by_id(db, organization, id.bytes()).await
}

/// The live user with this identity at a provider.
pub async fn by_identity(db: &Db, organization: OrganizationId, identity: &Identity) -> Result<Option<User>, Error> {
    let params = [organization.bytes().into(), identity.issuer.as_str().into(), identity.subject.as_str().into()];
    db.find(&BY_IDENTITY, params, record::read).await
}

/// The live user with this address.
pub async fn by_email(db: &Db, organization: OrganizationId, email: &Email) -> Result<Option<User>, Error> {
    record::by_unique(db, organization, email.as_str()).await
}

/// The filters of a list of users.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The users with these IDs; `None` means any.
    pub ids: Option<Vec<UserId>>,
    /// The user with this address.
    pub email: Option<Email>,
    /// Users whose address begins with this, sorted by address.
    pub email_prefix: Option<EmailPrefix>,
    /// Users with this ID at their identity provider.
    pub subject: Option<String>,
    /// Created in this range.
    pub created: Range,
    /// Oldest first. The order of addresses is always ascending.
    pub ascending: bool,
}

impl Query {
    /// The user's position in the list.
    pub fn position(&self, user: &User) -> Position {
        let email = user.email.as_ref().filter(|_| self.email_prefix.is_some());
        Position { values: vec![email.map_or_else(|| user.id.bytes().into(), |email| email.as_str().into())] }
    }
}

/// Addresses are unique among live users.
static BY_EMAIL: &[Key] = &[Key::new("email", Type::Text)];

/// A page of live users, newest first unless sorted otherwise. Every filter has an index. Together with a prefix, the
/// other filters are checked row by row.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<User>, Error> {
    compose(organization, query).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId, query: &Query) -> KeysetQuery {
    let list = USERS.list(organization.bytes());
    let list = match &query.email {
        Some(email) => list.equal("email", email.as_str()),
        None => list,
    };
    match &query.email_prefix {
        Some(prefix) => by_address(list, query, prefix),
        None => by_creation(list, query),
    }
}

fn by_creation(list: KeysetQuery, query: &Query) -> KeysetQuery {
    let order = if query.ascending { Order::Ascending } else { Order::Descending };
    let mut list = list.sort(BY_CREATION, order).created_within(query.created);
    if let Some(subject) = &query.subject {
        list = list.equal("subject", subject.as_str());
    }
    match &query.ids {
        Some(ids) => list.among("id", ids.iter().map(|id| id.bytes().into()).collect()),
        None => list,
    }
}

fn by_address(list: KeysetQuery, query: &Query, prefix: &EmailPrefix) -> KeysetQuery {
    let mut list = list.sort(BY_EMAIL, Order::Ascending).from(prefix.as_str().into());
    if let Some(end) = prefix.end() {
        list = list.until(end.into());
    }
    if let Some(subject) = &query.subject {
        list = list.filter("subject = {}", vec![subject.as_str().into()]);
    }
    if let Some(ids) = &query.ids {
        list = list.any_of("id", ids.iter().map(|id| id.bytes().into()).collect());
    }
    if let Some(after) = query.created.after {
        list = list.filter("id >= {}", vec![uuid_floor(after).into()]);
    }
    if let Some(before) = query.created.before {
        list = list.filter("id < {}", vec![uuid_floor(before).into()]);
    }
    list
}

/// A new user; rejected with [`Violation::Email`] if its address or identity is in use.
pub fn insert(change: Change, user: &User) -> Change {
    record::insert(change, user, Violation::Email)
}

/// The user as it is now, if it is still as it was read; rejected with [`Violation::Email`] if its address is in use.
pub fn update(change: Change, user: &User, read: &User) -> Change {
    record::write_update(unchanged(change, read), user, read.revision, Violation::Email)
}

/// Erases the personal data. An empty row remains for the records that refer to it.
pub fn erase(change: Change, user: &User, at: Time, revision: EventId) -> Change {
    let mut values = key(user);
    values.push(codec::time(at));
    values.push(revision.bytes().into());
    unchanged(change, user).execute(&ERASE, values, Violation::Record)
}

/// Increments the session epoch, so that a concurrent sign-in is rejected and decides again.
pub fn move_epoch(change: Change, user: &User) -> Change {
    unchanged(change, user).execute(&MOVE_EPOCH, state(user), Violation::User)
}

/// The live users with these ids.
pub async fn find_by_id(
    bulk: &mut Bulk,
    organization: OrganizationId,
    ids: &[UserId],
) -> Result<Vec<Option<User>>, Error> {
    let keys: Vec<Vec<Value>> = ids.iter().map(|id| vec![organization.bytes().into(), id.bytes().into()]).collect();
    bulk.find(&USERS.statements().by_key, &keys, record::read).await
}

/// The live users with these addresses.
pub async fn find_by_email(
    bulk: &mut Bulk,
    organization: OrganizationId,
    emails: &[&Email],
) -> Result<Vec<Option<User>>, Error> {
    let key = |email: &&Email| vec![organization.bytes().into(), email.as_str().into()];
    let keys: Vec<Vec<Value>> = emails.iter().map(key).collect();
    bulk.find(record::unique_statement::<User>(), &keys, record::read).await
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
    bulk.find(&BY_IDENTITY, &keys, record::read).await
}

/// Stores the identities of these users, of each if it is still at the revision it was read at. Returns their number.
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

/// Locks the live user against changes until the change is committed.
pub fn guard_live(change: Change, organization: OrganizationId, id: UserId) -> Change {
    record::guard_live::<User>(change, organization, id.bytes(), Violation::User)
}

/// Locks the user as it was read, its sessions included.
fn unchanged(change: Change, user: &User) -> Change {
    change.guard(Guard {
        table: &USERS,
        key: user.id.bytes(),
        lock: Lock::Exclusive,
        sql: &UNCHANGED,
        params: state(user),
        violation: Violation::User,
    })
}

/// The key, and what differs between two states of a user.
fn state(user: &User) -> Vec<Value> {
    let mut values = key(user);
    values.push(user.revision.bytes().into());
    values.push(user.session_epoch.into());
    values
}

fn key(user: &User) -> Vec<Value> {
    vec![user.organization_id.bytes().into(), user.id.bytes().into()]
}
