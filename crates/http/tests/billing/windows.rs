//! API rules 18 and 20 (`docs/api.md`): which usage an invoice bills at the edges of a window.

use super::cycles::{Books, amounts, id, pairs};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

/// Books with a meter, and a plan that charges 0.02 for each unit.
pub(super) async fn metered<'a>(app: &'a TestApp, now: &str, billing: Value) -> Books<'a> {
    let books = Books::at(app, now).await;
    books.sandbox.post("/meters", json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
    let mut settings = json!({ "charges": [
        { "meter_id": "calls", "name": "Calls", "model": "per_unit", "unit_price": 0.02 }
    ] });
    settings.as_object_mut().unwrap().extend(billing.as_object().unwrap().clone());
    books.plan("metered", json!({ "billing": settings })).await;
    books
}

pub(super) async fn send(books: &Books<'_>, subscription: &Value, events: &[(&str, i64, &str)]) -> Value {
    let event = |(name, value, at): &(&str, i64, &str)| json!({ "id": name, "subscription_id": subscription["id"], "meter": "calls", "value": value, "at": at });
    let body = json!({ "events": events.iter().map(event).collect::<Vec<_>>() });
    books.sandbox.post("/usage-events", body).await.expect(200).data().clone()
}

#[tokio::test]
async fn the_report_of_a_billed_subscription_begins_with_its_period() {
    let app = TestApp::start().await;
    let books = metered(&app, "2026-05-01T00:00:00Z", json!({})).await;
    let created = books.subscribe("metered", json!({ "payment_method": "test_ok" })).await;
    books.advance("2026-06-02T00:00:00Z").await;
    send(&books, &created, &[("new", 5, "2026-06-01T00:00:00Z")]).await;
    let path = format!("/subscriptions/{}/usage", id(&created));
    let usage = books.sandbox.get(&path).await.expect(200).data().clone();
    let expected = json!(["2026-06-01T00:00:00.000000Z", "2026-06-02T00:00:00.000000Z"]);
    assert_eq!(json!([usage["from"], usage["to"]]), expected);
    assert_eq!(usage["meters"][0]["quantity"], json!(5));
    // One that has not begun has no period.
    let later = json!({ "starts_at": "2026-07-01T00:00:00Z", "billing": {} });
    let pending = books.subscribe_with("metered", later).await;
    let path = format!("/subscriptions/{}/usage?to=2026-07-02T00:00:00Z", id(&pending));
    let usage = books.sandbox.get(&path).await.expect(200).data().clone();
    assert_eq!(usage["from"], json!("2026-07-01T00:00:00.000000Z"));
}

#[tokio::test]
async fn usage_of_a_plan_that_was_deleted_is_billed() {
    let app = TestApp::start().await;
    let books = metered(&app, "2026-05-01T00:00:00Z", json!({})).await;
    books.plan("plain", json!({})).await;
    let created = books.subscribe("metered", json!({ "payment_method": "test_ok" })).await;
    books.advance("2026-05-10T00:00:00Z").await;
    send(&books, &created, &[("a", 150, "2026-05-05T00:00:00Z")]).await;
    books.put(&created, json!({ "subscription_plan_id": "plain" })).await;
    books.sandbox.delete("/subscription-plans/metered").await.expect(200);
    books.advance("2026-06-01T02:00:00Z").await;
    let last = books.invoices(&created).await.pop().unwrap();
    assert_eq!(amounts(&last), pairs(&[("fee", "10"), ("usage", "3")]), "{last}");
    assert_eq!((&last["status"], &last["lines"][1]["description"]), (&json!("paid"), &json!("Calls")));
}

#[tokio::test]
async fn usage_after_a_trial_that_paused_is_billed_when_the_subscription_ends() {
    let app = TestApp::start().await;
    let books = metered(&app, "2026-05-01T00:00:00Z", json!({ "trial_days": 7 })).await;
    let created = books.subscribe("metered", json!({})).await;
    books.advance("2026-05-10T00:00:00Z").await;
    assert_eq!(books.read(&created).await["status"], json!("paused"));
    let events = [("trial", 1_000, "2026-05-03T00:00:00Z"), ("paused", 150, "2026-05-08T00:00:00Z")];
    assert_eq!(send(&books, &created, &events).await["accepted"], json!(2));
    books.put(&created, json!({ "status": "expired" })).await;
    books.advance("2026-05-10T02:00:00Z").await;
    let invoices = books.invoices(&created).await;
    assert_eq!(invoices.len(), 1, "{invoices:?}");
    assert_eq!(amounts(&invoices[0]), pairs(&[("usage", "3")]));
    assert_eq!(invoices[0]["period_start"], json!("2026-05-08T00:00:00.000000Z"));
}

#[tokio::test]
async fn a_trial_that_is_ended_has_no_invoice_of_its_usage() {
    let app = TestApp::start().await;
    let books = metered(&app, "2026-05-01T00:00:00Z", json!({ "trial_days": 7 })).await;
    let ended = books.subscribe("metered", json!({ "payment_method": "test_ok" })).await;
    let paused = books.subscribe("metered", json!({ "payment_method": "test_ok" })).await;
    books.advance("2026-05-03T00:00:00Z").await;
    for subscription in [&ended, &paused] {
        send(&books, subscription, &[("trial", 1_000, "2026-05-02T00:00:00Z")]).await;
    }
    books.put(&paused, json!({ "status": "paused" })).await;
    books.advance("2026-05-04T00:00:00Z").await;
    for subscription in [&ended, &paused] {
        books.put(subscription, json!({ "status": "expired" })).await;
    }
    books.advance("2026-05-10T00:00:00Z").await;
    for subscription in [&ended, &paused] {
        assert_eq!(books.invoices(subscription).await, Vec::<Value>::new());
    }
}

#[tokio::test]
async fn usage_after_a_trial_that_paused_is_priced_by_its_plan_and_not_by_the_next() {
    let app = TestApp::start().await;
    let books = metered(&app, "2026-03-01T00:00:00Z", json!({ "trial_days": 7 })).await;
    let charge = json!({ "meter_id": "calls", "name": "Calls", "model": "per_unit", "unit_price": 1 });
    books.plan("next", json!({ "price": 20, "billing": { "charges": [charge] } })).await;
    let created = books.subscribe("metered", json!({})).await;
    books.advance("2026-03-09T00:00:00Z").await;
    assert_eq!(books.read(&created).await["status"], json!("paused"));
    send(&books, &created, &[("paused", 100, "2026-03-08T12:00:00Z")]).await;
    books.put(&created, json!({ "billing": { "change": { "subscription_plan_id": "next" } } })).await;
    books.advance("2026-03-10T00:00:00Z").await;
    books.put(&created, json!({ "status": "active", "billing": { "payment_method": "test_ok" } })).await;
    books.advance("2026-03-10T02:00:00Z").await;
    let invoices = books.invoices(&created).await;
    assert_eq!(invoices.len(), 1, "{invoices:?}");
    assert_eq!(amounts(&invoices[0]), pairs(&[("fee", "20"), ("usage", "2")]));
    assert_eq!(invoices[0]["lines"][1]["subscription_plan_id"], created["subscription_plan_id"]);
}

#[tokio::test]
async fn usage_after_the_trial_of_an_unpaid_subscription_is_billed_when_it_ends() {
    let app = TestApp::start().await;
    let dunning = json!({ "retry_days": [], "grace_days": 0, "then": "unpaid" });
    let books = metered(&app, "2026-03-01T00:00:00Z", json!({ "trial_days": 5, "dunning": dunning })).await;
    let (used, unused) = (json!({ "collection": "manual" }), json!({ "collection": "manual" }));
    let (used, unused) = (books.subscribe("metered", used).await, books.subscribe("metered", unused).await);
    for subscription in [&used, &unused] {
        let lines = json!([{ "description": "Setup", "unit_price": 5 }]);
        let body = json!({ "subscription_id": subscription["id"], "lines": lines, "payment_terms_days": 1 });
        let draft = books.sandbox.post("/invoices", body).await.expect(201).data().clone();
        books.act(&draft, "finalize").await.expect(200);
    }
    books.advance("2026-03-09T00:00:00Z").await;
    let events = [("trial", 1_000, "2026-03-03T00:00:00Z"), ("unpaid", 350, "2026-03-08T00:00:00Z")];
    send(&books, &used, &events).await;
    for subscription in [&used, &unused] {
        assert_eq!(books.read(subscription).await["status"], json!("unpaid"));
        books.put(subscription, json!({ "status": "expired" })).await;
    }
    books.advance("2026-03-10T00:00:00Z").await;
    let invoices = books.invoices(&used).await;
    assert_eq!(invoices.len(), 2, "{invoices:?}");
    assert_eq!((&invoices[1]["kind"], amounts(&invoices[1])), (&json!("cycle"), pairs(&[("usage", "7")])));
    assert_eq!(invoices[1]["period_start"], json!("2026-03-06T00:00:00.000000Z"));
    assert_eq!(books.invoices(&unused).await.len(), 1, "no invoice without lines");
}

#[tokio::test]
async fn usage_before_a_conversion_is_late_and_usage_after_it_is_billed_with_the_renewal() {
    let app = TestApp::start().await;
    let books = metered(&app, "2026-04-01T00:00:00Z", json!({})).await;
    let created = books.subscribe_with("metered", json!({ "renews_at": "2026-05-01T00:00:00Z" })).await;
    books.advance("2026-04-05T00:00:00Z").await;
    assert_eq!(send(&books, &created, &[("external", 1_000, "2026-04-02T00:00:00Z")]).await["accepted"], json!(1));
    books.put(&created, json!({ "billing": { "payment_method": "test_ok" } })).await;
    let events = [("before", 1_000, "2026-04-03T00:00:00Z"), ("after", 150, "2026-04-05T00:00:00Z")];
    let sent = send(&books, &created, &events).await;
    assert_eq!((&sent["accepted"], &sent["late"]), (&json!(1), &json!(["before"])));
    books.advance("2026-05-01T02:00:00Z").await;
    let invoices = books.invoices(&created).await;
    assert_eq!(invoices.len(), 1, "{invoices:?}");
    assert_eq!(amounts(&invoices[0]), pairs(&[("fee", "10"), ("usage", "3")]));
}

#[tokio::test]
async fn usage_of_a_trial_is_accepted_after_a_conversion_and_not_billed() {
    let app = TestApp::start().await;
    let books = metered(&app, "2026-04-01T00:00:00Z", json!({})).await;
    let trial = json!({ "status": "on_trial", "renews_at": "2026-04-10T00:00:00Z" });
    let created = books.subscribe_with("metered", trial).await;
    books.advance("2026-04-05T00:00:00Z").await;
    books.put(&created, json!({ "billing": { "payment_method": "test_ok" } })).await;
    let sent = send(&books, &created, &[("trial", 1_000, "2026-04-03T00:00:00Z")]).await;
    assert_eq!(sent["accepted"], json!(1));
    books.advance("2026-05-10T02:00:00Z").await;
    for invoice in books.invoices(&created).await {
        assert_eq!(amounts(&invoice), pairs(&[("fee", "10")]));
    }
}
