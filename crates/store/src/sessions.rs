//! Sessions in the store. Neither access tokens nor refresh tokens are stored: a session's row does not authenticate.

use std::sync::LazyLock;

use crate::change::{Change, Guard};
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{BY_CREATION, KeysetQuery, Order, Page, Position};
use crate::lock::Lock;
use crate::record::{self, Record, RowReader, RowWriter};
use crate::retention;
use crate::row::Row;
use crate::sql::Sql;
use crate::table::{Conflict, Sweep, Table};
use crate::users::USERS;
use crate::value::{Type, Value};
use perennial_domain::id::{ClientId, OrganizationId, SessionId, UserId};
use perennial_domain::portal::PORTAL_CLIENT_NAME;
use perennial_domain::sessions::Session;
use perennial_domain::time::Time;
use perennial_domain::users::User;

/// The sessions.
pub static SESSIONS: Table = Table::new(
    9,
    "sessions",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("user_id", Type::Uuid).refers_to("users").indexed(),
        Column::fixed("client_id", Type::Uuid),
        Column::fixed("generation", Type::Int),
        Column::fixed("signed_in_at", Type::Time),
        Column::fixed("rotated_at", Type::Time),
        Column::fixed("graces", Type::Text),
        Column::fixed("expires_at", Type::Time),
        Column::fixed("last_used_at", Type::Time),
        Column::fixed("ip_address", Type::Text).nullable(),
        Column::fixed("user_agent", Type::Text).nullable(),
        Column::fixed("revoked_at", Type::Time).nullable(),
    ],
)
.on_conflict(Conflict::Fail)
.personal()
.swept(Sweep { due: "expires_at <= $2", order: "expires_at" });

/// The client of a session of the customer portal: the column is not nullable, and older programs read it.
const NO_CLIENT: [u8; 16] = [0; 16];

/// A session with its user, in one read. The user of a live session is live.
pub(crate) static WITH_USER: LazyLock<Sql> = LazyLock::new(|| {
    Sql::built(format!(
        "SELECT {}, {} FROM sessions AS s
         JOIN users AS u ON u.organization_id = s.organization_id AND u.id = s.user_id
         WHERE s.organization_id = $1 AND s.id = $2 AND u.deleted_at IS NULL",
        SESSIONS.columns_of("s"),
        USERS.columns_of("u")
    ))
});

/// Whether a session has expired is tested on the rows of the result: with the condition in the statement, SQLite would
/// follow the index of expiries instead.
pub(crate) static BY_USER: LazyLock<Sql> = LazyLock::new(|| {
    Sql::built(format!(
        "SELECT {}, c.name FROM sessions AS s
         LEFT JOIN clients AS c ON c.organization_id = s.organization_id AND c.id = s.client_id
         WHERE s.organization_id = $1 AND s.user_id = $2 AND s.revoked_at IS NULL
         ORDER BY s.id DESC",
        SESSIONS.columns_of("s")
    ))
});

/// The session as it was read, neither revoked nor refreshed since.
pub(crate) static UNCHANGED: Sql = Sql::new(
    "SELECT 1 FROM sessions
     WHERE organization_id = $1 AND id = $2 AND generation = $3 AND graces = $4 AND revoked_at IS NULL",
);

pub(crate) static LIVE: Sql = Sql::new(
    "SELECT 1 FROM sessions
     WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL",
);

/// The conditions of its guard are repeated, here and below. PostgreSQL is sent a change in one go. A row whose guard
/// has failed must not be locked after all, out of order, or two servers could wait for each other.
pub(crate) static ROTATE: Sql = Sql::new(
    "UPDATE sessions
     SET generation = $5, rotated_at = $6, graces = $7, expires_at = $8, last_used_at = $9
     WHERE organization_id = $1 AND id = $2 AND generation = $3 AND graces = $4 AND revoked_at IS NULL",
);

pub(crate) static REVOKE: Sql = Sql::new(
    "UPDATE sessions
     SET revoked_at = $3
     WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL",
);

pub(crate) static REVOKE_UNCHANGED: Sql = Sql::new(
    "UPDATE sessions
     SET revoked_at = $5
     WHERE organization_id = $1 AND id = $2 AND generation = $3 AND graces = $4 AND revoked_at IS NULL",
);

pub(crate) static MARK_USED: Sql = Sql::new(
    "UPDATE sessions
     SET last_used_at = $3
     WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL AND last_used_at < $3",
);

/// A session of the portal expires later the more it is used.
pub(crate) static EXTEND: Sql = Sql::new(
    "UPDATE sessions
     SET last_used_at = $3, expires_at = $4
     WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL AND last_used_at < $3",
);

pub(crate) static ERASE: Sql = Sql::new(
    "DELETE FROM sessions
     WHERE organization_id = $1 AND user_id = $2",
);

impl Record for Session {
    fn table() -> &'static Table {
        &SESSIONS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.uuid("user_id", self.user_id.bytes());
        row.uuid("client_id", self.client_id.map_or(NO_CLIENT, ClientId::bytes));
        row.int("generation", self.generation.into());
        row.time("signed_in_at", self.signed_in_at);
        row.time("rotated_at", self.rotated_at);
        row.list("graces", graces(self).iter().map(String::as_str));
        row.time("expires_at", self.expires_at);
        row.time("last_used_at", self.last_used_at);
        row.optional_text("ip_address", self.ip_address.as_deref());
        row.optional_text("user_agent", self.user_agent.as_deref());
        row.optional_time("revoked_at", self.revoked_at);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: SessionId::from_bytes(row.uuid("id")?),
            user_id: UserId::from_bytes(row.uuid("user_id")?),
            client_id: Some(row.uuid("client_id")?).filter(|id| *id != NO_CLIENT).map(ClientId::from_bytes),
            generation: {
                let generation = row.int("generation")?;
                let invalid = |_| Error::Internal(format!("a stored generation is out of range: {generation}"));
                u32::try_from(generation).map_err(invalid)?
            },
            signed_in_at: row.time("signed_in_at")?,
            rotated_at: row.time("rotated_at")?,
            graces: row
                .list("graces")?
                .map(|word| codec::read_time(codec::word(&word, |word| word.parse().ok())?))
                .collect::<Result<_, Error>>()?,
            expires_at: row.time("expires_at")?,
            last_used_at: row.time("last_used_at")?,
            ip_address: row.optional_text("ip_address")?,
            user_agent: row.optional_text("user_agent")?,
            revoked_at: row.optional_time("revoked_at")?,
        })
    }
}

/// Which sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Sessions of this user.
    pub user_id: Option<UserId>,
    /// Sessions that are live at this time.
    pub live_at: Option<Time>,
}

/// A session with the name of the client that began it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The session.
    pub session: Session,
    /// The name of the client.
    pub client_name: String,
}

impl Listed {
    fn of(session: Session, client_name: Option<String>) -> Option<Self> {
        let portal = || session.client_id.is_none().then(|| PORTAL_CLIENT_NAME.to_owned());
        let client_name = client_name.or_else(portal)?;
        Some(Self { session, client_name })
    }
}

/// A session and its user, whether the session is live or not.
pub async fn with_user(db: &Db, organization: OrganizationId, id: SessionId) -> Result<Option<(Session, User)>, Error> {
    let read = |row: &Row<'_>| Ok((record::read(row)?, record::read(&row.skip(SESSIONS.width()))?));
    db.find(&WITH_USER, [organization.bytes().into(), id.bytes().into()], read).await
}

/// A user's sessions that were not revoked, expired ones included, newest first.
pub async fn open(db: &Db, organization: OrganizationId, user: UserId) -> Result<Vec<Listed>, Error> {
    let params = [organization.bytes().into(), user.bytes().into()];
    let listed = |row: &Row<'_>| Ok((record::read::<Session>(row)?, row.optional_text(SESSIONS.width())?));
    let rows = db.all(&BY_USER, &params, listed).await?;
    // A session whose client was removed with its organization is not listed.
    Ok(rows.into_iter().filter_map(|(session, name)| Listed::of(session, name)).collect())
}

/// A user's sessions that are live at `now`, newest first.
pub async fn live(db: &Db, organization: OrganizationId, user: UserId, now: Time) -> Result<Vec<Listed>, Error> {
    let mut sessions = open(db, organization, user).await?;
    sessions.retain(|listed| listed.session.is_live(now));
    Ok(sessions)
}

/// A page of an organization's sessions, newest first.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Session>, Error> {
    compose(organization, query).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId, query: &Query) -> KeysetQuery {
    let mut list = SESSIONS.list(organization.bytes()).sort(BY_CREATION, Order::Descending);
    if let Some(user) = query.user_id {
        list = list.equal("user_id", user.bytes());
    }
    if let Some(now) = query.live_at {
        list = list.filter("revoked_at IS NULL AND expires_at > {}", vec![codec::time(now)]);
    }
    list
}

/// A new session.
pub fn insert(change: Change, session: &Session) -> Change {
    record::insert(change, session, Violation::Session)
}

/// Stores the refreshed session, if it is still as it was read; rejected with [`Violation::Session`] otherwise.
pub fn rotate(change: Change, session: &Session, read: &Session) -> Change {
    let mut values = state(read);
    values.extend([
        i64::from(session.generation).into(),
        codec::time(session.rotated_at),
        joined(&graces(session)),
        codec::time(session.expires_at),
        codec::time(session.last_used_at),
    ]);
    unchanged(change, read).execute(&ROTATE, values, Violation::Session)
}

/// Revokes the session, if it is as it was read: a token that was rotated since then is no proof of theft.
pub fn revoke_unchanged(change: Change, session: &Session, at: Time) -> Change {
    let mut values = state(session);
    values.push(codec::time(at));
    unchanged(change, session).execute(&REVOKE_UNCHANGED, values, Violation::Session)
}

/// Revokes the session; rejected with [`Violation::Session`] if it was revoked before.
pub fn revoke(change: Change, session: &Session, at: Time) -> Change {
    let (organization, id) = (session.organization_id, session.id);
    let mut values = key(organization, id);
    values.push(codec::time(at));
    guard_live(change, organization, id).execute(&REVOKE, values, Violation::Session)
}

/// Records that the session was used; rejected if it was revoked.
pub fn mark_used(change: Change, organization: OrganizationId, id: SessionId, at: Time) -> Change {
    let mut values = key(organization, id);
    values.push(codec::time(at));
    guard_live(change, organization, id).execute_any(&MARK_USED, values)
}

/// Records that a session of the portal was used, and when it expires now; rejected if it was revoked.
pub fn extend(change: Change, session: &Session, at: Time, expires_at: Time) -> Change {
    let (organization, id) = (session.organization_id, session.id);
    let mut values = key(organization, id);
    values.extend([codec::time(at), codec::time(expires_at)]);
    guard_live(change, organization, id).execute_any(&EXTEND, values)
}

/// Removes a user's sessions.
pub fn erase(change: Change, organization: OrganizationId, user: UserId) -> Change {
    change.execute_any(&ERASE, vec![organization.bytes().into(), user.bytes().into()])
}

/// The first `limit` sessions of an organization that had expired at `before`, oldest first.
pub async fn due(db: &Db, organization: OrganizationId, before: Time, limit: i64) -> Result<Vec<SessionId>, Error> {
    let read = |row: &Row<'_>| Ok(SessionId::from_bytes(row.uuid(0)?));
    retention::due(db, &SESSIONS, (organization, codec::time(before), limit), read).await
}

/// The number of an organization's sessions that had expired at `before`, counted up to `limit`.
pub async fn count_expired(db: &Db, organization: OrganizationId, before: Time, limit: i64) -> Result<i64, Error> {
    retention::count_due(db, &SESSIONS, (organization, codec::time(before), limit)).await
}

/// Removes up to `limit` of an organization's sessions that had expired at `before`.
pub fn sweep(change: Change, organization: OrganizationId, before: Time, limit: i64) -> Change {
    retention::sweep(change, &SESSIONS, (organization, codec::time(before), limit))
}

fn unchanged(change: Change, session: &Session) -> Change {
    guard(change, session.id, &UNCHANGED, state(session))
}

fn guard_live(change: Change, organization: OrganizationId, id: SessionId) -> Change {
    guard(change, id, &LIVE, key(organization, id))
}

fn guard(change: Change, id: SessionId, sql: &'static Sql, params: Vec<Value>) -> Change {
    let lock = Lock::Exclusive;
    change.guard(Guard { table: &SESSIONS, key: id.bytes(), lock, sql, params, violation: Violation::Session })
}

fn key(organization: OrganizationId, id: SessionId) -> Vec<Value> {
    vec![organization.bytes().into(), id.bytes().into()]
}

/// The key and what a refresh changes.
fn state(session: &Session) -> Vec<Value> {
    let mut values = key(session.organization_id, session.id);
    values.push(i64::from(session.generation).into());
    values.push(joined(&graces(session)));
    values
}

/// The instants as texts: there are three at most.
fn graces(session: &Session) -> Vec<String> {
    session.graces.iter().map(|grace| grace.as_micros().to_string()).collect()
}

fn joined(graces: &[String]) -> Value {
    codec::join(graces.iter().map(String::as_str)).into()
}
