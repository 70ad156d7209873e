//! The record of a credit note: immutable, and numbered when it is created. Amounts are positive in the user's favor.

use super::Amount;
use super::record::{Buyer, InvoiceLine, Rendering, Seller, Sums};
use crate::currency::Currency;
use crate::id::{CreditNoteId, EventId, InvoiceId, OrganizationId, SubscriptionId, UserId};
use crate::time::Time;
use crate::words::words;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

words! {
    /// Where a credit note's amount goes that reduces no invoice.
    NoteSettlement {
        /// To the balance of the user.
        Balance = "balance",
        /// It is refunded outside of the service.
        Refund = "refund",
    }
}

/// The reason of a note that a change of the subscription makes.
pub const CHANGE_REASON: &str = "change";

/// A credit note. It serializes as the record that the API returns.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct CreditNote {
    pub id: CreditNoteId,
    pub number: String,
    /// None: the note of a change.
    pub invoice_id: Option<InvoiceId>,
    pub invoice_number: Option<String>,
    pub subscription_id: SubscriptionId,
    pub user_id: UserId,
    pub currency: Currency,
    pub lines: Vec<InvoiceLine>,
    pub sums: Sums,
    pub reason: Option<String>,
    pub settlement: NoteSettlement,
    pub refund_reference: Option<String>,
    pub applied_amount: Amount,
    pub balance_amount: Amount,
    pub issued_at: Time,
    pub seller: Option<Seller>,
    pub buyer: Option<Buyer>,
    pub created_at: Time,
    pub organization_id: OrganizationId,
    /// Its only event.
    pub revision: EventId,
    /// Of the note of a change: the invoice that its credit line reverses. Not returned, as all that follow.
    pub source_invoice_id: Option<InvoiceId>,
    /// When the period began in which its fee and proration lines were created.
    pub in_period: Option<Time>,
    /// How its document is rendered.
    pub rendering: Rendering,
}

/// A credit note as an event stores it: without the buyer.
#[derive(Clone, Copy, Debug)]
pub struct CreditNoteEvent<'a>(pub &'a CreditNote);

impl Serialize for CreditNote {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("CreditNote", 22)?;
        self.write::<S>(&mut fields)?;
        fields.serialize_field("buyer", &self.buyer)?;
        fields.serialize_field("created_at", &self.created_at)?;
        fields.end()
    }
}

impl Serialize for CreditNoteEvent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("CreditNote", 21)?;
        self.0.write::<S>(&mut fields)?;
        fields.serialize_field("created_at", &self.0.created_at)?;
        fields.end()
    }
}

impl CreditNote {
    fn write<S: Serializer>(&self, fields: &mut S::SerializeStruct) -> Result<(), S::Error> {
        fields.serialize_field("id", &self.id)?;
        fields.serialize_field("number", &self.number)?;
        fields.serialize_field("invoice_id", &self.invoice_id)?;
        fields.serialize_field("invoice_number", &self.invoice_number)?;
        fields.serialize_field("subscription_id", &self.subscription_id)?;
        fields.serialize_field("user_id", &self.user_id)?;
        fields.serialize_field("currency", &self.currency)?;
        fields.serialize_field("lines", &self.lines)?;
        fields.serialize_field("subtotal", &self.sums.subtotal)?;
        fields.serialize_field("discount", &self.sums.discount)?;
        fields.serialize_field("taxes", &self.sums.taxes)?;
        fields.serialize_field("tax", &self.sums.tax)?;
        fields.serialize_field("tax_included", &self.sums.tax_included)?;
        fields.serialize_field("total", &self.sums.total)?;
        fields.serialize_field("reason", &self.reason)?;
        fields.serialize_field("settlement", &self.settlement)?;
        fields.serialize_field("refund_reference", &self.refund_reference)?;
        fields.serialize_field("applied_amount", &self.applied_amount)?;
        fields.serialize_field("balance_amount", &self.balance_amount)?;
        fields.serialize_field("issued_at", &self.issued_at)?;
        fields.serialize_field("seller", &self.seller)
    }
}
