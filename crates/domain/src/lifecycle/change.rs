//! Another plan or quantity that acts now.

use crate::lifecycle::billing::ParkReason;
use crate::plans::Plan;
use crate::subscriptions::{Subscription, SubscriptionStatus};
use crate::time::Time;

use SubscriptionStatus::{Active, OnTrial, PastDue, Pending};

/// The most plan changes in a period.
pub(super) const MAX_PLAN_CHANGES: i64 = 10;

impl Subscription {
    /// Whether a plan or quantity can act now.
    pub(super) const fn takes_changes(&self) -> bool {
        matches!(self.status, Pending | OnTrial | Active | PastDue)
    }

    /// Moves to another plan in its current version. Another billing cycle begins a new period, unless none has begun yet.
    pub(super) fn move_to_plan(&mut self, plan: &Plan, now: Time) -> Result<(), ParkReason> {
        (self.plan_id, self.plan_version) = (plan.id, plan.version);
        let is_new_cycle = self.billing_cycle != plan.billing_cycle;
        match self.status {
            Pending => {
                self.billing_cycle = plan.billing_cycle;
                self.set_first_period(now)
            }
            OnTrial => {
                self.billing_cycle = plan.billing_cycle;
                Ok(())
            }
            _ if is_new_cycle => {
                self.set_cycle(plan.billing_cycle, now);
                self.set_period(now)
            }
            _ => {
                if let Some(billing) = &mut self.billing {
                    billing.plan_changes += 1;
                }
                Ok(())
            }
        }
    }
}
