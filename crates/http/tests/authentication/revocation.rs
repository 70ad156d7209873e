//! API rules 3.6 (`docs/api.md`): the four ways to end sessions. A token of an ended session is rejected at once, on every
//! server.

use super::support::*;
use perennial_testkit::{Held, TestApp};

/// Ada with three sessions, the oldest first.
async fn three_sessions(app: &TestApp) -> [Held; 3] {
    let first = app.sign_up("ada@example.com").await;
    app.advance(1);
    let second = app.sign_in("ada@example.com").await;
    app.advance(1);
    [first, second, app.sign_in("ada@example.com").await]
}

async fn is_live(app: &TestApp, held: &Held) -> bool {
    let answer = app.logged_in(&held.token).await;
    if answer.status != 200 {
        let answer = answer.refused(401, "invalid_token");
        assert_eq!(answer.header("www-authenticate"), "Bearer error=\"invalid_token\"");
        // Neither do the others of its endpoints take it, nor can it be refreshed.
        call(app, "GET", TOKENS, &held.token).await.refused(401, "invalid_token");
        call(app, "GET", "/subscriptions", &held.token).await.refused(401, "invalid_token");
        call(app, "DELETE", &account(held), &held.token).await.refused(401, "invalid_token");
        app.refresh(&held.refresh_token).await.refused(401, "invalid_refresh_token");
        return false;
    }
    true
}

#[tokio::test]
async fn logging_out_ends_this_session_and_once_only() {
    let app = TestApp::start().await;
    let [first, second, _] = three_sessions(&app).await;
    let answer = call(&app, "POST", LOGOUT, &second.token).await.expect(200);
    assert_eq!(answer.json, serde_json::json!({ "data": { "success": true, "revoked": 1 } }));
    assert!(!is_live(&app, &second).await && is_live(&app, &first).await);
    let events = app.events().await;
    for _ in 0..2 {
        assert_eq!(call(&app, "POST", LOGOUT, &second.token).await.expect(200).data(), &revoked(0));
    }
    assert_eq!(app.events().await, events);
    // A session that was ended otherwise is ended, too.
    call(&app, "POST", REVOKE_ALL, &first.token).await.expect(200);
    assert_eq!(call(&app, "POST", LOGOUT, &first.token).await.expect(200).data(), &revoked(0));
}

#[tokio::test]
async fn logging_out_with_an_older_token_of_the_session_ends_it_too() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let refreshed = Held::of(&app.refresh(&ada.refresh_token).await.expect(200));
    assert_eq!(call(&app, "POST", LOGOUT, &ada.token).await.expect(200).data(), &revoked(1));
    assert!(!is_live(&app, &refreshed).await);
}

#[tokio::test]
async fn of_many_log_outs_at_once_one_ends_the_session() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let answers = all_at_once((0..8).map(|_| app.browser("POST", LOGOUT).bearer(&ada.token))).await;
    let ended: u64 = answers.into_iter().map(|answer| answer.expect(200).data()["revoked"].as_u64().unwrap()).sum();
    assert_eq!(ended, 1);
    let events = app.events().await;
    assert_eq!(events.iter().filter(|event| event.kind.as_str() == "session.revoked").count(), 1);
}

#[tokio::test]
async fn revoking_all_ends_the_current_session_and_no_other_users() {
    let app = TestApp::start().await;
    let eve = app.sign_up("eve@example.com").await;
    let sessions = three_sessions(&app).await;
    assert_eq!(call(&app, "POST", REVOKE_ALL, &sessions[1].token).await.expect(200).data(), &revoked(3));
    for held in &sessions {
        assert!(!is_live(&app, held).await);
    }
    call(&app, "POST", REVOKE_ALL, &sessions[1].token).await.refused(401, "invalid_token");
    assert!(is_live(&app, &eve).await);
    let back = app.sign_in("ada@example.com").await;
    assert_eq!(call(&app, "POST", REVOKE_ALL, &back.token).await.expect(200).data(), &revoked(1));
}

#[tokio::test]
async fn revoking_all_the_others_keeps_this_one() {
    let app = TestApp::start().await;
    let eve = app.sign_up("eve@example.com").await;
    let [first, second, third] = three_sessions(&app).await;
    assert_eq!(call(&app, "POST", REVOKE_OTHERS, &second.token).await.expect(200).data(), &revoked(2));
    assert!(!is_live(&app, &first).await && !is_live(&app, &third).await);
    assert!(is_live(&app, &second).await && is_live(&app, &eve).await);
    app.refresh(&second.refresh_token).await.expect(200);
    assert_eq!(call(&app, "POST", REVOKE_OTHERS, &second.token).await.expect(200).data(), &revoked(0));
}

#[tokio::test]
async fn one_session_of_the_callers_is_ended_by_its_id() {
    let app = TestApp::start().await;
    let [first, second, third] = three_sessions(&app).await;
    assert_eq!(call(&app, "POST", &session(&first), &second.token).await.expect(200).data(), &revoked(1));
    assert!(!is_live(&app, &first).await && is_live(&app, &third).await);
    assert_eq!(call(&app, "POST", &session(&first), &second.token).await.expect(200).data(), &revoked(0));
    // The session of the token itself is one of them.
    assert_eq!(call(&app, "POST", &session(&second), &second.token).await.expect(200).data(), &revoked(1));
    call(&app, "POST", &session(&third), &second.token).await.refused(401, "invalid_token");
    assert!(!is_live(&app, &second).await && is_live(&app, &third).await);
}

#[tokio::test]
async fn a_session_that_is_not_the_callers_is_not_found() {
    let app = TestApp::start().await;
    let other = Tenant::new(&app).await;
    let ada = app.sign_up("ada@example.com").await;
    let eve = app.sign_up("eve@example.com").await;
    let theirs = other.sign_up("ada@example.com").await;
    let events = app.events().await;
    for id in [
        eve.session_id(),
        theirs.session_id(),
        &format!("ses_{UNKNOWN_ID}"),
        &format!("usr_{}", &ada.session_id()[4..]),
        &ada.session_id().to_uppercase(),
        "ses_",
        "nonsense",
        "%zz",
        "%00",
    ] {
        let target = format!("/authentication/tokens/revoke/{id}");
        call(&app, "POST", &target, &ada.token).await.refused(404, "not_found");
    }
    call(&app, "POST", "/authentication/tokens/revoke/", &ada.token).await.refused(404, "route_not_found");
    assert_eq!(app.events().await, events);
    assert!(is_live(&app, &eve).await && is_live(&app, &ada).await);
    other.browser("POST", CHECK).bearer(&theirs.token).send().await.expect(200);
}

/// Whatever a server remembers of a token, the session is read.
#[tokio::test]
async fn a_revoked_token_dies_at_once_on_another_server() {
    let app = TestApp::start().await;
    let Some(other_server) = app.second_server().await else { return };
    for way in [LOGOUT, REVOKE_ALL, "one", "account"] {
        let email = format!("{}@example.com", way.rsplit('/').next().unwrap());
        let ada = app.sign_up(&email).await;
        for server in [&app, &other_server] {
            server.logged_in(&ada.token).await.expect(200);
        }
        match way {
            "one" => call(&app, "POST", &session(&ada), &ada.token).await.expect(200),
            "account" => call(&app, "DELETE", &account(&ada), &ada.token).await.expect(200),
            way => call(&app, "POST", way, &ada.token).await.expect(200),
        };
        assert!(!is_live(&other_server, &ada).await, "{way}");
    }
    let [first, second, _] = three_sessions(&app).await;
    assert!(is_live(&other_server, &first).await);
    call(&app, "POST", REVOKE_OTHERS, &second.token).await.expect(200);
    assert!(!is_live(&other_server, &first).await && is_live(&other_server, &second).await);
}
