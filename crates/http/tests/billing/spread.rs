//! API rules 14.2 (`docs/api.md`): `spread_minutes` changes when the engine acts, and not what it writes.

use super::cycles::Books;
use perennial_testkit::TestApp;
use serde_json::{Value, json};

/// Books of an organization that spreads renewals over twelve hours.
async fn spreading<'a>(app: &'a TestApp, now: &str) -> Books<'a> {
    let books = Books::at(app, now).await;
    books.sandbox.put("/organization", json!({ "billing": { "spread_minutes": 720 } })).await.expect(200);
    books
}

/// Several subscriptions, so that the offset of one at least is long.
async fn subscribe(books: &Books<'_>, plan: &str, changes: Value) -> Vec<Value> {
    let mut created = Vec::new();
    for _ in 0..5 {
        created.push(books.subscribe_with(plan, changes.clone()).await);
    }
    created
}

/// The instants of the cycle invoices of a subscription.
async fn cycles(books: &Books<'_>, subscription: &Value) -> Vec<String> {
    let invoices = books.invoices(subscription).await;
    let mut found: Vec<String> =
        invoices.iter().map(|invoice| invoice["cycle_at"].as_str().unwrap()[..16].to_owned()).collect();
    found.sort();
    found
}

#[tokio::test]
async fn a_renewal_comes_before_a_later_deadline_although_it_is_spread() {
    let app = TestApp::start().await;
    let books = spreading(&app, "2026-03-01T01:00:00Z").await;
    let dunning = json!({ "retry_days": [1], "grace_days": 6, "then": "unpaid" });
    books.plan("weekly", json!({ "price": 7, "billing_cycle": "weekly", "billing": { "dunning": dunning } })).await;
    let fields = json!({ "starts_at": "2026-03-01T00:00:00Z", "billing": { "payment_method": "test_fail" } });
    let created = subscribe(&books, "weekly", fields).await;
    // The renewals are due on 03-08 at midnight, the deadlines an hour later.
    books.advance("2026-03-09T00:00:00Z").await;
    for created in &created {
        let stored = books.read(created).await;
        assert_eq!(
            (&stored["status"], &stored["renews_at"]),
            (&json!("unpaid"), &json!("2026-03-15T00:00:00.000000Z"))
        );
        assert_eq!(cycles(&books, created).await, ["2026-03-01T00:00", "2026-03-08T00:00"]);
    }
    let clock = books.sandbox.get("/test-clock").await.expect(200).data().clone();
    assert_eq!(clock["transitions"], 5, "the renewals are counted");
}

#[tokio::test]
async fn a_renewal_comes_before_a_draft_of_its_instant_although_it_is_spread() {
    let app = TestApp::start().await;
    let books = spreading(&app, "2026-03-01T00:00:00Z").await;
    books.sandbox.put("/organization", json!({ "billing": { "draft_hours": 24 } })).await.expect(200);
    books.sandbox.post("/meters", json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
    let charge = json!({ "meter_id": "calls", "name": "Calls", "model": "per_unit", "unit_price": 1 });
    for (slug, days) in [("short", 1), ("long", 5)] {
        let billing = json!({ "charges": [charge], "payment_terms_days": days });
        books.plan(slug, json!({ "billing_cycle": "daily", "billing": billing })).await;
    }
    let created = subscribe(&books, "short", json!({ "billing": { "collection": "manual" } })).await;
    books.advance("2026-03-02T13:00:00Z").await;
    for created in &created {
        books.put(created, json!({ "billing": { "change": { "subscription_plan_id": "long" } } })).await;
    }
    // At midnight the plan changes, and then the draft of the day before is issued with the terms of the new plan.
    books.advance("2026-03-03T13:00:00Z").await;
    for created in &created {
        let invoices = books.invoices(created).await;
        let issued = invoices.iter().find(|invoice| invoice["cycle_at"] == "2026-03-02T00:00:00.000000Z").unwrap();
        assert_eq!((&issued["status"], &issued["due_at"]), (&json!("open"), &json!("2026-03-08T00:00:00.000000Z")));
    }
}

#[tokio::test]
async fn an_end_soon_after_a_renewal_is_not_spread() {
    let app = TestApp::start().await;
    let books = spreading(&app, "2026-03-01T00:00:00Z").await;
    books.plan("weekly", json!({ "price": 7, "billing_cycle": "weekly" })).await;
    let fields = json!({ "ends_at": "2026-03-08T00:10:00Z", "billing": { "payment_method": "test_ok" } });
    let created = subscribe(&books, "weekly", fields).await;
    books.advance("2026-03-08T00:10:00Z").await;
    for created in &created {
        assert_eq!(books.read(created).await["status"], "expired");
        assert_eq!(cycles(&books, created).await, ["2026-03-01T00:00", "2026-03-08T00:00"]);
    }
}
