//! Invoices and credit notes as documents. A document is a pure function of the frozen record and the template version in it, so
//! that it has the same bytes at any later time.

use crate::error::{Conflict, Error};
use perennial_documents::{
    Decimal, Document, DocumentKind, DocumentLine, DocumentTax, Locale, Party, Period, Template, html, pdf,
};
use perennial_domain::currency::Currency;
use perennial_domain::invoices::credit_note::CreditNote;
use perennial_domain::invoices::record::{Buyer, Invoice, InvoiceLine, InvoiceTax, Rendering, Seller, Sums};
use perennial_domain::invoices::{self, Amount};
use perennial_domain::plans::billing::TaxBehavior;
use perennial_domain::time::Time;
use perennial_domain::validation::{InvalidValue, ValidationCode};

/// The format of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DocumentFormat {
    /// One HTML file.
    #[default]
    Html,
    /// A PDF with embedded fonts.
    Pdf,
}

impl DocumentFormat {
    /// Every format.
    pub const ALL: [Self; 2] = [Self::Html, Self::Pdf];

    /// The word in the API, and the ending of a file's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Pdf => "pdf",
        }
    }

    /// Parses the word.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let found = Self::ALL.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| InvalidValue::new(ValidationCode::UnknownValue, "must be one of html, pdf"))
    }
}

/// A document in one format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The format.
    pub format: DocumentFormat,
    /// The number of the invoice or credit note: the name of a file.
    pub number: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The document of an invoice. A draft has none.
pub async fn of_invoice(invoice: &Invoice, format: DocumentFormat) -> Result<Rendered, Error> {
    let (Some(number), Some(issued_at)) = (&invoice.number, invoice.issued_at) else {
        return Err(Conflict::InvoiceNotFinal.into());
    };
    let document = Document {
        kind: DocumentKind::Invoice,
        number: number.clone(),
        invoice_number: None,
        due_at: invoice.due_at,
        period: period(invoice.period_start, invoice.period_end),
        credit_applied: invoice.credit_applied,
        memo: invoice.memo.as_ref().map(|memo| memo.as_str().to_owned()),
        ..frame(&invoice.rendering, invoice.seller.as_ref(), invoice.buyer.as_ref(), issued_at)
    };
    let document = Document { currency: invoice.currency, ..with_sums(document, &invoice.lines, &invoice.sums) };
    render(document, invoice.rendering.template, format).await
}

/// The document of a credit note.
pub async fn of_credit_note(note: &CreditNote, format: DocumentFormat) -> Result<Rendered, Error> {
    let document = Document {
        kind: DocumentKind::CreditNote,
        number: note.number.clone(),
        invoice_number: note.invoice_number.clone(),
        memo: note.reason.clone(),
        ..frame(&note.rendering, note.seller.as_ref(), note.buyer.as_ref(), note.issued_at)
    };
    let document = Document { currency: note.currency, ..with_sums(document, &note.lines, &note.sums) };
    render(document, note.rendering.template, format).await
}

/// Fonts are read and glyphs copied for a PDF: milliseconds that other requests of the thread would wait for.
async fn render(document: Document, template: i64, format: DocumentFormat) -> Result<Rendered, Error> {
    let unknown = || Error::Internal(format!("a document has the unknown template version {template}"));
    let template = Template::from_stored(template).ok_or_else(unknown)?;
    let number = document.number.clone();
    let work = move || match format {
        DocumentFormat::Html => html(&document, template).into_bytes(),
        DocumentFormat::Pdf => pdf(&document, template),
    };
    let bytes = tokio::task::spawn_blocking(work).await;
    let bytes = bytes.map_err(|error| Error::Internal(format!("a document could not be rendered: {error}")))?;
    Ok(Rendered { format, number, bytes })
}

/// A document without what differs between invoices and credit notes, and without amounts.
fn frame(rendering: &Rendering, seller: Option<&Seller>, buyer: Option<&Buyer>, issued_at: Time) -> Document {
    let locale = buyer.and_then(|buyer| buyer.locale.as_deref()).and_then(Locale::from_stored);
    Document {
        kind: DocumentKind::Invoice,
        number: String::new(),
        invoice_number: None,
        issued_at,
        due_at: None,
        period: None,
        currency: Currency::USD,
        locale: locale.unwrap_or_default(),
        time_zone: rendering.time_zone.clone(),
        is_test: rendering.is_test,
        seller: seller.map(seller_party).unwrap_or_default(),
        buyer: buyer.map(buyer_party).unwrap_or_default(),
        lines: Vec::new(),
        subtotal: Amount::ZERO,
        discount: Amount::ZERO,
        taxes: Vec::new(),
        total: Amount::ZERO,
        credit_applied: Amount::ZERO,
        memo: None,
    }
}

fn with_sums(document: Document, lines: &[InvoiceLine], sums: &Sums) -> Document {
    Document {
        lines: lines.iter().map(line).collect(),
        subtotal: sums.subtotal,
        discount: sums.discount,
        taxes: sums.taxes.iter().map(tax).collect(),
        total: sums.total,
        ..document
    }
}

fn period(start: Option<Time>, end: Option<Time>) -> Option<Period> {
    Some(Period { start: start?, end: end? })
}

fn line(line: &InvoiceLine) -> DocumentLine {
    DocumentLine {
        description: line.description.clone(),
        quantity: line.quantity.map(decimal),
        unit_price: line.unit_price.map(decimal),
        amount: line.amount,
        discount: line.discount,
        period: period(line.period_start, line.period_end),
    }
}

fn tax(tax: &InvoiceTax) -> DocumentTax {
    DocumentTax {
        name: tax.name.clone(),
        percentage: tax.percentage.percentage().unwrap_or_default(),
        is_included: tax.tax_behavior == TaxBehavior::Inclusive,
        base: tax.base,
        amount: tax.amount,
    }
}

const fn decimal(number: invoices::Decimal) -> Decimal {
    Decimal { digits: number.digits, decimals: number.decimals }
}

fn seller_party(seller: &Seller) -> Party {
    Party {
        name: seller.name.clone().unwrap_or_default(),
        address: seller.address.clone(),
        country: seller.country.clone(),
        tax_id: seller.tax_id.clone(),
        email: seller.email.clone(),
        note: seller.note.clone(),
    }
}

fn buyer_party(buyer: &Buyer) -> Party {
    Party {
        name: buyer.name.clone().unwrap_or_default(),
        address: buyer.address.clone(),
        country: buyer.country.clone(),
        tax_id: buyer.tax_id.clone(),
        email: buyer.email.clone(),
        note: buyer.note.clone(),
    }
}
