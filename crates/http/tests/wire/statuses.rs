//! API rules 1.3 (`docs/api.md`): each kind of error has its own. Attack 22: JSON that is none.

use super::support::{Records, plan_body, text};
use perennial_testkit::TestApp;
use serde_json::json;

#[tokio::test]
async fn what_is_not_json_is_400() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let bodies: [&[u8]; 20] = [
        b"",
        b" ",
        b"{",
        b"{}{}",
        b"{'tier': 1}",
        b"{tier: 1}",
        b"{\"tier\": 01}",
        b"{\"tier\": +1}",
        b"{\"tier\": .5}",
        b"{\"tier\": 1.}",
        b"{\"tier\": NaN}",
        b"{\"tier\": Infinity}",
        b"{\"tier\": -Infinity}",
        b"{\"tier\": 0x10}",
        b"{\"tier\": 1,}",
        b"{\"description\": \"a\nb\"}",
        b"{\"description\": \"\xff\"}",
        b"{\"description\": \"\\x\"}",
        b"\xef\xbb\xbf{}",
        b"{\x00}\x00",
    ];
    for body in bodies {
        let answer = app.request("PUT", "/subscription-plans/pro").json_text(body).send().await;
        let answer = answer.refused(400, "malformed_json");
        assert_eq!(answer.json.get("errors"), None, "{}", String::from_utf8_lossy(body));
    }
}

#[tokio::test]
async fn duplicate_keys_are_400_at_any_depth_and_in_any_spelling() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    for body in [
        r#"{"tier": 1, "tier": 1}"#,
        r#"{"tier": 1, "price": 2, "t\u0069er": 3}"#,
        r#"{"unknown": {"a": 1, "a": 2}}"#,
        r#"{"unknown": [[{"a": null, "a": null}]]}"#,
    ] {
        let answer = app.request("PUT", "/subscription-plans/pro").json_text(body).send().await;
        answer.refused(400, "duplicate_key");
    }
}

#[tokio::test]
async fn a_bad_query_or_header_is_400() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    for (target, fault) in [
        ("/subscription-plans?limit=0", "limit invalid_parameter"),
        ("/subscription-plans?tier=%zz", "tier invalid_parameter"),
        ("/subscription-plans?product_id=%ff", "product_id invalid_parameter"),
        ("/subscription-plans?tier=1&tier=1", "tier invalid_parameter"),
        ("/subscription-plans/pro?limit=1", "limit unknown_parameter"),
        ("/livez?verbose", "verbose unknown_parameter"),
    ] {
        assert_eq!(app.get(target).await.expect(400).faults(), [fault], "{target}");
    }
    for (name, value) in [("if-none-match", "x"), ("if-none-match", "\"x")] {
        let answer = app.request("GET", "/subscription-plans/pro").header(name, value).send().await;
        assert_eq!(answer.refused(400, "invalid_header").faults(), [format!("{name} invalid_header")]);
    }
    let twice = app.request("GET", "/subscription-plans").header("client-id", "default").send().await;
    assert_eq!(twice.refused(400, "invalid_header").faults(), ["client-id invalid_header"]);
}

#[tokio::test]
async fn a_method_that_a_path_does_not_take_is_405_with_those_it_does() {
    let app = TestApp::start().await;
    for (target, others, allowed) in [
        ("/subscription-plans", &["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"][..], "GET, HEAD, POST"),
        ("/subscription-plans/pro", &["POST", "PATCH", "OPTIONS"], "GET, HEAD, PUT, DELETE"),
        ("/subscriptions", &["PUT", "DELETE", "PATCH"], "GET, HEAD, POST"),
        ("/subscriptions/sub_1", &["POST", "PATCH"], "GET, HEAD, PUT, DELETE"),
        ("/subscription-payments", &["PUT", "DELETE", "PATCH"], "GET, HEAD, POST"),
        ("/authentication/sign-in", &["GET", "HEAD", "PUT", "DELETE"], "POST"),
        ("/subscription-payments/pay_1", &["POST", "PATCH"], "GET, HEAD, PUT, DELETE"),
        ("/livez", &["POST", "PUT", "DELETE", "get"], "GET, HEAD"),
    ] {
        for method in others {
            let answer = app.request(method, target).send().await.expect(405);
            assert_eq!(answer.header("allow"), allowed, "{method} {target}");
        }
    }
}

#[tokio::test]
async fn a_path_that_leads_nowhere_is_404() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    for target in [
        "/",
        "/Subscription-Plans",
        "/subscription-plans/",
        "/subscription-plans/pro/",
        "//subscription-plans",
        "/subscription-plans/pro/variants",
        "/subscription%2dplans",
        "/subscription-plans/../subscription-plans",
        "/v1/subscription-plans",
        "/metrics",
    ] {
        app.get(target).await.refused(404, "route_not_found");
    }
}

#[tokio::test]
async fn a_body_that_is_not_application_json_is_415() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let put = || app.request("PUT", "/subscription-plans/pro").raw("{}");
    for accepted in ["application/json", "Application/JSON", "application/json; charset=utf-8", "application/json ;x=y"]
    {
        put().header("content-type", accepted).send().await.expect(200);
    }
    put().send().await.refused(415, "unsupported_media_type");
    for refused in [
        "text/plain",
        "text/json",
        "application/jsonp",
        "application/json5",
        "application/problem+json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=application/json",
        "application/json, text/plain",
        "",
    ] {
        put().header("content-type", refused).send().await.refused(415, "unsupported_media_type");
    }
    // A gzip bomb is not unpacked: no coding is taken, not even the one that is none.
    for coding in ["gzip", "br", "deflate", "identity", "gzip, gzip", ""] {
        let request = put().header("content-type", "application/json").header("content-encoding", coding);
        request.send().await.refused(415, "unsupported_media_type");
    }
}

#[tokio::test]
async fn what_the_state_or_another_record_forbids_is_409() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let (subscription, payment) = (records.subscription_path(), records.payment_path());
    app.post("/subscription-plans", &plan_body("pro", &json!({}))).await.refused(409, "slug_taken");
    app.delete("/subscription-plans/pro").await.refused(409, "plan_in_use");
    app.put(&payment, &json!({ "external_payment_id": "ch_1" })).await.expect(200);
    let id = text(&records.subscription, "id");
    let other = json!({ "subscription_id": id, "amount": 1, "currency": "USD", "external_payment_id": "ch_1" });
    let answer = app.post("/subscription-payments", &other).await.refused(409, "external_id_taken");
    assert_eq!(answer.json["conflicting_id"], records.payment["id"]);
    app.put(&payment, &json!({ "status": "refunded" })).await.refused(409, "invalid_transition");
    app.put(&subscription, &json!({ "status": "expired" })).await.expect(200);
    app.put(&subscription, &json!({ "status": "active" })).await.refused(409, "invalid_transition");
    app.plan("old", json!({ "is_active": false })).await;
    app.put(&subscription, &json!({ "subscription_plan_id": "old" })).await.refused(409, "plan_inactive");
}
