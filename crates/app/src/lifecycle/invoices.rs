//! What the engine does with invoices: it issues drafts, and attempts, duns and gives up open ones.
//!
//! A step of an open invoice is one change with its subscription. Drafts are issued together, so that their numbers are
//! drawn together.

use super::INVALID_RETRY_SECONDS;
use super::actions::{self, commit, fenced, is_of_the_record, park, park_reason};
use super::made::Made;
use super::order::comes_before;
use crate::background::Held;
use crate::catalog::Catalog;
use crate::context::App;
use crate::error::Error;
use crate::invoices::charge::{self, charge};
use crate::invoices::context::issue_context;
use crate::invoices::issue::{Shared, issue, react};
use crate::invoices::unit::{Cause, Unit};
use crate::invoices::usage;
use futures_util::FutureExt;
use futures_util::future::try_join_all;
use perennial_domain::invoices::record::{Invoice, InvoiceLine, InvoiceNext};
use perennial_domain::invoices::transitions::Outcome;
use perennial_domain::organizations::OrganizationMode;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_store::{self as store, Change, Violation, invoices, payments, subscriptions};
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
async fn acts_before(
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

async fn find(app: &App, invoice: &Invoice) -> Result<Option<Subscription>, Error> {
    Ok(subscriptions::by_id(&app.db, invoice.organization_id, invoice.subscription_id).await?)
}

/// An invoice whose subscription cannot be read waits for its repair, and delays no other.
async fn wait(app: &App, invoice: &Invoice, error: &Error, now: Time, held: Option<&Held>) -> Result<(), Error> {
    tracing::error!(invoice = %invoice.id, organization = %invoice.organization_id, %error, "the subscription of an invoice cannot be read");
    let until = now.plus_seconds(INVALID_RETRY_SECONDS);
    let change = invoices::postpone(fenced(held), invoice.organization_id, invoice.id.bytes(), until);
    Ok(app.db.commit(change).await?)
}

/// An invoice without a subscription has no further actions.
async fn stop(app: &App, invoice: &Invoice, held: Option<&Held>) -> Result<bool, Error> {
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

/// Issues drafts of one organization in one change, in the order in which they are given. A draft whose subscription acts first is
/// issued later.
pub(super) async fn issue_drafts(
    app: &App,
    drafts: &[&Invoice],
    now: Time,
    held: Option<&Held>,
) -> Result<Made, Error> {
    let Some(first) = drafts.first() else { return Ok(Made::NOTHING) };
    let catalog = Arc::new(Catalog::new(app, first.organization_id));
    let preparing = drafts.iter().map(|draft| prepare(&catalog, draft, now, held));
    let (mut prepared, mut made) = (Vec::with_capacity(drafts.len()), Made::NOTHING);
    for draft in try_join_all(preparing).await? {
        match draft {
            Ok(draft) => prepared.push(draft),
            Err(instead) => made = made.and(instead),
        }
    }
    made.steps += issue_prepared(&catalog, &prepared, now, held).await?;
    Ok(made)
}

/// Returns how many drafts were issued or deleted.
async fn issue_prepared(
    catalog: &Arc<Catalog<'_>>,
    prepared: &[Prepared],
    now: Time,
    held: Option<&Held>,
) -> Result<usize, Error> {
    let app = catalog.app;
    let Some(first) = prepared.first() else { return Ok(0) };
    match issue_together(catalog, prepared, now, held).await {
        Ok(()) => Ok(prepared.len()),
        Err(error) if prepared.len() > 1 && (is_contended(&error) || is_of_the_record(&error)) => {
            let mut made = 0;
            for draft in prepared {
                made += usize::from(issue_alone(app, draft, now, held).await?);
            }
            Ok(made)
        }
        Err(error) => failed(app, first, error, now, held).await.map(usize::from),
    }
}

/// A draft with what its issuing needs.
struct Prepared {
    draft: Invoice,
    subscription: Subscription,
    usage: Vec<InvoiceLine>,
}

/// Closes the window of a draft, and prices the usage in it. Or what was done instead: the action of its subscription that comes
/// first, or nothing.
async fn prepare(
    catalog: &Arc<Catalog<'_>>,
    draft: &Invoice,
    now: Time,
    held: Option<&Held>,
) -> Result<Result<Prepared, Made>, Error> {
    let app = catalog.app;
    let subscription = match find(app, draft).await {
        Ok(Some(subscription)) => subscription,
        Ok(None) => return stop(app, draft, held).await.map(|_| Err(Made::NOTHING)),
        Err(error) if is_of_the_record(&error) => {
            return wait(app, draft, &error, now, held).await.map(|()| Err(Made::NOTHING));
        }
        Err(error) => return Err(error),
    };
    if acts_before(catalog, draft, &subscription, now, held).await? {
        return Ok(Err(Made::actions(true)));
    }
    match price_usage(catalog, draft, now, held).await {
        Ok(usage) => Ok(Ok(Prepared { draft: draft.clone(), subscription, usage })),
        Err(error) if is_of_the_record(&error) && !is_contended(&error) => {
            tracing::warn!(invoice = %draft.id, organization = %draft.organization_id, %error, "the usage of a draft was not priced");
            park(app, &subscription, park_reason(&error), now, held).await.map(|_| Err(Made::NOTHING))
        }
        Err(error) => Err(error),
    }
}

/// The usage lines of a draft. First the closing of its window is committed, so that no later event belongs to it.
pub(crate) async fn price_usage(
    catalog: &Catalog<'_>,
    draft: &Invoice,
    now: Time,
    held: Option<&Held>,
) -> Result<Vec<InvoiceLine>, Error> {
    let Some(last) = draft.parts.last() else { return Ok(Vec::new()) };
    let (organization, subscription) = (draft.organization_id, draft.subscription_id);
    let until = last.to.unwrap_or(Time::MAX);
    let change = subscriptions::close_usage(fenced(held), organization, subscription, until);
    catalog.app.db.commit(change).await?;
    let shown = draft.cycle_at.unwrap_or(now);
    usage::lines(catalog, subscription, &draft.parts, shown).await
}

async fn issue_together(
    catalog: &Arc<Catalog<'_>>,
    prepared: &[Prepared],
    now: Time,
    held: Option<&Held>,
) -> Result<(), Error> {
    let contexts = prepared
        .iter()
        .map(|Prepared { draft, subscription, usage }| issue_context(catalog, subscription, draft, usage.clone(), now));
    let contexts = try_join_all(contexts).await?;
    let mut unit = Unit::with(Arc::clone(catalog), Cause::Engine, now);
    let mut shared = Shared::default();
    for (Prepared { draft, subscription, .. }, context) in prepared.iter().zip(contexts) {
        issue(&mut unit, draft, subscription, context, &mut shared).await?;
    }
    unit.add(|change| shared.numbers.take(change, catalog.organization_id));
    catalog.app.db.commit(fenced(held).and(unit.change)).await?;
    for prepared in prepared {
        charge::wake(catalog.app, &prepared.subscription);
    }
    Ok(())
}

async fn issue_alone(app: &App, prepared: &Prepared, now: Time, held: Option<&Held>) -> Result<bool, Error> {
    let catalog = Arc::new(Catalog::new(app, prepared.draft.organization_id));
    match issue_together(&catalog, std::slice::from_ref(prepared), now, held).await {
        Ok(()) => Ok(true),
        Err(error) => failed(app, prepared, error, now, held).await,
    }
}

/// A draft that was not issued: another writer was faster, or its subscription is parked.
async fn failed(app: &App, prepared: &Prepared, error: Error, now: Time, held: Option<&Held>) -> Result<bool, Error> {
    if is_contended(&error) {
        app.background.lifecycle.count_miss();
        return Ok(true);
    }
    if !is_of_the_record(&error) {
        return Err(error);
    }
    tracing::warn!(invoice = %prepared.draft.id, organization = %prepared.draft.organization_id, %error, "a draft was not issued");
    park(app, &prepared.subscription, park_reason(&error), now, held).await
}

fn is_contended(error: &Error) -> bool {
    let violations = [Violation::Record, Violation::Number, Violation::Balance, Violation::Cycle, Violation::Clock];
    violations.into_iter().any(|violation| *error == Error::from(store::Error::Violated(violation)))
}
