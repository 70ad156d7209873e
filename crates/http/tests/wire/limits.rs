//! API rules 1.5 and 1.16 (`docs/api.md`). Attacks 22 and 26: one over the limit.

use super::support::{Peer, Records, TRUSTED, plan_body};
use perennial_http::server::ServerOptions;
use perennial_http::{ApiOptions, BodyLimits};
use perennial_testkit::{TestApp, TestOptions};
use serde_json::json;

const KIB: usize = 1024;

/// JSON padded with spaces to this length.
fn padded(json: &str, length: usize) -> String {
    format!("{json}{}", " ".repeat(length - json.len()))
}

#[tokio::test]
async fn a_body_may_have_256_kib_and_not_a_byte_more() {
    let app = TestApp::start().await;
    let body = plan_body("pro", &json!({})).to_string();
    let post = |body: String| app.request("POST", "/subscription-plans").json_text(body);
    post(padded(&body, 256 * KIB + 1)).send().await.refused(413, "body_too_large");
    post(padded(&body, 256 * KIB)).send().await.expect(201);
}

/// The length is not declared, so it is counted.
#[tokio::test]
async fn a_chunked_body_is_held_to_the_same_limit() {
    let app = TestApp::start().await;
    for (length, status) in [(256 * KIB, 201), (256 * KIB + 1, 413)] {
        let mut peer = Peer::connect(&app).await;
        let body = padded(&plan_body("pro", &json!({})).to_string(), length);
        peer.send(format!(
            "POST /subscription-plans HTTP/1.1\r\nhost: a\r\nclient-id: {TRUSTED}\r\ncontent-type: application/json\r\n\
             transfer-encoding: chunked\r\n\r\n"
        ))
        .await;
        let (first, second) = body.split_at(200 * KIB);
        for chunk in [first, second] {
            peer.send(format!("{:x}\r\n{chunk}\r\n", chunk.len())).await;
        }
        if status == 201 {
            peer.send("0\r\n\r\n").await;
        }
        assert_eq!(peer.answer().await.status, status, "{length}");
    }
}

#[tokio::test]
async fn a_body_that_declares_too_large_a_size_is_not_awaited() {
    let app = TestApp::start().await;
    for expect in ["", "expect: 100-continue\r\n"] {
        let mut peer = Peer::connect(&app).await;
        peer.send(format!(
            "POST /subscription-plans HTTP/1.1\r\nhost: a\r\nclient-id: {TRUSTED}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n{expect}\r\n",
            256 * KIB + 1
        ))
        .await;
        let reported = peer.answer().await;
        assert_eq!((reported.status, reported.code().as_str()), (413, "body_too_large"));
    }
}

#[tokio::test]
async fn an_operation_without_a_body_ignores_one_within_the_limit() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let bodies: [(&[u8], &str, &str); 6] = [
        (b"{}", "application/json", ""),
        (b"{\"unknown\": 1}", "application/json", ""),
        (b"{\"a\":1,\"a\":", "application/json", ""),
        (b"\xff\x00", "text/plain", ""),
        (b"\x1f\x8b", "application/octet-stream", "gzip"),
        (&vec![b'['; 256 * KIB], "application/json", ""),
    ];
    for (path, _) in records.all().into_iter().rev() {
        for (body, content_type, coding) in bodies {
            let mut request = app.request("GET", &path).raw(body.to_vec()).header("content-type", content_type);
            if !coding.is_empty() {
                request = request.header("content-encoding", coding);
            }
            request.send().await.expect(200);
        }
        for method in ["GET", "DELETE"] {
            let request = app.request(method, &path).raw(vec![b' '; 256 * KIB + 1]);
            request.send().await.refused(413, "body_too_large");
        }
        app.request("DELETE", &path).raw("not json").header("content-type", "text/plain").send().await.expect(200);
    }
    for list in ["/subscription-plans", "/subscriptions"] {
        app.request("GET", list).raw("not json").send().await.expect(200);
    }
    app.anonymous("GET", "/livez").raw("not json").send().await.expect(200);
}

#[tokio::test]
async fn json_may_nest_32_deep_and_no_deeper() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let arrays = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = |depth: usize| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    let put = |body: String| app.request("PUT", "/subscription-plans/pro").json_text(body);
    for at_the_limit in [arrays(32), objects(32), format!(r#"{{"tier":{}}}"#, arrays(31))] {
        put(at_the_limit).send().await.expect(422);
    }
    for over in [33, 200, 40_000] {
        for body in [arrays(over), objects(over), format!(r#"{{"tier":{}}}"#, arrays(over - 1))] {
            put(body).send().await.refused(400, "malformed_json");
        }
    }
    put(arrays(100_000)).send().await.refused(400, "malformed_json");
    put("[".repeat(200_000)).send().await.refused(400, "malformed_json");
}

#[tokio::test]
async fn headers_may_have_16_kib_and_not_a_byte_more() {
    let app = TestApp::start().await;
    // Each line counts with its colon, its space and its end.
    let others = "host: a\r\n".len() + "x-request-id: mine\r\n".len() + "x-filler: \r\n".len();
    for (extra, status) in [(0, 200), (1, 431)] {
        let filler = "x".repeat(16 * KIB - others + extra);
        let mut peer = Peer::connect(&app).await;
        peer.send(format!("GET /livez HTTP/1.1\r\nhost: a\r\nx-request-id: mine\r\nx-filler: {filler}\r\n\r\n")).await;
        let reported = peer.answer().await;
        assert_eq!(reported.status, status);
        assert!(reported.head.contains("x-request-id: mine"));
        if status == 431 {
            assert_eq!(reported.code(), "headers_too_large");
            assert!(reported.head.contains("content-type: application/problem+json"));
        }
    }
}

#[tokio::test]
async fn a_target_may_have_8_kib_and_not_a_byte_more() {
    let app = TestApp::start().await;
    for prefix in ["/", "/subscription-plans/", "/livez?x="] {
        let target = |length: usize| format!("{prefix}{}", "x".repeat(length - prefix.len()));
        let longest = app.get(&target(8 * KIB)).await;
        assert!([400, 404].contains(&longest.status), "{prefix}");
        app.get(&target(8 * KIB + 1)).await.refused(414, "target_too_long");
    }
}

#[tokio::test]
async fn every_limit_can_be_set() {
    let body = BodyLimits { bytes: 100, depth: 2, ..BodyLimits::default() };
    let options = TestOptions {
        api: ApiOptions { body, ..ApiOptions::default() },
        server: ServerOptions { max_header_bytes: 200, max_target_bytes: 50, ..ServerOptions::default() },
        ..TestOptions::default()
    };
    let app = TestApp::with(options).await;
    let put = |body: String| app.request("PUT", "/subscription-plans/gone").json_text(body);
    put(padded("{}", 100)).send().await.refused(404, "not_found");
    put(padded("{}", 101)).send().await.refused(413, "body_too_large");
    put("[[]]".into()).send().await.refused(404, "not_found");
    put("[[[]]]".into()).send().await.refused(400, "malformed_json");
    app.get(&format!("/{}", "x".repeat(49))).await.refused(404, "route_not_found");
    app.get(&format!("/{}", "x".repeat(50))).await.refused(414, "target_too_long");
    app.request("GET", "/livez").header("x-filler", "x".repeat(200)).send().await.refused(431, "headers_too_large");
}
