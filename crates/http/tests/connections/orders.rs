//! API rules 25.3 and 25.5: sweeps of Lemon Squeezy. An order that is paid once is a subscription and its payment.

use super::real::{Real, SECRET};
use perennial_app::caller::Caller;
use perennial_app::connections::{self, ConnectionDraft};
use perennial_domain::connections::sweep::SweepOptions;
use perennial_fake_provider::{Kind, Webhook};
use serde_json::{Value, json};

const PLAIN: SweepOptions = SweepOptions { dry_run: false, yes: false, requested: true };
const AT: &str = "2026-01-01T00:00:00.000000Z";

fn resource(kind: &str, id: &str, attributes: &Value) -> Value {
    json!({ "type": kind, "id": id, "attributes": attributes })
}

/// A shop with a variant that has this price, and a customer.
async fn shop(price: &Value) -> Real {
    let real = Real::start(Kind::LemonSqueezy).await;
    let put = |kind: &str, id: &str, attributes: Value| real.fake.put(kind, resource(kind, id, &attributes));
    put("stores", "1", json!({ "currency": "USD" }));
    put("products", "2", json!({ "store_id": 1, "name": "Lemonade", "status": "published", "created_at": AT }));
    put("variants", "3", json!({ "product_id": 2, "name": "Default", "status": "published", "created_at": AT }));
    let mut attributes = json!({ "variant_id": 3, "unit_price": 4900, "created_at": AT });
    attributes.as_object_mut().unwrap().extend(price.as_object().unwrap().clone());
    put("prices", "4", attributes);
    put("customers", "5", json!({ "email": "a@example.com", "status": "subscribed", "created_at": AT }));
    real
}

/// A shop whose variant is paid once, and so many orders of it.
async fn shop_with_orders(count: usize) -> Real {
    let real = shop(&json!({ "category": "one_time" })).await;
    for number in 1..=count {
        let order = json!({
            "store_id": 1, "customer_id": 5, "status": "paid", "currency": "USD", "total": 4900, "test_mode": true,
            "first_order_item": { "variant_id": 3, "quantity": 1 }, "created_at": AT,
        });
        real.fake.put("orders", resource("orders", &number.to_string(), &order));
    }
    let first = real.reconcile(PLAIN).await;
    assert_eq!((first.seen, first.different, active(&real).await), (count as u64 + 1, 0, count), "{first:?}");
    real.app.advance(60);
    real
}

fn refund(real: &Real, number: usize) {
    real.fake.change("orders", &number.to_string(), |order| {
        order["attributes"]["status"] = json!("refunded");
        order["attributes"]["refunded_at"] = json!("2026-02-01T00:00:00.000000Z");
    });
}

async fn active(real: &Real) -> usize {
    real.all("/subscriptions?status=active&limit=100").await.len()
}

#[tokio::test]
async fn a_sweep_that_would_end_the_access_of_many_orders_applies_nothing_until_it_is_confirmed() {
    let real = shop_with_orders(30).await;
    for number in 1..=30 {
        refund(&real, number);
    }
    let stopped = real.reconcile(PLAIN).await;
    assert_eq!((stopped.different, stopped.repaired, stopped.stopped), (30, 0, true));
    assert_eq!(active(&real).await, 30);
    let confirmed = real.reconcile(SweepOptions { yes: true, ..PLAIN }).await;
    assert_eq!((confirmed.repaired, confirmed.stopped), (30, false));
    assert_eq!(active(&real).await, 0);
    assert_eq!(real.all("/subscription-payments?status=refunded&limit=100").await.len(), 30);
}

#[tokio::test]
async fn an_order_is_one_object_with_two_records() {
    let real = shop_with_orders(2).await;
    let fetches = |first: usize| real.fake.seen_since(first).iter().filter(|seen| seen.path == "/v1/orders/1").count();
    refund(&real, 1);
    let first = real.fake.requests();
    let swept = real.reconcile(PLAIN).await;
    assert_eq!((swept.seen, swept.different, swept.repaired), (3, 1, 1), "{swept:?}");
    assert_eq!(fetches(first), 1);
    let mut drift = real.events("connection.drift").await;
    drift.sort_by_key(|event| event["object"].to_string());
    let drift: Vec<_> = drift.iter().map(|event| [&event["object"], &event["external_id"]]).collect();
    let id = json!("order-1");
    assert_eq!(drift, [[&json!("payment"), &id], [&json!("subscription"), &id]]);
    assert_eq!(real.all("/subscriptions?external_subscription_id=order-1").await[0]["status"], "expired");
    real.app.advance(60);
    let first = real.fake.requests();
    let again = real.reconcile(PLAIN).await;
    assert_eq!((again.seen, again.different, fetches(first)), (3, 0, 0), "{again:?}");
}

#[tokio::test]
async fn the_subscription_of_an_order_is_repaired_although_its_payment_is_the_same() {
    let real = shop_with_orders(1).await;
    let target = format!("/subscriptions/{}", real.all("/subscriptions").await[0]["id"].as_str().unwrap());
    let set = async |is_enabled: bool| {
        let (caller, is_enabled) = (Caller::system(real.app.organization), Some(is_enabled));
        let patch = ConnectionDraft { is_enabled, ..ConnectionDraft::default() };
        connections::update(&real.app.app, &caller, real.connection.id, patch).await.unwrap();
    };
    set(false).await;
    real.app.put(&target, &json!({ "status": "paused" })).await.expect(200);
    set(true).await;
    let swept = real.reconcile(PLAIN).await;
    assert_eq!((swept.different, swept.repaired), (1, 1), "{swept:?}");
    assert_eq!(real.app.get(&target).await.expect(200).data()["status"], "active");
    assert_eq!(swept.differences[0].object, "subscription");
}

#[tokio::test]
async fn an_order_that_the_shop_does_not_have_any_more_is_reported_once() {
    let real = shop_with_orders(1).await;
    real.fake.remove("orders", "1");
    let swept = real.reconcile(PLAIN).await;
    assert_eq!((swept.differences.len(), swept.differences[0].missing), (1, true), "{swept:?}");
    assert_eq!(active(&real).await, 1);
}

/// The sweep settles the webhook, which names the user of the subscription.
#[tokio::test]
async fn a_sweep_that_is_faster_than_a_webhook_uses_the_user_that_the_webhook_names() {
    let price = json!({ "category": "subscription", "renewal_interval_unit": "month", "renewal_interval_quantity": 1 });
    let real = shop(&price).await;
    let user = real.app.user("own@example.com").await;
    let subscription = resource(
        "subscriptions",
        "6",
        &json!({
            "store_id": 1, "customer_id": 5, "variant_id": 3, "status": "active", "test_mode": true, "renews_at": AT,
            "created_at": AT,
        }),
    );
    real.fake.put("subscriptions", subscription.clone());
    let body = json!({
        "meta": { "event_name": "subscription_created", "test_mode": true, "custom_data": { "user_id": user } },
        "data": subscription,
    });
    let webhook = Webhook::sign(Kind::LemonSqueezy, SECRET, 0, &body.to_string());
    let target = format!("/hooks/{}", real.connection.id);
    assert_eq!(webhook.send(&real.app.address.to_string(), &target).await, 200);
    real.reconcile(PLAIN).await;
    assert_eq!(real.all("/subscriptions").await[0]["user_id"], json!(user));
    let inbox = real.all(&format!("/connections/{}/inbox", real.connection.id)).await;
    assert_eq!((inbox.len(), &inbox[0]["state"]), (1, &json!("applied")));
    assert_eq!(real.all("/users").await.len(), 1);
}
