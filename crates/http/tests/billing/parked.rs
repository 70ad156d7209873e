//! API rules 20 (`docs/api.md`): an amount that is out of range. The engine parks the subscription, and a caller gets an error.

use super::cycles::{Books, id};
use perennial_app::caller::Caller;
use perennial_app::lifecycle;
use perennial_testkit::{TestApp, TestOptions};
use serde_json::{Value, json};

const LARGEST: i64 = 999_999_999_999;

async fn unpark(books: &Books<'_>, subscription: &Value) {
    let caller = Caller::system(books.sandbox.organization.id);
    lifecycle::unpark(&books.sandbox.app.app, &caller, id(subscription).parse().unwrap()).await.unwrap();
    books.settle().await;
}

async fn reason(books: &Books<'_>, subscription: &Value) -> Value {
    books.read(subscription).await["billing"]["parked"]["reason"].clone()
}

/// Books with a meter and a plan with this price of a unit.
async fn metered(app: &TestApp, unit_price: i64) -> Books<'_> {
    let books = Books::at(app, "2026-05-01T00:00:00Z").await;
    books.sandbox.post("/meters", json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
    let charge = json!({ "meter_id": "calls", "name": "Calls", "model": "per_unit", "unit_price": unit_price });
    books.plan("metered", json!({ "billing": { "charges": [charge] } })).await;
    books
}

async fn use_units(books: &Books<'_>, subscription: &Value, value: i64) {
    let event = json!({ "id": "e", "subscription_id": subscription["id"], "meter": "calls", "value": value });
    books.sandbox.post("/usage-events", json!({ "events": [event] })).await.expect(200);
}

#[tokio::test]
async fn usage_that_cannot_be_priced_parks_its_subscription_and_delays_no_other() {
    let app = TestApp::start().await;
    let books = metered(&app, LARGEST).await;
    let large = books.subscribe("metered", json!({ "payment_method": "test_ok" })).await;
    let small = books.subscribe("metered", json!({ "payment_method": "test_ok" })).await;
    use_units(&books, &large, 1_000_000_000).await;
    books.advance("2026-06-01T00:30:00Z").await;
    // The draft is there, and has no usage yet.
    let draft = books.invoices(&large).await.pop().unwrap();
    assert_eq!((&draft["status"], &draft["total"]), (&json!("draft"), &json!(10)));
    let forecast = format!("/subscriptions/{}/forecast", id(&large));
    assert_eq!(books.sandbox.get(&forecast).await.expect(200).data().as_array().unwrap().len(), 3);
    books.advance("2026-06-01T02:00:00Z").await;
    let parked = books.read(&large).await;
    let expected = json!({ "at": "2026-06-01T01:00:00.000000Z", "reason": "out_of_range" });
    assert_eq!((&parked["billing"]["parked"], &parked["status"]), (&expected, &json!("active")));
    assert_eq!(parked["billing"]["next_action"], Value::Null);
    assert_eq!(books.invoices(&large).await.pop().unwrap()["status"], json!("draft"), "its draft waits");
    assert_eq!(books.sandbox.events("subscription.parked", 1).await.len(), 1);
    assert_eq!(books.invoices(&small).await.pop().unwrap()["status"], json!("paid"));
    // A caller cannot issue it either, and nothing is lost.
    let refused = books.act(&draft, "finalize").await.refused(409, "invalid_transition");
    assert_eq!(refused.json["detail"], "The draft cannot be issued: one of its amounts is out of range.");
    let dry = format!("/invoices/{}/finalize?dry_run=true", id(&draft));
    books.sandbox.request("POST", &dry).send().await.refused(409, "invalid_transition");
    // Nothing renews while it is parked, and what was impossible stays impossible.
    books.advance("2026-07-02T00:00:00Z").await;
    assert_eq!((books.invoices(&large).await.len(), books.invoices(&small).await.len()), (2, 3));
    unpark(&books, &large).await;
    assert_eq!(reason(&books, &large).await, json!("out_of_range"));
    books.put(&large, json!({ "billing": { "payment_method": "pm_1" } })).await;
    assert_eq!(reason(&books, &large).await, json!("out_of_range"));
    assert!(books.sandbox.events("subscription.parked", 3).await.len() >= 3);
}

#[tokio::test]
async fn a_parked_subscription_continues_when_the_amount_fits() {
    let app = TestApp::start().await;
    let books = metered(&app, 900).await;
    let rate = books.sandbox.post("/tax-rates", json!({ "name": "VAT", "percentage": 20 })).await.expect(201);
    let settings = json!({ "billing": { "tax_rate_ids": [rate.data()["id"]] } });
    books.sandbox.put("/organization", settings).await.expect(200);
    let created = books.subscribe("metered", json!({ "payment_method": "test_ok" })).await;
    // 900,000,000,000 fits, and does not with its tax.
    use_units(&books, &created, 1_000_000_000).await;
    books.advance("2026-06-01T02:00:00Z").await;
    assert_eq!(reason(&books, &created).await, json!("out_of_range"));
    let profile = format!("/users/{}/billing-profile", books.user);
    books.sandbox.put(&profile, json!({ "tax_exempt": true })).await.expect(200);
    unpark(&books, &created).await;
    let continued = books.read(&created).await;
    assert_eq!((&continued["billing"]["parked"], &continued["status"]), (&Value::Null, &json!("active")));
    let issued = books.invoices(&created).await.pop().unwrap();
    assert_eq!((&issued["status"], &issued["total"]), (&json!("paid"), &json!(900_000_000_010_i64)));
    assert_eq!(issued["number"], json!("TEST-INV-000002"), "a failed issue draws no number");
    books.advance("2026-07-01T02:00:00Z").await;
    assert_eq!(books.invoices(&created).await.len(), 3);
}

#[tokio::test]
async fn a_draft_that_waited_for_its_parked_subscription_is_not_late() {
    let mut options = TestOptions::default();
    options.app.lifecycle.hold_after_days = 7;
    let app = TestApp::with(options).await;
    let books = metered(&app, LARGEST).await;
    let created = books.subscribe("metered", json!({ "payment_method": "test_ok" })).await;
    use_units(&books, &created, 1_000_000_000).await;
    books.advance("2026-06-01T02:00:00Z").await;
    assert_eq!(reason(&books, &created).await, json!("out_of_range"));
    books.advance("2026-06-20T00:00:00Z").await;
    // The engine tries again, and no other subscription is on hold because of it.
    unpark(&books, &created).await;
    assert!(!lifecycle::status(&app.app, &books.sandbox.organization).await.unwrap().held);
    assert_eq!(reason(&books, &created).await, json!("out_of_range"));
    assert_eq!(books.sandbox.events("subscription.parked", 2).await.len(), 2);
}

#[tokio::test]
async fn a_quantity_that_makes_an_amount_too_large_is_rejected() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-05-01T00:00:00Z").await;
    books.plan("dear", json!({ "price": LARGEST })).await;
    let body = json!({ "user_id": books.user, "subscription_plan_id": "dear", "quantity": 2, "billing": {} });
    let refused = books.sandbox.post("/subscriptions", body.clone()).await.refused(422, "out_of_range");
    assert_eq!(refused.faults(), ["/quantity out_of_range"]);
    let dry = books.sandbox.post("/subscriptions?dry_run=true", body).await.refused(422, "out_of_range");
    assert_eq!(dry.faults(), ["/quantity out_of_range"]);
    let created = books.subscribe("dear", json!({ "payment_method": "test_ok" })).await;
    let path = format!("/subscriptions/{}", id(&created));
    let refused = books.sandbox.put(&path, json!({ "quantity": 3 })).await.refused(422, "out_of_range");
    assert_eq!(refused.faults(), ["/quantity out_of_range"]);
    assert_eq!(books.read(&created).await["quantity"], json!(1));
    // A later change is not computed when it is set: the forecast ends there, and the engine parks.
    books.sandbox.put(&path, json!({ "billing": { "change": { "quantity": 2 } } })).await.expect(200);
    assert_eq!(books.sandbox.get(&format!("{path}/forecast")).await.expect(200).data(), &json!([]));
    books.advance("2026-06-02T00:00:00Z").await;
    assert_eq!(reason(&books, &created).await, json!("out_of_range"));
    // Without the change it continues.
    books.put(&created, json!({ "billing": { "change": null } })).await;
    assert_eq!(reason(&books, &created).await, Value::Null);
    assert_eq!(books.read(&created).await["renews_at"], json!("2026-07-01T00:00:00.000000Z"));
}
