//! Attack 29: requests that two readers could take for different ones. Row 31: SQL where words belong.

use super::support::{Peer, TRUSTED};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

#[tokio::test]
async fn a_request_names_its_host_exactly_once() {
    let app = TestApp::start().await;
    for host in
        ["", "host: a\r\nhost: a\r\n", "host: a\r\nhost: b\r\n", "host: a, b\r\n", "host: a b\r\n", "host: a/b\r\n"]
    {
        let mut peer = Peer::connect(&app).await;
        peer.send(format!("GET /livez HTTP/1.1\r\n{host}x-request-id: mine\r\n\r\n")).await;
        let reported = peer.answer().await;
        assert_eq!((reported.status, reported.code().as_str()), (400, "invalid_header"), "{host}");
        let problem: Value = serde_json::from_slice(&reported.body).unwrap();
        assert_eq!((&problem["errors"][0]["header"], &problem["request_id"]), (&json!("host"), &json!("mine")));
    }
    let mut peer = Peer::connect(&app).await;
    peer.send("GET /livez HTTP/1.1\r\nhost: example.com:8080\r\n\r\n").await;
    assert_eq!(peer.answer().await.status, 200);
}

#[tokio::test]
async fn a_folded_or_broken_header_line_is_400() {
    let app = TestApp::start().await;
    for line in [
        "x: a\r\n b",
        "x: a\r\n\tb",
        " x: a",
        "x : a",
        "x",
        ": a",
        "x: a\u{0}b",
        "content-length: 1\r\ncontent-length: 2",
        "content-length: x",
    ] {
        let mut peer = Peer::connect(&app).await;
        peer.send(format!("GET /livez HTTP/1.1\r\nhost: a\r\n{line}\r\n\r\n")).await;
        assert_eq!(peer.answer().await.status, 400, "{line:?}");
        assert!(peer.next().await.is_none(), "nothing after it is trusted: {line:?}");
    }
}

#[tokio::test]
async fn of_two_lengths_chunked_wins_and_the_connection_closes() {
    let app = TestApp::start().await;
    let smuggled = format!("DELETE /subscription-plans/pro HTTP/1.1\r\nhost: a\r\nclient-id: {TRUSTED}\r\n\r\n");
    app.plan("pro", json!({})).await;
    for lengths in
        ["content-length: 4\r\ntransfer-encoding: chunked", "transfer-encoding: chunked\r\ncontent-length: 4"]
    {
        let mut peer = Peer::connect(&app).await;
        peer.send(format!(
            "PUT /subscription-plans/pro HTTP/1.1\r\nhost: a\r\nclient-id: {TRUSTED}\r\ncontent-type: application/json\r\n\
             {lengths}\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n{smuggled}"
        ))
        .await;
        assert_eq!(peer.answer().await.status, 200, "{lengths}");
        assert!(peer.next().await.is_none(), "{lengths}");
    }
    app.get("/subscription-plans/pro").await.expect(200);
}

/// A filter, a sort order or a cursor is a value, never a part of a statement.
#[tokio::test]
async fn sql_in_a_query_finds_nothing_and_does_nothing() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({ "product_id": "prod_1", "variants": ["eu"] })).await;
    app.subscription(&user, "pro", json!({ "external_subscription_id": "x" })).await;
    for attack in [
        "' OR '1'='1",
        "' OR 1=1 --",
        "x'; DROP TABLE plans; --",
        "\" OR \"\"=\"",
        "$1",
        "?1",
        ":a",
        "%",
        "_",
        "\\",
        "*",
        "x') UNION SELECT 1 --",
        "{eu}",
        "[\"eu\"]",
        "\"eu\"",
    ] {
        let encoded = utf8_percent_encode(attack, NON_ALPHANUMERIC).to_string();
        for target in
            ["/subscription-plans?product_id", "/subscription-plans?variant", "/subscriptions?external_subscription_id"]
        {
            let answer = app.get(&format!("{target}={encoded}")).await.expect(200);
            assert_eq!(answer.data(), &json!([]), "{target}={attack}");
        }
        for target in [
            "/subscription-plans?sort",
            "/subscription-plans?tier",
            "/subscription-plans?is_active",
            "/subscription-plans?billing_cycle",
            "/subscription-plans?limit",
            "/subscriptions?user_id",
            "/subscriptions?status",
            "/subscriptions?sort",
            "/subscriptions?created_after",
            "/subscriptions?subscription_plan_id",
        ] {
            app.get(&format!("{target}={encoded}")).await.refused(400, "invalid_parameter");
        }
        app.get(&format!("/subscription-plans?cursor={encoded}")).await.refused(400, "invalid_cursor");
        app.get(&format!("/subscriptions?cursor={encoded}")).await.refused(400, "invalid_cursor");
    }
    for target in [
        "/subscription-plans?product_id=prod_1",
        "/subscription-plans?variant=eu",
        "/subscriptions?external_subscription_id=x",
    ] {
        assert_eq!(app.get(target).await.data().as_array().unwrap().len(), 1, "{target}");
    }
}

#[tokio::test]
async fn nul_and_controls_in_a_query_are_rejected_alike_on_both_engines() {
    let app = TestApp::start().await;
    for target in
        ["/subscription-plans?product_id", "/subscription-plans?variant", "/subscriptions?external_subscription_id"]
    {
        for value in ["%00", "a%00", "%0A", "%1F", "%C2%80", "%E2%80%AE"] {
            app.get(&format!("{target}={value}")).await.refused(400, "invalid_parameter");
        }
    }
    app.get("/subscription-plans?cursor=%00").await.refused(400, "invalid_cursor");
}

#[tokio::test]
async fn a_forged_cursor_is_rejected() {
    let app = TestApp::start().await;
    for slug in ["a", "b", "c"] {
        app.plan(slug, json!({})).await;
    }
    let page = app.get("/subscription-plans?limit=1").await.expect(200);
    let cursor = page.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    app.get(&format!("/subscription-plans?cursor={cursor}")).await.expect(200);
    for place in 0..cursor.len() {
        let mut forged = cursor.clone().into_bytes();
        forged[place] = if forged[place] == b'A' { b'B' } else { b'A' };
        let forged = String::from_utf8(forged).unwrap();
        app.get(&format!("/subscription-plans?cursor={forged}")).await.refused(400, "invalid_cursor");
    }
    for forged in [&cursor[1..], &cursor[..cursor.len() - 1], "", "AAAA"] {
        app.get(&format!("/subscription-plans?cursor={forged}")).await.refused(400, "invalid_cursor");
    }
    app.get(&format!("/subscriptions?cursor={cursor}")).await.refused(400, "invalid_cursor");
    app.get(&format!("/subscription-plans?sort=-tier&cursor={cursor}")).await.refused(400, "invalid_cursor");
}
