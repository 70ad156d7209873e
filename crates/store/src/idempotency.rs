//! Idempotency keys in the store: what a create answered, kept a day beside its effect.

use crate::change::{Change, Violation};
use crate::row::Row;
use crate::sql::{Insert, Sql};
use crate::value::{Type, Value};
use crate::{Db, Error, codec};
use perennial_domain::id::{ClientId, OrganizationId};
use perennial_domain::time::Time;

/// Whose key it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// The organization.
    pub organization: OrganizationId,
    /// The client the key is scoped to.
    pub client: ClientId,
    /// The key itself.
    pub key: String,
}

/// What the first request with a key was, and what it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// A digest of the request.
    pub fingerprint: Vec<u8>,
    /// The status of the answer, a number only the HTTP floor understands.
    pub status: i64,
    /// The body of the answer.
    pub body: String,
    /// Where the new record is.
    pub location: String,
    /// The new record's entity tag.
    pub etag: String,
}

/// A key past its day is free again: the new request takes its row over.
pub(crate) static INSERT: Insert = Insert::new(
    "idempotency_keys",
    &[
        ("organization_id", Type::Uuid),
        ("client_id", Type::Uuid),
        ("key", Type::Text),
        ("fingerprint", Type::Bytes),
        ("status", Type::Int),
        ("body", Type::Text),
        ("location", Type::Text),
        ("etag", Type::Text),
        ("created_at", Type::Time),
        ("expires_at", Type::Time),
    ],
    "ON CONFLICT (organization_id, client_id, key) DO UPDATE
     SET fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body,
         location = excluded.location, etag = excluded.etag, created_at = excluded.created_at,
         expires_at = excluded.expires_at
     WHERE idempotency_keys.expires_at <= excluded.created_at",
);

/// Whether it has expired is asked of the row, not of the table: while PostgreSQL knows nothing of a new table, it takes
/// the index by age for as good as the one by key, and reads every key that lives.
pub(crate) static BY_KEY: Sql = Sql::new(
    "SELECT fingerprint, status, body, location, etag, expires_at
     FROM idempotency_keys
     WHERE organization_id = $1 AND client_id = $2 AND key = $3",
);

macro_rules! due {
    () => {
        "SELECT client_id, key FROM idempotency_keys
         WHERE organization_id = $1 AND expires_at <= $2
         ORDER BY expires_at
         LIMIT $3"
    };
}

pub(crate) static DUE: Sql = Sql::new(due!());

/// On PostgreSQL several servers sweep at once: each takes rows that no other holds, so none waits for another.
pub(crate) static SWEEP: Sql = Sql::split(
    concat!("DELETE FROM idempotency_keys WHERE organization_id = $1 AND (client_id, key) IN (", due!(), ")"),
    concat!(
        "DELETE FROM idempotency_keys WHERE organization_id = $1 AND (client_id, key) IN (",
        due!(),
        " FOR UPDATE SKIP LOCKED)"
    ),
);

pub(crate) static EXPIRED: Sql = Sql::new(
    "SELECT COUNT(*) FROM (
         SELECT 1 FROM idempotency_keys
         WHERE organization_id = $1 AND expires_at <= $2
         LIMIT $3) AS counted",
);

/// What a key that has not expired at `now` stands for.
pub async fn find(db: &Db, owner: &Owner, now: Time) -> Result<Option<Remembered>, Error> {
    let params = [owner.organization.bytes().into(), owner.client.bytes().into(), owner.key.as_str().into()];
    let found = db.find(&BY_KEY, params, |row| Ok((read(row)?, codec::read_time(row.time(5)?)?))).await?;
    Ok(found.filter(|(_, expires_at)| *expires_at > now).map(|(remembered, _)| remembered))
}

/// Keeps the answer under the key; misses with [`Violation::Key`] if the key is taken.
pub fn insert(change: Change, owner: &Owner, remembered: &Remembered, now: Time, expires_at: Time) -> Change {
    let values = vec![
        owner.organization.bytes().into(),
        owner.client.bytes().into(),
        owner.key.as_str().into(),
        Value::bytes(remembered.fingerprint.clone()),
        remembered.status.into(),
        remembered.body.as_str().into(),
        remembered.location.as_str().into(),
        remembered.etag.as_str().into(),
        codec::time(now),
        codec::time(expires_at),
    ];
    change.key(&INSERT, values, Violation::Key)
}

/// The first `limit` of an organization's keys that have expired at `now`, oldest first.
pub async fn due(
    db: &Db,
    organization: OrganizationId,
    now: Time,
    limit: i64,
) -> Result<Vec<(ClientId, String)>, Error> {
    let read = |row: &Row<'_>| Ok((ClientId::from_bytes(row.uuid(0)?), row.text(1)?));
    db.all(&DUE, &bounds(organization, now, limit), read).await
}

/// How many of an organization's keys have expired at `now`, counted up to `limit`.
pub async fn count_expired(db: &Db, organization: OrganizationId, now: Time, limit: i64) -> Result<i64, Error> {
    Ok(db.one(&EXPIRED, &bounds(organization, now, limit), |row| row.int(0)).await?.unwrap_or(0))
}

/// Removes up to `limit` of an organization's keys that have expired at `now`.
pub fn sweep(change: Change, organization: OrganizationId, now: Time, limit: i64) -> Change {
    change.execute_any(&SWEEP, bounds(organization, now, limit).into())
}

fn bounds(organization: OrganizationId, now: Time, limit: i64) -> [Value; 3] {
    [organization.bytes().into(), codec::time(now), limit.into()]
}

fn read(row: &Row<'_>) -> Result<Remembered, Error> {
    Ok(Remembered {
        fingerprint: row.bytes(0)?,
        status: row.int(1)?,
        body: row.text(2)?,
        location: row.text(3)?,
        etag: row.text(4)?,
    })
}
