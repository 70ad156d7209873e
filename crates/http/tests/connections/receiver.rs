//! API rules 25.2: the receiver.

use super::support::{Base, SECRET, connect, seconds, sign, stripe_header};
use perennial_app::connections::{self, ConnectionDraft, ConnectionKind};
use perennial_identity::secret::Secret;
use serde_json::{Value, json};

const INVOICE: &str = r#"{"id":"evt_1","type":"invoice.paid","created":1767225600,"livemode":true,"data":{"object":{"object":"invoice","id":"in_1"}}}"#;

#[tokio::test]
async fn a_signed_webhook_is_stored_once() {
    let base = Base::start().await;
    for _ in 0..2 {
        let answer = base.send(INVOICE).await.expect(200);
        assert_eq!(answer.data(), &json!({ "received": true }));
    }
    let items = base.inbox().await;
    let now = base.app.now();
    let expected = json!([{
        "key": "evt_1", "type": "invoice.paid", "object": "payment", "object_id": "in_1", "state": "waiting",
        "code": null, "attempts": 0, "next_attempt_at": now, "occurred_at": "2026-01-01T00:00:00.000000Z",
        "received_at": now
    }]);
    assert_eq!(Value::from(items), expected);
    let connection = base.app.get(&format!("/connections/{}", base.connection.id)).await.expect(200);
    assert_eq!(connection.data()["last_received_at"], json!(now));
}

#[tokio::test]
async fn an_invalid_signature_stores_nothing() {
    let base = Base::start().await;
    let now = seconds(&base.app);
    let good = stripe_header(SECRET, now, INVOICE.as_bytes());
    let changed = INVOICE.replace("in_1", "in_2");
    for (header, body) in [
        (None, INVOICE),
        (Some(good.clone()), changed.as_str()),
        (Some(stripe_header("whsec_other", now, INVOICE.as_bytes())), INVOICE),
        (Some(stripe_header(SECRET, now - 301, INVOICE.as_bytes())), INVOICE),
        (Some(stripe_header(SECRET, now + 301, INVOICE.as_bytes())), INVOICE),
        (Some(format!("t={now},v1={}", sign(SECRET, &format!("{now}."), INVOICE.as_bytes()).to_uppercase())), INVOICE),
    ] {
        let mut request = base.app.anonymous("POST", &base.path());
        if let Some(header) = header {
            request = request.header("stripe-signature", header);
        }
        request.raw(body.to_owned()).send().await.refused(401, "invalid_signature");
    }
    let twice = base.app.anonymous("POST", &base.path());
    let twice = twice.header("stripe-signature", &good).header("stripe-signature", &good);
    twice.raw(INVOICE).send().await.refused(401, "invalid_signature");
    assert_eq!(base.inbox().await.len(), 0);
}

#[tokio::test]
async fn invalid_signatures_are_limited_and_valid_ones_never_are() {
    let base = Base::start().await;
    let mut codes = Vec::new();
    for _ in 0..62 {
        let answer = base.app.anonymous("POST", &base.path()).raw("{}").send().await;
        codes.push(answer.status);
    }
    assert_eq!(codes.iter().filter(|code| **code == 401).count(), 60);
    assert_eq!(codes.last(), Some(&429));
    base.send(INVOICE).await.expect(200);
    base.app.advance(120);
    base.app.anonymous("POST", &base.path()).raw("{}").send().await.refused(401, "invalid_signature");
}

#[tokio::test]
async fn an_unknown_or_disabled_connection_is_not_found() {
    let base = Base::start().await;
    for path in ["/hooks/con_01h455vb4pex5vsknk084sn02q", "/hooks/x"] {
        base.app.anonymous("POST", path).raw(INVOICE).send().await.refused(404, "not_found");
    }
    let patch = ConnectionDraft { is_enabled: Some(false), ..ConnectionDraft::default() };
    connections::update(&base.app.app, &base.caller(), base.connection.id, patch.clone()).await.unwrap();
    base.send(INVOICE).await.refused(404, "not_found");
    let patch = ConnectionDraft { is_enabled: Some(true), ..patch };
    connections::update(&base.app.app, &base.caller(), base.connection.id, patch).await.unwrap();
    base.send(INVOICE).await.expect(200);
}

#[tokio::test]
async fn two_secrets_are_valid_until_the_previous_is_dropped() {
    let base = Base::start().await;
    let id = base.connection.id;
    let new = Some(Secret::new("whsec_new".to_owned()));
    connections::rotate(&base.app.app, &base.caller(), id, (None, new), false).await.unwrap();
    let send = async |secret: &str, key: &str| {
        let body = INVOICE.replace("evt_1", key);
        let header = stripe_header(secret, seconds(&base.app), body.as_bytes());
        let request = base.app.anonymous("POST", &base.path()).header("stripe-signature", header);
        request.raw(body).send().await.status
    };
    assert_eq!((send(SECRET, "evt_1").await, send("whsec_new", "evt_2").await), (200, 200));
    connections::rotate(&base.app.app, &base.caller(), id, (None, None), true).await.unwrap();
    assert_eq!((send(SECRET, "evt_3").await, send("whsec_new", "evt_4").await), (401, 200));
}

#[tokio::test]
async fn each_provider_signs_in_its_way() {
    let base = Base::start().await;
    let lemon = connect(&base.app, ConnectionKind::LemonSqueezy, "lemon").await;
    let body = r#"{"meta":{"event_name":"order_created"},"data":{"type":"orders","id":"7","attributes":{}}}"#;
    let header = sign(SECRET, "", body.as_bytes());
    let request = base.app.anonymous("POST", &format!("/hooks/{}", lemon.id)).header("x-signature", header);
    request.header("content-type", "text/plain").raw(body).send().await.expect(200);
    let item = base.one(&format!("/connections/{}/inbox", lemon.id)).await;
    assert_eq!((&item["object"], &item["object_id"]), (&json!("payment"), &json!("order-7")));
    assert_eq!(item["key"].as_str().unwrap().len(), 64);
    let paddle = connect(&base.app, ConnectionKind::Paddle, "paddle").await;
    let body = r#"{"event_id":"evt_9","event_type":"customer.created","data":{"id":"ctm_1"}}"#;
    let now = seconds(&base.app);
    let header = format!("ts={now};h1={}", sign(SECRET, &format!("{now}:"), body.as_bytes()));
    let request = base.app.anonymous("POST", &format!("/hooks/{}", paddle.id)).header("paddle-signature", header);
    request.raw(body).send().await.expect(200);
    let item = base.one(&format!("/connections/{}/inbox", paddle.id)).await;
    assert_eq!((&item["key"], &item["object"]), (&json!("evt_9"), &json!("customer")));
}

#[tokio::test]
async fn what_cannot_be_applied_is_stored_and_reported() {
    let base = Base::start().await;
    base.send("not json").await.expect(200);
    base.app.advance(1);
    base.send(r#"{"id":"evt_2","livemode":false,"data":{"object":{"object":"invoice","id":"in_1"}}}"#)
        .await
        .expect(200);
    base.app.advance(1);
    base.send(r#"{"id":"evt_3","livemode":true,"type":"a.b","data":{"object":{"object":"mandate"}}}"#)
        .await
        .expect(200);
    let items = base.inbox().await;
    let states: Vec<(&Value, &Value)> = items.iter().rev().map(|item| (&item["state"], &item["code"])).collect();
    let expected = [("failed", "malformed"), ("ignored", "other_mode"), ("ignored", "unhandled_type")];
    let expected: Vec<(Value, Value)> = expected.iter().map(|(state, code)| (json!(state), json!(code))).collect();
    assert_eq!(states, expected.iter().map(|(state, code)| (state, code)).collect::<Vec<_>>());
    let ignored = base.app.get(&format!("/connections/{}/inbox?state=ignored&type=a.b", base.connection.id)).await;
    assert_eq!(ignored.expect(200).data().as_array().unwrap().len(), 1);
    let path = format!("/connections/{}/inbox?state=eaten", base.connection.id);
    base.app.get(&path).await.refused(400, "invalid_parameter");
    for filter in ["type", "object_id"] {
        let path = format!("/connections/{}/inbox?{filter}=%00", base.connection.id);
        base.app.get(&path).await.refused(400, "invalid_parameter");
    }
    let large = "x".repeat(300_000);
    base.send(&large).await.refused(413, "body_too_large");
}
