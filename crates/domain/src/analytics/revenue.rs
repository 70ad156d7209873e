//! The rows of a response: sums of periods, turned into figures that are each rounded once.

use super::calendar::{Day, Month};
use super::movements::MovementKind;
use super::rounding::{Figure, money, monthly, multiply_divide, rate};
use super::sums::{PaymentKind, Sum, SumKind};
use super::{MONTHS, Value};
use crate::currency::Currency;
use serde::Serialize;

/// The months before a month that its lifetime value looks at.
pub const LOOK_BACK: usize = 2;

/// Months of a year.
const YEAR: i128 = 12;

/// A period of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Period {
    /// A day.
    Day(Day),
    /// A month.
    Month(Month),
}

impl Period {
    /// Its first day.
    pub fn first(self) -> Day {
        match self {
            Self::Day(day) => day,
            Self::Month(month) => month.first(),
        }
    }
}

impl Serialize for Period {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Day(day) => day.serialize(serializer),
            Self::Month(month) => month.serialize(serializer),
        }
    }
}

/// The revenue at a close.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// The value of all subscriptions.
    pub value: Value,
    /// The committed part of it.
    pub committed: Value,
    /// The number of customers.
    pub customers: i64,
    /// The number of subscriptions with a value.
    pub subscriptions: i64,
}

/// The sums of one period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeriodSums {
    movements: [Sum; 5],
    subscriptions: Sum,
}

impl PeriodSums {
    /// Adds a sum of the revenue series.
    pub fn add(&mut self, kind: SumKind, sum: Sum) {
        let place = match kind {
            SumKind::Movement(kind) => &mut self.movements[kind as usize],
            SumKind::Subscriptions => &mut self.subscriptions,
            _ => return,
        };
        *place = place.plus(sum);
    }

    const fn of(&self, kind: MovementKind) -> Sum {
        self.movements[kind as usize]
    }
}

impl Level {
    /// The level after a period.
    #[must_use]
    pub fn after(self, sums: &PeriodSums) -> Self {
        let count = |kind| sums.of(kind).count;
        Self {
            value: self.value + sums.movements.iter().map(|sum| sum.amount).sum::<Value>(),
            committed: self.committed + sums.subscriptions.amount,
            customers: self.customers + count(MovementKind::New) + count(MovementKind::Reactivation)
                - count(MovementKind::Churned),
            subscriptions: self.subscriptions + sums.subscriptions.count,
        }
    }
}

/// A row of `/analytics/revenue`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the API's")]
pub struct RevenueRow {
    pub period: Period,
    pub start: Figure,
    pub new: Figure,
    pub expansion: Figure,
    pub reactivation: Figure,
    pub contraction: Figure,
    pub churned: Figure,
    pub end: Figure,
    pub committed: Figure,
    pub arr: Figure,
    pub customers_start: i64,
    pub customers_new: i64,
    pub customers_reactivated: i64,
    pub customers_churned: i64,
    pub customers_end: i64,
    pub subscriptions: i64,
    pub arpu: Option<Figure>,
    pub logo_churn: Option<Figure>,
    pub gross_churn: Option<Figure>,
    pub nrr: Option<Figure>,
    pub grr: Option<Figure>,
    pub ltv: Option<Figure>,
}

/// The rows of consecutive periods. The first `lead` of them have no row: they are what lifetime values look back at.
pub fn revenue_rows(base: Level, periods: &[(Period, PeriodSums)], lead: usize, currency: Currency) -> Vec<RevenueRow> {
    let mut level = base;
    let mut rows = Vec::with_capacity(periods.len());
    // Of each month: customers at the start, and how many of them churned.
    let mut churn: Vec<(i64, i64)> = Vec::new();
    for (place, (period, sums)) in periods.iter().enumerate() {
        let (start, end) = (level, level.after(sums));
        churn.push((start.customers, sums.of(MovementKind::Churned).count));
        if place >= lead {
            let recent = &churn[place.saturating_sub(LOOK_BACK)..];
            rows.push(revenue_row(*period, start, sums, end, recent, currency));
        }
        level = end;
    }
    rows
}

fn revenue_row(
    period: Period,
    start: Level,
    sums: &PeriodSums,
    end: Level,
    recent: &[(i64, i64)],
    currency: Currency,
) -> RevenueRow {
    use MovementKind::{Churned, Contraction, Expansion, New, Reactivation};
    let is_month = matches!(period, Period::Month(_));
    let amount = |kind| sums.of(kind).amount;
    let shown = |kind| monthly(amount(kind), currency);
    let lost = amount(Contraction) + amount(Churned);
    let of_start = |value: Value| rate(value, start.value).filter(|_| is_month);
    let churned = sums.of(Churned).count;
    RevenueRow {
        period,
        start: monthly(start.value, currency),
        new: shown(New),
        expansion: shown(Expansion),
        reactivation: shown(Reactivation),
        contraction: shown(Contraction),
        churned: shown(Churned),
        end: monthly(end.value, currency),
        committed: monthly(end.committed, currency),
        arr: money(end.value, MONTHS / YEAR, currency),
        customers_start: start.customers,
        customers_new: sums.of(New).count,
        customers_reactivated: sums.of(Reactivation).count,
        customers_churned: churned,
        customers_end: end.customers,
        subscriptions: end.subscriptions,
        arpu: (end.customers != 0).then(|| money(end.value, MONTHS * i128::from(end.customers), currency)),
        logo_churn: rate(churned.into(), start.customers.into()).filter(|_| is_month),
        gross_churn: of_start(-lost),
        nrr: of_start(start.value + amount(Expansion) + lost),
        grr: of_start(start.value + lost),
        ltv: lifetime_value(end, recent, currency).filter(|_| is_month),
    }
}

/// Revenue per customer, divided by the rate at which customers left recently.
fn lifetime_value(end: Level, recent: &[(i64, i64)], currency: Currency) -> Option<Figure> {
    let (starts, churned) = recent.iter().fold((0, 0), |(starts, churned), (s, c)| (starts + s, churned + c));
    // Without customers at the start there is no rate, and without a rate no lifetime.
    if churned == 0 || starts == 0 || end.customers == 0 {
        return None;
    }
    let divisor = i128::from(end.customers) * i128::from(churned);
    let starts = i128::from(starts);
    Some(match end.value.checked_mul(starts) {
        Some(product) => money(product, MONTHS * divisor, currency),
        None => money(multiply_divide(end.value, starts, divisor), MONTHS, currency),
    })
}

/// A row of `/analytics/trials`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the API's")]
pub struct TrialRow {
    pub period: Period,
    pub started: i64,
    pub converted: i64,
    pub lost: i64,
    pub open: i64,
    pub rate: Option<Figure>,
}

impl TrialRow {
    /// The row of a month in which this many trials began.
    pub fn new(period: Period, started: i64, converted: i64, lost: i64) -> Self {
        let open = started - converted - lost;
        Self { period, started, converted, lost, open, rate: rate(converted.into(), (converted + lost).into()) }
    }
}

/// A number of payments and their amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the API's")]
pub struct CountAndAmount {
    pub count: i64,
    pub amount: Figure,
}

/// A row of `/analytics/payments`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the API's")]
pub struct PaymentRow {
    pub period: Period,
    pub collected: CountAndAmount,
    pub refunded: CountAndAmount,
    pub failed: CountAndAmount,
    pub failure_rate: Option<Figure>,
}

impl PaymentRow {
    /// The row of a period with these sums.
    pub fn new(period: Period, sum: impl Fn(PaymentKind) -> Sum, currency: Currency) -> Self {
        let shown = |kind| {
            let Sum { amount, count } = sum(kind);
            CountAndAmount { count, amount: money(amount, 1, currency) }
        };
        let (collected, failed) = (shown(PaymentKind::Collected), shown(PaymentKind::Failed));
        let failure_rate = rate(failed.count.into(), (failed.count + collected.count).into());
        Self { period, collected, refunded: shown(PaymentKind::Refunded), failed, failure_rate }
    }
}
