//! The token bucket of a connection's requests. All servers share it; its clock is that of the database.

use std::sync::LazyLock;

use crate::change::Change;
use crate::codec;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::leases::timed;
use crate::row::Row;
use crate::sql::Sql;
use crate::value::Value;
use perennial_domain::connections::bucket::Bucket;
use perennial_domain::id::{ConnectionId, OrganizationId};
use perennial_domain::time::Time;

pub(crate) static READ: LazyLock<Sql> = LazyLock::new(|| {
    timed(
        "SELECT s.tokens, s.tokens_at, s.paused_until, s.slow_until, {now}
         FROM connections c
         LEFT JOIN connection_states s ON s.organization_id = c.organization_id AND s.connection_id = c.id
         WHERE c.organization_id = $1 AND c.id = $2",
    )
});

pub(crate) static TAKE: Sql = Sql::new(
    "INSERT INTO connection_states (organization_id, connection_id, tokens, tokens_at)
     VALUES ($1, $2, $3, $4)
     ON CONFLICT (organization_id, connection_id) DO UPDATE SET tokens = excluded.tokens, tokens_at = excluded.tokens_at
     WHERE connection_states.tokens = $5 AND connection_states.tokens_at IS NOT DISTINCT FROM $6",
);

pub(crate) static PAUSE: Sql = Sql::new(
    "UPDATE connection_states SET paused_until = $3, slow_until = $4
     WHERE organization_id = $1 AND connection_id = $2",
);

/// The bucket, and the time of the database. None if there is no such connection.
pub async fn read(
    db: &Db,
    organization: OrganizationId,
    connection: ConnectionId,
) -> Result<Option<(Bucket, Time)>, Error> {
    let params = [organization.bytes().into(), connection.bytes().into()];
    db.one(&READ, &params, read_row).await
}

/// The bucket in the first four columns, and the time of the database in the fifth.
pub(crate) fn read_row(row: &Row<'_>) -> Result<(Bucket, Time), Error> {
    let time = |position| codec::read_optional_time(row.optional_time(position)?);
    let tokens = row.optional_int(0)?.unwrap_or(0);
    let bucket = Bucket { tokens, at: time(1)?, paused_until: time(2)?, slow_until: time(3)? };
    Ok((bucket, codec::read_time(row.time(4)?)?))
}

/// Stores the bucket after a request took its turn. False if another request was faster.
pub async fn take(
    db: &Db,
    organization: OrganizationId,
    connection: ConnectionId,
    (before, after): (Bucket, Bucket),
) -> Result<bool, Error> {
    let params: Vec<Value> = vec![
        organization.bytes().into(),
        connection.bytes().into(),
        after.tokens.into(),
        codec::optional_time(after.at),
        before.tokens.into(),
        codec::optional_time(before.at),
    ];
    match db.commit(Change::new().background().execute(&TAKE, params, Violation::Record)).await {
        Ok(()) => Ok(true),
        Err(Error::Violated(Violation::Record)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Stores how long the provider asked for patience.
pub async fn pause(
    db: &Db,
    organization: OrganizationId,
    connection: ConnectionId,
    paused: Bucket,
) -> Result<(), Error> {
    let params = vec![
        organization.bytes().into(),
        connection.bytes().into(),
        codec::optional_time(paused.paused_until),
        codec::optional_time(paused.slow_until),
    ];
    db.commit(Change::new().background().execute_any(&PAUSE, params)).await
}
