//! The deletion of a clock removes what is under it, and nothing else.

use super::support::{Sandbox, id};
use perennial_app::analytics::reader::Analytics;
use perennial_testkit::TestApp;
use serde_json::json;
use std::time::Duration;

const NOW: &str = "2025-01-31T10:00:00Z";

async fn until_gone(sandbox: &Sandbox<'_>) {
    for _ in 0..2_000 {
        if sandbox.get("/test-clock").await.status == 404 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the clock was never deleted");
}

#[tokio::test]
async fn a_deleted_clock_takes_its_records_and_their_events_with_it() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    let (user, plan) = (sandbox.user("ada@example.com").await, sandbox.plan("pro").await);
    sandbox.put(&format!("/subscription-plans/{plan}"), json!({ "price": 5 })).await.expect(200);
    let subscription = id(&sandbox.subscription(&user, &plan, json!({})).await);
    let payment = json!({ "subscription_id": subscription, "amount": 1, "currency": "USD" });
    sandbox.post("/subscription-payments", payment).await.expect(201);
    sandbox.events("payment.created", 1).await;
    let feed = sandbox.get("/events?limit=200").await.expect(200);
    let cursor = feed.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(feed.data().as_array().unwrap().last().unwrap()["type"], "payment.created");
    app.plan("pro", json!({})).await;

    let deleting = sandbox.delete("/test-clock").await.expect(200);
    assert_eq!(deleting.data()["status"], "deleting");
    sandbox.delete("/test-clock").await.refused(409, "clock_advancing");
    let slug = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    sandbox.post("/subscription-plans", slug.clone()).await.refused(409, "clock_advancing");
    let _working = sandbox.work();
    until_gone(&sandbox).await;

    for path in ["/subscription-plans", "/subscriptions", "/subscription-payments"] {
        assert_eq!(sandbox.get(path).await.expect(200).data(), &json!([]), "{path}");
    }
    sandbox.get(&format!("/subscriptions/{subscription}")).await.refused(404, "not_found");
    let gone = sandbox.get(&format!("/events?cursor={cursor}")).await.refused(410, "cursor_gone");
    assert_eq!(gone.json["restored"], true);
    sandbox.events("test_clock.deleted", 1).await;
    let events = sandbox.get("/events?limit=200").await.expect(200);
    let types: Vec<&str> =
        events.data().as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["organization.created", "client.created", "user.created", "test_clock.deleted"]);
    // Users stay, real time is back, and another clock can begin earlier.
    sandbox.get(&format!("/users/{user}")).await.expect(200);
    let made = sandbox.post("/subscription-plans", slug).await.expect(201).data().clone();
    assert_eq!(made["created_at"], "2026-03-10T12:00:00.000000Z");
    assert_eq!(app.get("/subscription-plans").await.expect(200).data().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn positions_continue_after_a_deletion() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    sandbox.plan("pro").await;
    sandbox.events("plan.created", 1).await;
    let before = sandbox.get("/events?limit=200").await.expect(200);
    let last = before.data().as_array().unwrap().last().unwrap()["sequence"].as_i64().unwrap();
    let _working = sandbox.work();
    sandbox.delete("/test-clock").await.expect(200);
    until_gone(&sandbox).await;
    sandbox.plan("pro").await;
    let created = sandbox.events("plan.created", 1).await;
    assert!(created[0]["sequence"].as_i64().unwrap() > last);
    // The same cursor that was read after the deletion continues without a gap.
    sandbox.post("/test-clock", json!({ "now": "2026-03-10T12:00:00Z" })).await.expect(201);
}

#[tokio::test]
async fn a_retry_after_a_deletion_creates_the_record_again() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    let create = async || {
        let request = sandbox.request("POST", "/subscription-plans").header("idempotency-key", "k");
        request.json(&plan).send().await.expect(201).data().clone()
    };
    let first = create().await;
    let _working = sandbox.work();
    sandbox.delete("/test-clock").await.expect(200);
    until_gone(&sandbox).await;
    assert_ne!(create().await["id"], first["id"]);
}

#[tokio::test]
async fn the_figures_of_a_new_clock_do_not_reach_into_its_future() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    let _working = (sandbox.work(), app.work(Analytics::default()));
    sandbox.delete("/test-clock").await.expect(200);
    until_gone(&sandbox).await;
    let figures = async || loop {
        let answer = sandbox.get("/analytics/revenue?from=2025-01&to=2025-02").await.expect(200);
        if answer.json["meta"]["state"] == "current" {
            break answer.json;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    sandbox.events("test_clock.deleted", 1).await;
    figures().await;
    sandbox.post("/test-clock", json!({ "now": NOW })).await.expect(201);
    let (ada, ben) = (sandbox.user("ada@example.com").await, sandbox.user("ben@example.com").await);
    let plan = sandbox.plan("pro").await;
    sandbox.subscription(&ada, &plan, json!({})).await;
    sandbox.subscription(&ben, &plan, json!({ "starts_at": "2025-02-10T00:00:00Z" })).await;
    sandbox.events("subscription.created", 2).await;
    let found = figures().await;
    assert_eq!(found["meta"]["as_of"], "2025-01-31T10:00:00.000000Z", "{found}");
    assert_eq!(found["data"][0]["customers_end"], 1, "{found}");
}
