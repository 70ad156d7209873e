//! Subscriptions in the store.

use std::sync::LazyLock;

use crate::bulk::Bulk;
use crate::change::{Change, Guard};
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::leases;
use crate::lock::Lock;
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::{Conflict, Table};
use crate::users::USERS;
use crate::value::Type;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::entitlements::Grants;
use perennial_domain::id::{ConnectionId, EventId, OrganizationId, PlanId, SubscriptionId, UserId};
use perennial_domain::lifecycle::billing::Billing;
use perennial_domain::plans::MAX_VERSION;
use perennial_domain::subscriptions::{Subscription, SubscriptionDetails, SubscriptionStatus};
use perennial_domain::text::Line;
use perennial_domain::time::Time;

pub(crate) mod due;
pub(crate) mod held;
mod list;

pub(crate) use due::read_backlog;
pub use due::{
    Backlog, Search, all_parked, any_due, backlog, due, is_late, live_due, next_due, parked, test_due, with_due,
};
pub use held::{Considered, Held, HeldUsage, Holder, held};
pub(crate) use list::compose;
pub use list::{Query, Range, Sort, list, position};

/// The subscriptions.
pub static SUBSCRIPTIONS: Table = Table::new(
    7,
    "subscriptions",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::mutable("user_id", Type::Uuid).refers_to("users"),
        Column::mutable("plan_id", Type::Uuid).refers_to("plans"),
        Column::mutable("plan_version", Type::Int).between(1, MAX_VERSION),
        Column::mutable("external_id", Type::Text).nullable().unique(),
        Column::mutable("quantity", Type::Int).between(1, 1_000_000),
        Column::mutable("billing_cycle", Type::Text),
        Column::mutable("status", Type::Text),
        Column::mutable("is_active", Type::Bool),
        Column::mutable("starts_at", Type::Time),
        Column::mutable("renews_at", Type::Time).nullable(),
        Column::mutable("ends_at", Type::Time).nullable(),
        Column::mutable("due_at", Type::Time).nullable(),
        Column::mutable("billing", Type::Text).nullable(),
        Column::mutable("change_plan_id", Type::Uuid).nullable(),
        Column::mutable("entitlements", Type::Text).nullable(),
        Column::mutable("managed_by", Type::Uuid).nullable(),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::deleted_at(),
        Column::mutable("revision", Type::Uuid),
        // Written by a separate statement, which no update of the record overwrites.
        Column::fixed("usage_closed_until", Type::Time).nullable(),
    ],
)
.on_conflict(Conflict::Reject)
.under_clock();

pub(crate) static COUNT_BY_PLAN: Sql = Sql::new(
    "SELECT (SELECT COUNT(*) FROM subscriptions
             WHERE organization_id = $1 AND plan_id = $2 AND deleted_at IS NULL)
         + (SELECT COUNT(CASE WHEN plan_id = $2 THEN NULL ELSE 1 END) FROM subscriptions
            WHERE organization_id = $1 AND change_plan_id = $2 AND deleted_at IS NULL)",
);

/// A user's subscriptions that can still end.
pub(crate) static OPEN_BY_USER: LazyLock<Sql> = LazyLock::new(|| {
    SUBSCRIPTIONS.select(
        "WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL AND status <> 'expired'
         ORDER BY id",
    )
});

/// One row if the user has this many of them.
pub(crate) static OPEN_COUNT: Sql = Sql::new(
    "SELECT 1 FROM (
         SELECT COUNT(*) AS open FROM subscriptions
         WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL AND status <> 'expired') AS counted
     WHERE open = $3",
);

/// Sets the due time of rows that were written without it, as `Access::next_change` does. The engine computes that of a
/// billed subscription when it reads it. One that has no next action has no due time, and an import leaves it as it is.
pub(crate) static SCHEDULE: LazyLock<Sql> = LazyLock::new(|| {
    leases::timed(
        "UPDATE subscriptions
         SET due_at = CASE WHEN billing IS NOT NULL THEN {now} WHEN starts_at > {now} THEN starts_at ELSE ends_at END
         WHERE due_at IS NULL AND deleted_at IS NULL AND ((
             billing IS NOT NULL AND billing NOT LIKE '%\"parked_at\":\"%' AND (
                 status IN ('pending', 'incomplete', 'on_trial')
                 OR (status IN ('active', 'past_due') AND renews_at IS NOT NULL)
                 OR (status = 'paused' AND billing LIKE '%\"resumes_at\":\"%')
                 OR (status <> 'expired' AND ends_at IS NOT NULL))) OR (
             billing IS NULL AND is_active
             AND status IN ('on_trial', 'active', 'past_due', 'cancelled') AND (starts_at > {now} OR ends_at > {now})
             AND (ends_at > starts_at OR (ends_at IS NULL AND status <> 'cancelled'))))",
    )
});

/// Corrects the due time of a subscription that is as it was read.
pub(crate) static RESCHEDULE: Sql = Sql::new(
    "UPDATE subscriptions SET due_at = $3
     WHERE organization_id = $1 AND id = $2 AND revision = $4 AND deleted_at IS NULL",
);

/// Acts later on a subscription that cannot be read.
pub(crate) static POSTPONE: Sql =
    Sql::new("UPDATE subscriptions SET due_at = $3 WHERE organization_id = $1 AND id = $2 AND due_at < $3");
/// A new revision of a subscription that is as it was read.
pub(crate) static ADVANCE: Sql = Sql::new(
    "UPDATE subscriptions SET revision = $4
     WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL",
);

/// The number of subscriptions that a connection manages, and the first of them.
pub(crate) static MANAGED: Sql = Sql::new(
    "SELECT COUNT(*) FROM subscriptions WHERE organization_id = $1 AND managed_by = $2 AND deleted_at IS NULL",
);

/// The next subscriptions that a connection manages.
pub(crate) static RELEASE: LazyLock<Sql> = LazyLock::new(|| {
    SUBSCRIPTIONS.select("WHERE organization_id = $1 AND managed_by = $2 AND deleted_at IS NULL LIMIT $3")
});
/// Closes a window of usage. It is only ever moved forward.
pub(crate) static CLOSE_USAGE: Sql = Sql::new(
    "UPDATE subscriptions SET usage_closed_until = $3
     WHERE organization_id = $1 AND id = $2 AND (usage_closed_until IS NULL OR usage_closed_until < $3)",
);

/// One row if the subscription is as it was read, and no window is closed that ends after `$4`.
pub(crate) static ACCEPTS_USAGE: Sql = Sql::new(
    "SELECT 1 FROM subscriptions
     WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL
         AND (usage_closed_until IS NULL OR usage_closed_until <= $4)",
);

impl Record for Subscription {
    fn table() -> &'static Table {
        &SUBSCRIPTIONS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.uuid("user_id", self.user_id.bytes());
        row.uuid("plan_id", self.plan_id.bytes());
        row.whole("plan_version", self.plan_version);
        row.optional_text("external_id", self.details.external_subscription_id.as_ref().map(Line::as_str));
        row.whole("quantity", self.details.quantity);
        row.text("billing_cycle", self.billing_cycle.as_str());
        row.text("status", self.status.as_str());
        row.bool("is_active", self.is_active);
        row.time("starts_at", self.starts_at);
        row.optional_time("renews_at", self.renews_at);
        row.optional_time("ends_at", self.ends_at);
        row.optional_time("due_at", self.due_at);
        let billing = self.billing.as_deref();
        row.optional_text("billing", billing.map(Billing::to_stored).as_deref());
        row.optional_uuid("change_plan_id", billing.and_then(Billing::change_plan).map(PlanId::bytes));
        row.optional_text("entitlements", self.entitlements.to_stored().as_deref());
        row.optional_uuid("managed_by", self.managed_by.map(ConnectionId::bytes));
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
        row.uuid("revision", self.revision.bytes());
        row.optional_time("usage_closed_until", self.usage_closed_until);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        let mut subscription = Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: SubscriptionId::from_bytes(row.uuid("id")?),
            user_id: UserId::from_bytes(row.uuid("user_id")?),
            plan_id: PlanId::from_bytes(row.uuid("plan_id")?),
            plan_version: row.whole("plan_version")?,
            details: SubscriptionDetails {
                external_subscription_id: row.optional_text("external_id")?.map(Line::from_stored),
                quantity: row.whole("quantity")?,
            },
            billing_cycle: row.word("billing_cycle", BillingCycle::from_stored)?,
            status: row.word("status", SubscriptionStatus::from_stored)?,
            is_active: row.bool("is_active")?,
            starts_at: row.time("starts_at")?,
            renews_at: row.optional_time("renews_at")?,
            ends_at: row.optional_time("ends_at")?,
            due_at: row.optional_time("due_at")?,
            billing: read_billing(row)?,
            entitlements: row.optional_word("entitlements", Grants::from_stored)?.unwrap_or_default(),
            managed_by: row.optional_uuid("managed_by")?.map(ConnectionId::from_bytes),
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
            usage_closed_until: row.optional_time("usage_closed_until")?,
        };
        subscription.set_next_action();
        Ok(subscription)
    }
}

/// Billing and the plan of its pending change, which has a column.
fn read_billing(row: &mut RowReader<'_, '_>) -> Result<Option<Box<Billing>>, Error> {
    let (text, plan) = (row.optional_text("billing")?, row.optional_uuid("change_plan_id")?);
    let Some(text) = text else { return Ok(None) };
    let billing = Billing::from_stored(&text, plan.map(PlanId::from_bytes));
    billing
        .map(|billing| Some(Box::new(billing)))
        .ok_or_else(|| Error::Internal("stored billing is invalid".to_owned()))
}

/// The live subscription with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: SubscriptionId) -> Result<Option<Subscription>, Error> {
    record::by_id(db, organization, id.bytes()).await
}

/// Whether a live subscription has this id.
pub async fn exists(db: &Db, organization: OrganizationId, id: SubscriptionId) -> Result<bool, Error> {
    record::exists::<Subscription>(db, organization, id.bytes()).await
}

/// The live subscription that has this external id.
pub async fn id_by_external(
    db: &Db,
    organization: OrganizationId,
    external_id: &str,
) -> Result<Option<SubscriptionId>, Error> {
    let id = record::id_by_unique::<Subscription>(db, organization, external_id).await?;
    Ok(id.map(SubscriptionId::from_bytes))
}

/// The number of live subscriptions that refer to the plan.
pub async fn count_by_plan(db: &Db, organization: OrganizationId, plan: PlanId) -> Result<i64, Error> {
    let params = [organization.bytes().into(), plan.bytes().into()];
    Ok(db.one(&COUNT_BY_PLAN, &params, |row| row.int(0)).await?.unwrap_or(0))
}

/// A user's live subscriptions that have not expired, oldest first.
pub async fn open_by_user(db: &Db, organization: OrganizationId, user: UserId) -> Result<Vec<Subscription>, Error> {
    db.all(&OPEN_BY_USER, &[organization.bytes().into(), user.bytes().into()], record::read).await
}

/// The number of live subscriptions that a connection manages.
pub async fn count_managed(db: &Db, organization: OrganizationId, connection: ConnectionId) -> Result<i64, Error> {
    let params = [organization.bytes().into(), connection.bytes().into()];
    Ok(db.one(&MANAGED, &params, |row| row.int(0)).await?.unwrap_or(0))
}

/// The first live subscriptions that a connection manages.
pub async fn managed(
    db: &Db,
    organization: OrganizationId,
    connection: ConnectionId,
    limit: i64,
) -> Result<Vec<Subscription>, Error> {
    let params = [organization.bytes().into(), connection.bytes().into(), limit.into()];
    db.all(&RELEASE, &params, record::read).await
}

/// Sets the due times of subscriptions that were imported without them.
pub async fn schedule(bulk: &mut Bulk) -> Result<(), Error> {
    bulk.execute(&SCHEDULE, &[Vec::new()]).await.map(drop)
}

/// Requires that the user has this many of them. The user itself must be guarded exclusively in the same change.
pub fn guard_open_count(change: Change, organization: OrganizationId, user: UserId, count: usize) -> Change {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    change.guard(Guard {
        table: &USERS,
        key: user.bytes(),
        lock: Lock::None,
        sql: &OPEN_COUNT,
        params: vec![organization.bytes().into(), user.bytes().into(), count.into()],
        violation: Violation::User,
    })
}

/// A new subscription; rejected with [`Violation::ExternalId`] if its external id is in use.
pub fn insert(change: Change, subscription: &Subscription) -> Change {
    record::insert(change, subscription, Violation::ExternalId)
}

/// The subscription as it is now, if it is still at the revision it was read at; rejected with
/// [`Violation::ExternalId`] if its external id is in use.
pub fn update(change: Change, subscription: &Subscription, read_at: EventId) -> Change {
    record::update(change, subscription, read_at, Violation::ExternalId)
}

/// Corrects the due time, if the subscription is as it was read. No field of the record changes.
pub fn reschedule(change: Change, subscription: &Subscription, due_at: Option<Time>) -> Change {
    let params = vec![
        subscription.organization_id.bytes().into(),
        subscription.id.bytes().into(),
        codec::optional_time(due_at),
        subscription.revision.bytes().into(),
    ];
    change.execute(&RESCHEDULE, params, Violation::Record)
}

/// Postpones the work on a subscription that cannot be read.
pub fn postpone(change: Change, organization: OrganizationId, id: [u8; 16], until: Time) -> Change {
    change.execute_any(&POSTPONE, vec![organization.bytes().into(), id.into(), codec::time(until)])
}

/// Closes the window of usage that ends at an instant. No event before it is accepted any more.
pub fn close_usage(change: Change, organization: OrganizationId, id: SubscriptionId, until: Time) -> Change {
    change.execute_any(&CLOSE_USAGE, vec![organization.bytes().into(), id.bytes().into(), codec::time(until)])
}

/// Gives the subscription a new revision, for an event about it that changes no field; rejected with [`Violation::Record`] if
/// it has changed since it was read.
pub fn advance(change: Change, subscription: &Subscription, revision: EventId) -> Change {
    write_advance(record::at_revision(change, subscription, subscription.revision), subscription, revision)
}

/// The new revision alone, for a subscription that an exclusive guard of the same change holds at the revision it was read at.
pub fn write_advance(change: Change, subscription: &Subscription, revision: EventId) -> Change {
    let params = vec![
        subscription.organization_id.bytes().into(),
        subscription.id.bytes().into(),
        subscription.revision.bytes().into(),
        revision.bytes().into(),
    ];
    change.execute(&ADVANCE, params, Violation::Record)
}

/// Soft-deletes the subscription.
pub fn delete(change: Change, subscription: &Subscription, at: Time, revision: EventId) -> Change {
    record::delete(change, subscription, subscription.revision, (at, revision), Violation::Record)
}

/// Rejects the change with [`Violation::Subscription`] if the subscription has changed since it was read.
pub fn guard_unchanged(change: Change, subscription: &Subscription) -> Change {
    let (organization, id) = (subscription.organization_id.bytes(), subscription.id.bytes());
    let params = vec![organization.into(), id.into(), subscription.revision.bytes().into()];
    let sql = SUBSCRIPTIONS.statements().at_revision.as_ref().expect("a subscription has a revision");
    let (table, lock, violation) = (&SUBSCRIPTIONS, Lock::Share, Violation::Subscription);
    change.guard(Guard { table, key: id, lock, sql, params, violation })
}

/// Locks the live subscription against changes until the change is committed.
pub fn guard_live(change: Change, organization: OrganizationId, id: SubscriptionId) -> Change {
    record::guard_live::<Subscription>(change, organization, id.bytes(), Violation::Subscription)
}
