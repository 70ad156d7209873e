//! Subscriptions in the ledger: their histories, and the prices that their values follow from.

use std::sync::LazyLock;

use crate::analytics_ledgers::{self, Ledger};
use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::Error;
use crate::record::RowWriter;
use crate::row::Row;
use crate::sql::Sql;
use crate::table::{Conflict, Table};
use crate::value::{Type, Value};
use perennial_domain::analytics::history::History;
use perennial_domain::analytics::state::{PlanPrice, PlanVersionKey};
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::SubscriptionId;
use perennial_domain::time::Time;

/// The histories.
pub static ANALYTICS_SUBSCRIPTIONS: Table = Table::new(
    26,
    "analytics_subscriptions",
    &[
        Column::key("organization_id", Type::Uuid).unread(),
        Column::key("generation", Type::Int).unread(),
        Column::key("subscription_id", Type::Uuid),
        Column::fixed("history", Type::Text),
        Column::fixed("applied_at", Type::Time),
        Column::fixed("due_at", Type::Time).nullable(),
    ],
)
.on_conflict(Conflict::ReplaceIf("TRUE"));

/// The versions of plans that events have shown.
pub static ANALYTICS_PRICES: Table = Table::new(
    31,
    "analytics_prices",
    &[
        Column::key("organization_id", Type::Uuid).unread(),
        Column::key("generation", Type::Int).unread(),
        Column::key("plan_id", Type::Uuid).unread(),
        Column::key("version", Type::Int).unread(),
        Column::fixed("price", Type::Int),
        Column::fixed("currency", Type::Text),
        Column::fixed("billing_cycle", Type::Text),
    ],
)
.on_conflict(Conflict::ReplaceIf("TRUE"));

/// A subscription in the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerSubscription {
    /// The subscription.
    pub id: SubscriptionId,
    /// Its states.
    pub history: History,
    /// Until when its history is part of movements and sums.
    pub applied_at: Time,
    /// When figures change next by the clock alone.
    pub due_at: Option<Time>,
}

/// Histories that the clock changes until `$3`.
pub(crate) static DUE: LazyLock<Sql> = LazyLock::new(|| {
    ANALYTICS_SUBSCRIPTIONS
        .select("WHERE organization_id = $1 AND generation = $2 AND due_at <= $3 ORDER BY due_at LIMIT $4")
});

/// A version of a plan: a replaced one, the current one, or that of a plan which was removed for good.
pub(crate) static PRICE: Sql = Sql::new(
    "SELECT price, currency, billing_cycle FROM (
         SELECT price, currency, billing_cycle FROM plan_versions
         WHERE organization_id = $1 AND plan_id = $2 AND version = $3
         UNION ALL
         SELECT price, currency, billing_cycle FROM plans WHERE organization_id = $1 AND id = $2 AND version = $3
         UNION ALL
         SELECT price, currency, billing_cycle FROM analytics_prices
         WHERE organization_id = $1 AND generation = $4 AND plan_id = $2 AND version = $3
     ) AS versions",
);

pub(crate) static REMOVE: LazyLock<Sql> = LazyLock::new(|| analytics_ledgers::removal(&ANALYTICS_SUBSCRIPTIONS));
pub(crate) static REMOVE_PRICES: LazyLock<Sql> = LazyLock::new(|| analytics_ledgers::removal(&ANALYTICS_PRICES));
pub(crate) static ANY: LazyLock<Sql> = LazyLock::new(|| analytics_ledgers::existence(&ANALYTICS_SUBSCRIPTIONS));
pub(crate) static ANY_PRICES: LazyLock<Sql> = LazyLock::new(|| analytics_ledgers::existence(&ANALYTICS_PRICES));

/// Subscriptions of a generation, in the order of their IDs here.
pub async fn by_ids(
    db: &Db,
    ledger: &Ledger,
    ids: &[SubscriptionId],
) -> Result<Vec<Option<LedgerSubscription>>, Error> {
    let key =
        |id: &SubscriptionId| [ledger.organization_id.bytes().into(), ledger.generation.into(), id.bytes().into()];
    let keys: Vec<[Value; 3]> = ids.iter().map(key).collect();
    db.find_each(&ANALYTICS_SUBSCRIPTIONS.statements().by_key, &keys, read).await
}

/// The first subscriptions that the clock changes until an instant.
pub async fn due(db: &Db, ledger: &Ledger, now: Time, limit: i64) -> Result<Vec<LedgerSubscription>, Error> {
    let mut params = analytics_ledgers::key(ledger);
    params.extend([codec::time(now), limit.into()]);
    db.all(&DUE, &params, read).await
}

/// The price of a version of a plan.
pub async fn price(db: &Db, ledger: &Ledger, (plan, version): PlanVersionKey) -> Result<Option<PlanPrice>, Error> {
    let key = [ledger.organization_id.bytes().into(), plan.bytes().into(), version.into(), ledger.generation.into()];
    let read = |row: &Row<'_>| {
        Ok(PlanPrice {
            price: codec::money(row.int(0)?)?,
            currency: codec::word(row.text_ref(1)?, |word| Currency::parse(word).ok())?,
            cycle: codec::word(row.text_ref(2)?, BillingCycle::from_stored)?,
        })
    };
    db.find(&PRICE, key, read).await
}

/// Stores a subscription, or replaces it.
pub fn put(change: Change, ledger: &Ledger, subscription: &LedgerSubscription) -> Change {
    analytics_ledgers::put(change, &ANALYTICS_SUBSCRIPTIONS, ledger, |row| write(row, subscription))
}

/// Stores a subscription that the generation does not have yet.
pub fn insert(change: Change, ledger: &Ledger, subscription: &LedgerSubscription) -> Change {
    analytics_ledgers::insert_new(change, &ANALYTICS_SUBSCRIPTIONS, ledger, |row| write(row, subscription))
}

fn write(row: &mut RowWriter, subscription: &LedgerSubscription) {
    row.uuid("subscription_id", subscription.id.bytes());
    row.text("history", &subscription.history.to_stored());
    row.time("applied_at", subscription.applied_at);
    row.optional_time("due_at", subscription.due_at);
}

/// Stores the price of a version of a plan.
pub fn put_price(change: Change, ledger: &Ledger, (plan, version): PlanVersionKey, price: PlanPrice) -> Change {
    analytics_ledgers::put(change, &ANALYTICS_PRICES, ledger, |row| {
        row.uuid("plan_id", plan.bytes());
        row.int("version", version);
        row.int("price", price.price.ten_thousandths());
        row.text("currency", price.currency.as_str());
        row.text("billing_cycle", price.cycle.as_str());
    })
}

fn read(row: &Row<'_>) -> Result<LedgerSubscription, Error> {
    Ok(LedgerSubscription {
        id: SubscriptionId::from_bytes(row.uuid(0)?),
        history: History::from_stored(row.text_ref(1)?)
            .ok_or_else(|| Error::Internal("a stored history cannot be read".to_owned()))?,
        applied_at: codec::read_time(row.time(2)?)?,
        due_at: codec::read_optional_time(row.optional_time(3)?)?,
    })
}
