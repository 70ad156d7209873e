//! What one subscription contributes to the figures, day by day, and how that differs after a change.

use super::Value;
use super::calendar::Day;
pub use super::contribution::{Contribution, CustomerKey, Step};
use super::history::{History, Trial, TrialOutcome};
use super::sums::{SumKind, Sums};
use crate::time::Time;
use std::collections::BTreeMap;

/// The changes of customers' values by day.
pub type CustomerChanges = BTreeMap<CustomerKey, BTreeMap<Day, Value>>;

/// How the contributions of subscriptions differ after a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The changes of customers' values.
    pub customers: CustomerChanges,
    /// The changes of sums that do not depend on customers.
    pub sums: Sums,
}

impl Difference {
    /// Adds what follows from one subscription: its history before, as it was applied until an instant, and after.
    pub fn add(&mut self, before: (&History, Time), after: (&History, Time)) {
        self.add_steps(&before.0.steps(before.1), -1);
        self.add_steps(&after.0.steps(after.1), 1);
        let (old, new) = (before.0.trial(before.1), after.0.trial(after.1));
        if old != new {
            self.add_trial(old, -1);
            self.add_trial(new, 1);
        }
    }

    fn add_steps(&mut self, steps: &[Step], sign: i64) {
        let mut last: Option<Contribution> = None;
        for Step { day, contribution, .. } in steps {
            if let Some(ended) = last {
                self.add_contribution(*day, &ended, -sign);
            }
            if let Some(begun) = contribution {
                self.add_contribution(*day, begun, sign);
            }
            last = *contribution;
        }
    }

    fn add_contribution(&mut self, day: Day, contribution: &Contribution, sign: i64) {
        let Contribution { user_id, plan_id, currency, value, is_committed } = *contribution;
        let value = value * i128::from(sign);
        let days = self.customers.entry((currency, user_id)).or_default();
        *days.entry(day).or_default() += value;
        self.sums.add_plan(currency, day, plan_id, value, sign);
        self.sums.add_subscriptions(currency, day, if is_committed { value } else { 0 }, sign);
    }

    fn add_trial(&mut self, trial: Option<Trial>, sign: i64) {
        let Some(Trial { month, outcome }) = trial else { return };
        self.sums.add_trial(month, SumKind::TrialsStarted, sign);
        match outcome {
            TrialOutcome::Open => {}
            TrialOutcome::Converted => self.sums.add_trial(month, SumKind::TrialsConverted, sign),
            TrialOutcome::Lost => self.sums.add_trial(month, SumKind::TrialsLost, sign),
        }
    }

    /// Removes what cancels out.
    pub fn normalize(&mut self) {
        for days in self.customers.values_mut() {
            days.retain(|_, change| *change != 0);
        }
        self.customers.retain(|_, days| !days.is_empty());
        self.sums.normalize();
    }
}
