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
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;

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
/// of a `CROSS JOIN`; with another order it would read every subscription of the organization.
pub(crate) static HELD: LazyLock<Sql> = LazyLock::new(|| {
    Sql::built(format!(
        "SELECT {}, p.entitlements, held.is_member
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
             AND s.deleted_at IS NULL AND s.is_active AND s.status IN ('on_trial', 'active', 'past_due', 'cancelled')
             AND (s.ends_at > $4 OR (s.ends_at IS NULL AND s.status <> 'cancelled'))
             AND (held.is_member = 0 OR s.user_id <> $2)",
        SUBSCRIPTIONS.columns_of("s"),
    ))
});

/// One row if a user has more subscriptions than this, owned or as a member.
pub(crate) static MORE_THAN: Sql = Sql::new(
    "SELECT 1 FROM (
         SELECT id FROM subscriptions WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL
         UNION ALL
         SELECT subscription_id FROM subscription_members WHERE organization_id = $1 AND user_id = $2
     ) AS every LIMIT 1 OFFSET $3",
);

/// Those of a user's newest 1,000 subscriptions, owned or as a member, that have access at an instant or may get it later.
pub async fn held(db: &Db, organization: OrganizationId, user: UserId, now: Time) -> Result<Vec<Held>, Error> {
    let params = [organization.bytes().into(), user.bytes().into(), most(), codec::time(now)];
    let width = SUBSCRIPTIONS.width();
    let read = |row: &Row<'_>| {
        let (plan_grants, is_member) = (row.optional_text(width)?, row.int(width + 1)? == 1);
        Ok(Held { subscription: record::read(row)?, plan_grants, is_member })
    };
    db.all(&HELD, &params, read).await
}

/// Whether a user has more than 1,000 subscriptions, owned or as a member.
pub async fn has_more(db: &Db, organization: OrganizationId, user: UserId) -> Result<bool, Error> {
    let params = [organization.bytes().into(), user.bytes().into(), most()];
    Ok(db.one(&MORE_THAN, &params, |_| Ok(())).await?.is_some())
}

fn most() -> crate::value::Value {
    i64::try_from(MAX_CONSIDERED).unwrap_or(i64::MAX).into()
}
