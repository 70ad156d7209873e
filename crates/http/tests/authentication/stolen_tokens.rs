//! Attacks 7, 9, 11, 14, 15 and 38, each test named after its attack: tokens where they do not belong.

use super::support::*;
use perennial_domain::clients::Scope;
use perennial_testkit::{Held, TestApp};
use serde_json::json;

/// Row 7, second half.
#[tokio::test]
async fn a_public_client_using_another_clients_token() {
    let app = TestApp::start().await;
    let own = [Scope::Auth, Scope::SubscriptionsReadOwn, Scope::PaymentsReadOwn];
    client(&app, app.organization, "rogue", &own).await;
    let ada = app.sign_up("ada@example.com").await;
    let rogue = |method: &str, target: &str| app.anonymous(method, target).header("client-id", "rogue");
    for (method, target) in [
        ("POST", CHECK.to_owned()),
        ("GET", TOKENS.to_owned()),
        ("POST", LOGOUT.to_owned()),
        ("POST", REVOKE_ALL.to_owned()),
        ("POST", REVOKE_OTHERS.to_owned()),
        ("POST", session(&ada)),
        ("DELETE", account(&ada)),
        ("GET", "/subscriptions".to_owned()),
        ("GET", format!("/subscriptions/sub_{UNKNOWN_ID}")),
        ("GET", format!("/subscription-payments/pay_{UNKNOWN_ID}")),
    ] {
        // A token that its own client has just used, so that its signature is known to be good.
        app.logged_in(&ada.token).await.expect(200);
        let answer = rogue(method, &target).bearer(&ada.token).send().await.refused(401, "invalid_token");
        assert_eq!(answer.header("www-authenticate"), "Bearer error=\"invalid_token\"", "{method} {target}");
    }
    app.logged_in(&ada.token).await.expect(200);
}

/// Row 7, second half.
#[tokio::test]
async fn a_token_of_another_organization() {
    let app = TestApp::start().await;
    let other = Tenant::new(&app).await;
    let ada = app.sign_up("ada@example.com").await;
    app.logged_in(&ada.token).await.expect(200);
    for (method, target) in [("POST", CHECK), ("GET", TOKENS), ("POST", LOGOUT), ("POST", REVOKE_ALL)] {
        for request in [other.browser(method, target), other.request(method, target)] {
            request.bearer(&ada.token).send().await.refused(401, "invalid_token");
        }
    }
    other.browser("GET", "/subscriptions").bearer(&ada.token).send().await.refused(401, "invalid_token");
    let refresh = json!({ "refresh_token": ada.refresh_token });
    for request in [other.browser("POST", REFRESH), other.request("POST", REFRESH)] {
        request.json(&refresh).send().await.refused(401, "invalid_refresh_token");
    }
    app.logged_in(&ada.token).await.expect(200);
}

/// Row 9.
#[tokio::test]
async fn our_access_token_as_the_providers() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let known = app.events().await;
    for token in [&ada.token, &ada.refresh_token] {
        for target in [SIGN_IN, SIGN_UP] {
            for email in ["ada@example.com", "eve@example.com"] {
                let body = json!({ "access_token": token, "email": email });
                present(&app, target, &body).await.refused(401, "invalid_identity_token");
            }
        }
    }
    assert_eq!(app.events().await, known);
}

/// Row 9.
#[tokio::test]
async fn a_providers_token_as_bearer() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    // Its subject may even be spelt like a user of ours.
    for subject in [None, Some(ada.user_id()), Some(ada.session_id())] {
        let token = app.identity_token("ada@example.com", subject);
        for (method, target) in [("POST", CHECK), ("GET", TOKENS), ("POST", LOGOUT), ("GET", "/subscriptions")] {
            call(&app, method, target, &token).await.refused(401, "invalid_token");
        }
        app.request("POST", CHECK).bearer(&token).send().await.refused(401, "invalid_token");
        app.refresh(&token).await.refused(401, "invalid_refresh_token");
    }
    app.logged_in(&ada.token).await.expect(200);
}

/// Row 11, second half.
#[tokio::test]
async fn two_subjects_with_one_email() {
    let app = TestApp::start().await;
    let ada = Held::of(&present(&app, SIGN_UP, &credentials(&app, "ada@example.com", "ada")).await.expect(201));
    let known = app.events().await;
    for subject in ["eve", "ADA", "ada ", "ad\u{e1}"] {
        for email in ["ada@example.com", " ADA@EXAMPLE.COM "] {
            let body = credentials(&app, email, subject);
            present(&app, SIGN_UP, &body).await.refused(409, "email_taken");
            present(&app, SIGN_IN, &body).await.refused(404, "user_not_found");
        }
    }
    assert_eq!(app.events().await, known, "nothing was made, linked or begun");
    assert_eq!(app.logged_in(&ada.token).await.expect(200).data()["user"], ada.user);
    // Nor does an address that eve's account takes on later lead to ada's.
    let eve = Held::of(&present(&app, SIGN_UP, &credentials(&app, "eve@example.com", "eve")).await.expect(201));
    present(&app, SIGN_IN, &credentials(&app, "ada@example.com", "eve")).await.refused(409, "email_taken");
    assert_eq!(app.logged_in(&eve.token).await.expect(200).data()["user"]["email"], "eve@example.com");
}

/// Row 14.
#[tokio::test]
async fn refresh_with_another_clients_id() {
    let app = TestApp::start().await;
    client(&app, app.organization, "rogue", &[Scope::Auth]).await;
    let ada = app.sign_up("ada@example.com").await;
    let (events, rows) = (app.events().await, dump(&app).await);
    app.advance(1);
    for id in ["rogue", TRUSTED] {
        for _ in 0..3 {
            let request = app.anonymous("POST", REFRESH).header("client-id", id);
            let request = request.json(&json!({ "refresh_token": ada.refresh_token }));
            let answer = request.send().await.refused(401, "invalid_refresh_token");
            assert!(answer.json.get("data").is_none());
        }
    }
    assert_eq!(app.events().await, events);
    assert_eq!(dump(&app).await, rows, "nothing was rotated, counted or ended");
    // It is still the newest, and its successor is handed out for the first time.
    let next = Held::of(&app.refresh(&ada.refresh_token).await.expect(200));
    Held::of(&app.refresh(&next.refresh_token).await.expect(200));
}

/// Row 15.
#[tokio::test]
async fn session_fixation() {
    let app = TestApp::start().await;
    let eve = app.sign_up("eve@example.com").await;
    // Eve's session lies in wait in ada's browser, in every place a request has for it.
    let body = app.credentials("ada@example.com");
    let planted = |target: &str| {
        let target = format!("{target}?auth_token_status_id={}", eve.session_id());
        app.browser("POST", &target).bearer(&eve.token).json(&body).send()
    };
    planted(SIGN_UP).await.refused(400, "unknown_parameter");
    for member in ["auth_token_status_id", "session_id", "sid", "token", "refresh_token"] {
        let body = with(&body, &json!({ member: eve.session_id() }));
        let request = app.browser("POST", SIGN_UP).bearer(&eve.token).json(&body);
        request.send().await.refused(422, "unknown_field");
    }
    let request = app.browser("POST", SIGN_UP).bearer(&eve.token).header("cookie", format!("sid={}", eve.session_id()));
    let mut sessions = vec![eve.session_id().to_owned()];
    let mut tokens = vec![eve.token.clone(), eve.refresh_token.clone()];
    let mut held = Held::of(&request.json(&body).send().await.expect(201));
    for _ in 0..5 {
        assert_ne!(held.user_id(), eve.user_id());
        sessions.push(held.session_id().to_owned());
        tokens.extend([held.token.clone(), held.refresh_token.clone()]);
        let request = app.browser("POST", SIGN_IN).bearer(&held.token).json(&body);
        held = Held::of(&request.send().await.expect(200));
    }
    for made in [&mut sessions, &mut tokens] {
        let length = made.len();
        made.sort_unstable();
        made.dedup();
        assert_eq!(made.len(), length, "each sign-in has its own");
    }
    assert_eq!(app.logged_in(&eve.token).await.expect(200).data()["user"], eve.user, "eve is eve");
}

/// Row 38.
#[tokio::test]
async fn a_stale_bearer_on_plans_sign_in_and_refresh() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let ada = app.sign_up("ada@example.com").await;
    app.advance(3600);
    app.logged_in(&ada.token).await.refused(401, "invalid_token");
    let body = app.credentials("ada@example.com");
    let mut refresh_token = ada.refresh_token.clone();
    for stale in [format!("Bearer {}", ada.token), "Bearer garbage".into(), "Basic eDp5".into(), String::new()] {
        let stale = |request: perennial_testkit::Request| request.header("authorization", &stale);
        for target in ["/subscription-plans", "/subscription-plans/pro"] {
            stale(app.browser("GET", target)).send().await.expect(200);
        }
        stale(app.browser("POST", SIGN_IN)).json(&body).send().await.expect(200);
        stale(app.browser("POST", SIGN_UP)).json(&body).send().await.refused(409, "user_already_exists");
        let request = stale(app.browser("POST", REFRESH)).json(&json!({ "refresh_token": refresh_token }));
        refresh_token = Held::of(&request.send().await.expect(200)).refresh_token;
        // Twice is not looked at either.
        stale(app.browser("GET", "/subscription-plans")).bearer("x").send().await.expect(200);
        // Nor where a trusted client calls without a user.
        stale(app.request("GET", "/subscriptions")).send().await.expect(200);
    }
    assert_eq!(app.browser("GET", "/subscription-plans").bearer("x").send().await.header("www-authenticate"), "");
}
