//! The headers of every response below `/console`, and attack 55: no page can frame it.

use super::files::{build, visit};
use perennial_http::{ApiOptions, ConsoleOptions, Site};
use perennial_testkit::{Answer, TestApp, TestOptions};

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types 'none'";

fn check(answer: &Answer) {
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=()"),
    ] {
        assert_eq!(answer.header(name), value, "{name}");
    }
}

#[tokio::test]
async fn attack_55_every_response_below_the_console_has_its_headers() {
    let app = TestApp::start().await;
    let build = build(&app).await;
    for (method, path, status) in [
        ("GET", "/console".to_owned(), 308),
        ("GET", "/console/".to_owned(), 200),
        ("HEAD", "/console/events".to_owned(), 200),
        ("GET", format!("/console/assets/{build}/app.js"), 200),
        ("GET", "/console/assets/x/app.js".to_owned(), 404),
        ("POST", "/console/".to_owned(), 405),
    ] {
        let request = app.anonymous(method, &path).header("host", app.address.to_string());
        let answer = request.send().await.expect(status);
        check(&answer);
        assert_eq!(answer.header("strict-transport-security"), "", "{path}");
    }
    let misdirected = app.anonymous("GET", "/console/").header("host", "evil.example").send().await;
    check(&misdirected.refused(421, "misdirected_request"));
}

#[tokio::test]
async fn pages_of_the_sign_in_cannot_be_framed_either() {
    let app = TestApp::start().await;
    let answer = visit(&app, "/console/oidc/callback").send().await;
    assert!(answer.header("content-security-policy").contains("frame-ancestors 'none'"));
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
}

#[tokio::test]
async fn the_api_has_none_of_them() {
    let app = TestApp::start().await;
    assert_eq!(app.get("/subscription-plans").await.header("content-security-policy"), "");
}

#[tokio::test]
async fn over_https_browsers_stay_there() {
    let sites = vec![Site::https("billing.example.com")];
    let console = ConsoleOptions { enabled: true, sites, is_https: true, ..ConsoleOptions::default() };
    let api = ApiOptions { console, ..ApiOptions::default() };
    let app = TestApp::with(TestOptions { api, ..TestOptions::default() }).await;
    let answer = app.anonymous("GET", "/console/").header("host", "billing.example.com").send().await.expect(200);
    assert_eq!(answer.header("strict-transport-security"), "max-age=31536000");
}
