//! Retries: a create sent again with its key is answered as it was the first time, and done once.

use super::support::*;
use perennial_domain::clients::Scope;
use perennial_testkit::{Answer, TestApp};
use serde_json::{Value, json};

const DAY: i64 = 24 * 3600;

/// One create of each resource that takes a key, and the records they need.
async fn creates(app: &TestApp) -> [(&'static str, Value); 3] {
    let user = app.user("ada@example.com").await;
    app.plan("base", json!({})).await;
    let subscription = app.subscription(&user, "base", json!({})).await;
    [
        ("/subscription-plans", json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" })),
        (
            "/subscriptions",
            json!({ "user_id": user, "subscription_plan_id": "base", "ends_at": "2026-03-10T13:00:00Z" }),
        ),
        ("/subscription-payments", json!({ "subscription_id": subscription["id"], "amount": 1, "currency": "USD" })),
    ]
}

async fn keyed(app: &TestApp, key: &str, target: &str, body: &Value) -> Answer {
    app.request("POST", target).header("idempotency-key", key).json(body).send().await
}

fn replays(first: &Answer, again: &Answer) {
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!((first.status, &first.bytes), (again.status, &again.bytes));
    for name in ["location", "etag", "content-type", "cache-control"] {
        assert!(!first.header(name).is_empty(), "{name}");
        assert_eq!(first.header(name), again.header(name), "{name}");
    }
}

#[tokio::test]
async fn the_same_request_again_returns_the_same_bytes() {
    let app = TestApp::start().await;
    for (target, body) in creates(&app).await {
        let first = keyed(&app, target, target, &body).await.expect(201);
        assert_eq!(first.header("idempotency-replayed"), "", "{target}");
        let events = app.events().await.len();
        app.advance(60);
        for _ in 0..2 {
            replays(&first, &keyed(&app, target, target, &body).await);
        }
        assert_eq!(app.events().await.len(), events, "{target} was done once");
    }
}

#[tokio::test]
async fn a_replay_shows_the_access_there_was() {
    let app = TestApp::start().await;
    let [_, (target, body), _] = creates(&app).await;
    let first = keyed(&app, "k", target, &body).await.expect(201);
    assert_eq!(first.data()["has_access"], true);
    app.advance(2 * 3600);
    let now = app.get(first.header("location")).await.expect(200);
    assert_eq!(now.data()["has_access"], false);
    assert_ne!(now.header("etag"), first.header("etag"));
    replays(&first, &keyed(&app, "k", target, &body).await);
}

#[tokio::test]
async fn a_replay_outlives_the_record_and_what_it_refers_to() {
    let app = TestApp::start().await;
    let [_, (target, body), _] = creates(&app).await;
    let first = keyed(&app, "k", target, &body).await.expect(201);
    app.put("/subscription-plans/base", &json!({ "is_active": false })).await.expect(200);
    app.delete(first.header("location")).await.expect(200);
    replays(&first, &keyed(&app, "k", target, &body).await);
    app.get(first.header("location")).await.refused(404, "not_found");
}

#[tokio::test]
async fn the_key_of_another_body_or_path_is_rejected() {
    let app = TestApp::start().await;
    let creates = creates(&app).await;
    let (target, body) = &creates[0];
    keyed(&app, "k", target, body).await.expect(201);
    let rows = count(&app, "SELECT COUNT(*) FROM plans").await;
    let post = |text: String| app.request("POST", target).header("idempotency-key", "k").json_text(text).send();
    for text in [body.to_string().replace("\"Pro\"", "\"pro\""), format!("{body} "), "{}".into(), "[]".into()] {
        post(text).await.refused(422, "idempotency_key_reused");
    }
    for (target, body) in &creates[1..] {
        keyed(&app, "k", target, body).await.refused(422, "idempotency_key_reused");
    }
    assert_eq!(count(&app, "SELECT COUNT(*) FROM plans").await, rows);
    post(body.to_string()).await.expect(201);
}

#[tokio::test]
async fn a_error_leaves_the_key_free() {
    let app = TestApp::start().await;
    let [plan, subscription, payment] = creates(&app).await;
    app.put("/subscription-plans/base", &json!({ "is_active": false })).await.expect(200);
    let mut taken = plan.1.clone();
    taken["slug"] = json!("base");
    keyed(&app, "k", plan.0, &taken).await.refused(409, "slug_taken");
    keyed(&app, "k", plan.0, &json!({ "slug": "x" })).await.expect(422);
    keyed(&app, "k", subscription.0, &subscription.1).await.refused(409, "plan_inactive");
    keyed(&app, "k", subscription.0, &json!({ "user_id": "usr_x", "subscription_plan_id": "base" })).await.expect(422);
    let mut foreign = payment.1.clone();
    foreign["subscription_id"] = json!("sub_01h455vb4pex5vsknk084sn02q");
    keyed(&app, "k", payment.0, &foreign).await.refused(422, "not_found");
    app.request("POST", plan.0)
        .header("idempotency-key", "k")
        .json_text("{")
        .send()
        .await
        .refused(400, "malformed_json");
    assert_eq!(count(&app, "SELECT COUNT(*) FROM idempotency_keys").await, 0);
    let made = keyed(&app, "k", payment.0, &payment.1).await.expect(201);
    assert_eq!(made.header("idempotency-replayed"), "");
}

#[tokio::test]
async fn what_was_rejected_once_may_succeed_later_with_the_same_key() {
    let app = TestApp::start().await;
    let [_, (target, body), _] = creates(&app).await;
    app.put("/subscription-plans/base", &json!({ "is_active": false })).await.expect(200);
    keyed(&app, "k", target, &body).await.refused(409, "plan_inactive");
    app.put("/subscription-plans/base", &json!({ "is_active": true })).await.expect(200);
    let first = keyed(&app, "k", target, &body).await.expect(201);
    replays(&first, &keyed(&app, "k", target, &body).await);
}

#[tokio::test]
async fn a_key_belongs_to_its_client() {
    let app = TestApp::start().await;
    let other = Tenant::new(&app, "other").await;
    client(&app, app.organization, trusted("second", &[Scope::PlansWrite])).await;
    let body = |slug: &str| json!({ "name": "Pro", "slug": slug, "price": 1, "billing_cycle": "monthly" });
    let plans = "/subscription-plans";
    let mine = keyed(&app, "k", plans, &body("mine")).await.expect(201);
    let second = app.anonymous("POST", plans).header("client-id", credential("second"));
    let second = second.header("idempotency-key", "k").json(&body("second")).send().await.expect(201);
    let theirs =
        other.request("POST", plans).header("idempotency-key", "k").json(&body("mine")).send().await.expect(201);
    assert!([&second, &theirs].iter().all(|answer| answer.header("idempotency-replayed").is_empty()));
    assert_ne!(mine.data()["id"], theirs.data()["id"]);
    replays(&mine, &keyed(&app, "k", plans, &body("mine")).await);
}

#[tokio::test]
async fn a_key_lives_for_a_day() {
    let app = TestApp::start().await;
    let [_, _, (target, body)] = creates(&app).await;
    let first = keyed(&app, "k", target, &body).await.expect(201);
    app.advance(DAY - 1);
    replays(&first, &keyed(&app, "k", target, &body).await);
    app.advance(1);
    let second = keyed(&app, "k", target, &body).await.expect(201);
    assert_eq!(second.header("idempotency-replayed"), "");
    assert_ne!(first.data()["id"], second.data()["id"]);
    app.advance(DAY - 1);
    replays(&second, &keyed(&app, "k", target, &body).await);
    app.advance(1);
    let mut other = body.clone();
    other["amount"] = json!(2);
    keyed(&app, "k", target, &other).await.expect(201);
}

#[tokio::test]
async fn the_sweep_removes_only_keys_past_their_day() {
    let app = TestApp::start().await;
    let [_, _, (target, body)] = creates(&app).await;
    keyed(&app, "old", target, &body).await.expect(201);
    app.advance(1);
    let young = keyed(&app, "young", target, &body).await.expect(201);
    app.advance(DAY - 1);
    perennial_app::idempotency::sweep(&app.app).await.unwrap();
    assert_eq!(count(&app, "SELECT COUNT(*) FROM idempotency_keys").await, 1);
    replays(&young, &keyed(&app, "young", target, &body).await);
}

#[tokio::test]
async fn a_malformed_key_is_rejected() {
    let app = TestApp::start().await;
    let body = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    let long = "k".repeat(256);
    for key in ["".as_bytes(), b"a b", b"a\tb", "\u{e9}".as_bytes(), b"\xff", long.as_bytes()] {
        let request = app.request("POST", "/subscription-plans").header("idempotency-key", key).json(&body);
        assert_eq!(request.send().await.refused(400, "invalid_header").faults(), ["idempotency-key invalid_header"]);
    }
    let twice =
        app.request("POST", "/subscription-plans").header("idempotency-key", "a").header("idempotency-key", "a");
    twice.json(&body).send().await.refused(400, "invalid_header");
    assert_eq!(count(&app, "SELECT COUNT(*) FROM plans").await, 0);
    for (number, key) in
        ["!", "~", &"k".repeat(255), "a,b", "'; DROP TABLE plans; --".replace(' ', "").as_str()].iter().enumerate()
    {
        let body = json!({ "name": "P", "slug": format!("p{number}"), "price": 1, "billing_cycle": "monthly" });
        let first = keyed(&app, key, "/subscription-plans", &body).await.expect(201);
        replays(&first, &keyed(&app, key, "/subscription-plans", &body).await);
    }
    let (upper, lower) = (
        json!({ "name": "P", "slug": "u", "price": 1, "billing_cycle": "day" }),
        json!({ "name": "P", "slug": "l", "price": 1, "billing_cycle": "day" }),
    );
    keyed(&app, "KEY", "/subscription-plans", &upper).await.expect(201);
    keyed(&app, "key", "/subscription-plans", &lower).await.expect(201);
}

#[tokio::test]
async fn endpoints_that_take_no_key_pass_it_by() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    for key in ["k", "not a key"] {
        let with = |request: perennial_testkit::Request| request.header("idempotency-key", key).send();
        for target in ["/livez", "/readyz", "/openapi.json"] {
            with(app.anonymous("GET", target)).await.expect(200);
        }
        with(app.request("GET", "/subscription-plans")).await.expect(200);
        with(app.request("GET", "/subscription-plans/pro")).await.expect(200);
        for price in [2, 3] {
            let put = app.request("PUT", "/subscription-plans/pro").json(&json!({ "price": price }));
            let answer = with(put).await.expect(200);
            assert_eq!((&answer.data()["price"], answer.header("idempotency-replayed")), (&json!(price), ""));
        }
    }
    app.request("DELETE", "/subscription-plans/pro").header("idempotency-key", "k").send().await.expect(200);
    assert_eq!(count(&app, "SELECT COUNT(*) FROM idempotency_keys").await, 0);
}
