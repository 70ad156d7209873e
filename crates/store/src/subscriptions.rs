//! Subscriptions in the store.

use crate::change::{Change, Guard, Lock, Table, Violation};
use crate::list::Listing;
use crate::row::Row;
use crate::sql::{Insert, Sql};
use crate::value::{Type, Value};
use crate::{Db, Error, codec};
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{EventId, OrganizationId, PlanId, SubscriptionId, UserId};
use perennial_domain::subscriptions::{Subscription, SubscriptionStatus};
use perennial_domain::text::Line;
use perennial_domain::time::Time;

mod list;

pub(crate) use list::compose;
pub use list::{Query, Range, Sort, list, position};

macro_rules! columns {
    () => {
        "id, user_id, plan_id, external_id, billing_cycle, status, is_active, renews_at, starts_at, ends_at, created_at, \
         updated_at, organization_id, revision"
    };
}

pub(crate) static BY_ID: Sql = Sql::new(concat!(
    "SELECT ",
    columns!(),
    "
     FROM subscriptions
     WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL"
));

pub(crate) static ID_BY_EXTERNAL: Sql = Sql::new(
    "SELECT id FROM subscriptions
     WHERE organization_id = $1 AND external_id = $2 AND external_id IS NOT NULL AND deleted_at IS NULL",
);

pub(crate) static COUNT_BY_PLAN: Sql = Sql::new(
    "SELECT COUNT(*) FROM subscriptions
     WHERE organization_id = $1 AND plan_id = $2 AND deleted_at IS NULL",
);

/// A user's subscriptions that can still end.
pub(crate) static OPEN_BY_USER: Sql = Sql::new(concat!(
    "SELECT ",
    columns!(),
    "
     FROM subscriptions
     WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL AND status <> 'expired'
     ORDER BY id"
));

/// One row if the user has so many of them.
pub(crate) static OPEN_COUNT: Sql = Sql::new(
    "SELECT 1 FROM (
         SELECT COUNT(*) AS open FROM subscriptions
         WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL AND status <> 'expired') AS counted
     WHERE open = $3",
);

pub(crate) static INSERT: Insert = Insert::new(
    "subscriptions",
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("user_id", Type::Uuid),
        ("plan_id", Type::Uuid),
        ("external_id", Type::Text),
        ("billing_cycle", Type::Text),
        ("status", Type::Text),
        ("is_active", Type::Bool),
        ("starts_at", Type::Time),
        ("renews_at", Type::Time),
        ("ends_at", Type::Time),
        ("created_at", Type::Time),
        ("updated_at", Type::Time),
        ("revision", Type::Uuid),
    ],
    "ON CONFLICT DO NOTHING",
);

/// Misses when another live subscription has the external id, as the insert does. The revision that its guard holds is
/// said again: PostgreSQL is sent a change in one go, and a row whose guard has missed must not be locked after all, out
/// of order, where two servers would wait for each other.
pub(crate) static UPDATE: Sql = Sql::new(
    "UPDATE subscriptions
     SET user_id = $3, plan_id = $4, external_id = $5, billing_cycle = $6, status = $7, is_active = $8, starts_at = $9,
         renews_at = $10, ends_at = $11, updated_at = $12, revision = $13
     WHERE organization_id = $1 AND id = $2 AND revision = $14
       AND NOT EXISTS (
           SELECT 1 FROM subscriptions AS other
           WHERE other.organization_id = $1 AND other.external_id = $5 AND other.external_id IS NOT NULL
             AND other.deleted_at IS NULL AND other.id <> $2)",
);

pub(crate) static DELETE: Sql = Sql::new(
    "UPDATE subscriptions
     SET deleted_at = $3, revision = $4
     WHERE organization_id = $1 AND id = $2 AND revision = $5",
);

pub(crate) static AT_REVISION: Sql = Sql::new(
    "SELECT 1 FROM subscriptions
     WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL",
);

pub(crate) static LIVE: Sql = Sql::new(
    "SELECT 1 FROM subscriptions
     WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL",
);

static LISTING: Listing = Listing::new("subscriptions", columns!()).live();

/// The live subscription with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: SubscriptionId) -> Result<Option<Subscription>, Error> {
    db.find(&BY_ID, [organization.bytes().into(), id.bytes().into()], read).await
}

/// Whether a live subscription has this id.
pub async fn exists(db: &Db, organization: OrganizationId, id: SubscriptionId) -> Result<bool, Error> {
    Ok(db.find(&LIVE, [organization.bytes().into(), id.bytes().into()], |_| Ok(())).await?.is_some())
}

/// The live subscription that has this external id.
pub async fn id_by_external(
    db: &Db,
    organization: OrganizationId,
    external_id: &str,
) -> Result<Option<SubscriptionId>, Error> {
    let params = [organization.bytes().into(), external_id.into()];
    db.find(&ID_BY_EXTERNAL, params, |row| Ok(SubscriptionId::from_bytes(row.uuid(0)?))).await
}

/// How many live subscriptions refer to the plan.
pub async fn count_by_plan(db: &Db, organization: OrganizationId, plan: PlanId) -> Result<i64, Error> {
    let params = [organization.bytes().into(), plan.bytes().into()];
    Ok(db.one(&COUNT_BY_PLAN, &params, |row| row.int(0)).await?.unwrap_or(0))
}

/// A user's live subscriptions that have not expired, oldest first.
pub async fn open_by_user(db: &Db, organization: OrganizationId, user: UserId) -> Result<Vec<Subscription>, Error> {
    db.all(&OPEN_BY_USER, &[organization.bytes().into(), user.bytes().into()], read).await
}

/// Holds that the user has so many of them; the user itself must be guarded exclusively by the same change.
pub fn guard_open_count(change: Change, organization: OrganizationId, user: UserId, count: usize) -> Change {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    change.guard(Guard {
        table: Table::Users,
        key: user.bytes(),
        lock: Lock::None,
        sql: &OPEN_COUNT,
        params: vec![organization.bytes().into(), user.bytes().into(), count.into()],
        violation: Violation::User,
    })
}

/// A new subscription; misses with [`Violation::ExternalId`] if its external id is in use.
pub fn insert(change: Change, subscription: &Subscription) -> Change {
    change.insert(&INSERT, values(subscription), Violation::ExternalId)
}

/// A subscription as [`INSERT`] has it.
pub(crate) fn values(subscription: &Subscription) -> Vec<Value> {
    let mut values = keys(subscription);
    values.extend(fields(subscription));
    values.push(codec::time(subscription.created_at));
    values.push(codec::time(subscription.updated_at));
    values.push(subscription.revision.bytes().into());
    values
}

/// The subscription as it is now, if it is still at the revision it was read at.
pub fn update(change: Change, subscription: &Subscription, read_at: EventId) -> Change {
    let mut values = keys(subscription);
    values.extend(fields(subscription));
    values.push(codec::time(subscription.updated_at));
    values.push(subscription.revision.bytes().into());
    values.push(read_at.bytes().into());
    at_revision(change, subscription, read_at).execute(&UPDATE, values, Violation::ExternalId)
}

/// Takes the subscription out of every list.
pub fn delete(change: Change, subscription: &Subscription, at: Time, revision: EventId) -> Change {
    let mut values = keys(subscription);
    values.push(codec::time(at));
    values.push(revision.bytes().into());
    values.push(subscription.revision.bytes().into());
    at_revision(change, subscription, subscription.revision).execute(&DELETE, values, Violation::Record)
}

/// Holds the subscription as live until the change is written.
pub fn guard_live(change: Change, organization: OrganizationId, id: SubscriptionId) -> Change {
    change.guard(Guard {
        table: Table::Subscriptions,
        key: id.bytes(),
        lock: Lock::Share,
        sql: &LIVE,
        params: vec![organization.bytes().into(), id.bytes().into()],
        violation: Violation::Subscription,
    })
}

fn at_revision(change: Change, subscription: &Subscription, revision: EventId) -> Change {
    let mut params = keys(subscription);
    params.push(revision.bytes().into());
    change.guard(Guard {
        table: Table::Subscriptions,
        key: subscription.id.bytes(),
        lock: Lock::Exclusive,
        sql: &AT_REVISION,
        params,
        violation: Violation::Record,
    })
}

fn keys(subscription: &Subscription) -> Vec<Value> {
    let mut values = Vec::with_capacity(14);
    values.push(subscription.organization_id.bytes().into());
    values.push(subscription.id.bytes().into());
    values
}

/// What an insert and an update have in common, in the order both list it.
fn fields(subscription: &Subscription) -> [Value; 9] {
    [
        subscription.user_id.bytes().into(),
        subscription.plan_id.bytes().into(),
        subscription.external_subscription_id.as_ref().map(Line::as_str).into(),
        subscription.billing_cycle.as_str().into(),
        subscription.status.as_str().into(),
        subscription.is_active.into(),
        codec::time(subscription.starts_at),
        codec::optional_time(subscription.renews_at),
        codec::optional_time(subscription.ends_at),
    ]
}

fn read(row: &Row<'_>) -> Result<Subscription, Error> {
    Ok(Subscription {
        id: SubscriptionId::from_bytes(row.uuid(0)?),
        user_id: UserId::from_bytes(row.uuid(1)?),
        plan_id: PlanId::from_bytes(row.uuid(2)?),
        external_subscription_id: row.optional_text(3)?.map(Line::from_stored),
        billing_cycle: codec::word(row.text_ref(4)?, BillingCycle::from_stored)?,
        status: codec::word(row.text_ref(5)?, SubscriptionStatus::from_stored)?,
        is_active: row.bool(6)?,
        renews_at: codec::read_optional_time(row.optional_time(7)?)?,
        starts_at: codec::read_time(row.time(8)?)?,
        ends_at: codec::read_optional_time(row.optional_time(9)?)?,
        created_at: codec::read_time(row.time(10)?)?,
        updated_at: codec::read_time(row.time(11)?)?,
        organization_id: OrganizationId::from_bytes(row.uuid(12)?),
        revision: EventId::from_bytes(row.uuid(13)?),
    })
}
