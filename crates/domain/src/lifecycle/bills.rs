//! What a decision bills: periods, usage and changes.
//!
//! A window of usage is closed where a period begins or the subscription ends, and split where the plan changed.

use crate::id::PlanId;
use crate::invoices::usage::{Window, WindowPart, split};
use crate::lifecycle::Known;
use crate::lifecycle::bill::{Bill, BilledPart, UsageState};
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
        let parts = self.close_window(at, Some(at));
        let Some(billing) = &mut self.billing else { return };
        billing.period_coupon = None;
        let coupon = known.coupon.as_deref().filter(|coupon| coupon.is_for(plan_id));
        if let Some(discount) = &mut billing.discount
            && coupon.is_some_and(|coupon| coupon.id == discount.coupon_id)
        {
            billing.period_coupon = Some(discount.coupon_id);
            if let Some(left) = &mut discount.periods_left {
                *left -= 1;
            }
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
    pub(super) fn bill_rest(&mut self, at: Time) {
        let has_usage = self.billing.as_deref().is_some_and(|billing| {
            // Paused when the trial ended: no period began, and its usage is billed as that of any pause.
            let is_after_trial = billing.paused_at.zip(billing.trial_ends_at).is_some_and(|(at, end)| at >= end);
            billing.usage.is_some() || is_after_trial
        });
        if self.status == SubscriptionStatus::Incomplete || !has_usage {
            return;
        }
        let began = self.billing.as_deref().and_then(|billing| billing.usage.as_ref()).map(|usage| usage.from);
        let parts = self.close_window(at, None);
        let Some(billing) = &mut self.billing else { return };
        billing.usage = None;
        let coupon = billing.discount.map(|discount| discount.coupon_id);
        // Another cycle invoice can have the instant at which the window began.
        let at = if began == Some(at) { at.plus_micros(1) } else { at };
        billing.bills.0.push(Bill::Usage { at, parts, coupon });
    }

    /// A change of the plan splits the window.
    pub(super) fn split_window(&mut self, at: Time) {
        let (plan_id, version) = (self.plan_id, self.plan_version);
        if let Some(usage) = self.billing.as_mut().and_then(|billing| billing.usage.as_mut()) {
            usage.changes.push((at, plan_id, version));
        }
    }

    fn close_window(&self, at: Time, to: Option<Time>) -> Vec<BilledPart> {
        let Some(billing) = self.billing.as_deref() else { return Vec::new() };
        let first = || {
            let from = billing.trial_ends_at.filter(|end| *end <= at).unwrap_or(self.starts_at);
            UsageState { from, plan_id: self.plan_id, version: self.plan_version, changes: Vec::new() }
        };
        let usage = billing.usage.clone().unwrap_or_else(first);
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
