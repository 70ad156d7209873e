//! The schedule of an issued invoice: when to attempt a charge, when the invoice is overdue, and when dunning gives up.
//!
//! The schedule is a value that is fixed when the invoice is issued. [`Schedule::next`] is a pure function of it: a server that reads
//! it again after a crash decides the same.

use super::status::InvoiceStatus;
use super::{OutOfRange, Result};
use crate::subscriptions::SubscriptionStatus;
use crate::time::Time;

/// How an invoice is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words of the contract")]
pub enum CollectBy {
    Automatic,
    Manual,
}

/// What happens to the subscription when dunning gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words of the contract")]
pub enum AtDeadline {
    Unpaid,
    Expire,
}

/// The dunning of a plan or organization.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct DunningRules {
    /// Ascending.
    pub retry_days: Vec<i64>,
    pub grace_days: i64,
    pub then: AtDeadline,
}

impl Default for DunningRules {
    fn default() -> Self {
        Self { retry_days: vec![1, 3, 5, 7], grace_days: 7, then: AtDeadline::Unpaid }
    }
}

/// What the engine does next with an issued invoice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words of the contract")]
pub enum InvoiceStep {
    Attempt,
    Overdue,
    Deadline,
}

/// The schedule of an issued invoice, with what was done of it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Schedule {
    /// How the invoice is collected.
    pub collection: CollectBy,
    /// The rules, copied when the invoice was issued.
    pub rules: DunningRules,
    /// Whether it is the first invoice of an incomplete subscription: until it is paid one attempt, not overdue, no deadline.
    pub is_of_incomplete: bool,
    /// When payment is due.
    pub due_at: Time,
    /// From when retries (automatic) or the grace period (manual) are counted.
    pub counts_from: Time,
    /// The number of attempts made.
    pub attempts: i64,
    /// How many of `retry_days` are done, whether made or skipped.
    pub retries_done: usize,
    /// When the last attempt was made.
    pub last_attempt_at: Option<Time>,
    /// Whether the invoice is overdue.
    pub overdue: bool,
    /// Whether the deadline has passed. Nothing follows.
    pub is_over: bool,
}

/// What an attempt does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempted {
    /// It is made. `becomes_overdue`: the invoice was not overdue before.
    Made {
        /// Whether the invoice is overdue from now on.
        becomes_overdue: bool,
    },
    /// It is skipped: no event, not counted.
    Skipped,
}

impl Schedule {
    /// The schedule of an invoice that is issued now. Attempt 1 is part of issuing, unless nothing is due.
    pub fn issue(
        collection: CollectBy,
        rules: DunningRules,
        terms_days: i64,
        is_of_incomplete: bool,
        is_due: bool,
        issued_at: Time,
    ) -> Result<Self> {
        let is_automatic = collection == CollectBy::Automatic;
        let due_at = if is_automatic { issued_at } else { plus_days(issued_at, terms_days)? };
        let schedule = Self {
            collection,
            rules,
            is_of_incomplete,
            due_at,
            counts_from: due_at,
            attempts: i64::from(is_automatic && is_due),
            retries_done: 0,
            last_attempt_at: (is_automatic && is_due).then_some(issued_at),
            overdue: false,
            is_over: false,
        };
        // A schedule that would leave the calendar is rejected now, not in the middle of it.
        schedule.deadline().map(|_| schedule)
    }

    /// The next step and its instant, while the invoice is open.
    pub fn next(&self, status: InvoiceStatus) -> Result<Option<(InvoiceStep, Time)>> {
        if status != InvoiceStatus::Open || self.is_of_incomplete || self.is_over {
            return Ok(None);
        }
        let step = match (self.collection, self.next_retry()?) {
            (CollectBy::Automatic, Some(at)) => (InvoiceStep::Attempt, at),
            (CollectBy::Manual, _) if !self.overdue => (InvoiceStep::Overdue, self.due_at),
            (CollectBy::Automatic | CollectBy::Manual, _) => (InvoiceStep::Deadline, self.deadline()?),
        };
        Ok(Some(step))
    }

    /// Makes or skips the attempt that is due.
    pub fn attempt(&mut self, now: Time, is_processing: bool) -> Result<Attempted> {
        self.retries_done = self.retries_done.saturating_add(1);
        let next_is_due = self.next_retry()?.is_some_and(|next| next <= now);
        if is_processing || next_is_due {
            return Ok(Attempted::Skipped);
        }
        self.attempts = self.attempts.saturating_add(1);
        self.last_attempt_at = Some(now);
        let becomes_overdue = self.attempts >= 2 && self.become_overdue();
        Ok(Attempted::Made { becomes_overdue })
    }

    /// A payment of the invoice failed. Returns whether the invoice becomes overdue.
    pub fn payment_failed(&mut self) -> bool {
        self.collection == CollectBy::Automatic && !self.is_of_incomplete && self.become_overdue()
    }

    /// `due_at` of a manual invoice has passed. Returns whether the invoice becomes overdue.
    pub fn pass_due(&mut self) -> bool {
        self.become_overdue()
    }

    /// Dunning gives up. Returns whether the invoice becomes overdue only now.
    pub fn pass_deadline(&mut self) -> bool {
        self.is_over = true;
        self.become_overdue()
    }

    /// The invoice is paid, void or uncollectible. Returns whether it was overdue.
    pub fn settle(&mut self) -> bool {
        std::mem::replace(&mut self.overdue, false)
    }

    /// A payment became void, so that a paid invoice is open again: overdue at once. Retries, or the grace period, count from now.
    /// Its payment ended the time in which the subscription was incomplete.
    pub fn reopen(&mut self, now: Time) -> Result<()> {
        self.is_of_incomplete = false;
        self.counts_from = now;
        self.retries_done = 0;
        self.is_over = false;
        self.overdue = true;
        self.deadline().map(|_| ())
    }

    fn become_overdue(&mut self) -> bool {
        !std::mem::replace(&mut self.overdue, true)
    }

    fn next_retry(&self) -> Result<Option<Time>> {
        if self.collection == CollectBy::Manual {
            return Ok(None);
        }
        self.rules.retry_days.get(self.retries_done).map(|days| plus_days(self.counts_from, *days)).transpose()
    }

    /// Counted from when the last attempt was made; if that was skipped, from its planned instant.
    fn deadline(&self) -> Result<Time> {
        let last = match self.collection {
            CollectBy::Automatic => {
                let days = self.rules.retry_days.last().copied().unwrap_or_default();
                let planned = plus_days(self.counts_from, days)?;
                self.last_attempt_at.map_or(planned, |made| made.max(planned))
            }
            CollectBy::Manual => self.counts_from,
        };
        plus_days(last, self.rules.grace_days)
    }
}

impl AtDeadline {
    /// The subscription's status after the deadline, if it changes.
    pub const fn subscription_status(self, status: SubscriptionStatus) -> Option<SubscriptionStatus> {
        use SubscriptionStatus::{Active, Cancelled, Expired, Incomplete, OnTrial, PastDue, Paused, Pending, Unpaid};
        match (self, status) {
            (Self::Unpaid, OnTrial | Active | PastDue | Paused | Cancelled) => Some(Unpaid),
            (Self::Expire, OnTrial | Active | PastDue | Paused | Cancelled | Unpaid) => Some(Expired),
            (Self::Unpaid, Unpaid) | (Self::Unpaid | Self::Expire, Pending | Incomplete | Expired) => None,
        }
    }

    /// The invoice's status after the deadline.
    pub const fn invoice_status(self) -> InvoiceStatus {
        match self {
            Self::Unpaid => InvoiceStatus::Open,
            Self::Expire => InvoiceStatus::Uncollectible,
        }
    }
}

fn plus_days(time: Time, days: i64) -> Result<Time> {
    time.plus_days(days).ok_or(OutOfRange)
}

#[cfg(test)]
mod tests;
