//! API rules 1.14 (`docs/api.md`). Attacks 32 and 38: injected ids, stale bearers.

use super::support::{Peer, Records, TRUSTED, plan_body};
use perennial_testkit::TestApp;
use serde_json::json;

#[tokio::test]
async fn a_plain_request_id_is_accepted_and_echoed() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let longest = "a".repeat(128);
    for id in ["1", "abc-DEF_1.2", "req_0123456789abcdef", "...", "-", &longest] {
        for (target, status) in [("/subscription-plans/pro", 200), ("/subscription-plans/gone", 404), ("/livez", 200)] {
            let answer = app.request("GET", target).header("x-request-id", id).send().await.expect(status);
            assert_eq!(answer.header("x-request-id"), id);
            if status == 404 {
                assert_eq!(answer.json["request_id"], id);
            }
        }
    }
}

#[tokio::test]
async fn any_other_request_id_is_replaced() {
    let app = TestApp::start().await;
    let too_long = "a".repeat(129);
    let mut made = Vec::new();
    let others: [&[u8]; 14] = [
        b"",
        b"a b",
        b"a,b",
        b"a/b",
        b"a:b",
        b"a%0d%0aset-cookie:x",
        b"a\tb",
        b"\"a\"",
        b"<script>",
        b"a;b",
        b"{}",
        "\u{e9}".as_bytes(),
        b"\xff",
        too_long.as_bytes(),
    ];
    for id in others {
        let answer = app.request("GET", "/nowhere").header("x-request-id", id).send().await.expect(404);
        made.push(answer.header("x-request-id").to_owned());
        assert_eq!(answer.json["request_id"], answer.header("x-request-id"));
    }
    for _ in 0..3 {
        made.push(app.get("/livez").await.header("x-request-id").to_owned());
    }
    for id in &made {
        let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        assert!(plain && (1..=128).contains(&id.len()), "{id}");
        assert_eq!(made.iter().filter(|other| *other == id).count(), 1, "{id} was made twice");
    }
}

#[tokio::test]
async fn every_response_has_a_request_id() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let target = format!("/{}", "x".repeat(9_000));
    let tag = app.get("/subscription-plans/pro").await.header("etag").to_owned();
    let preflight = app.anonymous("OPTIONS", "/livez").header("origin", "https://app.example.com");
    for (request, status) in [
        (app.request("GET", "/subscription-plans/pro"), 200),
        (app.request("GET", "/subscription-plans/pro").header("if-none-match", tag), 304),
        (app.request("DELETE", "/subscription-plans/pro"), 200),
        (app.request("GET", "/subscription-plans"), 200),
        (app.anonymous("GET", "/subscription-plans"), 401),
        (app.request("PATCH", "/subscription-plans"), 405),
        (app.request("GET", &target), 414),
        (app.request("GET", "/livez").header("x-filler", "x".repeat(17_000)), 431),
        (preflight.header("access-control-request-method", "GET"), 204),
        (app.anonymous("GET", "/docs"), 200),
    ] {
        let made = request.clone().send().await.expect(status);
        assert!(!made.header("x-request-id").is_empty(), "{request:?}");
        let echoed = request.header("x-request-id", "mine").send().await;
        assert_eq!(echoed.header("x-request-id"), "mine", "{}", echoed.status);
        assert_eq!(echoed.header("vary"), "origin", "{}", echoed.status);
    }
}

#[tokio::test]
async fn the_request_id_is_stored_with_the_change() {
    let app = TestApp::start().await;
    let request = app.request("POST", "/subscription-plans").header("x-request-id", "mine");
    request.json(&plan_body("pro", &json!({}))).send().await.expect(201);
    let events = app.events().await;
    let created = events.iter().find(|event| event.kind.as_str() == "plan.created").unwrap();
    assert_eq!(created.request_id.as_deref(), Some("mine"));
}

#[tokio::test]
async fn only_plans_may_be_cached_and_must_be_revalidated() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    for (target, kept) in [
        ("/subscription-plans", "private, no-cache"),
        ("/subscription-plans/pro", "private, no-cache"),
        ("/subscriptions", "no-store"),
        (&records.subscription_path(), "no-store"),
        (&records.payment_path(), "no-store"),
        ("/subscription-plans/gone", "no-store"),
        ("/subscription-plans?limit=0", "no-store"),
        ("/nowhere", "no-store"),
        ("/livez", "no-store"),
        ("/readyz", "no-store"),
    ] {
        assert_eq!(app.get(target).await.header("cache-control"), kept, "{target}");
        assert_eq!(app.request("HEAD", target).send().await.header("cache-control"), kept, "{target}");
    }
    let created = app.post("/subscription-plans", &plan_body("max", &json!({}))).await.expect(201);
    assert_eq!(created.header("cache-control"), "no-store");
    assert_eq!(app.put("/subscription-plans/max", &json!({})).await.header("cache-control"), "no-store");
    assert_eq!(app.delete("/subscription-plans/max").await.header("cache-control"), "no-store");
    assert_eq!(app.anonymous("GET", "/subscription-plans").send().await.header("cache-control"), "no-store");
}

#[tokio::test]
async fn a_bearer_is_ignored_where_none_is_required() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let stale = "eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJleHAiOjF9.AAAA";
    for value in [format!("Bearer {stale}"), "Bearer".into(), "Bearer x y".into(), "Basic YTpi".into(), String::new()] {
        for target in ["/subscription-plans", "/subscription-plans/pro"] {
            app.browser("GET", target).header("authorization", &value).send().await.expect(200);
        }
        for (path, _) in records.all() {
            app.request("GET", &path).header("authorization", &value).send().await.expect(200);
            let put = app.request("PUT", &path).header("authorization", &value).json(&json!({}));
            put.send().await.expect(200);
        }
        app.request("GET", "/subscriptions").header("authorization", &value).send().await.expect(200);
        app.anonymous("GET", "/livez").header("authorization", &value).send().await.expect(200);
        let twice = app.browser("GET", "/subscription-plans").header("authorization", &value);
        twice.header("authorization", &value).send().await.expect(200);
    }
    let request = app.request("GET", "/subscription-plans").header("authorization", b"\xff\xfe");
    request.send().await.expect(200);
}

#[tokio::test]
async fn a_line_break_in_a_header_injects_nothing_into_a_response() {
    let app = TestApp::start().await;
    for injected in
        ["x-request-id: a\rset-cookie: b=c", "x-request-id: a\r\r\nset-cookie: b=c", "user-agent: a\rset-cookie: b=c"]
    {
        let mut peer = Peer::connect(&app).await;
        peer.send(format!("GET /livez HTTP/1.1\r\nhost: a\r\n{injected}\r\n\r\n")).await;
        let reported = peer.answer().await;
        assert!(reported.status == 400 || reported.status == 200, "{}", reported.status);
        assert!(!reported.head.contains("set-cookie"), "{}", reported.head);
    }
    for injected in ["x-request-id: a\nset-cookie: b=c", "user-agent: a\nset-cookie: b=c", "user-agent: \x07\x1b[31m"] {
        let mut peer = Peer::connect(&app).await;
        peer.send(format!(
            "POST /subscription-plans HTTP/1.1\r\nhost: a\r\nclient-id: {TRUSTED}\r\n{injected}\r\ncontent-length: 0\r\n\r\n"
        ))
        .await;
        let reported = peer.answer().await;
        assert!(reported.status >= 400, "{}", reported.status);
        assert!(!reported.head.contains("set-cookie") && !reported.head.contains('\u{1b}'), "{}", reported.head);
    }
}
