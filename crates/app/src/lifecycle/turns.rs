//! The order of work: of one subscription by instant, and at the same instant its issued invoices, then its own action, then
//! its drafts. Subscriptions do not wait for each other.

use super::{actions, invoices};
use crate::background::Held;
use crate::context::App;
use crate::error::Error;
use futures_util::future::try_join_all;
use perennial_domain::id::SubscriptionId;
use perennial_domain::invoices::record::Invoice;
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use std::collections::HashMap;

/// Changes in progress. The writer commits them together.
const AT_ONCE: usize = 64;

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
    fn first(&self) -> (Vec<&Subscription>, Vec<&Invoice>) {
        let mut first: HashMap<SubscriptionId, Place> = HashMap::new();
        let places = self.subscriptions.iter().map(|due| (due.id, place_of(due)));
        for (id, place) in places.chain(self.invoices.iter().map(|due| (due.subscription_id, place_of_invoice(due)))) {
            let earliest = first.entry(id).or_insert(place);
            *earliest = place.min(*earliest);
        }
        // What a full list does not show may be earlier than anything after its end.
        let end = |is_full: bool, last: Option<Place>| last.filter(|_| is_full).map_or(Time::MAX, |(at, _)| at);
        let subscriptions_until = end(self.subscriptions.len() >= self.limit, self.subscriptions.last().map(place_of));
        let invoices_until = end(self.invoices.len() >= self.limit, self.invoices.last().map(place_of_invoice));
        let is_first = |id: SubscriptionId, place: Place| first.get(&id) == Some(&place);
        let subscriptions = self.subscriptions.iter().filter(|due| {
            let place = place_of(due);
            is_first(due.id, place) && place.0 <= invoices_until
        });
        let mut seen = std::collections::HashSet::new();
        let invoices = self.invoices.iter().filter(|due| {
            let place = place_of_invoice(due);
            is_first(due.subscription_id, place) && place.0 <= subscriptions_until && seen.insert(due.subscription_id)
        });
        (subscriptions.collect(), invoices.collect())
    }
}

fn place_of(due: &Subscription) -> Place {
    let at = due.next_action().map(|(_, at)| at).or(due.due_at).unwrap_or(Time::MIN);
    (at, 1)
}

fn place_of_invoice(due: &Invoice) -> Place {
    let at = due.next_action().map_or(Time::MIN, |(_, at)| at);
    (at, if due.status == InvoiceStatus::Draft { 2 } else { 0 })
}

/// Does the earliest of each subscription. Returns the number of actions.
pub(crate) async fn act(app: &App, due: &Due, now: Time, held: Option<&Held>) -> Result<usize, Error> {
    let (subscriptions, found) = due.first();
    let (drafts, open): (Vec<&Invoice>, Vec<&Invoice>) =
        found.into_iter().partition(|invoice| invoice.status == InvoiceStatus::Draft);
    let mut made = 0;
    for chunk in open.chunks(AT_ONCE) {
        let steps = chunk.iter().map(|invoice| invoices::perform(app, invoice, now, held));
        made += try_join_all(steps).await?.into_iter().filter(|is_made| *is_made).count();
    }
    for chunk in subscriptions.chunks(AT_ONCE) {
        let actions = chunk.iter().map(|before| actions::perform(app, before, now, held));
        made += try_join_all(actions).await?.into_iter().filter(|is_made| *is_made).count();
    }
    Ok(made + invoices::issue_drafts(app, &drafts, now, held).await?)
}
