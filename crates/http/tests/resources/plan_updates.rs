//! API rules 4 (`docs/api.md`): what of a plan can change and what cannot, retiring it, deleting it.

use super::support::{Base, PLANS, STATUSES, SUBSCRIPTIONS, assert_errors, place, text};
use perennial_testkit::TestApp;
use serde_json::json;

#[tokio::test]
async fn an_update_changes_what_was_sent_and_nothing_else() {
    let app = TestApp::start().await;
    let given = json!({ "product_id": "prod_1", "variants": ["eu"], "href": "https://example.com", "currency": "EUR" });
    let mut expected = app.plan("pro", given).await;
    for (minute, (field, value)) in (1..).zip([
        ("price", json!(24.5)),
        ("billing_cycle", json!("yearly")),
        ("description", json!("New\nlines")),
        ("node_quota", json!(3)),
        ("features", json!("a, b")),
        ("most_popular", json!(true)),
        ("tier", json!(2)),
        ("is_active", json!(false)),
    ]) {
        app.advance(60);
        let answer = app.put("/subscription-plans/pro", &json!({ field: value.clone() })).await.expect(200);
        expected[field] = value;
        expected["version"] = json!(1 + minute.min(2));
        expected["updated_at"] = json!(format!("2026-03-10T12:{minute:02}:00.000000Z"));
        assert_eq!(answer.data(), &expected, "{field}");
        assert_eq!(app.get("/subscription-plans/pro").await.expect(200).data(), &expected, "{field}");
    }
}

#[tokio::test]
async fn what_names_the_product_may_be_sent_back_but_never_changed() {
    let app = TestApp::start().await;
    let given = json!({ "product_id": "prod_1", "variants": ["eu", "us"], "href": "https://example.com" });
    let plan = app.plan("pro", given).await;
    for (field, other) in [
        ("id", json!("plan_01h455vb4pex5vsknk084sn02q")),
        ("id", json!("pro")),
        ("id", json!(null)),
        ("slug", json!("basic")),
        ("slug", json!("PRO")),
        ("slug", json!(null)),
        ("name", json!("Basic")),
        ("name", json!(null)),
        ("product_id", json!("prod_2")),
        ("product_id", json!(null)),
        ("variants", json!(["us", "eu"])),
        ("variants", json!([])),
        ("variants", json!(null)),
        ("href", json!("https://example.com/")),
        ("href", json!(null)),
        ("currency", json!("EUR")),
        ("currency", json!(null)),
        ("created_at", json!("2026-03-10T12:00:00.000001Z")),
        ("created_at", json!(null)),
    ] {
        let answer = app.put("/subscription-plans/pro", &json!({ field: other, "tier": 9 })).await;
        assert_errors(answer, &[&format!("/{field} read_only_field")], field);
        app.put("/subscription-plans/pro", &json!({ field: plan[field].clone() })).await.expect(200);
    }
    let same = json!({ "currency": "usd", "created_at": "2026-03-10T13:00:00+01:00", "updated_at": "whenever" });
    app.put("/subscription-plans/pro", &same).await.expect(200);
    let unknown = json!({ "organization_id": "org_01h455vb4pex5vsknk084sn02q" });
    let answer = app.put("/subscription-plans/pro", &unknown).await;
    assert_errors(answer, &["/organization_id unknown_field"], "mass assignment");
    assert_eq!(app.get("/subscription-plans/pro").await.expect(200).data(), &plan);
}

#[tokio::test]
async fn a_plan_without_a_product_may_send_the_nulls_back_only() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let nulls = json!({ "product_id": null, "href": null });
    app.put("/subscription-plans/pro", &nulls).await.expect(200);
    let values = json!({ "product_id": "", "href": "https://example.com" });
    let answer = app.put("/subscription-plans/pro", &values).await;
    assert_errors(answer, &["/product_id read_only_field", "/href read_only_field"], "");
}

#[tokio::test]
async fn a_plan_may_be_sent_back_whole_with_a_change() {
    let app = TestApp::start().await;
    let mut plan = app.plan("pro", json!({ "variants": ["eu"] })).await;
    let before = app.get("/subscription-plans/pro").await;
    app.advance(60);
    let same = app.put("/subscription-plans/pro", &plan).await.expect(200);
    assert_eq!((same.data(), same.header("etag")), (&plan, before.header("etag")), "nothing was written");
    plan["tier"] = json!(5);
    let changed = app.put("/subscription-plans/pro", &plan).await.expect(200);
    assert_eq!(changed.data()["tier"], 5);
    assert_eq!(changed.data()["updated_at"], "2026-03-10T12:01:00.000000Z");
    assert_ne!(changed.header("etag"), before.header("etag"));
}

#[tokio::test]
async fn a_new_price_is_held_against_the_plans_own_currency() {
    let app = TestApp::start().await;
    app.plan("yen", json!({ "currency": "JPY", "price": 100 })).await;
    let answer = app.put("/subscription-plans/yen", &json!({ "price": 100.5 })).await;
    assert_errors(answer, &["/price too_many_decimals"], "JPY");
    app.plan("dinar", json!({ "currency": "KWD", "price": 1.234 })).await;
    app.put("/subscription-plans/dinar", &json!({ "price": 0.001 })).await.expect(200);
}

#[tokio::test]
async fn a_plan_in_use_is_not_deleted_whatever_the_status_of_the_subscription() {
    let base = Base::start().await;
    for status in STATUSES {
        let subscription = base.subscribe(json!({ "status": status })).await;
        let refused = base.app.delete("/subscription-plans/pro").await.refused(409, "plan_in_use");
        assert_eq!(refused.json["subscriptions"], 1, "{status}");
        base.app.delete(&place(SUBSCRIPTIONS, &subscription)).await.expect(200);
    }
    let first = base.subscribe(json!({})).await;
    base.subscribe(json!({ "status": "expired" })).await;
    let third = base.subscribe(json!({ "status": "paused" })).await;
    let refused = base.app.delete("/subscription-plans/pro").await.refused(409, "plan_in_use");
    assert_eq!(refused.json["subscriptions"], 3);
    base.app.delete(&place(SUBSCRIPTIONS, &first)).await.expect(200);
    base.app.plan("other", json!({})).await;
    let moved = json!({ "subscription_plan_id": "other" });
    base.app.put(&place(SUBSCRIPTIONS, &third), &moved).await.expect(200);
    let refused = base.app.delete(&format!("{PLANS}/{}", base.plan)).await.refused(409, "plan_in_use");
    assert_eq!(refused.json["subscriptions"], 1, "one was deleted, one moved away");
    base.app.get("/subscription-plans/pro").await.expect(200);
}

#[tokio::test]
async fn a_plan_goes_when_its_last_subscription_is_gone() {
    let base = Base::start().await;
    let subscription = base.subscribe(json!({})).await;
    base.app.delete("/subscription-plans/pro").await.refused(409, "plan_in_use");
    base.app.delete(&place(SUBSCRIPTIONS, &subscription)).await.expect(200);
    let plan = base.app.get("/subscription-plans/pro").await.expect(200);
    assert_eq!(base.app.delete("/subscription-plans/pro").await.expect(200).json, plan.json);
    let answer = base.try_subscribe(json!({ "subscription_plan_id": "pro" })).await;
    assert_errors(answer, &["/subscription_plan_id not_found"], "by slug");
    assert_errors(base.try_subscribe(json!({})).await, &["/subscription_plan_id not_found"], "by id");
}

#[tokio::test]
async fn a_retired_plan_takes_no_new_subscription() {
    let base = Base::start().await;
    base.app.put("/subscription-plans/pro", &json!({ "is_active": false })).await.expect(200);
    base.try_subscribe(json!({})).await.refused(409, "plan_inactive");
    base.try_subscribe(json!({ "subscription_plan_id": "pro", "status": "expired" }))
        .await
        .refused(409, "plan_inactive");
    let answer = base.try_subscribe(json!({ "status": "odd" })).await;
    assert_errors(answer, &["/status unknown_value"], "input is judged before state");
    base.app.put("/subscription-plans/pro", &json!({ "is_active": true })).await.expect(200);
    base.subscribe(json!({})).await;
}

#[tokio::test]
async fn a_subscription_is_not_moved_to_a_retired_plan() {
    let base = Base::start().await;
    let other = base.app.plan("other", json!({ "is_active": false })).await;
    let subscription = base.subscribe(json!({})).await;
    for key in [text(&other, "id"), "other"] {
        let answer = base.app.put(&place(SUBSCRIPTIONS, &subscription), &json!({ "subscription_plan_id": key })).await;
        answer.refused(409, "plan_inactive");
    }
    assert_eq!(base.app.get(&place(SUBSCRIPTIONS, &subscription)).await.expect(200).data(), &subscription);
    base.app.put("/subscription-plans/other", &json!({ "is_active": true })).await.expect(200);
    let moved = json!({ "subscription_plan_id": "other" });
    let answer = base.app.put(&place(SUBSCRIPTIONS, &subscription), &moved).await.expect(200);
    assert_eq!(answer.data()["subscription_plan_id"], other["id"]);
}

#[tokio::test]
async fn retiring_a_plan_does_not_disturb_its_subscriptions() {
    let base = Base::start().await;
    let subscription = base.subscribe(json!({})).await;
    let at = place(SUBSCRIPTIONS, &subscription);
    base.app.put("/subscription-plans/pro", &json!({ "is_active": false })).await.expect(200);
    assert_eq!(base.app.get(&at).await.expect(200).data(), &subscription);
    for key in [base.plan.as_str(), "pro"] {
        base.app.put(&at, &json!({ "subscription_plan_id": key })).await.expect(200);
        let both = json!({ "subscription_plan_id": key, "status": if key == "pro" { "active" } else { "past_due" } });
        base.app.put(&at, &both).await.expect(200);
    }
    let renewed = base.app.put(&at, &json!({ "renews_at": "2026-05-10T12:00:00Z" })).await.expect(200);
    assert_eq!((&renewed.data()["status"], &renewed.data()["has_access"]), (&json!("active"), &json!(true)));
    base.app.plan("other", json!({})).await;
    base.app.put(&at, &json!({ "subscription_plan_id": "other" })).await.expect(200);
    base.app.put(&at, &json!({ "subscription_plan_id": "pro" })).await.refused(409, "plan_inactive");
}
