//! Test clocks in the store. A write of a test organization is guarded by its clock: it is decided again if the clock has
//! moved in between, so that no record is newer than its clock.

use std::sync::LazyLock;

use crate::change::{Change, Guard};
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::leases::{self, Unit};
use crate::lock::Lock;
use crate::organizations::ORGANIZATIONS;
use crate::record::{self, Record, RowReader, RowWriter};
use crate::row::Row;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::Type;
use perennial_domain::id::{EventId, OrganizationId};
use perennial_domain::test_clocks::{ClockState, TestClock};
use perennial_domain::time::Time;

/// The clocks. The key is the organization.
pub static TEST_CLOCKS: Table = Table::new(
    23,
    "test_clocks",
    &[
        Column::key("id", Type::Uuid),
        Column::mutable("now", Type::Time),
        Column::mutable("target", Type::Time).nullable(),
        Column::mutable("state", Type::Text),
        Column::mutable("transitions", Type::Int),
        Column::mutable("limit_reached", Type::Bool),
        Column::mutable("revision", Type::Uuid),
    ],
);

/// Clocks that move or are being deleted, and that no server works on.
pub(crate) static WITH_WORK: LazyLock<Sql> = LazyLock::new(|| {
    leases::timed(
        "SELECT c.id FROM test_clocks AS c
         LEFT JOIN leases AS l ON l.organization_id = c.id AND l.job = $1 AND l.unit = c.id
         WHERE c.state <> 'idle' AND (l.expires_at IS NULL OR l.expires_at <= {now})
         LIMIT $2",
    )
});

pub(crate) static ANY_IDLE: Sql = Sql::new("SELECT 1 FROM test_clocks WHERE state = 'idle' LIMIT 1");

pub(crate) static REMOVE: Sql = Sql::new("DELETE FROM test_clocks WHERE id = $1");

/// One row if the organization has no clock.
pub(crate) static NO_CLOCK: Sql =
    Sql::new("SELECT 1 FROM (SELECT COUNT(*) AS clocks FROM test_clocks WHERE id = $1) AS counted WHERE clocks = 0");

/// One row if a live record of the organization is newer than an instant.
pub(crate) static NEWER: Sql = Sql::new(
    "SELECT 1 WHERE EXISTS (
         SELECT 1 FROM plans WHERE organization_id = $1 AND deleted_at IS NULL AND updated_at > $2)
     OR EXISTS (
         SELECT 1 FROM subscriptions WHERE organization_id = $1 AND deleted_at IS NULL AND updated_at > $2)
     OR EXISTS (
         SELECT 1 FROM payments WHERE organization_id = $1 AND deleted_at IS NULL AND updated_at > $2)
     OR EXISTS (
         SELECT 1 FROM invoices WHERE organization_id = $1 AND deleted_at IS NULL AND updated_at > $2)
     OR EXISTS (SELECT 1 FROM coupons WHERE organization_id = $1 AND updated_at > $2)
     OR EXISTS (SELECT 1 FROM meters WHERE organization_id = $1 AND updated_at > $2)
     OR EXISTS (SELECT 1 FROM features WHERE organization_id = $1 AND updated_at > $2)
     OR EXISTS (SELECT 1 FROM credits WHERE organization_id = $1 AND created_at > $2)
     OR EXISTS (SELECT 1 FROM credit_notes WHERE organization_id = $1 AND created_at > $2)
     OR EXISTS (SELECT 1 FROM subscription_members WHERE organization_id = $1 AND created_at > $2)",
);

impl Record for TestClock {
    fn table() -> &'static Table {
        &TEST_CLOCKS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("id", self.organization_id.bytes());
        row.time("now", self.now);
        row.optional_time("target", self.target);
        row.text("state", self.state.as_str());
        row.int("transitions", self.transitions);
        row.bool("limit_reached", self.limit_reached);
        row.uuid("revision", self.revision.bytes());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("id")?),
            now: row.time("now")?,
            target: row.optional_time("target")?,
            state: row.word("state", ClockState::from_stored)?,
            transitions: row.int("transitions")?,
            limit_reached: row.bool("limit_reached")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

/// The clock of an organization.
pub async fn find(db: &Db, organization: OrganizationId) -> Result<Option<TestClock>, Error> {
    db.find(&TEST_CLOCKS.statements().by_key, [organization.bytes().into()], record::read).await
}

/// Organizations whose clock moves or is being deleted, as units of a job.
pub async fn with_work(db: &Db, job: &'static str, limit: i64) -> Result<Vec<Unit>, Error> {
    let read = |row: &Row<'_>| {
        let id = row.uuid(0)?;
        Ok(Unit { job, organization: OrganizationId::from_bytes(id), id })
    };
    db.all(&WITH_WORK, &[job.into(), limit.into()], read).await
}

/// Whether there is a clock that does not move, whose organization may have something due.
pub async fn any_idle(db: &Db) -> Result<bool, Error> {
    Ok(db.one(&ANY_IDLE, &[], |_| Ok(())).await?.is_some())
}

/// Whether a live record of the organization is newer than an instant.
pub async fn has_newer_record(db: &Db, organization: OrganizationId, instant: Time) -> Result<bool, Error> {
    let params = [organization.bytes().into(), codec::time(instant)];
    Ok(db.one(&NEWER, &params, |_| Ok(())).await?.is_some())
}

/// A new clock; rejected with [`Violation::Clock`] if the organization has one.
///
/// The organization is locked, so that no record is written at the same time that is newer than the clock.
pub fn insert(change: Change, clock: &TestClock) -> Change {
    let change = lock_organization(change, clock.organization_id, Lock::Exclusive);
    record::insert(change, clock, Violation::Clock)
}

/// The clock as it is now, if it is still at the revision it was read at; else rejected with [`Violation::Clock`].
pub fn update(change: Change, clock: &TestClock, read_at: EventId) -> Change {
    record::write_update(
        at_revision(change, clock.organization_id, read_at, Lock::Exclusive),
        clock,
        read_at,
        Violation::Clock,
    )
}

/// Removes the clock, if it is still at the revision it was read at.
pub fn remove(change: Change, clock: &TestClock) -> Change {
    let change = at_revision(change, clock.organization_id, clock.revision, Lock::Exclusive);
    change.execute(&REMOVE, vec![clock.organization_id.bytes().into()], Violation::Clock)
}

/// Removes the clock of a deleted organization, if it has one.
pub fn remove_any(change: Change, organization: OrganizationId) -> Change {
    change.execute_any(&REMOVE, vec![organization.bytes().into()])
}

/// Requires that the clock has not changed since it was read; else rejected with [`Violation::Clock`].
pub fn guard_unchanged(change: Change, clock: &TestClock) -> Change {
    at_revision(change, clock.organization_id, clock.revision, Lock::Share)
}

/// Requires that the organization still has no clock; else rejected with [`Violation::Clock`].
pub fn guard_none(change: Change, organization: OrganizationId) -> Change {
    let (key, violation) = (organization.bytes(), Violation::Clock);
    let params = vec![key.into()];
    // In a second guard: PostgreSQL evaluates a locking SELECT with the snapshot from before it waited.
    lock_organization(change, organization, Lock::Share).guard(Guard {
        table: &ORGANIZATIONS,
        key,
        lock: Lock::None,
        sql: &NO_CLOCK,
        params,
        violation,
    })
}

fn lock_organization(change: Change, organization: OrganizationId, lock: Lock) -> Change {
    let (table, key, violation) = (&ORGANIZATIONS, organization.bytes(), Violation::Clock);
    change.guard(Guard { table, key, lock, sql: &table.statements().live, params: vec![key.into()], violation })
}

fn at_revision(change: Change, organization: OrganizationId, revision: EventId, lock: Lock) -> Change {
    let (table, key, violation) = (&TEST_CLOCKS, organization.bytes(), Violation::Clock);
    let sql = table.statements().at_revision.as_ref().expect("a clock has a revision");
    let params = vec![key.into(), revision.bytes().into()];
    change.guard(Guard { table, key, lock, sql, params, violation })
}
