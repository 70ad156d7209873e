//! Sums of the ledger: what a response reads instead of the rows of customers.
//!
//! Every sum is stored for the day, the month and the year, so that the level at any day is the sum of few rows.

use super::Value;
use super::calendar::{Day, Month};
use super::movement::{Movement, MovementKind};
use crate::currency::Currency;
use crate::id::PlanId;
use std::collections::BTreeMap;

/// The sums that one response reads together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Series {
    /// Movements, committed revenue and the number of subscriptions.
    Revenue,
    /// Revenue and subscriptions of each plan.
    Plans,
    /// Payments.
    Payments,
    /// Trials, of all currencies.
    Trials,
}

/// The length of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is what it is called")]
pub enum Grain {
    Day,
    Month,
    Year,
}

/// What is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SumKind {
    /// Movements of a kind.
    Movement(MovementKind),
    /// Changes of the number of subscriptions with a value; the amount is committed revenue.
    Subscriptions,
    /// The same of a plan; the amount is revenue.
    Plan,
    /// Payments of a kind.
    Payment(PaymentKind),
    /// Trials that began.
    TrialsStarted,
    /// Those of them that converted.
    TrialsConverted,
    /// Those of them that were lost.
    TrialsLost,
}

/// How a payment counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the words of the API")]
pub enum PaymentKind {
    Collected,
    Refunded,
    Failed,
}

/// What identifies a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SumKey {
    /// The currency; none for trials.
    pub currency: Option<Currency>,
    /// The series.
    pub series: Series,
    /// The length of the period.
    pub grain: Grain,
    /// Its first day.
    pub period: Day,
    /// What is summed.
    pub kind: SumKind,
    /// The plan, for sums of plans.
    pub plan_id: Option<PlanId>,
}

/// A sum, or a change of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// The sum of values or of amounts.
    pub amount: Value,
    /// The number of what is summed.
    pub count: i64,
}

/// A cell of a cohort: its currency, its month, and the month of the movements.
pub type CohortKey = (Currency, Month, Month);

/// The movements of a cohort in a month, or a change of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CohortSum {
    /// The number of new customers.
    pub new: i64,
    /// The change of the number of customers.
    pub customers: i64,
    /// The change of their value.
    pub value: Value,
}

/// Sums of all series and cohorts, or changes of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// What was added since the sums were last normalized, by day.
    added: BTreeMap<SumKey, Sum>,
    /// The sums of all periods, once they are normalized.
    pub sums: BTreeMap<SumKey, Sum>,
    /// The cohorts.
    pub cohorts: BTreeMap<CohortKey, CohortSum>,
}

impl Sums {
    /// Adds a movement, or removes it with a sign of -1.
    pub fn add_movement(&mut self, movement: &Movement, sign: i64) {
        let Movement { currency, day, kind, amount, cohort, .. } = *movement;
        let amount = amount * i128::from(sign);
        self.add(Some(currency), Series::Revenue, day, SumKind::Movement(kind), None, Sum { amount, count: sign });
        let cell = self.cohorts.entry((currency, cohort, day.month())).or_default();
        cell.value += amount;
        match kind {
            MovementKind::New => (cell.new, cell.customers) = (cell.new + sign, cell.customers + sign),
            MovementKind::Reactivation => cell.customers += sign,
            MovementKind::Churned => cell.customers -= sign,
            MovementKind::Expansion | MovementKind::Contraction => {}
        }
    }

    /// Adds a change of committed revenue and of the number of subscriptions.
    pub fn add_subscriptions(&mut self, currency: Currency, day: Day, committed: Value, count: i64) {
        let sum = Sum { amount: committed, count };
        self.add(Some(currency), Series::Revenue, day, SumKind::Subscriptions, None, sum);
    }

    /// Adds a change of a plan.
    pub fn add_plan(&mut self, currency: Currency, day: Day, plan: PlanId, amount: Value, count: i64) {
        self.add(Some(currency), Series::Plans, day, SumKind::Plan, Some(plan), Sum { amount, count });
    }

    /// Adds a payment, or removes it with a sign of -1.
    pub fn add_payment(&mut self, currency: Currency, day: Day, kind: PaymentKind, amount: i64, sign: i64) {
        let sum = Sum { amount: i128::from(amount * sign), count: sign };
        self.add(Some(currency), Series::Payments, day, SumKind::Payment(kind), None, sum);
    }

    /// Adds a trial, or removes it with a sign of -1.
    pub fn add_trial(&mut self, month: Month, kind: SumKind, sign: i64) {
        self.add(None, Series::Trials, month.first(), kind, None, Sum { amount: 0, count: sign });
    }

    /// Adds all of the other.
    pub fn add_all(&mut self, other: Self) {
        for (key, sum) in other.added {
            add(&mut self.added, key, sum);
        }
        for (key, sum) in other.sums {
            add(&mut self.sums, key, sum);
        }
        for (key, cell) in other.cohorts {
            let entry = self.cohorts.entry(key).or_default();
            *entry = entry.plus(cell);
        }
    }

    /// Adds what was added to the sums of its periods, and removes what is zero.
    pub fn normalize(&mut self) {
        for (day, sum) in std::mem::take(&mut self.added) {
            for grain in day.series.grains() {
                add(&mut self.sums, SumKey { grain: *grain, period: grain.first(day.period), ..day }, sum);
            }
        }
        self.sums.retain(|_, sum| *sum != Sum::default());
        self.cohorts.retain(|_, cell| *cell != CohortSum::default());
    }

    fn add(
        &mut self,
        currency: Option<Currency>,
        series: Series,
        day: Day,
        kind: SumKind,
        plan_id: Option<PlanId>,
        sum: Sum,
    ) {
        let key = SumKey { currency, series, grain: Grain::Day, period: day, kind, plan_id };
        add(&mut self.added, key, sum);
    }
}

fn add(sums: &mut BTreeMap<SumKey, Sum>, key: SumKey, sum: Sum) {
    let entry = sums.entry(key).or_default();
    *entry = entry.plus(sum);
}

impl Sum {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self { amount: self.amount + other.amount, count: self.count + other.count }
    }
}

impl CohortSum {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self { new: self.new + other.new, customers: self.customers + other.customers, value: self.value + other.value }
    }
}

impl Grain {
    /// Every grain.
    pub const ALL: [Self; 3] = [Self::Day, Self::Month, Self::Year];

    /// The first day of the period of a day.
    pub fn first(self, day: Day) -> Day {
        match self {
            Self::Day => day,
            Self::Month => day.month().first(),
            Self::Year => day.month().january().first(),
        }
    }

    /// The word in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// The grain of a stored word.
    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }
}

impl Series {
    /// Every series.
    pub const ALL: [Self; 4] = [Self::Revenue, Self::Plans, Self::Payments, Self::Trials];

    /// The periods that are stored: levels need years, and nothing asks for the trials of a day.
    const fn grains(self) -> &'static [Grain] {
        match self {
            Self::Revenue | Self::Plans => &Grain::ALL,
            Self::Payments => &[Grain::Day, Grain::Month],
            Self::Trials => &[Grain::Month],
        }
    }

    /// The word in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Revenue => "revenue",
            Self::Plans => "plans",
            Self::Payments => "payments",
            Self::Trials => "trials",
        }
    }

    /// The series of a stored word.
    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }
}

impl SumKind {
    const OTHERS: [Self; 8] = [
        Self::Subscriptions,
        Self::Plan,
        Self::Payment(PaymentKind::Collected),
        Self::Payment(PaymentKind::Refunded),
        Self::Payment(PaymentKind::Failed),
        Self::TrialsStarted,
        Self::TrialsConverted,
        Self::TrialsLost,
    ];

    /// The word in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Movement(kind) => kind.as_str(),
            Self::Subscriptions => "subscriptions",
            Self::Plan => "plan",
            Self::Payment(PaymentKind::Collected) => "collected",
            Self::Payment(PaymentKind::Refunded) => "refunded",
            Self::Payment(PaymentKind::Failed) => "failed",
            Self::TrialsStarted => "started",
            Self::TrialsConverted => "converted",
            Self::TrialsLost => "lost",
        }
    }

    /// The kind of a stored word.
    pub fn from_stored(word: &str) -> Option<Self> {
        let movements = MovementKind::ALL.into_iter().map(Self::Movement);
        movements.chain(Self::OTHERS).find(|known| known.as_str() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back() {
        let kinds = MovementKind::ALL.into_iter().map(SumKind::Movement).chain(SumKind::OTHERS);
        for kind in kinds {
            assert_eq!(SumKind::from_stored(kind.as_str()), Some(kind));
        }
        assert!(Grain::ALL.into_iter().all(|grain| Grain::from_stored(grain.as_str()) == Some(grain)));
        assert!(Series::ALL.into_iter().all(|series| Series::from_stored(series.as_str()) == Some(series)));
    }
}
