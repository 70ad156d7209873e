//! API rules 1.1 and 1.5 (`docs/api.md`): what a success looks like.

use super::support::{Peer, Records, TRUSTED, members, text};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

const PLAN: [&str; 20] = [
    "billing",
    "billing_cycle",
    "created_at",
    "currency",
    "description",
    "entitlements",
    "features",
    "href",
    "id",
    "is_active",
    "most_popular",
    "name",
    "node_quota",
    "price",
    "product_id",
    "slug",
    "tier",
    "updated_at",
    "variants",
    "version",
];
const SUBSCRIPTION: [&str; 18] = [
    "billing",
    "billing_cycle",
    "created_at",
    "ends_at",
    "entitlements",
    "external_subscription_id",
    "has_access",
    "id",
    "is_active",
    "managed_by",
    "plan_version",
    "quantity",
    "renews_at",
    "starts_at",
    "status",
    "subscription_plan_id",
    "updated_at",
    "user_id",
];
const PAYMENT: [&str; 10] = [
    "amount",
    "created_at",
    "currency",
    "date",
    "external_payment_id",
    "id",
    "invoice_id",
    "status",
    "subscription_id",
    "updated_at",
];

#[tokio::test]
async fn a_record_is_in_data_and_nothing_else_is() {
    let app = TestApp::start().await;
    for (path, created) in Records::create(&app).await.all() {
        let answer = app.get(&path).await.expect(200);
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.json, json!({ "data": created }), "{path}");
    }
}

#[tokio::test]
async fn every_field_of_a_record_is_there_whether_it_is_empty_or_not() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    assert_eq!(members(&records.plan), PLAN);
    assert_eq!(members(&records.subscription), SUBSCRIPTION);
    assert_eq!(members(&records.payment), PAYMENT);
    for field in ["product_id", "href"] {
        assert_eq!(records.plan[field], Value::Null, "{field}");
    }
    for field in ["external_subscription_id", "ends_at"] {
        assert_eq!(records.subscription[field], Value::Null, "{field}");
    }
    for field in ["external_payment_id", "date"] {
        assert_eq!(records.payment[field], Value::Null, "{field}");
    }
    for (list, expected) in [("/subscription-plans", &PLAN[..]), ("/subscriptions", &SUBSCRIPTION[..])] {
        assert_eq!(members(&app.get(list).await.expect(200).data()[0]), expected, "{list}");
    }
}

#[tokio::test]
async fn a_list_is_in_data_next_to_its_page() {
    let app = TestApp::start().await;
    for (list, limit) in [("/subscription-plans", 100), ("/subscriptions", 50)] {
        let page = json!({ "next_cursor": null, "has_more": false, "limit": limit });
        assert_eq!(app.get(list).await.expect(200).json, json!({ "data": [], "page": page }));
    }
    let first = app.plan("first", json!({})).await;
    app.plan("second", json!({})).await;
    let answer = app.get("/subscription-plans?limit=1").await.expect(200);
    assert_eq!(members(&answer.json), ["data", "page"]);
    assert_eq!(answer.json["data"], json!([first]));
    assert_eq!(members(&answer.json["page"]), ["has_more", "limit", "next_cursor"]);
    assert!(answer.json["page"]["next_cursor"].is_string());
    assert_eq!((&answer.json["page"]["has_more"], &answer.json["page"]["limit"]), (&json!(true), &json!(1)));
}

#[tokio::test]
async fn a_create_returns_201_and_the_location_of_the_record() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 5, "billing_cycle": "monthly" });
    let plan = app.post("/subscription-plans", &plan).await.expect(201);
    assert_eq!(plan.header("location"), "/subscription-plans/pro");
    let subscription = json!({ "user_id": user, "subscription_plan_id": "pro" });
    let subscription = app.post("/subscriptions", &subscription).await.expect(201);
    let id = text(subscription.data(), "id");
    assert_eq!(subscription.header("location"), format!("/subscriptions/{id}"));
    let payment = json!({ "subscription_id": id, "amount": 5, "currency": "USD" });
    let payment = app.post("/subscription-payments", &payment).await.expect(201);
    let id = text(payment.data(), "id");
    assert_eq!(payment.header("location"), format!("/subscription-payments/{id}"));
    for created in [plan, subscription, payment] {
        let read = app.get(created.header("location")).await.expect(200);
        assert_eq!(read.bytes, created.bytes);
        assert_eq!(read.header("etag"), created.header("etag"));
        assert_eq!(read.header("location"), "");
    }
}

#[tokio::test]
async fn an_update_returns_200_with_the_updated_record() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let changes = [json!({ "tier": 3 }), json!({ "status": "paused" }), json!({ "status": "failed" })];
    for ((path, before), change) in records.all().into_iter().zip(changes) {
        let updated = app.put(&path, &change).await.expect(200);
        assert_eq!(members(updated.data()), members(before));
        let (field, value) = change.as_object().unwrap().iter().next().unwrap();
        assert_eq!(&updated.data()[field], value);
        assert_eq!(app.get(&path).await.expect(200).bytes, updated.bytes);
    }
}

#[tokio::test]
async fn a_delete_returns_200_with_the_deleted_record() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    for (path, record) in records.all().into_iter().rev() {
        let tag = app.get(&path).await.header("etag").to_owned();
        let deleted = app.delete(&path).await.expect(200);
        assert_eq!(deleted.json, json!({ "data": record }), "{path}");
        assert_eq!(deleted.header("etag"), tag);
        app.get(&path).await.refused(404, "not_found");
        app.delete(&path).await.refused(404, "not_found");
        app.put(&path, &json!({})).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn head_responds_as_get_without_a_body() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let mut targets: Vec<String> = records.all().into_iter().map(|(path, _)| path).collect();
    targets.extend(
        ["/subscription-plans", "/subscriptions?limit=1", "/livez", "/readyz", "/docs", "/openapi.json"]
            .map(str::to_owned),
    );
    targets.extend(
        ["/subscription-plans/gone", "/nowhere", "/subscriptions?bogus=1", "/subscription-payments"].map(str::to_owned),
    );
    for target in targets {
        let get = app.request("GET", &target).header("x-request-id", "same").send().await;
        let head = app.request("HEAD", &target).header("x-request-id", "same").send().await;
        assert_eq!(head.status, get.status, "{target}");
        assert!(head.bytes.is_empty() && !get.bytes.is_empty(), "{target}");
        for name in ["content-type", "content-length", "etag", "cache-control", "vary", "x-request-id", "allow"] {
            assert_eq!(head.header(name), get.header(name), "{target} {name}");
        }
    }
    app.anonymous("HEAD", "/subscription-plans").send().await.expect(401);
    let tag = app.get("/subscription-plans/pro").await.header("etag").to_owned();
    app.request("HEAD", "/subscription-plans/pro").header("if-none-match", &tag).send().await.expect(304);
}

#[tokio::test]
async fn nothing_follows_the_head_of_a_head_or_a_304() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let tag = app.get("/subscription-plans/pro").await.header("etag").to_owned();
    let rest = format!("host: a\r\nclient-id: {TRUSTED}\r\n");
    let mut peer = Peer::connect(&app).await;
    peer.send(format!(
        "HEAD /subscription-plans/pro HTTP/1.1\r\n{rest}\r\n\
         GET /subscription-plans/pro HTTP/1.1\r\n{rest}if-none-match: {tag}\r\n\r\n\
         GET /livez HTTP/1.1\r\n{rest}\r\n"
    ))
    .await;
    assert_eq!(peer.head().await.unwrap().0, 200);
    assert_eq!(peer.head().await.unwrap().0, 304);
    let last = peer.answer().await;
    assert_eq!((last.status, last.body.as_slice()), (200, &br#"{"data":{"status":"live"}}"#[..]));
}
