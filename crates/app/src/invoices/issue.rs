//! Issues drafts: numbers, balances, the first attempt, and what follows for the subscription, in one change.

use super::charge::charge;
use super::context::issue_context;
use super::numbers::Numbers;
use super::unit::Unit;
use crate::catalog::Catalog;
use crate::error::Error;
use crate::lifecycle::known::known;
use perennial_domain::credits::CreditReason;
use perennial_domain::currency::Currency;
use perennial_domain::events::EventKind;
use perennial_domain::id::UserId;
use perennial_domain::invoices::Amount;
use perennial_domain::invoices::issuing::IssueContext;
use perennial_domain::invoices::record::{Invoice, InvoiceLine};
use perennial_domain::invoices::transitions::Outcome;
use perennial_domain::lifecycle::billing::Collection;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use std::collections::HashMap;
use std::sync::Arc;

/// What several drafts of one change share.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) numbers: Numbers,
    /// What is left of the balances that drafts of this change used.
    balances: HashMap<(UserId, Currency), Amount>,
}

/// Adds the issuing of a draft to a unit. Returns the invoice as it is stored; none if the draft was deleted.
pub(crate) async fn issue(
    unit: &mut Unit<'_>,
    draft: &Invoice,
    subscription: &Subscription,
    mut context: IssueContext,
    shared: &mut Shared,
) -> Result<Option<Invoice>, Error> {
    let key = (draft.user_id, draft.currency);
    if let Some(left) = shared.balances.get(&key) {
        context.balance = *left;
    }
    let Some(mut issued) = draft.issue(subscription, &context)? else {
        unit.delete_invoice(draft);
        return Ok(None);
    };
    let left = context.balance.minus(issued.credit_applied)?;
    shared.balances.insert(key, left);
    let organization = unit.catalog.organization().await?.ok_or(Error::NotFound)?;
    let prefix = context.settings.invoice_prefix.clone();
    issued.number = Some(shared.numbers.draw(unit.app, &organization, &prefix, unit.now).await?);
    let stored = Box::pin(write(unit, draft, issued, subscription, &context)).await?;
    Ok(Some(stored))
}

/// The invoice as it would be issued now, without a number: for a dry run.
pub(crate) async fn preview(
    catalog: &Catalog<'_>,
    draft: &Invoice,
    subscription: &Subscription,
    usage: Vec<InvoiceLine>,
    now: Time,
) -> Result<Option<Invoice>, Error> {
    let context = issue_context(catalog, subscription, draft, usage, now).await?;
    Ok(draft.issue(subscription, &context)?)
}

/// The same with another balance than the user has now.
pub(crate) async fn preview_with(
    catalog: &Catalog<'_>,
    draft: &Invoice,
    subscription: &Subscription,
    usage: Vec<InvoiceLine>,
    now: Time,
    balance: Amount,
) -> Result<Option<Invoice>, Error> {
    let context = issue_context(catalog, subscription, draft, usage, now).await?;
    Ok(draft.issue(subscription, &IssueContext { balance, ..context })?)
}

async fn write(
    unit: &mut Unit<'_>,
    draft: &Invoice,
    issued: Invoice,
    subscription: &Subscription,
    context: &IssueContext,
) -> Result<Invoice, Error> {
    let mut steps = vec![(EventKind::InvoiceFinalized, issued.clone())];
    let mut outcome = issued.paid_outcome();
    let mut current = issued;
    if outcome.is_paid {
        steps.push((EventKind::InvoicePaid, current.clone()));
    } else if current.collection == Some(Collection::Automatic) {
        steps.push((EventKind::InvoicePaymentDue, current.clone()));
        let followed = charge(unit, &mut current, subscription, context.is_test)?;
        steps.extend(followed.steps(&current));
        outcome = followed;
    }
    let stored = unit.update_invoice(draft, steps, subscription.billing.as_deref());
    let applied = stored.credit_applied.negated();
    unit.credit(stored.user_id, stored.currency, applied, CreditReason::Applied, stored.id.to_string());
    react(unit, subscription, &outcome, unit.now).await?;
    Ok(stored)
}

/// Adds what an invoice does to its subscription.
pub(crate) async fn react(
    unit: &mut Unit<'_>,
    subscription: &Subscription,
    outcome: &Outcome,
    at: Time,
) -> Result<Option<Subscription>, Error> {
    if !outcome.is_paid && outcome.overdue == 0 && outcome.deadline.is_none() {
        return Ok(None);
    }
    let known = known(&unit.catalog, subscription).await?;
    match subscription.after_invoice(outcome, at, &known) {
        Ok(Some((mut after, kind))) => {
            // The documents follow the event of the subscription, but what pays is stored with it.
            let mut documents = Unit::with(Arc::clone(&unit.catalog), unit.cause, unit.now);
            super::documents::bill(&mut documents, Some(subscription), &mut after, None).await?;
            let stored = unit.update_subscription(subscription, after, kind, at);
            unit.add(|change| change.and(documents.change));
            unit.invoices.extend(documents.invoices);
            unit.notes.extend(documents.notes);
            unit.credited.extend(documents.credited);
            Ok(Some(stored))
        }
        Ok(None) => Ok(None),
        Err(_) => Err(Error::Internal("the calendar of the subscription ends".into())),
    }
}
