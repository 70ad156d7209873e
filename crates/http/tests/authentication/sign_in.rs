//! API rules 3.3 (`docs/api.md`): who may sign in, and what a provider's change of address means.

use super::support::*;
use data_encoding::BASE64URL_NOPAD;
use perennial_app::context::AppOptions;
use perennial_testkit::{Held, TestApp, TestOptions};
use serde_json::{Value, json};

/// A JWT with these claims and an invalid signature.
fn unsigned(claims: &Value) -> String {
    let part = |value: &Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
    let header = json!({ "typ": "JWT", "alg": "EdDSA", "kid": "local" });
    format!("{}.{}.{}", part(&header), part(claims), BASE64URL_NOPAD.encode(&[0; 64]))
}

#[tokio::test]
async fn sign_in_returns_200_with_the_body_of_sign_up() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    app.advance(5);
    let answer = present(&app, SIGN_IN, &app.credentials("ada@example.com")).await.expect(200);
    assert_eq!(members(&answer.json), ["data"]);
    assert_eq!(
        members(answer.data()),
        ["expires_at", "expires_in", "refresh_expires_in", "refresh_token", "token", "token_type", "user"]
    );
    assert_eq!(answer.data()["expires_at"], "2026-03-10T13:00:05.000000Z");
    assert_eq!(answer.data()["refresh_expires_in"], 30 * 24 * 3600);
    let back = Held::of(&answer);
    assert_eq!(back.user, with(&ada.user, &json!({ "auth_token_status_id": back.session_id() })));
    // Both sessions live.
    app.logged_in(&ada.token).await.expect(200);
    app.logged_in(&back.token).await.expect(200);
}

#[tokio::test]
async fn a_user_who_has_not_signed_up_is_not_found_whatever_the_address() {
    let app = TestApp::start().await;
    present(&app, SIGN_IN, &app.credentials("ada@example.com")).await.refused(404, "user_not_found");
    app.sign_up("ada@example.com").await;
    app.user("bob@example.com").await;
    let events = app.events().await;
    for email in ["ada@example.com", "bob@example.com", "eve@example.com"] {
        present(&app, SIGN_IN, &credentials(&app, email, "stranger")).await.refused(404, "user_not_found");
    }
    assert_eq!(app.events().await, events);
}

#[tokio::test]
async fn a_token_without_a_valid_signature_is_401_for_every_client() {
    let app = TestApp::start().await;
    app.sign_up("ada@example.com").await;
    let other = Tenant::new(&app).await;
    let now = app.now().as_micros() / 1_000_000;
    let claims = |changes: &Value| {
        let audience = app.organization.to_string();
        let claims = json!({
            "iss": "urn:perennial:local", "aud": audience, "sub": "ada", "email": "ada@example.com",
            "email_verified": true, "iat": now, "exp": now + 600
        });
        unsigned(&with(&claims, changes))
    };
    let good = app.identity_token("ada@example.com", None);
    let (signed, _) = good.rsplit_once('.').unwrap();
    let answer = present(&app, SIGN_IN, &json!({ "access_token": good, "email": "ada@example.com" })).await;
    answer.expect(200);
    let before = app.events().await;
    for (name, token) in [
        ("no JWT, and no introspection provider", "opaque-token".to_owned()),
        ("three parts of nothing", "a.b.c".to_owned()),
        ("an unknown issuer", claims(&json!({ "iss": "https://accounts.example.com" }))),
        ("no issuer", claims(&json!({ "iss": null }))),
        ("an invalid signature", claims(&json!({}))),
        ("no signature", format!("{signed}.")),
        ("a token for another organization", text(&other.credentials("ada@example.com"), "access_token").to_owned()),
    ] {
        for target in [SIGN_IN, SIGN_UP] {
            let body = json!({ "access_token": token, "email": "ada@example.com" });
            let answer = present(&app, target, &body).await.refused(401, "invalid_identity_token");
            // Why is for the log: a forger learns nothing.
            assert_eq!(
                answer.json["detail"], "The identity provider's token is not valid for this organization.",
                "{name}"
            );
            assert!(!answer.headers.contains_key("www-authenticate"), "no bearer was asked for");
        }
    }
    // The provider's own hour, and a minute of leeway.
    app.advance(3659);
    let body = json!({ "access_token": good, "email": "ada@example.com" });
    present(&app, SIGN_IN, &body).await.expect(200);
    app.advance(1);
    present(&app, SIGN_IN, &body).await.refused(401, "invalid_identity_token");
    assert_eq!(reported(&new_events(&app, &before).await).len(), 1, "the one good sign-in");
}

#[tokio::test]
async fn an_address_that_changed_at_the_provider_is_taken_over() {
    let app = TestApp::start().await;
    let ada = Held::of(&present(&app, SIGN_UP, &credentials(&app, "ada@example.com", "ada")).await.expect(201));
    let known = app.events().await;
    app.advance(60);
    let answer = present(&app, SIGN_IN, &credentials(&app, "Ada@New.example", "ada")).await.expect(200);
    let moved = Held::of(&answer);
    assert_eq!(moved.user_id(), ada.user_id());
    assert_eq!(text(&moved.user, "email"), "ada@new.example");
    assert_eq!(text(&moved.user, "updated_at"), "2026-03-10T12:01:00.000000Z");
    assert_eq!(text(&moved.user, "created_at"), "2026-03-10T12:00:00.000000Z");
    // The older session sees it too.
    assert_eq!(app.logged_in(&ada.token).await.expect(200).data()["user"]["email"], "ada@new.example");
    let events = new_events(&app, &known).await;
    let updated = events.iter().find(|event| event.kind.as_str() == "user.updated").unwrap();
    let after: Value = serde_json::from_str(updated.after.as_ref().unwrap()).unwrap();
    assert_eq!(after, json!({ "id": ada.user_id(), "fields": ["email"] }));
    assert_eq!((updated.before.as_ref(), events.len()), (None, 2));
    // The address it gave up is free.
    let eve = Held::of(&present(&app, SIGN_UP, &credentials(&app, "ada@example.com", "eve")).await.expect(201));
    assert_ne!(eve.user_id(), ada.user_id());
}

#[tokio::test]
async fn a_person_whose_new_address_a_user_without_an_identity_has_signs_in_and_keeps_the_old_one() {
    let app = TestApp::start().await;
    let ada = Held::of(&present(&app, SIGN_UP, &credentials(&app, "ada@example.com", "ada")).await.expect(201));
    app.sign_up("eve@example.com").await;
    let made = app.user("made@example.com").await;
    let known = app.events().await;
    app.advance(60);
    let body = credentials(&app, "made@example.com", "ada");
    // Sign-up reports that the user has an account, and sign-in succeeds.
    present(&app, SIGN_UP, &body).await.refused(409, "user_already_exists");
    let back = Held::of(&present(&app, SIGN_IN, &body).await.expect(200));
    assert_eq!(back.user, with(&ada.user, &json!({ "auth_token_status_id": back.session_id() })));
    let events = new_events(&app, &known).await;
    assert_eq!(reported(&events), [format!("session.created {}", back.session_id())], "nothing else has changed");
    assert_eq!(listed(&app, &ada.token).await.len(), 2);
    // The user without an identity is still there to be claimed, by the sign-up of another identity.
    let claimed = present(&app, SIGN_UP, &credentials(&app, "made@example.com", "bob")).await.expect(201);
    assert_eq!(Held::of(&claimed).user_id(), made);
    // A new identity gets no account with an address that an identity has.
    present(&app, SIGN_UP, &credentials(&app, "eve@example.com", "mallory")).await.refused(409, "email_taken");
}

#[tokio::test]
async fn an_address_is_taken_over_once_its_other_user_has_given_it_up() {
    let app = TestApp::start().await;
    let ada = Held::of(&present(&app, SIGN_UP, &credentials(&app, "ada@example.com", "ada")).await.expect(201));
    let eve = app.sign_up("eve@example.com").await;
    let body = credentials(&app, "eve@example.com", "ada");
    let known = app.events().await;
    present(&app, SIGN_UP, &body).await.refused(409, "user_already_exists");
    present(&app, SIGN_IN, &body).await.refused(409, "email_taken");
    assert!(new_events(&app, &known).await.is_empty(), "nothing has changed");
    assert_eq!(app.logged_in(&eve.token).await.expect(200).data()["user"], eve.user);
    assert_eq!(app.logged_in(&ada.token).await.expect(200).data()["user"], ada.user);
    call(&app, "DELETE", &account(&eve), &eve.token).await.expect(200);
    let moved = Held::of(&present(&app, SIGN_IN, &body).await.expect(200));
    assert_eq!(text(&moved.user, "email"), "eve@example.com");
    assert_eq!(moved.user_id(), ada.user_id());
}

#[tokio::test]
async fn of_two_that_take_over_one_address_at_once_one_gets_it() {
    let app = TestApp::start().await;
    for round in 0..5 {
        let mut requests = Vec::new();
        for name in ["ada", "eve"] {
            let subject = format!("{name} {round}");
            let body = credentials(&app, &format!("{name}{round}@example.com"), &subject);
            app.post(SIGN_UP, &body).await.expect(201);
            let body = credentials(&app, &format!("shared{round}@example.com"), &subject);
            requests.push(app.request("POST", SIGN_IN).json(&body));
        }
        let (moved, refused): (Vec<_>, Vec<_>) =
            all_at_once(requests).await.into_iter().partition(|answer| answer.status == 200);
        let shared = format!("shared{round}@example.com");
        assert_eq!((moved.len(), refused.len()), (1, 1), "round {round}");
        assert_eq!(text(&Held::of(&moved[0]).user, "email"), shared);
        refused.into_iter().next().unwrap().refused(409, "email_taken");
    }
}

#[tokio::test]
async fn of_many_that_bring_ones_own_new_address_at_once_none_is_rejected() {
    let app = TestApp::start().await;
    present(&app, SIGN_UP, &credentials(&app, "ada@example.com", "ada")).await.expect(201);
    let other = app.second_server().await;
    // Often, since it takes luck to come between another's reads; on two servers where there can be two.
    for round in 0..20 {
        let body = credentials(&app, &format!("ada{round}@example.com"), "ada");
        let servers = (0..8).map(|number| other.as_ref().filter(|_| number % 2 == 0).unwrap_or(&app));
        for answer in all_at_once(servers.map(|server| server.request("POST", SIGN_IN).json(&body))).await {
            answer.expect(200);
        }
    }
}

#[tokio::test]
async fn many_sign_ins_at_once_all_succeed() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let body = app.credentials("ada@example.com");
    for answer in all_at_once((0..20).map(|_| app.request("POST", SIGN_IN).json(&body))).await {
        answer.expect(200);
    }
    assert_eq!(listed(&app, &ada.token).await.len(), 21);
}

#[tokio::test]
async fn an_organization_without_a_provider_is_503() {
    let app = AppOptions { local_provider: false, ..AppOptions::default() };
    let app = TestApp::with(TestOptions { app, ..TestOptions::default() }).await;
    for target in [SIGN_UP, SIGN_IN] {
        for token in [app.identity_token("ada@example.com", None), "opaque".to_owned()] {
            let body = json!({ "access_token": token, "email": "ada@example.com" });
            let answer = present(&app, target, &body).await.refused(503, "identity_provider_unavailable");
            assert_eq!(answer.header("retry-after"), "1");
        }
        // What is wrong with the body is the caller's all the same.
        present(&app, target, &json!({})).await.refused(422, "required");
    }
}
