//! Soft-deleted rows: found in the order in which they were deleted, removed for good.
//! The indexes are of deleted rows only, so they cost creates nothing.

use crate::change::Change;
use crate::row::Row;
use crate::sql::Sql;
use crate::{Db, Error, kept};
use perennial_domain::id::OrganizationId;
use perennial_domain::time::Time;

/// The kinds of records that are deleted softly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Payments; nothing refers to them.
    Payments,
    /// Subscriptions; payments refer to them: see [`paid`].
    Subscriptions,
    /// Plans; subscriptions refer to them.
    Plans,
    /// Users; subscriptions and sessions refer to them.
    Users,
}

/// Where a deleted record is in the order of deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// When it was deleted, in microseconds since 1970.
    at: i64,
    /// Its id.
    pub id: [u8; 16],
}

impl Place {
    /// Before all of them.
    pub const START: Self = Self { at: 0, id: [0; 16] };
}

/// A deleted record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// Where it is.
    pub place: Place,
    /// Whether a row refers to it, as far as an index can tell.
    pub is_referenced: bool,
}

macro_rules! page {
    ($table:literal, $referenced:literal) => {
        Sql::new(concat!(
            "SELECT d.deleted_at, d.id, ",
            $referenced,
            " FROM ",
            $table,
            " AS d
             WHERE d.organization_id = $1 AND d.deleted_at IS NOT NULL AND d.deleted_at <= $2
               AND (d.deleted_at, d.id) > ($3, $4)
             ORDER BY d.deleted_at, d.id
             LIMIT $5"
        ))
    };
}

/// `COALESCE` hides from PostgreSQL that only deleted rows are meant: it would prefer a small index of all deleted rows to
/// the primary key.
macro_rules! remove {
    ($table:literal) => {
        Sql::new(concat!(
            "DELETE FROM ",
            $table,
            " WHERE organization_id = $1 AND id = $2 AND COALESCE(deleted_at <= $3, FALSE)"
        ))
    };
}

pub(crate) static PAYMENTS: Sql = page!("payments", "FALSE");
pub(crate) static SUBSCRIPTIONS: Sql = page!("subscriptions", "FALSE");
pub(crate) static PLANS: Sql = page!(
    "plans",
    "EXISTS (SELECT 1 FROM subscriptions AS s
             WHERE s.organization_id = d.organization_id AND s.plan_id = d.id AND s.deleted_at IS NULL)
     OR EXISTS (SELECT 1 FROM subscriptions AS s
                WHERE s.organization_id = d.organization_id AND s.plan_id = d.id AND s.deleted_at IS NOT NULL)"
);
pub(crate) static USERS: Sql = page!(
    "users",
    "EXISTS (SELECT 1 FROM subscriptions AS s
             WHERE s.organization_id = d.organization_id AND s.user_id = d.id AND s.deleted_at IS NULL)
     OR EXISTS (SELECT 1 FROM subscriptions AS s
                WHERE s.organization_id = d.organization_id AND s.user_id = d.id AND s.deleted_at IS NOT NULL)
     OR EXISTS (SELECT 1 FROM sessions AS s
                WHERE s.organization_id = d.organization_id AND s.user_id = d.id)"
);

pub(crate) static REMOVE_PAYMENT: Sql = remove!("payments");
pub(crate) static REMOVE_SUBSCRIPTION: Sql = remove!("subscriptions");
pub(crate) static REMOVE_PLAN: Sql = remove!("plans");
pub(crate) static REMOVE_USER: Sql = remove!("users");

pub(crate) static PAID: Sql = Sql::new(
    "SELECT id, subscription_id FROM payments
     WHERE organization_id = $1 AND id > $2
     ORDER BY id
     LIMIT $3",
);

/// An organization's records deleted until `before`, after a place, in the order of deletion.
pub async fn page(
    db: &Db,
    kind: Kind,
    organization: OrganizationId,
    before: Time,
    after: Place,
    limit: i64,
) -> Result<Vec<Deleted>, Error> {
    let sql = match kind {
        Kind::Payments => &PAYMENTS,
        Kind::Subscriptions => &SUBSCRIPTIONS,
        Kind::Plans => &PLANS,
        Kind::Users => &USERS,
    };
    let start = crate::Value::time(after.at);
    let params = [organization.bytes().into(), kept::time(before), start, after.id.into(), limit.into()];
    let read = |row: &Row<'_>| {
        let place = Place { at: row.time(0)?, id: row.uuid(1)? };
        Ok(Deleted { place, is_referenced: row.bool(2)? })
    };
    db.all(sql, &params, read).await
}

/// An organization's payments after an id, deleted or not, each with its subscription.
pub async fn paid(
    db: &Db,
    organization: OrganizationId,
    after: [u8; 16],
    limit: i64,
) -> Result<Vec<([u8; 16], [u8; 16])>, Error> {
    let params = [organization.bytes().into(), after.into(), limit.into()];
    db.all(&PAID, &params, |row| Ok((row.uuid(0)?, row.uuid(1)?))).await
}

/// Removes a record for good that was deleted until `before`.
pub fn remove(change: Change, kind: Kind, organization: OrganizationId, id: [u8; 16], before: Time) -> Change {
    let sql = match kind {
        Kind::Payments => &REMOVE_PAYMENT,
        Kind::Subscriptions => &REMOVE_SUBSCRIPTION,
        Kind::Plans => &REMOVE_PLAN,
        Kind::Users => &REMOVE_USER,
    };
    change.execute_any(sql, vec![organization.bytes().into(), id.into(), kept::time(before)])
}
