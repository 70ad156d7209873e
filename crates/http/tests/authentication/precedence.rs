//! API rules 1.4 (`docs/api.md`) for these endpoints: route, client, scope, bearer, query and headers, body, record.

use super::support::*;
use perennial_domain::clients::Scope;
use perennial_testkit::{Request, TestApp};
use serde_json::{Value, json};

const PATHS: [(&str, &str); 10] = [
    ("POST", SIGN_UP),
    ("POST", SIGN_IN),
    ("POST", REFRESH),
    ("POST", CHECK),
    ("GET", TOKENS),
    ("POST", LOGOUT),
    ("POST", REVOKE_ALL),
    ("POST", REVOKE_OTHERS),
    ("POST", "/authentication/tokens/revoke/nonsense"),
    ("DELETE", "/authentication/delete-my-account/unknown"),
];

/// The operations that require a token.
const BEARER: &[(&str, &str)] = PATHS.split_at(3).1;
/// Those that take a body.
const BODY: &[(&str, &str)] = PATHS.split_at(3).0;

fn too_large() -> Vec<u8> {
    vec![b'{'; 256 * 1024 + 1]
}

/// A request with everything wrong that comes after the client.
fn all_wrong(app: &TestApp, method: &str, target: &str) -> Request {
    let request = app.anonymous(method, &format!("{target}?bogus=1"));
    request.header("authorization", "Bearer garbage").raw(too_large())
}

#[tokio::test]
async fn the_route_is_settled_before_the_client() {
    let app = TestApp::start().await;
    for (method, target) in PATHS {
        let wrong = if method == "DELETE" { "POST" } else { "DELETE" };
        let answer = all_wrong(&app, wrong, target).send().await.refused(405, "method_not_allowed");
        assert_eq!(answer.header("allow"), if method == "GET" { "GET, HEAD" } else { method });
        all_wrong(&app, method, &format!("{target}/more")).send().await.refused(404, "route_not_found");
    }
}

#[tokio::test]
async fn the_client_is_settled_before_its_scope_and_the_scope_before_the_bearer() {
    let app = TestApp::start().await;
    client(&app, app.organization, "plans-only", &[Scope::PlansRead]).await;
    client(&app, app.organization, "pk_plans_only_plans_only_plans_only_", &[Scope::PlansRead]).await;
    for (method, target) in PATHS {
        let request = || all_wrong(&app, method, target);
        request().send().await.refused(401, "client_id_required");
        request().header("client-id", "stranger").send().await.refused(401, "invalid_client");
        for id in ["plans-only", "pk_plans_only_plans_only_plans_only_"] {
            let answer = request().header("client-id", id).send().await.refused(403, "insufficient_scope");
            assert_eq!(answer.json["required_scope"], "auth", "{target}");
        }
    }
}

#[tokio::test]
async fn the_bearer_is_settled_before_query_and_headers() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    for (method, target) in BEARER {
        all_wrong(&app, method, target).header("client-id", "default").send().await.refused(401, "invalid_token");
        let request = app.browser(method, &format!("{target}?bogus=1")).raw(too_large());
        request.send().await.refused(401, "token_required");
        let request = app.browser(method, &format!("{target}?bogus=1")).bearer(&ada.token).bearer(&ada.token);
        request.raw(too_large()).send().await.refused(400, "invalid_header");
    }
    app.logged_in(&ada.token).await.expect(200);
}

#[tokio::test]
async fn query_and_headers_are_settled_before_the_body() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    for (method, target) in PATHS {
        let request = app.browser(method, &format!("{target}?bogus=1")).bearer(&ada.token).raw(too_large());
        assert_eq!(request.send().await.refused(400, "unknown_parameter").faults(), ["bogus unknown_parameter"]);
    }
}

#[tokio::test]
async fn of_a_body_the_size_is_settled_first_then_its_type_its_json_and_its_fields() {
    let app = TestApp::start().await;
    for (method, target) in BODY {
        let request = || app.browser(method, target);
        request().raw(too_large()).header("content-type", "text/plain").send().await.refused(413, "body_too_large");
        request().raw("{").send().await.refused(415, "unsupported_media_type");
        let encoded = request().json_text("{").header("content-encoding", "gzip");
        encoded.send().await.refused(415, "unsupported_media_type");
        request().json_text("{").send().await.refused(400, "malformed_json");
        request().send().await.refused(415, "unsupported_media_type");
        request().json_text("").send().await.refused(400, "malformed_json");
        let twice = r#"{"email":"a@b.c","email":"a@b.c"}"#;
        request().json_text(twice).send().await.refused(400, "duplicate_key");
        let deep = format!("{{\"email\":{}{}}}", "[".repeat(32), "]".repeat(32));
        request().json_text(deep).send().await.refused(400, "malformed_json");
        request().json(&json!({})).send().await.expect(422);
    }
}

#[tokio::test]
async fn the_fields_are_settled_before_the_identity_and_the_identity_before_the_state() {
    let app = TestApp::start().await;
    app.sign_up("ada@example.com").await;
    let forged = json!({ "access_token": "garbage", "email": "ada@example.com" });
    present(&app, SIGN_UP, &with(&forged, &json!({ "terms": 1 }))).await.refused(422, "invalid_type");
    // The address is taken as well; without proof this is not revealed.
    present(&app, SIGN_UP, &forged).await.refused(401, "invalid_identity_token");
    let body = json!({ "access_token": app.identity_token("eve@example.com", None), "email": "ada@example.com" });
    present(&app, SIGN_UP, &body).await.refused(401, "email_mismatch");
    present(&app, SIGN_IN, &body).await.refused(401, "email_mismatch");
}

#[tokio::test]
async fn the_limits_hold_without_an_expected_body_and_before_the_record_is_read() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let events = app.events().await;
    for (method, target) in BEARER {
        let request = app.browser(method, target).bearer(&ada.token).raw(too_large());
        request.send().await.refused(413, "body_too_large");
    }
    call(&app, "DELETE", "/authentication/delete-my-account/unknown", &ada.token)
        .await
        .refused(403, "not_account_owner");
    assert_eq!(app.events().await, events, "nothing was ended or deleted");
}

#[tokio::test]
async fn an_unexpected_body_is_ignored() {
    let app = TestApp::start().await;
    let bodies = ["", "{}", "null", "{", "not JSON", r#"{"id": "ses_1", "a": 1, "a": 2}"#];
    for (number, body) in bodies.into_iter().enumerate() {
        let ada = app.sign_up(&format!("ada{number}@example.com")).await;
        let other = app.sign_in(&format!("ada{number}@example.com")).await;
        for (method, target) in [
            ("POST", CHECK.to_owned()),
            ("GET", TOKENS.to_owned()),
            ("POST", session(&other)),
            ("POST", REVOKE_OTHERS.to_owned()),
            ("POST", LOGOUT.to_owned()),
        ] {
            let request = app.browser(method, &target).bearer(&ada.token).raw(body);
            request.send().await.expect(200);
        }
        let back = app.sign_in(&format!("ada{number}@example.com")).await;
        let request = app.browser("DELETE", &account(&back)).bearer(&back.token).json_text(body);
        request.send().await.expect(200);
    }
}

#[tokio::test]
async fn head_responds_as_get_without_a_body() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let get = call(&app, "GET", TOKENS, &ada.token).await.expect(200);
    let head = call(&app, "HEAD", TOKENS, &ada.token).await.expect(200);
    assert!(head.bytes.is_empty() && head.json == Value::Null);
    for header in ["content-type", "content-length", "cache-control", "vary"] {
        assert_eq!(head.header(header), get.header(header), "{header}");
    }
    let refused = app.browser("HEAD", TOKENS).send().await.expect(401);
    assert!(refused.bytes.is_empty());
    assert_eq!(refused.header("www-authenticate"), "Bearer");
    for target in [CHECK, LOGOUT] {
        call(&app, "HEAD", target, &ada.token).await.expect(405);
        call(&app, "GET", target, &ada.token).await.refused(405, "method_not_allowed");
    }
    app.logged_in(&ada.token).await.expect(200);
}
