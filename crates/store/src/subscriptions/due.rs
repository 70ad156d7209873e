//! Due subscriptions: found through the stored due time, never by a calendar query.
//!
//! The question whether anything is due at all is one probe of an index, so that a pass with nothing to do costs nothing.

use std::sync::LazyLock;

use super::SUBSCRIPTIONS;
use crate::codec;
use crate::db::Db;
use crate::error::Error;
use crate::leases::{self, Unit};
use crate::record;
use crate::row::Row;
use crate::sql::Sql;
use perennial_domain::id::OrganizationId;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;

/// Which subscriptions are billed. Only their actions can be late or on hold; a change of access never is.
const IS_BILLED: &str = "billing IS NOT NULL";

/// Which subscriptions are parked, as the index `subscriptions_parked` has it.
const IS_PARKED: &str = "billing LIKE '%\"parked_at\":%'";

/// The most due rows that a figure counts. Reads of requests wait behind a figure, which is why it counts no more.
pub(crate) const COUNTED: i64 = 10_000;

/// One row if anything is due in real time.
pub(crate) static ANY_DUE: Sql =
    Sql::new("SELECT 1 FROM subscriptions WHERE due_at <= $1 AND deleted_at IS NULL ORDER BY due_at LIMIT 1");

/// Organizations after `$5` with due subscriptions that no server works on. `$4`: the clock of this server is wrong. A clock
/// that moves has its own job. The orders inside make PostgreSQL use an index: it would scan the table for a plain `EXISTS`. It expects
/// every organization to have an equal share of what is due, and with few of them it would read what is due in all. The second
/// condition on the organization and the ID in the order of invoices prevent that.
pub(crate) static WITH_DUE: LazyLock<Sql> = LazyLock::new(|| {
    leases::timed(&format!(
        "SELECT o.id FROM organizations AS o
         LEFT JOIN test_clocks AS c ON c.id = o.id
         LEFT JOIN lifecycle_holds AS h ON h.id = o.id
         LEFT JOIN leases AS l ON l.organization_id = o.id AND l.job = $1 AND l.unit = o.id
         WHERE o.id > $5 AND o.deleted_at IS NULL AND (l.expires_at IS NULL OR l.expires_at <= {{now}})
             AND (c.state IS NULL OR c.state = 'idle') AND ((
                 SELECT 1 FROM subscriptions AS s
                 WHERE s.organization_id = o.id AND s.organization_id BETWEEN o.id AND o.id
                     AND s.due_at <= COALESCE(c.now, $2) AND s.deleted_at IS NULL
                     AND (NOT ({IS_BILLED}) OR ((h.reason IS NULL OR s.due_at <= h.released_through)
                         AND (NOT $4 OR c.id IS NOT NULL)))
                 ORDER BY s.due_at LIMIT 1
             ) IS NOT NULL OR (
                 SELECT 1 FROM invoices AS i
                 WHERE i.organization_id = o.id AND i.acts_at <= COALESCE(c.now, $2) AND i.deleted_at IS NULL
                     AND (h.reason IS NULL OR i.acts_at <= h.released_through) AND (NOT $4 OR c.id IS NOT NULL)
                     AND NOT (i.status = 'draft' AND (
                         SELECT 1 FROM subscriptions AS p
                         WHERE p.organization_id = i.organization_id AND p.id = i.subscription_id AND p.{IS_PARKED}
                     ) IS NOT NULL)
                 ORDER BY i.acts_at, i.id LIMIT 1
             ) IS NOT NULL)
         ORDER BY o.id LIMIT $3"
    ))
});

/// Billed subscriptions until `$4` only. The second condition on the organization is explained at `WITH_DUE`.
pub(crate) static DUE: LazyLock<Sql> = LazyLock::new(|| {
    SUBSCRIPTIONS.select(&format!(
        "WHERE organization_id = $1 AND organization_id BETWEEN $1 AND $1 AND due_at <= $2 AND deleted_at IS NULL
             AND (due_at <= $4 OR NOT ({IS_BILLED}))
         ORDER BY due_at LIMIT $3"
    ))
});

pub(crate) static NEXT_DUE: Sql = Sql::new(
    "SELECT due_at FROM subscriptions
     WHERE organization_id = $1 AND organization_id BETWEEN $1 AND $1 AND due_at IS NOT NULL AND deleted_at IS NULL
     ORDER BY due_at LIMIT 1",
);

/// One row if an action was due and its subscription last changed before `$2`, and the operator has not released it.
pub(crate) static LATE: LazyLock<Sql> = LazyLock::new(|| {
    Sql::built(format!(
        "SELECT 1 FROM subscriptions
         WHERE organization_id = $1 AND due_at > $3 AND due_at < $2 AND updated_at < $2 AND deleted_at IS NULL
             AND ({IS_BILLED}) LIMIT 1"
    ))
});

/// What an organization has due: how much, and since when.
pub(crate) static BACKLOG: Sql = Sql::new(
    "SELECT COUNT(*), MIN(due_at) FROM subscriptions WHERE organization_id = $1 AND due_at <= $2 AND deleted_at IS NULL",
);

pub(crate) static PARKED: LazyLock<Sql> = LazyLock::new(|| {
    Sql::built(format!(
        "SELECT COUNT(*) FROM subscriptions WHERE organization_id = $1 AND deleted_at IS NULL AND ({IS_PARKED})"
    ))
});

pub(crate) static ALL_PARKED: LazyLock<Sql> = LazyLock::new(|| {
    Sql::built(format!("SELECT COUNT(*) FROM subscriptions WHERE deleted_at IS NULL AND ({IS_PARKED})"))
});

/// What organizations without a clock have due, except for what is on hold.
pub(crate) static LIVE_DUE: LazyLock<Sql> = LazyLock::new(|| {
    Sql::built(format!(
        "SELECT COUNT(*), MIN(due_at) FROM (
             SELECT s.due_at FROM subscriptions AS s
             LEFT JOIN test_clocks AS c ON c.id = s.organization_id
             LEFT JOIN lifecycle_holds AS h ON h.id = s.organization_id
             WHERE s.due_at <= $1 AND s.deleted_at IS NULL AND c.id IS NULL
                 AND (NOT ({IS_BILLED}) OR h.reason IS NULL OR s.due_at <= h.released_through)
             ORDER BY s.due_at LIMIT {COUNTED}
         ) AS due"
    ))
});

/// The same of each organization with a clock that does not move, and the time of the clock. The second condition on the
/// organization is explained at `WITH_DUE`.
pub(crate) static TEST_DUE: LazyLock<Sql> = LazyLock::new(|| {
    of_clocks(
        "due_at",
        &format!(
            "FROM subscriptions
             WHERE organization_id = c.id AND organization_id BETWEEN c.id AND c.id AND due_at <= c.now AND deleted_at IS NULL
                 AND (NOT ({IS_BILLED}) OR h.reason IS NULL OR due_at <= h.released_through)
             ORDER BY due_at"
        ),
    )
});

/// What is due for each clock that does not move and has something due, from due rows in the order of their instants.
pub(crate) fn of_clocks(instant: &str, rows: &str) -> Sql {
    Sql::built(format!(
        "SELECT c.now, (SELECT COUNT(*) FROM (SELECT {instant} {rows} LIMIT {COUNTED}) AS due), (SELECT {instant} {rows} LIMIT 1)
         FROM test_clocks AS c
         LEFT JOIN lifecycle_holds AS h ON h.id = c.id
         WHERE c.state = 'idle' AND (SELECT {instant} {rows} LIMIT 1) IS NOT NULL LIMIT 1000"
    ))
}

/// What a search for organizations with due work needs.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// The name of the job.
    pub job: &'static str,
    /// Real time.
    pub now: Time,
    /// Whether the clock of this server is wrong, so that billed subscriptions wait.
    pub is_clock_wrong: bool,
    /// The organization after which the search begins.
    pub after: [u8; 16],
    /// The most organizations.
    pub limit: i64,
}

/// Due work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// The number of due records.
    pub due: i64,
    /// The first due time.
    pub since: Option<Time>,
}

impl Backlog {
    /// This and other due work.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { due: self.due + other.due, since: self.since.into_iter().chain(other.since).min() }
    }
}

/// Whether anything is due in real time.
pub async fn any_due(db: &Db, now: Time) -> Result<bool, Error> {
    Ok(db.one(&ANY_DUE, &[codec::time(now)], |_| Ok(())).await?.is_some())
}

/// Organizations with due subscriptions, as units of a job, in the order of their IDs.
pub async fn with_due(db: &Db, search: Search) -> Result<Vec<Unit>, Error> {
    let Search { job, now, is_clock_wrong, after, limit } = search;
    let read = |row: &Row<'_>| {
        let id = row.uuid(0)?;
        Ok(Unit { job, organization: OrganizationId::from_bytes(id), id })
    };
    let params = [job.into(), codec::time(now), limit.into(), is_clock_wrong.into(), after.into()];
    db.all(&WITH_DUE, &params, read).await
}

/// An organization's subscriptions that are due at `now`, oldest first; billed ones only if they were due until
/// `billed_until`. Of a row that cannot be read, its id.
pub async fn due(
    db: &Db,
    organization: OrganizationId,
    now: Time,
    billed_until: Time,
    limit: i64,
) -> Result<Vec<Result<Subscription, [u8; 16]>>, Error> {
    let params = [organization.bytes().into(), codec::time(now), limit.into(), codec::time(billed_until)];
    db.all(&DUE, &params, record::read_or_id).await
}

/// The first due time of an organization, past or future.
pub async fn next_due(db: &Db, organization: OrganizationId) -> Result<Option<Time>, Error> {
    let micros = db.one(&NEXT_DUE, &[organization.bytes().into()], |row| row.time(0)).await?;
    codec::read_optional_time(micros)
}

/// Whether an action was due and its subscription last changed before an instant. What is due until `released` is not late.
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

/// The number of parked subscriptions of an organization.
pub async fn parked(db: &Db, organization: OrganizationId) -> Result<i64, Error> {
    Ok(db.one(&PARKED, &[organization.bytes().into()], |row| row.int(0)).await?.unwrap_or(0))
}

/// The number of parked subscriptions of all organizations.
pub async fn all_parked(db: &Db) -> Result<i64, Error> {
    Ok(db.one(&ALL_PARKED, &[], |row| row.int(0)).await?.unwrap_or(0))
}

/// What organizations without a clock have due, counted up to a bound, except for what is on hold.
pub async fn live_due(db: &Db, now: Time) -> Result<Backlog, Error> {
    Ok(db.one(&LIVE_DUE, &[codec::time(now)], |row| read_backlog(row, 0)).await?.unwrap_or_default())
}

/// The same of organizations with a clock, and the times of the clocks.
pub async fn test_due(db: &Db) -> Result<Vec<(Time, Backlog)>, Error> {
    db.all(&TEST_DUE, &[], |row| Ok((codec::read_time(row.time(0)?)?, read_backlog(row, 1)?))).await
}

pub(crate) fn read_backlog(row: &Row<'_>, first: usize) -> Result<Backlog, Error> {
    let since = codec::read_optional_time(row.optional_time(first + 1)?)?;
    Ok(Backlog { due: row.int(first)?, since })
}
