//! Attempts per minute that servers with a common database share for rate limits. Each server writes only its own
//! rows, so that servers never wait for each other's locks. It writes totals, so that the next report replaces a lost
//! one.

use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::Error;
use crate::retention;
use crate::row::Row;
use crate::sql::Sql;
use crate::table::{Sweep, Table};
use crate::value::{Type, Value};
use perennial_domain::id::OrganizationId;
use perennial_domain::time::Time;

/// Attempts that servers with a common store have counted, by the minute.
pub static RATE_LIMITS: Table = Table::new(
    12,
    "rate_limits",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("window_start", Type::Time),
        Column::key("bucket", Type::Bytes),
        Column::fixed("used", Type::Int),
    ],
)
.transient()
.swept(Sweep { due: "window_start < $2", order: "window_start, bucket" });

/// The subject of the attempts, as a digest.
pub type Bucket = [u8; 16];

/// The server that counted them.
pub type Server = [u8; 8];

/// Not an `Insert`: those of a batch are folded into one statement, and one statement cannot write a row twice.
pub(crate) static PUT: Sql = Sql::new(
    "INSERT INTO rate_limits (organization_id, window_start, bucket, used)
     VALUES ($1, $2, $3, $4)
     ON CONFLICT (organization_id, window_start, bucket) DO UPDATE SET used = excluded.used",
);

pub(crate) static ELSEWHERE: Sql = Sql::new(
    "SELECT window_start, used
     FROM rate_limits
     WHERE organization_id = $1 AND window_start IN ($2, $3) AND bucket BETWEEN $4 AND $5 AND bucket <> $6",
);

/// Stores the number of attempts that this server has counted in the minute that starts at `window`.
pub fn put(
    change: Change,
    organization: OrganizationId,
    window: Time,
    (bucket, server): (Bucket, Server),
    used: u32,
) -> Change {
    let values = vec![organization.bytes().into(), codec::time(window), row(bucket, server), i64::from(used).into()];
    change.execute_any(&PUT, values)
}

/// The number of attempts that the other servers have counted in each of the two minutes that start at `windows`.
pub async fn elsewhere(
    db: &Db,
    organization: OrganizationId,
    windows: [Time; 2],
    (bucket, server): (Bucket, Server),
) -> Result<[i64; 2], Error> {
    let params = [
        organization.bytes().into(),
        codec::time(windows[0]),
        codec::time(windows[1]),
        row(bucket, [0; 8]),
        row(bucket, [u8::MAX; 8]),
        row(bucket, server),
    ];
    let rows = db.all(&ELSEWHERE, &params, read).await?;
    let total = |window: Time| rows.iter().filter(|(start, _)| *start == window).map(|(_, used)| used).sum();
    Ok(windows.map(total))
}

/// The first `limit` of an organization's counts of minutes that started before, oldest first.
pub async fn due(
    db: &Db,
    organization: OrganizationId,
    before: Time,
    limit: i64,
) -> Result<Vec<(Time, Vec<u8>)>, Error> {
    let read = |row: &Row<'_>| Ok((codec::read_time(row.time(0)?)?, row.bytes(1)?));
    retention::due(db, &RATE_LIMITS, (organization, codec::time(before), limit), read).await
}

/// Removes up to `limit` of an organization's counts of minutes that started before.
pub fn sweep(change: Change, organization: OrganizationId, before: Time, limit: i64) -> Change {
    retention::sweep(change, &RATE_LIMITS, (organization, codec::time(before), limit))
}

/// The server is the last part, so that the counts of all servers are adjacent.
fn row(bucket: Bucket, server: Server) -> Value {
    Value::bytes([&bucket[..], &server[..]].concat())
}

fn read(row: &Row<'_>) -> Result<(Time, i64), Error> {
    Ok((codec::read_time(row.time(0)?)?, row.int(1)?))
}
