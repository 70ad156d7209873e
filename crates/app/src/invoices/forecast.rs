//! The invoices of a forecast: those that the next actions would make, as they would be issued.

use super::documents::bill;
use super::issue::preview_with;
use super::unit::{Cause, Unit};
use super::usage;
use crate::context::App;
use crate::error::Error;
use perennial_domain::invoices::Amount;
use perennial_domain::invoices::record::{Invoice, InvoiceKind};
use perennial_domain::lifecycle::Known;
use perennial_domain::lifecycle::actions::Step;
use perennial_domain::subscriptions::Subscription;
use perennial_store::credits;

/// The next actions of a subscription, each with its cycle invoice. The first invoice includes the usage so far.
pub(crate) async fn forecast(
    app: &App,
    subscription: &Subscription,
    known: &Known,
    count: usize,
) -> Result<Vec<(Step, Option<Invoice>)>, Error> {
    let organization = subscription.organization_id;
    let balances = credits::balances(&app.db, organization, subscription.user_id).await?;
    let (mut left, mut has_usage) = (None, false);
    let mut entries = Vec::new();
    for step in subscription.forecast(known, count) {
        let mut after = step.after.clone();
        let mut unit = Unit::new(app, organization, Cause::Engine, step.at);
        bill(&mut unit, None, &mut after, None).await?;
        let draft = unit.invoices.into_iter().find(|invoice| invoice.kind == InvoiceKind::Cycle);
        let invoice = match draft {
            Some(draft) => {
                let parts = if has_usage { &[][..] } else { &draft.parts };
                let usage = usage::lines(app, organization, subscription.id, parts, step.at).await?;
                has_usage = true;
                let balance = balances.iter().find(|balance| balance.currency == draft.currency);
                let balance = left.unwrap_or_else(|| balance.map_or(Amount::ZERO, |found| found.amount.into()));
                let issued = preview_with(app, &draft, &after, usage, step.at, balance).await?;
                if let Some(issued) = &issued {
                    left = Some(balance.minus(issued.credit_applied).unwrap_or_default());
                }
                issued
            }
            None => None,
        };
        entries.push((step, invoice));
    }
    Ok(entries)
}
