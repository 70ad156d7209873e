//! API rules 3.6 (`docs/api.md`): a user's active sessions, their fields, and when there are too many.

use super::support::*;
use perennial_domain::clients::Scope;
use perennial_store::Sql;
use perennial_testkit::{Held, TestApp};
use serde_json::{Value, json};
use std::time::Duration;

fn ids(sessions: &[Value]) -> Vec<&str> {
    sessions.iter().map(|session| text(session, "id")).collect()
}

#[tokio::test]
async fn a_session_is_listed_with_its_client_its_device_and_its_end() {
    let app = TestApp::start().await;
    let body = app.credentials("ada@example.com");
    let request = app.browser("POST", SIGN_UP).header("user-agent", "Firefox/131 (X11; \"quoted\")");
    // The peer is not a trusted proxy.
    let request = request.header("x-forwarded-for", "203.0.113.7");
    let ada = Held::of(&request.json(&body).send().await.expect(201));
    let answer = call(&app, "GET", TOKENS, &ada.token).await.expect(200);
    assert_eq!(members(&answer.json), ["data"]);
    let session = json!({
        "id": ada.session_id(), "email": "ada@example.com", "client_name": "public",
        "issued_at": "2026-03-10T12:00:00.000000Z", "expiration_time": "2026-04-09T12:00:00.000000Z",
        "last_used_at": "2026-03-10T12:00:00.000000Z", "ip_address": "127.0.0.1",
        "user_agent": "Firefox/131 (X11; \"quoted\")", "revoked": false, "current": true,
        "created_at": "2026-03-10T12:00:00.000000Z", "updated_at": "2026-03-10T12:00:00.000000Z"
    });
    let expected = json!({ "tokens": [session], "should_revoke_tokens": false, "number_of_tokens_to_revoke": 0 });
    assert_eq!(answer.data(), &expected);
}

#[tokio::test]
async fn a_device_that_names_itself_at_length_or_not_at_all_is_listed_all_the_same() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    for (name, agent) in [("long", "a".repeat(2_000).into_bytes()), ("odd", b"caf\xe9".to_vec())] {
        app.advance(1);
        let body = app.credentials("ada@example.com");
        let request = app.browser("POST", SIGN_IN).header("user-agent", agent).json(&body);
        request.send().await.expect(200);
        let newest = listed(&app, &ada.token).await.remove(0);
        let reported = newest["user_agent"].as_str().map(str::len);
        assert_eq!(reported, if name == "long" { Some(512) } else { None });
    }
    assert_eq!(listed(&app, &ada.token).await[2]["user_agent"], Value::Null);
}

#[tokio::test]
async fn sessions_of_every_client_are_listed_newest_first_and_one_is_current() {
    let app = TestApp::start().await;
    client(&app, app.organization, "mobile", &[Scope::Auth]).await;
    let first = app.sign_up("ada@example.com").await;
    app.sign_up("eve@example.com").await;
    let body = app.credentials("ada@example.com");
    app.advance(1);
    let mobile = app.anonymous("POST", SIGN_IN).header("client-id", "mobile").json(&body).send().await.expect(200);
    let mobile = Held::of(&mobile);
    app.advance(1);
    let server = Held::of(&app.request("POST", SIGN_IN).json(&body).send().await.expect(200));
    let expected = [server.session_id(), mobile.session_id(), first.session_id()];
    for (client_id, held) in [("default", &first), ("mobile", &mobile), (TRUSTED, &server)] {
        let request = app.anonymous("GET", TOKENS).header("client-id", client_id).bearer(&held.token);
        let answer = request.send().await.expect(200);
        let sessions = answer.data()["tokens"].as_array().unwrap();
        assert_eq!(ids(sessions), expected);
        for session in sessions {
            assert_eq!(session["current"], text(session, "id") == held.session_id());
        }
        assert_eq!(sessions[1]["client_name"], "mobile");
    }
}

#[tokio::test]
async fn only_live_sessions_are_listed() {
    let app = TestApp::start().await;
    let first = app.sign_up("ada@example.com").await;
    app.advance(1);
    let second = app.sign_in("ada@example.com").await;
    call(&app, "POST", LOGOUT, &first.token).await.expect(200);
    assert_eq!(ids(&listed(&app, &second.token).await), [second.session_id()]);
    // Idle for thirty days, and over.
    app.set_time("2026-04-09T12:00:00.999999Z");
    let third = app.sign_in("ada@example.com").await;
    assert_eq!(ids(&listed(&app, &third.token).await), [third.session_id(), second.session_id()]);
    app.set_time("2026-04-09T12:00:01Z");
    assert_eq!(ids(&listed(&app, &third.token).await), [third.session_id()]);
    app.refresh(&second.refresh_token).await.refused(401, "refresh_token_expired");
}

#[tokio::test]
async fn refreshing_moves_the_end_and_the_update_and_not_the_beginning() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    app.advance(1000);
    let refreshed = Held::of(&app.refresh(&ada.refresh_token).await.expect(200));
    let session = listed(&app, &refreshed.token).await.remove(0);
    assert_eq!(text(&session, "id"), ada.session_id());
    assert_eq!(text(&session, "issued_at"), "2026-03-10T12:00:00.000000Z");
    assert_eq!(text(&session, "expiration_time"), "2026-04-09T12:16:40.000000Z");
    assert_eq!(text(&session, "last_used_at"), "2026-03-10T12:16:40.000000Z");
    assert_eq!(text(&session, "updated_at"), "2026-03-10T12:16:40.000000Z");
    // Ninety days after signing in it is over in any case.
    let mut token = refreshed.refresh_token;
    for _ in 0..3 {
        app.advance(29 * 24 * 3600);
        token = Held::of(&app.refresh(&token).await.expect(200)).refresh_token;
    }
    let last = app.refresh(&token).await.expect(200);
    let session = listed(&app, text(last.data(), "token")).await.remove(0);
    assert_eq!(text(&session, "expiration_time"), "2026-06-08T12:00:00.000000Z");
    assert_eq!(last.data()["refresh_expires_in"], 3 * 24 * 3600 - 1000);
}

/// The mark is written behind the caller's back, so it is looked for until it is there.
async fn last_used(app: &TestApp, token: &str, expected: &str) {
    for _ in 0..400 {
        if text(&listed(app, token).await[0], "last_used_at") == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it is still {}", listed(app, token).await[0]);
}

/// Each look is a use, too: a mark that should not be made would show in one of them.
async fn last_use_stays(app: &TestApp, token: &str, expected: &str) {
    for _ in 0..20 {
        assert_eq!(text(&listed(app, token).await[0], "last_used_at"), expected);
    }
}

#[tokio::test]
async fn the_last_use_is_stored_once_a_minute_and_delays_no_request() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let events = app.events().await;
    app.set_time("2026-03-10T12:00:59.999999Z");
    app.logged_in(&ada.token).await.expect(200);
    last_use_stays(&app, &ada.token, "2026-03-10T12:00:00.000000Z").await;
    app.set_time("2026-03-10T12:01:00Z");
    app.logged_in(&ada.token).await.expect(200);
    last_used(&app, &ada.token, "2026-03-10T12:01:00.000000Z").await;
    app.set_time("2026-03-10T12:01:59Z");
    last_use_stays(&app, &ada.token, "2026-03-10T12:01:00.000000Z").await;
    // Reading one's own records is a use, too.
    app.set_time("2026-03-10T12:10:00Z");
    call(&app, "GET", "/subscriptions", &ada.token).await.expect(200);
    last_used(&app, &ada.token, "2026-03-10T12:10:00.000000Z").await;
    assert_eq!(app.events().await, events, "a mark is no event");
}

#[tokio::test]
async fn the_numbers_compare_with_what_the_organization_wants() {
    static MOST: Sql = Sql::new("UPDATE organizations SET max_sessions = 2");
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let numbers = async || {
        let answer = call(&app, "GET", TOKENS, &ada.token).await.expect(200);
        let data = answer.data();
        (data["should_revoke_tokens"].clone(), data["number_of_tokens_to_revoke"].clone())
    };
    for _ in 0..4 {
        app.sign_in("ada@example.com").await;
    }
    assert_eq!(numbers().await, (json!(false), json!(0)), "none by default");
    execute(&app, &MOST).await;
    assert_eq!(numbers().await, (json!(true), json!(3)));
    call(&app, "POST", REVOKE_OTHERS, &ada.token).await.expect(200);
    assert_eq!(numbers().await, (json!(false), json!(0)));
    app.sign_in("ada@example.com").await;
    assert_eq!(numbers().await, (json!(false), json!(0)), "as many as wanted are not too many");
    app.sign_in("ada@example.com").await;
    assert_eq!(numbers().await, (json!(true), json!(1)), "and no user is prevented from signing in");
}

#[tokio::test]
async fn beyond_a_hundred_sessions_a_new_one_ends_the_oldest() {
    let app = TestApp::start().await;
    let eve = app.sign_up("eve@example.com").await;
    let first = app.sign_up("ada@example.com").await;
    let sign_in = async || {
        app.advance(1);
        let body = app.credentials("ada@example.com");
        Held::of(&app.request("POST", SIGN_IN).json(&body).send().await.expect(200))
    };
    let second = sign_in().await;
    for _ in 0..98 {
        sign_in().await;
    }
    assert_eq!(listed(&app, &first.token).await.len(), 100);
    let known = app.events().await;
    let newest = sign_in().await;
    app.logged_in(&first.token).await.refused(401, "invalid_token");
    app.refresh(&first.refresh_token).await.refused(401, "invalid_refresh_token");
    let check = |held: &Held| app.request("POST", CHECK).bearer(&held.token).send();
    check(&second).await.expect(200);
    assert_eq!(
        reported(&new_events(&app, &known).await),
        [format!("session.created {}", newest.session_id()), format!("session.revoked {}", first.session_id())]
    );
    sign_in().await;
    check(&second).await.refused(401, "invalid_token");
    let answer = app.request("GET", TOKENS).bearer(&newest.token).send().await.expect(200);
    assert_eq!(answer.data()["tokens"].as_array().unwrap().len(), 100);
    app.logged_in(&eve.token).await.expect(200);
}
