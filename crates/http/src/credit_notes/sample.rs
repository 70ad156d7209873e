//! The example of a credit note: of the example of an invoice, decided by the code that handles a create.

use crate::{invoices, samples};
use perennial_domain::id::{CreditNoteId, InvoiceId};
use perennial_domain::invoices::Amount;
use perennial_domain::invoices::credit_note::{CreditNote, CreditNoteEvent};
use perennial_domain::invoices::crediting::NewNote;
use perennial_domain::invoices::record::{Buyer, Invoice, Seller};
use perennial_domain::invoices::status::InvoiceStatus;
use serde_json::Value;

/// The body of a create.
pub(crate) fn create() -> Value {
    serde_json::json!({
        "invoice_id": InvoiceId::from_bytes(samples::ID), "amount": 20, "reason": "Outage", "settlement": "balance"
    })
}

fn note() -> CreditNote {
    let invoice = Invoice {
        number: Some("INV-000001".to_owned()),
        status: InvoiceStatus::Open,
        issued_at: Some(samples::now()),
        seller: Some(Seller { name: Some("Example Inc.".to_owned()), ..Seller::default() }),
        buyer: Some(Buyer { name: Some("Example Ltd".to_owned()), ..Buyer::default() }),
        ..invoices::sample()
    };
    let (draft, errors) = samples::read(&create(), |fields| super::draft(fields));
    let new = NewNote {
        id: CreditNoteId::from_bytes(samples::ID),
        number: "CRN-000001".to_owned(),
        revision: samples::REVISION,
        now: samples::now(),
    };
    draft.credit(errors, Some(&invoice), Amount::ZERO, new).expect("the example is valid").note
}

/// A credit note as it is returned.
pub(super) fn json() -> Value {
    samples::json(note())
}

/// A credit note in an event.
pub(crate) fn event() -> Value {
    samples::json(CreditNoteEvent(&note()))
}
