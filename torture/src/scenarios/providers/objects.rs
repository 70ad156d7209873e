//! The objects of the three providers, as their APIs return them.

use perennial_fake_provider::{FakeProvider, Kind};
use serde_json::{Value, json};

use super::item::{Item, Paid, Status};

pub(super) const DAY: i64 = 86_400;
/// When expired subscriptions ended: 2026-02-01.
pub(super) const ENDED: i64 = 1_769_904_000;
/// When everything was created: 2026-01-01.
const CREATED: i64 = 1_767_225_600;

/// A collection and an object of it.
type Object = (&'static str, Value);

pub(super) fn subscription_id(kind: Kind, number: usize) -> String {
    match kind {
        Kind::Stripe => format!("sub_stripe{number}"),
        Kind::LemonSqueezy => (200_000 + number).to_string(),
        Kind::Paddle => format!("sub_paddle{number}"),
    }
}

pub(super) fn payment_id(kind: Kind, number: usize) -> String {
    match kind {
        Kind::Stripe => format!("in_stripe{number}"),
        Kind::LemonSqueezy => (300_000 + number).to_string(),
        Kind::Paddle => format!("txn_paddle{number}"),
    }
}

pub(super) fn event_name(kind: Kind, is_payment: bool) -> &'static str {
    match (kind, is_payment) {
        (Kind::Stripe, false) => "customer.subscription.updated",
        (Kind::Stripe, true) => "invoice.updated",
        (Kind::LemonSqueezy, false) => "subscription_updated",
        (Kind::LemonSqueezy, true) => "subscription_payment_success",
        (Kind::Paddle, false) => "subscription.updated",
        (Kind::Paddle, true) => "transaction.updated",
    }
}

pub(super) fn put_prices(fake: &FakeProvider) {
    let at = instant(CREATED);
    match fake.kind {
        Kind::Stripe => fake.put(
            "prices",
            json!({
                "id": "price_1", "object": "price", "active": true, "currency": "usd", "unit_amount": 1999, "livemode": false,
                "created": CREATED, "recurring": { "interval": "month", "interval_count": 1 },
                "product": { "id": "prod_1", "object": "product", "name": "Stripe plan", "active": true },
            }),
        ),
        Kind::LemonSqueezy => {
            let product = json!({ "store_id": 1, "name": "Lemon plan", "status": "published", "created_at": at });
            let variant = json!({ "product_id": 2, "name": "Default", "status": "published", "created_at": at });
            let price = json!({
                "variant_id": 3, "category": "subscription", "unit_price": 999, "renewal_interval_unit": "month",
                "renewal_interval_quantity": 1, "created_at": at,
            });
            fake.put("stores", resource("stores", "1", json!({ "currency": "USD" })));
            fake.put("products", resource("products", "2", product));
            fake.put("variants", resource("variants", "3", variant));
            fake.put("prices", resource("prices", "4", price));
        }
        Kind::Paddle => fake.put("prices", paddle_price()),
    }
}

pub(super) fn put_customer(fake: &FakeProvider, number: usize) {
    let object = match fake.kind {
        Kind::Stripe => json!({
            "id": format!("cus_{number}"), "object": "customer", "email": format!("stripe{number}@example.com"), "created": CREATED,
        }),
        Kind::LemonSqueezy => {
            let attributes = json!({ "email": format!("lemon{number}@example.com"), "created_at": instant(CREATED) });
            resource("customers", &(100_000 + number).to_string(), attributes)
        }
        Kind::Paddle => json!({
            "id": format!("ctm_paddle{number}"), "email": format!("paddle{number}@example.com"), "created_at": instant(CREATED),
        }),
    };
    fake.put("customers", object);
}

/// The subscription and the payment of an item.
pub(super) fn of(kind: Kind, item: &Item, now: i64) -> [Object; 2] {
    match kind {
        Kind::Stripe => stripe(item, now),
        Kind::LemonSqueezy => lemon_squeezy(item, now),
        Kind::Paddle => paddle(item, now),
    }
}

fn stripe(item: &Item, now: i64) -> [Object; 2] {
    let (id, payment) = (subscription_id(Kind::Stripe, item.number), payment_id(Kind::Stripe, item.number));
    let status = match item.status {
        Status::Trial => "trialing",
        Status::Active | Status::Leaving => "active",
        Status::PastDue => "past_due",
        Status::Paused => "paused",
        Status::Expired => "canceled",
    };
    let subscription = json!({
        "id": id, "object": "subscription", "customer": format!("cus_{}", item.number), "status": status, "livemode": false,
        "created": CREATED, "start_date": CREATED, "current_period_end": item.renews,
        "cancel_at_period_end": item.status == Status::Leaving,
        "ended_at": (item.status == Status::Expired).then_some(ENDED),
        "items": { "data": [{ "price": { "id": "price_1", "currency": "usd" }, "quantity": item.quantity }] },
        "metadata": { "version": item.version },
    });
    let (status, attempts, refunded) = match item.paid {
        Paid::Pending => ("open", 0, 0),
        Paid::Failed => ("open", 1, 0),
        Paid::Completed => ("paid", 1, 0),
        Paid::InPart => ("paid", 1, 100),
        Paid::Refunded => ("paid", 1, item.cents),
        Paid::Void => ("void", 0, 0),
    };
    let invoice = json!({
        "id": payment, "object": "invoice", "subscription": id, "status": status, "currency": "usd", "livemode": false,
        "amount_due": item.cents, "amount_paid": item.cents, "total": item.cents, "attempt_count": attempts,
        "created": now - 10 * DAY, "metadata": { "version": item.version },
        "charge": { "id": format!("ch_{}", item.number), "object": "charge", "amount_refunded": refunded, "disputed": false },
    });
    [("subscriptions", subscription), ("invoices", invoice)]
}

fn lemon_squeezy(item: &Item, now: i64) -> [Object; 2] {
    let kind = Kind::LemonSqueezy;
    let status = match item.status {
        Status::Trial => "on_trial",
        Status::Active => "active",
        Status::PastDue => "past_due",
        Status::Paused => "paused",
        Status::Leaving => "cancelled",
        Status::Expired => "expired",
    };
    let ends = match item.status {
        Status::Leaving => Some(instant(item.renews)),
        Status::Expired => Some(instant(ENDED)),
        _ => None,
    };
    // A webhook without an ID is known by its body, which the time of the change makes different.
    let changed = instant(CREATED + i64::try_from(item.version).unwrap_or_default());
    let subscription = json!({
        "store_id": 1, "customer_id": 100_000 + item.number, "variant_id": 3, "status": status, "test_mode": true,
        "renews_at": instant(item.renews), "ends_at": ends, "created_at": instant(CREATED), "updated_at": changed,
        "first_subscription_item": { "quantity": item.quantity },
    });
    let status = match item.paid {
        Paid::Pending => "pending",
        Paid::Failed => "failed",
        Paid::Completed => "paid",
        Paid::InPart => "partial_refund",
        Paid::Refunded => "refunded",
        Paid::Void => "void",
    };
    let invoice = json!({
        "store_id": 1, "subscription_id": 200_000 + item.number, "status": status, "currency": "USD", "total": item.cents,
        "test_mode": true, "created_at": instant(now - 10 * DAY), "updated_at": changed,
    });
    [
        ("subscriptions", resource("subscriptions", &subscription_id(kind, item.number), subscription)),
        ("subscription-invoices", resource("subscription-invoices", &payment_id(kind, item.number), invoice)),
    ]
}

fn paddle(item: &Item, now: i64) -> [Object; 2] {
    let (id, payment) = (subscription_id(Kind::Paddle, item.number), payment_id(Kind::Paddle, item.number));
    let status = match item.status {
        Status::Trial => "trialing",
        Status::Active | Status::Leaving => "active",
        Status::PastDue => "past_due",
        Status::Paused => "paused",
        Status::Expired => "canceled",
    };
    let is_leaving = item.status == Status::Leaving;
    let scheduled = is_leaving.then(|| json!({ "action": "cancel", "effective_at": instant(item.renews) }));
    let subscription = json!({
        "id": id, "customer_id": format!("ctm_paddle{}", item.number), "status": status, "started_at": instant(CREATED),
        "items": [{ "price": paddle_price(), "quantity": item.quantity }], "next_billed_at": instant(item.renews),
        "canceled_at": (item.status == Status::Expired).then(|| instant(ENDED)), "scheduled_change": scheduled,
        "created_at": instant(CREATED), "custom_data": { "version": item.version },
    });
    let refunded = match item.paid {
        Paid::InPart => Some(100),
        Paid::Refunded => Some(item.cents),
        _ => None,
    };
    let adjustments = refunded.map(|cents| {
        json!([{
            "id": format!("adj_{}", item.number), "transaction_id": payment, "action": "refund", "status": "approved",
            "totals": { "total": cents.to_string() },
        }])
    });
    let status = match item.paid {
        Paid::Pending => "billed",
        Paid::Failed => "past_due",
        Paid::Void => "canceled",
        Paid::Completed | Paid::InPart | Paid::Refunded => "completed",
    };
    let transaction = json!({
        "id": payment, "status": status, "subscription_id": id, "currency_code": "USD", "adjustments": adjustments,
        "details": { "totals": { "grand_total": item.cents.to_string() } }, "created_at": instant(now - 10 * DAY),
        "custom_data": { "version": item.version },
    });
    [("subscriptions", subscription), ("transactions", transaction)]
}

fn paddle_price() -> Value {
    json!({
        "id": "pri_paddle1", "product_id": "pro_1", "status": "active", "description": "Paddle plan", "created_at": instant(CREATED),
        "unit_price": { "amount": "500", "currency_code": "USD" }, "billing_cycle": { "interval": "month", "frequency": 1 },
        "product": { "id": "pro_1", "name": "Paddle plan" },
    })
}

fn resource(kind: &str, id: &str, attributes: impl Into<Value>) -> Value {
    json!({ "type": kind, "id": id, "attributes": attributes.into() })
}

/// Cents as the number that the API returns: `19.99`, `20`, `10.5`.
pub(super) fn decimal(cents: i64) -> Value {
    let text = match (cents / 100, cents % 100) {
        (whole, 0) => whole.to_string(),
        (whole, rest) if rest % 10 == 0 => format!("{whole}.{}", rest / 10),
        (whole, rest) => format!("{whole}.{rest:02}"),
    };
    serde_json::from_str(&text).unwrap_or_default()
}

/// Seconds since 1970 as text, by the algorithm of the civil calendar.
pub(super) fn instant(seconds: i64) -> String {
    let (days, rest) = (seconds.div_euclid(DAY) + 719_468, seconds.rem_euclid(DAY));
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let (day, month) =
        (day_of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.000000Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_and_amounts_are_written_as_the_api_writes_them() {
        assert_eq!(instant(CREATED), "2026-01-01T00:00:00.000000Z");
        assert_eq!(instant(ENDED), "2026-02-01T00:00:00.000000Z");
        assert_eq!(instant(1_709_210_096), "2024-02-29T12:34:56.000000Z");
        assert_eq!(
            [1_999, 2_000, 1_050, 1_005].map(|cents| decimal(cents).to_string()),
            ["19.99", "20", "10.5", "10.05"]
        );
    }
}
