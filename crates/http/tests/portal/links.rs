//! One-time links to the portal, API rules 20.1 and 20.2, and attack 59.

use super::support::{cookie, html, link, submit, visit};
use perennial_app::context::AppOptions;
use perennial_testkit::{TestApp, TestOptions};
use serde_json::json;

#[tokio::test]
async fn a_link_is_created_for_a_user_with_an_event() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let path = format!("/users/{user}/portal-link");
    let answer = app.post(&path, &json!({})).await.expect(201);
    let url = answer.data()["url"].as_str().unwrap();
    let token = url.strip_prefix("https://console.example.com/portal/enter/plk_").unwrap();
    assert_eq!(token.len(), 32);
    assert_eq!(answer.data()["expires_at"], "2026-03-10T12:15:00.000000Z");
    app.request("POST", &path).send().await.expect(201);
    let answer = app.post(&path, &json!({ "expires_in": 60 })).await.expect(201);
    assert_eq!(answer.data()["expires_at"], "2026-03-10T12:01:00.000000Z");
    let events = app.events().await;
    let events: Vec<_> = events.iter().filter(|event| event.kind.as_str() == "user.portal_link_created").collect();
    assert_eq!(events.len(), 3);
    assert_eq!(events[0].record(), user);
    assert!(events[0].client_id.is_some() && !format!("{:?}", events[0]).contains("ada@"));
    // The event is the user's new revision.
    let read = app.get(&format!("/users/{user}")).await.expect(200);
    assert_eq!(read.header("etag"), format!("\"{}\"", events[2].id.suffix()));
}

#[tokio::test]
async fn bad_input_is_rejected_and_creates_no_link() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let path = format!("/users/{user}/portal-link");
    for seconds in [59, 86_401, -1] {
        app.post(&path, &json!({ "expires_in": seconds })).await.refused(422, "out_of_range");
    }
    app.post(&path, &json!({ "other": 1 })).await.refused(422, "unknown_field");
    let refused = app.post(&path, &json!({ "return_url": "https://app.example.com/x" })).await;
    assert_eq!(refused.refused(422, "url_not_allowed").faults(), ["/return_url url_not_allowed"]);
    app.post(&path, &json!({ "return_url": "javascript:alert(1)" })).await.refused(422, "invalid_format");
    let both = app.post(&path, &json!({ "return_url": "https://app.example.com/x", "expires_in": 1 })).await;
    assert_eq!(both.expect(422).faults(), ["/expires_in out_of_range", "/return_url url_not_allowed"]);
    app.post("/users/usr_nothing/portal-link", &json!({})).await.refused(404, "not_found");
    // A user that does not exist is reported before the fields.
    for id in ["usr_nothing", "usr_01h455vb4pex5vsknk084sn02q", "me"] {
        let unknown = format!("/users/{id}/portal-link");
        app.post(&unknown, &json!({ "expires_in": 1 })).await.refused(404, "not_found");
    }
    let created = app.events().await.into_iter().filter(|event| event.kind.as_str().contains("portal_link"));
    assert_eq!(created.count(), 0);
}

#[tokio::test]
async fn a_link_returns_to_the_origins_of_the_organization() {
    let app = TestApp::start().await;
    app.put("/organization", &json!({ "portal": { "return_origins": ["https://app.example.com"] } })).await.expect(200);
    let user = app.user("ada@example.com").await;
    let customer = super::support::Customer::enter_as(
        &app,
        &user,
        &json!({ "return_url": "https://app.example.com/billing?a=1" }),
    )
    .await;
    let page = html(&customer.get("/portal/").await.expect(200));
    assert!(page.contains("href=\"https://app.example.com/billing?a=1\""), "{page}");
    assert!(page.contains("Back to default</a>"), "{page}");
}

#[tokio::test]
async fn without_the_portal_there_is_no_link_and_no_page() {
    let options = TestOptions::default();
    let app = AppOptions { portal: perennial_app::portal::PortalOptions::default(), ..options.app };
    let app = TestApp::with(TestOptions { app, ..TestOptions::default() }).await;
    let user = app.user("ada@example.com").await;
    app.post(&format!("/users/{user}/portal-link"), &json!({})).await.refused(404, "not_found");
    app.post(&format!("/users/{user}/portal-link"), &json!({ "expires_in": 1 })).await.refused(404, "not_found");
    visit(&app, "/portal/").send().await.refused(404, "route_not_found");
    visit(&app, "/portal/sign-in").send().await.refused(404, "route_not_found");
}

#[tokio::test]
async fn attack_59_a_get_never_uses_a_link_up_and_a_second_use_is_410() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let path = link(&app, &user, &json!({})).await;
    for _ in 0..2 {
        let answer = visit(&app, &path).send().await.expect(200);
        let page = html(&answer);
        assert!(page.contains("Continue as a…@example.com</p>"), "{page}");
        assert!(!page.contains("ada@example.com"));
        assert_eq!(answer.header("set-cookie"), "");
        app.anonymous("HEAD", &path).header("host", app.address.to_string()).send().await.expect(200);
    }
    let entered = submit(&app, &path, "").send().await.expect(303);
    assert!(cookie(&entered).len() > 60);
    let again = submit(&app, &path, "").send().await.expect(410);
    assert!(html(&again).contains("This link was already used or has expired."));
    assert!(html(&again).contains("href=\"/portal/sign-in\""));
    visit(&app, &path).send().await.expect(410);
}

#[tokio::test]
async fn attack_59_unknown_and_expired_links_are_alike() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let path = link(&app, &user, &json!({ "expires_in": 60 })).await;
    app.advance(60);
    let expired = submit(&app, &path, "").send().await.expect(410);
    let unknown = submit(&app, "/portal/enter/plk_00000000000000000000000000000000", "").send().await.expect(410);
    assert_eq!(html(&expired), html(&unknown));
    visit(&app, "/portal/enter/").send().await.expect(410);
}

#[tokio::test]
async fn attack_59_of_twenty_simultaneous_uses_one_works() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let path = link(&app, &user, &json!({})).await;
    let attempts = (0..20).map(|_| submit(&app, &path, "").send());
    let answers = futures_util::future::join_all(attempts).await;
    let entered = answers.iter().filter(|answer| answer.status == 303).count();
    assert_eq!(entered, 1, "{:?}", answers.iter().map(|answer| answer.status).collect::<Vec<_>>());
    let sessions = app.get(&format!("/users/{user}/sessions")).await.expect(200);
    assert_eq!(sessions.data().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn attack_59_another_site_cannot_use_a_link() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let path = link(&app, &user, &json!({})).await;
    let foreign = || submit(&app, &path, "").without("sec-fetch-site");
    foreign().send().await.expect(403);
    foreign().header("sec-fetch-site", "cross-site").send().await.expect(403);
    foreign().header("sec-fetch-site", "same-site").send().await.expect(403);
    foreign().header("origin", "https://evil.example").send().await.expect(403);
    submit(&app, &path, "").without("host").header("host", "evil.example").send().await.expect(421);
    foreign().header("origin", format!("http://{}", app.address)).send().await.expect(303);
}

#[tokio::test]
async fn attack_59_guesses_count_in_the_rate_limit_of_sign_ins() {
    let app = TestApp::start().await;
    let mut statuses = Vec::new();
    for _ in 0..61 {
        statuses.push(submit(&app, "/portal/enter/plk_guess", "").send().await.status);
    }
    assert_eq!(statuses.iter().filter(|status| **status == 410).count(), 60);
    assert_eq!(statuses.last(), Some(&429));
}

#[tokio::test]
async fn a_link_of_an_erased_or_blocked_user_does_not_work() {
    let app = TestApp::start().await;
    let (erased, blocked) = (app.user("a@example.com").await, app.user("b@example.com").await);
    let (first, second) = (link(&app, &erased, &json!({})).await, link(&app, &blocked, &json!({})).await);
    app.delete(&format!("/users/{erased}")).await.expect(200);
    app.put(&format!("/users/{blocked}"), &json!({ "is_blocked": true })).await.expect(200);
    visit(&app, &first).send().await.expect(410);
    visit(&app, &second).send().await.expect(410);
    submit(&app, &second, "").send().await.expect(410);
}
