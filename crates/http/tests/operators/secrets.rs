//! Attacks 42 and 51: links and cookies are in no log, no event, no file of the store and no later response.

use crate::log;
use perennial_testkit::TestApp;
use serde_json::json;

#[tokio::test]
async fn attack_42_no_log_event_or_file_contains_a_link_or_a_cookie() {
    log::listen();
    let app = TestApp::start().await;
    let id = app.operator("Ada", "admin").await;
    let (link, unused) = (app.link(&id).await, app.link(&id).await);
    let answer = app.use_link(&link).await.expect(200);
    let cookie = answer.header("set-cookie").split(['=', ';']).nth(1).unwrap().to_owned();
    let call = |method: &str, target: &str| {
        app.console(method, target).header("cookie", format!("perennial-operator={cookie}"))
    };
    app.use_link(&link).await.refused(401, "invalid_link");
    call("GET", "/operator-session").send().await.expect(200);
    call("GET", "/nowhere").send().await.expect(404);
    call("POST", "/operators").json(&json!({ "name": 1 })).send().await.expect(422);
    call("POST", "/operator-session").json(&json!({ "link": format!("{link}x") })).send().await.expect(401);
    call("DELETE", "/operator-session").send().await.expect(200);
    for secret in [&link, &unused, &cookie] {
        assert_eq!(log::lines(secret), [""; 0], "a log line contains a secret");
        for event in app.events().await {
            assert!(!format!("{event:?}").contains(secret.as_str()), "an event contains a secret");
        }
        let files = app.store().files();
        assert!(!files.windows(secret.len()).any(|window| window == secret.as_bytes()), "the store contains a secret");
    }
    assert!(!log::lines("request").is_empty(), "the log was captured");
}

#[tokio::test]
async fn attack_51_no_endpoint_returns_a_link_or_a_cookie_again() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    let link = app.link(&ada.id).await;
    let place = format!("/operators/{}", ada.id);
    for target in ["/operators", &place, &format!("{place}/sessions"), "/operator-session"] {
        let answer = ada.get(target).await.expect(200);
        let text = format!("{:?} {}", answer.headers, String::from_utf8_lossy(&answer.bytes));
        assert!(!text.contains(&link) && !text.contains(ada.cookie_value()), "{target}");
        assert!(!text.contains("hash") && !text.contains("set-cookie"), "{target}");
    }
}
