//! Soft-deleted rows: found on a walk along the primary key, removed for good.
//! No index serves the search. Every create would pay for it, and the search runs once a day.

use crate::change::Change;
use crate::row::Row;
use crate::sql::Sql;
use crate::{Db, Error, codec};
use perennial_domain::id::OrganizationId;
use perennial_domain::time::Time;

/// The kinds of records that are deleted softly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Payments; nothing refers to them.
    Payments,
    /// Subscriptions; payments refer to them.
    Subscriptions,
    /// Plans; subscriptions refer to them.
    Plans,
    /// Users; subscriptions and sessions refer to them.
    Users,
}

/// A record on the walk, deleted or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walked {
    /// Its id.
    pub id: [u8; 16],
    /// When it was deleted, if it was.
    pub deleted_at: Option<Time>,
    /// The records that it refers to; its own id where it refers to none.
    pub refers_to: [[u8; 16]; 2],
    /// Whether a session refers to it.
    pub has_session: bool,
}

macro_rules! walk {
    ($table:literal, $refers_to:literal, $has_session:literal) => {
        Sql::new(concat!(
            "SELECT w.id, w.deleted_at, ",
            $refers_to,
            ", ",
            $has_session,
            " FROM ",
            $table,
            " AS w
             WHERE w.organization_id = $1 AND w.id > $2
             ORDER BY w.id
             LIMIT $3"
        ))
    };
}

macro_rules! remove {
    ($table:literal) => {
        Sql::new(concat!("DELETE FROM ", $table, " WHERE organization_id = $1 AND id = $2 AND deleted_at <= $3"))
    };
}

pub(crate) static PAYMENTS: Sql = walk!("payments", "w.subscription_id, w.subscription_id", "FALSE");
pub(crate) static SUBSCRIPTIONS: Sql = walk!("subscriptions", "w.plan_id, w.user_id", "FALSE");
pub(crate) static PLANS: Sql = walk!("plans", "w.id, w.id", "FALSE");
pub(crate) static USERS: Sql = walk!(
    "users",
    "w.id, w.id",
    "EXISTS (SELECT 1 FROM sessions AS s WHERE s.organization_id = w.organization_id AND s.user_id = w.id)"
);

pub(crate) static REMOVE_PAYMENT: Sql = remove!("payments");
pub(crate) static REMOVE_SUBSCRIPTION: Sql = remove!("subscriptions");
pub(crate) static REMOVE_PLAN: Sql = remove!("plans");
pub(crate) static REMOVE_USER: Sql = remove!("users");

/// The next records of an organization after an id, deleted or not.
pub async fn walk(
    db: &Db,
    kind: Kind,
    organization: OrganizationId,
    after: [u8; 16],
    limit: i64,
) -> Result<Vec<Walked>, Error> {
    let sql = match kind {
        Kind::Payments => &PAYMENTS,
        Kind::Subscriptions => &SUBSCRIPTIONS,
        Kind::Plans => &PLANS,
        Kind::Users => &USERS,
    };
    let params = [organization.bytes().into(), after.into(), limit.into()];
    let read = |row: &Row<'_>| {
        Ok(Walked {
            id: row.uuid(0)?,
            deleted_at: codec::read_optional_time(row.optional_time(1)?)?,
            refers_to: [row.uuid(2)?, row.uuid(3)?],
            has_session: row.bool(4)?,
        })
    };
    db.all(sql, &params, read).await
}

/// Removes a record for good that was deleted until `before`.
pub fn remove(change: Change, kind: Kind, organization: OrganizationId, id: [u8; 16], before: Time) -> Change {
    let sql = match kind {
        Kind::Payments => &REMOVE_PAYMENT,
        Kind::Subscriptions => &REMOVE_SUBSCRIPTION,
        Kind::Plans => &REMOVE_PLAN,
        Kind::Users => &REMOVE_USER,
    };
    change.execute_any(sql, vec![organization.bytes().into(), id.into(), codec::time(before)])
}
