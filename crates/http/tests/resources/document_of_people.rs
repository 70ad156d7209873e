//! API rules 8.1 (`docs/api.md`): the OpenAPI document of the authentication endpoints matches their responses.
//! Every status that is documented is met here, but for those that no request of a test can bring about.

use super::openapi::{Document, keys};
use super::support::text;
use perennial_testkit::{Held, Request, TestApp};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The nine of the interface, and one of ours.
pub(crate) const AUTHENTICATION: [(&str, &str); 10] = [
    ("post", "/authentication/sign-in"),
    ("post", "/authentication/sign-up"),
    ("post", "/authentication/user-logged-in"),
    ("post", "/authentication/refresh-token"),
    ("delete", "/authentication/delete-my-account/{auth_id}"),
    ("get", "/authentication/tokens"),
    ("post", "/authentication/tokens/logout"),
    ("post", "/authentication/tokens/revoke-all"),
    ("post", "/authentication/tokens/revoke-all-except-current"),
    ("post", "/authentication/tokens/revoke/{id}"),
];

/// What no request of these tests can bring about: time-outs, limits, defects, lost databases, lost races.
const BEYOND: [&str; 4] = ["408", "429", "500", "503"];
const RACES: [&str; 4] = ["sign-in", "refresh-token", "revoke-all", "delete-my-account"];

/// Whether it takes a body; the others require a token.
fn takes_a_body(path: &str) -> bool {
    ["sign-in", "sign-up", "refresh-token"].iter().any(|end| path.ends_with(end))
}

/// Every error that all of them have.
fn refused_requests(app: &TestApp, method: &str, path: &str, target: &str, held: &Held) -> Vec<(u16, Request)> {
    let known = |target: &str| app.request(method, target).bearer(&held.token);
    let mut requests = vec![
        (401, app.anonymous(method, target)),
        (421, app.anonymous(method, target).header("x-perennial-console", "1")),
        (401, app.anonymous(method, target).header("client-id", "unknown")),
        (400, known(target).header("client-id", "twice")),
        (403, known(target).header("origin", "https://app.example.com")),
        (400, known(&format!("{target}?color=red"))),
        (400, known(target).header("host", "a").header("host", "b")),
        (413, known(target).json_text(vec![b' '; 256 * 1024 + 1])),
        (414, known(&format!("{target}?a={}", "a".repeat(8 * 1024)))),
        (431, known(target).header("x-long", "a".repeat(17 * 1024))),
    ];
    let browser = || app.browser(method, target).header("origin", "https://app.example.com");
    if takes_a_body(path) {
        requests.push((400, known(target).json_text("{")));
        requests.push((400, known(target).json_text("{\"a\": 1, \"a\": 1}")));
        requests.push((415, known(target).raw("{}")));
        requests.push((422, known(target).json(&json!({ "color": "red" }))));
        let bad = if path.ends_with("refresh-token") {
            json!({ "refresh_token": "bad" })
        } else {
            json!({ "access_token": "bad", "email": "ada@example.com" })
        };
        requests.push((401, browser().json(&bad)));
    } else {
        requests.push((401, browser()));
        requests.push((401, browser().bearer("bad")));
        requests.push((400, browser().bearer("bad").bearer("bad")));
    }
    if path.ends_with("{id}") {
        requests.push((404, known("/authentication/tokens/revoke/nothing")));
    }
    if path.ends_with("{auth_id}") {
        requests.push((403, known("/authentication/delete-my-account/unknown")));
    }
    requests
}

/// Every success, and every error of a single operation.
async fn own_responses(app: &TestApp) -> Vec<(&'static str, &'static str, u16, Request)> {
    let (ada, bob) = (app.sign_up("ada@example.com").await, app.sign_in("ada@example.com").await);
    let post = |target: &str, body: &Value| app.browser("POST", target).json(body);
    let credentials = |email: &str| app.credentials(email);
    let body = |email: &str, subject: &str| json!({ "access_token": app.identity_token(email, Some(subject)), "email": email });
    let refresh = json!({ "refresh_token": bob.refresh_token });
    let with = |method: &str, target: &str, held: &Held| app.browser(method, target).bearer(&held.token);
    let eve = app.sign_up("eve@example.com").await;
    let account = format!("/authentication/delete-my-account/{}", text(&ada.user, "auth_id"));
    let revoke = format!("/authentication/tokens/revoke/{}", bob.session_id());
    let (sign_in, sign_up) = ("/authentication/sign-in", "/authentication/sign-up");
    vec![
        ("post", sign_in, 200, post(sign_in, &credentials("ada@example.com"))),
        ("post", sign_in, 404, post(sign_in, &credentials("unknown@example.com"))),
        ("post", sign_in, 409, post(sign_in, &body("eve@example.com", text(&ada.user, "auth_id")))),
        ("post", sign_in, 401, post(sign_in, &json!({ "access_token": "a.b.c", "email": "ada@example.com" }))),
        ("post", sign_up, 201, post(sign_up, &credentials("new@example.com"))),
        ("post", sign_up, 409, post(sign_up, &credentials("ada@example.com"))),
        ("post", sign_up, 409, post(sign_up, &body("ada@example.com", "another"))),
        ("post", "/authentication/user-logged-in", 200, with("POST", "/authentication/user-logged-in", &ada)),
        ("post", "/authentication/refresh-token", 200, post("/authentication/refresh-token", &refresh)),
        ("get", "/authentication/tokens", 200, with("GET", "/authentication/tokens", &ada)),
        ("post", "/authentication/tokens/revoke/{id}", 200, with("POST", &revoke, &ada)),
        (
            "post",
            "/authentication/tokens/revoke-all-except-current",
            200,
            with("POST", "/authentication/tokens/revoke-all-except-current", &ada),
        ),
        ("delete", "/authentication/delete-my-account/{auth_id}", 200, with("DELETE", &account, &ada)),
        ("post", "/authentication/tokens/revoke-all", 200, with("POST", "/authentication/tokens/revoke-all", &eve)),
        ("post", "/authentication/tokens/logout", 200, with("POST", "/authentication/tokens/logout", &eve)),
    ]
}

#[tokio::test]
async fn every_authentication_operation_documents_its_responses_and_returns_what_it_documents() {
    let app = TestApp::start().await;
    let document = Document::of(&app).await;
    let held = app.sign_up("held@example.com").await;
    let mut seen = BTreeSet::new();
    for (method, path) in AUTHENTICATION {
        let target = path.replace("{id}", held.session_id()).replace("{auth_id}", "unknown");
        let name = method.to_uppercase();
        for (status, request) in refused_requests(&app, &name, path, &target, &held) {
            let context = format!("{request:?}");
            let answer = request.send().await;
            assert_eq!(answer.status, status, "{} {}", context.get(..400).unwrap_or(&context), answer.json);
            document.assert_documented(method, path, &answer);
            seen.insert((path, status.to_string()));
        }
    }
    for (method, path, status, request) in own_responses(&app).await {
        let answer = request.header("origin", "https://app.example.com").send().await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.json);
        document.assert_documented(method, path, &answer);
        seen.insert((path, status.to_string()));
    }
    for (method, path) in AUTHENTICATION {
        for status in keys(&document.operation(method, path)["responses"]) {
            let race = status == "409" && RACES.iter().any(|raced| path.contains(raced));
            let met = seen.contains(&(path, status.to_owned())) || BEYOND.contains(&status) || race;
            assert!(met, "{method} {path} documents {status} and never answers it");
        }
    }
}

/// Which operations require a token. Generated clients depend on it.
#[tokio::test]
async fn the_document_shows_where_a_token_is_needed() {
    let app = TestApp::start().await;
    let document = Document::of(&app).await;
    for (method, path) in AUTHENTICATION {
        let operation = document.operation(method, path);
        let security = if operation["security"].is_null() { &document.0["security"] } else { &operation["security"] };
        let expected =
            if takes_a_body(path) { json!([{ "client": [] }]) } else { json!([{ "client": [], "user": [] }]) };
        assert_eq!(security, &expected, "{path}");
        assert_eq!(operation["requestBody"].is_null(), !takes_a_body(path), "{path}");
    }
}
