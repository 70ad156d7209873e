//! A Stripe charge without an invoice, as the payment that was collected here: refunds and disputes.

use super::super::amounts::{amount, currency, stripe_decimals};
use super::super::findings::Why;
use super::objects::{Charge, Expandable};
use super::times::instant;
use perennial_domain::connections::facts::PaymentFacts;
use perennial_domain::payments::PaymentStatus;

/// The payment of a charge that succeeded. Its external ID is the intent, and it names no subscription. None: the charge has no
/// intent, or it did not succeed.
pub(super) fn payment(charge: &Charge) -> Result<Option<PaymentFacts>, Why> {
    let Some(intent) = charge.payment_intent.as_ref().map(Expandable::id) else { return Ok(None) };
    if charge.status.as_deref() != Some("succeeded") {
        return Ok(None);
    }
    let units = charge.amount.ok_or_else(|| Why::missing("amount"))?;
    let currency = currency(charge.currency.as_deref().ok_or_else(|| Why::missing("currency"))?)?;
    Ok(Some(PaymentFacts {
        external_id: intent.to_owned(),
        subscription: String::new(),
        amount: amount(&units.to_string(), stripe_decimals(currency), currency)?,
        currency,
        status: status(units, charge.amount_refunded.unwrap_or(0), charge.disputed == Some(true)),
        date: None,
        is_single: false,
        created_at: charge.created.and_then(instant).ok_or_else(|| Why::missing("created"))?,
    }))
}

fn status(units: i64, refunded: i64, is_disputed: bool) -> PaymentStatus {
    match refunded {
        _ if is_disputed => PaymentStatus::Disputed,
        ..=0 => PaymentStatus::Completed,
        _ if refunded < units => PaymentStatus::PartiallyRefunded,
        _ => PaymentStatus::Refunded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_refunded_or_disputed_decides_the_status() {
        for (refunded, disputed, expected) in [
            (0, false, PaymentStatus::Completed),
            (1, false, PaymentStatus::PartiallyRefunded),
            (1998, false, PaymentStatus::PartiallyRefunded),
            (1999, false, PaymentStatus::Refunded),
            (1, true, PaymentStatus::Disputed),
        ] {
            let charge = json!({
                "id": "ch_1", "payment_intent": "pi_1", "amount": 1999, "currency": "usd", "status": "succeeded", "created": 1,
                "amount_refunded": refunded, "disputed": disputed,
            });
            let facts = payment(&serde_json::from_value(charge).unwrap()).unwrap().unwrap();
            assert_eq!((facts.status, facts.external_id.as_str()), (expected, "pi_1"), "{refunded} {disputed}");
        }
        for other in [json!({ "id": "ch_1" }), json!({ "id": "ch_1", "payment_intent": "pi_1", "status": "failed" })] {
            assert!(payment(&serde_json::from_value(other).unwrap()).unwrap().is_none());
        }
    }
}
