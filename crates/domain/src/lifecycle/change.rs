//! Another plan or quantity that acts now.

use crate::cycle::BillingCycle;
use crate::lifecycle::Known;
use crate::lifecycle::bill::{Bill, BilledCharge};
use crate::lifecycle::billing::ParkReason;
use crate::plans::Plan;
use crate::subscriptions::{Subscription, SubscriptionStatus};
use crate::time::Time;

use SubscriptionStatus::{Active, Incomplete, OnTrial, PastDue, Pending};

/// The most plan changes in a period.
pub(super) const MAX_PLAN_CHANGES: i64 = 10;

impl Subscription {
    /// Whether a plan or quantity can act now.
    pub(super) const fn takes_changes(&self) -> bool {
        matches!(self.status, Pending | OnTrial | Active | PastDue)
    }

    /// Moves to another plan in its current version. Another billing cycle begins a new period, unless none has begun yet.
    pub(super) fn move_to_plan(&mut self, plan: &Plan, now: Time, known: &Known) -> Result<(), ParkReason> {
        (self.plan_id, self.plan_version) = (plan.id, plan.version);
        let is_new_cycle = self.billing_cycle != plan.billing_cycle;
        match self.status {
            Pending => {
                self.billing_cycle = plan.billing_cycle;
                self.set_first_period(now, known)
            }
            OnTrial => {
                self.billing_cycle = plan.billing_cycle;
                Ok(())
            }
            _ if is_new_cycle => {
                self.set_cycle(plan.billing_cycle, now);
                self.set_period(now, known)
            }
            _ => {
                if let Some(billing) = &mut self.billing {
                    billing.plan_changes += 1;
                }
                self.split_window(now);
                Ok(())
            }
        }
    }

    /// Bills a plan or quantity that acts now. `before` is the subscription before it.
    pub(super) fn bill_change(&mut self, before: &Self, prorate: bool, now: Time) {
        let Some(old) = before.billing.as_deref() else { return };
        if !matches!(before.status, Active | PastDue) {
            return;
        }
        let prorate = prorate && !old.is_unbilled;
        let is_new_cycle = self.billing_cycle != before.billing_cycle;
        let was_lifetime = before.billing_cycle == BillingCycle::Lifetime;
        let Some(billing) = &mut self.billing else { return };
        let charge = if is_new_cycle {
            // The usage until then has its own invoice; the fee is the charge of the change.
            let mut begun = None;
            for bill in std::mem::take(&mut billing.bills.0) {
                match bill {
                    Bill::Period { at, end, cycle, parts, coupon } => {
                        begun = Some(BilledCharge::Period(end, cycle));
                        billing.bills.0.push(Bill::Usage { at, parts, coupon });
                    }
                    other => billing.bills.0.push(other),
                }
            }
            begun.unwrap_or(BilledCharge::Nothing)
        } else if !prorate || was_lifetime {
            // Without proration, and within `lifetime`, nothing is billed, and the paying line stays.
            return;
        } else {
            BilledCharge::Rest(old.cycle)
        };
        let bill = Bill::Change {
            at: now,
            renews_at: before.renews_at,
            paying: old.paying.clone().filter(|_| prorate && !was_lifetime),
            charge,
            coupon: billing.period_coupon,
            in_period: old.period_start,
        };
        billing.bills.0.push(bill);
    }

    /// Credits the rest of the period of a subscription that a caller ends now. The invoice of an incomplete one becomes void
    /// instead.
    pub(super) fn bill_credit(&mut self, before: &Self, now: Time) {
        let Some(old) = before.billing.as_deref().filter(|_| before.status != Incomplete) else { return };
        let at = old.paused_at.unwrap_or(now);
        let has_rest = before.renews_at.is_some_and(|end| end > at);
        let Some(billing) = self.billing.as_mut().filter(|_| has_rest && !old.is_unbilled) else { return };
        let bill = Bill::Change {
            at,
            renews_at: before.renews_at,
            paying: old.paying.clone(),
            charge: BilledCharge::Nothing,
            coupon: None,
            in_period: old.period_start,
        };
        billing.bills.0.push(bill);
    }
}
