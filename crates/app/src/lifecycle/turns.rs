//! The work on what is due. Subscriptions do not wait for each other.

use super::drafts::{Decided, Issued, Issuing};
use super::made::Made;
use super::order::Due;
use super::{actions, invoices};
use crate::activity::Piece;
use crate::background::Held;
use crate::catalog::Catalog;
use crate::context::App;
use crate::error::{Conflict, Error};
use futures_util::future::try_join_all;
use perennial_domain::id::OrganizationId;
use perennial_domain::invoices::record::Invoice;
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_store::{self as store, subscriptions};
use std::sync::Arc;
use std::time::Duration;

/// Changes that are decided together, and committed together.
const AT_ONCE: usize = 64;
/// While the changes of one lane are committed, those of another are decided. Next to several, drafts are issued too.
const LANES: usize = 2;
/// On a busy server the engine rests twice as long as it worked. With smaller pieces requests did not wait less on PostgreSQL: each
/// piece is a transaction.
const REST: u32 = 2;
/// The most late actions that are made before a change by a caller.
const MAX_LATE: usize = 64;
/// Due invoices of one subscription that are read at a time.
const LATE_ROWS: i64 = 256;

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
    let issuing = Box::pin(pass.issue(&drafts));
    let (lanes, issued) =
        if pass.lanes > 1 { tokio::try_join!(lanes, issuing)? } else { (lanes.await?, issuing.await?) };
    Ok(lanes.into_iter().fold(issued, Made::and))
}

impl Pass<'_> {
    /// Issues drafts, one chunk after the other: two changes that draw numbers at the same time would conflict. While a chunk is
    /// committed, the next one is decided, unless the server is busy.
    async fn issue(&self, drafts: &[&Invoice]) -> Result<Made, Error> {
        let Some(first) = drafts.first() else { return Ok(Made::NOTHING) };
        let mut issuing = Issuing::new(self.app, first.organization_id, self.now, self.held);
        let (mut made, mut decided) = (Made::NOTHING, None);
        for chunk in drafts.chunks(AT_ONCE) {
            let piece = self.app.activity.begin();
            let (issued, next) = tokio::join!(commit(decided.take()), issuing.decide(chunk));
            let (issued, mut next) = (issued?, next?);
            made = made.and(issued.made);
            if !issued.is_as_decided {
                made = made.and(next.made);
                issuing.begin_again();
                next = issuing.decide(chunk).await?;
            }
            decided = Some(next);
            if self.lanes == 1 {
                let issued = commit(decided.take()).await?;
                made = made.and(issued.made);
                if !issued.is_as_decided {
                    issuing.begin_again();
                }
            }
            give_way(piece, self.held).await;
        }
        Ok(made.and(commit(decided).await?.made))
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

async fn commit(decided: Option<Decided<'_>>) -> Result<Issued, Error> {
    match decided {
        Some(decided) => decided.commit().await,
        None => Ok(Issued::NOTHING),
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
