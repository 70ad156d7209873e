//! Leases: time-limited claims of servers on units of background work, by the clock of the database.
//!
//! Every write of a holder is fenced by its lease. The owner is drawn for each claim: a server that was frozen past its
//! lease finds another owner and writes nothing.

use std::sync::LazyLock;

use crate::change::{Change, Guard};
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::lock::Lock;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::id::OrganizationId;

/// The leases. A copy of the store has none.
pub static LEASES: Table = Table::new(
    19,
    "leases",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("job", Type::Text),
        Column::key("unit", Type::Uuid),
        Column::fixed("owner", Type::Uuid),
        Column::fixed("expires_at", Type::Time),
    ],
)
.transient();

/// A unit of background work: what a lease is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// The kind of work.
    pub job: &'static str,
    /// The organization.
    pub organization: OrganizationId,
    /// What is worked on: the organization itself, a webhook endpoint, an object of a provider.
    pub id: [u8; 16],
}

/// A claim on a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The unit.
    pub unit: Unit,
    /// Drawn for this claim.
    pub owner: [u8; 16],
}

const SECONDS: i64 = 15;

/// `{now}` is the clock of the database.
pub(crate) fn timed(text: &str) -> Sql {
    timed_pair(text, text)
}

/// The same for texts that differ by engine.
pub(crate) fn timed_pair(sqlite: &str, postgres: &str) -> Sql {
    let sqlite = sqlite.replace("{now}", "CAST(unixepoch('subsec') * 1000000 AS INTEGER)");
    let postgres = postgres.replace("{now}", "clock_timestamp()");
    Sql::built_pair(sqlite.replace("{term}", "$5 * 1000000"), postgres.replace("{term}", "$5 * INTERVAL '1 second'"))
}

pub(crate) static ACQUIRE: LazyLock<Sql> = LazyLock::new(|| {
    timed(
        "INSERT INTO leases (organization_id, job, unit, owner, expires_at)
         VALUES ($1, $2, $3, $4, {now} + {term})
         ON CONFLICT (organization_id, job, unit) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
         WHERE leases.expires_at <= {now}",
    )
});

pub(crate) static RENEW: LazyLock<Sql> = LazyLock::new(|| {
    timed(
        "UPDATE leases SET expires_at = {now} + {term}
         WHERE organization_id = $1 AND job = $2 AND unit = $3 AND owner = $4",
    )
});

pub(crate) static HELD: Sql =
    Sql::new("SELECT 1 FROM leases WHERE organization_id = $1 AND job = $2 AND unit = $3 AND owner = $4");

pub(crate) static RELEASE: Sql =
    Sql::new("DELETE FROM leases WHERE organization_id = $1 AND job = $2 AND unit = $3 AND owner = $4");

pub(crate) static REVOKE: Sql = Sql::new("DELETE FROM leases WHERE organization_id = $1 AND job = $2 AND unit = $3");

pub(crate) static CLEAR: Sql = Sql::new("DELETE FROM leases");

impl Lease {
    fn params(&self) -> Vec<Value> {
        let mut params = self.unit.params();
        params.push(self.owner.into());
        params
    }

    /// Claims the unit for 15 seconds. False if another server holds it.
    pub async fn acquire(&self, db: &Db) -> Result<bool, Error> {
        let mut params = self.params();
        params.push(SECONDS.into());
        lost_is_false(db.commit(Change::new().background().execute(&ACQUIRE, params, Violation::Lease)).await)
    }

    /// Extends the claim by 15 seconds from now. False if it was lost.
    pub async fn renew(&self, db: &Db) -> Result<bool, Error> {
        let mut params = self.params();
        params.push(SECONDS.into());
        lost_is_false(db.commit(Change::new().background().execute(&RENEW, params, Violation::Lease)).await)
    }

    /// Whether the claim was not lost, at this moment.
    pub async fn is_held(&self, db: &Db) -> Result<bool, Error> {
        Ok(db.one(&HELD, &self.params(), |_| Ok(())).await?.is_some())
    }

    /// Ends the claim, so that another server need not wait for its end.
    pub async fn release(&self, db: &Db) -> Result<(), Error> {
        db.commit(Change::new().background().execute_any(&RELEASE, self.params())).await
    }

    /// The change is rejected with [`Violation::Lease`] if the claim was lost.
    #[must_use]
    pub fn fence(&self, change: Change) -> Change {
        let (table, key, violation) = (&LEASES, self.unit.id, Violation::Lease);
        change.guard(Guard { table, key, lock: Lock::Share, sql: &HELD, params: self.params(), violation })
    }
}

impl Unit {
    fn params(&self) -> Vec<Value> {
        vec![self.organization.bytes().into(), self.job.into(), self.id.into()]
    }

    /// Ends whichever claim there is on the unit: what its holder has under way is not stored any more.
    pub fn revoke(&self, change: Change) -> Change {
        change.execute_any(&REVOKE, self.params())
    }
}

/// Ends every claim. For SQLite, which has one server: claims at its start are those of a server that is gone.
pub fn clear(change: Change) -> Change {
    change.execute_any(&CLEAR, Vec::new())
}

fn lost_is_false(outcome: Result<(), Error>) -> Result<bool, Error> {
    match outcome {
        Ok(()) => Ok(true),
        Err(Error::Violated(Violation::Lease)) => Ok(false),
        Err(error) => Err(error),
    }
}
