//! Rows as they are after months, written by SQL while no server runs.

use crate::failure::Result;
use crate::home::Home;
use crate::rows;

/// Older than any retention of sessions that is the default.
const EXPIRED_DAYS: u32 = 60;
/// In December 2019, in milliseconds; `space::PRUNE_BEFORE` is after it.
const EVENTS_FROM_MS: u64 = 1_575_000_000_000;
/// What an event holds of a record, before and after.
const PADDING: usize = 700;

/// So many keys and so many sessions that have expired.
pub(super) fn expire(home: &Home, count: usize) -> Result {
    let (numbers, time, id, bytes) = match home.cluster {
        Some(_) => (
            format!("generate_series(1, {count}) AS numbers(n)"),
            format!("now() - interval '{EXPIRED_DAYS} days'"),
            "gen_random_uuid()",
            "'\\x00'::bytea",
        ),
        None => (
            format!(
                "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count}) SELECT n FROM s)"
            ),
            format!("(CAST(strftime('%s', 'now') AS INTEGER) - {EXPIRED_DAYS} * 86400) * 1000000"),
            "randomblob(16)",
            "x'00'",
        ),
    };
    rows::execute(
        home,
        &format!(
            "INSERT INTO idempotency_keys (organization_id, client_id, key, fingerprint, status, body, location, etag, \
             created_at, expires_at) SELECT users.organization_id, users.id, 'expired-' || n, {bytes}, 201, '{}', '', '', \
             {time}, {time} FROM users, {numbers}",
            "x".repeat(300)
        ),
    )?;
    rows::execute(
        home,
        &format!(
            "INSERT INTO sessions (organization_id, id, user_id, client_id, generation, signed_in_at, rotated_at, graces, \
             expires_at, last_used_at) SELECT users.organization_id, {id}, users.id, users.id, 1, {time}, {time}, '', {time}, \
             {time} FROM users, {numbers}"
        ),
    )
}

/// So many old events, on SQLite; returns how many.
pub(super) fn events(home: &Home, count: usize) -> Result<usize> {
    if home.cluster.is_some() {
        return Ok(0);
    }
    let padding = "x".repeat(PADDING);
    rows::execute(
        home,
        &format!(
            "INSERT INTO events (organization_id, id, kind, record_id, at, before, after) \
             WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count}) \
             SELECT (SELECT organization_id FROM users LIMIT 1), \
                    unhex(printf('%012x', {EVENTS_FROM_MS} + n) || '7000' || hex(randomblob(8))), 'payment.updated', \
                    randomblob(16), ({EVENTS_FROM_MS} + n) * 1000, '{padding}', '{padding}' FROM s"
        ),
    )?;
    Ok(count)
}

/// How many of the expired rows are still stored.
pub(super) fn left(home: &Home) -> Result<usize> {
    let keys = rows::count(home, "SELECT COUNT(*) FROM idempotency_keys WHERE key LIKE 'expired-%'")?;
    Ok(keys + rows::count(home, "SELECT COUNT(*) FROM sessions")?)
}
