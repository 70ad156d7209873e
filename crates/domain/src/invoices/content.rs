//! What an invoice and a credit note store as one text: everything that no statement searches by.

use super::Amount;
use super::credit_note::CreditNote;
use super::credit_notes::Credited;
use super::dunning::Schedule;
use super::record::{Buyer, Invoice, InvoiceLine, Memo, Rendering, Seller, Sums};
use crate::id::{CouponId, TaxRateId};
use crate::lifecycle::bill::BilledPart;
use crate::lifecycle::billing::Collection;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// The stored text of an invoice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of the invoice")]
pub struct InvoiceContent {
    pub collection: Option<Collection>,
    pub period_start: Option<Time>,
    pub period_end: Option<Time>,
    pub lines: Vec<InvoiceLine>,
    pub sums: Sums,
    pub credit_applied: Amount,
    pub amount_paid: Amount,
    pub amount_credited: Amount,
    pub coupon_id: Option<CouponId>,
    pub memo: Option<String>,
    pub finalizes_at: Option<Time>,
    pub paid_at: Option<Time>,
    pub seller: Option<Seller>,
    pub buyer: Option<Buyer>,
    pub credited: Credited,
    pub schedule: Option<Schedule>,
    pub parts: Vec<BilledPart>,
    pub terms: Option<i64>,
    pub own_rates: Vec<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chosen_rates: Vec<Vec<TaxRateId>>,
    pub in_period: Option<Time>,
    pub begins_period: bool,
    pub is_stopped: bool,
    pub rendering: Rendering,
}

impl InvoiceContent {
    /// The content of an invoice.
    pub fn of(invoice: &Invoice) -> Self {
        let from = invoice.clone();
        Self {
            collection: from.collection,
            period_start: from.period_start,
            period_end: from.period_end,
            lines: from.lines,
            sums: from.sums,
            credit_applied: from.credit_applied,
            amount_paid: from.amount_paid,
            amount_credited: from.amount_credited,
            coupon_id: from.coupon_id,
            memo: from.memo.map(|memo| memo.as_str().to_owned()),
            finalizes_at: from.finalizes_at,
            paid_at: from.paid_at,
            seller: from.seller,
            buyer: from.buyer,
            credited: from.credited,
            schedule: from.schedule,
            parts: from.parts,
            terms: from.terms,
            own_rates: from.own_rates,
            chosen_rates: from.chosen_rates,
            in_period: from.in_period,
            begins_period: from.begins_period,
            is_stopped: from.is_stopped,
            rendering: from.rendering,
        }
    }

    /// The content in a stored text. None if this program did not write it.
    pub fn from_stored(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The text that is stored.
    pub fn to_stored(&self) -> String {
        serde_json::to_string(self).expect("content is plain data")
    }

    /// The memo.
    pub fn memo(&self) -> Option<Memo> {
        self.memo.clone().map(Memo::from_stored)
    }
}

/// The stored text of a credit note.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of the credit note")]
pub struct CreditNoteContent {
    pub invoice_number: Option<String>,
    pub lines: Vec<InvoiceLine>,
    pub sums: Sums,
    pub reason: Option<String>,
    pub refund_reference: Option<String>,
    pub applied_amount: Amount,
    pub balance_amount: Amount,
    pub seller: Option<Seller>,
    pub buyer: Option<Buyer>,
    pub in_period: Option<Time>,
    pub rendering: Rendering,
}

impl CreditNoteContent {
    /// The content of a credit note.
    pub fn of(note: &CreditNote) -> Self {
        let from = note.clone();
        Self {
            invoice_number: from.invoice_number,
            lines: from.lines,
            sums: from.sums,
            reason: from.reason,
            refund_reference: from.refund_reference,
            applied_amount: from.applied_amount,
            balance_amount: from.balance_amount,
            seller: from.seller,
            buyer: from.buyer,
            in_period: from.in_period,
            rendering: from.rendering,
        }
    }

    /// The content in a stored text. None if this program did not write it.
    pub fn from_stored(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The text that is stored.
    pub fn to_stored(&self) -> String {
        serde_json::to_string(self).expect("content is plain data")
    }
}
