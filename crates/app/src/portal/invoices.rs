//! What a user sees of invoices and credit notes in the portal. Drafts are not shown: they are not owed yet.

use super::sessions::PortalSession;
use crate::context::App;
use crate::documents::{self, DocumentFormat, Rendered};
use crate::error::Error;
use crate::{credit_notes, invoices};
use perennial_domain::id::{CreditNoteId, InvoiceId};
use perennial_domain::invoices::credit_note::CreditNote;
use perennial_domain::invoices::record::Invoice;
use perennial_domain::invoices::status::InvoiceStatus;

/// The most invoices on a page.
const MAX_INVOICES: usize = 25;
/// The most credit notes of an invoice or a change that a page shows.
const MAX_NOTES: usize = 25;

/// A page of the user's issued invoices, newest first, and the cursor of the next page.
pub async fn list(
    app: &App,
    known: &PortalSession,
    cursor: Option<&str>,
) -> Result<(Vec<Invoice>, Option<String>), Error> {
    let statuses = InvoiceStatus::ALL.into_iter().filter(|status| status.is_issued()).collect();
    let query = invoices::Query { statuses, ..invoices::Query::default() };
    invoices::list(app, &known.caller(""), query, cursor, MAX_INVOICES).await
}

/// The user's newest credit notes.
pub async fn notes(app: &App, known: &PortalSession) -> Result<Vec<CreditNote>, Error> {
    let query = credit_notes::Query::default();
    Ok(credit_notes::page(app, &known.caller(""), query, None, MAX_NOTES).await?.items)
}

/// The document of one of the user's invoices. A draft is not found.
pub async fn invoice(
    app: &App,
    known: &PortalSession,
    id: InvoiceId,
    format: DocumentFormat,
) -> Result<Rendered, Error> {
    let invoice = invoices::read(app, &known.caller(""), id).await?;
    if !invoice.status.is_issued() {
        return Err(Error::NotFound);
    }
    documents::of_invoice(&invoice, format).await
}

/// The document of one of the user's credit notes.
pub async fn note(
    app: &App,
    known: &PortalSession,
    id: CreditNoteId,
    format: DocumentFormat,
) -> Result<Rendered, Error> {
    documents::of_credit_note(&credit_notes::read(app, &known.caller(""), id).await?, format).await
}
