//! The subscriptions that a user owns or is a member of, each with the grants of its plan, and which version of the features is
//! current, in one statement.

use std::sync::LazyLock;

use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::Error;
use crate::record::RowReader;
use crate::row::Row;
use crate::sql::Sql;
use crate::value::{Type, Value};
use perennial_domain::cycle::BillingCycle;
use perennial_domain::entitlements::{Grants, MAX_CONSIDERED, PeriodTerms, Terms};
use perennial_domain::id::{OrganizationId, PlanId, SubscriptionId, UserId};
use perennial_domain::lifecycle::billing::Billing;
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::time::Time;

/// What a user holds.
#[derive(Clone, Debug, Default)]
pub struct Holder {
    /// With [`Considered::All`] the newest 1,001 subscriptions that the user owns, and as many as a member. Otherwise those of the
    /// newest 1,000 of each that have access at an instant or may get it later.
    pub held: Vec<Held>,
    /// The version of the organization's features. None: it never had one.
    pub features_version: Option<[u8; 16]>,
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

/// Which subscriptions of a user are read.
#[derive(Clone, Copy, Debug)]
pub enum Considered {
    /// All, and one more, so that the caller knows whether there are more.
    All,
    /// Those that have access at an instant, or may get it later.
    MayHaveAccess(Time),
}

/// The columns of a subscription.
static COLUMNS: &[Column] = &[
    Column::key("id", Type::Uuid),
    Column::mutable("plan_id", Type::Uuid),
    Column::mutable("quantity", Type::Int),
    Column::mutable("billing_cycle", Type::Text),
    Column::mutable("status", Type::Text),
    Column::mutable("is_active", Type::Bool),
    Column::mutable("starts_at", Type::Time),
    Column::mutable("renews_at", Type::Time).nullable(),
    Column::mutable("ends_at", Type::Time).nullable(),
    Column::mutable("billing", Type::Text).nullable(),
    Column::mutable("entitlements", Type::Text).nullable(),
    Column::mutable(PLAN_GRANTS, Type::Text).nullable(),
    Column::fixed(IS_MEMBER, Type::Bool),
];
const PLAN_GRANTS: &str = "plan_grants";
const IS_MEMBER: &str = "is_member";

/// The values of these columns.
fn values(is_member: bool) -> String {
    let value = |column: &Column| match column.name {
        PLAN_GRANTS => {
            "(SELECT p.entitlements FROM plans AS p WHERE p.organization_id = $1 AND p.id = s.plan_id)".into()
        }
        IS_MEMBER => if is_member { "TRUE" } else { "FALSE" }.into(),
        name => format!("s.{name}"),
    };
    COLUMNS.iter().map(value).collect::<Vec<String>>().join(", ")
}

/// The statement with subscriptions under a condition, of the newest so many. Its first row has in its last columns whether the user
/// is live, and the version of the features; it gives both columns their types.
///
/// PostgreSQL reads several users at once. The limit is part of the text: it would plan each execution for the value of a
/// parameter. The grants of the plan are a value, because PostgreSQL would hash a small table of plans again for each user.
///
/// SQLite joins in the order of a `CROSS JOIN`; with another order it would read every subscription of the organization.
fn statement((most, of_subscriptions): (usize, &str)) -> Sql {
    let is_stored = |name: &&str| ![PLAN_GRANTS, IS_MEMBER].contains(name);
    let stored: Vec<&str> = COLUMNS.iter().map(|column| column.name).filter(is_stored).collect();
    let (stored, owned, joined) = (stored.join(", "), values(false), values(true));
    let no_subscription = vec!["NULL"; COLUMNS.len()].join(", ");
    Sql::built(format!(
        "SELECT {no_subscription}, {IS_LIVE},
             (SELECT v.version FROM feature_versions AS v WHERE v.id = $1)
         UNION ALL
         SELECT {owned}, NULL, NULL
         FROM (
             SELECT {stored} FROM subscriptions
             WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL
             ORDER BY id DESC LIMIT {most}) AS s
         WHERE {of_subscriptions}
         UNION ALL
         SELECT {joined}, NULL, NULL
         FROM (
             SELECT subscription_id FROM subscription_members
             WHERE organization_id = $1 AND user_id = $2
             ORDER BY subscription_id DESC LIMIT {most}) AS joined
         CROSS JOIN subscriptions AS s
         WHERE s.organization_id = $1 AND s.id = joined.subscription_id AND s.deleted_at IS NULL AND s.user_id <> $2
             AND {of_subscriptions}"
    ))
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

pub(crate) static ALL: LazyLock<Sql> = LazyLock::new(|| statement(ONE_MORE));
pub(crate) static MAY_COUNT: LazyLock<Sql> = LazyLock::new(|| statement((MAX_CONSIDERED, &MAY_HAVE_ACCESS)));

/// What a user holds.
pub async fn held(
    db: &Db,
    organization: OrganizationId,
    user: UserId,
    considered: Considered,
) -> Result<Holder, Error> {
    let [organization, user]: [Value; 2] = [organization.bytes().into(), user.bytes().into()];
    let rows = match considered {
        Considered::All => db.find_all(&ALL, [organization, user], read).await,
        Considered::MayHaveAccess(now) => db.find_all(&MAY_COUNT, [organization, user, codec::time(now)], read).await,
    }?;
    let mut holder = Holder::default();
    for row in rows {
        match row {
            Found::Held(held) => holder.held.push(*held),
            Found::Facts { exists, features_version } => {
                (holder.exists, holder.features_version) = (exists, features_version);
            }
        }
    }
    Ok(holder)
}

enum Found {
    Held(Box<Held>),
    Facts { exists: bool, features_version: Option<[u8; 16]> },
}

fn read(row: &Row<'_>) -> Result<Found, Error> {
    let (is_live, version) = (COLUMNS.len(), COLUMNS.len() + 1);
    if let Some(exists) = row.optional_bool(is_live)? {
        return Ok(Found::Facts { exists, features_version: row.optional_uuid(version)? });
    }
    Ok(Found::Held(Box::new(read_held(&mut RowReader::of_columns(row, COLUMNS))?)))
}

fn read_held(row: &mut RowReader<'_, '_>) -> Result<Held, Error> {
    let period_terms = |text: &str| Billing::from_stored(text, None).map(|billing| PeriodTerms::from(&billing));
    let subscription = Terms {
        id: SubscriptionId::from_bytes(row.uuid("id")?),
        plan_id: PlanId::from_bytes(row.uuid("plan_id")?),
        quantity: row.whole("quantity")?,
        billing_cycle: row.word("billing_cycle", BillingCycle::from_stored)?,
        status: row.word("status", SubscriptionStatus::from_stored)?,
        is_active: row.bool("is_active")?,
        starts_at: row.time("starts_at")?,
        renews_at: row.optional_time("renews_at")?,
        ends_at: row.optional_time("ends_at")?,
        billing: row.optional_word("billing", period_terms)?,
        entitlements: row.optional_word("entitlements", Grants::from_stored)?.unwrap_or_default(),
    };
    Ok(Held { subscription, plan_grants: row.optional_text(PLAN_GRANTS)?, is_member: row.bool(IS_MEMBER)? })
}
