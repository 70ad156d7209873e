//! What happens to an issued invoice: attempts, payments, credits, the deadline, and what callers do with it.
//! Every function changes the invoice and reports its events and what follows for the subscription.

use super::dunning::{AtDeadline, Attempted, Schedule};
use super::payments::Applied;
use super::record::{Invoice, InvoiceKind};
use super::status::{InvoiceAction, InvoiceStatus};
use super::{Amount, Result};
use crate::events::EventKind;
use crate::time::Time;
use crate::validation::Transition;

/// What follows from a change of an invoice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Its events, in order.
    pub events: Vec<EventKind>,
    /// The invoice after each event but the last.
    pub earlier: Vec<Invoice>,
    /// By how much the number of overdue invoices of its subscription changes.
    pub overdue: i64,
    /// Whether it became paid.
    pub is_paid: bool,
    /// Whether it became paid and is of a period: it activates an incomplete subscription.
    pub activates: bool,
    /// What dunning does to the subscription, if it gives up.
    pub deadline: Option<AtDeadline>,
}

impl Outcome {
    fn of(event: EventKind) -> Self {
        Self { events: vec![event], ..Self::default() }
    }

    /// The events, each with the invoice after it. `after` is the invoice after the last one.
    pub fn steps(&self, after: &Invoice) -> Vec<(EventKind, Invoice)> {
        let snapshots = self.earlier.iter().chain(std::iter::once(after)).cloned();
        self.events.iter().copied().zip(snapshots).collect()
    }
}

impl Invoice {
    /// What follows if it is paid now; nothing if it is not.
    pub fn paid_outcome(&self) -> Outcome {
        let is_paid = self.status == InvoiceStatus::Paid;
        Outcome { is_paid, activates: is_paid && self.kind == InvoiceKind::Cycle, ..Outcome::default() }
    }

    /// Ends dunning: it is paid, void or uncollectible.
    fn settle(&mut self, outcome: &mut Outcome) {
        if self.schedule.as_mut().is_some_and(Schedule::settle) {
            outcome.overdue -= 1;
        }
    }

    /// Applies what changed of the amount due.
    fn update_due(&mut self, now: Time) -> Outcome {
        let status = self.status.with_due(self.amount_due());
        if status == self.status {
            return Outcome::of(EventKind::InvoiceUpdated);
        }
        self.status = status;
        if status != InvoiceStatus::Paid {
            return Outcome::of(EventKind::InvoiceUpdated);
        }
        self.paid_at = Some(now);
        let mut outcome = Outcome { events: vec![EventKind::InvoicePaid], ..self.paid_outcome() };
        self.settle(&mut outcome);
        outcome
    }

    /// A payment of this amount counts. Returns how it was used.
    pub fn pay(&mut self, amount: Amount, now: Time) -> Result<(Applied, Outcome)> {
        let applied = Applied::to_invoice(amount, self.amount_due(), self.status)?;
        self.amount_paid = self.amount_paid.plus(applied.paid)?;
        if applied.paid.is_zero() {
            return Ok((applied, Outcome::default()));
        }
        Ok((applied, self.update_due(now)))
    }

    /// A payment that paid this much became void.
    pub fn take_back(&mut self, paid: Amount, now: Time) -> Result<Outcome> {
        if paid.is_zero() {
            return Ok(Outcome::default());
        }
        self.amount_paid = self.amount_paid.minus(paid)?;
        if self.status != InvoiceStatus::Paid || self.amount_due() <= Amount::ZERO {
            return Ok(Outcome::of(EventKind::InvoiceUpdated));
        }
        (self.status, self.paid_at) = (InvoiceStatus::Open, None);
        let mut outcome = Outcome::of(EventKind::InvoiceReopened);
        if let Some(schedule) = &mut self.schedule {
            let was_overdue = schedule.overdue;
            schedule.reopen(now)?;
            outcome.overdue = i64::from(schedule.overdue && !was_overdue);
        }
        Ok(outcome)
    }

    /// A credit note reduced the amount due by this much.
    pub fn credit(&mut self, amount: Amount, now: Time) -> Result<Outcome> {
        self.amount_credited = self.amount_credited.plus(amount)?;
        Ok(self.update_due(now))
    }

    /// A payment of the invoice failed.
    pub fn payment_failed(&mut self) -> Outcome {
        let is_open = self.status == InvoiceStatus::Open;
        let becomes_overdue = self.schedule.as_mut().is_some_and(|schedule| is_open && schedule.payment_failed());
        if becomes_overdue {
            Outcome { overdue: 1, ..Outcome::of(EventKind::InvoiceOverdue) }
        } else {
            Outcome::default()
        }
    }

    /// Makes the attempt that is due. Without events it was skipped.
    pub fn attempt(&mut self, now: Time, is_processing: bool) -> Result<Outcome> {
        let Some(schedule) = &mut self.schedule else { return Ok(Outcome::default()) };
        Ok(match schedule.attempt(now, is_processing)? {
            Attempted::Skipped => Outcome::default(),
            Attempted::Made { becomes_overdue: false } => Outcome::of(EventKind::InvoicePaymentDue),
            Attempted::Made { becomes_overdue: true } => {
                let attempted = Schedule { overdue: false, ..schedule.clone() };
                Outcome {
                    events: vec![EventKind::InvoicePaymentDue, EventKind::InvoiceOverdue],
                    earlier: vec![Self { schedule: Some(attempted), ..self.clone() }],
                    overdue: 1,
                    ..Outcome::default()
                }
            }
        })
    }

    /// `due_at` of manual collection has passed.
    pub fn pass_due(&mut self) -> Outcome {
        if self.schedule.as_mut().is_some_and(Schedule::pass_due) {
            Outcome { overdue: 1, ..Outcome::of(EventKind::InvoiceOverdue) }
        } else {
            Outcome::default()
        }
    }

    /// Dunning gives up. The invoice is overdue before that in any case.
    pub fn pass_deadline(&mut self) -> Outcome {
        let mut outcome = self.pass_due();
        if !outcome.events.is_empty() {
            outcome.earlier.push(self.clone());
        }
        let Some(schedule) = &mut self.schedule else { return Outcome::default() };
        schedule.pass_deadline();
        outcome.deadline = Some(schedule.rules.then);
        match schedule.rules.then {
            AtDeadline::Unpaid => outcome.events.push(EventKind::InvoiceUpdated),
            AtDeadline::Expire => {
                self.status = InvoiceStatus::Uncollectible;
                outcome.events.push(EventKind::InvoiceUncollectible);
                self.settle(&mut outcome);
            }
        }
        outcome
    }

    /// What a caller does with an issued invoice. Whether it may become void is checked before.
    pub fn act(&mut self, action: InvoiceAction) -> std::result::Result<Outcome, Transition> {
        self.status = self.status.act(action)?;
        let mut outcome = match self.status {
            InvoiceStatus::Void => Outcome::of(EventKind::InvoiceVoided),
            InvoiceStatus::Uncollectible => Outcome::of(EventKind::InvoiceUncollectible),
            InvoiceStatus::Draft | InvoiceStatus::Open | InvoiceStatus::Paid => Outcome::default(),
        };
        if self.status != InvoiceStatus::Open {
            self.settle(&mut outcome);
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invoices::crediting::tests::invoice;
    use crate::invoices::dunning::{CollectBy, DunningRules};
    use crate::plans::tests::instant;
    use InvoiceStatus::{Open, Uncollectible};

    fn issued(then: AtDeadline) -> Invoice {
        let rules = DunningRules { retry_days: vec![1], then, ..DunningRules::default() };
        let issued_at = instant("2026-03-01T00:00:00Z");
        let schedule = Schedule::issue(CollectBy::Automatic, rules, 14, false, true, issued_at).unwrap();
        Invoice { schedule: Some(schedule), ..invoice(Vec::new()) }
    }

    fn states(outcome: &Outcome, after: &Invoice) -> Vec<(EventKind, InvoiceStatus, bool)> {
        let state = |(kind, invoice): (EventKind, Invoice)| (kind, invoice.status, invoice.schedule.unwrap().overdue);
        outcome.steps(after).into_iter().map(state).collect()
    }

    #[test]
    fn an_invoice_is_overdue_after_its_second_attempt_and_not_before() {
        let mut after = issued(AtDeadline::Unpaid);
        let outcome = after.attempt(instant("2026-03-02T00:00:00Z"), false).unwrap();
        let expected = [(EventKind::InvoicePaymentDue, Open, false), (EventKind::InvoiceOverdue, Open, true)];
        assert_eq!(states(&outcome, &after), expected);
        assert_eq!(outcome.overdue, 1);
    }

    #[test]
    fn an_invoice_is_overdue_before_dunning_gives_up() {
        let overdue = (EventKind::InvoiceOverdue, Open, true);
        for (then, given_up, count) in [
            (AtDeadline::Expire, (EventKind::InvoiceUncollectible, Uncollectible, false), 0),
            (AtDeadline::Unpaid, (EventKind::InvoiceUpdated, Open, true), 1),
        ] {
            let mut after = issued(then);
            let outcome = after.pass_deadline();
            assert_eq!(states(&outcome, &after), [overdue, given_up]);
            assert_eq!((outcome.overdue, outcome.deadline), (count, Some(then)));
            let mut late = issued(then);
            late.pass_due();
            let outcome = late.pass_deadline();
            assert_eq!(states(&outcome, &late), [given_up]);
            assert_eq!(outcome.overdue, count - 1);
        }
    }
}
