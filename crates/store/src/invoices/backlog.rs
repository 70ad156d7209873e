//! Due invoices: how many, since when, and whether one is late. The drafts of a parked subscription wait, so they are neither.

use crate::codec;
use crate::db::Db;
use crate::error::Error;
use crate::sql::Sql;
use crate::subscriptions::due::{COUNTED, of_clocks};
use crate::subscriptions::{Backlog, read_backlog};
use perennial_domain::id::OrganizationId;
use perennial_domain::time::Time;
use std::sync::LazyLock;

/// The drafts of a parked subscription wait. Parked subscriptions are few, and read once for all invoices that are counted.
const NO_DRAFT_OF_PARKED: &str =
    "AND NOT (invoices.status = 'draft' AND (invoices.organization_id, invoices.subscription_id) IN (
    SELECT s.organization_id, s.id FROM subscriptions AS s
    WHERE s.deleted_at IS NULL AND s.billing LIKE '%\"parked_at\":%'))";

/// A draft waits while its subscription is parked. Unparking changes the subscription and not the draft, which is late only if both
/// changed before `$2`.
const NOT_WAITING: &str = "AND NOT (invoices.status = 'draft' AND (
    SELECT 1 FROM subscriptions AS s
    WHERE s.organization_id = invoices.organization_id AND s.id = invoices.subscription_id
        AND (s.billing LIKE '%\"parked_at\":%' OR s.updated_at >= $2)) IS NOT NULL)";

/// One row if a step was due and its invoice last changed before `$2`, and the operator has not released it.
pub(crate) static LATE: LazyLock<Sql> = LazyLock::new(|| {
    Sql::built(format!(
        "SELECT 1 FROM invoices
         WHERE organization_id = $1 AND acts_at > $3 AND acts_at < $2 AND updated_at < $2 AND deleted_at IS NULL
             {NOT_WAITING} LIMIT 1"
    ))
});

/// What an organization has due.
pub(crate) static BACKLOG: LazyLock<Sql> = LazyLock::new(|| {
    Sql::built(format!(
        "SELECT COUNT(*), MIN(acts_at) FROM invoices
         WHERE organization_id = $1 AND acts_at <= $2 AND deleted_at IS NULL {NO_DRAFT_OF_PARKED}"
    ))
});

/// What organizations without a clock have due, except for what is on hold.
pub(crate) static LIVE_DUE: LazyLock<Sql> = LazyLock::new(|| {
    Sql::built(format!(
        "SELECT COUNT(*), MIN(acts_at) FROM (
             SELECT invoices.acts_at FROM invoices
             LEFT JOIN test_clocks AS c ON c.id = invoices.organization_id
             LEFT JOIN lifecycle_holds AS h ON h.id = invoices.organization_id
             WHERE invoices.acts_at <= $1 AND invoices.deleted_at IS NULL AND c.id IS NULL
                 AND (h.reason IS NULL OR invoices.acts_at <= h.released_through) {NO_DRAFT_OF_PARKED}
             ORDER BY invoices.acts_at LIMIT {COUNTED}
         ) AS due"
    ))
});

/// The same of each organization with a clock that does not move, and the time of the clock. The order by ID is explained at
/// `WITH_DUE`.
pub(crate) static TEST_DUE: LazyLock<Sql> = LazyLock::new(|| {
    of_clocks(
        "acts_at",
        &format!(
            "FROM invoices
             WHERE organization_id = c.id AND acts_at <= c.now AND deleted_at IS NULL
                 AND (h.reason IS NULL OR acts_at <= h.released_through) {NO_DRAFT_OF_PARKED}
             ORDER BY acts_at, id"
        ),
    )
});

/// Whether a step was due and its invoice last changed before an instant. What is due until `released` is not late.
pub async fn is_late(
    db: &Db,
    organization: OrganizationId,
    before: Time,
    released: Option<Time>,
) -> Result<bool, Error> {
    let released = codec::time(released.unwrap_or(Time::MIN));
    let params = [organization.bytes().into(), codec::time(before), released];
    Ok(db.one(&LATE, &params, |_| Ok(())).await?.is_some())
}

/// What an organization has due at `now`.
pub async fn backlog(db: &Db, organization: OrganizationId, now: Time) -> Result<Backlog, Error> {
    let found = db.one(&BACKLOG, &[organization.bytes().into(), codec::time(now)], |row| read_backlog(row, 0)).await?;
    Ok(found.unwrap_or_default())
}

/// What organizations without a clock have due, counted up to a bound, except for what is on hold.
pub async fn live_due(db: &Db, now: Time) -> Result<Backlog, Error> {
    Ok(db.one(&LIVE_DUE, &[codec::time(now)], |row| read_backlog(row, 0)).await?.unwrap_or_default())
}

/// The same of organizations with a clock, and the times of the clocks.
pub async fn test_due(db: &Db) -> Result<Vec<(Time, Backlog)>, Error> {
    db.all(&TEST_DUE, &[], |row| Ok((codec::read_time(row.time(0)?)?, read_backlog(row, 1)?))).await
}
