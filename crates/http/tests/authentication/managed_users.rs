//! API rules 9 (`docs/api.md`): users who sign in, managed by the organization's applications.

use super::support::*;
use perennial_domain::events::Event;
use perennial_testkit::{Held, TestApp};
use serde_json::{Value, json};

fn path(held: &Held) -> String {
    format!("/users/{}", held.user_id())
}

/// The kind of an event and the fields that it names.
fn fields(event: &Event) -> (&'static str, Value) {
    let trace: Value = serde_json::from_str(event.after.as_ref().or(event.before.as_ref()).unwrap()).unwrap();
    (event.kind.as_str(), trace["fields"].clone())
}

#[tokio::test]
async fn the_first_sign_up_with_the_address_claims_the_user() {
    let app = TestApp::start().await;
    let body = json!({ "email": "ada@example.com", "first_name": "Ada", "last_name": "L", "auth_type": "invited" });
    let made = app.post("/users", &body).await.expect(201);
    app.plan("pro", json!({})).await;
    let subscription = app.subscription(text(made.data(), "id"), "pro", json!({})).await;
    // Only a sign-up claims it.
    present(&app, SIGN_IN, &app.credentials("ada@example.com")).await.refused(404, "user_not_found");
    let sent = with(&app.credentials("ada@example.com"), &json!({ "last_name": "Lovelace", "terms": true }));
    let held = Held::of(&present(&app, SIGN_UP, &sent).await.expect(201));
    assert_eq!(held.user_id(), text(made.data(), "id"));
    let user = app.get(&path(&held)).await.expect(200).data().clone();
    // Fields that the user does not provide are as the application stored them.
    let expected = [
        ("first_name", json!("Ada")),
        ("last_name", json!("Lovelace")),
        ("terms", json!(true)),
        ("auth_type", json!("invited")),
    ];
    for (field, value) in expected {
        assert_eq!(user[field], value, "{field}");
    }
    assert_eq!(user["auth_id"], held.user["auth_id"]);
    let own = call(&app, "GET", &format!("/subscriptions/{}", text(&subscription, "id")), &held.token).await;
    own.expect(200);
    present(&app, SIGN_UP, &credentials(&app, "ada@example.com", "other")).await.refused(409, "email_taken");
}

#[tokio::test]
async fn the_address_of_a_user_with_an_identity_is_the_providers() {
    let app = TestApp::start().await;
    let held = app.sign_up("ada@example.com").await;
    app.user("eve@example.com").await;
    for email in ["new@example.com", "eve@example.com"] {
        app.put(&path(&held), &json!({ "email": email, "terms": true })).await.refused(409, "email_managed");
    }
    let same = app.put(&path(&held), &json!({ "email": "ADA@example.com", "terms": true })).await.expect(200);
    assert_eq!(same.data()["terms"], json!(true));
    app.logged_in(&held.token).await.expect(200);
}

#[tokio::test]
async fn a_user_blocked_over_the_api_has_no_session_until_it_is_unblocked() {
    let app = TestApp::start().await;
    let other_server = app.second_server().await;
    let (first, second) = (app.sign_up("ada@example.com").await, app.sign_in("ada@example.com").await);
    let known = app.events().await;
    app.advance(1);
    let change = json!({ "is_blocked": true, "first_name": "Ada" });
    let blocked = app.put(&path(&first), &change).await.expect(200);
    assert_eq!(blocked.data()["is_blocked"], json!(true));
    for server in other_server.iter().chain([&app]) {
        for held in [&first, &second] {
            server.logged_in(&held.token).await.refused(401, "invalid_token");
            server.refresh(&held.refresh_token).await.refused(403, "user_blocked");
        }
    }
    present(&app, SIGN_IN, &app.credentials("ada@example.com")).await.refused(403, "user_blocked");
    let events = new_events(&app, &known).await;
    let of_user: Vec<_> = events.iter().filter(|event| event.kind.as_str().starts_with("user.")).collect();
    let expected = [("user.updated", json!(["first_name"])), ("user.blocked", json!(["is_blocked"]))];
    assert!(of_user.iter().map(|event| fields(event)).eq(expected));
    assert_eq!(events.iter().filter(|event| event.kind.as_str() == "session.revoked").count(), 2);
    let client = events[0].client_id.unwrap();
    assert!(events.iter().all(|event| event.client_id == Some(client) && event.request_id.is_some()));
    // The revision is the last event's ID.
    assert!(blocked.header("etag").contains(&of_user[1].id.suffix()), "{}", blocked.header("etag"));
    // Again: nothing changes.
    app.put(&path(&first), &change).await.expect(200);
    assert_eq!(new_events(&app, &known).await.len(), events.len());
    app.advance(1);
    let known = app.events().await;
    let unblocked = app.put(&path(&first), &json!({ "is_blocked": false })).await.expect(200);
    assert_eq!(unblocked.data()["is_blocked"], json!(false));
    assert_eq!(
        new_events(&app, &known).await.iter().map(fields).collect::<Vec<_>>(),
        [("user.unblocked", json!(["is_blocked"]))]
    );
    app.sign_in("ada@example.com").await;
}

#[tokio::test]
async fn sessions_are_listed_and_ended_one_by_one_or_all() {
    let app = TestApp::start().await;
    let other_server = app.second_server().await;
    let mut held = vec![app.sign_up("ada@example.com").await];
    for _ in 0..3 {
        app.advance(1);
        held.insert(0, app.sign_in("ada@example.com").await);
    }
    let eve = app.sign_up("eve@example.com").await;
    let sessions = format!("{}/sessions", path(&held[0]));
    let listed = async || app.get(&sessions).await.expect(200).data().as_array().unwrap().clone();
    let list = listed().await;
    let ids = |list: &[Value]| list.iter().map(|session| text(session, "id").to_owned()).collect::<Vec<_>>();
    assert_eq!(ids(&list), held.iter().map(|held| held.session_id().to_owned()).collect::<Vec<_>>());
    assert_eq!(
        members(&list[0]),
        [
            "client_id",
            "client_name",
            "created_at",
            "expiration_time",
            "id",
            "ip_address",
            "issued_at",
            "last_used_at",
            "revoked",
            "updated_at",
            "user_agent",
            "user_id"
        ]
    );
    assert_eq!((text(&list[0], "user_id"), &list[0]["revoked"]), (held[0].user_id(), &json!(false)));
    let one = |session: &Held| format!("{sessions}/{}", session.session_id());
    let ended = app.delete(&one(&held[1])).await.expect(200);
    let mut expected = list[1].clone();
    expected["revoked"] = json!(true);
    assert_eq!(ended.data(), &expected);
    for server in other_server.iter().chain([&app]) {
        server.logged_in(&held[1].token).await.refused(401, "invalid_token");
        server.logged_in(&held[0].token).await.expect(200);
    }
    // Ended, another user's, unknown, malformed.
    for target in [one(&held[1]), one(&eve), format!("{sessions}/ses_{UNKNOWN_ID}"), format!("{sessions}/me")] {
        app.delete(&target).await.refused(404, "not_found");
    }
    assert_eq!(listed().await.len(), 3);
    assert_eq!(app.delete(&sessions).await.expect(200).data(), &revoked(3));
    assert_eq!(app.delete(&sessions).await.expect(200).data(), &revoked(0));
    assert_eq!(listed().await, [json!(null); 0]);
    app.logged_in(&held[0].token).await.refused(401, "invalid_token");
    app.logged_in(&eve.token).await.expect(200);
    // A session that has expired is not listed.
    app.advance(31 * 24 * 3600);
    app.delete(&format!("{}/sessions/{}", path(&eve), eve.session_id())).await.refused(404, "not_found");
    assert_eq!(app.get(&format!("{}/sessions", path(&eve))).await.expect(200).data(), &json!([]));
}

#[tokio::test]
async fn an_erased_user_leaves_no_personal_data_and_no_session() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let held = app.sign_up("ada@example.com").await;
    app.put(&path(&held), &json!({ "first_name": "Augusta-Ada" })).await.expect(200);
    let subscription = app.subscription(held.user_id(), "pro", json!({})).await;
    let known = app.events().await;
    app.delete(&path(&held)).await.expect(200);
    app.logged_in(&held.token).await.refused(401, "invalid_token");
    let left = app.get(&format!("/subscriptions/{}", text(&subscription, "id"))).await.expect(200);
    assert_eq!((text(left.data(), "status"), text(left.data(), "user_id")), ("cancelled", held.user_id()));
    let dump = dump(&app).await;
    for word in ["ada@example.com", "Augusta-Ada"] {
        assert_eq!(places(&dump, word), [""; 0]);
    }
    let events = new_events(&app, &known).await;
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    for kind in ["user.deleted", "session.revoked", "subscription.updated"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    assert!(events.iter().all(|event| event.client_id.is_some()));
    // The address and the identity are free again.
    assert_ne!(app.sign_up("ada@example.com").await.user_id(), held.user_id());
}
