//! What a write would issue, for the response of a dry run.

use super::issue::preview;
use super::unit::Unit;
use super::usage;
use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::error::Error;
use perennial_domain::invoices::record::Invoice;
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;

/// Reports the documents of a unit that is not committed. Drafts are shown as they would be issued.
pub(crate) async fn report(unit: &mut Unit<'_>, caller: &Caller, subscription: &Subscription) -> Result<(), Error> {
    let mut issued = Vec::new();
    for invoice in &unit.invoices {
        issued.extend(shown(&unit.catalog, invoice, subscription, unit.now).await?);
    }
    caller.tried.set(issued, std::mem::take(&mut unit.notes));
    Ok(())
}

async fn shown(
    catalog: &Catalog<'_>,
    invoice: &Invoice,
    subscription: &Subscription,
    now: Time,
) -> Result<Option<Invoice>, Error> {
    if invoice.status != InvoiceStatus::Draft {
        return Ok(Some(invoice.clone()));
    }
    let until = invoice.cycle_at.unwrap_or(now);
    let usage = usage::lines(catalog, invoice.subscription_id, &invoice.parts, until).await?;
    preview(catalog, invoice, subscription, usage, now).await
}
