//! The steps that actions and updates share: a period begins, a pause ends, a subscription expires.

use crate::cycle::BillingCycle;
use crate::lifecycle::Known;
use crate::lifecycle::billing::{Billing, ParkReason, PlannedChange};
use crate::lifecycle::calendar::Calendar;
use crate::subscriptions::{Subscription, SubscriptionStatus};
use crate::time::Time;

use SubscriptionStatus::{Active, Expired, OnTrial, PastDue};

impl Subscription {
    /// When the trial ends or ended.
    pub(super) fn trial_ends_at(&self) -> Option<Time> {
        self.billing.as_deref().and_then(|billing| billing.trial_ends_at)
    }

    /// Changes the status. `is_active` follows it, unless it was set explicitly.
    pub(super) fn set_status(&mut self, status: SubscriptionStatus, at: Time) {
        if self.is_active == self.status.is_active_by_default() {
            self.is_active = status.is_active_by_default();
        }
        self.status = status;
        if status == Expired {
            self.is_active = false;
            let latest = at.max(self.starts_at);
            self.ends_at = Some(self.ends_at.map_or(latest, |end| end.min(latest)));
        }
    }

    /// The status of a subscription that becomes active.
    pub(super) fn status_when_active(&self, at: Time) -> SubscriptionStatus {
        let is_overdue = self.billing.as_deref().is_some_and(|billing| billing.overdue_invoices > 0);
        match self.trial_ends_at() {
            Some(end) if at < end => OnTrial,
            _ if is_overdue => PastDue,
            _ => Active,
        }
    }

    /// Ends it for good.
    pub(super) fn expire(&mut self, at: Time, known: &Known) {
        self.bill_rest(at, known);
        self.set_status(Expired, at);
        if let Some(billing) = &mut self.billing {
            (billing.paused_at, billing.resumes_at) = (None, None);
        }
    }

    /// Begins the trial, which ends at `trial_ends_at`.
    pub(super) fn begin_trial(&mut self, at: Time) {
        self.renews_at = self.trial_ends_at();
        if let Some(billing) = &mut self.billing {
            (billing.period_start, billing.is_noticed) = (Some(at), false);
        }
    }

    /// The first period after a trial, from which the calendar is counted.
    pub(super) fn begin_period_after_trial(&mut self, at: Time, known: &Known) -> Result<(), ParkReason> {
        if let Some(billing) = &mut self.billing {
            billing.anchor_at = at;
        }
        self.set_status(self.status_when_active(at), at);
        self.begin_period(at, known)
    }

    /// Begins a period with the pending change. The plan before it prices the usage until then.
    pub(super) fn begin_period(&mut self, at: Time, known: &Known) -> Result<(), ParkReason> {
        self.open_window(at);
        let change = self.billing.as_mut().and_then(|billing| billing.change.take());
        if let Some(PlannedChange { plan_id, quantity }) = change {
            if let Some(id) = plan_id {
                let plan = known.next.as_ref().filter(|plan| plan.id == id).ok_or(ParkReason::MissingPlan)?;
                (self.plan_id, self.plan_version) = (plan.id, plan.version);
                self.set_cycle(plan.billing_cycle, at);
            }
            self.details.quantity = quantity.unwrap_or(self.details.quantity);
        }
        self.set_period(at, known)
    }

    /// Another billing cycle is counted from the instant at which it begins.
    pub(super) fn set_cycle(&mut self, cycle: BillingCycle, at: Time) {
        if self.billing_cycle != cycle {
            self.billing_cycle = cycle;
            if let Some(billing) = &mut self.billing {
                billing.anchor_at = at;
            }
        }
    }

    /// Begins a period with the plan that the subscription has.
    pub(super) fn set_period(&mut self, at: Time, known: &Known) -> Result<(), ParkReason> {
        self.compute_period(at)?;
        self.bill_period(at, known);
        Ok(())
    }

    /// Computes the period that begins at an instant.
    pub(super) fn compute_period(&mut self, at: Time) -> Result<(), ParkReason> {
        let (cycle, ends_at) = (self.billing_cycle, self.ends_at);
        let Some(billing) = &mut self.billing else { return Ok(()) };
        let period = calendar(billing, cycle).period(at, ends_at).map_err(|_| ParkReason::OutOfRange)?;
        billing.period_start = Some(at);
        billing.cycle = period.cycle;
        (billing.is_noticed, billing.plan_changes) = (false, 0);
        self.renews_at = period.end;
        Ok(())
    }

    /// Ends a pause at an instant. What was left of the period begins again; if nothing was, a new period begins.
    pub(super) fn resume(&mut self, at: Time, known: &Known) -> Result<(), ParkReason> {
        let Some(billing) = &mut self.billing else { return Ok(()) };
        let paused_at = billing.paused_at.take().unwrap_or(at);
        billing.resumes_at = None;
        let gap = (at.as_micros() - paused_at.as_micros()).max(0);
        if let Some(paying) = &mut billing.paying {
            paying.paused += gap;
        }
        let moved = |instant: Time| Time::from_micros(instant.as_micros() + gap).ok_or(ParkReason::OutOfRange);
        if let Some(end) = billing.trial_ends_at.filter(|end| *end > paused_at) {
            billing.trial_ends_at = Some(moved(end)?);
        }
        match self.renews_at {
            Some(end) if end <= paused_at => {
                billing.anchor_at = at;
                self.set_status(self.status_when_active(at), at);
                return self.begin_period(at, known);
            }
            Some(end) => {
                let end = moved(end)?;
                (billing.anchor_at, self.renews_at) = (end, Some(end));
            }
            None => {}
        }
        self.set_status(self.status_when_active(at), at);
        Ok(())
    }
}

/// The calendar of a subscription.
pub(super) fn calendar(billing: &Billing, cycle: BillingCycle) -> Calendar {
    Calendar::new(&billing.time_zone, billing.anchor_at, cycle)
}
