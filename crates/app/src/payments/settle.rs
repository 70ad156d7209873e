//! What a payment does to its invoice, its subscription and the balance, in the change of the payment.

use crate::caller::Caller;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::invoices::dry_run;
use crate::invoices::issue::react;
use crate::invoices::unit::{Cause, Unit};
use crate::lifecycle;
use perennial_domain::credits::CreditReason;
use perennial_domain::currency::Currency;
use perennial_domain::id::{InvoiceId, OrganizationId, SubscriptionId};
use perennial_domain::invoices::Amount;
use perennial_domain::invoices::record::Invoice;
use perennial_domain::invoices::transitions::Outcome;
use perennial_domain::payments::{Payment, PaymentStatus};
use perennial_domain::time::Time;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{Change, credits, invoices, subscriptions, users};

/// Commits the late actions of a subscription before its payment. A payment is never rejected for them.
pub(super) async fn catch_up(
    app: &App,
    organization: OrganizationId,
    subscription: SubscriptionId,
    now: Time,
) -> Result<(), Error> {
    let Some(found) = subscriptions::by_id(&app.db, organization, subscription).await? else { return Ok(()) };
    match lifecycle::catch_up(app, &found, now).await {
        Ok(_) | Err(Error::Conflict(Conflict::LifecycleBehind)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The same for a caller whose payment names another invoice. A dry run is rejected for them.
async fn catch_up_for(app: &App, caller: &Caller, subscription: SubscriptionId) -> Result<(), Error> {
    let Some(found) = subscriptions::by_id(&app.db, caller.organization(), subscription).await? else { return Ok(()) };
    match lifecycle::catch_up_invoices_for(app, caller, &found).await {
        Err(Error::Conflict(Conflict::LifecycleBehind)) if !caller.is_dry_run => Ok(()),
        caught_up => caught_up.map(drop),
    }
}

/// Whether something is due of the subscription or its invoices.
pub(super) async fn is_behind(app: &App, payment: &Payment, now: Time) -> Result<bool, Error> {
    match subscriptions::by_id(&app.db, payment.organization_id, payment.subscription_id).await? {
        Some(found) => lifecycle::is_behind_with_drafts(app, &found, now).await,
        None => Ok(false),
    }
}

/// The invoice that a payment newly names, after the late actions of its subscription. Adds an error if it cannot be paid by it.
pub(super) async fn find_invoice(
    app: &App,
    caller: &Caller,
    (id, subscription, currency): (InvoiceId, Option<SubscriptionId>, Option<Currency>),
    errors: &mut ValidationErrors,
) -> Result<Option<Invoice>, Error> {
    if let Some(subscription) = subscription {
        catch_up_for(app, caller, subscription).await?;
    }
    let Some(invoice) = invoices::by_id(&app.db, caller.organization(), id).await? else {
        errors.note("/invoice_id", ValidationCode::NotFound, "names no invoice of this organization");
        return Ok(None);
    };
    if !is_of(&invoice, subscription, currency) {
        errors.note("/invoice_id", ValidationCode::Inconsistent, OF_ANOTHER);
    } else if !invoice.status.takes_payments() {
        let detail = "must be an invoice that is open, uncollectible or paid";
        errors.note("/invoice_id", ValidationCode::Inconsistent, detail);
    }
    Ok(Some(invoice))
}

/// Adds an error if an update gives the payment another subscription or currency than those of the invoice that it names already.
/// That of a payment that counts is a conflict.
pub(super) async fn check_named(
    app: &App,
    payment: &Payment,
    (subscription, currency): (SubscriptionId, Currency),
    errors: &mut ValidationErrors,
) -> Result<(), Error> {
    let Some(id) = payment.invoice_id.filter(|_| payment.applied.is_none()) else { return Ok(()) };
    if (subscription, currency) == (payment.subscription_id, payment.currency) {
        return Ok(());
    }
    let invoice = invoices::by_id(&app.db, payment.organization_id, id).await?;
    if invoice.is_some_and(|invoice| !is_of(&invoice, Some(subscription), Some(currency))) {
        errors.note("/invoice_id", ValidationCode::Inconsistent, OF_ANOTHER);
    }
    Ok(())
}

const OF_ANOTHER: &str = "must be an invoice of the same subscription and currency";

fn is_of(invoice: &Invoice, subscription: Option<SubscriptionId>, currency: Option<Currency>) -> bool {
    subscription.is_none_or(|id| id == invoice.subscription_id)
        && currency.is_none_or(|currency| currency == invoice.currency)
}

/// What the payment changes in other records. Whether and how it counts is stored with it.
pub(super) async fn effects(
    app: &App,
    caller: &Caller,
    payment: &mut Payment,
    before: Option<&Payment>,
    now: Time,
) -> Result<Change, Error> {
    let Some(id) = payment.invoice_id else { return Ok(Change::new()) };
    let counted = before.and_then(|before| before.applied);
    let does_count = payment.status.counts();
    // For its invoice: a failed payment may name it later.
    let is_new = |before: &Payment| before.status != PaymentStatus::Failed || before.invoice_id != payment.invoice_id;
    let has_failed = payment.status == PaymentStatus::Failed && before.is_none_or(is_new);
    if counted.is_some() == does_count && !has_failed {
        return Ok(Change::new());
    }
    let invoice = invoices::by_id(&app.db, payment.organization_id, id).await?;
    let Some(invoice) = invoice else { return Ok(Change::new()) };
    let mut unit = Unit::new(app, payment.organization_id, Cause::Caller(caller), now);
    let mut after = invoice.clone();
    let record = payment.id.to_string();
    let outcome = match counted {
        None if does_count => {
            let (applied, outcome) = after.pay(payment.amount.into(), now)?;
            payment.applied = Some(applied);
            unit.credit(invoice.user_id, invoice.currency, applied.surplus, CreditReason::Surplus, record);
            outcome
        }
        Some(applied) if !does_count => {
            let balances = credits::balances(&app.db, payment.organization_id, invoice.user_id).await?;
            let balance = balances.iter().find(|balance| balance.currency == invoice.currency);
            let balance = balance.map_or(Amount::ZERO, |balance| balance.amount.into());
            let reversed = applied.reverse(balance);
            payment.applied = None;
            let taken = reversed.balance.negated();
            unit.credit(invoice.user_id, invoice.currency, taken, CreditReason::SurplusReversed, record);
            let outcome = after.take_back(reversed.paid, now)?;
            // An invoice of an erased user stays open without further actions.
            after.is_stopped |= !users::exists(&app.db, payment.organization_id, invoice.user_id).await?;
            outcome
        }
        _ if has_failed => after.payment_failed(),
        _ => Outcome::default(),
    };
    if !outcome.events.is_empty() {
        let steps = outcome.steps(&after);
        unit.update_invoice(&invoice, steps, None);
    }
    if let Some(subscription) = subscriptions::by_id(&app.db, payment.organization_id, invoice.subscription_id).await?
        && subscription.billing.is_some()
    {
        let after = react(&mut unit, &subscription, &outcome, now).await?;
        if caller.is_dry_run {
            dry_run::report(&mut unit, caller, after.as_ref().unwrap_or(&subscription)).await?;
        }
    }
    Ok(unit.change)
}
