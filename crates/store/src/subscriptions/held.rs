//! The subscriptions that a user owns or is a member of, each with the grants of its plan, and features, in one statement.

use std::sync::LazyLock;

use super::SUBSCRIPTIONS;
use crate::codec;
use crate::db::Db;
use crate::error::Error;
use crate::features::FEATURES;
use crate::record;
use crate::row::Row;
use crate::sql::Sql;
use crate::value::Value;
use perennial_domain::entitlements::MAX_CONSIDERED;
use perennial_domain::features::{Feature, FeatureReference};
use perennial_domain::id::{OrganizationId, UserId};
use perennial_domain::subscriptions::{Subscription, SubscriptionStatus};
use perennial_domain::time::Time;

/// What a user holds, and the features that were read with it.
#[derive(Clone, Debug, Default)]
pub struct Holder {
    /// Those of the user's newest 1,000 subscriptions, owned or as a member, that have access at an instant or may get it later.
    pub held: Vec<Held>,
    /// The features, in any order.
    pub features: Vec<Feature>,
    /// Whether the user exists and is not erased.
    pub exists: bool,
    /// Whether the user has more than 1,000 subscriptions, owned or as a member. Searched only with [`WithFeatures::All`].
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

/// Features that are read with what a user holds.
#[derive(Clone, Copy, Debug)]
pub enum WithFeatures<'a> {
    /// None.
    None,
    /// All of the organization, at most 500.
    All,
    /// The feature with this ID or key, and every active quota: their resets end the validity of a check.
    ForCheck(&'a FeatureReference),
}

/// The statement with features under a condition, and a value for `has_more`. Its first rows are those of the newest subscriptions of a user that have
/// access at an instant, or may get it later. They are followed by a row for each feature, or by one without a feature, which
/// also have the facts about the user.
///
/// PostgreSQL reads several users at once, and finds the facts of each user once. The limit is part of the text: it would plan
/// each execution for the value of a parameter.
///
/// SQLite joins in the order of a `CROSS JOIN`; with another order it would read every subscription of the organization. The
/// limit of `held`, which it never reaches, makes SQLite join once for both parts of the union.
/// Statuses are excluded one by one: it would fill a table with the values of an `IN`, and search by status.
fn statement(condition: &str, has_more: &str) -> Sql {
    let without_access = SubscriptionStatus::ALL.iter().filter(|status| !status.is_active_by_default());
    let excluded: Vec<String> = without_access.map(|status| format!("s.status <> '{}'", status.as_str())).collect();
    let has_status = excluded.join(" AND ");
    let (subscription, feature) = (SUBSCRIPTIONS.columns_of("s"), FEATURES.columns_of("f"));
    let (no_subscription, no_feature) = (nulls(SUBSCRIPTIONS.width() + 2), nulls(FEATURES.width() + 2));
    Sql::built(format!(
        "SELECT {subscription}, p.entitlements, held.is_member, {no_feature}
         FROM (
             SELECT id, 0 AS is_member FROM (
                 SELECT id FROM subscriptions
                 WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL
                 ORDER BY id DESC LIMIT {MAX_CONSIDERED}) AS owned
             UNION ALL
             SELECT subscription_id, 1 FROM (
                 SELECT subscription_id FROM subscription_members
                 WHERE organization_id = $1 AND user_id = $2
                 ORDER BY subscription_id DESC LIMIT {MAX_CONSIDERED}) AS joined
             LIMIT 2 * {MAX_CONSIDERED}
         ) AS held
         CROSS JOIN subscriptions AS s
         CROSS JOIN plans AS p
         WHERE s.organization_id = $1 AND s.id = held.id AND p.organization_id = $1 AND p.id = s.plan_id
             AND s.deleted_at IS NULL AND s.is_active AND {has_status}
             AND (s.ends_at > $3 OR (s.ends_at IS NULL AND s.status <> 'cancelled'))
             AND (held.is_member = 0 OR s.user_id <> $2)
         UNION ALL
         SELECT {no_subscription}, {feature}, holder.is_live, holder.has_more
         FROM (SELECT {IS_LIVE} AS is_live, {has_more} AS has_more LIMIT 1) AS holder
         LEFT JOIN features AS f ON f.organization_id = $1 AND {condition}"
    ))
}

fn nulls(count: usize) -> String {
    vec!["NULL"; count].join(", ")
}

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

/// Only the list of everything that a user has reports whether there is more.
const NOT_SEARCHED: &str = "FALSE";

/// Without features.
pub(crate) static HELD: LazyLock<Sql> = LazyLock::new(|| statement("1 = 0", NOT_SEARCHED));
pub(crate) static WITH_ALL: LazyLock<Sql> = LazyLock::new(|| statement("1 = 1", &has_more()));
pub(crate) static FOR_CHECK: LazyLock<Sql> =
    LazyLock::new(|| statement("(f.id = $4 OR f.key = $5 OR (f.kind = 'quota' AND f.is_active))", NOT_SEARCHED));

/// What a user holds at an instant, with features, in one statement.
pub async fn held(
    db: &Db,
    organization: OrganizationId,
    user: UserId,
    now: Time,
    features: WithFeatures<'_>,
) -> Result<Holder, Error> {
    let [organization, user]: [Value; 2] = [organization.bytes().into(), user.bytes().into()];
    let now = codec::time(now);
    let rows = match features {
        WithFeatures::None => db.find_all(&HELD, [organization, user, now], read).await,
        WithFeatures::All => db.find_all(&WITH_ALL, [organization, user, now], read).await,
        WithFeatures::ForCheck(named) => {
            let (id, key) = match named {
                FeatureReference::Id(id) => (id.bytes(), ""),
                FeatureReference::Key(key) => ([0; 16], key.as_str()),
            };
            db.find_all(&FOR_CHECK, [organization, user, now, id.into(), key.into()], read).await
        }
    }?;
    let mut holder = Holder::default();
    for row in rows {
        match row {
            Found::Held(held) => holder.held.push(*held),
            Found::Facts { feature, exists, has_more } => {
                holder.features.extend(feature);
                (holder.exists, holder.has_more) = (exists, has_more);
            }
        }
    }
    Ok(holder)
}

enum Found {
    Held(Box<Held>),
    Facts { feature: Option<Feature>, exists: bool, has_more: bool },
}

fn read(row: &Row<'_>) -> Result<Found, Error> {
    const KEY: usize = 0;
    let width = SUBSCRIPTIONS.width();
    if row.optional_uuid(KEY)?.is_some() {
        let (plan_grants, is_member) = (row.optional_text(width)?, row.int(width + 1)? == 1);
        return Ok(Found::Held(Box::new(Held { subscription: record::read(row)?, plan_grants, is_member })));
    }
    let rest = row.skip(width + 2);
    let feature = match rest.optional_uuid(KEY)? {
        Some(_) => Some(record::read(&rest)?),
        None => None,
    };
    let width = FEATURES.width();
    Ok(Found::Facts { feature, exists: rest.bool(width)?, has_more: rest.bool(width + 1)? })
}
