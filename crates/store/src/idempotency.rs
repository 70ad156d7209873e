//! Idempotency keys in the store: the response to a create, stored for a day in the same transaction as the record.

use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::record::{self, Purpose, RowReader};
use crate::retention;
use crate::row::Row;
use crate::table::{Conflict, Sweep, Table};
use crate::value::Type;
use perennial_domain::id::{ClientId, OrganizationId};
use perennial_domain::time::Time;

/// The idempotency keys with the stored responses. An expired key is free: the next request with it replaces the row.
pub static IDEMPOTENCY_KEYS: Table = Table::new(
    11,
    "idempotency_keys",
    &[
        Column::key("organization_id", Type::Uuid).unread(),
        Column::key("client_id", Type::Uuid).unread(),
        Column::key("key", Type::Text).unread(),
        Column::fixed("fingerprint", Type::Bytes),
        Column::fixed("status", Type::Int),
        Column::fixed("body", Type::Text),
        Column::fixed("location", Type::Text),
        Column::fixed("etag", Type::Text),
        Column::fixed("created_at", Type::Time).unread(),
        Column::fixed("expires_at", Type::Time),
    ],
)
.on_conflict(Conflict::ReplaceIf("idempotency_keys.expires_at <= excluded.created_at"))
.swept(Sweep { due: "expires_at <= $2", order: "expires_at" });

/// An idempotency key, scoped to a client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// The organization.
    pub organization: OrganizationId,
    /// The client the key is scoped to.
    pub client: ClientId,
    /// The key itself.
    pub key: String,
}

/// The first request with a key and its response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// A digest of the request.
    pub fingerprint: Vec<u8>,
    /// The status code of the response; only the HTTP layer interprets it.
    pub status: i64,
    /// The body of the response.
    pub body: String,
    /// The URL of the new record.
    pub location: String,
    /// The new record's entity tag.
    pub etag: String,
}

/// The response stored under a key that has not expired at `now`.
///
/// Whether it has expired is tested on the row, not in the statement. As long as PostgreSQL has no statistics of a new
/// table, the index by age seems as good as the one by key, and it would read every live key.
pub async fn find(db: &Db, owner: &Owner, now: Time) -> Result<Option<Remembered>, Error> {
    let params = [owner.organization.bytes().into(), owner.client.bytes().into(), owner.key.as_str().into()];
    let found = db.find(&IDEMPOTENCY_KEYS.statements().by_key, params, read).await?;
    Ok(found.filter(|(_, expires_at)| *expires_at > now).map(|(remembered, _)| remembered))
}

/// Stores the response under the key; rejected with [`Violation::Key`] if the key is in use.
pub fn insert(change: Change, owner: &Owner, remembered: &Remembered, now: Time, expires_at: Time) -> Change {
    let values = record::values_of(&IDEMPOTENCY_KEYS, Purpose::Insert, |row| {
        row.uuid("organization_id", owner.organization.bytes());
        row.uuid("client_id", owner.client.bytes());
        row.text("key", &owner.key);
        row.bytes("fingerprint", &remembered.fingerprint);
        row.int("status", remembered.status);
        row.text("body", &remembered.body);
        row.text("location", &remembered.location);
        row.text("etag", &remembered.etag);
        row.time("created_at", now);
        row.time("expires_at", expires_at);
    });
    change.key(&IDEMPOTENCY_KEYS.statements().insert, values, Violation::Key)
}

/// The first `limit` keys of an organization that have expired at `now`, oldest first.
pub async fn due(
    db: &Db,
    organization: OrganizationId,
    now: Time,
    limit: i64,
) -> Result<Vec<(ClientId, String)>, Error> {
    let read = |row: &Row<'_>| Ok((ClientId::from_bytes(row.uuid(0)?), row.text(1)?));
    retention::due(db, &IDEMPOTENCY_KEYS, (organization, codec::time(now), limit), read).await
}

/// The number of an organization's keys that have expired at `now`, counted up to `limit`.
pub async fn count_expired(db: &Db, organization: OrganizationId, now: Time, limit: i64) -> Result<i64, Error> {
    retention::count_due(db, &IDEMPOTENCY_KEYS, (organization, codec::time(now), limit)).await
}

/// Removes up to `limit` of an organization's keys that have expired at `now`.
pub fn sweep(change: Change, organization: OrganizationId, now: Time, limit: i64) -> Change {
    retention::sweep(change, &IDEMPOTENCY_KEYS, (organization, codec::time(now), limit))
}

/// The response and when it expires.
fn read(row: &Row<'_>) -> Result<(Remembered, Time), Error> {
    let mut row = RowReader::new(row, &IDEMPOTENCY_KEYS);
    let remembered = Remembered {
        fingerprint: row.bytes("fingerprint")?,
        status: row.int("status")?,
        body: row.text("body")?,
        location: row.text("location")?,
        etag: row.text("etag")?,
    };
    Ok((remembered, row.time("expires_at")?))
}
