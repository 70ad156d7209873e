//! Where events may be sent: API rule 13.3.

use super::support::{ENDPOINTS, endpoint, place, service};
use perennial_testkit::TestApp;
use serde_json::json;

#[tokio::test]
async fn urls_that_must_not_be_called_are_rejected_on_create_and_update() {
    let app = TestApp::start().await;
    let made = endpoint(&app, json!({})).await;
    for url in [
        "http://example.com/",
        "ftp://example.com/",
        "example.com",
        "https://user:secret@example.com/",
        "https://example.com/#fragment",
        "https://127.0.0.1/",
        "https://0x7f000001/",
        "https://2130706433/",
        "https://localhost/",
        "https://10.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:169.254.169.254]/",
        "https://169.254.169.254/latest/meta-data",
        "https://0.0.0.0/",
        "https://[fd00::1]/",
        "https://[64:ff9b::7f00:1]/",
    ] {
        let body = json!({ "url": url });
        let refused = app.post(ENDPOINTS, &body).await.refused(422, "url_not_allowed");
        assert_eq!(refused.faults(), ["/url url_not_allowed"], "{url}");
        app.put(&place(&made), &body).await.refused(422, "url_not_allowed");
    }
    assert_eq!(app.get(&place(&made)).await.data()["url"], made["url"]);
}

#[tokio::test]
async fn a_listed_network_may_be_called_also_with_http() {
    let app = service().await;
    for url in ["http://127.0.0.1:9/", "https://127.0.0.1:9/", "http://localhost:9/", "http://[::ffff:127.0.0.1]:9/"] {
        app.post(ENDPOINTS, &json!({ "url": url })).await.expect(201);
    }
    for url in ["http://203.1.113.7/", "http://10.0.0.1/", "http://169.254.169.254/"] {
        app.post(ENDPOINTS, &json!({ "url": url })).await.refused(422, "url_not_allowed");
    }
}

#[tokio::test]
async fn a_connection_is_checked_again() {
    // The network was allowed when the URL was stored.
    let app = service().await;
    let made = endpoint(&app, json!({ "url": "http://127.0.0.1:9/" })).await;
    let attempt = app.post(&format!("{}/ping", place(&made)), &json!({})).await.expect(200);
    assert_eq!((&attempt.data()["error"], &attempt.data()["status"]), (&json!("connect_failed"), &json!(null)));
    let Some(strict) = app.second_server().await else { return };
    let attempt = strict.post(&format!("{}/ping", place(&made)), &json!({})).await.expect(200);
    assert_eq!(attempt.data()["error"], "address_not_allowed");
    let text = attempt.json.to_string();
    assert!(!text.contains("127.0.0.1"), "{text}");
}
