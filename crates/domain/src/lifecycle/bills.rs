//! What a decision bills: periods, usage and changes.
//!
//! A window of usage is closed where a period begins or the subscription ends, and split where the plan changed.

use crate::id::{CouponId, PlanId};
use crate::invoices::usage::{Window, WindowPart, split};
use crate::lifecycle::Known;
use crate::lifecycle::bill::{Bill, BilledPart, UsageState};
use crate::lifecycle::billing::Billing;
use crate::plans::Version;
use crate::subscriptions::{Subscription, SubscriptionStatus};
use crate::time::Time;

impl Subscription {
    /// Takes what a decision bills out of the record.
    pub fn take_bills(&mut self) -> Vec<Bill> {
        self.billing.as_mut().map(|billing| std::mem::take(&mut billing.bills.0)).unwrap_or_default()
    }

    /// Bills the period that begins at an instant, and uses one period of the coupon.
    pub(super) fn bill_period(&mut self, at: Time, known: &Known) {
        let (plan_id, version, end) = (self.plan_id, self.plan_version, self.renews_at);
        let parts = self.close_window(Some(at));
        let Some(billing) = &mut self.billing else { return };
        billing.period_coupon = billing.coupon_for(plan_id, known);
        if billing.period_coupon.is_some()
            && let Some(left) = billing.discount.as_mut().and_then(|discount| discount.periods_left.as_mut())
        {
            *left -= 1;
        }
        if billing.discount.is_some_and(|discount| discount.periods_left.is_some_and(|left| left <= 0)) {
            billing.discount = None;
        }
        billing.usage = Some(UsageState { from: at, plan_id, version, changes: Vec::new() });
        billing.paying = None;
        billing.is_unbilled = false;
        let (cycle, coupon) = (billing.cycle, billing.period_coupon);
        billing.bills.0.push(Bill::Period { at, end, cycle, parts, coupon });
    }

    /// Bills the usage that is left when the subscription expires. An incomplete one never began, and that of a trial is free.
    pub(super) fn bill_rest(&mut self, at: Time, known: &Known) {
        if self.status == SubscriptionStatus::Incomplete {
            return;
        }
        self.open_window(at);
        let plan_id = self.plan_id;
        let parts = self.close_window(None);
        let Some(billing) = &mut self.billing else { return };
        let Some(began) = billing.usage.take().map(|usage| usage.from) else { return };
        let next = billing.change_plan().unwrap_or(plan_id);
        let coupon = billing.coupon_for(next, known);
        // Another cycle invoice can have the instant at which the window began.
        let at = if began == at { at.plus_micros(1) } else { at };
        billing.bills.0.push(Bill::Usage { at, parts, coupon });
    }

    /// Opens the first window of a subscription that had none yet, if it began before an instant. While a subscription is paused
    /// or unpaid after its trial, no period begins, but its usage is billed.
    pub(super) fn open_window(&mut self, at: Time) {
        let (plan_id, version) = (self.plan_id, self.plan_version);
        let from = self.trial_ends_at().unwrap_or(self.starts_at);
        let Some(billing) = &mut self.billing else { return };
        // A pause that began in the trial moves its end.
        let is_in_trial = from >= at || billing.paused_at.is_some_and(|paused| paused < from);
        if billing.usage.is_none() && !is_in_trial {
            billing.usage = Some(UsageState { from, plan_id, version, changes: Vec::new() });
        }
    }

    /// A change of the plan splits the window.
    pub(super) fn split_window(&mut self, at: Time) {
        let (plan_id, version) = (self.plan_id, self.plan_version);
        if let Some(usage) = self.billing.as_mut().and_then(|billing| billing.usage.as_mut()) {
            usage.changes.push((at, plan_id, version));
        }
    }

    /// The parts of the open window, if there is one.
    fn close_window(&self, to: Option<Time>) -> Vec<BilledPart> {
        let Some(usage) = self.billing.as_deref().and_then(|billing| billing.usage.as_ref()) else { return Vec::new() };
        let changes: Vec<(Time, (PlanId, Version))> =
            usage.changes.iter().map(|(at, plan, version)| (*at, (*plan, *version))).collect();
        let window = Window { from: usage.from, to };
        let parts = split(window, (usage.plan_id, usage.version), &changes);
        let part = |part: WindowPart<(PlanId, Version)>| BilledPart {
            from: part.window.from,
            to: part.window.to,
            plan_id: part.plan.0,
            version: part.plan.1,
        };
        parts.into_iter().map(part).collect()
    }
}

impl Billing {
    /// The coupon that a period of a plan uses.
    fn coupon_for(&self, plan_id: PlanId, known: &Known) -> Option<CouponId> {
        let coupon = known.coupon.as_deref().filter(|coupon| coupon.is_for(plan_id))?;
        self.discount.map(|discount| discount.coupon_id).filter(|id| *id == coupon.id)
    }
}
