//! The worked examples of docs/lifecycle.md through HTTP.

use super::support::{Base, id, minute};
use serde_json::{Value, json};

#[tokio::test]
async fn p1_the_forecast_of_a_monthly_subscription() {
    let base = Base::at("2026-01-31T10:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    assert_eq!((&created["status"], &created["billing"]["next_action"]), (&json!("active"), &json!("renew")));
    assert_eq!(minute(&created, "billing.next_action_at"), "2026-02-28T10:00");
    base.app.set_time("2026-02-01T00:00:00Z");
    let target = format!("/subscriptions/{}/forecast?count=3", id(&created));
    let forecast = base.app.get(&target).await.expect(200).data().as_array().unwrap().clone();
    let entries: Vec<_> =
        forecast.iter().map(|entry| (minute(entry, "at"), entry["action"].as_str().unwrap())).collect();
    assert_eq!(entries, [("2026-02-28T10:00", "renew"), ("2026-03-31T10:00", "renew"), ("2026-04-30T10:00", "renew")]);
    for entry in &forecast {
        assert_eq!((&entry["event"], &entry["status"]), (&json!("subscription.renewed"), &json!("active")));
        assert_eq!((&entry["subscription"]["has_access"], &entry["invoice"]), (&json!(true), &Value::Null));
    }
    let target = format!("/subscriptions/{}/forecast", id(&created));
    assert_eq!(base.app.get(&target).await.expect(200).data().as_array().unwrap().len(), 3);
    for count in ["0", "25", "x"] {
        base.app.get(&format!("{target}?count={count}")).await.refused(400, "invalid_parameter");
    }
    let renewed = base.run(id(&created), "2027-02-01T00:00:00Z").await;
    assert_eq!(minute(&renewed, "renews_at"), "2027-02-28T10:00");
    assert_eq!(base.types(id(&created)).await.len(), 13);
}

#[tokio::test]
async fn p6_a_pending_change_acts_with_the_next_period() {
    let base = Base::at("2026-03-15T08:00:00Z").await;
    let (large, small) = (base.plan("large", json!({ "price": 49.99 })).await, base.plan("small", json!({})).await);
    let created = base.subscribe(&large, json!({})).await;
    base.app.set_time("2026-03-20T00:00:00Z");
    let planned = base.put(id(&created), json!({ "billing": { "change": { "subscription_plan_id": "small" } } })).await;
    assert_eq!(planned["billing"]["change"], json!({ "subscription_plan_id": small, "quantity": null }));
    assert_eq!(planned["subscription_plan_id"], json!(large));
    let in_use = base.app.delete("/subscription-plans/small").await.refused(409, "plan_in_use");
    assert_eq!(in_use.json["subscriptions"], 1);
    let renewed = base.run(id(&created), "2026-04-15T08:00:00Z").await;
    assert_eq!((&renewed["subscription_plan_id"], &renewed["billing"]["change"]), (&json!(small), &Value::Null));
    assert_eq!(minute(&renewed, "renews_at"), "2026-05-15T08:00");
    assert_eq!(base.types(id(&created)).await.last().unwrap(), "subscription.renewed");
}

#[tokio::test]
async fn p7_and_p8_a_trial_ends_with_a_period_or_a_pause() {
    let base = Base::at("2026-02-20T09:00:00Z").await;
    let plan = base.plan("pro", json!({ "price": 30, "billing": { "trial_days": 14 } })).await;
    let charged = base.subscribe(&plan, json!({})).await;
    assert_eq!((&charged["status"], &charged["has_access"]), (&json!("on_trial"), &json!(true)));
    let uncharged = base.subscribe(&plan, json!({ "billing": {} })).await;
    let active = base.run(id(&charged), "2026-03-06T09:00:00Z").await;
    assert_eq!((&active["status"], minute(&active, "renews_at")), (&json!("active"), "2026-04-06T09:00"));
    let types = base.types(id(&charged)).await;
    assert_eq!(types, ["subscription.created", "subscription.trial_ending", "subscription.trial_ended"]);
    let paused = base.run(id(&uncharged), "2026-03-06T09:00:00Z").await;
    assert_eq!((&paused["status"], &paused["has_access"]), (&json!("paused"), &json!(false)));
    assert_eq!(base.types(id(&uncharged)).await[2..], ["subscription.trial_ended", "subscription.access_changed"]);
    base.app.set_time("2026-03-10T12:00:00Z");
    let body = json!({ "status": "active", "billing": { "payment_method": "pm_2" } });
    let resumed = base.put(id(&uncharged), body).await;
    assert_eq!((&resumed["status"], minute(&resumed, "renews_at")), (&json!("active"), "2026-04-10T12:00"));
    assert_eq!(minute(&resumed, "billing.period_start"), "2026-03-10T12:00");
}

#[tokio::test]
async fn p19_a_pause_moves_the_end_of_the_period() {
    let base = Base::at("2026-03-01T00:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    base.app.set_time("2026-03-11T00:00:00Z");
    let body = json!({ "status": "paused", "billing": { "resumes_at": "2026-04-21T00:00:00Z" } });
    let paused = base.put(id(&created), body).await;
    assert_eq!((&paused["has_access"], &paused["billing"]["next_action"]), (&json!(false), &json!("resume")));
    assert_eq!(minute(&paused, "billing.paused_at"), "2026-03-11T00:00");
    let resumed = base.run(id(&created), "2026-04-22T00:00:00Z").await;
    assert_eq!((&resumed["status"], minute(&resumed, "renews_at")), (&json!("active"), "2026-05-12T00:00"));
    assert_eq!((&resumed["billing"]["paused_at"], &resumed["billing"]["resumes_at"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn p21_a_cancelled_subscription_ends_with_its_period() {
    let base = Base::at("2026-01-31T10:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    base.app.set_time("2026-02-10T00:00:00Z");
    let cancelled = base.put(id(&created), json!({ "status": "cancelled" })).await;
    assert_eq!((minute(&cancelled, "ends_at"), &cancelled["has_access"]), ("2026-02-28T10:00", &json!(true)));
    base.app.set_time("2026-02-20T00:00:00Z");
    let back = base.put(id(&created), json!({ "status": "active" })).await;
    assert_eq!((&back["ends_at"], minute(&back, "billing.next_action_at")), (&Value::Null, "2026-02-28T10:00"));
    base.put(id(&created), json!({ "status": "cancelled" })).await;
    let ended = base.run(id(&created), "2026-03-20T00:00:00Z").await;
    assert_eq!((&ended["status"], &ended["is_active"]), (&json!("expired"), &json!(false)));
    assert_eq!(minute(&ended, "ends_at"), "2026-02-28T10:00");
    let types = base.types(id(&created)).await;
    assert_eq!(types[4..], ["subscription.expired", "subscription.access_changed"]);
    base.try_put(id(&created), json!({ "status": "active" })).await.refused(409, "managed_status");
}

#[tokio::test]
async fn p20_late_renewals_are_made_one_by_one() {
    let base = Base::at("2025-01-31T00:00:00Z").await;
    let plan = base.plan("pro", json!({ "price": 10 })).await;
    let created = base.subscribe(&plan, json!({})).await;
    base.run(id(&created), "2025-03-15T00:00:00Z").await;
    let before = base.types(id(&created)).await.len();
    let renewed = base.run(id(&created), "2026-05-20T00:00:00Z").await;
    assert_eq!(minute(&renewed, "renews_at"), "2026-05-31T00:00");
    assert_eq!(base.types(id(&created)).await.len() - before, 14);
}
