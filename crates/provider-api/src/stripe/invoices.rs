//! A Stripe invoice as a payment, with its refunds.

use super::super::amounts::{amount, currency, stripe_decimals};
use super::super::drafts::ImportedPayment;
use super::super::findings::{Source, Why};
use super::objects::{Any, Charge, Expandable, Invoice, InvoiceLine, Prorated, Refund, Transitions};
use super::times::instant;
use perennial_domain::payments::PaymentStatus;
use perennial_domain::time::Time;
use std::collections::{HashMap, HashSet};

/// The refunded amounts, by the IDs of charges, payment intents and invoices.
#[derive(Default)]
pub(super) struct Refunds {
    charges: HashMap<String, Returned>,
    amounts: HashMap<String, i64>,
    /// Refunds that were counted: one may have been saved twice.
    counted: HashSet<String>,
}

#[derive(Clone, Copy, Default)]
struct Returned {
    amount: i64,
    is_disputed: bool,
}

impl Refunds {
    pub(super) fn charge(&mut self, charge: &Charge) {
        let returned = Returned::of(charge);
        if returned.amount == 0 && !returned.is_disputed {
            return;
        }
        let others = [&charge.invoice, &charge.payment_intent].into_iter().flatten().map(Expandable::id);
        for key in others.chain([charge.id.as_str()]) {
            self.charges.insert(key.to_owned(), returned);
        }
    }

    pub(super) fn refund(&mut self, refund: &Refund) {
        let is_undone = matches!(refund.status.as_deref(), Some("failed" | "canceled"));
        if is_undone || !self.counted.insert(refund.id.clone()) {
            return;
        }
        for key in [&refund.charge, &refund.payment_intent].into_iter().flatten().map(Expandable::id) {
            *self.amounts.entry(key.to_owned()).or_default() += refund.amount;
        }
    }

    /// Charges and refunds describe the same money, so the larger amount is the total.
    fn of(&self, invoice: &Invoice) -> Returned {
        let mut returned = match &invoice.charge {
            Some(Expandable::Whole(charge)) => Returned::of(charge),
            _ => Returned::default(),
        };
        for key in keys(invoice) {
            let charge = self.charges.get(key).copied().unwrap_or_default();
            let refunded = self.amounts.get(key).copied().unwrap_or_default();
            returned.amount = returned.amount.max(charge.amount).max(refunded);
            returned.is_disputed |= charge.is_disputed;
        }
        returned
    }
}

impl Returned {
    fn of(charge: &Charge) -> Self {
        Self { amount: charge.amount_refunded.unwrap_or(0), is_disputed: charge.disputed == Some(true) }
    }
}

fn keys(invoice: &Invoice) -> Vec<&str> {
    let mut keys = vec![invoice.id.as_str()];
    keys.extend(invoice.charge.as_ref().map(Expandable::id));
    keys.extend(invoice.payment_intent.as_ref().map(Expandable::id));
    let payments = invoice.payments.iter().flat_map(|payments| &payments.data).filter_map(|made| made.payment.as_ref());
    for payment in payments {
        keys.extend([&payment.charge, &payment.payment_intent].into_iter().flatten().map(Expandable::id));
    }
    keys
}

/// The payment of an invoice, or why there is none.
pub(super) fn payment(
    invoice: &Invoice,
    refunds: &Refunds,
    source: &Source,
) -> Result<(ImportedPayment, Vec<Why>), Why> {
    let subscription = subscription_of(invoice)
        .ok_or_else(|| Why::new("no_subscription", "belongs to no subscription, and a payment here always does"))?;
    if invoice.total.is_some_and(|total| total < 0) {
        return Err(Why::new("credit", "is a credit and no payment: its total is less than nothing"));
    }
    let created_at = invoice.created.and_then(instant).ok_or_else(|| Why::missing("created"))?;
    let returned = refunds.of(invoice);
    let (status, units) = state(invoice, returned)?;
    let units = units.ok_or_else(|| Why::missing("amount_paid or amount_due"))?;
    let currency = currency(&invoice.currency)?;
    let transitions = invoice.status_transitions.as_ref();
    let date = (invoice.status.as_deref() == Some("paid"))
        .then(|| transitions.and_then(|when| when.paid_at).and_then(instant).unwrap_or(created_at));
    let payment = ImportedPayment {
        source: source.clone(),
        subscription: subscription.to_owned(),
        external_id: invoice.id.clone(),
        amount: amount(&units.to_string(), stripe_decimals(currency), currency)?,
        currency,
        status,
        date,
        created_at,
        updated_at: transitions.and_then(last).map_or(created_at, |last| last.max(created_at)),
        is_single: false,
    };
    Ok((payment, losses(invoice, status, returned)))
}

fn subscription_of(invoice: &Invoice) -> Option<&str> {
    let details = invoice.parent.as_ref().and_then(|parent| parent.subscription_details.as_ref());
    let reference: Option<&Expandable<Any>> =
        invoice.subscription.as_ref().or(details.and_then(|details| details.subscription.as_ref()));
    reference.map(Expandable::id)
}

fn last(when: &Transitions) -> Option<Time> {
    [when.paid_at, when.voided_at, when.marked_uncollectible_at].into_iter().flatten().max().and_then(instant)
}

/// The status, and the amount that applies to it.
fn state(invoice: &Invoice, returned: Returned) -> Result<(PaymentStatus, Option<i64>), Why> {
    let (due, paid) = (invoice.amount_due, invoice.amount_paid);
    Ok(match invoice.status.as_deref() {
        Some("paid") if returned.is_disputed => (PaymentStatus::Disputed, paid),
        Some("paid") if returned.amount == 0 => (PaymentStatus::Completed, paid),
        Some("paid") if paid.is_some_and(|paid| returned.amount >= paid) => (PaymentStatus::Refunded, paid),
        Some("paid") => (PaymentStatus::PartiallyRefunded, paid),
        // It will be retried, as a failed payment may be.
        Some("open") if invoice.attempt_count.is_some_and(|count| count > 0) => (PaymentStatus::Failed, due),
        Some("open") => (PaymentStatus::Pending, due),
        Some("uncollectible") => (PaymentStatus::Failed, due),
        Some("void") => (PaymentStatus::Void, due),
        Some("draft") | None => return Err(Why::new("draft_invoice", "is a draft, whose amount may still change")),
        Some(other) => return Err(Why::new("unknown_status", format!("the status {other:?} is none that we know"))),
    })
}

fn losses(invoice: &Invoice, status: PaymentStatus, returned: Returned) -> Vec<Why> {
    let mut losses = Vec::new();
    if status == PaymentStatus::PartiallyRefunded {
        let detail = format!("{} of its smallest units went back: the refunded amount is not stored", returned.amount);
        losses.push(Why::new("refunded_amount", detail));
    }
    if returned.amount == 0 && invoice.post_payment_credit_notes_amount.is_some_and(|amount| amount > 0) {
        losses.push(Why::new(
            "credit_note",
            "has a credit note: save the charges or refunds to see whether money went back",
        ));
    }
    if invoice.lines.as_ref().is_some_and(|lines| lines.data.iter().any(is_proration)) {
        losses.push(Why::new("proration", "has lines for parts of a period: only their total is carried"));
    }
    losses
}

fn is_proration(line: &InvoiceLine) -> bool {
    let prorated = |details: &Option<Prorated>| details.as_ref().is_some_and(|of| of.proration == Some(true));
    let of_parent = line
        .parent
        .as_ref()
        .is_some_and(|parent| prorated(&parent.invoice_item_details) || prorated(&parent.subscription_item_details));
    line.proration == Some(true) || of_parent
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const MADE: i64 = 1_767_225_600;
    const PAID: i64 = 1_767_229_200;

    fn read(change: &Value, refunds: &Refunds) -> Result<(ImportedPayment, Vec<&'static str>), &'static str> {
        let mut invoice = json!({
            "id": "in_1", "object": "invoice", "subscription": "sub_1", "status": "paid", "currency": "usd",
            "amount_due": 1999, "amount_paid": 1999, "total": 1999, "attempt_count": 1, "created": MADE,
            "charge": "ch_1", "status_transitions": { "paid_at": PAID, "voided_at": null },
        });
        for (name, value) in change.as_object().unwrap() {
            invoice[name] = value.clone();
        }
        let invoice: Invoice = serde_json::from_value(invoice).unwrap();
        let read = payment(&invoice, refunds, &Source::new(&"invoices.json".into(), "invoice", "in_1"));
        read.map(|(draft, why)| (draft, why.iter().map(|why| why.code).collect())).map_err(|why| why.code)
    }

    #[test]
    fn each_status_has_its_own_and_counts_its_own_amount() {
        for (change, status, amount, date) in [
            (json!({}), "completed", "19.99", Some(PAID)),
            (json!({ "amount_paid": 1499 }), "completed", "14.99", Some(PAID)),
            (json!({ "amount_paid": 0, "amount_due": 0, "total": 0 }), "completed", "0", Some(PAID)),
            (json!({ "status_transitions": null }), "completed", "19.99", Some(MADE)),
            (json!({ "status": "open", "amount_paid": 0, "attempt_count": 0 }), "pending", "19.99", None),
            (json!({ "status": "open", "amount_paid": 0, "attempt_count": 2 }), "failed", "19.99", None),
            (json!({ "status": "uncollectible", "amount_paid": 0 }), "failed", "19.99", None),
            (json!({ "status": "void", "amount_paid": 0 }), "void", "19.99", None),
            (json!({ "currency": "jpy" }), "completed", "1999", Some(PAID)),
        ] {
            let (draft, losses) = read(&change, &Refunds::default()).unwrap();
            let found = (draft.status.as_str(), draft.amount.to_string(), draft.date);
            assert_eq!(found, (status, amount.to_owned(), date.and_then(instant)), "{change}");
            assert!(losses.is_empty(), "{change}: {losses:?}");
        }
    }

    #[test]
    fn what_is_no_payment_says_why() {
        for (change, code) in [
            (json!({ "subscription": null }), "no_subscription"),
            (json!({ "status": "draft" }), "draft_invoice"),
            (json!({ "status": "forgotten" }), "unknown_status"),
            (json!({ "total": -500, "amount_paid": 0 }), "credit"),
            (json!({ "created": null }), "malformed"),
            (json!({ "amount_paid": null }), "malformed"),
        ] {
            assert_eq!(read(&change, &Refunds::default()).err(), Some(code), "{change}");
        }
    }

    #[test]
    fn refunds_are_found_by_charge_intent_and_invoice() {
        let refunds = |charge: Value, refund: Option<Value>| {
            let mut known = Refunds::default();
            known.charge(&serde_json::from_value(charge).unwrap());
            if let Some(refund) = refund {
                known.refund(&serde_json::from_value(refund).unwrap());
            }
            known
        };
        let whole = refunds(json!({ "id": "ch_1", "amount_refunded": 1999, "disputed": false }), None);
        assert_eq!(read(&json!({}), &whole).unwrap().0.status, PaymentStatus::Refunded);
        let part = refunds(json!({ "id": "ch_9", "amount_refunded": 500, "invoice": "in_1" }), None);
        let (draft, losses) = read(&json!({}), &part).unwrap();
        assert_eq!((draft.status, losses), (PaymentStatus::PartiallyRefunded, vec!["refunded_amount"]));
        let disputed = refunds(json!({ "id": "ch_9", "disputed": true, "payment_intent": "pi_1" }), None);
        assert_eq!(read(&json!({ "payment_intent": "pi_1" }), &disputed).unwrap().0.status, PaymentStatus::Disputed);
        let none = json!({ "id": "ch_9", "amount_refunded": 0 });
        let refund = json!({ "id": "re_1", "amount": 1999, "payment_intent": "pi_2", "status": "succeeded" });
        let newer = json!({ "charge": null, "payments": { "data": [{ "payment": { "payment_intent": "pi_2" } }] } });
        let known = refunds(none.clone(), Some(refund));
        assert_eq!(read(&newer, &known).unwrap().0.status, PaymentStatus::Refunded);
        let failed = json!({ "id": "re_1", "amount": 1999, "payment_intent": "pi_2", "status": "failed" });
        let failed = refunds(none, Some(failed));
        assert_eq!(read(&newer, &failed).unwrap().0.status, PaymentStatus::Completed);
    }

    #[test]
    fn a_refund_saved_twice_counts_once() {
        let mut known = Refunds::default();
        for id in ["re_1", "re_1", "re_2"] {
            let refund = json!({ "id": id, "amount": 700, "charge": "ch_1", "status": "succeeded" });
            known.refund(&serde_json::from_value(refund).unwrap());
        }
        assert_eq!(read(&json!({}), &known).unwrap().0.status, PaymentStatus::PartiallyRefunded);
        assert_eq!(read(&json!({ "amount_paid": 1400 }), &known).unwrap().0.status, PaymentStatus::Refunded);
    }

    #[test]
    fn newer_invoices_name_their_subscription_elsewhere_and_have_prorations() {
        let line = json!({ "parent": { "subscription_item_details": { "proration": true } } });
        let change = json!({
            "subscription": null, "lines": { "data": [line] }, "post_payment_credit_notes_amount": 100,
            "parent": { "type": "subscription_details", "subscription_details": { "subscription": "sub_7" } },
        });
        let (draft, losses) = read(&change, &Refunds::default()).unwrap();
        assert_eq!((draft.subscription.as_str(), losses), ("sub_7", vec!["credit_note", "proration"]));
    }
}
