//! The subscriptions that a user owns or is a member of, each with the grants of its plan, in one statement.

use std::sync::LazyLock;

use super::SUBSCRIPTIONS;
use crate::codec;
use crate::db::Db;
use crate::error::Error;
use crate::record;
use crate::row::Row;
use crate::sql::Sql;
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

/// Those of the newest subscriptions of a user that have access at an instant, or may get it later. SQLite joins in the order
/// of a `CROSS JOIN`; with another order it would read every subscription of the organization. Statuses are excluded one by
/// one: SQLite would fill a table with the values of an `IN`, and search by status.
pub(crate) static HELD: LazyLock<Sql> = LazyLock::new(|| {
    let without_access = SubscriptionStatus::ALL.iter().filter(|status| !status.is_active_by_default());
    let excluded: Vec<String> = without_access.map(|status| format!("s.status <> '{}'", status.as_str())).collect();
    let has_status = excluded.join(" AND ");
    Sql::built(format!(
        "SELECT {}, p.entitlements, held.is_member, {HOLDER}
         FROM (
             SELECT id, 0 AS is_member FROM (
                 SELECT id FROM subscriptions
                 WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL ORDER BY id DESC LIMIT $3) AS owned
             UNION ALL
             SELECT subscription_id, 1 FROM (
                 SELECT subscription_id FROM subscription_members
                 WHERE organization_id = $1 AND user_id = $2 ORDER BY subscription_id DESC LIMIT $3) AS joined
         ) AS held
         CROSS JOIN subscriptions AS s
         CROSS JOIN plans AS p
         WHERE s.organization_id = $1 AND s.id = held.id AND p.organization_id = $1 AND p.id = s.plan_id
             AND s.deleted_at IS NULL AND s.is_active AND {has_status}
             AND (s.ends_at > $4 OR (s.ends_at IS NULL AND s.status <> 'cancelled'))
             AND (held.is_member = 0 OR s.user_id <> $2)",
        SUBSCRIPTIONS.columns_of("s"),
    ))
});

/// Whether the user is live, and whether there are more subscriptions than `$3`, owned or as a member.
const HOLDER: &str = "
    (SELECT 1 FROM users AS u WHERE u.organization_id = $1 AND u.id = $2 AND u.deleted_at IS NULL) IS NOT NULL,
    (SELECT 1 FROM (
         SELECT id FROM subscriptions WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL
         UNION ALL
         SELECT subscription_id FROM subscription_members WHERE organization_id = $1 AND user_id = $2
     ) AS every LIMIT 1 OFFSET $3) IS NOT NULL";

/// The same of a user without such subscriptions.
pub(crate) static HOLDER_ALONE: LazyLock<Sql> = LazyLock::new(|| Sql::built(format!("SELECT {HOLDER}")));

/// What a user holds at an instant. Usually one statement.
pub async fn held(db: &Db, organization: OrganizationId, user: UserId, now: Time) -> Result<Holder, Error> {
    let (organization, user, most) = (organization.bytes().into(), user.bytes().into(), most());
    let params = [organization, user, most, codec::time(now)];
    let width = SUBSCRIPTIONS.width();
    let read = |row: &Row<'_>| {
        let (plan_grants, is_member) = (row.optional_text(width)?, row.int(width + 1)? == 1);
        let held = Held { subscription: record::read(row)?, plan_grants, is_member };
        Ok((held, row.bool(width + 2)?, row.bool(width + 3)?))
    };
    let rows = db.all(&HELD, &params, read).await?;
    let facts = match rows.first() {
        Some((_, exists, has_more)) => Some((*exists, *has_more)),
        None => db.one(&HOLDER_ALONE, &params[..3], |row| Ok((row.bool(0)?, row.bool(1)?))).await?,
    };
    let (exists, has_more) = facts.unwrap_or_default();
    Ok(Holder { held: rows.into_iter().map(|(held, ..)| held).collect(), exists, has_more })
}

fn most() -> crate::value::Value {
    i64::try_from(MAX_CONSIDERED).unwrap_or(i64::MAX).into()
}
