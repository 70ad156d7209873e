//! A Paddle transaction as a payment, with its adjustments.

use super::super::amounts::{amount, currency};
use super::super::drafts::ImportedPayment;
use super::super::findings::{Source, Why};
use super::objects::{Adjustment, Attempt, Transaction};
use super::times::{created, optional_time, updated};
use perennial_domain::currency::Currency;
use perennial_domain::money::Money;
use perennial_domain::payments::PaymentStatus;
use perennial_domain::time::Time;
use std::collections::HashMap;

/// Adjustments that were saved apart from their transactions, by the IDs of the transactions.
#[derive(Default)]
pub(super) struct Adjustments(HashMap<String, Vec<Adjustment>>);

impl Adjustments {
    pub(super) fn add(&mut self, adjustment: Adjustment) {
        if let Some(transaction) = adjustment.transaction_id.clone() {
            self.0.entry(transaction).or_default().push(adjustment);
        }
    }

    /// Each adjustment once, wherever it was saved.
    fn of<'a>(&'a self, transaction: &'a Transaction) -> impl Iterator<Item = &'a Adjustment> {
        let apart = self.0.get(&transaction.id).into_iter().flatten();
        let all = transaction.adjustments.iter().flatten().chain(apart);
        let by_id: HashMap<&str, &Adjustment> = all.map(|adjustment| (adjustment.id.as_str(), adjustment)).collect();
        by_id.into_values()
    }
}

/// Whether a transaction may belong to a subscription that Paddle has not made yet.
pub(super) fn awaits_subscription(given: &Transaction) -> bool {
    given.subscription_id.is_none() && matches!(given.status.as_str(), "billed" | "paid" | "completed" | "past_due")
}

/// The payment of a transaction, or why there is none.
pub(super) fn payment(
    given: &Transaction,
    adjustments: &Adjustments,
    source: &Source,
) -> Result<(ImportedPayment, Vec<Why>), Why> {
    if matches!(given.status.as_str(), "draft" | "ready") {
        return Err(Why::new("draft_invoice", "is a draft, whose amount may still change"));
    }
    let subscription = given
        .subscription_id
        .as_deref()
        .ok_or_else(|| Why::new("no_subscription", "belongs to no subscription, and a payment here always does"))?;
    let created_at = created(&given.id, given.created_at.as_deref())?;
    let currency = currency(&given.currency_code)?;
    let totals = &given.details.as_ref().ok_or_else(|| Why::missing("details"))?.totals;
    let total = amount(&totals.grand_total, currency.decimals(), currency)?;
    let returned = Returned::of(adjustments.of(given), currency)?;
    let (status, is_paid) = state(&given.status, total, returned)?;
    let payment = ImportedPayment {
        source: source.clone(),
        subscription: subscription.to_owned(),
        external_id: given.id.clone(),
        amount: total,
        currency,
        status,
        date: if is_paid { Some(paid_at(given)?.unwrap_or(created_at)) } else { None },
        created_at,
        updated_at: updated(given.updated_at.as_deref(), created_at),
        is_single: false,
    };
    let mut losses = Vec::new();
    if totals.discount.as_deref().is_some_and(|discount| discount.bytes().any(|digit| (b'1'..=b'9').contains(&digit))) {
        losses.push(Why::new("coupon", "had a discount: only the total is carried"));
    }
    if status == PaymentStatus::PartiallyRefunded {
        let detail = format!("{} {currency} went back: the refunded amount is not stored", returned.amount);
        losses.push(Why::new("refunded_amount", detail));
    }
    Ok((payment, losses))
}

/// The status, and whether money was received.
fn state(word: &str, total: Money, returned: Returned) -> Result<(PaymentStatus, bool), Why> {
    Ok(match word {
        "billed" => (PaymentStatus::Pending, false),
        "past_due" => (PaymentStatus::Failed, false),
        "canceled" => (PaymentStatus::Void, false),
        "paid" | "completed" if returned.is_disputed => (PaymentStatus::Disputed, true),
        "paid" | "completed" if returned.amount.ten_thousandths() == 0 => (PaymentStatus::Completed, true),
        "paid" | "completed" if returned.amount >= total => (PaymentStatus::Refunded, true),
        "paid" | "completed" => (PaymentStatus::PartiallyRefunded, true),
        other => return Err(Why::new("unknown_status", format!("the status {other:?} is none that we know"))),
    })
}

#[derive(Clone, Copy)]
struct Returned {
    amount: Money,
    is_disputed: bool,
}

impl Returned {
    /// Only what was approved counts. Each reversal of a chargeback undoes one.
    fn of<'a>(adjustments: impl Iterator<Item = &'a Adjustment>, currency: Currency) -> Result<Self, Why> {
        let (mut sum, mut chargebacks) = (0_i64, 0_i64);
        for adjustment in adjustments.filter(|adjustment| adjustment.status == "approved") {
            match adjustment.action.as_str() {
                "refund" => {
                    let back = amount(&adjustment.totals.total, currency.decimals(), currency)?;
                    sum = sum.saturating_add(back.ten_thousandths());
                }
                "chargeback" => chargebacks += 1,
                "chargeback_reverse" => chargebacks -= 1,
                _ => {}
            }
        }
        let amount = Money::from_ten_thousandths(sum)
            .ok_or_else(|| Why::new("amount_out_of_range", "its refunds are larger than any amount"))?;
        Ok(Self { amount, is_disputed: chargebacks > 0 })
    }
}

/// The first capture, else when it was billed.
fn paid_at(given: &Transaction) -> Result<Option<Time>, Why> {
    let captured = |attempt: &Attempt| optional_time("captured_at", attempt.captured_at.as_deref());
    let instants: Vec<Option<Time>> = given.payments.iter().flatten().map(captured).collect::<Result<_, _>>()?;
    let first = instants.into_iter().flatten().min();
    Ok(first.or(optional_time("billed_at", given.billed_at.as_deref())?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const MADE: &str = "2026-01-01T00:00:00.000000Z";
    const BILLED: &str = "2026-01-01T00:00:05.000000Z";
    const CAPTURED: &str = "2026-01-01T00:00:04.000000Z";

    fn read(change: &Value, apart: &Adjustments) -> Result<(ImportedPayment, Vec<&'static str>), &'static str> {
        let mut given = json!({
            "id": "txn_1", "status": "completed", "subscription_id": "sub_1", "currency_code": "USD",
            "details": { "totals": { "grand_total": "1999", "discount": "0" } }, "billed_at": BILLED, "created_at": MADE,
            "payments": [{ "captured_at": CAPTURED }, { "captured_at": null }],
        });
        for (name, value) in change.as_object().unwrap() {
            given[name] = value.clone();
        }
        let given: Transaction = serde_json::from_value(given).unwrap();
        let read = payment(&given, apart, &Source::new(&"t.json".into(), "transaction", "txn_1"));
        read.map(|(draft, why)| (draft, why.iter().map(|why| why.code).collect())).map_err(|why| why.code)
    }

    fn adjusted(adjustments: &[(&str, &str, &str)]) -> Value {
        let each = |(number, (action, status, total)): (usize, &(&str, &str, &str))| json!({ "id": format!("adj_{number}"), "transaction_id": "txn_1", "action": action, "status": status, "totals": { "total": total } });
        json!({ "adjustments": adjustments.iter().enumerate().map(each).collect::<Vec<_>>() })
    }

    #[test]
    fn each_status_has_its_own() {
        for (change, status, date) in [
            (json!({}), "completed", Some(CAPTURED)),
            (json!({ "status": "paid", "payments": [] }), "completed", Some(BILLED)),
            (json!({ "status": "paid", "payments": null, "billed_at": null }), "completed", Some(MADE)),
            (json!({ "status": "billed" }), "pending", None),
            (json!({ "status": "past_due" }), "failed", None),
            (json!({ "status": "canceled" }), "void", None),
            (adjusted(&[("refund", "approved", "100")]), "partially_refunded", Some(CAPTURED)),
            (adjusted(&[("refund", "approved", "100"), ("refund", "approved", "1899")]), "refunded", Some(CAPTURED)),
            (adjusted(&[("refund", "pending_approval", "1999")]), "completed", Some(CAPTURED)),
            (adjusted(&[("refund", "rejected", "1999"), ("credit", "approved", "1999")]), "completed", Some(CAPTURED)),
            (adjusted(&[("chargeback", "approved", "1999")]), "disputed", Some(CAPTURED)),
            (
                adjusted(&[("chargeback", "approved", "1999"), ("chargeback_reverse", "approved", "1999")]),
                "completed",
                Some(CAPTURED),
            ),
        ] {
            let (draft, _) = read(&change, &Adjustments::default()).unwrap();
            let date = (draft.status.as_str(), date);
            assert_eq!(date, (status, date.1), "{change}");
            assert_eq!(draft.date.map(|time| time.to_string()).as_deref(), date.1, "{change}");
            assert_eq!((draft.amount.to_string(), draft.subscription.as_str()), ("19.99".to_owned(), "sub_1"));
        }
    }

    #[test]
    fn what_is_no_payment_has_a_reason() {
        for (change, code) in [
            (json!({ "status": "draft" }), "draft_invoice"),
            (json!({ "status": "ready", "subscription_id": null }), "draft_invoice"),
            (json!({ "subscription_id": null }), "no_subscription"),
            (json!({ "status": "lost" }), "unknown_status"),
            (json!({ "details": null }), "malformed"),
            (json!({ "currency_code": "ZZZ" }), "unknown_value"),
        ] {
            assert_eq!(read(&change, &Adjustments::default()).err(), Some(code), "{change}");
        }
    }

    #[test]
    fn an_adjustment_counts_once_wherever_it_was_saved() {
        let mut apart = Adjustments::default();
        let refund = json!({ "id": "adj_0", "transaction_id": "txn_1", "action": "refund", "status": "approved", "totals": { "total": "1000" } });
        apart.add(serde_json::from_value(refund).unwrap());
        let (draft, losses) = read(&adjusted(&[("refund", "approved", "1000")]), &apart).unwrap();
        assert_eq!((draft.status, losses), (PaymentStatus::PartiallyRefunded, vec!["refunded_amount"]));
        let (draft, _) = read(&json!({}), &apart).unwrap();
        assert_eq!(draft.status, PaymentStatus::PartiallyRefunded);
    }
}
