//! The fields of creates and updates of invoices.

use crate::call::Body;
use crate::fields::{Fields, Items, NewItems, Sent, SentLines};
use perennial_domain::invoices::items::InvoiceDraft;
use perennial_domain::invoices::record::{Invoice, InvoiceKind};
use perennial_domain::validation::ValidationErrors;
use serde_json::{Value, json};

/// What only the service sets.
const COMPUTED: [&str; 30] = [
    "/number",
    "/kind",
    "/status",
    "/user_id",
    "/currency",
    "/collection",
    "/cycle_at",
    "/period_start",
    "/period_end",
    "/subtotal",
    "/discount",
    "/taxes",
    "/tax",
    "/tax_included",
    "/total",
    "/credit_applied",
    "/amount_paid",
    "/amount_credited",
    "/credited_total",
    "/amount_due",
    "/coupon_id",
    "/attempts",
    "/overdue",
    "/next_action",
    "/next_action_at",
    "/issued_at",
    "/due_at",
    "/paid_at",
    "/seller",
    "/buyer",
];

/// The fields of a create.
pub(crate) fn draft(fields: &mut impl Fields) -> InvoiceDraft {
    let draft = InvoiceDraft {
        subscription_id: fields.required("/subscription_id", "The billed subscription that the invoice is for."),
        lines: fields.required("/lines", "What is billed.").map(|NewItems(items)| items),
        memo: fields.nullable("/memo", "A text for the user."),
        payment_terms_days: fields
            .nullable("/payment_terms_days", "Days until it is due, with manual collection. Null: the plan's value."),
        finalizes_at: None,
    };
    for at in COMPUTED.iter().chain(&["/id", "/created_at", "/updated_at", "/finalizes_at"]) {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back unchanged. `stored` is the record as a response has it.
pub(super) fn patch(fields: &mut impl Fields, stored: Option<&Value>) -> (InvoiceDraft, Option<SentLines>) {
    let patch = InvoiceDraft {
        memo: fields.nullable("/memo", "A text for the user."),
        finalizes_at: fields.nullable("/finalizes_at", "When the service issues a `one_off` draft. Null: never."),
        ..InvoiceDraft::default()
    };
    let lines = fields.optional("/lines", "What is billed, of a `one_off` draft.");
    for at in COMPUTED.iter().chain(&["/id", "/created_at", "/subscription_id"]) {
        let stored = stored.map(|stored| Sent::of(&stored[at.trim_start_matches('/')]));
        fields.unchanged_or_null::<Sent>(at, stored.as_ref().map(Option::as_ref));
    }
    fields.ignored("/updated_at");
    (patch, lines)
}

/// Reads an update of an invoice. Lines that were sent back unchanged are left out.
pub(super) fn read_patch(body: &Body, invoice: &Invoice) -> (InvoiceDraft, ValidationErrors) {
    let stored = json!(invoice);
    let ((mut draft, lines), mut errors) = body.read(|fields| patch(fields, Some(&stored)));
    if let Some(lines) = lines.filter(|lines| Sent::of(&invoice.lines).as_ref() != Some(&lines.sent)) {
        if invoice.kind == InvoiceKind::OneOff {
            lines.errors.iter().for_each(|error| errors.add(error.pointer.clone(), error.reason.clone()));
            draft.lines = lines.items.map(|Items(items)| items);
        } else {
            // The decision rejects them, whatever they are.
            draft.lines = Some(Vec::new());
        }
    }
    (draft, errors)
}
