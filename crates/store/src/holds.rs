//! Holds in the store: organizations whose lifecycle waits for the operator.

use std::sync::LazyLock;

use crate::bulk::Bulk;
use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::record::{self, Record, RowReader, RowWriter};
use crate::row::Row;
use crate::sql::Sql;
use crate::table::{Conflict, Table};
use crate::value::{Type, Value};
use perennial_domain::holds::{Hold, HoldReason, LostTime};
use perennial_domain::id::OrganizationId;
use perennial_domain::time::Time;

/// The holds. The key is the organization; one that was never on hold has no row.
pub static LIFECYCLE_HOLDS: Table = Table::new(
    24,
    "lifecycle_holds",
    &[
        Column::key("id", Type::Uuid),
        Column::fixed("reason", Type::Text).nullable(),
        Column::fixed("released_through", Type::Time).nullable(),
        Column::fixed("lost_since", Type::Time).nullable(),
        Column::fixed("lost_until", Type::Time).nullable(),
    ],
)
.on_conflict(Conflict::ReplaceIf("TRUE"));

/// An organization that is on hold keeps its first reason.
const PUT_ON_HOLD: &str =
    "ON CONFLICT (id) DO UPDATE SET reason = excluded.reason WHERE lifecycle_holds.reason IS NULL";

pub(crate) static HOLD: LazyLock<Sql> =
    LazyLock::new(|| Sql::built(format!("INSERT INTO lifecycle_holds (id, reason) VALUES ($1, $2) {PUT_ON_HOLD}")));

/// An organization that has lost an earlier time has lost both.
const PUT_ON_HOLD_AFTER_LOSS: &str = "ON CONFLICT (id) DO UPDATE SET
         reason = COALESCE(lifecycle_holds.reason, excluded.reason),
         lost_since = CASE WHEN lifecycle_holds.lost_since < excluded.lost_since
             THEN lifecycle_holds.lost_since ELSE excluded.lost_since END,
         lost_until = NULL";

pub(crate) static HOLD_AFTER_LOSS: LazyLock<Sql> = LazyLock::new(|| {
    Sql::built(format!(
        "INSERT INTO lifecycle_holds (id, reason, lost_since) VALUES ($1, $2, $3) {PUT_ON_HOLD_AFTER_LOSS}"
    ))
});

/// What is missing in a copy happened after the last event that it has.
///
/// `WHERE`: without it SQLite could take `ON` for the constraint of a join.
pub(crate) static HOLD_ALL: LazyLock<Sql> = LazyLock::new(|| {
    Sql::built(format!(
        "INSERT INTO lifecycle_holds (id, reason, lost_since)
         SELECT o.id, $1, COALESCE((SELECT MAX(f.entered_at) FROM feed AS f WHERE f.organization_id = o.id), $2)
         FROM organizations AS o WHERE o.deleted_at IS NULL {PUT_ON_HOLD_AFTER_LOSS}"
    ))
});

pub(crate) static HELD: Sql = Sql::new(
    "SELECT h.id, o.name, h.reason FROM lifecycle_holds AS h JOIN organizations AS o ON o.id = h.id
     WHERE h.reason IS NOT NULL AND o.deleted_at IS NULL ORDER BY o.name LIMIT $1",
);

pub(crate) static REMOVE: Sql = Sql::new("DELETE FROM lifecycle_holds WHERE id = $1");

impl Record for Hold {
    fn table() -> &'static Table {
        &LIFECYCLE_HOLDS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("id", self.organization_id.bytes());
        row.optional_text("reason", self.reason.map(HoldReason::as_str));
        row.optional_time("released_through", self.released_through);
        row.optional_time("lost_since", self.lost.map(|lost| lost.since));
        row.optional_time("lost_until", self.lost.and_then(|lost| lost.until));
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("id")?),
            reason: row.optional_text("reason")?.map(|word| codec::word(&word, HoldReason::from_stored)).transpose()?,
            released_through: row.optional_time("released_through")?,
            lost: {
                let (since, until) = (row.optional_time("lost_since")?, row.optional_time("lost_until")?);
                since.map(|since| LostTime { since, until })
            },
        })
    }
}

/// An organization that is on hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldOrganization {
    /// Its ID.
    pub id: OrganizationId,
    /// Its name.
    pub name: String,
    /// Why it is on hold.
    pub reason: HoldReason,
}

/// The hold of an organization.
pub async fn find(db: &Db, organization: OrganizationId) -> Result<Hold, Error> {
    let key = [organization.bytes().into()];
    let found = db.find(&LIFECYCLE_HOLDS.statements().by_key, key, record::read).await?;
    Ok(found.unwrap_or(Hold::none(organization)))
}

/// The organizations that are on hold, by name.
pub async fn held(db: &Db, limit: i64) -> Result<Vec<HeldOrganization>, Error> {
    let read = |row: &Row<'_>| {
        Ok(HeldOrganization {
            id: OrganizationId::from_bytes(row.uuid(0)?),
            name: row.text(1)?,
            reason: codec::word(&row.text(2)?, HoldReason::from_stored)?,
        })
    };
    db.all(&HELD, &[limit.into()], read).await
}

/// Stores the hold of an organization.
pub fn put(change: Change, hold: &Hold) -> Change {
    record::insert(change, hold, Violation::Record)
}

/// Puts an organization on hold, unless it is already.
pub fn hold(change: Change, organization: OrganizationId, reason: HoldReason) -> Change {
    change.execute_any(&HOLD, vec![organization.bytes().into(), reason.as_str().into()])
}

/// Puts an organization on hold whose store was restored to the state of this instant.
pub fn hold_restored(change: Change, organization: OrganizationId, state_of: Time) -> Change {
    let reason = HoldReason::Restored.as_str();
    change.execute_any(&HOLD_AFTER_LOSS, vec![organization.bytes().into(), reason.into(), codec::time(state_of)])
}

/// Forgets the hold of an organization that is deleted, or whose clock is.
pub fn remove(change: Change, organization: OrganizationId) -> Change {
    change.execute_any(&REMOVE, vec![organization.bytes().into()])
}

/// Puts every organization of a copied store on hold.
pub async fn hold_all(bulk: &mut Bulk, reason: HoldReason) -> Result<(), Error> {
    bulk.execute(&HOLD_ALL, &[vec![reason.as_str().into(), codec::time(Time::MIN)]]).await.map(drop)
}

/// Puts imported organizations on hold.
pub async fn hold_imported(bulk: &mut Bulk, organizations: impl Iterator<Item = Value>) -> Result<(), Error> {
    let reason = HoldReason::Imported.as_str();
    let rows: Vec<Vec<Value>> = organizations.map(|id| vec![id, reason.into()]).collect();
    if rows.is_empty() { Ok(()) } else { bulk.execute(&HOLD, &rows).await.map(drop) }
}

/// What a backup's file runs when it becomes the store. What is missing in it happened after the last event that it has.
pub(crate) const RESTORED: &str = "INSERT INTO lifecycle_holds (id, reason, lost_since)
     SELECT o.id, 'restored', COALESCE((SELECT MAX(f.entered_at) FROM feed AS f WHERE f.organization_id = o.id), 0)
     FROM organizations AS o WHERE o.deleted_at IS NULL
     ON CONFLICT (id) DO UPDATE SET
         reason = COALESCE(lifecycle_holds.reason, excluded.reason),
         lost_since = MIN(COALESCE(lifecycle_holds.lost_since, excluded.lost_since), excluded.lost_since),
         lost_until = NULL";

/// The same for a backup of a version without lost times. Its migration adds them.
pub(crate) const RESTORED_WITHOUT_LOSS: &str = "INSERT INTO lifecycle_holds (id, reason)
     SELECT id, 'restored' FROM organizations WHERE deleted_at IS NULL
     ON CONFLICT (id) DO UPDATE SET reason = excluded.reason WHERE lifecycle_holds.reason IS NULL";
