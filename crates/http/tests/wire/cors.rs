//! API rules 1.15 (`docs/api.md`): who may call from a browser.

use super::support::client;
use perennial_app::clients;
use perennial_domain::clients::Scope;
use perennial_testkit::{Answer, Request, TestApp};
use serde_json::json;

const LISTED: &str = "https://app.example.com";
const REQUEST_HEADERS: [&str; 8] = [
    "authorization",
    "client-id",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-none-match",
    "traceparent",
    "x-request-id",
];
const EXPOSED: [&str; 8] = [
    "etag",
    "idempotency-replayed",
    "location",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
    "www-authenticate",
    "x-request-id",
];

fn preflight(app: &TestApp, target: &str, origin: &str) -> Request {
    let request = app.anonymous("OPTIONS", target).header("origin", origin);
    request.header("access-control-request-method", "PUT").header("access-control-request-headers", "client-id")
}

/// The names in a header's list, in alphabetical order.
fn names(answer: &Answer, header: &str) -> Vec<String> {
    let mut names: Vec<String> =
        answer.header(header).split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
    names.sort_unstable();
    names
}

/// No header of the answer permits anything.
fn permits_nothing(answer: &Answer) -> bool {
    answer.headers.keys().all(|name| !name.as_str().starts_with("access-control-"))
}

#[tokio::test]
async fn a_preflight_from_a_listed_origin_is_permitted_without_a_client() {
    let app = TestApp::start().await;
    for (target, methods) in [
        ("/subscription-plans", "GET, HEAD, POST"),
        ("/subscription-plans/pro", "GET, HEAD, PUT, DELETE"),
        ("/subscriptions/sub_1", "GET, HEAD, PUT, DELETE"),
        ("/subscription-payments", "GET, HEAD, POST"),
        ("/authentication/sign-in", "POST"),
    ] {
        for origin in [LISTED, "http://localhost", "http://localhost:5173"] {
            let answer = preflight(&app, target, origin).send().await.expect(204);
            assert!(answer.bytes.is_empty());
            assert_eq!(answer.header("access-control-allow-origin"), origin);
            assert_eq!(answer.header("access-control-allow-methods"), methods);
            assert_eq!(names(&answer, "access-control-allow-headers"), REQUEST_HEADERS);
            assert_eq!(names(&answer, "vary"), ["origin"]);
            assert!(!answer.headers.contains_key("access-control-allow-credentials"));
        }
    }
}

#[tokio::test]
async fn a_preflight_from_anywhere_else_is_204_without_permission() {
    let app = TestApp::start().await;
    for origin in [
        "https://evil.example",
        "http://app.example.com",
        "https://app.example.com:444",
        "https://app.example.com.evil.example",
        "https://app.example.com/",
        "https://sub.app.example.com",
        "http://localhost.evil.example",
        "http://localhost:",
        "http://localhost:*",
        "http://localhost:80@evil.example",
        "https://localhost:5173",
        "null",
        "*",
        "",
    ] {
        let answer = preflight(&app, "/subscription-plans", origin).send().await.expect(204);
        assert!(permits_nothing(&answer), "{origin}");
        assert_eq!(names(&answer, "vary"), ["origin"], "{origin}");
    }
    // What is not there has no preflight, and OPTIONS alone is none.
    preflight(&app, "/nowhere", LISTED).send().await.refused(404, "route_not_found");
    app.anonymous("OPTIONS", "/subscription-plans").header("origin", LISTED).send().await.expect(405);
}

#[tokio::test]
async fn only_enabled_public_clients_list_origins() {
    let app = TestApp::start().await;
    let allowed = async |origin: &str| {
        app.advance(5);
        let answer = preflight(&app, "/subscription-plans", origin).send().await.expect(204);
        answer.header("access-control-allow-origin") == origin
    };
    assert!(!allowed("https://shop.example").await);
    let shop = client(&app, "shop", &[Scope::PlansRead], &["https://shop.example"]).await;
    assert!(allowed("https://shop.example").await);
    clients::disable(&app.app, app.organization, shop.id).await.unwrap();
    assert!(!allowed("https://shop.example").await);
    let id = "pk_trusted_clients_have_no_pages_at_all";
    client(&app, id, &[Scope::PlansRead], &["https://server.example"]).await;
    assert!(!allowed("https://server.example").await);
}

#[tokio::test]
async fn the_response_is_permitted_if_the_named_client_lists_the_origin() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    for (target, status) in [
        ("/subscription-plans", 200),
        ("/subscription-plans/pro", 200),
        // Refusals too, so that a page can read why.
        ("/subscription-plans/gone", 404),
        ("/subscription-plans?limit=0", 400),
        ("/subscriptions", 401),
        ("/nowhere", 404),
        ("/authentication/sign-in", 405),
    ] {
        let answer = app.browser("GET", target).header("origin", LISTED).send().await.expect(status);
        assert_eq!(answer.header("access-control-allow-origin"), LISTED, "{target}");
        assert_eq!(names(&answer, "access-control-expose-headers"), EXPOSED, "{target}");
        assert_eq!(names(&answer, "vary"), ["origin"]);
        assert!(!answer.headers.contains_key("access-control-allow-credentials"));
    }
    let refused = app.browser("POST", "/subscription-plans").header("origin", LISTED).send().await.expect(403);
    assert_eq!(refused.header("access-control-allow-origin"), LISTED);
    let tag = app.get("/subscription-plans/pro").await.header("etag").to_owned();
    let request = app.browser("GET", "/subscription-plans/pro").header("origin", LISTED);
    let unchanged = request.header("if-none-match", tag).send().await.expect(304);
    assert_eq!(unchanged.header("access-control-allow-origin"), LISTED);
}

#[tokio::test]
async fn the_response_is_not_permitted_to_any_other_origin() {
    let app = TestApp::start().await;
    client(&app, "shop", &[Scope::PlansRead], &["https://shop.example"]).await;
    let plans = |id: &str| app.anonymous("GET", "/subscription-plans").header("client-id", id);
    // The origin is listed, but by another client than the one named; so the preflight is permitted and the response is not.
    let answer = preflight(&app, "/subscription-plans", "https://shop.example").send().await;
    assert_eq!(answer.header("access-control-allow-origin"), "https://shop.example");
    for (id, origin, status) in [
        ("default", "https://shop.example", 200),
        ("shop", LISTED, 200),
        ("shop", "null", 200),
        ("stranger", LISTED, 401),
    ] {
        let answer = plans(id).header("origin", origin).send().await.expect(status);
        assert!(permits_nothing(&answer), "{id} {origin}");
        assert_eq!(names(&answer, "vary"), ["origin"]);
    }
    let answer = app.anonymous("GET", "/subscription-plans").header("origin", LISTED).send().await.expect(401);
    assert!(permits_nothing(&answer));
    let answer = app.anonymous("GET", "/livez").header("origin", LISTED).send().await.expect(200);
    assert!(permits_nothing(&answer));
    let answer = app.browser("GET", "/subscription-plans").send().await.expect(200);
    assert!(permits_nothing(&answer), "no origin was sent");
    assert_eq!(names(&answer, "vary"), ["origin"], "a cache must tell them apart all the same");
}

#[tokio::test]
async fn a_trusted_client_is_never_permitted() {
    let app = TestApp::start().await;
    let id = "pk_trusted_clients_have_no_pages_at_all";
    client(&app, id, &[Scope::PlansRead], &[LISTED]).await;
    for (target, status) in [
        ("/subscription-plans", 403),
        ("/subscription-plans/gone", 403),
        ("/nowhere", 404),
        ("/authentication/sign-in", 405),
    ] {
        for request in [app.request("GET", target), app.anonymous("GET", target).header("client-id", id)] {
            let answer = request.header("origin", LISTED).send().await.expect(status);
            assert!(permits_nothing(&answer), "{target}");
            if status == 403 {
                answer.refused(403, "client_not_for_browsers");
            }
        }
    }
    let answer = app.request("GET", "/subscription-plans").header("sec-fetch-site", "same-origin").send().await;
    answer.refused(403, "client_not_for_browsers");
}
