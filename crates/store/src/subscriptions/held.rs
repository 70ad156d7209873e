//! The subscriptions that a user owns or is a member of, each with the grants of its plan, which version of the features is
//! current, and what the subscriptions used, in one statement.

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
use perennial_domain::id::{MeterId, OrganizationId, PlanId, SubscriptionId, UserId};
use perennial_domain::lifecycle::billing::Billing;
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::time::Time;

mod usage;

pub use usage::HeldUsage;
use usage::{StoredTotal, UsageParts};

/// What a user holds.
#[derive(Clone, Debug, Default)]
pub struct Holder {
    /// With [`Considered::All`] the newest 1,001 subscriptions that the user owns, and as many as a member. Otherwise those of the
    /// newest 1,000 of each that have access at an instant or may get it later.
    pub held: Vec<Held>,
    /// What the subscriptions used, if it was read.
    pub usage: HeldUsage,
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
    /// All, and one more, so that the caller knows whether there are more; and what they used.
    All,
    /// Those that have access at the instant, or may get it later.
    MayHaveAccess,
    /// The same, and what they used.
    MayHaveAccessWithUsage,
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

/// The values of the columns of a subscription.
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

/// The newest so many that a user owns, and that a user is a member of.
fn newest(columns: &str, most: usize) -> (String, String) {
    let owned = format!(
        "SELECT {columns} FROM subscriptions
         WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL
         ORDER BY id DESC LIMIT {most}"
    );
    let joined = format!(
        "SELECT subscription_id AS id FROM subscription_members
         WHERE organization_id = $1 AND user_id = $2
         ORDER BY subscription_id DESC LIMIT {most}"
    );
    (owned, joined)
}

/// The statement with subscriptions under a condition, of the newest so many. Its first row has in its last columns whether the user
/// is live, and the version of the features; it gives these columns their types.
///
/// PostgreSQL reads several users at once. The limit is part of the text: it would plan each execution for the value of a
/// parameter. The grants of the plan are a value, because PostgreSQL would hash a small table of plans again for each user.
///
/// SQLite joins in the order of a `CROSS JOIN`; with another order it would read every subscription of the organization.
fn statement((most, of_subscriptions): (usize, &str), usage: Option<UsageParts>) -> String {
    let is_stored = |name: &&str| ![PLAN_GRANTS, IS_MEMBER].contains(name);
    let stored: Vec<&str> = COLUMNS.iter().map(|column| column.name).filter(is_stored).collect();
    let (owned, joined) = newest(&stored.join(", "), most);
    let (of_owned, of_joined) = (values(false), values(true));
    let no_subscription = vec!["NULL"; COLUMNS.len()].join(", ");
    let UsageParts { none, last, totals } = usage.unwrap_or_default();
    format!(
        "SELECT {no_subscription}, {IS_LIVE},
             (SELECT v.version FROM feature_versions AS v WHERE v.id = $1){none}
         UNION ALL
         SELECT {of_owned}, NULL, NULL{last}
         FROM ({owned}) AS s
         WHERE {of_subscriptions}
         UNION ALL
         SELECT {of_joined}, NULL, NULL{last}
         FROM ({joined}) AS joined
         CROSS JOIN subscriptions AS s
         WHERE s.organization_id = $1 AND s.id = joined.id AND s.deleted_at IS NULL AND s.user_id <> $2
             AND {of_subscriptions}{totals}"
    )
}

/// The same with what the subscriptions used.
fn statement_with_usage(subscriptions: (usize, &str)) -> Sql {
    let ids = newest("id", subscriptions.0);
    let text = |join| statement(subscriptions, Some(UsageParts::of(&ids, COLUMNS.len(), join)));
    Sql::built_pair(text(usage::SQLITE_TOTALS), text(usage::POSTGRES_TOTALS))
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

pub(crate) static ALL: LazyLock<Sql> = LazyLock::new(|| statement_with_usage(ONE_MORE));
pub(crate) static MAY_COUNT: LazyLock<Sql> =
    LazyLock::new(|| Sql::built(statement((MAX_CONSIDERED, &MAY_HAVE_ACCESS), None)));
pub(crate) static MAY_COUNT_WITH_USAGE: LazyLock<Sql> =
    LazyLock::new(|| statement_with_usage((MAX_CONSIDERED, &MAY_HAVE_ACCESS)));

/// What a user holds at an instant.
pub async fn held(
    db: &Db,
    organization: OrganizationId,
    user: UserId,
    now: Time,
    considered: Considered,
) -> Result<Holder, Error> {
    let sql = match considered {
        Considered::All => &ALL,
        Considered::MayHaveAccess => &MAY_COUNT,
        Considered::MayHaveAccessWithUsage => &MAY_COUNT_WITH_USAGE,
    };
    let key: [Value; 3] = [organization.bytes().into(), user.bytes().into(), codec::time(now)];
    let reads_usage = !matches!(considered, Considered::MayHaveAccess);
    let mut holder = Holder::default();
    for row in db.find_all(sql, key, |row| read(row, reads_usage)).await? {
        match row {
            Found::Held { held, last_usage_at } => {
                if reads_usage {
                    holder.usage.add_last_event(held.subscription.id, last_usage_at);
                }
                holder.held.push(*held);
            }
            Found::Total(total) => holder.usage.add_total(total),
            Found::Facts { exists, features_version } => {
                (holder.exists, holder.features_version) = (exists, features_version);
            }
        }
    }
    Ok(holder)
}

enum Found {
    Held { held: Box<Held>, last_usage_at: Option<Time> },
    Total(StoredTotal),
    Facts { exists: bool, features_version: Option<[u8; 16]> },
}

fn read(row: &Row<'_>, reads_usage: bool) -> Result<Found, Error> {
    let (is_live, version) = (COLUMNS.len(), COLUMNS.len() + 1);
    if let Some(exists) = row.optional_bool(is_live)? {
        return Ok(Found::Facts { exists, features_version: row.optional_uuid(version)? });
    }
    let mut last_usage_at = None;
    if reads_usage {
        let behind = row.skip(version + 1);
        let mut usage = RowReader::of_columns(&behind, usage::COLUMNS);
        last_usage_at = usage.optional_time(usage::LAST_EVENT)?;
        if let Some(meter) = usage.optional_uuid("meter_id")? {
            let total = (SubscriptionId::from_bytes(row.uuid(0)?), MeterId::from_bytes(meter));
            return Ok(Found::Total(usage::read_total(total, &mut usage)?));
        }
    }
    let held = Box::new(read_held(&mut RowReader::of_columns(row, COLUMNS))?);
    Ok(Found::Held { held, last_usage_at })
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
