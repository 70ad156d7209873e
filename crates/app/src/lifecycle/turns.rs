//! The order of work: of one subscription by instant, and at the same instant its issued invoices, then its own action, then
//! its drafts. Subscriptions do not wait for each other.

use super::{actions, invoices};
use crate::activity::Piece;
use crate::background::Held;
use crate::catalog::Catalog;
use crate::context::App;
use crate::error::{Conflict, Error};
use futures_util::future::try_join_all;
use perennial_domain::id::{OrganizationId, SubscriptionId};
use perennial_domain::invoices::record::Invoice;
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_store::{self as store, subscriptions};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Changes that are decided together, and committed together.
const AT_ONCE: usize = 64;
/// While the changes of one lane are committed, those of another are decided. Next to several, drafts are issued too.
const LANES: usize = 2;
/// On a busy server the engine rests as long as it worked. Smaller pieces and longer rests halved the rate, and on PostgreSQL
/// requests did not wait less: each piece is a transaction.
const REST: u32 = 1;
/// The most late actions that are made before a change by a caller.
const MAX_LATE: usize = 64;
/// Due invoices of one subscription that are read at a time.
const LATE_ROWS: i64 = 256;

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
        let invoices_until = end(self.invoices.len() >= self.limit, self.invoices.last().map(due_place));
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

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Made {
    /// Actions of subscriptions.
    pub(crate) actions: usize,
    /// Steps of invoices.
    pub(crate) steps: usize,
}

impl Made {
    pub(super) const NOTHING: Self = Self { actions: 0, steps: 0 };

    pub(super) fn actions(is_made: bool) -> Self {
        Self { actions: usize::from(is_made), ..Self::NOTHING }
    }

    pub(super) fn steps(is_made: bool) -> Self {
        Self { steps: usize::from(is_made), ..Self::NOTHING }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self { actions: self.actions + other.actions, steps: self.steps + other.steps }
    }

    pub(crate) const fn is_nothing(self) -> bool {
        self.actions == 0 && self.steps == 0
    }
}

/// What is due of one subscription. It depends on nothing of the others.
enum Work<'a> {
    Step(&'a Invoice),
    Action(&'a Subscription),
}

/// The circumstances of all work of one call.
struct Pass<'a> {
    app: &'a App,
    now: Time,
    held: Option<&'a Held>,
    lanes: usize,
}

/// Does the earliest of each subscription.
pub(crate) async fn act(app: &App, due: &Due, now: Time, held: Option<&Held>) -> Result<Made, Error> {
    let (subscriptions, found) = due.first();
    let (drafts, open): (Vec<&Invoice>, Vec<&Invoice>) =
        found.into_iter().partition(|invoice| invoice.status == InvoiceStatus::Draft);
    let pass = Pass { app, now, held, lanes: if app.activity.is_busy() { 1 } else { LANES } };
    let work: Vec<Work<'_>> =
        open.into_iter().map(Work::Step).chain(subscriptions.into_iter().map(Work::Action)).collect();
    let lanes = try_join_all((0..pass.lanes).map(|lane| pass.perform(&work, lane)));
    let issuing = pass.issue(&drafts);
    let (lanes, issued) =
        if pass.lanes > 1 { tokio::try_join!(lanes, issuing)? } else { (lanes.await?, issuing.await?) };
    Ok(lanes.into_iter().fold(issued, Made::and))
}

impl Pass<'_> {
    /// Issues drafts, one chunk after the other: two changes that draw numbers at the same time would conflict.
    async fn issue(&self, drafts: &[&Invoice]) -> Result<Made, Error> {
        let mut made = Made::NOTHING;
        for chunk in drafts.chunks(AT_ONCE) {
            let piece = self.app.activity.begin();
            made = made.and(invoices::issue_drafts(self.app, chunk, self.now, self.held).await?);
            give_way(piece, self.held).await;
        }
        Ok(made)
    }

    /// Performs the chunks of a lane, one after the other.
    async fn perform(&self, work: &[Work<'_>], lane: usize) -> Result<Made, Error> {
        let mut made = Made::NOTHING;
        for chunk in work.chunks(AT_ONCE).skip(lane).step_by(self.lanes) {
            let piece = self.app.activity.begin();
            let catalog = Arc::new(Catalog::new(self.app, chunk[0].organization()));
            let done = try_join_all(chunk.iter().map(|work| self.perform_one(&catalog, work))).await?;
            made = done.into_iter().fold(made, Made::and);
            give_way(piece, self.held).await;
        }
        Ok(made)
    }

    async fn perform_one(&self, catalog: &Arc<Catalog<'_>>, work: &Work<'_>) -> Result<Made, Error> {
        match work {
            Work::Step(invoice) => Box::pin(invoices::perform(catalog, invoice, self.now, self.held)).await,
            Work::Action(before) => actions::perform(catalog, before, self.now, self.held).await.map(Made::actions),
        }
    }
}

impl Work<'_> {
    fn organization(&self) -> OrganizationId {
        match self {
            Self::Step(invoice) => invoice.organization_id,
            Self::Action(subscription) => subscription.organization_id,
        }
    }
}

/// The engine rests while a server is busy. What a request makes itself does not.
async fn give_way(piece: Piece<'_>, held: Option<&Held>) {
    if held.is_some() {
        piece.rest(REST, Duration::ZERO).await;
    }
}

/// Makes the actions of a billed subscription that were due until an instant, before a caller changes it. True: read the
/// record again. Fails if more are late at `now`: more than a request may make, or not released yet.
pub(crate) async fn catch_up(app: &App, subscription: &Subscription, until: Time, now: Time) -> Result<bool, Error> {
    let mut current = subscription.clone();
    for made in 0..=MAX_LATE {
        let due = due_of(app, &current, until).await?;
        if due.is_empty() {
            let is_behind = until < now && !due_of(app, &current, now).await?.is_empty();
            return if is_behind { Err(Conflict::LifecycleBehind.into()) } else { Ok(made > 0) };
        }
        if made < MAX_LATE {
            act(app, &due, now, None).await?;
        }
        let found = subscriptions::by_id(&app.db, current.organization_id, current.id).await?;
        current = found.ok_or(Error::NotFound)?;
    }
    if due_of(app, &current, now).await?.is_empty() { Ok(true) } else { Err(Conflict::LifecycleBehind.into()) }
}

/// What is due of one subscription and its invoices. The drafts of a parked subscription wait.
async fn due_of(app: &App, subscription: &Subscription, now: Time) -> Result<Due, Error> {
    let (organization, id) = (subscription.organization_id, subscription.id);
    let mut found = store::invoices::due_of(&app.db, organization, id, now, LATE_ROWS).await?;
    if subscription.billing.as_deref().is_some_and(|billing| billing.parked.is_some()) {
        found.retain(|invoice| invoice.status != InvoiceStatus::Draft);
    }
    let subscriptions = if subscription.is_behind(now) { vec![subscription.clone()] } else { Vec::new() };
    Ok(Due { subscriptions, invoices: found, limit: usize::MAX })
}

/// Whether a step of an issued invoice of the subscription is due.
pub(super) async fn has_due_step(app: &App, subscription: &Subscription, now: Time) -> Result<bool, Error> {
    let due = due_of(app, subscription, now).await?;
    Ok(due.invoices.iter().any(|invoice| invoice.status != InvoiceStatus::Draft))
}

/// Whether a step of an invoice of the subscription is due.
pub(super) async fn has_due_invoice(app: &App, subscription: &Subscription, now: Time) -> Result<bool, Error> {
    Ok(!due_of(app, subscription, now).await?.invoices.is_empty())
}

/// The first instant at which an invoice of the subscription was due.
pub(crate) async fn first_due(app: &App, subscription: &Subscription, now: Time) -> Result<Option<Time>, Error> {
    let due = due_of(app, subscription, now).await?;
    Ok(due.invoices.iter().filter_map(|invoice| invoice.next_action().map(|(_, at)| at)).min())
}
