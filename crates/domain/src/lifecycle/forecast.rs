//! The next actions of a subscription, if every invoice is paid.

use crate::invoices::record::Invoice;
use crate::lifecycle::Known;
use crate::lifecycle::actions::{Action, Step};
use crate::subscriptions::{Subscription, SubscriptionStatus};
use crate::time::Time;
use serde::Serialize;

use SubscriptionStatus::{Active, Incomplete, PastDue, Unpaid};

/// An action that is to come, without the subscription after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Upcoming {
    /// When.
    pub at: Time,
    /// What the engine does.
    pub action: Action,
    /// The type of its event.
    pub event: &'static str,
    /// The status after it.
    pub status: SubscriptionStatus,
    /// The cycle invoice, as it would be issued.
    pub invoice: Option<Box<Invoice>>,
}

impl Upcoming {
    /// The action of a forecast.
    pub fn of(step: &Step, invoice: Option<Invoice>) -> Self {
        let (event, status) = (step.event.as_str(), step.after.status);
        Self { at: step.at, action: step.action, event, status, invoice: invoice.map(Box::new) }
    }
}

/// The most entries of a forecast.
pub const MAX_ENTRIES: usize = 24;

impl Subscription {
    /// The next actions except notices, at most `count`. Fewer if actions end; none for an external, unpaid or parked
    /// subscription.
    pub fn forecast(&self, known: &Known, count: usize) -> Vec<Step> {
        let mut entries = Vec::new();
        if self.status == Unpaid {
            return entries;
        }
        let mut current = self.paid(known);
        while entries.len() < count.min(MAX_ENTRIES) {
            let Some(Ok(step)) = current.act(known) else { break };
            current = step.after.clone();
            if step.action != Action::Notice {
                entries.push(step);
            }
        }
        entries
    }

    /// The subscription after all its invoices were paid.
    fn paid(&self, known: &Known) -> Self {
        let mut paid = self.clone();
        let Some(billing) = &mut paid.billing else { return paid };
        billing.overdue_invoices = 0;
        if matches!(self.status, Incomplete | PastDue) {
            paid.set_status(Active, self.updated_at);
        }
        paid.schedule(&known.settings);
        paid
    }
}
