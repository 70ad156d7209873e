//! What a write would issue, for the response of a dry run.

use super::context::issue_context;
use super::unit::{BalanceChange, Unit};
use super::usage;
use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::error::Error;
use perennial_domain::invoices::Amount;
use perennial_domain::invoices::issuing::IssueContext;
use perennial_domain::invoices::record::Invoice;
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;

/// Reports the documents of a unit that is not committed. Drafts are shown as they would be issued: in this order, each with what
/// the unit and the drafts before it leave of the balance.
pub(crate) async fn report(unit: &mut Unit<'_>, caller: &Caller, subscription: &Subscription) -> Result<(), Error> {
    let mut invoices = std::mem::take(&mut unit.invoices);
    invoices.sort_by_key(|invoice| (invoice.finalizes_at, invoice.id));
    let mut credited = std::mem::take(&mut unit.credited);
    let mut shown = Vec::new();
    for invoice in invoices {
        if invoice.status != InvoiceStatus::Draft {
            shown.push(invoice);
            continue;
        }
        let added = added(&credited, &invoice)?;
        if let Some(issued) = preview(&unit.catalog, &invoice, subscription, added, unit.now).await? {
            credited.push(((issued.user_id, issued.currency), issued.credit_applied.negated()));
            shown.push(issued);
        }
    }
    caller.tried.set(shown, std::mem::take(&mut unit.notes));
    Ok(())
}

/// What was added so far to the balance that an invoice uses.
fn added(credited: &[BalanceChange], invoice: &Invoice) -> Result<Amount, Error> {
    let of_invoice = credited.iter().filter(|(of, _)| *of == (invoice.user_id, invoice.currency));
    Ok(Amount::sum(of_invoice.map(|(_, amount)| *amount))?)
}

/// The draft as it would be issued with the usage so far, and with this much more in the balance. None: it has no lines.
async fn preview(
    catalog: &Catalog<'_>,
    draft: &Invoice,
    subscription: &Subscription,
    added: Amount,
    now: Time,
) -> Result<Option<Invoice>, Error> {
    let until = draft.cycle_at.unwrap_or(now);
    let usage = usage::lines(catalog, draft.subscription_id, &draft.parts, until).await?;
    let context = issue_context(catalog, subscription, draft, usage, now).await?;
    let balance = context.balance.plus(added)?;
    Ok(draft.issue(subscription, &IssueContext { balance, ..context })?)
}
