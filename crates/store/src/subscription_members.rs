//! Members of subscriptions in the store: users who get what a subscription of another user grants.

use crate::column::Column;
use crate::db::Db;
use crate::error::Error;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::Type;
use perennial_domain::id::{OrganizationId, SubscriptionId, UserId};

/// The members. They are removed for good with their subscription.
pub static SUBSCRIPTION_MEMBERS: Table = Table::new(
    44,
    "subscription_members",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("subscription_id", Type::Uuid),
        Column::key("user_id", Type::Uuid),
        Column::fixed("created_at", Type::Time),
    ],
)
.part_of("subscriptions", "subscription_id")
.personal()
.under_clock();

pub(crate) static MEMBERSHIPS: Sql = Sql::new(
    "SELECT subscription_id FROM subscription_members
     WHERE organization_id = $1 AND user_id = $2 ORDER BY subscription_id DESC LIMIT $3",
);

/// The newest subscriptions that a user is a member of. [`crate::subscriptions::held`] reads them with the owned ones.
pub async fn memberships_of(
    db: &Db,
    organization: OrganizationId,
    user: UserId,
    limit: i64,
) -> Result<Vec<SubscriptionId>, Error> {
    let params = [organization.bytes().into(), user.bytes().into(), limit.into()];
    db.all(&MEMBERSHIPS, &params, |row| Ok(SubscriptionId::from_bytes(row.uuid(0)?))).await
}
