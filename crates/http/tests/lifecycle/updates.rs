//! What callers may change of a billed subscription.

use super::support::{Base, id, minute};
use serde_json::{Value, json};

#[tokio::test]
async fn late_actions_are_committed_before_a_write() {
    let base = Base::at("2026-01-31T10:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    let target = format!("/subscriptions/{}", id(&created));
    let etag = base.app.get(&target).await.expect(200).header("etag").to_owned();
    base.app.set_time("2026-04-15T00:00:00Z");
    let stale = base.app.request("PUT", &target).header("if-match", &etag).json(&json!({ "quantity": 2 })).send().await;
    stale.refused(412, "stale");
    let types = base.types(id(&created)).await;
    assert_eq!(types[1..], ["subscription.renewed", "subscription.renewed"], "If-Match is compared after them");
    let updated = base.put(id(&created), json!({ "quantity": 2 })).await;
    assert_eq!((minute(&updated, "renews_at"), &updated["quantity"]), ("2026-04-30T10:00", &json!(2)));
}

#[tokio::test]
async fn a_request_makes_at_most_64_late_actions() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({ "billing_cycle": "weekly" })).await;
    let created = base.subscribe(&plan, json!({})).await;
    base.app.advance(70 * 7 * 86_400);
    base.try_put(id(&created), json!({ "quantity": 2 })).await.refused(409, "lifecycle_behind");
    assert_eq!(base.types(id(&created)).await.len(), 65);
    base.put(id(&created), json!({ "quantity": 2 })).await;
    assert_eq!(base.types(id(&created)).await.len(), 72);
}

#[tokio::test]
async fn a_whole_record_can_be_sent_back() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    assert_eq!(base.put(id(&created), created.clone()).await, created);
    assert_eq!(base.types(id(&created)).await, ["subscription.created"]);
    let mut changed = created.clone();
    changed["renews_at"] = json!("2026-05-10T12:00:00Z");
    changed["billing"]["anchor_at"] = json!("2026-05-10T12:00:00Z");
    let faults = base.try_put(id(&created), changed).await.expect(422).faults();
    assert_eq!(faults, ["/renews_at read_only_field", "/billing/anchor_at read_only_field"]);
}

#[tokio::test]
async fn statuses_and_changes_that_are_not_allowed_are_conflicts() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    let refused = base.try_put(id(&created), json!({ "status": "unpaid" })).await.refused(409, "managed_status");
    assert_eq!(refused.json["allowed"], json!(["paused", "cancelled", "expired"]));
    base.put(id(&created), json!({ "status": "paused" })).await;
    base.try_put(id(&created), json!({ "quantity": 3 })).await.refused(409, "change_not_allowed");
    base.app.plan("old", json!({ "is_active": false })).await;
    let body = json!({ "billing": { "change": { "subscription_plan_id": "old" } } });
    base.try_put(id(&created), body).await.refused(409, "plan_inactive");
    base.app.plan("euro", json!({ "currency": "EUR" })).await;
    let body = json!({ "billing": { "change": { "subscription_plan_id": "euro" } } });
    let faults = base.try_put(id(&created), body).await.expect(422).faults();
    assert_eq!(faults, ["/billing/change/subscription_plan_id inconsistent"]);
}

#[tokio::test]
async fn too_many_plan_changes_in_a_period_are_a_conflict() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plans = [base.plan("a", json!({})).await, base.plan("b", json!({ "price": 5 })).await];
    let created = base.subscribe(&plans[0], json!({})).await;
    for made in 1..=10 {
        base.put(id(&created), json!({ "subscription_plan_id": plans[made % 2] })).await;
    }
    base.try_put(id(&created), json!({ "subscription_plan_id": "b" })).await.refused(409, "too_many_changes");
}

#[tokio::test]
async fn an_external_subscription_becomes_billed_and_external_again() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let external = base.app.subscription(&base.user, &plan, json!({})).await;
    let billed = base.put(id(&external), json!({ "billing": { "payment_method": "pm_1" } })).await;
    assert_eq!((&billed["renews_at"], &billed["billing"]["next_action"]), (&external["renews_at"], &json!("renew")));
    let renewed = base.run(id(&external), "2026-04-10T12:00:00Z").await;
    assert_eq!(minute(&renewed, "renews_at"), "2026-05-10T12:00");
    let again = base.put(id(&external), json!({ "billing": null })).await;
    assert_eq!((&again["billing"], &again["renews_at"]), (&Value::Null, &renewed["renews_at"]));
    base.put(id(&external), json!({ "renews_at": "2026-09-10T12:00:00Z" })).await;
    base.put(id(&external), json!({ "status": "past_due" })).await;
    let faults = base.try_put(id(&external), json!({ "billing": {} })).await.expect(422).faults();
    assert_eq!(faults, ["/status inconsistent"]);
}

#[tokio::test]
async fn a_subscription_of_another_plan_version_becomes_billed_in_its_cycle() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let external = base.app.subscription(&base.user, &plan, json!({})).await;
    base.app.put("/subscription-plans/pro", &json!({ "billing_cycle": "yearly" })).await.expect(200);
    let billed = base.put(id(&external), json!({ "billing": {} })).await;
    assert_eq!((&billed["plan_version"], minute(&billed, "renews_at")), (&json!(1), "2026-04-10T12:00"));
    let renewed = base.run(id(&external), "2026-04-10T12:00:00Z").await;
    assert_eq!((&renewed["plan_version"], minute(&renewed, "renews_at")), (&json!(1), "2026-05-10T12:00"));
    let moved = base.put(id(&external), json!({ "billing": { "change": { "subscription_plan_id": "pro" } } })).await;
    assert_eq!(moved["plan_version"], 1);
    let moved = base.run(id(&external), "2026-05-10T12:00:00Z").await;
    assert_eq!((&moved["plan_version"], minute(&moved, "renews_at")), (&json!(2), "2027-05-10T12:00"));
}

#[tokio::test]
async fn the_subscription_of_an_erased_user_is_ended_by_the_engine() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    base.app.delete(&format!("/users/{}", base.user)).await.expect(200);
    let cancelled = base.read(id(&created)).await;
    assert_eq!((&cancelled["status"], &cancelled["billing"]["next_action"]), (&json!("cancelled"), &json!("end")));
    let ended = base.run(id(&created), "2026-03-10T12:00:00Z").await;
    assert_eq!(ended["status"], "expired");
}

#[tokio::test]
async fn the_access_of_an_erased_user_ends_only_if_there_was_some() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let (active, paused) = (base.subscribe(&plan, json!({})).await, base.subscribe(&plan, json!({})).await);
    base.put(id(&paused), json!({ "status": "paused" })).await;
    base.app.set_time("2026-03-11T12:00:00Z");
    base.app.delete(&format!("/users/{}", base.user)).await.expect(200);
    for created in [&active, &paused] {
        assert_eq!(base.run(id(created), "2026-03-11T12:00:00Z").await["status"], "expired");
    }
    let ended = ["subscription.updated", "subscription.expired", "subscription.access_changed"];
    assert_eq!(base.types(id(&active)).await[1..], ended);
    assert_eq!(base.types(id(&paused)).await[2..], ended[..2]);
}

#[tokio::test]
async fn all_validation_errors_come_before_a_conflict() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let paused = base.subscribe(&plan, json!({})).await;
    base.put(id(&paused), json!({ "status": "paused" })).await;
    for ends_at in [json!(null), json!("2026-03-10T12:00:00Z"), json!("2026-05-10T12:00:00Z")] {
        let body = json!({ "status": "cancelled", "ends_at": ends_at });
        assert_eq!(base.try_put(id(&paused), body).await.expect(422).faults(), ["/ends_at inconsistent"]);
    }
    base.try_put(id(&paused), json!({ "status": "cancelled" })).await.refused(409, "managed_status");
    base.put(id(&paused), json!({ "status": "expired" })).await;
    let body = json!({ "quantity": 5, "is_active": true });
    assert_eq!(base.try_put(id(&paused), body).await.expect(422).faults(), ["/is_active inconsistent"]);
    let cancelled = base.subscribe(&plan, json!({})).await;
    base.put(id(&cancelled), json!({ "status": "cancelled" })).await;
    let body = json!({ "quantity": 2, "ends_at": null });
    assert_eq!(base.try_put(id(&cancelled), body).await.expect(422).faults(), ["/ends_at inconsistent"]);
    let body = json!({ "user_id": base.user, "subscription_plan_id": plan, "status": "expired" });
    let external = base.app.post("/subscriptions", &body).await.expect(201).data().clone();
    let body = json!({ "status": "active", "billing": { "payment_method": "4242424242424242" } });
    let faults = base.try_put(id(&external), body).await.expect(422).faults();
    assert_eq!(faults, ["/billing/payment_method invalid_text"]);
}

#[tokio::test]
async fn times_that_do_not_depend_on_the_plan_are_checked_without_one() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let body = json!({
        "starts_at": "2024-03-10T12:00:00Z", "ends_at": "2023-03-10T12:00:00Z",
        "billing": { "trial_ends_at": "2022-03-10T12:00:00Z" }
    });
    let mut faults = base.try_subscribe("none", body).await.expect(422).faults();
    faults.sort();
    let times = ["/billing/trial_ends_at out_of_range", "/ends_at out_of_range", "/starts_at out_of_range"];
    assert_eq!(faults, [&times[..], &["/subscription_plan_id not_found"]].concat());
}

#[tokio::test]
async fn a_lifetime_subscription_is_cancelled_now_and_not_at_an_end_that_is_now() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("once", json!({ "billing_cycle": "lifetime" })).await;
    let created = base.subscribe(&plan, json!({})).await;
    let body = json!({ "status": "cancelled", "ends_at": base.app.now() });
    assert_eq!(base.try_put(id(&created), body).await.expect(422).faults(), ["/ends_at inconsistent"]);
    let cancelled = base.put(id(&created), json!({ "status": "cancelled" })).await;
    assert_eq!((&cancelled["ends_at"], &cancelled["has_access"]), (&json!(base.app.now()), &json!(false)));
}
