//! The subscriptions that a user owns or is a member of, each with the grants of its plan, which version of the features is
//! current, and what the subscriptions used, in one statement.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::Error;
use crate::record::RowReader;
use crate::row::Row;
use crate::sql::Sql;
use crate::usage_totals;
use crate::value::{Type, Value};
use perennial_domain::cycle::BillingCycle;
use perennial_domain::entitlements::{Grants, MAX_CONSIDERED, PeriodTerms, Terms, TotalKey};
use perennial_domain::id::{MeterId, OrganizationId, PlanId, SubscriptionId, UserId};
use perennial_domain::lifecycle::billing::Billing;
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::time::Time;
use perennial_domain::usage::{Quantity, TimeSpan};

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

/// What subscriptions used, as far as it can be read with them.
#[derive(Clone, Debug, Default)]
pub struct HeldUsage {
    /// The stored totals of the periods that contain the instant of the read.
    totals: HashMap<(SubscriptionId, MeterId, TimeSpan), Quantity>,
    /// The instant of the last usage event of each subscription. None: it has none.
    last_events: HashMap<SubscriptionId, Option<Time>>,
}

impl HeldUsage {
    /// The usage of a subscription in a period that contains the instant of the read. None: there is no total, and the events must
    /// be added up.
    pub fn of(&self, key: &TotalKey) -> Option<Quantity> {
        let span = key.period.span();
        let stored = self.totals.get(&(key.subscription_id, key.meter_id, span)).copied();
        let is_unused = || {
            let last_event = self.last_events.get(&key.subscription_id)?;
            last_event.is_none_or(|at| at < span.from).then(Quantity::default)
        };
        stored.or_else(is_unused)
    }
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

/// What is read of usage, in the columns behind those of a subscription and of the user.
static USAGE_COLUMNS: &[Column] = &[
    // Of a subscription.
    Column::mutable(LAST_USAGE, Type::Time).nullable(),
    // Of a total, whose subscription is in the first column.
    Column::mutable("meter_id", Type::Uuid).nullable(),
    Column::mutable("starts_at", Type::Time).nullable(),
    Column::mutable("ends_at", Type::Time).nullable(),
    Column::mutable("units", Type::Int).nullable(),
    Column::mutable("millionths", Type::Int).nullable(),
];
const LAST_USAGE: &str = "last_usage_at";
/// None of them, with their types.
const NO_USAGE: &str = "CAST(NULL AS TIMESTAMPTZ), CAST(NULL AS UUID), CAST(NULL AS TIMESTAMPTZ), \
                        CAST(NULL AS TIMESTAMPTZ), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT)";

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
fn statement((most, of_subscriptions): (usize, &str), usage: Option<Usage>) -> String {
    let is_stored = |name: &&str| ![PLAN_GRANTS, IS_MEMBER].contains(name);
    let stored: Vec<&str> = COLUMNS.iter().map(|column| column.name).filter(is_stored).collect();
    let (owned, joined) = newest(&stored.join(", "), most);
    let (of_owned, of_joined) = (values(false), values(true));
    let no_subscription = vec!["NULL"; COLUMNS.len()].join(", ");
    let Usage { none, last, totals } = usage.unwrap_or_default();
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

/// What a statement has more if it reads usage.
#[derive(Default)]
struct Usage {
    /// Columns of the first row. They give all rows their types.
    none: String,
    /// Columns of a subscription.
    last: String,
    /// Rows of totals.
    totals: String,
}

impl Usage {
    /// `search` joins subscriptions `s` with the totals `t` of the periods that contain an instant. The totals of subscriptions that
    /// are not read in the end do no harm.
    fn of(most: usize, search: &str) -> Self {
        let no_total = ", NULL".repeat(USAGE_COLUMNS.len() - 1);
        let last = format!(
            ", (SELECT e.at FROM usage_events AS e WHERE e.organization_id = $1 AND e.subscription_id = s.id
                ORDER BY e.at DESC LIMIT 1){no_total}"
        );
        let (owned, joined) = newest("id", most);
        let no_terms = ", NULL".repeat(COLUMNS.len() - 1);
        let of_totals = |ids: &str| {
            format!(
                " UNION ALL
                SELECT s.id{no_terms}, NULL, NULL, NULL, t.meter_id, t.starts_at, t.ends_at, t.units, t.millionths
                FROM ({ids}) AS s {search}"
            )
        };
        Self { none: format!(", {NO_USAGE}"), last, totals: of_totals(&owned) + &of_totals(&joined) }
    }
}

/// The same with what the subscriptions used. PostgreSQL does not know how few totals a subscription has, and would join with all of
/// the organization. The offset prevents that.
fn statement_with_usage((most, of_subscriptions): (usize, &str)) -> Sql {
    let text = |search| statement((most, of_subscriptions), Some(Usage::of(most, search)));
    Sql::built_pair(
        text(
            "CROSS JOIN usage_totals AS t
             WHERE t.organization_id = $1 AND t.subscription_id = s.id AND t.starts_at <= $3 AND t.ends_at > $3",
        ),
        text(
            "CROSS JOIN LATERAL (
                 SELECT meter_id, starts_at, ends_at, units, millionths FROM usage_totals
                 WHERE organization_id = $1 AND subscription_id = s.id AND starts_at <= $3 AND ends_at > $3 OFFSET 0) AS t",
        ),
    )
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
                    holder.usage.last_events.insert(held.subscription.id, last_usage_at);
                }
                holder.held.push(*held);
            }
            Found::Total(total, quantity) => drop(holder.usage.totals.insert(total, quantity)),
            Found::Facts { exists, features_version } => {
                (holder.exists, holder.features_version) = (exists, features_version);
            }
        }
    }
    Ok(holder)
}

enum Found {
    Held { held: Box<Held>, last_usage_at: Option<Time> },
    Total((SubscriptionId, MeterId, TimeSpan), Quantity),
    Facts { exists: bool, features_version: Option<[u8; 16]> },
}

fn read(row: &Row<'_>, reads_usage: bool) -> Result<Found, Error> {
    let (is_live, version) = (COLUMNS.len(), COLUMNS.len() + 1);
    if let Some(exists) = row.optional_bool(is_live)? {
        return Ok(Found::Facts { exists, features_version: row.optional_uuid(version)? });
    }
    let mut last_usage_at = None;
    if reads_usage {
        let row_of_usage = row.skip(version + 1);
        let mut usage = RowReader::of_columns(&row_of_usage, USAGE_COLUMNS);
        last_usage_at = usage.optional_time(LAST_USAGE)?;
        if let Some(meter) = usage.optional_uuid("meter_id")? {
            let (id, meter) = (SubscriptionId::from_bytes(row.uuid(0)?), MeterId::from_bytes(meter));
            let span = TimeSpan { from: usage.time("starts_at")?, to: usage.time("ends_at")? };
            let quantity = usage_totals::quantity(usage.int("units")?, usage.int("millionths")?);
            return Ok(Found::Total((id, meter, span), quantity));
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
