//! API rules 22 (`docs/api.md`): limits, wrong values, calls at once, and what callers of other organizations and scopes see.

use perennial_app::clients::{self, Credential, NewClient, Presents};
use perennial_app::organizations;
use perennial_domain::clients::{ClientKind, ClientName};
use perennial_domain::currency::Currency;
use perennial_domain::organizations::OrganizationName;
use perennial_testkit::{TestApp, all_at_once};
use serde_json::{Value, json};

fn feature(key: &str) -> Value {
    json!({ "key": key, "name": "Feature", "kind": "boolean" })
}

#[tokio::test]
async fn an_organization_has_at_most_500_features() {
    let app = TestApp::start().await;
    for first in (0..499).step_by(50) {
        let keys = (first..499.min(first + 50)).map(|number| feature(&format!("f{number}")));
        for answer in all_at_once(keys.map(|body| app.request("POST", "/features").json(&body))).await {
            answer.expect(201);
        }
    }
    // Of twenty at once one is the last.
    let last = (0..20).map(|number| app.request("POST", "/features").json(&feature(&format!("last{number}"))));
    let answers = all_at_once(last).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.json["code"] == "feature_limit").count(), 19);
    app.post("/features", &feature("more")).await.refused(409, "feature_limit");
    app.put("/features/f0", &json!({ "is_active": false })).await.expect(200);
    app.post("/features", &feature("more")).await.refused(409, "feature_limit");
    let page = app.get("/features?limit=200").await.expect(200);
    assert_eq!((page.data().as_array().unwrap().len(), &page.json["page"]["has_more"]), (200, &json!(true)));
}

#[tokio::test]
async fn one_key_sent_twenty_times_at_once_is_one_feature() {
    let app = TestApp::start().await;
    let answers = all_at_once((0..20).map(|_| app.request("POST", "/features").json(&feature("sso")))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.json["code"] == "key_taken").count(), 19);
    let send = || app.request("POST", "/features").header("idempotency-key", "k").json(&feature("once")).send();
    let first = send().await.expect(201);
    let again = send().await.expect(201);
    assert_eq!((again.header("idempotency-replayed"), &again.json), ("true", &first.json));
}

#[tokio::test]
async fn wrong_values_of_a_feature_are_all_reported() {
    let app = TestApp::start().await;
    let wrong = json!({
        "key": "Not a slug", "name": "", "description": "x".repeat(5_001), "kind": 1, "combine": "most",
        "per_unit": "yes", "meter": 7, "period": "week", "is_active": null, "extra": 1, "id": "feat_1"
    });
    let refused = app.post("/features", &wrong).await.expect(422);
    let mut faults = refused.faults();
    faults.sort_unstable();
    let expected = [
        "/combine unknown_value",
        "/description too_long",
        "/extra unknown_field",
        "/id read_only_field",
        "/is_active not_nullable",
        "/key invalid_format",
        "/kind invalid_type",
        "/meter invalid_type",
        "/name too_short",
        "/per_unit invalid_type",
        "/period unknown_value",
    ];
    assert_eq!(faults, expected);
    let long = json!({ "key": "k".repeat(101), "name": "n".repeat(256), "kind": "limit" });
    assert_eq!(app.post("/features", &long).await.expect(422).faults(), ["/key too_long", "/name too_long"]);
    let longest = json!({
        "key": "k".repeat(100), "name": "n".repeat(255), "description": "d".repeat(5_000), "kind": "limit"
    });
    app.post("/features", &longest).await.expect(201);
    app.get("/features?kind=none").await.refused(400, "invalid_parameter");
    app.get("/features?sort=key").await.refused(400, "unknown_parameter");
    app.get("/features?limit=201").await.refused(400, "invalid_parameter");
    app.delete(&format!("/features/{}", "k".repeat(100))).await.refused(405, "method_not_allowed");
}

#[tokio::test]
async fn a_feature_is_updated_at_the_revision_that_was_read() {
    let app = TestApp::start().await;
    let created = app.post("/features", &feature("sso")).await.expect(201);
    let tag = created.header("etag").to_owned();
    let put =
        |name: &str| app.request("PUT", "/features/sso").header("if-match", &tag).json(&json!({ "name": name })).send();
    put("First").await.expect(200);
    put("Second").await.refused(412, "stale");
    let read = app.get("/features/sso").await.expect(200);
    let unchanged = app.request("GET", "/features/sso").header("if-none-match", read.header("etag")).send().await;
    assert_eq!(unchanged.status, 304);
}

/// Records of another organization do not exist for the caller, and the same key can exist in both.
#[tokio::test]
async fn another_organization_sees_and_grants_nothing() {
    const CREDENTIAL: &str = "pk_OtherOtherOtherOtherOtherOtherOther";
    let app = TestApp::start().await;
    app.post("/features", &feature("sso")).await.expect(201);
    app.plan("pro", json!({ "entitlements": { "sso": true } })).await;
    let ada = app.user("ada@example.com").await;
    let subscription = app.subscription(&ada, "pro", json!({})).await["id"].as_str().unwrap().to_owned();
    let id = app.get("/features/sso").await.data()["id"].as_str().unwrap().to_owned();
    let name = OrganizationName::parse("Other").unwrap();
    let other = organizations::create(&app.app, name, Currency::USD, None).await.unwrap().unwrap().id;
    let client = NewClient {
        name: ClientName::parse("other").unwrap(),
        presents: Presents::Trusted(Credential::chosen(CREDENTIAL).unwrap()),
        scopes: ClientKind::Trusted.scopes(),
        origins: vec![],
        cidrs: vec![],
        expires_at: None,
    };
    clients::create(&app.app, other, client).await.unwrap().unwrap();
    let call = |method: &str, target: &str| app.anonymous(method, target).header("client-id", CREDENTIAL);
    for target in [
        "/features/sso".to_owned(),
        format!("/features/{id}"),
        format!("/users/{ada}/entitlements"),
        format!("/users/{ada}/entitlements/sso"),
        format!("/subscriptions/{subscription}/members"),
    ] {
        call("GET", &target).send().await.refused(404, "not_found");
    }
    call("PUT", "/features/sso").json(&json!({ "name": "Mine" })).send().await.refused(404, "not_found");
    let token = call("POST", &format!("/users/{ada}/entitlement-token")).json(&json!({})).send().await;
    token.refused(404, "not_found");
    let plan = json!({
        "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly", "entitlements": { "sso": true }
    });
    let refused = call("POST", "/subscription-plans").json(&plan).send().await.expect(422);
    assert_eq!(refused.faults(), ["/entitlements/sso not_found"]);
    call("POST", "/features").json(&feature("sso")).send().await.expect(201);
    let bob = app.user_of(other, "bob@example.com").await;
    let join = json!({ "user_id": bob });
    let refused = app.post(&format!("/subscriptions/{subscription}/members"), &join).await.expect(422);
    assert_eq!(refused.faults(), ["/user_id not_found"]);
    assert_eq!(call("GET", "/features").send().await.expect(200).data().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn answers_are_not_stored_by_caches_and_head_is_a_get_without_a_body() {
    let app = TestApp::start().await;
    let ada = app.user("ada@example.com").await;
    app.post("/features", &feature("sso")).await.expect(201);
    for target in [format!("/users/{ada}/entitlements"), format!("/users/{ada}/entitlements/sso")] {
        let answer = app.get(&target).await.expect(200);
        assert_eq!(answer.header("cache-control"), "no-store", "{target}");
        let tag = answer.header("etag").to_owned();
        assert!(tag.starts_with('"') && tag.ends_with('"'), "a strong tag: {tag}");
        let head = app.request("HEAD", &target).send().await.expect(200);
        assert_eq!(head.header("etag"), tag);
        app.request("GET", &target).header("if-none-match", &tag).send().await.expect(304);
        app.get(&format!("{target}?x=1")).await.refused(400, "unknown_parameter");
    }
    let token = app.post(&format!("/users/{ada}/entitlement-token"), &json!({})).await.expect(200);
    assert_eq!(token.header("cache-control"), "no-store");
}

/// A negative value can leave something of a quota of 0, and `enforce` accepts what a check allows.
#[tokio::test]
async fn what_a_check_allows_fits_and_what_it_refuses_does_not() {
    let app = TestApp::start().await;
    app.post("/meters", &json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
    let quota = json!({ "key": "api", "name": "API", "kind": "quota", "meter": "calls" });
    app.post("/features", &quota).await.expect(201);
    app.plan("none", json!({ "entitlements": { "api": 0 } })).await;
    let ada = app.user("ada@example.com").await;
    let subscription = app.subscription(&ada, "none", json!({})).await["id"].clone();
    let check = async |need: i64| {
        let path = format!("/users/{ada}/entitlements/api?need={need}");
        app.get(&path).await.expect(200).data().clone()
    };
    let send = async |id: &str, value: i64| {
        let event = json!({ "id": id, "subscription_id": subscription, "meter": "calls", "value": value });
        app.post("/usage-events", &json!({ "mode": "enforce", "events": [event] })).await
    };
    assert_eq!(check(1).await["reason"], "not_granted");
    send("credit", -5).await.expect(200);
    let allowed = check(5).await;
    let found = (&allowed["allowed"], &allowed["reason"], &allowed["remaining"]);
    assert_eq!(found, (&json!(true), &json!(null), &json!(5)));
    assert_eq!(check(6).await["allowed"], json!(false));
    send("a", 6).await.refused(409, "quota_exceeded");
    send("a", 5).await.expect(200);
}

#[tokio::test]
async fn the_mode_of_usage_is_checked() {
    let app = TestApp::start().await;
    for (mode, code) in [(json!("force"), "unknown_value"), (json!(1), "invalid_type"), (json!(null), "not_nullable")] {
        let refused = app.post("/usage-events", &json!({ "events": [], "mode": mode })).await.expect(422);
        assert!(refused.faults().contains(&format!("/mode {code}")), "{:?}", refused.faults());
    }
}
