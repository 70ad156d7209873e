//! What the engine does with issued invoices: it attempts, duns and gives them up. A step is one change with its subscription.

use super::INVALID_RETRY_SECONDS;
use super::actions::{self, commit, fenced, is_of_the_record, park, park_reason};
use super::made::Made;
use super::order::comes_before;
use crate::background::Held;
use crate::catalog::Catalog;
use crate::context::App;
use crate::error::Error;
use crate::invoices::charge::{self, charge};
use crate::invoices::issue::react;
use crate::invoices::unit::{Cause, Unit};
use futures_util::FutureExt;
use perennial_domain::invoices::record::{Invoice, InvoiceNext};
use perennial_domain::invoices::transitions::Outcome;
use perennial_domain::organizations::OrganizationMode;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_store::{Change, invoices, payments, subscriptions};
use std::sync::Arc;

/// Makes the step of an open invoice that is due, or the action of its subscription that comes first. What another writer was faster
/// to make counts too.
pub(super) async fn perform(
    catalog: &Arc<Catalog<'_>>,
    invoice: &Invoice,
    now: Time,
    held: Option<&Held>,
) -> Result<Made, Error> {
    let app = catalog.app;
    let Some((next, at)) = invoice.next_action().filter(|(_, at)| *at <= now) else { return Ok(Made::NOTHING) };
    let subscription = match find(app, invoice).await {
        Ok(Some(subscription)) => subscription,
        Ok(None) => return stop(app, invoice, held).await.map(Made::steps),
        Err(error) if is_of_the_record(&error) => {
            return wait(app, invoice, &error, now, held).await.map(|()| Made::NOTHING);
        }
        Err(error) => return Err(error),
    };
    if acts_before(catalog, invoice, &subscription, now, held).await? {
        return Ok(Made::actions(true));
    }
    perform_step(catalog, invoice, &subscription, (next, at), now, held).await.map(Made::steps)
}

/// Makes the action of a subscription that comes before the step of its invoice. False if there is none, and if it failed: it is
/// tried again later, and delays no invoice.
pub(super) async fn acts_before(
    catalog: &Arc<Catalog<'_>>,
    invoice: &Invoice,
    subscription: &Subscription,
    now: Time,
    held: Option<&Held>,
) -> Result<bool, Error> {
    // Boxed, because the compiler does not follow the types of futures as deep as an action in the issuing of drafts.
    Ok(comes_before(subscription, invoice) && actions::perform(catalog, subscription, now, held).boxed().await?)
}

async fn perform_step(
    catalog: &Arc<Catalog<'_>>,
    invoice: &Invoice,
    subscription: &Subscription,
    (next, at): (InvoiceNext, Time),
    now: Time,
    held: Option<&Held>,
) -> Result<bool, Error> {
    let app = catalog.app;
    match step(catalog, invoice, subscription, (next, at), now).await {
        Ok(unit) => {
            let is_made = commit(app, fenced(held).and(unit)).await?;
            charge::wake(app, subscription);
            Ok(is_made)
        }
        Err(error) if is_of_the_record(&error) => {
            tracing::warn!(invoice = %invoice.id, organization = %invoice.organization_id, %error, "a step of an invoice failed");
            park(app, subscription, park_reason(&error), now, held).await
        }
        Err(error) => Err(error),
    }
}

pub(super) async fn find(app: &App, invoice: &Invoice) -> Result<Option<Subscription>, Error> {
    Ok(subscriptions::by_id(&app.db, invoice.organization_id, invoice.subscription_id).await?)
}

/// An invoice whose subscription cannot be read waits for its repair, and delays no other.
pub(super) async fn wait(
    app: &App,
    invoice: &Invoice,
    error: &Error,
    now: Time,
    held: Option<&Held>,
) -> Result<(), Error> {
    tracing::error!(invoice = %invoice.id, organization = %invoice.organization_id, %error, "the subscription of an invoice cannot be read");
    let until = now.plus_seconds(INVALID_RETRY_SECONDS);
    let change = invoices::postpone(fenced(held), invoice.organization_id, invoice.id.bytes(), until);
    Ok(app.db.commit(change).await?)
}

/// An invoice without a subscription has no further actions.
pub(super) async fn stop(app: &App, invoice: &Invoice, held: Option<&Held>) -> Result<bool, Error> {
    let stopped = Invoice { is_stopped: true, ..invoice.clone() };
    commit(app, invoices::update(fenced(held), &stopped, invoice.revision)).await
}

async fn step(
    catalog: &Arc<Catalog<'_>>,
    before: &Invoice,
    subscription: &Subscription,
    (next, at): (InvoiceNext, Time),
    now: Time,
) -> Result<Change, Error> {
    let mut unit = Unit::with(Arc::clone(catalog), Cause::Engine, now);
    let mut after = before.clone();
    let mut outcome = match next {
        InvoiceNext::Attempt => {
            let is_processing = payments::is_processing(&catalog.app.db, before.organization_id, before.id).await?;
            after.attempt(now, is_processing)?
        }
        InvoiceNext::Overdue => after.pass_due(),
        InvoiceNext::Deadline => after.pass_deadline(),
        InvoiceNext::Finalize => Outcome::default(),
    };
    let mut steps = outcome.steps(&after);
    if steps.is_empty() {
        // A skipped attempt: no event, and nothing that is returned changes but the next action.
        unit.touch_invoice(before, &after);
        return Ok(unit.change);
    }
    if next == InvoiceNext::Attempt {
        let organization = catalog.organization().await?;
        let is_test = organization.is_some_and(|found| found.mode == OrganizationMode::Test);
        let followed = charge(&mut unit, &mut after, subscription, is_test)?;
        steps.extend(followed.steps(&after));
        outcome.overdue += followed.overdue;
        outcome.is_paid |= followed.is_paid;
    }
    unit.update_invoice(before, steps, subscription.billing.as_deref());
    if next == InvoiceNext::Attempt {
        charge::guard(&mut unit, before, subscription);
    }
    let instant = if next == InvoiceNext::Attempt { now } else { at };
    react(&mut unit, subscription, &outcome, instant).await?;
    Ok(unit.change)
}
