//! API rules 1.15 (`docs/api.md`) for signed-in users: pages of the client's origins can read every response, including
//! errors; pages of other origins can read none.

use super::support::*;
use perennial_testkit::{Answer, TestApp};
use serde_json::json;

fn permits_nothing(answer: &Answer) -> bool {
    answer.headers.keys().all(|name| !name.as_str().starts_with("access-control-"))
}

const PATHS: [(&str, &str); 11] = [
    ("POST", SIGN_UP),
    ("POST", SIGN_IN),
    ("POST", CHECK),
    ("POST", REFRESH),
    ("GET", TOKENS),
    ("POST", LOGOUT),
    ("POST", REVOKE_ALL),
    ("POST", REVOKE_OTHERS),
    ("POST", "/authentication/tokens/revoke/ses_1"),
    ("DELETE", "/authentication/delete-my-account/auth0%7C1"),
    ("GET", "/subscriptions"),
];

#[tokio::test]
async fn a_preflight_for_any_of_them_is_permitted_to_listed_origins_only() {
    let app = TestApp::start().await;
    for (method, target) in PATHS {
        let preflight = |origin: &str| {
            let request = app.anonymous("OPTIONS", target).header("origin", origin);
            let request = request.header("access-control-request-method", method);
            request.header("access-control-request-headers", "authorization, client-id, content-type").send()
        };
        let answer = preflight(ORIGIN).await.expect(204);
        assert_eq!(answer.header("access-control-allow-origin"), ORIGIN);
        let methods: Vec<&str> = answer.header("access-control-allow-methods").split(", ").collect();
        assert!(methods.contains(&method), "{target} {methods:?}");
        for header in ["authorization", "client-id", "content-type"] {
            assert!(answer.header("access-control-allow-headers").contains(header));
        }
        assert!(!answer.headers.contains_key("access-control-allow-credentials"));
        for origin in ["https://evil.example", "https://app.example.com.evil.example", "null"] {
            let answer = preflight(origin).await.expect(204);
            assert!(permits_nothing(&answer), "{target} {origin}");
            assert_eq!(answer.header("vary"), "origin");
        }
    }
}

#[tokio::test]
async fn responses_and_errors_are_readable_by_listed_origins_only() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let good = app.credentials("ada@example.com");
    let bad = json!({ "access_token": "garbage", "email": "ada@example.com" });
    let with_token = |method: &str, target: &str| app.browser(method, target).bearer(&ada.token);
    for (status, request) in [
        (200, app.browser("POST", SIGN_IN).json(&good)),
        (409, app.browser("POST", SIGN_UP).json(&good)),
        (401, app.browser("POST", SIGN_IN).json(&bad)),
        (422, app.browser("POST", SIGN_IN).json(&json!({}))),
        (401, app.browser("POST", REFRESH).json(&json!({ "refresh_token": "garbage" }))),
        (200, with_token("POST", CHECK)),
        (401, app.browser("POST", CHECK)),
        (401, app.browser("POST", CHECK).bearer("garbage")),
        (200, with_token("GET", TOKENS)),
        (404, with_token("POST", "/authentication/tokens/revoke/ses_1")),
        (403, with_token("DELETE", &account_of("eve"))),
        (200, with_token("GET", "/subscriptions")),
        (401, app.browser("GET", "/subscriptions")),
        (404, with_token("GET", "/subscriptions/sub_1")),
        (200, with_token("POST", REVOKE_OTHERS)),
    ] {
        for origin in [ORIGIN, "http://localhost:5173"] {
            let answer = request.clone().header("origin", origin).send().await.expect(status);
            assert_eq!(answer.header("access-control-allow-origin"), origin);
            assert!(answer.header("access-control-expose-headers").contains("www-authenticate"));
            assert!(!answer.headers.contains_key("access-control-allow-credentials"));
            assert_eq!(answer.header("vary"), "origin");
        }
        // Another client's origin is not this one's.
        for origin in ["https://evil.example", "https://other.example.com", "null"] {
            let answer = request.clone().header("origin", origin).send().await.expect(status);
            assert!(permits_nothing(&answer), "{origin} {request:?}");
        }
    }
}
