//! What invoices do to their subscription: overdue, the deadline, recovery, and the first payment.

use crate::events::EventKind;
use crate::invoices::transitions::Outcome;
use crate::lifecycle::Known;
use crate::lifecycle::billing::ParkReason;
use crate::subscriptions::{Subscription, SubscriptionStatus};
use crate::time::Time;

use SubscriptionStatus::{Active, Expired, Incomplete, PastDue, Unpaid};

impl Subscription {
    /// The subscription after a change of one of its invoices at an instant, and its event. None: nothing changes.
    pub fn after_invoice(
        &self,
        outcome: &Outcome,
        at: Time,
        known: &Known,
    ) -> Result<Option<(Self, EventKind)>, ParkReason> {
        let mut after = self.clone();
        after.take_bills();
        let Some(billing) = &mut after.billing else { return Ok(None) };
        let overdue = (billing.overdue_invoices + outcome.overdue).max(0);
        billing.overdue_invoices = overdue;
        let kind = match (self.status, outcome.deadline.and_then(|then| then.subscription_status(self.status))) {
            (_, Some(Expired)) => {
                after.expire(at, known);
                EventKind::SubscriptionExpired
            }
            (_, Some(status)) => {
                (billing.paused_at, billing.resumes_at) = (None, None);
                after.set_status(status, at);
                EventKind::SubscriptionUnpaid
            }
            (Incomplete, None) if outcome.activates => {
                billing.gives_up_at = None;
                after.set_status(self.status_when_active(at), at);
                EventKind::SubscriptionActivated
            }
            (Active, None) if overdue > 0 => {
                after.set_status(PastDue, at);
                EventKind::SubscriptionPastDue
            }
            (PastDue, None) if overdue == 0 => {
                after.set_status(Active, at);
                EventKind::SubscriptionRecovered
            }
            (Unpaid, None) if overdue == 0 && outcome.overdue < 0 => {
                after.recover(at, known)?;
                EventKind::SubscriptionRecovered
            }
            _ => EventKind::SubscriptionUpdated,
        };
        if after == *self {
            return Ok(None);
        }
        after.schedule(&known.settings);
        Ok(Some((after, kind)))
    }

    /// The last overdue invoice was settled. If the period has ended, a new one begins now.
    fn recover(&mut self, at: Time, known: &Known) -> Result<(), ParkReason> {
        self.set_status(self.status_when_active(at), at);
        if self.renews_at.is_none_or(|end| end > at) {
            return Ok(());
        }
        if let Some(billing) = &mut self.billing {
            billing.anchor_at = at;
        }
        self.begin_period(at, known)
    }
}
