//! The rows of members: who is added, listed and removed. The table is described in `subscription_members`.

use crate::change::{Change, Guard};
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{Key, KeysetQuery, Order, Page, Position};
use crate::lock::Lock;
use crate::record::{self, Purpose, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::tables::{FEATURES, SUBSCRIPTION_MEMBERS, SUBSCRIPTIONS, USERS};
use crate::value::Type;
use crate::{plans, users};
use perennial_domain::features::Feature;
use perennial_domain::id::{OrganizationId, SubscriptionId, UserId};
use perennial_domain::members::Member;
use perennial_domain::plans::Plan;
use perennial_domain::subscriptions::Subscription;
use std::sync::LazyLock;

pub(crate) static COUNT: Sql =
    Sql::new("SELECT COUNT(*) FROM subscription_members WHERE organization_id = $1 AND subscription_id = $2");

pub(crate) static BELOW: Sql = Sql::new(
    "SELECT 1 WHERE (
         SELECT COUNT(*) FROM subscription_members WHERE organization_id = $1 AND subscription_id = $2) < $3",
);

pub(crate) static OF_USER: LazyLock<Sql> = LazyLock::new(|| {
    SUBSCRIPTION_MEMBERS.select("WHERE organization_id = $1 AND user_id = $2 ORDER BY subscription_id")
});

pub(crate) static COUNT_OF_USER_IS: Sql = Sql::new(
    "SELECT 1 WHERE (
         SELECT COUNT(*) FROM subscription_members WHERE organization_id = $1 AND user_id = $2) = $3",
);

pub(crate) static REMOVE: Sql = Sql::new(
    "DELETE FROM subscription_members
     WHERE organization_id = $1 AND subscription_id = $2 AND user_id = $3",
);

pub(crate) static REMOVE_ALL: Sql =
    Sql::new("DELETE FROM subscription_members WHERE organization_id = $1 AND subscription_id = $2");

impl Record for Member {
    fn table() -> &'static Table {
        &SUBSCRIPTION_MEMBERS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("subscription_id", self.subscription_id.bytes());
        row.uuid("user_id", self.user_id.bytes());
        row.time("created_at", self.created_at);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            subscription_id: SubscriptionId::from_bytes(row.uuid("subscription_id")?),
            user_id: UserId::from_bytes(row.uuid("user_id")?),
            created_at: row.time("created_at")?,
        })
    }
}

static BY_USER: &[Key] = &[Key::new("user_id", Type::Uuid)];

/// A page of a subscription's members, by user.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    subscription: SubscriptionId,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Member>, Error> {
    compose(organization, subscription).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId, subscription: SubscriptionId) -> KeysetQuery {
    let list = SUBSCRIPTION_MEMBERS.list(organization.bytes()).equal("subscription_id", subscription.bytes());
    list.sort(BY_USER, Order::Ascending)
}

/// The number of a subscription's members.
pub async fn count(db: &Db, organization: OrganizationId, subscription: SubscriptionId) -> Result<i64, Error> {
    let params = [organization.bytes().into(), subscription.bytes().into()];
    Ok(db.one(&COUNT, &params, |row| row.int(0)).await?.unwrap_or_default())
}

/// The member, if the user is one.
pub async fn find(
    db: &Db,
    organization: OrganizationId,
    subscription: SubscriptionId,
    user: UserId,
) -> Result<Option<Member>, Error> {
    let params = [organization.bytes().into(), subscription.bytes().into(), user.bytes().into()];
    db.one(&SUBSCRIPTION_MEMBERS.statements().by_key, &params, record::read).await
}

/// All memberships of a user.
pub async fn of_user(db: &Db, organization: OrganizationId, user: UserId) -> Result<Vec<Member>, Error> {
    db.all(&OF_USER, &[organization.bytes().into(), user.bytes().into()], record::read).await
}

/// What a decision to add a member was made from.
#[derive(Clone, Copy)]
pub struct Basis<'a> {
    /// The subscription.
    pub subscription: &'a Subscription,
    /// Its plan.
    pub plan: &'a Plan,
    /// The feature that bounds its seats, if there is one.
    pub seats: Option<&'a Feature>,
    /// The number of members from which on none can be added.
    pub bound: i64,
}

/// A new member. The lock on the subscription orders concurrent additions, so that the number of members is never larger
/// than the bound. Rejected with [`Violation::SeatLimit`] if it is reached, with [`Violation::Member`] if the user is a
/// member already, with [`Violation::User`] if the user does not exist, and with [`Violation::Record`] or
/// [`Violation::Plan`] if what was decided from has changed.
pub fn insert(change: Change, member: &Member, basis: Basis<'_>) -> Change {
    let (organization, subscription) = (member.organization_id.bytes(), basis.subscription.id.bytes());
    let change = users::guard_live(change, member.organization_id, member.user_id);
    let change = plans::guard_unchanged(change, basis.plan);
    let change = record::at_revision(change, basis.subscription, basis.subscription.revision);
    let change = change.guard(Guard {
        table: &SUBSCRIPTIONS,
        key: subscription,
        lock: Lock::None,
        sql: &BELOW,
        params: vec![organization.into(), subscription.into(), basis.bound.into()],
        violation: Violation::SeatLimit,
    });
    let change = match basis.seats {
        Some(feature) => change.guard(Guard {
            table: &FEATURES,
            key: feature.id.bytes(),
            lock: Lock::Share,
            sql: FEATURES.statements().at_revision.as_ref().expect("a feature has a revision"),
            params: vec![organization.into(), feature.id.bytes().into(), feature.revision.bytes().into()],
            violation: Violation::Record,
        }),
        None => change,
    };
    change.insert(&SUBSCRIPTION_MEMBERS.statements().insert, record::values(member, Purpose::Insert), Violation::Member)
}

/// Removes a member; rejected with [`Violation::Member`] if the user is none.
pub fn remove(change: Change, member: &Member) -> Change {
    change.execute(&REMOVE, record::values(member, Purpose::Key), Violation::Member)
}

/// Removes the membership of a user who becomes the owner, if there is one. The subscription must be guarded exclusively in the
/// same change.
pub fn remove_owner(change: Change, subscription: &Subscription) -> Change {
    let (organization, id) = (subscription.organization_id.bytes(), subscription.id.bytes());
    change.execute_any(&REMOVE, vec![organization.into(), id.into(), subscription.user_id.bytes().into()])
}

/// Removes all members of a deleted subscription. The subscription must be guarded exclusively in the same change.
pub fn remove_all(change: Change, subscription: &Subscription) -> Change {
    let key = vec![subscription.organization_id.bytes().into(), subscription.id.bytes().into()];
    change.execute_any(&REMOVE_ALL, key)
}

/// Requires that the user has this many memberships. The user itself must be guarded exclusively in the same change.
pub fn guard_count_of_user(change: Change, organization: OrganizationId, user: UserId, count: usize) -> Change {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    change.guard(Guard {
        table: &USERS,
        key: user.bytes(),
        lock: Lock::None,
        sql: &COUNT_OF_USER_IS,
        params: vec![organization.bytes().into(), user.bytes().into(), count.into()],
        violation: Violation::User,
    })
}
