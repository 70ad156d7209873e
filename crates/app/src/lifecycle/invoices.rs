//! What the engine does with invoices: it issues drafts, and attempts, duns and gives up open ones.
//!
//! A step of an open invoice is one change with its subscription. Drafts are issued up to 64 at a time, so that their numbers
//! are drawn together.

use super::INVALID_RETRY_SECONDS;
use super::actions::{commit, fenced, is_of_the_record, park, park_reason};
use crate::background::Held;
use crate::context::App;
use crate::error::Error;
use crate::invoices::charge::{self, charge};
use crate::invoices::issue::{Shared, issue, react};
use crate::invoices::unit::{Cause, Unit};
use crate::invoices::usage;
use perennial_domain::events::EventKind;
use perennial_domain::invoices::record::{Invoice, InvoiceLine, InvoiceNext};
use perennial_domain::invoices::transitions::Outcome;
use perennial_domain::organizations::OrganizationMode;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_store::{self as store, Change, Violation, invoices, organizations, payments, subscriptions};

/// The most drafts that are issued in one transaction.
pub(super) const BATCH: usize = 64;

/// Makes the step of an open invoice that is due. False if none is. True also if another writer was faster.
pub(super) async fn perform(app: &App, invoice: &Invoice, now: Time, held: Option<&Held>) -> Result<bool, Error> {
    let Some((next, at)) = invoice.next_action().filter(|(_, at)| *at <= now) else { return Ok(false) };
    let subscription = match find(app, invoice).await {
        Ok(Some(subscription)) => subscription,
        Ok(None) => return stop(app, invoice, held).await,
        Err(error) if is_of_the_record(&error) => return wait(app, invoice, &error, now, held).await.map(|()| false),
        Err(error) => return Err(error),
    };
    match step(app, invoice, &subscription, (next, at), now).await {
        Ok(unit) => {
            let is_made = commit(app, fenced(held).and(unit)).await?;
            charge::wake(app, &subscription);
            Ok(is_made)
        }
        Err(error) if is_of_the_record(&error) => {
            tracing::warn!(invoice = %invoice.id, organization = %invoice.organization_id, %error, "a step of an invoice failed");
            park(app, &subscription, park_reason(&error), now, held).await
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
    app: &App,
    before: &Invoice,
    subscription: &Subscription,
    (next, at): (InvoiceNext, Time),
    now: Time,
) -> Result<Change, Error> {
    let mut unit = Unit::new(app, before.organization_id, Cause::Engine, now);
    let mut after = before.clone();
    let mut outcome = match next {
        InvoiceNext::Attempt => {
            let is_processing = payments::is_processing(&app.db, before.organization_id, before.id).await?;
            after.attempt(now, is_processing)?
        }
        InvoiceNext::Overdue => after.pass_due(),
        InvoiceNext::Deadline => after.pass_deadline(),
        InvoiceNext::Finalize => Outcome::default(),
    };
    let mut steps: Vec<(EventKind, Invoice)> = outcome.events.iter().map(|kind| (*kind, after.clone())).collect();
    if steps.is_empty() {
        // A skipped attempt: no event, and nothing that is returned changes but the next action.
        unit.touch_invoice(before, &after);
        return Ok(unit.change);
    }
    if next == InvoiceNext::Attempt {
        let organization = organizations::by_id(&app.db, before.organization_id).await?;
        let is_test = organization.is_some_and(|found| found.mode == OrganizationMode::Test);
        let followed = charge(&mut unit, &mut after, subscription, is_test)?;
        steps.extend(followed.events.iter().map(|kind| (*kind, after.clone())));
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

/// Issues drafts, in the order in which they are given. Returns how many were issued or deleted.
pub(super) async fn issue_drafts(
    app: &App,
    drafts: &[&Invoice],
    now: Time,
    held: Option<&Held>,
) -> Result<usize, Error> {
    let mut made = 0;
    for batch in drafts.chunks(BATCH) {
        let prepared = prepare(app, batch, now, held).await?;
        if prepared.is_empty() {
            continue;
        }
        match issue_together(app, &prepared, now, held).await {
            Ok(()) => made += prepared.len(),
            Err(error) if prepared.len() > 1 && (is_contended(&error) || is_of_the_record(&error)) => {
                for draft in &prepared {
                    made += usize::from(issue_alone(app, draft, now, held).await?);
                }
            }
            Err(error) => made += usize::from(failed(app, &prepared[0], error, now, held).await?),
        }
    }
    Ok(made)
}

/// A draft with what its issuing needs.
struct Prepared {
    draft: Invoice,
    subscription: Subscription,
    usage: Vec<InvoiceLine>,
}

/// Closes the windows of drafts, and prices the usage in them.
async fn prepare(app: &App, drafts: &[&Invoice], now: Time, held: Option<&Held>) -> Result<Vec<Prepared>, Error> {
    let mut prepared = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let subscription = match find(app, draft).await {
            Ok(Some(subscription)) => subscription,
            Ok(None) => {
                stop(app, draft, held).await?;
                continue;
            }
            Err(error) if is_of_the_record(&error) => {
                wait(app, draft, &error, now, held).await?;
                continue;
            }
            Err(error) => return Err(error),
        };
        let usage = match price_usage(app, draft, now, held).await {
            Ok(usage) => usage,
            Err(error) if is_of_the_record(&error) && !is_contended(&error) => {
                tracing::warn!(invoice = %draft.id, organization = %draft.organization_id, %error, "the usage of a draft was not priced");
                park(app, &subscription, park_reason(&error), now, held).await?;
                continue;
            }
            Err(error) => return Err(error),
        };
        prepared.push(Prepared { draft: (*draft).clone(), subscription, usage });
    }
    Ok(prepared)
}

/// The usage lines of a draft. First the closing of its window is committed, so that no later event belongs to it.
pub(crate) async fn price_usage(
    app: &App,
    draft: &Invoice,
    now: Time,
    held: Option<&Held>,
) -> Result<Vec<InvoiceLine>, Error> {
    let Some(last) = draft.parts.last() else { return Ok(Vec::new()) };
    let (organization, subscription) = (draft.organization_id, draft.subscription_id);
    let until = last.to.unwrap_or(Time::MAX);
    let change = subscriptions::close_usage(fenced(held), organization, subscription, until);
    app.db.commit(change).await?;
    let shown = draft.cycle_at.unwrap_or(now);
    usage::lines(app, organization, subscription, &draft.parts, shown).await
}

async fn issue_together(app: &App, prepared: &[Prepared], now: Time, held: Option<&Held>) -> Result<(), Error> {
    let organization = prepared[0].draft.organization_id;
    let mut unit = Unit::new(app, organization, Cause::Engine, now);
    let mut shared = Shared::default();
    for Prepared { draft, subscription, usage } in prepared {
        issue(&mut unit, draft, subscription, usage.clone(), &mut shared).await?;
    }
    unit.add(|change| shared.numbers.take(change, organization));
    app.db.commit(fenced(held).and(unit.change)).await?;
    for prepared in prepared {
        charge::wake(app, &prepared.subscription);
    }
    Ok(())
}

async fn issue_alone(app: &App, prepared: &Prepared, now: Time, held: Option<&Held>) -> Result<bool, Error> {
    match issue_together(app, std::slice::from_ref(prepared), now, held).await {
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
