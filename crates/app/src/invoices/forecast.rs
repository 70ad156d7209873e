//! The invoices of a forecast: those that the next actions would make, as they would be issued.

use super::documents::bill;
use super::issue::preview_with;
use super::unit::{Cause, Unit};
use super::usage;
use crate::catalog::Catalog;
use crate::error::Error;
use perennial_domain::invoices::Amount;
use perennial_domain::invoices::record::{Invoice, InvoiceKind};
use perennial_domain::lifecycle::Known;
use perennial_domain::lifecycle::actions::Step;
use perennial_domain::subscriptions::Subscription;
use perennial_store::credits;
use std::sync::Arc;

/// The next actions of a subscription, each with its cycle invoice. The first invoice includes the usage so far. The forecast ends
/// before an action whose invoice cannot be computed: the engine would park the subscription there.
pub(crate) async fn forecast(
    catalog: &Arc<Catalog<'_>>,
    subscription: &Subscription,
    known: &Known,
    count: usize,
) -> Result<Vec<(Step, Option<Invoice>)>, Error> {
    let organization = subscription.organization_id;
    let balances = credits::balances(&catalog.app.db, organization, subscription.user_id).await?;
    let (mut left, mut has_usage) = (None, false);
    let mut entries = Vec::new();
    for step in subscription.forecast(known, count) {
        let balance = |draft: &Invoice| {
            let found = balances.iter().find(|balance| balance.currency == draft.currency);
            left.unwrap_or_else(|| found.map_or(Amount::ZERO, |found| found.amount.into()))
        };
        let invoice = match issued(catalog, subscription, &step, has_usage, balance).await {
            Ok(invoice) => invoice,
            Err(Error::Unbillable(_)) => break,
            Err(error) => return Err(error),
        };
        if let Some((invoice, rest)) = &invoice {
            has_usage = true;
            left = invoice.as_ref().and(Some(*rest)).or(left);
        }
        entries.push((step, invoice.and_then(|(invoice, _)| invoice)));
    }
    Ok(entries)
}

/// The cycle invoice of an action as it would be issued, and what it leaves of the balance. None: the action makes none.
async fn issued(
    catalog: &Arc<Catalog<'_>>,
    subscription: &Subscription,
    step: &Step,
    has_usage: bool,
    balance: impl Fn(&Invoice) -> Amount + Send,
) -> Result<Option<(Option<Invoice>, Amount)>, Error> {
    let mut after = step.after.clone();
    let mut unit = Unit::with(Arc::clone(catalog), Cause::Engine, step.at);
    bill(&mut unit, None, &mut after, None).await?;
    let Some(draft) = unit.invoices.into_iter().find(|invoice| invoice.kind == InvoiceKind::Cycle) else {
        return Ok(None);
    };
    let parts = if has_usage { &[][..] } else { &draft.parts };
    let usage = usage::lines(catalog, subscription.id, parts, step.at).await?;
    let balance = balance(&draft);
    let issued = preview_with(catalog, &draft, &after, usage, step.at, balance).await?;
    let applied = issued.as_ref().map_or(Amount::ZERO, |issued| issued.credit_applied);
    Ok(Some((issued, balance.minus(applied)?)))
}
