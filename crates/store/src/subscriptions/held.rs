//! The subscriptions that a user owns or is a member of, each with the grants of its plan, in one statement.

use std::sync::LazyLock;

use super::SUBSCRIPTIONS;
use crate::codec;
use crate::db::Db;
use crate::error::Error;
use crate::record;
use crate::row::Row;
use crate::sql::Sql;
use crate::value::Value;
use perennial_domain::entitlements::MAX_CONSIDERED;
use perennial_domain::id::{OrganizationId, UserId};
use perennial_domain::subscriptions::{Subscription, SubscriptionStatus};
use perennial_domain::time::Time;

/// What a user holds.
#[derive(Clone, Debug)]
pub struct Holder {
    /// Those of the user's newest 1,000 subscriptions, owned or as a member, that have access at an instant or may get it later.
    pub held: Vec<Held>,
    /// Whether the user exists and is not erased.
    pub exists: bool,
    /// Whether the user has more than 1,000 subscriptions, owned or as a member.
    pub has_more: bool,
}

/// A subscription and the stored grants of its plan.
#[derive(Clone, Debug)]
pub struct Held {
    /// The subscription.
    pub subscription: Subscription,
    /// The grants of its plan, as they are stored. None: it has none.
    pub plan_grants: Option<String>,
    /// Whether the user is a member and not the owner.
    pub is_member: bool,
}

/// Those of the newest subscriptions of a user that have access at an instant, or may get it later.
///
/// PostgreSQL reads several users at once, and finds the facts of each user once. The limit is part of the text: it would plan
/// each execution for the value of a parameter.
///
/// SQLite joins in the order of a `CROSS JOIN`; with another order it would read every subscription of the organization.
/// Statuses are excluded one by one: it would fill a table with the values of an `IN`, and search by status.
pub(crate) static HELD: LazyLock<Sql> = LazyLock::new(|| {
    let without_access = SubscriptionStatus::ALL.iter().filter(|status| !status.is_active_by_default());
    let excluded: Vec<String> = without_access.map(|status| format!("s.status <> '{}'", status.as_str())).collect();
    let has_status = excluded.join(" AND ");
    let columns = SUBSCRIPTIONS.columns_of("s");
    let holdings = format!(
        "(
             SELECT id, 0 AS is_member FROM (
                 SELECT id FROM subscriptions
                 WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL
                 ORDER BY id DESC LIMIT {MAX_CONSIDERED}) AS owned
             UNION ALL
             SELECT subscription_id, 1 FROM (
                 SELECT subscription_id FROM subscription_members
                 WHERE organization_id = $1 AND user_id = $2
                 ORDER BY subscription_id DESC LIMIT {MAX_CONSIDERED}) AS joined
         ) AS held
         CROSS JOIN subscriptions AS s
         CROSS JOIN plans AS p
         WHERE s.organization_id = $1 AND s.id = held.id AND p.organization_id = $1 AND p.id = s.plan_id
             AND s.deleted_at IS NULL AND s.is_active AND {has_status}
             AND (s.ends_at > $3 OR (s.ends_at IS NULL AND s.status <> 'cancelled'))
             AND (held.is_member = 0 OR s.user_id <> $2)"
    );
    let has_more = has_more();
    Sql::built_pair(
        format!("SELECT {columns}, p.entitlements, held.is_member, {IS_LIVE}, {has_more} FROM {holdings}"),
        format!(
            "SELECT {columns}, p.entitlements, held.is_member, holder.is_live, holder.has_more
             FROM (SELECT {IS_LIVE} AS is_live, {has_more} AS has_more LIMIT 1) AS holder CROSS JOIN {holdings}"
        ),
    )
});

/// Whether the user is live.
const IS_LIVE: &str =
    "(SELECT 1 FROM users AS u WHERE u.organization_id = $1 AND u.id = $2 AND u.deleted_at IS NULL) IS NOT NULL";

/// Whether there are more subscriptions than are considered, owned or as a member.
fn has_more() -> String {
    format!(
        "(SELECT 1 FROM (
             SELECT id FROM subscriptions WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL
             UNION ALL
             SELECT subscription_id FROM subscription_members WHERE organization_id = $1 AND user_id = $2
         ) AS every LIMIT 1 OFFSET {MAX_CONSIDERED}) IS NOT NULL"
    )
}

/// The same of a user without such subscriptions.
pub(crate) static HOLDER_ALONE: LazyLock<Sql> =
    LazyLock::new(|| Sql::built(format!("SELECT {IS_LIVE}, {}", has_more())));

/// What a user holds at an instant. Usually one statement.
pub async fn held(db: &Db, organization: OrganizationId, user: UserId, now: Time) -> Result<Holder, Error> {
    let [organization, user]: [Value; 2] = [organization.bytes().into(), user.bytes().into()];
    let width = SUBSCRIPTIONS.width();
    let read = |row: &Row<'_>| {
        let (plan_grants, is_member) = (row.optional_text(width)?, row.int(width + 1)? == 1);
        let held = Held { subscription: record::read(row)?, plan_grants, is_member };
        Ok((held, row.bool(width + 2)?, row.bool(width + 3)?))
    };
    let rows = db.find_all(&HELD, [organization.clone(), user.clone(), codec::time(now)], read).await?;
    let facts = match rows.first() {
        Some((_, exists, has_more)) => Some((*exists, *has_more)),
        None => db.find(&HOLDER_ALONE, [organization, user], |row| Ok((row.bool(0)?, row.bool(1)?))).await?,
    };
    let (exists, has_more) = facts.unwrap_or_default();
    Ok(Holder { held: rows.into_iter().map(|(held, ..)| held).collect(), exists, has_more })
}
