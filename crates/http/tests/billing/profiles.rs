//! API rules 19.1 (`docs/api.md`): billing profiles.

use perennial_testkit::TestApp;
use serde_json::{Value, json};

fn full() -> Value {
    json!({
        "name": "Ada Lovelace", "email": "billing@example.com", "address": ["12 Square", "12 Square"], "country": "gb",
        "tax_id": "GB1", "tax_exempt": true, "locale": "de", "note": "Reverse charge"
    })
}

#[tokio::test]
async fn every_user_has_a_profile_that_is_empty_at_first() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let path = format!("/users/{user}/billing-profile");
    let empty = app.get(&path).await.expect(200);
    let record = empty.data().clone();
    let members: Vec<&String> = record.as_object().unwrap().keys().collect();
    let expected = [
        "user_id",
        "name",
        "email",
        "address",
        "country",
        "tax_id",
        "tax_exempt",
        "tax_rate_ids",
        "locale",
        "note",
        "balances",
        "created_at",
        "updated_at",
    ];
    assert_eq!(members, expected);
    assert_eq!((&record["name"], &record["address"], &record["tax_exempt"]), (&json!(null), &json!([]), &json!(false)));
    let same = app.put(&path, &json!({})).await.expect(200);
    assert_eq!(same.header("etag"), empty.header("etag"), "nothing was written");
    let updated = app.put(&path, &full()).await.expect(200);
    assert_eq!(
        (&updated.data()["country"], &updated.data()["address"]),
        (&json!("GB"), &json!(["12 Square", "12 Square"]))
    );
    assert_eq!(app.get(&path).await.expect(200).data(), updated.data());
    let stale = app.request("PUT", &path).header("if-match", empty.header("etag")).json(&json!({ "name": "B" }));
    stale.send().await.refused(412, "stale");
    let fresh = app.request("PUT", &path).header("if-match", updated.header("etag")).json(&json!({ "name": null }));
    assert_eq!(fresh.send().await.expect(200).data()["name"], json!(null));
    app.get("/users/usr_01h455vb4pex5vsknk084sn02q/billing-profile").await.refused(404, "not_found");
}

#[tokio::test]
async fn events_of_a_profile_have_the_names_of_fields_only() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.put(&format!("/users/{user}/billing-profile"), &full()).await.expect(200);
    let events = app.events().await;
    let event = events.iter().find(|event| event.kind.as_str() == "billing_profile.updated").unwrap();
    let after: Value = serde_json::from_str(event.after.as_deref().unwrap()).unwrap();
    let fields = ["name", "email", "address", "country", "tax_id", "tax_exempt", "locale", "note"];
    assert_eq!(after, json!({ "id": user, "fields": fields }));
    assert_eq!((event.record(), &event.before), (user, &None));
}

#[tokio::test]
async fn a_tax_rate_must_be_active_when_it_is_named_first() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let path = format!("/users/{user}/billing-profile");
    let rate =
        app.post("/tax-rates", &json!({ "name": "VAT", "percentage": 19 })).await.expect(201).data()["id"].clone();
    app.put(&path, &json!({ "tax_rate_ids": [rate] })).await.expect(200);
    app.put(&format!("/tax-rates/{}", rate.as_str().unwrap()), &json!({ "is_active": false })).await.expect(200);
    app.put(&path, &json!({ "tax_rate_ids": [rate], "name": "Ada" })).await.expect(200);
    app.put(&path, &json!({ "tax_rate_ids": [] })).await.expect(200);
    let refused = app.put(&path, &json!({ "tax_rate_ids": [rate] })).await.refused(422, "not_found");
    assert_eq!(refused.faults(), ["/tax_rate_ids/0 not_found"]);
    let invalid = json!({ "address": ["", "1", "2", "3", "4", "5"], "locale": "it", "country": "XX", "email": "x" });
    let refused = app.put(&path, &invalid).await.expect(422);
    assert_eq!(refused.faults()[0], "/email invalid_format");
    app.put(&path, &json!({ "address": ["1", "2", "3", "4", "5", "6", "7"] })).await.refused(422, "too_long");
}

#[tokio::test]
async fn a_person_reads_the_own_profile_and_ledger_and_changes_neither() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.sign_up("ada@example.com").await, app.sign_up("bob@example.com").await);
    let (own, other) = (ada.user_id().to_owned(), bob.user_id().to_owned());
    app.post(&format!("/users/{own}/credits"), &json!({ "currency": "USD", "amount": 5 })).await.expect(201);
    let as_ada = |method: &str, target: &str| app.browser(method, target).bearer(&ada.token);
    for name in ["me", own.as_str()] {
        let profile = as_ada("GET", &format!("/users/{name}/billing-profile")).send().await.expect(200);
        assert_eq!(profile.data()["user_id"], json!(own));
        let credits = as_ada("GET", &format!("/users/{name}/credits")).send().await.expect(200);
        assert_eq!(credits.data().as_array().unwrap().len(), 1);
    }
    as_ada("GET", &format!("/users/{other}/billing-profile")).send().await.refused(404, "not_found");
    as_ada("GET", &format!("/users/{other}/credits")).send().await.refused(404, "not_found");
    as_ada("PUT", "/users/me/billing-profile")
        .json(&json!({ "name": "A" }))
        .send()
        .await
        .refused(403, "insufficient_scope");
    let credit = json!({ "currency": "USD", "amount": 5 });
    as_ada("POST", "/users/me/credits").json(&credit).send().await.refused(403, "insufficient_scope");
    app.browser("GET", "/users/me/billing-profile").send().await.refused(401, "token_required");
    app.get("/users/me/billing-profile").await.refused(404, "not_found");
}

#[tokio::test]
async fn an_erased_user_has_no_profile() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let path = format!("/users/{user}/billing-profile");
    app.put(&path, &full()).await.expect(200);
    app.post(&format!("/users/{user}/credits"), &json!({ "currency": "USD", "amount": 5 })).await.expect(201);
    app.delete(&format!("/users/{user}")).await.expect(200);
    app.get(&path).await.refused(404, "not_found");
    app.put(&path, &full()).await.refused(404, "not_found");
    app.get(&format!("/users/{user}/credits")).await.refused(404, "not_found");
    let id = user.parse().unwrap();
    let left = perennial_store::billing_profiles::by_user(&app.app.db, app.organization, id).await.unwrap();
    assert_eq!(left, None, "no personal data is left");
}
