//! One-time links, API rules 11.2, and attack 41: replay, guessing, race, prefetch.

use super::support::events;
use perennial_testkit::{TestApp, all_at_once};
use serde_json::json;

#[tokio::test]
async fn a_link_signs_in_once() {
    let app = TestApp::start().await;
    let id = app.operator("Ada", "support").await;
    let answer = app.request("POST", &format!("/operators/{id}/link")).send().await.expect(201);
    let url = answer.data()["url"].as_str().unwrap();
    assert!(url.starts_with("https://console.example.com/console/#link=lnk_"), "{url}");
    assert_eq!(answer.data()["expires_at"], "2026-03-10T12:10:00.000000Z");
    let link = url.split_once("#link=").unwrap().1;
    assert_eq!(link.len(), 36);
    let session = app.use_link(link).await.expect(200);
    assert_eq!(session.data()["operator"]["id"], id.as_str());
    assert_eq!(session.data()["operator"]["last_sign_in_at"], "2026-03-10T12:00:00.000000Z");
    assert_eq!((&session.data()["method"], &session.data()["demo"]), (&json!("link"), &json!(false)));
    assert_eq!(session.data()["organization"]["name"], "default");
    assert_eq!(session.data()["scopes"].as_array().unwrap().len(), 13);
    app.use_link(link).await.refused(401, "invalid_link");
    assert_eq!(events(&app, "operator_session.created").await.len(), 1);
}

#[tokio::test]
async fn attack_41_of_twenty_simultaneous_uses_of_a_link_one_works() {
    let app = TestApp::start().await;
    let second = app.second_server().await;
    let id = app.operator("Ada", "admin").await;
    for _ in 0..3 {
        let link = app.link(&id).await;
        let body = json!({ "link": link });
        let use_at = |number: usize| {
            let server = second.as_ref().filter(|_| number.is_multiple_of(2)).unwrap_or(&app);
            server.console("POST", "/operator-session").json(&body)
        };
        let answers = all_at_once((0..20).map(use_at)).await;
        let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [vec![200], vec![401; 19]].concat());
        app.advance(61);
    }
}

#[tokio::test]
async fn attack_41_unknown_used_and_expired_links_are_rejected_alike() {
    let app = TestApp::start().await;
    let id = app.operator("Ada", "admin").await;
    let (used, expired) = (app.link(&id).await, app.link(&id).await);
    app.use_link(&used).await.expect(200);
    app.advance(600);
    let mut bodies = Vec::new();
    for link in [used.as_str(), &expired, "lnk_00000000000000000000000000000000", "x"] {
        let mut body = app.use_link(link).await.refused(401, "invalid_link").json;
        body["request_id"] = json!(null);
        bodies.push(body);
    }
    assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]));
    let fresh = app.link(&id).await;
    app.advance(599);
    app.use_link(&fresh).await.expect(200);
}

#[tokio::test]
async fn attack_41_guesses_count_in_the_rate_limit_of_sign_ins() {
    let app = TestApp::start().await;
    let id = app.operator("Ada", "admin").await;
    for _ in 0..60 {
        app.use_link("lnk_guess").await.refused(401, "invalid_link");
    }
    let link = app.link(&id).await;
    let refused = app.use_link(&link).await.refused(429, "rate_limited");
    assert!(!refused.header("retry-after").is_empty());
    app.advance(120);
    app.use_link(&link).await.expect(200);
}

#[tokio::test]
async fn attack_41_a_get_of_the_link_does_nothing() {
    let app = TestApp::start().await;
    let id = app.operator("Ada", "admin").await;
    let link = app.link(&id).await;
    app.console("GET", &format!("/operator-session?link={link}"))
        .send()
        .await
        .refused(401, "operator_session_required");
    app.console("HEAD", &format!("/operator-session?link={link}")).send().await.expect(401);
    app.use_link(&link).await.expect(200);
}

#[tokio::test]
async fn an_operator_has_at_most_ten_unused_links() {
    let app = TestApp::start().await;
    let id = app.operator("Ada", "admin").await;
    let place = format!("/operators/{id}/link");
    let answers = all_at_once((0..12).map(|_| app.request("POST", &place))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 10);
    app.request("POST", &place).send().await.refused(409, "link_limit");
    let url = answers.iter().find(|answer| answer.status == 201).unwrap().data()["url"].as_str().unwrap();
    app.use_link(url.split_once("#link=").unwrap().1).await.expect(200);
    app.request("POST", &place).send().await.expect(201);
    app.advance(601);
    app.request("POST", &place).send().await.expect(201);
}

#[tokio::test]
async fn a_disabled_or_deleted_operator_gets_no_link_and_cannot_use_one() {
    let app = TestApp::start().await;
    let id = app.operator("Ada", "admin").await;
    let link = app.link(&id).await;
    app.put(&format!("/operators/{id}"), &json!({ "is_active": false })).await.expect(200);
    app.use_link(&link).await.refused(401, "invalid_link");
    app.request("POST", &format!("/operators/{id}/link")).send().await.refused(409, "operator_disabled");
    app.put(&format!("/operators/{id}"), &json!({ "is_active": true })).await.expect(200);
    app.use_link(&link).await.refused(401, "invalid_link");
    let link = app.link(&id).await;
    app.delete(&format!("/operators/{id}")).await.expect(200);
    app.use_link(&link).await.refused(401, "invalid_link");
}

#[tokio::test]
async fn the_body_of_a_sign_in_is_checked() {
    let app = TestApp::start().await;
    let sign_in = || app.console("POST", "/operator-session");
    sign_in().json(&json!({})).send().await.refused(422, "required");
    sign_in().json(&json!({ "link": 5 })).send().await.refused(422, "invalid_type");
    sign_in().json(&json!({ "link": "x", "more": 1 })).send().await.refused(422, "unknown_field");
    sign_in().json_text("{").send().await.refused(400, "malformed_json");
}
