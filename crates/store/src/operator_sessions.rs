//! Operators' sessions in the store. A session is found by the SHA-256 of its cookie; the cookie itself is never stored.

use std::sync::LazyLock;

use crate::change::{Change, Guard};
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::lock::Lock;
use crate::operators::OPERATORS;
use crate::record::{self, Purpose, Record, RowReader, RowWriter};
use crate::retention;
use crate::row::Row;
use crate::sql::Sql;
use crate::table::{Conflict, Sweep, Table};
use crate::value::{Type, Value};
use perennial_domain::id::{OperatorId, OperatorSessionId, OrganizationId};
use perennial_domain::operators::{Operator, OperatorSession, SignInMethod};
use perennial_domain::time::Time;

/// The operators' sessions. A copy of the store has none, so that no cookie works on it.
pub static OPERATOR_SESSIONS: Table = Table::new(
    15,
    "operator_sessions",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("operator_id", Type::Uuid).refers_to("operators"),
        Column::fixed("cookie_hash", Type::Bytes).unread(),
        Column::fixed("method", Type::Text),
        Column::fixed("signed_in_at", Type::Time),
        Column::fixed("last_used_at", Type::Time),
        Column::fixed("expires_at", Type::Time),
        Column::fixed("ip_address", Type::Text).nullable(),
        Column::fixed("user_agent", Type::Text).nullable(),
        Column::fixed("ended_at", Type::Time).nullable(),
    ],
)
.on_conflict(Conflict::Fail)
.personal()
.transient()
.swept(Sweep { due: "expires_at <= $2", order: "expires_at" });

/// The SHA-256 of a session's cookie.
pub type CookieHash = [u8; 32];

/// A session with its operator, in one read.
pub(crate) static BY_COOKIE: LazyLock<Sql> = LazyLock::new(|| with_operator("s.cookie_hash = $1"));

pub(crate) static WITH_OPERATOR: LazyLock<Sql> =
    LazyLock::new(|| with_operator("s.organization_id = $1 AND s.id = $2"));

pub(crate) static BY_OPERATOR: LazyLock<Sql> = LazyLock::new(|| {
    OPERATOR_SESSIONS
        .select("WHERE organization_id = $1 AND operator_id = $2 AND ended_at IS NULL ORDER BY id DESC LIMIT $3")
});

pub(crate) static OPEN: Sql = Sql::new(
    "SELECT 1 FROM operator_sessions
     WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL",
);

pub(crate) static END: Sql = Sql::new(
    "UPDATE operator_sessions
     SET ended_at = $3
     WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL",
);

pub(crate) static END_ALL: Sql = Sql::new(
    "UPDATE operator_sessions
     SET ended_at = $3
     WHERE organization_id = $1 AND operator_id = $2 AND ended_at IS NULL",
);

pub(crate) static MARK_USED: Sql = Sql::new(
    "UPDATE operator_sessions
     SET last_used_at = $3
     WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL AND last_used_at < $3",
);

pub(crate) static REMOVE_ALL: Sql = Sql::new("DELETE FROM operator_sessions WHERE organization_id = $1");

fn with_operator(condition: &str) -> Sql {
    Sql::built(format!(
        "SELECT {}, {} FROM operator_sessions AS s
         JOIN operators AS o ON o.organization_id = s.organization_id AND o.id = s.operator_id
         WHERE {condition} AND o.deleted_at IS NULL",
        OPERATOR_SESSIONS.columns_of("s"),
        OPERATORS.columns_of("o")
    ))
}

impl Record for OperatorSession {
    fn table() -> &'static Table {
        &OPERATOR_SESSIONS
    }

    /// Without the cookie's hash: an insert passes it to [`write`].
    fn write(&self, row: &mut RowWriter) {
        write(self, &[], row);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: OperatorSessionId::from_bytes(row.uuid("id")?),
            operator_id: OperatorId::from_bytes(row.uuid("operator_id")?),
            method: row.word("method", SignInMethod::from_stored)?,
            signed_in_at: row.time("signed_in_at")?,
            last_used_at: row.time("last_used_at")?,
            expires_at: row.time("expires_at")?,
            ip_address: row.optional_text("ip_address")?,
            user_agent: row.optional_text("user_agent")?,
            ended_at: row.optional_time("ended_at")?,
        })
    }
}

fn write(session: &OperatorSession, hash: &[u8], row: &mut RowWriter) {
    row.uuid("organization_id", session.organization_id.bytes());
    row.uuid("id", session.id.bytes());
    row.uuid("operator_id", session.operator_id.bytes());
    row.bytes("cookie_hash", hash);
    row.text("method", session.method.as_str());
    row.time("signed_in_at", session.signed_in_at);
    row.time("last_used_at", session.last_used_at);
    row.time("expires_at", session.expires_at);
    row.optional_text("ip_address", session.ip_address.as_deref());
    row.optional_text("user_agent", session.user_agent.as_deref());
    row.optional_time("ended_at", session.ended_at);
}

/// The session of a cookie and its operator, whether they may be used or not.
pub async fn by_cookie(db: &Db, hash: CookieHash) -> Result<Option<(OperatorSession, Operator)>, Error> {
    db.find(&BY_COOKIE, [Value::bytes(hash.to_vec())], read_with_operator).await
}

/// A session and its operator, whether they may be used or not.
pub async fn with_its_operator(
    db: &Db,
    organization: OrganizationId,
    id: OperatorSessionId,
) -> Result<Option<(OperatorSession, Operator)>, Error> {
    db.find(&WITH_OPERATOR, [organization.bytes().into(), id.bytes().into()], read_with_operator).await
}

/// An operator's sessions that were not ended, expired ones included, newest first.
pub async fn open(
    db: &Db,
    organization: OrganizationId,
    operator: OperatorId,
    limit: i64,
) -> Result<Vec<OperatorSession>, Error> {
    let params = [organization.bytes().into(), operator.bytes().into(), limit.into()];
    db.all(&BY_OPERATOR, &params, record::read).await
}

/// A new session.
pub fn insert(change: Change, session: &OperatorSession, hash: CookieHash) -> Change {
    let values = record::values_of(&OPERATOR_SESSIONS, Purpose::Insert, |row| write(session, &hash, row));
    change.insert(&OPERATOR_SESSIONS.statements().insert, values, Violation::Session)
}

/// Ends the session; rejected with [`Violation::Session`] if it has ended.
pub fn end(change: Change, session: &OperatorSession, at: Time) -> Change {
    let mut values = key(session);
    values.push(codec::time(at));
    guard(change, session, Lock::Exclusive, Violation::Session).execute(&END, values, Violation::Session)
}

/// Ends all sessions of an operator, which the change must lock.
pub fn end_all(change: Change, operator: &Operator, at: Time) -> Change {
    let (organization, id) = (operator.organization_id, operator.id);
    change.execute_any(&END_ALL, vec![organization.bytes().into(), id.bytes().into(), codec::time(at)])
}

/// Records that the session was used; rejected if it has ended.
pub fn mark_used(change: Change, session: &OperatorSession, at: Time) -> Change {
    let mut values = key(session);
    values.push(codec::time(at));
    guard(change, session, Lock::Exclusive, Violation::Session).execute_any(&MARK_USED, values)
}

/// Locks the session of the operator who requests the change; rejected with [`Violation::CallerSession`] if it has ended.
/// If the change is about the same session, that lock is enough.
pub fn guard_caller(change: Change, session: &OperatorSession) -> Change {
    let lock = change.additional_lock(&OPERATOR_SESSIONS, session.id.bytes());
    guard(change, session, lock, Violation::CallerSession)
}

/// Removes every session of an organization.
pub fn remove_all(change: Change, organization: OrganizationId) -> Change {
    change.execute_any(&REMOVE_ALL, vec![organization.bytes().into()])
}

/// The first `limit` sessions of an organization that had expired at `before`, oldest first.
pub async fn due(
    db: &Db,
    organization: OrganizationId,
    before: Time,
    limit: i64,
) -> Result<Vec<OperatorSessionId>, Error> {
    let read = |row: &Row<'_>| Ok(OperatorSessionId::from_bytes(row.uuid(0)?));
    retention::due(db, &OPERATOR_SESSIONS, (organization, codec::time(before), limit), read).await
}

/// Removes up to `limit` of an organization's sessions that had expired at `before`.
pub fn sweep(change: Change, organization: OrganizationId, before: Time, limit: i64) -> Change {
    retention::sweep(change, &OPERATOR_SESSIONS, (organization, codec::time(before), limit))
}

fn read_with_operator(row: &Row<'_>) -> Result<(OperatorSession, Operator), Error> {
    Ok((record::read(row)?, record::read(&row.skip(OPERATOR_SESSIONS.width()))?))
}

fn guard(change: Change, session: &OperatorSession, lock: Lock, violation: Violation) -> Change {
    let (key, params) = (session.id.bytes(), key(session));
    change.guard(Guard { table: &OPERATOR_SESSIONS, key, lock, sql: &OPEN, params, violation })
}

fn key(session: &OperatorSession) -> Vec<Value> {
    vec![session.organization_id.bytes().into(), session.id.bytes().into()]
}
