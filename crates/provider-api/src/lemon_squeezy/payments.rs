//! Lemon Squeezy invoices and orders as payments.

use super::super::amounts::{amount, currency};
use super::super::drafts::ImportedPayment;
use super::super::findings::{Source, Why};
use super::objects::{Invoice, Order};
use super::subscriptions::name_of_order;
use super::times::{time, updated};
use perennial_domain::currency::Currency;
use perennial_domain::money::Money;
use perennial_domain::payments::PaymentStatus;

/// The payment of an invoice, or why there is none.
pub(super) fn of_invoice(invoice: &Invoice, source: &Source) -> Result<(ImportedPayment, Vec<Why>), Why> {
    let created_at = time("created_at", invoice.created_at.as_deref())?;
    let status = status(&invoice.status)?;
    let currency = currency(&invoice.currency)?;
    let payment = ImportedPayment {
        source: source.clone(),
        subscription: invoice.subscription_id.0.clone(),
        external_id: source.id.clone(),
        amount: money(invoice.total, invoice.total_formatted.as_deref(), currency)?,
        currency,
        status,
        date: is_paid(status).then_some(created_at),
        created_at,
        updated_at: updated(invoice.updated_at.as_deref(), created_at),
        is_single: false,
    };
    Ok((payment, losses(status, invoice.discount_total, invoice.refunded_amount)))
}

/// The payment of an order that is paid once.
pub(super) fn of_order(order: &Order, source: &Source) -> Result<(ImportedPayment, Vec<Why>), Why> {
    let created_at = time("created_at", order.created_at.as_deref())?;
    let status = status(&order.status)?;
    let currency = currency(&order.currency)?;
    let payment = ImportedPayment {
        source: source.clone(),
        subscription: name_of_order(source),
        external_id: name_of_order(source),
        amount: money(order.total, order.total_formatted.as_deref(), currency)?,
        currency,
        status,
        date: is_paid(status).then_some(created_at),
        created_at,
        updated_at: updated(order.updated_at.as_deref(), created_at),
        is_single: true,
    };
    Ok((payment, losses(status, order.discount_total, order.refunded_amount)))
}

fn status(word: &str) -> Result<PaymentStatus, Why> {
    Ok(match word {
        "pending" => PaymentStatus::Pending,
        "paid" => PaymentStatus::Completed,
        "void" => PaymentStatus::Void,
        "failed" => PaymentStatus::Failed,
        "refunded" => PaymentStatus::Refunded,
        "partial_refund" => PaymentStatus::PartiallyRefunded,
        other => return Err(Why::new("unknown_status", format!("the status {other:?} is none that we know"))),
    })
}

const fn is_paid(status: PaymentStatus) -> bool {
    matches!(status, PaymentStatus::Completed | PaymentStatus::Refunded | PaymentStatus::PartiallyRefunded)
}

fn losses(status: PaymentStatus, discount: Option<i64>, refunded: Option<i64>) -> Vec<Why> {
    let mut losses = Vec::new();
    if discount.is_some_and(|discount| discount > 0) {
        losses.push(Why::new("coupon", "had a discount: only the total is carried"));
    }
    if status == PaymentStatus::PartiallyRefunded {
        let amount = refunded.map_or("a part".to_owned(), |refunded| format!("{refunded} of its smallest units"));
        losses.push(Why::new("refunded_amount", format!("{amount} went back: the refunded amount is not stored")));
    }
    losses
}

/// An amount "in cents". The service does not define this for currencies without hundredths; the formatted amount
/// shows it. If neither is conclusive, nothing is guessed.
pub(super) fn money(cents: i64, written: Option<&str>, currency: Currency) -> Result<Money, Why> {
    let own = currency.decimals();
    let decimals = if own == 2 || cents == 0 {
        Some(2)
    } else {
        let digits: String = written.unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
        let is_written = |decimals: u32| {
            let units = amount(&cents.to_string(), decimals, currency).ok();
            let whole = amount(&digits, own, currency).ok();
            units.is_some() && units == whole
        };
        [own, 2].into_iter().find(|decimals| is_written(*decimals))
    };
    let decimals = decimals.ok_or_else(|| {
        let detail = format!("{cents} \"cents\" of {currency}, which has none, may be one amount or another");
        Why::new("uncertain_amount", detail)
    })?;
    amount(&cents.to_string(), decimals, currency)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_status_has_its_own() {
        for (word, status, has_date, losses) in [
            ("pending", PaymentStatus::Pending, false, 0),
            ("paid", PaymentStatus::Completed, true, 0),
            ("void", PaymentStatus::Void, false, 0),
            ("refunded", PaymentStatus::Refunded, true, 0),
            ("partial_refund", PaymentStatus::PartiallyRefunded, true, 1),
        ] {
            let invoice: Invoice = serde_json::from_value(json!({
                "subscription_id": 1, "status": word, "currency": "USD", "total": 999, "discount_total": 0,
                "created_at": "2023-01-18T12:16:24.000000Z",
            }))
            .unwrap();
            let (payment, why) =
                of_invoice(&invoice, &Source::new(&"i.json".into(), "subscription-invoices", "5")).unwrap();
            assert_eq!((payment.status, payment.date.is_some(), why.len()), (status, has_date, losses), "{word}");
            assert_eq!((payment.amount.to_string(), payment.subscription), ("9.99".to_owned(), "1".to_owned()));
        }
        assert_eq!(status("eaten").unwrap_err().code, "unknown_status");
    }

    #[test]
    fn cents_of_a_currency_without_hundredths_are_read_as_they_are_written() {
        let read = |cents: i64, written: Option<&str>, code: &str| {
            let money = money(cents, written, Currency::parse(code).unwrap());
            money.map(|money| money.to_string()).map_err(|why| why.code)
        };
        assert_eq!(read(999, None, "USD").as_deref(), Ok("9.99"));
        assert_eq!(read(1500, Some("¥1,500"), "JPY").as_deref(), Ok("1500"));
        assert_eq!(read(150_000, Some("¥1,500"), "JPY").as_deref(), Ok("1500"));
        assert_eq!(read(1500, None, "JPY"), Err("uncertain_amount"));
        assert_eq!(read(1500, Some("¥15"), "JPY").as_deref(), Ok("15"));
        assert_eq!(read(1500, Some("¥20"), "JPY"), Err("uncertain_amount"));
        assert_eq!(read(0, None, "JPY").as_deref(), Ok("0"));
        assert_eq!(read(1250, Some("KWD 1.250"), "KWD").as_deref(), Ok("1.25"));
        assert_eq!(read(125, Some("KWD 1.250"), "KWD").as_deref(), Ok("1.25"));
    }
}
