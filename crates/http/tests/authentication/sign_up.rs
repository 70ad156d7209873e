//! API rules 3.2 (`docs/api.md`): a new user, or the one the operator made; never another user's.

use super::support::*;
use perennial_testkit::{Held, TestApp};
use serde_json::{Value, json};

#[tokio::test]
async fn sign_up_returns_201_with_the_tokens_and_the_user() {
    let app = TestApp::start().await;
    let body = with(
        &credentials(&app, "ada@example.com", "auth0|ada"),
        &json!({
            "username": "ada", "first_name": "Ada", "last_name": "Lovelace", "terms": true, "notifications": false,
            "auth_type": "google"
        }),
    );
    let answer = present(&app, SIGN_UP, &body).await.expect(201);
    assert_eq!(members(&answer.json), ["data"]);
    assert_eq!(
        members(answer.data()),
        ["expires_at", "expires_in", "refresh_expires_in", "refresh_token", "token", "token_type", "user"]
    );
    let data = answer.data();
    assert_eq!((&data["token_type"], &data["expires_in"]), (&json!("Bearer"), &json!(3600)));
    assert_eq!(data["expires_at"], "2026-03-10T13:00:00.000000Z");
    assert_eq!(data["refresh_expires_in"], 30 * 24 * 3600);
    let held = Held::of(&answer);
    assert!(held.user_id().starts_with("usr_") && held.session_id().starts_with("ses_"));
    assert_eq!(
        held.user,
        json!({
            "id": held.user_id(), "auth_id": "auth0|ada", "auth_provider": "urn:perennial:local", "auth_type": "google",
            "auth_token_status_id": held.session_id(), "organization_id": app.organization.to_string(),
            "email": "ada@example.com", "username": "ada", "first_name": "Ada", "last_name": "Lovelace", "terms": true,
            "notifications": false, "role": "user", "created_at": "2026-03-10T12:00:00.000000Z",
            "updated_at": "2026-03-10T12:00:00.000000Z"
        })
    );
    assert_eq!(answer.header("cache-control"), "no-store");
    for header in ["location", "etag"] {
        assert!(!answer.headers.contains_key(header), "a session is no record with an address: {header}");
    }
}

/// The token has whole seconds; the returned expiry is that of the token.
#[tokio::test]
async fn the_returned_expiry_is_that_of_the_token() {
    let app = TestApp::start().await;
    app.set_time("2026-03-10T12:00:00.75Z");
    let answer = present(&app, SIGN_UP, &app.credentials("ada@example.com")).await.expect(201);
    assert_eq!(answer.data()["expires_at"], "2026-03-10T13:00:00.000000Z");
    let token = text(answer.data(), "token");
    app.set_time("2026-03-10T12:59:59.999999Z");
    app.logged_in(token).await.expect(200);
    app.set_time("2026-03-10T13:00:00Z");
    app.logged_in(token).await.refused(401, "invalid_token");
}

#[tokio::test]
async fn a_second_sign_up_is_rejected_and_changes_nothing() {
    let app = TestApp::start().await;
    let ada = Held::of(&present(&app, SIGN_UP, &credentials(&app, "ada@example.com", "ada")).await.expect(201));
    let events = app.events().await;
    app.advance(1);
    // It is the identity that counts: with another address it is the same person.
    for email in ["ada@example.com", "ada@elsewhere.example"] {
        let body = with(&credentials(&app, email, "ada"), &json!({ "username": "other" }));
        present(&app, SIGN_UP, &body).await.refused(409, "user_already_exists");
    }
    assert_eq!(app.events().await, events);
    assert_eq!(app.logged_in(&ada.token).await.expect(200).data()["user"], ada.user);
    assert_eq!(listed(&app, &ada.token).await.len(), 1);
}

#[tokio::test]
async fn a_user_of_the_operators_is_claimed_with_its_id_and_its_subscriptions() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let subscription = app.subscription(&user, "pro", json!({})).await;
    app.advance(60);
    let body = with(&credentials(&app, "Ada@Example.com", "ada"), &json!({ "username": "ada" }));
    let ada = Held::of(&present(&app, SIGN_UP, &body).await.expect(201));
    assert_eq!(ada.user_id(), user);
    assert_eq!((text(&ada.user, "auth_id"), text(&ada.user, "username")), ("ada", "ada"));
    assert_eq!(text(&ada.user, "created_at"), "2026-03-10T12:00:00.000000Z");
    assert_eq!(text(&ada.user, "updated_at"), "2026-03-10T12:01:00.000000Z");
    let seen = call(&app, "GET", "/subscriptions", &ada.token).await.expect(200);
    assert_eq!(seen.data(), &json!([subscription]));
    // It is claimed once: from now on the address is an identity's.
    present(&app, SIGN_UP, &credentials(&app, "ada@example.com", "eve")).await.refused(409, "email_taken");
}

#[tokio::test]
async fn a_user_of_the_operators_can_be_claimed_by_its_address_alone() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let eve = present(&app, SIGN_UP, &credentials(&app, "eve@example.com", "eve")).await.expect(201);
    assert_ne!(Held::of(&eve).user_id(), user);
    let lie = json!({ "access_token": app.identity_token("eve2@example.com", None), "email": "ada@example.com" });
    present(&app, SIGN_UP, &lie).await.refused(401, "email_mismatch");
    // Signing in does not claim.
    present(&app, SIGN_IN, &app.credentials("ada@example.com")).await.refused(404, "user_not_found");
    assert_eq!(app.sign_up("ada@example.com").await.user_id(), user);
}

#[tokio::test]
async fn of_many_that_sign_up_at_once_with_one_identity_one_is_made() {
    let app = TestApp::start().await;
    // Often, since it takes luck to come between another's reads.
    for round in 1..=20 {
        let body = app.credentials(&format!("ada{round}@example.com"));
        let answers = all_at_once((0..8).map(|_| app.request("POST", SIGN_UP).json(&body))).await;
        assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
        for answer in answers.into_iter().filter(|answer| answer.status != 201) {
            answer.refused(409, "user_already_exists");
        }
        assert_eq!(count(&app, "SELECT COUNT(*) FROM users").await, round);
        assert_eq!(count(&app, "SELECT COUNT(*) FROM sessions").await, round);
    }
}

#[tokio::test]
async fn of_many_that_claim_one_user_at_once_one_succeeds() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let bodies = (0..8).map(|number| credentials(&app, "ada@example.com", &format!("subject {number}")));
    let answers = all_at_once(bodies.map(|body| app.browser("POST", SIGN_UP).json(&body))).await;
    let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 201);
    let [made] = made.as_slice() else { panic!("{made:?}") };
    assert_eq!(Held::of(made).user_id(), user);
    for answer in refused {
        answer.refused(409, "email_taken");
    }
    assert_eq!(count(&app, "SELECT COUNT(*) FROM sessions").await, 1);
}

#[tokio::test]
async fn an_idempotency_key_is_ignored_good_or_bad() {
    let app = TestApp::start().await;
    let sign_up = |key: &str, email: &str| {
        app.browser("POST", SIGN_UP).header("idempotency-key", key).json(&app.credentials(email)).send()
    };
    sign_up("k", "ada@example.com").await.expect(201);
    let again = sign_up("k", "ada@example.com").await.refused(409, "user_already_exists");
    assert!(!again.headers.contains_key("idempotency-replayed"));
    sign_up("k", "eve@example.com").await.expect(201);
    sign_up("no key at all", "bob@example.com").await.expect(201);
    assert_eq!(count(&app, "SELECT COUNT(*) FROM idempotency_keys").await, 0);
}

#[tokio::test]
async fn organizations_do_not_share_their_people() {
    let app = TestApp::start().await;
    let other = Tenant::new(&app).await;
    let ada = app.sign_up("ada@example.com").await;
    let theirs = other.sign_up("ada@example.com").await;
    assert_ne!(theirs.user_id(), ada.user_id());
    assert_eq!(theirs.user["organization_id"], Value::String(other.organization.to_string()));
}
