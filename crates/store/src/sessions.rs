//! Sessions in the store. Neither an access nor a refresh token is kept: a session's row is no use to whoever reads it.

use crate::change::{Change, Guard, Lock, Table, Violation};
use crate::list::{BY_CREATION, List, Listing, Order, Page, Position};
use crate::row::Row;
use crate::sql::{Insert, Sql};
use crate::value::{Type, Value};
use crate::{Db, Error, codec, users};
use perennial_domain::id::{ClientId, OrganizationId, SessionId, UserId};
use perennial_domain::sessions::Session;
use perennial_domain::time::Time;
use perennial_domain::users::User;

macro_rules! columns {
    () => {
        "s.id, s.organization_id, s.user_id, s.client_id, s.generation, s.signed_in_at, s.rotated_at, s.graces, \
         s.expires_at, s.last_used_at, s.ip_address, s.user_agent, s.revoked_at"
    };
}

/// How many columns a session has.
const WIDTH: usize = 13;

/// A session with its user, in one read. The user of a live session is live.
pub(crate) static WITH_USER: Sql = Sql::new(concat!(
    "SELECT ",
    users::columns!(),
    ", ",
    columns!(),
    "
     FROM sessions AS s
     JOIN users AS u ON u.organization_id = s.organization_id AND u.id = s.user_id
     WHERE s.organization_id = $1 AND s.id = $2 AND u.deleted_at IS NULL"
));

/// That it has not expired is tested on the few rows that are left, lest SQLite follow the index of expiries instead.
pub(crate) static BY_USER: Sql = Sql::new(concat!(
    "SELECT ",
    columns!(),
    ", c.name
     FROM sessions AS s
     JOIN clients AS c ON c.organization_id = s.organization_id AND c.id = s.client_id
     WHERE s.organization_id = $1 AND s.user_id = $2 AND s.revoked_at IS NULL
     ORDER BY s.id DESC"
));

pub(crate) static INSERT: Insert = Insert::new(
    "sessions",
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("user_id", Type::Uuid),
        ("client_id", Type::Uuid),
        ("generation", Type::Int),
        ("signed_in_at", Type::Time),
        ("rotated_at", Type::Time),
        ("graces", Type::Text),
        ("expires_at", Type::Time),
        ("last_used_at", Type::Time),
        ("ip_address", Type::Text),
        ("user_agent", Type::Text),
    ],
    "",
);

/// The session as it was read: neither ended nor refreshed meanwhile.
pub(crate) static UNCHANGED: Sql = Sql::new(
    "SELECT 1 FROM sessions
     WHERE organization_id = $1 AND id = $2 AND generation = $3 AND graces = $4 AND revoked_at IS NULL",
);

pub(crate) static LIVE: Sql = Sql::new(
    "SELECT 1 FROM sessions
     WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL",
);

/// What its guard holds is said again, here and below: PostgreSQL is sent a change in one go, and a row whose guard has
/// missed must not be locked after all, out of order, where two servers would wait for each other.
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

pub(crate) static ERASE: Sql = Sql::new(
    "DELETE FROM sessions
     WHERE organization_id = $1 AND user_id = $2",
);

macro_rules! due {
    () => {
        "SELECT id FROM sessions
         WHERE organization_id = $1 AND expires_at <= $2
         ORDER BY expires_at
         LIMIT $3"
    };
}

pub(crate) static DUE: Sql = Sql::new(due!());

/// See the sweep of idempotency keys.
pub(crate) static SWEEP: Sql = Sql::split(
    concat!("DELETE FROM sessions WHERE organization_id = $1 AND id IN (", due!(), ")"),
    concat!("DELETE FROM sessions WHERE organization_id = $1 AND id IN (", due!(), " FOR UPDATE SKIP LOCKED)"),
);

pub(crate) static EXPIRED: Sql = Sql::new(
    "SELECT COUNT(*) FROM (
         SELECT 1 FROM sessions
         WHERE organization_id = $1 AND expires_at <= $2
         LIMIT $3) AS counted",
);

static LISTING: Listing = Listing::new(
    "sessions",
    "id, organization_id, user_id, client_id, generation, signed_in_at, rotated_at, graces, expires_at, last_used_at, \
     ip_address, user_agent, revoked_at",
);

/// Which sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Those of a user.
    pub user_id: Option<UserId>,
    /// Those that are live at this moment.
    pub live_at: Option<Time>,
}

/// A live session with the name of the client it was begun with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The session.
    pub session: Session,
    /// What the client is called.
    pub client_name: String,
}

/// A session and its user, whether the session is live or not.
pub async fn with_user(db: &Db, organization: OrganizationId, id: SessionId) -> Result<Option<(Session, User)>, Error> {
    db.find(&WITH_USER, [organization.bytes().into(), id.bytes().into()], |row| {
        Ok((read(&row.skip(users::WIDTH))?, users::read(row)?))
    })
    .await
}

/// A user's sessions that nobody has ended, whether they have run out or not, newest first.
pub async fn open(db: &Db, organization: OrganizationId, user: UserId) -> Result<Vec<Listed>, Error> {
    let params = [organization.bytes().into(), user.bytes().into()];
    let listed = |row: &Row<'_>| Ok(Listed { session: read(row)?, client_name: row.text(WIDTH)? });
    db.all(&BY_USER, &params, listed).await
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
    compose(organization, query).after(after).limit(limit).page(db, read).await
}

pub(crate) fn compose(organization: OrganizationId, query: &Query) -> List {
    let mut list = LISTING.of(organization.bytes()).sort(BY_CREATION, Order::Descending);
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
    let mut values = key(session.organization_id, session.id);
    values.extend([
        session.user_id.bytes().into(),
        session.client_id.bytes().into(),
        i64::from(session.generation).into(),
        codec::time(session.signed_in_at),
        codec::time(session.rotated_at),
        graces(session).into(),
        codec::time(session.expires_at),
        codec::time(session.last_used_at),
        session.ip_address.as_deref().into(),
        session.user_agent.as_deref().into(),
    ]);
    change.insert(&INSERT, values, Violation::Session)
}

/// What refreshing made of the session, if it is still as it was read; misses with [`Violation::Session`] else.
pub fn rotate(change: Change, session: &Session, read: &Session) -> Change {
    let mut values = state(read);
    values.extend([
        i64::from(session.generation).into(),
        codec::time(session.rotated_at),
        graces(session).into(),
        codec::time(session.expires_at),
        codec::time(session.last_used_at),
    ]);
    unchanged(change, read).execute(&ROTATE, values, Violation::Session)
}

/// Ends the session, if it is as it was read: a thief is not taken for one by a token that was rotated meanwhile.
pub fn revoke_unchanged(change: Change, session: &Session, at: Time) -> Change {
    let mut values = state(session);
    values.push(codec::time(at));
    unchanged(change, session).execute(&REVOKE_UNCHANGED, values, Violation::Session)
}

/// Ends the session; misses with [`Violation::Session`] if it has ended before.
pub fn revoke(change: Change, session: &Session, at: Time) -> Change {
    let (organization, id) = (session.organization_id, session.id);
    let mut values = key(organization, id);
    values.push(codec::time(at));
    guard_live(change, organization, id).execute(&REVOKE, values, Violation::Session)
}

/// Notes that the session was used. A session that has ended meanwhile misses.
pub fn mark_used(change: Change, organization: OrganizationId, id: SessionId, at: Time) -> Change {
    let mut values = key(organization, id);
    values.push(codec::time(at));
    guard_live(change, organization, id).execute_any(&MARK_USED, values)
}

/// Removes every trace of a user's sessions.
pub fn erase(change: Change, organization: OrganizationId, user: UserId) -> Change {
    change.execute_any(&ERASE, vec![organization.bytes().into(), user.bytes().into()])
}

/// The first `limit` of an organization's sessions that had expired at `before`, oldest first.
pub async fn due(db: &Db, organization: OrganizationId, before: Time, limit: i64) -> Result<Vec<SessionId>, Error> {
    let read = |row: &Row<'_>| Ok(SessionId::from_bytes(row.uuid(0)?));
    db.all(&DUE, &bounds(organization, before, limit), read).await
}

/// How many of an organization's sessions had expired at `before`, counted up to `limit`.
pub async fn count_expired(db: &Db, organization: OrganizationId, before: Time, limit: i64) -> Result<i64, Error> {
    Ok(db.one(&EXPIRED, &bounds(organization, before, limit), |row| row.int(0)).await?.unwrap_or(0))
}

/// Removes up to `limit` of an organization's sessions that had expired at `before`.
pub fn sweep(change: Change, organization: OrganizationId, before: Time, limit: i64) -> Change {
    change.execute_any(&SWEEP, bounds(organization, before, limit).into())
}

fn bounds(organization: OrganizationId, before: Time, limit: i64) -> [Value; 3] {
    [organization.bytes().into(), codec::time(before), limit.into()]
}

fn unchanged(change: Change, session: &Session) -> Change {
    guard(change, session.id, &UNCHANGED, state(session))
}

fn guard_live(change: Change, organization: OrganizationId, id: SessionId) -> Change {
    guard(change, id, &LIVE, key(organization, id))
}

fn guard(change: Change, id: SessionId, sql: &'static Sql, params: Vec<Value>) -> Change {
    let lock = Lock::Exclusive;
    change.guard(Guard { table: Table::Sessions, key: id.bytes(), lock, sql, params, violation: Violation::Session })
}

fn key(organization: OrganizationId, id: SessionId) -> Vec<Value> {
    vec![organization.bytes().into(), id.bytes().into()]
}

/// What refreshing changes, after the key.
fn state(session: &Session) -> Vec<Value> {
    let mut values = key(session.organization_id, session.id);
    values.push(i64::from(session.generation).into());
    values.push(graces(session).into());
    values
}

/// The instants as one text: there are three at most.
fn graces(session: &Session) -> String {
    let micros: Vec<String> = session.graces.iter().map(|grace| grace.as_micros().to_string()).collect();
    codec::join(micros.iter().map(String::as_str))
}

fn read(row: &Row<'_>) -> Result<Session, Error> {
    let graces = codec::split(row.text_ref(7)?)
        .map(|word| codec::read_time(codec::word(&word, |word| word.parse().ok())?))
        .collect::<Result<_, Error>>()?;
    let generation = row.int(4)?;
    Ok(Session {
        id: SessionId::from_bytes(row.uuid(0)?),
        organization_id: OrganizationId::from_bytes(row.uuid(1)?),
        user_id: UserId::from_bytes(row.uuid(2)?),
        client_id: ClientId::from_bytes(row.uuid(3)?),
        generation: u32::try_from(generation)
            .map_err(|_| Error::Internal(format!("a kept generation is out of range: {generation}")))?,
        signed_in_at: codec::read_time(row.time(5)?)?,
        rotated_at: codec::read_time(row.time(6)?)?,
        graces,
        expires_at: codec::read_time(row.time(8)?)?,
        last_used_at: codec::read_time(row.time(9)?)?,
        ip_address: row.optional_text(10)?,
        user_agent: row.optional_text(11)?,
        revoked_at: codec::read_optional_time(row.optional_time(12)?)?,
    })
}
