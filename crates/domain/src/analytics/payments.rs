//! How a payment counts, by its status now.

use super::calendar::Day;
use super::event::RecordEvent;
use super::sums::PaymentKind;
use crate::currency::Currency;
use crate::events::EventKind;
use crate::money::Money;
use crate::number::Number;
use crate::payments::PaymentStatus;
use crate::time::Time;
use serde::Deserialize;
use std::borrow::Cow;

/// What a payment adds to the sums of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedPayment {
    /// The currency.
    pub currency: Currency,
    /// The day: of `date`, or of `created_at` for a failed one.
    pub day: Day,
    /// Its amount, in ten-thousandths.
    pub amount: i64,
    /// Whether the money came in. If not, the payment failed.
    pub is_collected: bool,
    /// Whether the money was returned.
    pub is_refunded: bool,
}

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    amount: &'a serde_json::value::RawValue,
    #[serde(borrow)]
    currency: Cow<'a, str>,
    #[serde(borrow)]
    status: Cow<'a, str>,
    #[serde(borrow)]
    date: Option<Cow<'a, str>>,
    #[serde(borrow)]
    created_at: Cow<'a, str>,
}

/// Whether events of this kind contain the payment. `payment.collection_failed` contains the reason instead.
pub const fn is_read(kind: EventKind) -> bool {
    matches!(kind, EventKind::PaymentCreated | EventKind::PaymentUpdated | EventKind::PaymentDeleted)
}

/// How the payment counts after an event; none if it does not, or if the event cannot be read.
pub fn read(event: &RecordEvent) -> Option<CountedPayment> {
    if event.kind == EventKind::PaymentDeleted {
        return None;
    }
    let written: Written<'_> = serde_json::from_str(event.after.as_deref()?).ok()?;
    let status = PaymentStatus::from_stored(&written.status)?;
    let is_refunded = status == PaymentStatus::Refunded;
    let is_collected = match status {
        PaymentStatus::Completed
        | PaymentStatus::PartiallyRefunded
        | PaymentStatus::Refunded
        | PaymentStatus::Disputed => true,
        PaymentStatus::Failed => false,
        PaymentStatus::Pending | PaymentStatus::Processing | PaymentStatus::Void => return None,
    };
    let date = if is_collected { written.date.as_ref() } else { None };
    let at = Time::parse(date.unwrap_or(&written.created_at)).ok()?;
    let amount = Money::parse(Number::parse(written.amount.get())?).ok()?;
    Some(CountedPayment {
        currency: Currency::parse(&written.currency).ok()?,
        day: Day::of(at),
        amount: amount.ten_thousandths(),
        is_collected,
        is_refunded,
    })
}

impl CountedPayment {
    /// The sums it is part of.
    pub fn kinds(&self) -> &'static [PaymentKind] {
        match (self.is_collected, self.is_refunded) {
            (true, true) => &[PaymentKind::Collected, PaymentKind::Refunded],
            (true, false) => &[PaymentKind::Collected],
            (false, _) => &[PaymentKind::Failed],
        }
    }
}
