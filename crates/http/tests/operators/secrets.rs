//! Attack 6 of the console: links and cookies are in no log, no event and no file of the store.

use crate::log;
use perennial_testkit::TestApp;
use serde_json::json;

#[tokio::test]
async fn attack_6_no_log_event_or_file_contains_a_link_or_a_cookie() {
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
