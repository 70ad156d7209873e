//! A Lemon Squeezy subscription, or an order that is paid once, as a subscription.

use super::super::drafts::{ImportedSubscription, Item, quantity};
use super::super::findings::{Source, Why};
use super::objects::{Order, Subscription};
use super::times::{optional_time, time, updated};
use perennial_domain::subscriptions::SubscriptionStatus;

use SubscriptionStatus::{Active, Cancelled, Expired, OnTrial, PastDue, Paused, Unpaid};

/// The subscription, or why there is none.
pub(super) fn subscription(given: &Subscription, source: &Source) -> Result<(ImportedSubscription, Vec<Why>), Why> {
    let created_at = time("created_at", given.created_at.as_deref())?;
    let status = match given.status.as_str() {
        "on_trial" => OnTrial,
        "active" => Active,
        "paused" => Paused,
        "past_due" => PastDue,
        "unpaid" => Unpaid,
        "cancelled" => Cancelled,
        "expired" => Expired,
        other => return Err(unknown(other)),
    };
    let (renews_at, ends_at) =
        (optional_time("renews_at", given.renews_at.as_deref())?, optional_time("ends_at", given.ends_at.as_deref())?);
    let mut losses = Vec::new();
    let count = given.first_subscription_item.as_ref().and_then(|item| item.quantity);
    if given.pause.is_some() {
        losses.push(Why::new("pause", "is paused in some way until some day: only the status is carried"));
    }
    let subscription = ImportedSubscription {
        source: source.clone(),
        customer: given.customer_id.0.clone(),
        user_id: None,
        items: vec![Item { plan: given.variant_id.0.clone(), quantity: quantity(count)? }],
        external_id: source.id.clone(),
        status,
        starts_at: created_at,
        renews_at: renews_at.filter(|_| status != Expired),
        // Cancelled without an end, it would never end.
        ends_at: ends_at.or(renews_at.filter(|_| status == Cancelled)),
        created_at,
        updated_at: updated(given.updated_at.as_deref(), created_at),
        is_single: false,
    };
    Ok((subscription, losses))
}

/// The external ID of an order. Subscriptions of the service have the same numbers.
pub(super) fn name_of_order(source: &Source) -> String {
    format!("order-{}", source.id)
}

/// An order as a subscription that is paid once, or why it is none.
pub(super) fn single(order: &Order, source: &Source) -> Result<(ImportedSubscription, Vec<Why>), Why> {
    let created_at = time("created_at", order.created_at.as_deref())?;
    let (status, ends_at) = match order.status.as_str() {
        "paid" | "partial_refund" => (Active, None),
        "refunded" => (Expired, optional_time("refunded_at", order.refunded_at.as_deref())?),
        other @ ("pending" | "failed" | "fraudulent") => {
            return Err(Why::new("order_not_paid", format!("is {other}: nothing was bought")));
        }
        other => return Err(unknown(other)),
    };
    let customer = order.customer_id.as_ref().ok_or_else(|| Why::missing("customer_id"))?;
    let item = order.first_order_item.as_ref().ok_or_else(|| Why::missing("first_order_item"))?;
    let subscription = ImportedSubscription {
        source: source.clone(),
        customer: customer.0.clone(),
        user_id: None,
        items: vec![Item { plan: item.variant_id.0.clone(), quantity: quantity(item.quantity)? }],
        external_id: name_of_order(source),
        status,
        starts_at: created_at,
        renews_at: None,
        ends_at,
        created_at,
        updated_at: updated(order.updated_at.as_deref(), created_at),
        is_single: true,
    };
    Ok((subscription, Vec::new()))
}

fn unknown(status: &str) -> Why {
    Why::new("unknown_status", format!("the status {status:?} is none that we know"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(change: &Value) -> Result<(ImportedSubscription, Vec<&'static str>), &'static str> {
        let mut given = json!({
            "customer_id": 1, "variant_id": 1, "status": "active", "pause": null,
            "renews_at": "2022-11-12T00:00:00.000000Z", "ends_at": null, "created_at": "2021-08-11T13:47:27.000000Z",
            "updated_at": "2021-08-11T13:54:19.000000Z", "first_subscription_item": { "quantity": 1 },
        });
        for (name, value) in change.as_object().unwrap() {
            given[name] = value.clone();
        }
        let given: Subscription = serde_json::from_value(given).unwrap();
        let read = subscription(&given, &Source::new(&"subscriptions.json".into(), "subscriptions", "7"));
        read.map(|(draft, why)| (draft, why.iter().map(|why| why.code).collect())).map_err(|why| why.code)
    }

    #[test]
    fn each_status_has_its_own() {
        let renewal = Some("2022-11-12T00:00:00.000000Z");
        for (status, expected, renews, ends) in [
            ("on_trial", "on_trial", renewal, None),
            ("active", "active", renewal, None),
            ("paused", "paused", renewal, None),
            ("past_due", "past_due", renewal, None),
            ("unpaid", "unpaid", renewal, None),
            ("cancelled", "cancelled", renewal, renewal),
            ("expired", "expired", None, None),
        ] {
            let (draft, losses) = read(&json!({ "status": status })).unwrap();
            let text = |time: Option<perennial_domain::time::Time>| time.map(|time| time.to_string());
            assert_eq!(draft.status.as_str(), expected);
            assert_eq!((text(draft.renews_at).as_deref(), text(draft.ends_at).as_deref()), (renews, ends), "{status}");
            assert_eq!((draft.external_id.as_str(), losses.len()), ("7", 0));
        }
        assert_eq!(read(&json!({ "status": "asleep" })).err(), Some("unknown_status"));
        assert_eq!(read(&json!({ "renews_at": "soon" })).err(), Some("invalid_format"));
        let (draft, losses) =
            read(&json!({ "pause": { "mode": "void" }, "first_subscription_item": { "quantity": 5 } })).unwrap();
        assert_eq!((draft.items[0].quantity.get(), losses), (5, vec!["pause"]));
    }

    #[test]
    fn an_order_is_a_subscription_that_never_renews() {
        let order = |status: &str| -> Order {
            serde_json::from_value(json!({
                "customer_id": 1, "status": status, "currency": "USD", "total": 999,
                "first_order_item": { "variant_id": 3 }, "refunded_at": "2021-09-11T00:00:00Z",
                "created_at": "2021-08-11T13:47:27.000000Z",
            }))
            .unwrap()
        };
        let source = Source::new(&"orders.json".into(), "orders", "9");
        let (paid, _) = single(&order("paid"), &source).unwrap();
        assert_eq!((paid.external_id.as_str(), paid.status, paid.renews_at), ("order-9", Active, None));
        let (back, _) = single(&order("refunded"), &source).unwrap();
        assert_eq!((back.status, back.ends_at.is_some()), (Expired, true));
        assert_eq!(single(&order("fraudulent"), &source).unwrap_err().code, "order_not_paid");
        assert_eq!(single(&order("lost"), &source).unwrap_err().code, "unknown_status");
    }
}
