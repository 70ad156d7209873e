//! The page of a user's invoices and credit notes, and their documents.

use super::format::{day, money};
use super::pages::{Frame, Place, see_other, status};
use super::{not_found, texts};
use crate::documents;
use crate::problem::Problem;
use crate::query::decode;
use crate::reply::Reply;
use maud::{Markup, html};
use perennial_app::context::App;
use perennial_app::documents::DocumentFormat;
use perennial_app::error::Error;
use perennial_app::portal::{PortalSession, invoices};
use perennial_domain::currency::Currency;
use perennial_domain::invoices::Amount;
use perennial_domain::invoices::credit_note::CreditNote;
use perennial_domain::invoices::record::Invoice;
use perennial_domain::money::Money;
use perennial_domain::time::Time;

pub(super) async fn page(app: &App, frame: &Frame<'_>, query: Option<&str>) -> Result<Reply, Error> {
    let cursor = query.and_then(|query| query.strip_prefix("cursor=")).and_then(decode);
    let (issued, next) = match invoices::list(app, frame.known, cursor.as_deref()).await {
        // A cursor that was changed, or of another key: the newest page.
        Err(Error::InvalidCursor) => return Ok(see_other("/portal/invoices")),
        found => found?,
    };
    let content = html! {
        @if issued.is_empty() {
            div class="card" { p { (texts::NO_INVOICES) } }
        } @else {
            (table(texts::INVOICES, &html! { @for one in &issued { (invoice_row(one)) } }))
        }
        @if let Some(next) = next { p { a href={ "/portal/invoices?cursor=" (next) } { (texts::OLDER_INVOICES) } } }
    };
    Ok(frame.page(Place::Payments, texts::INVOICES, &content))
}

/// The newest invoices and credit notes, for the page of payments. Nothing if there are none.
pub(super) async fn newest(app: &App, known: &PortalSession) -> Result<Markup, Error> {
    let (issued, next) = invoices::list(app, known, None).await?;
    let notes = invoices::notes(app, known).await?;
    Ok(html! {
        @if !issued.is_empty() {
            h2 { (texts::INVOICES) }
            (table(texts::INVOICES, &html! { @for one in &issued { (invoice_row(one)) } }))
            @if let Some(next) = next { p { a href={ "/portal/invoices?cursor=" (next) } { (texts::OLDER_INVOICES) } } }
        }
        @if !notes.is_empty() {
            h2 { (texts::CREDIT_NOTES) }
            (table(texts::CREDIT_NOTES, &html! { @for one in &notes { (note_row(one)) } }))
        }
        @if !issued.is_empty() || !notes.is_empty() { h2 { (texts::PAYMENTS_ALONE) } }
    })
}

fn table(label: &str, rows: &Markup) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="group" aria-label={ (label) " table" } {
            table aria-label=(label) {
                thead { tr {
                    th scope="col" { "Number" }
                    th scope="col" { "Date" }
                    th scope="col" { "Status" }
                    th scope="col" class="number" { "Total" }
                    th scope="col" { "Document" }
                } }
                tbody { (rows) }
            }
        }
    }
}

fn invoice_row(invoice: &Invoice) -> Markup {
    let number = invoice.number.as_deref().unwrap_or_default();
    let at = invoice.issued_at.unwrap_or(invoice.created_at);
    let word = texts::invoice_status(invoice.status, invoice.is_overdue());
    let amount = shown(invoice.sums.total, invoice.currency);
    row(number, at, word, &amount, &format!("/portal/invoices/{}/document", invoice.id))
}

fn note_row(note: &CreditNote) -> Markup {
    let amount = shown(note.sums.total, note.currency);
    row(&note.number, note.issued_at, texts::CREDITED, &amount, &format!("/portal/credit-notes/{}/document", note.id))
}

fn row(number: &str, at: Time, word: (&str, &str), amount: &str, document: &str) -> Markup {
    html! {
        tr {
            td { (number) }
            td { time datetime=(at) { (day(at)) } }
            td { (status(word)) }
            td class="number" { (amount) }
            td {
                a href=(document) aria-label={ "View " (number) } { (texts::VIEW) }
                " "
                a href={ (document) "?format=pdf" } aria-label={ "Download " (number) " as PDF" } { "PDF" }
            }
        }
    }
}

/// Totals are never negative.
fn shown(total: Amount, currency: Currency) -> String {
    Money::from_ten_thousandths(total.ten_thousandths())
        .map_or_else(|| total.to_string(), |total| money(total, currency))
}

/// A document of the user. What is another user's is not found.
pub(super) async fn document(
    app: &App,
    known: &PortalSession,
    [kind, id]: [&str; 2],
    query: Option<&str>,
) -> Result<Reply, Problem> {
    let format = match query {
        None | Some("" | "format=html") => DocumentFormat::Html,
        Some("format=pdf") => DocumentFormat::Pdf,
        Some(_) => return Err(not_found()),
    };
    let rendered = if kind == "credit-notes" {
        invoices::note(app, known, id.parse().map_err(|_| not_found())?, format).await?
    } else {
        invoices::invoice(app, known, id.parse().map_err(|_| not_found())?, format).await?
    };
    Ok(documents::reply(rendered))
}
