//! When the cookie counts, API rules 11.4, and attacks 39, 40 and 46 to 48.

use super::support::tenant;
use perennial_http::{ApiOptions, ConsoleOptions, Site};
use perennial_testkit::{Request, SignedInOperator, TestApp, TestOptions};
use serde_json::{Value, json};

const SESSION: &str = "/operator-session";

fn plan() -> Value {
    json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" })
}

/// A write with the cookie and without what a page of the console adds.
fn bare(app: &TestApp, operator: &SignedInOperator) -> Request {
    let request = app.anonymous("POST", "/subscription-plans").header("host", app.address.to_string());
    request.header("cookie", &operator.cookie).json(&plan())
}

async fn nothing_was_written(app: &TestApp) {
    assert!(app.get("/subscription-plans").await.data().as_array().unwrap().is_empty());
}

#[tokio::test]
async fn attack_39_a_form_an_image_a_fetch_and_a_sibling_subdomain_write_nothing() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    // A form and an image cannot send the header: the cookie is ignored, and there is no client.
    bare(&app, &ada).header("sec-fetch-site", "cross-site").send().await.refused(401, "client_id_required");
    bare(&app, &ada).send().await.refused(401, "client_id_required");
    // A fetch that got past CORS, and a page of a sibling subdomain.
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "none"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("x-nothing", "x"),
    ] {
        let request = bare(&app, &ada).header("x-perennial-console", "1").header(name, value);
        request.send().await.refused(403, "cross_site_request");
    }
    let both = bare(&app, &ada).header("x-perennial-console", "1").header("sec-fetch-site", "cross-site");
    let own = format!("http://{}", app.address);
    both.header("origin", &own).send().await.refused(403, "cross_site_request");
    nothing_was_written(&app).await;
    // An old browser sends the origin alone.
    bare(&app, &ada).header("x-perennial-console", "1").header("origin", own).send().await.expect(201);
}

#[tokio::test]
async fn attack_39_the_three_calls_of_a_session_need_the_header() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    for method in ["GET", "DELETE"] {
        let call = |request: Request| request.header("cookie", &ada.cookie).send();
        call(app.anonymous(method, SESSION).header("host", app.address.to_string()))
            .await
            .refused(403, "cross_site_request");
        call(app.request(method, SESSION).header("host", app.address.to_string()))
            .await
            .refused(403, "cross_site_request");
    }
    let link = app.link(&ada.id).await;
    let sign_in = |request: Request| request.json(&json!({ "link": link })).send();
    let host = app.address.to_string();
    sign_in(app.anonymous("POST", SESSION).header("host", &host)).await.refused(403, "cross_site_request");
    let forged = app.anonymous("POST", SESSION).header("host", &host).header("x-perennial-console", "1");
    sign_in(forged.header("sec-fetch-site", "cross-site")).await.refused(403, "cross_site_request");
    sign_in(app.console("POST", SESSION)).await.expect(200);
}

#[tokio::test]
async fn attack_40_a_rebound_name_reaches_neither_the_cookie_nor_a_sign_in() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    let link = app.link(&ada.id).await;
    for host in ["evil.example", "evil.example:8080", "localhost", "127.0.0.1"] {
        let rebound = |method: &str, target: &str| {
            let request = app.anonymous(method, target).header("host", host).header("cookie", &ada.cookie);
            request.header("x-perennial-console", "1").header("sec-fetch-site", "same-origin")
        };
        rebound("GET", SESSION).send().await.refused(421, "misdirected_request");
        rebound("POST", "/subscription-plans").json(&plan()).send().await.refused(421, "misdirected_request");
        let with_origin = rebound("POST", SESSION).header("origin", format!("http://{host}"));
        with_origin.json(&json!({ "link": link })).send().await.refused(421, "misdirected_request");
        rebound("GET", "/console/oidc/start").send().await.refused(421, "misdirected_request");
    }
    nothing_was_written(&app).await;
    app.use_link(&link).await.expect(200);
}

#[tokio::test]
async fn attack_46_a_cookie_with_a_client_id_is_400_and_a_cookie_from_curl_is_rejected() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    let both = ada.request("POST", "/subscription-plans").header("client-id", "default").json(&plan());
    both.send().await.refused(400, "ambiguous_credentials");
    let curl = || app.anonymous("GET", "/subscription-plans").header("cookie", &ada.cookie);
    let host = app.address.to_string();
    curl().send().await.refused(401, "client_id_required");
    curl().header("host", &host).header("x-perennial-console", "1").send().await.refused(403, "cross_site_request");
    nothing_was_written(&app).await;
}

#[tokio::test]
async fn attack_48_no_other_origin_may_send_the_header_or_read_with_the_cookie() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    let preflight = app
        .anonymous("OPTIONS", "/subscription-plans")
        .header("origin", "https://app.example.com")
        .header("access-control-request-method", "GET")
        .header("access-control-request-headers", "x-perennial-console");
    let answer = preflight.send().await.expect(204);
    assert_eq!(answer.header("access-control-allow-origin"), "https://app.example.com");
    assert!(!answer.header("access-control-allow-headers").contains("x-perennial-console"));
    assert_eq!(answer.header("access-control-allow-credentials"), "");
    let read = ada.request("GET", "/subscription-plans").header("origin", "https://app.example.com").send().await;
    let read = read.expect(200);
    assert_eq!(read.header("access-control-allow-origin"), "");
    assert_eq!(read.header("access-control-allow-credentials"), "");
}

#[tokio::test]
async fn attack_47_records_of_another_organization_are_not_found() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    let tenant = tenant(&app).await;
    let other = app.anonymous("POST", "/subscription-plans").header("client-id", &tenant).json(&plan()).send().await;
    let id = other.expect(201).data()["id"].as_str().unwrap().to_owned();
    ada.get(&format!("/subscription-plans/{id}")).await.refused(404, "not_found");
    ada.put(&format!("/subscription-plans/{id}"), &json!({ "price": 2 })).await.refused(404, "not_found");
    ada.delete(&format!("/subscription-plans/{id}")).await.refused(404, "not_found");
}

#[tokio::test]
async fn operators_cannot_call_authentication_endpoints() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    for (method, target) in [
        ("POST", "/authentication/sign-in"),
        ("POST", "/authentication/user-logged-in"),
        ("GET", "/authentication/tokens"),
        ("POST", "/authentication/tokens/logout"),
    ] {
        let refused = ada.request(method, target).send().await.refused(403, "insufficient_scope");
        assert_eq!(refused.json["required_scope"], "auth");
    }
}

#[tokio::test]
async fn a_trusted_client_with_its_scopes_can_make_every_call_that_an_operator_can() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    for target in ["/subscription-plans", "/subscriptions", "/operators"] {
        let (operator, client) = (ada.get(target).await.expect(200), app.get(target).await.expect(200));
        assert_eq!(operator.json, client.json, "{target}");
    }
}

#[tokio::test]
async fn a_session_is_required_and_the_response_names_the_provider() {
    let app = TestApp::start().await;
    let refused = app.console("GET", SESSION).send().await.refused(401, "operator_session_required");
    assert_eq!(refused.json["provider"], Value::Null);
    assert!(refused.json.as_object().unwrap().contains_key("provider"));
    app.console("GET", "/subscription-plans").send().await.refused(401, "operator_session_required");
}

async fn with_console(console: ConsoleOptions) -> TestApp {
    let api = ApiOptions { console, ..ApiOptions::default() };
    TestApp::with(TestOptions { api, ..TestOptions::default() }).await
}

#[tokio::test]
async fn a_disabled_console_does_not_exist() {
    let app = with_console(ConsoleOptions::default()).await;
    for (method, target) in [
        ("GET", SESSION),
        ("POST", SESSION),
        ("DELETE", SESSION),
        ("POST", "/operator-session/connect"),
        ("GET", "/console/oidc/start"),
        ("GET", "/console/oidc/callback"),
    ] {
        app.console(method, target).send().await.refused(404, "route_not_found");
    }
    app.console("GET", "/subscription-plans").send().await.refused(401, "client_id_required");
    app.request("GET", "/subscription-plans").header("x-perennial-console", "2").send().await.expect(200);
}

#[tokio::test]
async fn operators_call_from_the_addresses_of_the_setting() {
    let cidrs = vec!["10.0.0.0/8".parse().unwrap()];
    let app = with_console(ConsoleOptions { enabled: true, cidrs, ..ConsoleOptions::default() }).await;
    let id = app.operator("Ada", "admin").await;
    let link = app.link(&id).await;
    app.use_link(&link).await.refused(403, "address_not_allowed");
    app.console("GET", "/subscription-plans").send().await.refused(403, "address_not_allowed");
    app.console("GET", "/console/oidc/start").send().await.refused(403, "address_not_allowed");
    app.request("GET", "/subscription-plans").send().await.expect(200);
}

#[tokio::test]
async fn a_site_over_https_has_a_cookie_with_the_host_prefix() {
    let sites = vec![Site::https("billing.example.com")];
    let app = with_console(ConsoleOptions { enabled: true, sites, ..ConsoleOptions::default() }).await;
    let id = app.operator("Ada", "admin").await;
    let link = app.link(&id).await;
    let call = |method: &str, target: &str| {
        let request = app.anonymous(method, target).header("host", "billing.example.com");
        request.header("x-perennial-console", "1").header("origin", "https://billing.example.com")
    };
    let answer = call("POST", SESSION).json(&json!({ "link": link })).send().await.expect(200);
    let cookie = answer.header("set-cookie");
    let (pair, attributes) = cookie.split_once("; ").unwrap();
    assert!(pair.starts_with("__Host-perennial-operator="), "{pair}");
    assert_eq!(attributes, "HttpOnly; SameSite=Strict; Path=/; Secure");
    call("GET", SESSION).header("cookie", pair).send().await.expect(200);
    let plain = pair.replace("__Host-", "");
    call("GET", SESSION).header("cookie", plain).send().await.refused(401, "operator_session_required");
}
