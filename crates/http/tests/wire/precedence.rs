//! API rules 1.4 (`docs/api.md`): of two errors, the one that is checked first is returned.

use super::support::{Peer, Records, TRUSTED, client, plan_body, text};
use perennial_domain::clients::Scope;
use perennial_testkit::TestApp;
use serde_json::json;

const PLANS: &str = "/subscription-plans";
const PLAN: &str = "/subscription-plans/pro";
const NO_PLAN: &str = "/subscription-plans/gone";

fn too_large() -> Vec<u8> {
    vec![b'{'; 256 * 1024 + 1]
}

#[tokio::test]
async fn the_route_is_settled_before_the_client() {
    let app = TestApp::start().await;
    app.anonymous("GET", "/nowhere").send().await.refused(404, "route_not_found");
    app.anonymous("PATCH", PLANS).header("client-id", "stranger").send().await.refused(405, "method_not_allowed");
    app.anonymous("GET", "/nowhere").header("client-id", "a").header("client-id", "b").send().await.expect(404);
}

#[tokio::test]
async fn the_client_is_settled_before_its_scope() {
    let app = TestApp::start().await;
    client(&app, "pk_idle_but_known_to_the_installation", &[], &[]).await;
    let post = |id: &str| app.anonymous("POST", PLANS).header("client-id", id);
    post("stranger").send().await.refused(401, "invalid_client");
    app.anonymous("POST", PLANS).send().await.refused(401, "client_id_required");
    let known = post("pk_idle_but_known_to_the_installation").send().await.refused(403, "insufficient_scope");
    assert_eq!(known.json["required_scope"], "plans:write");
}

#[tokio::test]
async fn the_scope_is_settled_before_the_bearer_and_the_bearer_before_the_query() {
    let app = TestApp::start().await;
    client(&app, "plans-only", &[Scope::PlansRead], &[]).await;
    for target in ["/subscriptions?bogus=1", "/subscriptions/sub_1?bogus=1", "/subscription-payments/pay_1?bogus=1"] {
        let reader = app.anonymous("GET", target).header("client-id", "plans-only").send().await;
        reader.refused(403, "insufficient_scope");
        let bearer = app.browser("GET", target).send().await.refused(401, "token_required");
        assert!(bearer.header("www-authenticate").starts_with("Bearer"), "{target}");
    }
}

#[tokio::test]
async fn the_scope_is_settled_before_query_and_headers() {
    let app = TestApp::start().await;
    let request = app.browser("PUT", "/subscription-plans/gone?bogus=1").header("if-match", "x");
    request.raw(too_large()).send().await.refused(403, "insufficient_scope");
}

#[tokio::test]
async fn query_and_headers_are_settled_before_the_body() {
    let app = TestApp::start().await;
    let request = app.request("POST", "/subscription-plans?bogus=1").json_text(too_large());
    request.send().await.refused(400, "unknown_parameter");
    let request = app.request("PUT", NO_PLAN).header("if-match", "x").raw(too_large());
    request.send().await.refused(400, "invalid_header");
    let request = app.request("POST", PLANS).header("idempotency-key", "a b").raw("{");
    request.send().await.refused(400, "invalid_header");
    let request = app.request("GET", "/subscription-plans?limit=0").raw(too_large());
    request.send().await.refused(400, "invalid_parameter");
}

#[tokio::test]
async fn of_a_body_the_size_is_settled_first_then_its_type_then_its_json() {
    let app = TestApp::start().await;
    let put = || app.request("PUT", NO_PLAN);
    put().raw(too_large()).header("content-type", "text/plain").send().await.refused(413, "body_too_large");
    put().raw(too_large()).header("content-encoding", "gzip").send().await.refused(413, "body_too_large");
    put().raw("{").header("content-type", "text/plain").send().await.refused(415, "unsupported_media_type");
    put().json_text("{").header("content-encoding", "gzip").send().await.refused(415, "unsupported_media_type");
}

#[tokio::test]
async fn json_is_settled_before_the_idempotency_key_and_the_key_before_the_fields() {
    let app = TestApp::start().await;
    let post = |body: &str| app.request("POST", PLANS).header("idempotency-key", "k").json_text(body.to_owned());
    post(&plan_body("pro", &json!({})).to_string()).send().await.expect(201);
    post("{").send().await.refused(400, "malformed_json");
    post(r#"{"a":1,"a":1}"#).send().await.refused(400, "duplicate_key");
    post("{}").send().await.refused(422, "idempotency_key_reused");
    // The slug is taken, too.
    post(&plan_body("pro", &json!({ "tier": 1 })).to_string()).send().await.refused(422, "idempotency_key_reused");
}

#[tokio::test]
async fn the_body_is_settled_before_the_record() {
    let app = TestApp::start().await;
    for path in [NO_PLAN, "/subscriptions/sub_1", "/subscription-payments/pay_1"] {
        let put = || app.request("PUT", path);
        put().json_text(too_large()).send().await.refused(413, "body_too_large");
        put().raw("{}").send().await.refused(415, "unsupported_media_type");
        put().json_text("{").send().await.refused(400, "malformed_json");
        app.request("DELETE", path).raw(too_large()).send().await.refused(413, "body_too_large");
    }
}

#[tokio::test]
async fn the_record_is_settled_before_the_condition_and_its_fields() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    for (path, _) in records.all() {
        let gone = match path.rsplit_once('/').unwrap() {
            (collection, id) if id.contains('_') => {
                let last = if id.ends_with('0') { '1' } else { '0' };
                format!("{collection}/{}{last}", &id[..id.len() - 1])
            }
            (collection, _) => format!("{collection}/gone"),
        };
        let tag = app.get(&path).await.header("etag").to_owned();
        let bad = json!({ "unknown": 1 });
        for condition in ["*", "\"x\"", &tag] {
            let request = app.request("PUT", &gone).header("if-match", condition).json(&bad);
            request.send().await.refused(404, "not_found");
            app.request("DELETE", &gone).header("if-match", condition).send().await.refused(404, "not_found");
        }
    }
}

#[tokio::test]
async fn the_condition_is_settled_before_the_fields_and_the_state() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    for (path, _) in records.all() {
        let request = app.request("PUT", &path).header("if-match", "\"x\"").json(&json!({ "unknown": 1 }));
        request.send().await.refused(412, "stale");
    }
    app.request("DELETE", PLAN).header("if-match", "\"x\"").send().await.refused(412, "stale");
    let request = app.request("PUT", &records.payment_path()).header("if-match", "\"x\"");
    request.json(&json!({ "status": "refunded" })).send().await.refused(412, "stale");
}

#[tokio::test]
async fn the_fields_are_settled_before_the_state() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    app.plan("old", json!({ "is_active": false })).await;
    app.put(&records.payment_path(), &json!({ "external_payment_id": "ch_1" })).await.expect(200);
    let subscription_id = text(&records.subscription, "id");
    app.post(PLANS, &plan_body("pro", &json!({ "tier": -1 }))).await.refused(422, "out_of_range");
    let body = json!({ "user_id": records.user, "subscription_plan_id": "old", "status": "odd" });
    app.post("/subscriptions", &body).await.refused(422, "unknown_value");
    let body = json!({ "subscription_plan_id": "old", "status": "pending", "starts_at": "soon" });
    app.put(&records.subscription_path(), &body).await.refused(422, "invalid_format");
    let body =
        json!({ "subscription_id": subscription_id, "amount": -1, "currency": "USD", "external_payment_id": "ch_1" });
    app.post("/subscription-payments", &body).await.refused(422, "out_of_range");
    app.put(&records.payment_path(), &json!({ "status": "refunded", "amount": -1 })).await.refused(422, "out_of_range");
}

/// The body never arrives; a request that waits for it gets no response.
#[tokio::test]
async fn client_scope_query_and_headers_are_settled_before_a_body_is_read() {
    let app = TestApp::start().await;
    for (target, headers, status, code) in [
        (PLANS, String::new(), 401, "client_id_required"),
        (PLANS, "client-id: stranger\r\n".into(), 401, "invalid_client"),
        (PLANS, "client-id: default\r\n".into(), 403, "insufficient_scope"),
        (PLANS, format!("client-id: {TRUSTED}\r\norigin: https://a.example\r\n"), 403, "client_not_for_browsers"),
        ("/nowhere", String::new(), 404, "route_not_found"),
        ("/livez", String::new(), 405, "method_not_allowed"),
        ("/subscription-plans?bogus=1", format!("client-id: {TRUSTED}\r\n"), 400, "unknown_parameter"),
        (PLANS, format!("client-id: {TRUSTED}\r\nidempotency-key: a b\r\n"), 400, "invalid_header"),
    ] {
        for length in
            ["content-length: 200", "content-length: 200\r\nexpect: 100-continue", "transfer-encoding: chunked"]
        {
            let mut peer = Peer::connect(&app).await;
            let head = format!(
                "POST {target} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n{headers}{length}\r\n\r\n"
            );
            peer.send(head).await;
            let reported = peer.answer().await;
            assert_eq!((reported.status, reported.code().as_str()), (status, code), "{target} {headers} {length}");
        }
    }
}

#[tokio::test]
async fn a_body_is_requested_only_after_all_other_checks() {
    let app = TestApp::start().await;
    let body = plan_body("pro", &json!({})).to_string();
    let mut peer = Peer::connect(&app).await;
    peer.send(format!(
        "POST {PLANS} HTTP/1.1\r\nhost: a\r\nclient-id: {TRUSTED}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nexpect: 100-continue\r\n\r\n",
        body.len()
    ))
    .await;
    assert_eq!(peer.answer().await.status, 100);
    peer.send(body).await;
    assert_eq!(peer.answer().await.status, 201);
}
