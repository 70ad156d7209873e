//! The subscriptions that a user owns or is a member of, each with the grants of its plan, and features, in one statement.

use std::sync::LazyLock;

use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::Error;
use crate::features::FEATURES;
use crate::record::{self, RowReader};
use crate::row::Row;
use crate::sql::Sql;
use crate::value::{Type, Value};
use perennial_domain::cycle::BillingCycle;
use perennial_domain::entitlements::{Grants, MAX_CONSIDERED, PeriodTerms, Terms};
use perennial_domain::features::{Feature, FeatureReference};
use perennial_domain::id::{OrganizationId, PlanId, SubscriptionId, UserId};
use perennial_domain::lifecycle::billing::Billing;
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::time::Time;

/// What a user holds, and the features that were read with it.
#[derive(Clone, Debug, Default)]
pub struct Holder {
    /// With [`WithFeatures::All`] the newest 1,001 subscriptions that the user owns, and as many as a member. Otherwise those of the
    /// newest 1,000 of each that have access at an instant or may get it later.
    pub held: Vec<Held>,
    /// The features, in any order.
    pub features: Vec<Feature>,
    /// Whether the user exists and is not erased.
    pub exists: bool,
}

/// What is read of a subscription, and the stored grants of its plan.
#[derive(Clone, Debug)]
pub struct Held {
    /// The subscription.
    pub subscription: Terms,
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

/// What a row of a subscription has in the columns of a feature, in their order, and in two more. Both kinds of rows share columns,
/// because each column of a row costs PostgreSQL and the server time.
static SHARED: &[Column] = &[
    Column::mutable("plan_id", Type::Uuid),
    Column::key("id", Type::Uuid),
    Column::mutable("billing_cycle", Type::Text),
    Column::mutable("status", Type::Text),
    Column::mutable("billing", Type::Text).nullable(),
    Column::mutable("entitlements", Type::Text).nullable(),
    Column::mutable(PLAN_GRANTS, Type::Text).nullable(),
    Column::mutable("is_active", Type::Bool),
    Column::fixed(UNUSED, Type::Uuid).nullable(),
    Column::fixed(UNUSED, Type::Text).nullable(),
    Column::fixed(IS_MEMBER, Type::Bool),
    Column::mutable("starts_at", Type::Time),
    Column::mutable("renews_at", Type::Time).nullable(),
    Column::fixed(UNUSED, Type::Uuid).nullable(),
    Column::mutable("ends_at", Type::Time).nullable(),
    Column::mutable("quantity", Type::Int),
];
const PLAN_GRANTS: &str = "plan_grants";
const IS_MEMBER: &str = "is_member";
const UNUSED: &str = "unused";

/// The shared columns of a subscription.
fn shared(is_member: bool) -> String {
    let value = |column: &Column| match column.name {
        PLAN_GRANTS => {
            "(SELECT p.entitlements FROM plans AS p WHERE p.organization_id = $1 AND p.id = s.plan_id)".into()
        }
        IS_MEMBER => if is_member { "TRUE" } else { "FALSE" }.into(),
        UNUSED => "NULL".into(),
        name => format!("s.{name}"),
    };
    SHARED.iter().map(value).collect::<Vec<String>>().join(", ")
}

/// The statement with features under a condition, and subscriptions under another. Its first rows are one for each feature, or
/// one without a feature, whose last column is whether the user is live. They are followed by those of the newest subscriptions.
///
/// PostgreSQL reads several users at once. The limit is part of the text: it would plan each execution for the value of a
/// parameter. The grants of the plan are a value, because PostgreSQL would hash a small table of plans again for each user.
///
/// SQLite joins in the order of a `CROSS JOIN`; with another order it would read every subscription of the organization.
fn statement(of_features: &str, (most, of_subscriptions): (usize, &str)) -> Sql {
    let is_stored = |name: &&str| ![PLAN_GRANTS, IS_MEMBER, UNUSED].contains(name);
    let stored: Vec<&str> = SHARED.iter().map(|column| column.name).filter(is_stored).collect();
    let (stored, feature) = (stored.join(", "), FEATURES.columns_of("f"));
    let (owned, joined) = (shared(false), shared(true));
    let no_subscription = nulls(SHARED.len() - FEATURES.width());
    Sql::built(format!(
        "SELECT {feature}, {no_subscription}, holder.is_live
         FROM (SELECT {IS_LIVE} AS is_live LIMIT 1) AS holder
         LEFT JOIN features AS f ON f.organization_id = $1 AND {of_features}
         UNION ALL
         SELECT {owned}, NULL
         FROM (
             SELECT {stored} FROM subscriptions
             WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL
             ORDER BY id DESC LIMIT {most}) AS s
         WHERE {of_subscriptions}
         UNION ALL
         SELECT {joined}, NULL
         FROM (
             SELECT subscription_id FROM subscription_members
             WHERE organization_id = $1 AND user_id = $2
             ORDER BY subscription_id DESC LIMIT {most}) AS joined
         CROSS JOIN subscriptions AS s
         WHERE s.organization_id = $1 AND s.id = joined.subscription_id AND s.deleted_at IS NULL AND s.user_id <> $2
             AND {of_subscriptions}"
    ))
}

fn nulls(count: usize) -> String {
    vec!["NULL"; count].join(", ")
}

/// Whether the user is live.
const IS_LIVE: &str =
    "(SELECT 1 FROM users AS u WHERE u.organization_id = $1 AND u.id = $2 AND u.deleted_at IS NULL) IS NOT NULL";

/// The list of everything that a user has reports whether there are more subscriptions than are considered.
const ONE_MORE: (usize, &str) = (MAX_CONSIDERED + 1, "1 = 1");

/// Whether a subscription has access at an instant, or may get it later. Statuses are excluded one by one: SQLite would fill a
/// table with the values of an `IN`, and search by status.
static MAY_HAVE_ACCESS: LazyLock<String> = LazyLock::new(|| {
    let without_access = SubscriptionStatus::ALL.iter().filter(|status| !status.is_active_by_default());
    let excluded: Vec<String> = without_access.map(|status| format!("s.status <> '{}'", status.as_str())).collect();
    let has_status = excluded.join(" AND ");
    format!("s.is_active AND {has_status} AND (s.ends_at > $3 OR (s.ends_at IS NULL AND s.status <> 'cancelled'))")
});

/// Without features.
pub(crate) static HELD: LazyLock<Sql> = LazyLock::new(|| statement("1 = 0", (MAX_CONSIDERED, &MAY_HAVE_ACCESS)));
pub(crate) static WITH_ALL: LazyLock<Sql> = LazyLock::new(|| statement("1 = 1", ONE_MORE));
pub(crate) static FOR_CHECK: LazyLock<Sql> = LazyLock::new(|| {
    let of_features = "(f.id = $4 OR f.key = $5 OR (f.kind = 'quota' AND f.is_active))";
    statement(of_features, (MAX_CONSIDERED, &MAY_HAVE_ACCESS))
});

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
        WithFeatures::All => db.find_all(&WITH_ALL, [organization, user], read).await,
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
            Found::Facts { feature, exists } => {
                holder.features.extend(feature);
                holder.exists = exists;
            }
        }
    }
    Ok(holder)
}

enum Found {
    Held(Box<Held>),
    Facts { feature: Option<Feature>, exists: bool },
}

fn read(row: &Row<'_>) -> Result<Found, Error> {
    const KEY: usize = 0;
    if let Some(exists) = row.optional_bool(SHARED.len())? {
        let feature = row.optional_uuid(KEY)?.map(|_| record::read(row)).transpose()?;
        return Ok(Found::Facts { feature, exists });
    }
    Ok(Found::Held(Box::new(read_held(&mut RowReader::of_columns(row, SHARED))?)))
}

fn read_held(row: &mut RowReader<'_, '_>) -> Result<Held, Error> {
    let period_terms = |text: &str| Billing::from_stored(text, None).map(|billing| PeriodTerms::from(&billing));
    let plan_id = PlanId::from_bytes(row.uuid("plan_id")?);
    let id = SubscriptionId::from_bytes(row.uuid("id")?);
    let billing_cycle = row.word("billing_cycle", BillingCycle::from_stored)?;
    let status = row.word("status", SubscriptionStatus::from_stored)?;
    let billing = row.optional_word("billing", period_terms)?;
    let entitlements = row.optional_word("entitlements", Grants::from_stored)?.unwrap_or_default();
    let plan_grants = row.optional_text(PLAN_GRANTS)?;
    let is_active = row.bool("is_active")?;
    let (_, _) = (row.optional_uuid(UNUSED)?, row.optional_text(UNUSED)?);
    let is_member = row.bool(IS_MEMBER)?;
    let (starts_at, renews_at) = (row.time("starts_at")?, row.optional_time("renews_at")?);
    row.optional_uuid(UNUSED)?;
    let (ends_at, quantity) = (row.optional_time("ends_at")?, row.whole("quantity")?);
    let subscription = Terms {
        id,
        plan_id,
        quantity,
        billing_cycle,
        status,
        is_active,
        starts_at,
        renews_at,
        ends_at,
        billing,
        entitlements,
    };
    Ok(Held { subscription, plan_grants, is_member })
}
