//! API rules 22.1 (`docs/api.md`): features.

use perennial_testkit::TestApp;
use serde_json::{Value, json};

fn feature(key: &str, kind: &str, changes: Value) -> Value {
    let mut feature = json!({ "key": key, "name": "Feature", "kind": kind });
    let Value::Object(changes) = changes else { panic!("the changes are members") };
    for (name, value) in changes {
        feature[name] = value;
    }
    feature
}

async fn meter(app: &TestApp, slug: &str, aggregation: &str) -> String {
    let sent = json!({ "slug": slug, "name": "M", "aggregation": aggregation });
    app.post("/meters", &sent).await.expect(201).data()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_feature_is_created_read_updated_and_listed_by_key() {
    let app = TestApp::start().await;
    let created = app.post("/features", &feature("sso", "boolean", json!({}))).await.expect(201);
    assert_eq!(created.header("location"), "/features/sso");
    let sso = created.data().clone();
    let members: Vec<&String> = sso.as_object().unwrap().keys().collect();
    let expected = [
        "id",
        "key",
        "name",
        "description",
        "kind",
        "combine",
        "per_unit",
        "meter",
        "period",
        "is_active",
        "created_at",
        "updated_at",
    ];
    assert_eq!(members, expected);
    assert!(sso["id"].as_str().unwrap().starts_with("feat_"));
    let defaults = [&sso["combine"], &sso["per_unit"], &sso["meter"], &sso["period"], &sso["is_active"]];
    assert_eq!(defaults, [&json!("any"), &json!(false), &json!(null), &json!(null), &json!(true)]);
    for path in ["/features/sso".to_owned(), format!("/features/{}", sso["id"].as_str().unwrap())] {
        assert_eq!(app.get(&path).await.expect(200).data(), &sso);
    }
    app.post("/features", &feature("analytics", "limit", json!({ "combine": "sum" }))).await.expect(201);
    let id = meter(&app, "calls", "sum").await;
    let quota = app.post("/features", &feature("quota", "quota", json!({ "meter": "calls" }))).await.expect(201);
    assert_eq!((&quota.data()["meter"], &quota.data()["period"]), (&json!(id), &json!("billing")));
    let keys = async |query: &str| {
        let page = app.get(&format!("/features{query}")).await.expect(200);
        let keys: Vec<&str> = page.data().as_array().unwrap().iter().map(|one| one["key"].as_str().unwrap()).collect();
        keys.join(" ")
    };
    assert_eq!(keys("").await, "analytics quota sso");
    assert_eq!(keys("?kind=limit").await, "analytics");
    let update = json!({ "name": "SSO", "description": "Sign-on", "is_active": false });
    let updated = app.put("/features/sso", &update).await.expect(200).data().clone();
    assert_eq!((&updated["name"], &updated["description"]), (&json!("SSO"), &json!("Sign-on")));
    assert_eq!(keys("?is_active=true").await, "analytics quota");
    assert_eq!(app.put("/features/sso", &updated).await.expect(200).data(), &updated, "the whole record");
    let first = app.get("/features?limit=2").await.expect(200);
    let cursor = first.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(keys(&format!("?limit=2&cursor={cursor}")).await, "sso");
    app.get("/features/nothing").await.refused(404, "not_found");
    let kinds: Vec<String> = app.events().await.iter().map(|event| event.kind.as_str().to_owned()).collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "feature.created").count(), 3);
    assert_eq!(kinds.iter().filter(|kind| *kind == "feature.updated").count(), 1);
}

#[tokio::test]
async fn keys_are_unique_and_what_is_fixed_stays() {
    let app = TestApp::start().await;
    app.post("/features", &feature("sso", "boolean", json!({}))).await.expect(201);
    app.post("/features", &feature("sso", "limit", json!({}))).await.refused(409, "key_taken");
    app.post("/features", &feature("feat_sso", "limit", json!({}))).await.refused(422, "invalid_format");
    app.post("/features", &json!({})).await.refused(422, "required");
    let change = json!({ "key": "other", "kind": "limit", "meter": "mtr_x", "period": "day" });
    let refused = app.put("/features/sso", &change).await.refused(422, "read_only_field");
    assert_eq!(refused.faults().len(), 4);
}

#[tokio::test]
async fn the_meter_of_a_quota_may_be_sent_back_by_id_or_slug() {
    let app = TestApp::start().await;
    let id = meter(&app, "calls", "sum").await;
    let other = meter(&app, "other", "sum").await;
    app.post("/features", &feature("quota", "quota", json!({ "meter": "calls" }))).await.expect(201);
    app.post("/features", &feature("sso", "boolean", json!({}))).await.expect(201);
    for same in [&json!("calls"), &json!(id)] {
        let kept = app.put("/features/quota", &json!({ "meter": same, "name": "Calls" })).await.expect(200);
        assert_eq!(kept.data()["meter"], json!(id));
    }
    for changed in [json!("other"), json!(other), json!("nothing"), json!("No slug"), json!(7), json!(null)] {
        let refused = app.put("/features/quota", &json!({ "meter": changed })).await.refused(422, "read_only_field");
        assert_eq!(refused.faults(), ["/meter read_only_field"], "{changed}");
    }
    app.put("/features/sso", &json!({ "meter": null })).await.expect(200);
    app.put("/features/sso", &json!({ "meter": "calls" })).await.refused(422, "read_only_field");
}

#[tokio::test]
async fn what_does_not_fit_the_kind_is_inconsistent() {
    let app = TestApp::start().await;
    meter(&app, "calls", "sum").await;
    meter(&app, "peak", "max").await;
    let refused = async |kind: &str, changes: Value| {
        let answer = app.post("/features", &feature("f", kind, changes)).await.expect(422);
        answer.faults().join(", ")
    };
    let all = json!({ "combine": "sum", "per_unit": true, "meter": "calls", "period": "day" });
    let expected = "/meter inconsistent, /period inconsistent, /combine inconsistent, /per_unit inconsistent";
    assert_eq!(refused("boolean", all).await, expected);
    assert_eq!(refused("limit", json!({ "combine": "any" })).await, "/combine inconsistent");
    assert_eq!(refused("quota", json!({})).await, "/meter required");
    assert_eq!(refused("quota", json!({ "meter": null })).await, "/meter not_nullable");
    assert_eq!(refused("quota", json!({ "meter": "nothing" })).await, "/meter not_found");
    assert_eq!(refused("quota", json!({ "meter": "peak" })).await, "/meter inconsistent");
    assert_eq!(refused("quota", json!({ "meter": "calls", "combine": "max" })).await, "/combine inconsistent");
    assert_eq!(refused("number", json!({})).await, "/kind unknown_value");
}

#[tokio::test]
async fn a_meter_that_an_active_feature_uses_cannot_be_deactivated() {
    let app = TestApp::start().await;
    let id = meter(&app, "calls", "count").await;
    let path = format!("/meters/{id}");
    app.post("/features", &feature("quota", "quota", json!({ "meter": id }))).await.expect(201);
    app.put(&path, &json!({ "is_active": false })).await.refused(409, "meter_in_use");
    app.put(&path, &json!({ "name": "Calls" })).await.expect(200);
    app.put("/features/quota", &json!({ "is_active": false })).await.expect(200);
    app.put(&path, &json!({ "is_active": false })).await.expect(200);
    app.post("/features", &feature("late", "quota", json!({ "meter": id }))).await.refused(422, "not_found");
    let refused = app.put("/features/quota", &json!({ "is_active": true })).await.refused(422, "inconsistent");
    assert_eq!(refused.faults(), ["/is_active inconsistent"]);
    app.put("/features/quota", &json!({ "name": "Calls" })).await.expect(200);
    app.put(&path, &json!({ "is_active": true })).await.expect(200);
    app.put("/features/quota", &json!({ "is_active": true })).await.expect(200);
}
