//! Blocked users: no sign-in, no sign-up, no refresh, no token, on any server, until they are unblocked.

use super::support::*;
use perennial_app::caller::Caller;
use perennial_app::users;
use perennial_domain::id::UserId;
use perennial_testkit::{Held, TestApp};
use serde_json::{Value, json};

fn operator(app: &TestApp) -> Caller {
    Caller::system(app.organization)
}

fn id(text: &str) -> UserId {
    text.parse().unwrap()
}

#[tokio::test]
async fn a_blocked_user_is_rejected_everywhere_until_unblocked() {
    let app = TestApp::start().await;
    let other_server = app.second_server().await;
    let ada = app.sign_up("ada@example.com").await;
    let other = app.sign_in("ada@example.com").await;
    let eve = app.sign_up("eve@example.com").await;
    for server in other_server.iter().chain([&app]) {
        server.logged_in(&ada.token).await.expect(200);
    }
    let known = app.events().await;
    app.advance(1);
    let (user, revoked) = users::block(&app.app, &operator(&app), id(ada.user_id())).await.unwrap();
    assert!(user.is_blocked() && revoked == 2);
    let events = new_events(&app, &known).await;
    let expected = [
        format!("session.revoked {}", ada.session_id()),
        format!("session.revoked {}", other.session_id()),
        format!("user.blocked {}", ada.user_id()),
    ];
    assert_eq!(reported(&events), sorted(expected));
    let blocked = events.iter().find(|event| event.kind.as_str() == "user.blocked").unwrap();
    let after: Value = serde_json::from_str(blocked.after.as_ref().unwrap()).unwrap();
    assert_eq!((after, blocked.client_id), (json!({ "id": ada.user_id(), "fields": ["is_blocked"] }), None));
    for server in other_server.iter().chain([&app]) {
        let body = server.credentials("ada@example.com");
        present(server, SIGN_IN, &body).await.refused(403, "user_blocked");
        present(server, SIGN_UP, &body).await.refused(403, "user_blocked");
        server.refresh(&ada.refresh_token).await.refused(403, "user_blocked");
        server.logged_in(&ada.token).await.refused(401, "invalid_token");
        server.logged_in(&other.token).await.refused(401, "invalid_token");
        server.logged_in(&eve.token).await.expect(200);
    }
    // Twice is the same as once.
    let known = app.events().await;
    assert_eq!(users::block(&app.app, &operator(&app), user.id).await.unwrap(), (user, 0));
    assert_eq!(app.events().await, known);
    users::unblock(&app.app, &operator(&app), id(ada.user_id())).await.unwrap();
    assert_eq!(reported(&new_events(&app, &known).await), [format!("user.unblocked {}", ada.user_id())]);
    let back = app.sign_in("ada@example.com").await;
    app.logged_in(&back.token).await.expect(200);
    // The sessions from before stay over.
    app.logged_in(&ada.token).await.refused(401, "invalid_token");
    app.refresh(&ada.refresh_token).await.refused(401, "invalid_refresh_token");
}

fn sorted<const N: usize>(mut texts: [String; N]) -> [String; N] {
    texts.sort_unstable();
    texts
}

#[tokio::test]
async fn a_blocked_user_without_an_identity_is_not_claimed() {
    let app = TestApp::start().await;
    let made = app.user("made@example.com").await;
    users::block(&app.app, &operator(&app), id(&made)).await.unwrap();
    let body = app.credentials("made@example.com");
    present(&app, SIGN_UP, &body).await.refused(403, "user_blocked");
    present(&app, SIGN_IN, &body).await.refused(404, "user_not_found");
    users::unblock(&app.app, &operator(&app), id(&made)).await.unwrap();
    assert_eq!(Held::of(&present(&app, SIGN_UP, &body).await.expect(201)).user_id(), made);
}

/// A sign-in comes before the block, and its session ends with it, or after, and is rejected.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_session_outlives_a_block_at_the_same_moment() {
    let app = TestApp::start().await;
    let other_server = app.second_server().await;
    for round in 0..10 {
        let email = format!("ada{round}@example.com");
        let ada = app.sign_up(&email).await;
        let servers = (0..8).map(|number| other_server.as_ref().filter(|_| number % 2 == 0).unwrap_or(&app));
        let body = app.credentials(&email);
        let requests: Vec<_> = servers.map(|server| server.request("POST", SIGN_IN).json(&body)).collect();
        let (user, operator) = (id(ada.user_id()), operator(&app));
        let (answers, blocked) = tokio::join!(all_at_once(requests), users::block(&app.app, &operator, user));
        assert!(blocked.unwrap().0.is_blocked());
        for answer in answers {
            match answer.status {
                200 => drop(app.logged_in(&Held::of(&answer).token).await.refused(401, "invalid_token")),
                _ => drop(answer.refused(403, "user_blocked")),
            }
        }
        let open = "SELECT COUNT(*) FROM sessions AS s JOIN users AS u ON u.id = s.user_id
                    WHERE u.blocked_at IS NOT NULL AND s.revoked_at IS NULL";
        assert_eq!(count(&app, open).await, 0);
    }
}
