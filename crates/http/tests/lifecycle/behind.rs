//! Late actions before a write: what is late, and what the operator has not released yet.

use super::support::{Base, id, minute};
use crate::test_clocks::support::Sandbox;
use perennial_app::lifecycle;
use perennial_domain::time::Time;
use perennial_testkit::{TestApp, TestOptions, all_at_once};
use serde_json::json;

#[tokio::test]
async fn a_write_renews_first_also_if_the_organization_spreads_renewals() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    base.app.put("/organization", &json!({ "billing": { "spread_minutes": 720 } })).await.expect(200);
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    assert_eq!(minute(&created, "billing.next_action_at"), "2026-04-10T12:00");
    // The engine waits for up to twelve hours, but the instant has passed.
    base.app.set_time("2026-04-10T12:00:01Z");
    let target = format!("/subscriptions/{}?dry_run=true", id(&created));
    base.app.put(&target, &json!({ "status": "paused" })).await.refused(409, "lifecycle_behind");
    let paused = base.put(id(&created), json!({ "status": "paused" })).await;
    assert_eq!(minute(&paused, "renews_at"), "2026-05-10T12:00");
    let types = base.types(id(&created)).await;
    assert_eq!(types, ["subscription.created", "subscription.renewed", "subscription.updated"]);
}

#[tokio::test]
async fn a_write_makes_no_action_that_the_operator_has_not_released() {
    let mut options = TestOptions::default();
    options.app.lifecycle.hold_after_days = 7;
    let app = TestApp::with(options).await;
    let sandbox = Sandbox::at(&app, "2025-01-31T00:00:00Z").await;
    sandbox.plan("pro").await;
    let user = sandbox.user("ada@example.com").await;
    let billing = json!({ "billing": { "payment_method": "test_ok" } });
    let created = sandbox.subscription(&user, "pro", billing).await;
    let path = format!("/subscriptions/{}", id(&created));
    sandbox.put("/test-clock", json!({ "now": "2026-05-20T00:00:00Z", "mode": "jump" })).await.expect(200);
    sandbox.put(&path, json!({ "quantity": 2 })).await.refused(409, "lifecycle_behind");
    // No engine runs: only the writes act.
    let through = Time::parse("2025-04-30T00:00:00Z").unwrap();
    lifecycle::resume(&app.app, &sandbox.organization, Some(through)).await.unwrap();
    for _ in 0..2 {
        sandbox.put(&path, json!({ "quantity": 2 })).await.refused(409, "lifecycle_behind");
    }
    assert_eq!(sandbox.events("subscription.renewed", 3).await.len(), 3);
    let record = sandbox.get(&path).await.expect(200).data().clone();
    assert_eq!((minute(&record, "renews_at"), &record["quantity"]), ("2025-05-31T00:00", &json!(1)));
    // A payment is never rejected for this.
    let payment = json!({ "subscription_id": record["id"], "amount": 5, "currency": "USD" });
    sandbox.post("/subscription-payments", payment).await.expect(201);
    assert_eq!(sandbox.events("subscription.renewed", 3).await.len(), 3);
    lifecycle::resume(&app.app, &sandbox.organization, None).await.unwrap();
    let updated = sandbox.put(&path, json!({ "quantity": 2 })).await.expect(200).data().clone();
    assert_eq!((minute(&updated, "renews_at"), &updated["quantity"]), ("2026-05-31T00:00", &json!(2)));
}

#[tokio::test]
async fn of_writes_at_once_one_renews_and_all_apply() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    let target = format!("/subscriptions/{}", id(&created));
    base.app.set_time("2026-04-10T12:00:01Z");
    let put = |body: &serde_json::Value| base.app.request("PUT", &target).json(body);
    for answer in all_at_once((2..8).map(|quantity| put(&json!({ "quantity": quantity })))).await {
        answer.expect(200);
    }
    let types = base.types(id(&created)).await;
    assert_eq!((types.len(), types[1].as_str()), (8, "subscription.renewed"));
    assert!(types[2..].iter().all(|kind| kind == "subscription.updated"), "{types:?}");
    for answer in all_at_once((0..6).map(|_| put(&json!({ "status": "paused" })))).await {
        assert_eq!(answer.expect(200).data()["status"], "paused");
    }
    assert_eq!(base.types(id(&created)).await.len(), 9, "the current status is no change");
}
