//! The order of what is due: of one subscription by instant, and at the same instant its issued invoices, then its own action, then its
//! drafts. While more actions are due than a list shows, drafts at the same instant or later wait: at a midnight, renewals come before
//! invoices.

use perennial_domain::id::SubscriptionId;
use perennial_domain::invoices::record::Invoice;
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use std::collections::{HashMap, HashSet};

/// The place of something due: its instant, and its class at that instant.
type Place = (Time, u8);

/// What is due in an organization. `limit` is the most rows of each list: a full list may not be all.
pub(crate) struct Due {
    pub(crate) subscriptions: Vec<Subscription>,
    pub(crate) invoices: Vec<Invoice>,
    pub(crate) limit: usize,
}

impl Due {
    pub(crate) fn is_empty(&self) -> bool {
        self.subscriptions.is_empty() && self.invoices.is_empty()
    }

    /// The earliest of each subscription: what can be done now.
    pub(super) fn first(&self) -> (Vec<&Subscription>, Vec<&Invoice>) {
        let mut first: HashMap<SubscriptionId, Place> = HashMap::new();
        let places = self.subscriptions.iter().map(|due| (due.id, place_of(due)));
        for (id, place) in places.chain(self.invoices.iter().map(|due| (due.subscription_id, place_of_invoice(due)))) {
            let earliest = first.entry(id).or_insert(place);
            *earliest = place.min(*earliest);
        }
        // What a full list does not show may be earlier than anything after its end.
        let end = |is_full: bool, last: Option<Place>| last.filter(|_| is_full).unwrap_or((Time::MAX, u8::MAX));
        let subscriptions_until = end(self.subscriptions.len() >= self.limit, self.subscriptions.last().map(place_of));
        let invoices_until = end(self.invoices.len() >= self.limit, self.invoices.last().map(due_place));
        let is_first = |id: SubscriptionId, place: Place| first.get(&id) == Some(&place);
        let subscriptions = self.subscriptions.iter().filter(|due| {
            let place = place_of(due);
            is_first(due.id, place) && place.0 <= invoices_until.0
        });
        let mut seen = HashSet::new();
        let invoices = self.invoices.iter().filter(|due| {
            let place = place_of_invoice(due);
            let waits = match due.status {
                InvoiceStatus::Draft => place > subscriptions_until,
                _ => place.0 > subscriptions_until.0,
            };
            is_first(due.subscription_id, place) && !waits && seen.insert(due.subscription_id)
        });
        (subscriptions.collect(), invoices.collect())
    }
}

fn place_of(due: &Subscription) -> Place {
    let at = due.next_action().map(|(_, at)| at).or(due.due_at).unwrap_or(Time::MIN);
    (at, 1)
}

/// The draft of a period without usage comes before the next period, although a start in the past makes it due later: invoices are
/// numbered in the order of their periods.
fn place_of_invoice(due: &Invoice) -> Place {
    let (at, class) = due_place(due);
    match due.cycle_at {
        Some(cycle_at) if due.status == InvoiceStatus::Draft && due.parts.is_empty() => (at.min(cycle_at), class),
        _ => (at, class),
    }
}

/// The place by the instant at which an invoice is due, which is the order in which due invoices are read.
fn due_place(due: &Invoice) -> Place {
    let at = due.next_action().map_or(Time::MIN, |(_, at)| at);
    (at, if due.status == InvoiceStatus::Draft { 2 } else { 0 })
}

/// Whether the next action of a billed subscription comes before the step of its invoice. What is due does not always show it: a
/// renewal that is spread has a later due time, but its instant decides.
pub(super) fn comes_before(subscription: &Subscription, invoice: &Invoice) -> bool {
    subscription.next_action().is_some() && place_of(subscription) < place_of_invoice(invoice)
}
