//! API rules 7 (`docs/api.md`) for users and sessions: one event for every change, with ids and field names; no change, no
//! event.

use super::support::*;
use perennial_app::clients;
use perennial_domain::clients::ClientKind;
use perennial_domain::events::Event;
use perennial_testkit::{Answer, Held, Request, TestApp};
use serde_json::{Value, json};

/// The answer to a request, and the events it wrote.
async fn watched(app: &TestApp, request: Request) -> (Answer, Vec<Event>) {
    let known = app.events().await;
    let answer = request.send().await;
    (answer, new_events(app, &known).await)
}

fn parsed(text: Option<&String>) -> Option<Value> {
    text.map(|text| serde_json::from_str(text).unwrap())
}

#[tokio::test]
async fn each_change_is_recorded_once_with_its_client_its_request_and_its_time() {
    let app = TestApp::start().await;
    let known = clients::list(&app.app, app.organization).await.unwrap();
    let public = known.iter().find(|client| client.kind == ClientKind::Public).unwrap().id;
    let trace = |held: &Held| {
        let (id, user) = (held.session_id(), held.user_id());
        json!({ "id": id, "user_id": user, "client_id": public.to_string(), "fields": [] })
    };
    let mut number = 0;
    let mut request = |method: &str, target: &str| {
        number += 1;
        app.advance(1);
        let request = app.browser(method, target).header("x-request-id", format!("call-{number}"));
        (request, format!("call-{number}"))
    };
    let sound = |events: &[Event], id: &str| {
        for event in events {
            assert_eq!((event.organization_id, event.client_id), (app.organization, Some(public)));
            assert_eq!((event.request_id.as_deref(), event.at), (Some(id), app.now()));
        }
    };

    let (sign_up, id) = request("POST", SIGN_UP);
    let body =
        with(&app.credentials("ada@example.com"), &json!({ "username": "ada", "terms": true, "last_name": null }));
    let (answer, events) = watched(&app, sign_up.json(&body)).await;
    let ada = Held::of(&answer.expect(201));
    sound(&events, &id);
    let [session, user] = by_kind(&events, ["session.created", "user.created"]);
    let fields = json!(["email", "identity", "username", "terms", "auth_type"]);
    assert_eq!(parsed(user.after.as_ref()), Some(json!({ "id": ada.user_id(), "fields": fields })));
    assert_eq!((user.record().as_str(), session.record().as_str()), (ada.user_id(), ada.session_id()));
    assert_eq!((parsed(session.before.as_ref()), parsed(session.after.as_ref())), (None, Some(trace(&ada))));

    let (sign_in, id) = request("POST", SIGN_IN);
    let (answer, events) = watched(&app, sign_in.json(&app.credentials("ada@example.com"))).await;
    let back = Held::of(&answer.expect(200));
    sound(&events, &id);
    let [session] = by_kind(&events, ["session.created"]);
    assert_eq!(parsed(session.after.as_ref()), Some(trace(&back)));

    let (logout, id) = request("POST", LOGOUT);
    let (answer, events) = watched(&app, logout.bearer(&back.token)).await;
    answer.expect(200);
    sound(&events, &id);
    let [session] = by_kind(&events, ["session.revoked"]);
    assert_eq!((parsed(session.before.as_ref()), parsed(session.after.as_ref())), (Some(trace(&back)), None));
    assert_eq!(session.record(), back.session_id());

    let (delete, id) = request("DELETE", &account(&ada));
    let (answer, events) = watched(&app, delete.bearer(&ada.token)).await;
    answer.expect(200);
    sound(&events, &id);
    let [session, user] = by_kind(&events, ["session.revoked", "user.deleted"]);
    assert_eq!((session.record().as_str(), user.record().as_str()), (ada.session_id(), ada.user_id()));
    assert_eq!(parsed(user.before.as_ref()), Some(json!({ "id": ada.user_id(), "fields": fields })));
    assert_eq!(user.after, None);
}

/// The events of these kinds, which must be all there are.
fn by_kind<'a, const N: usize>(events: &'a [Event], kinds: [&str; N]) -> [&'a Event; N] {
    assert_eq!(events.len(), N, "{events:?}");
    kinds.map(|kind| events.iter().find(|event| event.kind.as_str() == kind).expect(kind))
}

#[tokio::test]
async fn a_claimed_user_is_updated_and_not_created() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let body = with(&app.credentials("ada@example.com"), &json!({ "first_name": "Ada" }));
    let (answer, events) = watched(&app, app.browser("POST", SIGN_UP).json(&body)).await;
    answer.expect(201);
    let [_, updated] = by_kind(&events, ["session.created", "user.updated"]);
    let fields = json!(["identity", "first_name", "auth_type"]);
    assert_eq!(parsed(updated.after.as_ref()), Some(json!({ "id": user, "fields": fields })));
}

#[tokio::test]
async fn ending_many_sessions_records_each() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let mut others = Vec::new();
    for _ in 0..3 {
        others.push(app.sign_in("ada@example.com").await);
    }
    let mut expected: Vec<String> =
        others.iter().map(|held| format!("session.revoked {}", held.session_id())).collect();
    expected.sort_unstable();
    let (_, events) = watched(&app, app.browser("POST", REVOKE_OTHERS).bearer(&ada.token)).await;
    assert_eq!(reported(&events), expected);
    let (_, events) = watched(&app, app.browser("POST", REVOKE_OTHERS).bearer(&ada.token)).await;
    assert_eq!(reported(&events), Vec::<String>::new());
    let back = app.sign_in("ada@example.com").await;
    let (_, events) = watched(&app, app.browser("POST", &session(&back)).bearer(&ada.token)).await;
    assert_eq!(reported(&events), [format!("session.revoked {}", back.session_id())]);
    let (_, events) = watched(&app, app.browser("POST", &session(&back)).bearer(&ada.token)).await;
    assert_eq!(reported(&events), Vec::<String>::new());
    let (_, events) = watched(&app, app.browser("POST", REVOKE_ALL).bearer(&ada.token)).await;
    assert_eq!(reported(&events), [format!("session.revoked {}", ada.session_id())]);
}

#[tokio::test]
async fn reading_refreshing_and_being_rejected_are_no_events() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let known = app.events().await;
    let mut held = ada.clone();
    for _ in 0..3 {
        app.advance(61);
        held = Held::of(&app.refresh(&held.refresh_token).await.expect(200));
        app.logged_in(&held.token).await.expect(200);
        listed(&app, &held.token).await;
        call(&app, "GET", "/subscriptions", &held.token).await.expect(200);
    }
    // A retry of the predecessor, in its first seconds and past them.
    let next = Held::of(&app.refresh(&held.refresh_token).await.expect(200));
    app.refresh(&held.refresh_token).await.expect(200);
    app.advance(11);
    app.refresh(&held.refresh_token).await.expect(200);
    present(&app, SIGN_UP, &app.credentials("ada@example.com")).await.expect(409);
    present(&app, SIGN_IN, &app.credentials("eve@example.com")).await.expect(404);
    present(&app, SIGN_IN, &json!({})).await.expect(422);
    call(&app, "DELETE", &account_of("eve"), &next.token).await.expect(403);
    call(&app, "POST", LOGOUT, "garbage").await.expect(401);
    app.refresh("garbage").await.expect(401);
    assert_eq!(app.events().await, known);
}

#[tokio::test]
async fn a_stolen_refresh_token_ends_the_session_with_one_event() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let second = Held::of(&app.refresh(&ada.refresh_token).await.expect(200));
    app.refresh(&second.refresh_token).await.expect(200);
    let body = json!({ "refresh_token": ada.refresh_token });
    let (answer, events) = watched(&app, app.browser("POST", REFRESH).json(&body)).await;
    answer.refused(401, "refresh_token_reused");
    assert_eq!(reported(&events), [format!("session.revoked {}", ada.session_id())]);
    let (answer, events) = watched(&app, app.browser("POST", REFRESH).json(&body)).await;
    answer.refused(401, "invalid_refresh_token");
    assert_eq!(reported(&events), Vec::<String>::new());
}
