//! Sums, cohorts and payments in the ledger. A response reads these rows and never those of customers.
//!
//! A read returns the position that it includes from the same statement, so that figures and position belong together.

use std::sync::LazyLock;

use crate::analytics_ledgers::{self, Ledger};
use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::Error;
use crate::row::Row;
use crate::sql::Sql;
use crate::table::{Conflict, Table};
use crate::value::{Type, Value};
use perennial_domain::analytics::Value as Amount;
use perennial_domain::analytics::calendar::{Day, Month};
use perennial_domain::analytics::payments::CountedPayment;
use perennial_domain::analytics::sums::{CohortKey, CohortSum, Grain, Series, Sum, SumKey, SumKind};
use perennial_domain::currency::Currency;
use perennial_domain::id::{PaymentId, PlanId};

/// The sums.
pub static ANALYTICS_SUMS: Table = Table::new(
    28,
    "analytics_sums",
    &[
        Column::key("organization_id", Type::Uuid).unread(),
        Column::key("generation", Type::Int).unread(),
        Column::key("currency", Type::Text).unread(),
        Column::key("series", Type::Text).unread(),
        Column::key("grain", Type::Text),
        Column::key("period", Type::Int),
        Column::key("kind", Type::Text),
        Column::key("item", Type::Uuid),
        Column::fixed("amount", Type::Text),
        Column::fixed("count", Type::Int),
    ],
)
.on_conflict(Conflict::ReplaceIf("TRUE"));

/// The cohorts.
pub static ANALYTICS_COHORTS: Table = Table::new(
    29,
    "analytics_cohorts",
    &[
        Column::key("organization_id", Type::Uuid).unread(),
        Column::key("generation", Type::Int).unread(),
        Column::key("currency", Type::Text).unread(),
        Column::key("cohort", Type::Int),
        Column::key("month", Type::Int),
        Column::fixed("new_customers", Type::Int),
        Column::fixed("customers", Type::Int),
        Column::fixed("mrr", Type::Text),
    ],
)
.on_conflict(Conflict::ReplaceIf("TRUE"));

/// The payments that count.
pub static ANALYTICS_PAYMENTS: Table = Table::new(
    30,
    "analytics_payments",
    &[
        Column::key("organization_id", Type::Uuid).unread(),
        Column::key("generation", Type::Int).unread(),
        Column::key("payment_id", Type::Uuid).unread(),
        Column::fixed("currency", Type::Text),
        Column::fixed("day", Type::Int),
        Column::fixed("amount", Type::Int),
        Column::fixed("is_collected", Type::Bool),
        Column::fixed("is_refunded", Type::Bool),
    ],
)
.on_conflict(Conflict::ReplaceIf("TRUE"));

/// Sums of consecutive periods of one length: from a day on and before another one.
pub type Periods = (Day, Day);

/// The sums that a response reads.
#[derive(Clone, Copy, Debug)]
pub struct SumQuery {
    /// The currency; none for trials.
    pub currency: Option<Currency>,
    /// The series.
    pub series: Series,
    /// The years.
    pub years: Periods,
    /// The months.
    pub months: Periods,
    /// The days.
    pub days: Periods,
}

/// A sum of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredSum {
    /// The length of the period.
    pub grain: Grain,
    /// Its first day.
    pub period: Day,
    /// What is summed.
    pub kind: SumKind,
    /// The plan, for sums of plans.
    pub plan_id: PlanId,
    /// The sum.
    pub sum: Sum,
}

/// What a response read, and the position in the feed that it includes.
#[derive(Clone, Debug)]
pub struct Reading<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// The position; none if the generation is gone.
    pub sequence: Option<i64>,
}

/// The first row is the position.
pub(crate) static READ: LazyLock<Sql> = LazyLock::new(|| {
    let periods = |grain: &str, from: u8, before: u8| {
        format!(
            "SELECT grain, period, kind, item, amount, count FROM analytics_sums
             WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND series = $4 AND grain = '{grain}'
                 AND period >= ${from} AND period < ${before}"
        )
    };
    Sql::built(format!(
        "SELECT state, sequence, state, event_id, state, generation FROM analytics_ledgers
         WHERE organization_id = $1 AND generation = $2
         UNION ALL {} UNION ALL {} UNION ALL {}",
        periods("year", 5, 6),
        periods("month", 7, 8),
        periods("day", 9, 10),
    ))
});

/// The same of cohorts.
pub(crate) static READ_COHORTS: Sql = Sql::new(
    "SELECT -1, sequence, 0, 0, state FROM analytics_ledgers WHERE organization_id = $1 AND generation = $2
     UNION ALL
     SELECT cohort, month, new_customers, customers, mrr FROM analytics_cohorts
     WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND cohort >= $4 AND cohort <= $5 AND month <= $5",
);

/// The slug and the name of a plan, deleted or not.
pub(crate) static PLAN: Sql = Sql::new("SELECT slug, name FROM plans WHERE organization_id = $1 AND id = $2");

pub(crate) static REMOVE_SUM: Sql = Sql::new(
    "DELETE FROM analytics_sums
     WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND series = $4 AND grain = $5 AND period = $6
         AND kind = $7 AND item = $8",
);

pub(crate) static REMOVE_COHORT: Sql = Sql::new(
    "DELETE FROM analytics_cohorts
     WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND cohort = $4 AND month = $5",
);

pub(crate) static REMOVE_PAYMENT: Sql =
    Sql::new("DELETE FROM analytics_payments WHERE organization_id = $1 AND generation = $2 AND payment_id = $3");

pub(crate) static REMOVE: LazyLock<Sql> = LazyLock::new(|| analytics_ledgers::removal(&ANALYTICS_SUMS));
pub(crate) static REMOVE_COHORTS: LazyLock<Sql> = LazyLock::new(|| analytics_ledgers::removal(&ANALYTICS_COHORTS));
pub(crate) static REMOVE_PAYMENTS: LazyLock<Sql> = LazyLock::new(|| analytics_ledgers::removal(&ANALYTICS_PAYMENTS));
pub(crate) static ANY: LazyLock<Sql> = LazyLock::new(|| analytics_ledgers::existence(&ANALYTICS_SUMS));
pub(crate) static ANY_COHORTS: LazyLock<Sql> = LazyLock::new(|| analytics_ledgers::existence(&ANALYTICS_COHORTS));
pub(crate) static ANY_PAYMENTS: LazyLock<Sql> = LazyLock::new(|| analytics_ledgers::existence(&ANALYTICS_PAYMENTS));

/// The sums of a response.
pub async fn read(db: &Db, ledger: &Ledger, query: &SumQuery) -> Result<Reading<StoredSum>, Error> {
    let mut params = analytics_ledgers::key(ledger);
    params.extend([currency_text(query.currency).as_str().into(), query.series.as_str().into()]);
    for (from, before) in [query.years, query.months, query.days] {
        params.extend([from.number().into(), before.number().into()]);
    }
    let read = |row: &Row<'_>| {
        let word = row.text_ref(0)?;
        let Some(grain) = Grain::from_stored(word) else { return Ok(Read::Position(row.int(1)?)) };
        Ok(Read::Row(StoredSum {
            grain,
            period: Day::from_number(row.int(1)?),
            kind: codec::word(row.text_ref(2)?, SumKind::from_stored)?,
            plan_id: PlanId::from_bytes(row.uuid(3)?),
            sum: Sum { amount: read_amount(row.text_ref(4)?)?, count: row.int(5)? },
        }))
    };
    Ok(Reading::of(db.all(&READ, &params, read).await?))
}

/// The cohorts of these months, up to the last of them.
pub async fn read_cohorts(
    db: &Db,
    ledger: &Ledger,
    currency: Currency,
    (first, last): (Month, Month),
) -> Result<Reading<((Month, Month), CohortSum)>, Error> {
    let mut params = analytics_ledgers::key(ledger);
    params.extend([currency.as_str().into(), first.number().into(), last.number().into()]);
    let read = |row: &Row<'_>| {
        if row.int(0)? < 0 {
            return Ok(Read::Position(row.int(1)?));
        }
        let months = (Month::from_number(row.int(0)?), Month::from_number(row.int(1)?));
        let value = read_amount(row.text_ref(4)?)?;
        Ok(Read::Row((months, CohortSum { new: row.int(2)?, customers: row.int(3)?, value })))
    };
    Ok(Reading::of(db.all(&READ_COHORTS, &params, read).await?))
}

enum Read<T> {
    Position(i64),
    Row(T),
}

impl<T> Reading<T> {
    fn of(read: Vec<Read<T>>) -> Self {
        let mut reading = Self { rows: Vec::with_capacity(read.len()), sequence: None };
        for row in read {
            match row {
                Read::Position(sequence) => reading.sequence = Some(sequence),
                Read::Row(row) => reading.rows.push(row),
            }
        }
        reading
    }
}

/// The slug and the name of a plan, deleted or not; none if it was removed for good.
pub async fn plan(db: &Db, ledger: &Ledger, id: PlanId) -> Result<Option<(String, String)>, Error> {
    let key = [ledger.organization_id.bytes().into(), id.bytes().into()];
    db.find(&PLAN, key, |row| Ok((row.text(0)?, row.text(1)?))).await
}

/// A sum as it is stored.
pub async fn sum(db: &Db, ledger: &Ledger, key: &SumKey) -> Result<Sum, Error> {
    let [organization, generation] = [ledger.organization_id.bytes().into(), ledger.generation.into()];
    let [currency, series, grain, period, kind, item] = sum_key(key);
    let key = [organization, generation, currency, series, grain, period, kind, item];
    let read = |row: &Row<'_>| Ok(Sum { amount: read_amount(row.text_ref(4)?)?, count: row.int(5)? });
    Ok(db.find(&ANALYTICS_SUMS.statements().by_key, key, read).await?.unwrap_or_default())
}

/// A cell of a cohort as it is stored.
pub async fn cohort(db: &Db, ledger: &Ledger, (currency, cohort, month): &CohortKey) -> Result<CohortSum, Error> {
    let key = [
        ledger.organization_id.bytes().into(),
        ledger.generation.into(),
        currency.as_str().into(),
        cohort.number().into(),
        month.number().into(),
    ];
    let read = |row: &Row<'_>| {
        Ok(CohortSum { new: row.int(2)?, customers: row.int(3)?, value: read_amount(row.text_ref(4)?)? })
    };
    Ok(db.find(&ANALYTICS_COHORTS.statements().by_key, key, read).await?.unwrap_or_default())
}

/// How each payment counts, in the order of the IDs.
pub async fn payments(db: &Db, ledger: &Ledger, ids: &[PaymentId]) -> Result<Vec<Option<CountedPayment>>, Error> {
    let key = |id: &PaymentId| [ledger.organization_id.bytes().into(), ledger.generation.into(), id.bytes().into()];
    let keys: Vec<[Value; 3]> = ids.iter().map(key).collect();
    let read = |row: &Row<'_>| {
        Ok(CountedPayment {
            currency: codec::word(row.text_ref(0)?, |word| Currency::parse(word).ok())?,
            day: Day::from_number(row.int(1)?),
            amount: row.int(2)?,
            is_collected: row.bool(3)?,
            is_refunded: row.bool(4)?,
        })
    };
    db.find_each(&ANALYTICS_PAYMENTS.statements().by_key, &keys, read).await
}

/// Stores a sum. A sum of nothing has no row.
pub fn put(change: Change, ledger: &Ledger, key: &SumKey, sum: Sum) -> Change {
    if sum == Sum::default() {
        let mut params = analytics_ledgers::key(ledger);
        params.extend(sum_key(key));
        return change.execute_any(&REMOVE_SUM, params);
    }
    analytics_ledgers::put(change, &ANALYTICS_SUMS, ledger, |row| {
        row.text("currency", &currency_text(key.currency));
        row.text("series", key.series.as_str());
        row.text("grain", key.grain.as_str());
        row.int("period", key.period.number());
        row.text("kind", key.kind.as_str());
        row.uuid("item", key.plan_id.map_or([0; 16], PlanId::bytes));
        row.text("amount", &sum.amount.to_string());
        row.int("count", sum.count);
    })
}

/// Stores a cell of a cohort. A cell without movements has no row.
pub fn put_cohort(change: Change, ledger: &Ledger, (currency, cohort, month): &CohortKey, cell: CohortSum) -> Change {
    if cell == CohortSum::default() {
        let mut params = analytics_ledgers::key(ledger);
        params.extend([currency.as_str().into(), cohort.number().into(), month.number().into()]);
        return change.execute_any(&REMOVE_COHORT, params);
    }
    analytics_ledgers::put(change, &ANALYTICS_COHORTS, ledger, |row| {
        row.text("currency", currency.as_str());
        row.int("cohort", cohort.number());
        row.int("month", month.number());
        row.int("new_customers", cell.new);
        row.int("customers", cell.customers);
        row.text("mrr", &cell.value.to_string());
    })
}

/// Stores how a payment counts, or that it does not.
pub fn put_payment(change: Change, ledger: &Ledger, id: PaymentId, payment: Option<&CountedPayment>) -> Change {
    let Some(payment) = payment else {
        let mut params = analytics_ledgers::key(ledger);
        params.push(id.bytes().into());
        return change.execute_any(&REMOVE_PAYMENT, params);
    };
    analytics_ledgers::put(change, &ANALYTICS_PAYMENTS, ledger, |row| {
        row.uuid("payment_id", id.bytes());
        row.text("currency", payment.currency.as_str());
        row.int("day", payment.day.number());
        row.int("amount", payment.amount);
        row.bool("is_collected", payment.is_collected);
        row.bool("is_refunded", payment.is_refunded);
    })
}

fn sum_key(key: &SumKey) -> [Value; 6] {
    [
        currency_text(key.currency).as_str().into(),
        key.series.as_str().into(),
        key.grain.as_str().into(),
        key.period.number().into(),
        key.kind.as_str().into(),
        key.plan_id.map_or([0; 16], PlanId::bytes).into(),
    ]
}

/// Trials are of all currencies.
fn currency_text(currency: Option<Currency>) -> String {
    currency.map_or_else(String::new, |currency| currency.to_string())
}

pub(crate) fn read_amount(text: &str) -> Result<Amount, Error> {
    text.parse().map_err(|_| Error::Internal(format!("a stored amount cannot be read: {text}")))
}
