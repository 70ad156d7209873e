//! New billed subscriptions.

use super::support::{Base, id, minute};
use serde_json::{Value, json};

#[tokio::test]
async fn billing_has_all_members_and_an_external_subscription_has_none() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    let expected = json!({
        "collection": "automatic", "connection_id": null, "payment_method": "pm_1", "time_zone": "UTC",
        "anchor_at": "2026-03-10T12:00:00.000000Z", "trial_ends_at": null, "resumes_at": null, "change": null,
        "period_start": "2026-03-10T12:00:00.000000Z", "paused_at": null, "discount": null, "overdue_invoices": 0,
        "parked": null, "next_action": "renew", "next_action_at": "2026-04-10T12:00:00.000000Z"
    });
    assert_eq!(created["billing"], expected);
    assert_eq!(base.read(id(&created)).await, created);
    let external = base.app.subscription(&base.user, &plan, json!({})).await;
    assert_eq!(external["billing"], Value::Null);
    let target = format!("/subscriptions/{}/forecast", id(&external));
    assert_eq!(base.app.get(&target).await.expect(200).data(), &json!([]));
}

#[tokio::test]
async fn the_service_sets_the_status() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let pending = base.subscribe(&plan, json!({ "starts_at": "2026-04-01T00:00:00Z" })).await;
    assert_eq!((&pending["status"], &pending["billing"]["next_action"]), (&json!("pending"), &json!("start")));
    let started = base.run(id(&pending), "2026-04-01T00:00:00Z").await;
    assert_eq!((&started["status"], &started["has_access"]), (&json!("active"), &json!(true)));
    let types = base.types(id(&pending)).await;
    assert_eq!(types[1..], ["subscription.started", "subscription.access_changed"]);
    for status in ["paused", "on_trial", "cancelled", "expired", "past_due", "unpaid"] {
        let refused = base.try_subscribe(&plan, json!({ "status": status })).await.refused(409, "managed_status");
        assert_eq!(refused.json["allowed"], json!(["active", "incomplete"]));
    }
    let incomplete = base.subscribe(&plan, json!({ "status": "incomplete" })).await;
    assert_eq!(incomplete["status"], "active", "there is no invoice to wait for");
}

#[tokio::test]
async fn all_errors_are_reported_with_their_pointers() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let body = json!({
        "starts_at": "2025-03-01T00:00:00Z",
        "billing": {
            "collection": "cash", "payment_method": "4242424242424242", "time_zone": "Mars/Olympus", "coupon": "X",
            "connection_id": "con_1", "period_start": "2026-01-01T00:00:00Z", "next_action": null, "speed": 1,
            "resumes_at": "2026-04-01T00:00:00Z", "change": { "subscription_plan_id": "nothing", "x": 1 }
        }
    });
    let mut faults = base.try_subscribe(&plan, body).await.expect(422).faults();
    faults.sort_unstable();
    let mut expected = [
        "/starts_at out_of_range",
        "/billing/collection unknown_value",
        "/billing/payment_method invalid_text",
        "/billing/time_zone unknown_value",
        "/billing/coupon not_found",
        "/billing/connection_id not_found",
        "/billing/period_start read_only_field",
        "/billing/next_action read_only_field",
        "/billing/speed unknown_field",
        "/billing/resumes_at inconsistent",
        "/billing/change/subscription_plan_id not_found",
        "/billing/change/x unknown_field",
    ];
    expected.sort_unstable();
    assert_eq!(faults, expected);
    let faults = base.try_subscribe(&plan, json!({ "billing": 7 })).await.expect(422).faults();
    assert_eq!(faults, ["/billing invalid_type"]);
}

#[tokio::test]
async fn a_time_zone_decides_when_a_period_ends() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let anchored = json!({ "billing": { "time_zone": "europe/berlin", "anchor_at": "2026-03-01T00:00:00+01:00" } });
    let created = base.subscribe(&plan, anchored).await;
    assert_eq!(
        (&created["billing"]["time_zone"], minute(&created, "renews_at")),
        (&json!("Europe/Berlin"), "2026-03-31T22:00")
    );
    base.app.put("/organization", &json!({ "billing": { "time_zone": "Asia/Tokyo" } })).await.expect(200);
    let usual = base.subscribe(&plan, json!({})).await;
    assert_eq!(usual["billing"]["time_zone"], "Asia/Tokyo");
}

#[tokio::test]
async fn a_backdated_start_is_caught_up_by_the_engine() {
    let base = Base::at("2026-06-15T00:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({ "starts_at": "2026-01-31T00:00:00Z" })).await;
    assert_eq!(minute(&created, "renews_at"), "2026-02-28T00:00");
    let current = base.run(id(&created), "2026-06-15T00:00:00Z").await;
    assert_eq!(minute(&current, "renews_at"), "2026-06-30T00:00");
}

#[tokio::test]
async fn a_retry_returns_the_same_billed_subscription() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let body = json!({ "user_id": base.user, "subscription_plan_id": plan, "billing": {} });
    let send = || base.app.request("POST", "/subscriptions").header("idempotency-key", "k").json(&body).send();
    let (first, second) = (send().await.expect(201), send().await.expect(201));
    assert_eq!((first.data(), second.header("idempotency-replayed")), (second.data(), "true"));
}
