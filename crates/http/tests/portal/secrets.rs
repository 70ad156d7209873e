//! Attack 65: links and cookies of the portal are in no log, no event and no file of the store.

use super::support::{Customer, link, submit, visit};
use crate::log;
use perennial_testkit::TestApp;
use serde_json::json;

#[tokio::test]
async fn attack_65_no_log_event_or_file_contains_a_link_or_a_cookie() {
    log::listen();
    let app = TestApp::start().await;
    let user = app.user("canary-portal@example.com").await;
    let (first, second) = (link(&app, &user, &json!({})).await, link(&app, &user, &json!({})).await);
    visit(&app, &first).send().await.expect(200);
    submit(&app, &first, "").without("sec-fetch-site").send().await.expect(403);
    let entered = submit(&app, &first, "").send().await.expect(303);
    let customer = Customer { app: &app, user, cookie: super::support::cookie(&entered) };
    submit(&app, &first, "").send().await.expect(410);
    visit(&app, &format!("{first}x")).send().await.expect(410);
    customer.get("/portal/").await.expect(200);
    customer.get("/portal/nothing").await.expect(404);
    let secrets = [first, second].map(|path| path.rsplit('/').next().unwrap().to_owned());
    let cookie = customer.cookie.split_once('=').unwrap().1.to_owned();
    let token = customer.token().await;
    for secret in secrets.iter().chain([&cookie, &token]) {
        assert_eq!(log::lines(secret), [""; 0], "a log line contains a secret");
        for event in app.events().await {
            assert!(!format!("{event:?}").contains(secret.as_str()), "an event contains a secret");
        }
        let files = app.store().files();
        assert!(!files.windows(secret.len()).any(|window| window == secret.as_bytes()), "the store contains a secret");
    }
    assert_eq!(log::lines("canary-portal@example.com"), [""; 0]);
    assert!(!log::lines("request").is_empty(), "the log was captured");
}
