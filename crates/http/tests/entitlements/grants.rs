//! API rules 22.2 (`docs/api.md`): grants of plans and subscriptions.

use perennial_testkit::TestApp;
use serde_json::{Value, json};

async fn start() -> TestApp {
    let app = TestApp::start().await;
    app.post("/meters", &json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
    for feature in [
        json!({ "key": "sso", "name": "SSO", "kind": "boolean" }),
        json!({ "key": "seats", "name": "Seats", "kind": "limit" }),
        json!({ "key": "calls", "name": "Calls", "kind": "quota", "meter": "calls" }),
    ] {
        app.post("/features", &feature).await.expect(201);
    }
    app
}

#[tokio::test]
async fn a_plan_has_grants_that_an_update_merges() {
    let app = start().await;
    let plan = app.plan("pro", json!({ "entitlements": { "sso": true, "seats": 5 } })).await;
    assert_eq!(plan["entitlements"].to_string(), r#"{"seats":5,"sso":true}"#, "sorted");
    let update = json!({ "entitlements": { "calls": "unlimited", "sso": null } });
    let updated = app.put("/subscription-plans/pro", &update).await.expect(200).data().clone();
    assert_eq!(updated["entitlements"], json!({ "calls": "unlimited", "seats": 5 }));
    assert_eq!(updated["version"], plan["version"], "grants are no part of the version");
    let same = app.put("/subscription-plans/pro", &json!({ "entitlements": {} })).await.expect(200);
    assert_eq!(same.data(), &updated, "nothing changes");
    assert_eq!(app.put("/subscription-plans/pro", &updated).await.expect(200).data(), &updated);
    let events = app.events().await;
    let after = events.iter().rev().find_map(|event| event.after.as_deref()).unwrap();
    let after: Value = serde_json::from_str(after).unwrap();
    assert_eq!(after["entitlements"], updated["entitlements"], "the event has them");
    assert_eq!(app.plan("free", json!({})).await["entitlements"], json!({}));
}

#[tokio::test]
async fn a_subscription_has_overrides() {
    let app = start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({ "entitlements": { "seats": 5 } })).await;
    let plain = app.subscription(&user, "pro", json!({})).await;
    assert_eq!(plain["entitlements"], json!({}));
    for changes in [json!({}), json!({ "billing": { "collection": "manual" } })] {
        let mut sent = changes;
        sent["entitlements"] = json!({ "seats": 0, "sso": true });
        let made = app.subscription(&user, "pro", sent).await;
        assert_eq!(made["entitlements"], json!({ "seats": 0, "sso": true }));
        let path = format!("/subscriptions/{}", made["id"].as_str().unwrap());
        let update = json!({ "entitlements": { "seats": null } });
        let updated = app.put(&path, &update).await.expect(200).data().clone();
        assert_eq!(updated["entitlements"], json!({ "sso": true }));
        assert_eq!(app.get(&path).await.data()["entitlements"], json!({ "sso": true }));
        assert_eq!(app.put(&path, &updated).await.expect(200).data(), &updated);
    }
}

#[tokio::test]
async fn all_errors_of_grants_are_reported_at_once() {
    let app = start().await;
    let grants = json!({
        "sso": 1, "seats": -1, "calls": "many", "unknown": true, "a/b": 1, "x": null
    });
    let plan = json!({
        "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly", "tier": -1, "entitlements": grants
    });
    let refused = app.post("/subscription-plans", &plan).await.expect(422);
    let expected = [
        "/tier out_of_range",
        "/entitlements/sso invalid_type",
        "/entitlements/seats out_of_range",
        "/entitlements/calls invalid_type",
        "/entitlements/unknown not_found",
        "/entitlements/a~1b not_found",
        "/entitlements/x not_nullable",
    ];
    assert_eq!(refused.faults(), expected);
    app.plan("pro", json!({})).await;
    let update = async |value: Value| {
        let answer = app.put("/subscription-plans/pro", &json!({ "entitlements": value })).await.expect(422);
        answer.faults().join(", ")
    };
    assert_eq!(update(json!({ "seats": 1.5 })).await, "/entitlements/seats invalid_type");
    assert_eq!(update(json!({ "seats": 9_007_199_254_740_992_i64 })).await, "/entitlements/seats out_of_range");
    assert_eq!(update(json!({ "none": null })).await, "/entitlements/none not_found");
    assert_eq!(update(json!([])).await, "/entitlements invalid_type");
    assert_eq!(update(json!(null)).await, "/entitlements not_nullable");
    let user = app.user("ada@example.com").await;
    let sent = json!({ "user_id": user, "subscription_plan_id": "none", "entitlements": { "sso": null, "no": 1 } });
    let refused = app.post("/subscriptions", &sent).await.expect(422);
    let expected = ["/subscription_plan_id not_found", "/entitlements/sso not_nullable", "/entitlements/no not_found"];
    assert_eq!(refused.faults(), expected);
}

#[tokio::test]
async fn a_plan_has_at_most_200_grants() {
    let app = TestApp::start().await;
    let mut grants = json!({});
    for number in 0..201 {
        let key = format!("f{number}");
        let feature = json!({ "key": key, "name": "F", "kind": "boolean" });
        app.post("/features", &feature).await.expect(201);
        grants[key] = json!(true);
    }
    app.plan("pro", json!({})).await;
    let refused = app.put("/subscription-plans/pro", &json!({ "entitlements": grants })).await.expect(422);
    assert_eq!(refused.faults(), ["/entitlements too_long"]);
    grants.as_object_mut().unwrap().remove("f0");
    app.put("/subscription-plans/pro", &json!({ "entitlements": grants })).await.expect(200);
    let over = json!({ "entitlements": { "f0": true } });
    app.put("/subscription-plans/pro", &over).await.refused(422, "too_long");
}
