//! Ledgers of revenue analytics: the generations of each organization, and their positions in the feed.
//!
//! One generation is read. A rebuild fills another one, which then takes its place. Position and rows commit in one change that
//! is fenced by the lease of the organization.

use std::sync::LazyLock;

use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::leases::{self, Unit};
use crate::record::{self, Purpose, Record, RowReader, RowWriter};
use crate::row::Row;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::id::{EventId, OrganizationId};
use perennial_domain::time::Time;

/// The generations.
pub static ANALYTICS_LEDGERS: Table = Table::new(
    25,
    "analytics_ledgers",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("generation", Type::Int),
        Column::fixed("state", Type::Text),
        Column::fixed("sequence", Type::Int),
        Column::fixed("event_id", Type::Uuid),
        Column::fixed("as_of", Type::Time),
    ],
);

/// The background work on the ledger of an organization.
pub const JOB: &str = "analytics";

/// What a generation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerState {
    /// Responses read it.
    Active,
    /// It will replace the active one when it has caught up with the feed.
    Building,
    /// It was replaced. Its rows are being removed.
    Obsolete,
}

/// A generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// Its organization.
    pub organization_id: OrganizationId,
    /// Its number.
    pub generation: i64,
    /// What it is for.
    pub state: LedgerState,
    /// The last position of the feed that it includes. Zero is before the first event.
    pub sequence: i64,
    /// The event at this position.
    pub event_id: EventId,
    /// The time that its figures are complete up to.
    pub as_of: Time,
}

/// The active generation and what it lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The generation.
    pub ledger: Ledger,
    /// How many seconds ago the first event that it does not include entered the feed, by the clock of the database.
    pub unread_seconds: Option<i64>,
    /// When figures change next by the clock alone.
    pub due_at: Option<Time>,
    /// Whether another generation is being built.
    pub is_rebuilding: bool,
    /// Whether there are events without a position.
    pub has_unplaced: bool,
}

impl LedgerState {
    const ALL: [Self; 3] = [Self::Active, Self::Building, Self::Obsolete];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Building => "building",
            Self::Obsolete => "obsolete",
        }
    }

    fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }
}

/// Organizations without a ledger, with something that it does not include, or with rows to remove. `$1` is now. Ends are
/// compared instead of `EXISTS` of a range, which PostgreSQL would answer with a scan.
pub(crate) static WITH_WORK: LazyLock<Sql> = LazyLock::new(|| {
    leases::timed(
        "SELECT o.id
         FROM organizations AS o
         LEFT JOIN leases AS l ON l.organization_id = o.id AND l.job = 'analytics' AND l.unit = o.id
         WHERE o.deleted_at IS NULL AND (l.expires_at IS NULL OR l.expires_at <= {now}) AND (
             NOT EXISTS (SELECT 1 FROM analytics_ledgers AS a WHERE a.organization_id = o.id AND a.state = 'active')
             OR EXISTS (
                 SELECT 1 FROM analytics_ledgers AS h WHERE h.organization_id = o.id AND (
                     h.state <> 'active'
                     OR (SELECT MAX(f.sequence) FROM feed AS f WHERE f.organization_id = o.id) > h.sequence
                     OR (
                         SELECT MIN(s.due_at) FROM analytics_subscriptions AS s
                         WHERE s.organization_id = o.id AND s.generation = h.generation AND s.due_at IS NOT NULL
                     ) <= COALESCE((SELECT c.now FROM test_clocks AS c WHERE c.id = o.id), $1)
                     OR (h.sequence > 0 AND NOT EXISTS (
                         SELECT 1 FROM feed AS p
                         WHERE p.organization_id = o.id AND p.sequence = h.sequence AND p.event_id = h.event_id
                     ))
                 )
             )
         ) LIMIT $2",
    )
});

pub(crate) static OF_ORGANIZATION: LazyLock<Sql> =
    LazyLock::new(|| ANALYTICS_LEDGERS.select("WHERE organization_id = $1 ORDER BY generation"));

/// On SQLite an event has its position when it is committed.
pub(crate) static STATUS: LazyLock<Sql> = LazyLock::new(|| {
    let text = format!(
        "SELECT {},
             (SELECT {{age}} FROM feed AS f WHERE f.organization_id = $1 AND f.sequence > h.sequence
              ORDER BY f.sequence LIMIT 1),
             (SELECT MIN(s.due_at) FROM analytics_subscriptions AS s
              WHERE s.organization_id = $1 AND s.generation = h.generation AND s.due_at IS NOT NULL),
             EXISTS (SELECT 1 FROM analytics_ledgers AS b WHERE b.organization_id = $1 AND b.state = 'building'),
             {{unplaced}}
         FROM analytics_ledgers AS h WHERE h.organization_id = $1 AND h.state = 'active'",
        ANALYTICS_LEDGERS.columns_of("h")
    );
    let queued = "EXISTS (
                 SELECT 1 FROM feed_queue AS q WHERE q.organization_id = $1 OR $1 = ANY (q.organization_ids))";
    let sqlite = text.replace("{unplaced}", "FALSE").replace("{age}", "({now} - f.entered_at) / 1000000");
    let age = "CAST(EXTRACT(EPOCH FROM ({now} - f.entered_at)) AS BIGINT)";
    leases::timed_pair(&sqlite, &text.replace("{unplaced}", queued).replace("{age}", age))
});

pub(crate) static SAVE: Sql = Sql::new(
    "UPDATE analytics_ledgers SET sequence = $4, event_id = $5, as_of = $6
     WHERE organization_id = $1 AND generation = $2 AND sequence = $3",
);

pub(crate) static SET_STATE: Sql =
    Sql::new("UPDATE analytics_ledgers SET state = $4 WHERE organization_id = $1 AND generation = $2 AND state = $3");

pub(crate) static REMOVE: Sql =
    Sql::new("DELETE FROM analytics_ledgers WHERE organization_id = $1 AND generation = $2");

/// The age of the oldest event that an active ledger does not include.
pub(crate) static LAG: LazyLock<Sql> = LazyLock::new(|| {
    let text = "SELECT {age} FROM (
             SELECT MIN(entered_at) AS oldest FROM (
                 SELECT (
                     SELECT f.entered_at FROM feed AS f
                     WHERE f.organization_id = h.organization_id AND f.sequence > h.sequence ORDER BY f.sequence LIMIT 1
                 ) AS entered_at
                 FROM analytics_ledgers AS h JOIN organizations AS o ON o.id = h.organization_id
                 WHERE h.state = 'active' AND o.deleted_at IS NULL
             ) AS pending
         ) AS lag WHERE oldest IS NOT NULL";
    let age = ("({now} - oldest) / 1000000", "CAST(EXTRACT(EPOCH FROM ({now} - oldest)) AS BIGINT)");
    leases::timed_pair(&text.replace("{age}", age.0), &text.replace("{age}", age.1))
});

impl Record for Ledger {
    fn table() -> &'static Table {
        &ANALYTICS_LEDGERS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.int("generation", self.generation);
        row.text("state", self.state.as_str());
        row.int("sequence", self.sequence);
        row.uuid("event_id", self.event_id.bytes());
        row.time("as_of", self.as_of);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            generation: row.int("generation")?,
            state: row.word("state", LedgerState::from_stored)?,
            sequence: row.int("sequence")?,
            event_id: EventId::from_bytes(row.uuid("event_id")?),
            as_of: row.time("as_of")?,
        })
    }
}

/// The unit of background work of an organization's ledger.
pub const fn unit(organization: OrganizationId) -> Unit {
    Unit { job: JOB, organization, id: organization.bytes() }
}

/// Organizations with work that no server holds.
pub async fn with_work(db: &Db, now: Time, limit: i64) -> Result<Vec<Unit>, Error> {
    let read = |row: &Row<'_>| Ok(unit(OrganizationId::from_bytes(row.uuid(0)?)));
    db.all(&WITH_WORK, &[codec::time(now), limit.into()], read).await
}

/// The generations of an organization, oldest first.
pub async fn of_organization(db: &Db, organization: OrganizationId) -> Result<Vec<Ledger>, Error> {
    db.all(&OF_ORGANIZATION, &[organization.bytes().into()], record::read).await
}

/// The active generation and what it lacks; none before the first work on it.
pub async fn status(db: &Db, organization: OrganizationId) -> Result<Option<Status>, Error> {
    let width = ANALYTICS_LEDGERS.width();
    let read = |row: &Row<'_>| {
        Ok(Status {
            ledger: record::read(row)?,
            unread_seconds: row.optional_int(width)?,
            due_at: codec::read_optional_time(row.optional_time(width + 1)?)?,
            is_rebuilding: row.bool(width + 2)?,
            has_unplaced: row.bool(width + 3)?,
        })
    };
    db.one(&STATUS, &[organization.bytes().into()], read).await
}

/// The age of the oldest event of any organization that its ledger does not include.
pub async fn lag_seconds(db: &Db) -> Result<u64, Error> {
    let number = |row: &Row<'_>| Ok(u64::try_from(row.int(0)?).unwrap_or(0));
    Ok(db.one(&LAG, &[], number).await?.unwrap_or(0))
}

/// A new generation.
pub fn insert(change: Change, ledger: &Ledger) -> Change {
    record::insert(change, ledger, Violation::Record)
}

/// Moves a generation from one position to another one. The change must be fenced by the lease.
pub fn save(change: Change, before: &Ledger, after: &Ledger) -> Change {
    let mut params = key(before);
    params.extend([before.sequence.into(), after.sequence.into(), after.event_id.bytes().into()]);
    params.push(codec::time(after.as_of));
    change.execute(&SAVE, params, Violation::Record)
}

/// Changes what a generation is for.
pub fn set_state(change: Change, ledger: &Ledger, state: LedgerState) -> Change {
    let mut params = key(ledger);
    params.extend([ledger.state.as_str().into(), state.as_str().into()]);
    change.execute(&SET_STATE, params, Violation::Record)
}

/// Removes a generation that has no rows left.
pub fn remove(change: Change, ledger: &Ledger) -> Change {
    change.execute_any(&REMOVE, key(ledger))
}

pub(crate) fn key(ledger: &Ledger) -> Vec<Value> {
    vec![ledger.organization_id.bytes().into(), ledger.generation.into()]
}

/// A row of a generation that is stored or replaced.
pub(crate) fn put(
    change: Change,
    table: &'static Table,
    ledger: &Ledger,
    write: impl FnOnce(&mut RowWriter),
) -> Change {
    change.insert(&table.statements().insert, values(table, ledger, write), Violation::Record)
}

/// A row of a generation that is not there yet. If it is, the change is rejected with [`Violation::Record`].
pub(crate) fn insert_new(
    change: Change,
    table: &'static Table,
    ledger: &Ledger,
    write: impl FnOnce(&mut RowWriter),
) -> Change {
    let statements = table.statements();
    let insert = statements.insert_new.as_ref().unwrap_or(&statements.insert);
    change.insert(insert, values(table, ledger, write), Violation::Record)
}

fn values(table: &'static Table, ledger: &Ledger, write: impl FnOnce(&mut RowWriter)) -> Vec<Value> {
    record::values_of(table, Purpose::Insert, |row| {
        row.uuid("organization_id", ledger.organization_id.bytes());
        row.int("generation", ledger.generation);
        write(row);
    })
}

/// The removal of some rows of a generation.
pub(crate) fn removal(table: &'static Table) -> Sql {
    let keys: Vec<&str> = table.keys().iter().map(|column| column.name).collect();
    let (keys, name) = (keys.join(", "), table.name);
    Sql::built(format!(
        "DELETE FROM {name} WHERE ({keys}) IN (
             SELECT {keys} FROM {name} WHERE organization_id = $1 AND generation = $2 LIMIT $3)"
    ))
}

/// Whether a generation has rows.
pub(crate) fn existence(table: &'static Table) -> Sql {
    Sql::built(format!("SELECT 1 FROM {} WHERE organization_id = $1 AND generation = $2 LIMIT 1", table.name))
}
