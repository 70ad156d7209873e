//! What a document shows: plain data, frozen when the invoice or credit note was issued.

use crate::decimal::Decimal;
use crate::locale::Locale;
use perennial_domain::currency::Currency;
use perennial_domain::invoices::Amount;
use perennial_domain::percent::Percentage;
use perennial_domain::time::Time;

/// Whether the user owes or is credited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are plain")]
pub enum DocumentKind {
    Invoice,
    CreditNote,
}

/// An issued invoice or credit note.
#[derive(Clone, Debug)]
pub struct Document {
    /// Invoice or credit note.
    pub kind: DocumentKind,
    /// Its number.
    pub number: String,
    /// Of a credit note: the number of its invoice.
    pub invoice_number: Option<String>,
    /// When it was issued.
    pub issued_at: Time,
    /// When payment is due.
    pub due_at: Option<Time>,
    /// The billed period.
    pub period: Option<Period>,
    /// The currency of all amounts.
    pub currency: Currency,
    /// The language, and how numbers and dates are written.
    pub locale: Locale,
    /// The IANA name of the organization's time zone. An unknown name is read as UTC.
    pub time_zone: String,
    /// Whether it is of a test organization: `TEST` is written across each page.
    pub is_test: bool,
    /// The organization.
    pub seller: Party,
    /// The user.
    pub buyer: Party,
    /// The lines, in order.
    pub lines: Vec<DocumentLine>,
    /// The sum of the lines.
    pub subtotal: Amount,
    /// The sum of the discounts.
    pub discount: Amount,
    /// Base and tax of each rate.
    pub taxes: Vec<DocumentTax>,
    /// The total.
    pub total: Amount,
    /// What the user's balance paid when the invoice was issued.
    pub credit_applied: Amount,
    /// A text for the user: an invoice's memo, a credit note's reason.
    pub memo: Option<String>,
}

/// A half-open period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are plain")]
pub struct Period {
    pub start: Time,
    pub end: Time,
}

/// A seller or buyer. Empty members are not shown.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the names are the record's")]
pub struct Party {
    pub name: String,
    pub address: Vec<String>,
    pub country: Option<String>,
    pub tax_id: Option<String>,
    pub email: Option<String>,
    pub note: Option<String>,
}

/// A line.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are the record's")]
pub struct DocumentLine {
    pub description: String,
    pub quantity: Option<Decimal>,
    pub unit_price: Option<Decimal>,
    pub amount: Amount,
    pub discount: Amount,
    pub period: Option<Period>,
}

/// The tax of a group of lines and a rate.
#[derive(Clone, Debug)]
pub struct DocumentTax {
    /// The name of the rate.
    pub name: String,
    /// Its percentage.
    pub percentage: Percentage,
    /// Whether the prices include the tax.
    pub is_included: bool,
    /// What is taxed, without tax.
    pub base: Amount,
    /// The tax.
    pub amount: Amount,
}
