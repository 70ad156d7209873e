//! What callers do with an invoice: finalize, void, mark as uncollectible.

use super::charge;
use super::context::issue_context;
use super::dry_run;
use super::issue::{Shared, issue, react};
use super::unit::{Cause, Unit};
use super::usage;
use crate::business_time::{self, BusinessTime};
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::idempotency::{self, Key, StoredResponse};
use crate::lifecycle;
use crate::lifecycle::drafts::price_usage;
use perennial_domain::credits::CreditReason;
use perennial_domain::id::InvoiceId;
use perennial_domain::invoices::record::{Invoice, InvoiceKind};
use perennial_domain::invoices::status::{InvoiceAction, InvoiceStatus};
use perennial_domain::subscriptions::Subscription;
use perennial_store::{self as store, Violation, invoices, subscriptions};

/// Acts on an invoice. `render` makes the response, which is stored under the idempotency key in the same change.
pub async fn act(
    app: &App,
    caller: &Caller,
    key: Option<&Key>,
    id: InvoiceId,
    action: InvoiceAction,
    render: impl Fn(&Invoice) -> StoredResponse + Send + Sync,
) -> Result<StoredResponse, Error> {
    let mut guard = idempotency::lock(app, caller, key.filter(|_| !caller.is_dry_run)).await?;
    if let Some(response) = idempotency::stored(&mut guard).await? {
        return Ok(response);
    }
    // All invoices that are finalized take the next number of the same series.
    let mut attempts = match action {
        InvoiceAction::Finalize => app.locks.turns((caller.organization().bytes(), "numbers of invoices")).await,
        _ => app.locks.attempts((caller.organization().bytes(), id)),
    };
    while attempts.next().await {
        let time = business_time::read(app, caller).await?;
        let before = super::read(app, caller, id).await?;
        // A deleted subscription has no drafts, and nothing follows for it.
        let subscription = subscriptions::by_id(&app.db, before.organization_id, before.subscription_id).await?;
        if let Some(subscription) = &subscription
            && commit_late_changes(app, caller, subscription, action, &time).await?
        {
            continue;
        }
        let mut unit = Unit::new(app, caller.organization(), Cause::Caller(caller), time.now);
        let after = decide(&mut unit, &before, subscription.as_ref(), action).await?;
        if caller.is_dry_run {
            time.check()?;
            match &subscription {
                Some(subscription) => dry_run::report(&mut unit, caller, subscription).await?,
                None => caller.tried.set(vec![after.clone()], Vec::new()),
            }
            return Ok(render(&after));
        }
        let response = render(&after);
        let mut change = unit.change;
        if let Some(guard) = &guard {
            change = guard.store(change, &response, app.clock.now());
        }
        let change = confirm(app, caller, time.guard(change)?).await?;
        match app.db.commit(change).await {
            Ok(()) => {
                app.lifecycle.wake();
                if let Some(subscription) = &subscription {
                    charge::wake(app, subscription);
                }
                return Ok(response);
            }
            Err(error @ store::Error::Violated(Violation::Key)) => {
                return idempotency::recover(guard.as_ref(), error).await;
            }
            Err(store::Error::Violated(
                Violation::Record | Violation::Clock | Violation::Number | Violation::Balance | Violation::Subscription,
            )) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Commits the late actions of the subscription. True: read the records again. A draft that is due is finalized as it is.
async fn commit_late_changes(
    app: &App,
    caller: &Caller,
    subscription: &Subscription,
    action: InvoiceAction,
    time: &BusinessTime,
) -> Result<bool, Error> {
    let is_behind = match action {
        InvoiceAction::Finalize => lifecycle::is_behind(app, subscription, time.now).await?,
        _ => lifecycle::is_behind_with_drafts(app, subscription, time.now).await?,
    };
    match caller.is_dry_run {
        true if is_behind => Err(Conflict::LifecycleBehind.into()),
        false if is_behind && time.accepts_writes() => lifecycle::catch_up(app, subscription, time.now).await,
        _ => Ok(false),
    }
}

async fn decide(
    unit: &mut Unit<'_>,
    before: &Invoice,
    subscription: Option<&Subscription>,
    action: InvoiceAction,
) -> Result<Invoice, Error> {
    if action == InvoiceAction::Finalize {
        let subscription = subscription.ok_or(Conflict::Contended)?;
        return finalize(unit, before, subscription).await.map_err(not_issued);
    }
    let mut after = before.clone();
    let outcome = after.act(action).map_err(Conflict::Transition)?;
    if action == InvoiceAction::Void {
        // A credit line of a change may name it as its source.
        if before.is_partly_settled() || invoices::is_source(&unit.app.db, before).await? {
            return Err(Conflict::HasPayments.into());
        }
    }
    let steps = outcome.steps(&after);
    let stored = unit.update_invoice(before, steps, None);
    if action == InvoiceAction::Void {
        let id = before.id.to_string();
        unit.credit(before.user_id, before.currency, before.credit_applied, CreditReason::Returned, id);
    }
    if let Some(subscription) = subscription
        && react(unit, subscription, &outcome, unit.now).await?.is_none()
    {
        // A plan change at the same time may name the invoice in a credit line.
        unit.add(|change| subscriptions::guard_unchanged(change, subscription));
    }
    Ok(stored)
}

/// A draft with an amount that is out of range stays a draft, as when the engine cannot issue it.
fn not_issued(error: Error) -> Error {
    match error {
        Error::Unbillable(_) => Conflict::Unissuable.into(),
        other => other,
    }
}

async fn finalize(unit: &mut Unit<'_>, before: &Invoice, subscription: &Subscription) -> Result<Invoice, Error> {
    before.status.act(InvoiceAction::Finalize).map_err(Conflict::Transition)?;
    if before.kind == InvoiceKind::Cycle {
        let all = invoices::of_subscription(&unit.app.db, before.organization_id, before.subscription_id).await?;
        let is_earlier = |other: &&Invoice| {
            other.kind == InvoiceKind::Cycle && other.status == InvoiceStatus::Draft && other.cycle_at < before.cycle_at
        };
        if all.iter().find(is_earlier).is_some() {
            return Err(Conflict::EarlierDraft.into());
        }
    }
    let is_dry_run = matches!(unit.cause, Cause::Caller(caller) if caller.is_dry_run);
    let usage = if is_dry_run {
        // The window stays open.
        let until = before.cycle_at.unwrap_or(unit.now);
        usage::lines(&unit.catalog, subscription.id, &before.parts, until).await?
    } else {
        price_usage(&unit.catalog, before, unit.now, None).await?
    };
    let mut shared = Shared::default();
    let context = issue_context(&unit.catalog, subscription, before, usage, unit.now).await?;
    let issued = issue(unit, before, subscription, context, &mut shared).await?;
    unit.add(|change| shared.numbers.take(change, before.organization_id));
    // A draft without lines is deleted.
    let after = issued.unwrap_or_else(|| before.clone());
    Ok(if is_dry_run { Invoice { number: None, ..after } } else { after })
}
