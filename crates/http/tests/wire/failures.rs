//! API rules 1.3 (`docs/api.md`): 408, 500 and 503. When the service fails, the response has no internal detail.

use super::support::{Peer, TRUSTED, members, plan_body};
use crate::log;
use perennial_app::context::{App, AppOptions, Clock, Entropy};
use perennial_app::keys::{Keys, MasterKey};
use perennial_http::server::{Server, ServerOptions};
use perennial_http::{Api, ApiOptions, BodyLimits};
use perennial_testkit::{TestApp, TestOptions};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(100);
const LONG: Duration = Duration::from_mins(10);

/// Words of the implementation.
const INNER_WORDS: [&str; 12] =
    ["sql", "constraint", "unique", "table", "postgres", "panic", "plans_", "src/", ".rs", "closed", "writer", "127.0"];

fn shows_nothing(document: &[u8]) {
    let document = String::from_utf8_lossy(document).to_ascii_lowercase();
    for word in INNER_WORDS {
        assert!(!document.contains(word), "{word} in {document}");
    }
}

fn options(body: Duration, answer: Duration) -> TestOptions {
    let body = BodyLimits { timeout: body, ..BodyLimits::default() };
    TestOptions { api: ApiOptions { body, answer_timeout: answer, ..ApiOptions::default() }, ..TestOptions::default() }
}

/// The head of a create whose body stays away.
fn unfinished() -> String {
    format!(
        "POST /subscription-plans HTTP/1.1\r\nhost: a\r\nclient-id: {TRUSTED}\r\nx-request-id: late\r\n\
         content-type: application/json\r\ncontent-length: 10\r\n\r\n{{"
    )
}

#[tokio::test]
async fn a_body_that_does_not_arrive_in_time_is_408() {
    let app = TestApp::with(options(SHORT, LONG)).await;
    let mut peer = Peer::connect(&app).await;
    peer.send(unfinished()).await;
    let reported = peer.answer().await;
    assert_eq!((reported.status, reported.code().as_str()), (408, "request_timeout"));
    assert!(
        reported.head.contains("content-type: application/problem+json")
            && reported.head.contains("x-request-id: late")
    );
}

/// The time for an answer begins when the request is whole: a slow body is the caller's fault, not the service's.
#[tokio::test]
async fn a_slow_body_does_not_count_as_a_slow_response() {
    let app = TestApp::with(options(3 * SHORT, SHORT)).await;
    let mut peer = Peer::connect(&app).await;
    peer.send(unfinished()).await;
    let reported = peer.answer().await;
    assert_eq!((reported.status, reported.code().as_str()), (408, "request_timeout"));
}

/// With no time at all an answer is in time only if it is there at the first look, and a commit hardly ever is.
#[tokio::test]
async fn a_response_that_is_not_ready_in_time_is_503() {
    let app = TestApp::with(options(LONG, Duration::ZERO)).await;
    for number in 0..1_000 {
        let answer = app.post("/subscription-plans", &plan_body(&format!("p{number}"), &json!({}))).await;
        if answer.status != 201 {
            let answer = answer.refused(503, "answer_timeout");
            assert_eq!(answer.header("retry-after"), "1");
            shows_nothing(&answer.bytes);
            return;
        }
    }
    panic!("every answer was in time");
}

#[tokio::test]
async fn a_request_too_many_is_503() {
    let server = ServerOptions { max_in_flight: 0, ..ServerOptions::default() };
    let app = TestApp::with(TestOptions { server, ..TestOptions::default() }).await;
    let answer = app.request("GET", "/subscription-plans").header("x-request-id", "mine").send().await;
    let answer = answer.refused(503, "overloaded");
    assert_eq!(answer.header("retry-after"), "1");
    assert_eq!(answer.header("x-request-id"), "mine");
    assert_eq!(answer.json["request_id"], "mine");
}

#[tokio::test]
async fn a_connection_too_many_is_503() {
    let server = ServerOptions { max_connections: 0, ..ServerOptions::default() };
    let app = TestApp::with(TestOptions { server, ..TestOptions::default() }).await;
    let mut peer = Peer::connect(&app).await;
    let reported = peer.answer().await;
    assert_eq!((reported.status, reported.code().as_str()), (503, "overloaded"));
    assert!(reported.head.contains("\r\nretry-after: 1\r\n") && reported.head.contains("\r\nx-request-id: req_"));
}

#[tokio::test]
async fn a_store_that_is_gone_is_503_without_inner_detail() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    app.app.db.close().await;
    let answer = app.put("/subscription-plans/pro", &json!({ "tier": 1 })).await.refused(503, "storage_unavailable");
    assert_eq!(answer.header("retry-after"), "1");
    shows_nothing(&answer.bytes);
}

/// Two processes that draw the same ids: the second change meets an event that cannot be there.
#[tokio::test]
async fn a_defect_of_ours_is_500_without_inner_detail() {
    let app = TestApp::start().await;
    let mut reported = Vec::new();
    // Two plans of one instant, changed with the same entropy: the second event gets the ID of the first.
    for slug in ["pro", "max"] {
        app.plan(slug, json!({})).await;
    }
    for (slug, tier) in [("pro", 1), ("max", 2)] {
        let clock = Clock::Fixed(Arc::new(AtomicI64::new(app.now().as_micros())));
        let keys = Keys::derive(&MasterKey::new([7; 32]));
        let twin = App::new(app.store().open().await, clock, Entropy::seeded(1 << 40), keys, AppOptions::default());
        let server = Server::bind("127.0.0.1:0".parse().unwrap(), ServerOptions::default()).await.unwrap();
        let mut peer = Peer::at(server.local_addr()).await;
        let api = Arc::new(Api::new(Arc::new(twin), ApiOptions::default()));
        tokio::spawn(server.serve(api, std::future::pending()));
        let body = json!({ "tier": tier }).to_string();
        peer.send(format!(
            "PUT /subscription-plans/{slug} HTTP/1.1\r\nhost: a\r\nclient-id: {TRUSTED}\r\nx-request-id: twin-{tier}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ))
        .await;
        reported.push(peer.answer().await);
    }
    assert_eq!(reported[0].status, 200);
    assert_eq!((reported[1].status, reported[1].code().as_str()), (500, "internal"));
    let problem: Value = serde_json::from_slice(&reported[1].body).unwrap();
    assert_eq!(members(&problem), ["code", "detail", "request_id", "status", "title", "type"]);
    assert_eq!(problem["request_id"], "twin-2");
    // The same sentence whatever the cause, so that none can slip into it.
    assert_eq!(problem["detail"], "The server's log has the cause under this request_id.");
    shows_nothing(&reported[1].body);
    assert_eq!(app.get("/subscription-plans/pro").await.data()["tier"], 1);
}

#[tokio::test]
async fn a_failure_is_logged_under_the_request_and_the_trace_it_belongs_to() {
    log::listen();
    let app = TestApp::start().await;
    app.app.db.close().await;
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let request = app.request("POST", "/subscription-plans").header("x-request-id", "traced");
    let request = request.header("traceparent", format!("00-{trace}-00f067aa0ba902b7-01"));
    request.json(&plan_body("pro", &json!({}))).send().await.refused(503, "storage_unavailable");
    let lines = log::lines("\"traced\"");
    let failures: Vec<&String> = lines.iter().filter(|line| line.starts_with("ERROR perennial")).collect();
    let [failure] = failures.as_slice() else { panic!("{lines:?}") };
    assert!(failure.contains(&format!("\"{trace}\"")), "{failure}");
    let leaks: Vec<String> = log::lines(TRUSTED).into_iter().filter(|line| line.contains(" perennial")).collect();
    assert!(leaks.is_empty(), "{leaks:?}");
}
