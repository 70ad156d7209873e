//! A client that is switched off, rotated or made takes effect within five seconds, without a read at every request.

use super::support::*;
use perennial_app::clients::{self, Credential};
use perennial_domain::clients::{Origin, Scope};
use perennial_domain::events::EventKind;
use perennial_testkit::{Answer, TestApp};
use serde_json::json;

const WITHIN: i64 = 5;

async fn call(app: &TestApp, name: &str) -> Answer {
    app.anonymous("GET", "/subscription-plans/pro").header("client-id", credential(name)).send().await
}

#[tokio::test]
async fn a_request_costs_no_read_of_its_client() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    client(&app, app.organization, trusted("server", &[Scope::PlansRead])).await;
    call(&app, "server").await.expect(200);
    let before = app.app.db.metrics().statements;
    for _ in 0..50 {
        call(&app, "server").await.expect(200);
    }
    assert_eq!(app.app.db.metrics().statements - before, 50, "one statement a read: the record's own");
    app.advance(WITHIN);
    for _ in 0..50 {
        call(&app, "server").await.expect(200);
    }
    assert_eq!(app.app.db.metrics().statements - before, 102, "and two for the client every few seconds");
}

#[tokio::test]
async fn a_disabled_client_stops_working_within_five_seconds_on_every_server() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let disabled = client(&app, app.organization, trusted("server", &[Scope::PlansRead])).await;
    let other_server = app.second_server().await;
    for server in [Some(&app), other_server.as_ref()].into_iter().flatten() {
        call(server, "server").await.expect(200);
    }
    clients::disable(&app.app, app.organization, disabled.id).await.unwrap();
    app.advance(WITHIN);
    for server in [Some(&app), other_server.as_ref()].into_iter().flatten() {
        call(server, "server").await.refused(401, "invalid_client");
    }
}

#[tokio::test]
async fn the_origins_of_a_disabled_client_are_permitted_no_longer() {
    let app = TestApp::start().await;
    let origins = vec![Origin::parse("https://shop.example").unwrap()];
    let new = clients::NewClient { origins, ..public("shop", &[Scope::PlansRead]) };
    let disabled = client(&app, app.organization, new).await;
    let permitted = async || {
        let request = app.anonymous("OPTIONS", "/subscription-plans").header("origin", "https://shop.example");
        let answer = request.header("access-control-request-method", "GET").send().await.expect(204);
        answer.header("access-control-allow-origin").to_owned()
    };
    assert_eq!(permitted().await, "https://shop.example");
    let before = app.app.db.metrics().statements;
    permitted().await;
    assert_eq!(app.app.db.metrics().statements, before, "a preflight costs no read either");
    clients::disable(&app.app, app.organization, disabled.id).await.unwrap();
    app.advance(WITHIN);
    assert_eq!(permitted().await, "");
}

#[tokio::test]
async fn a_rotated_client_works_with_its_new_credential_and_soon_only_with_it() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let rotated = client(&app, app.organization, trusted("old", &[Scope::PlansRead])).await;
    call(&app, "old").await.expect(200);
    let new = Credential::chosen(&credential("new")).unwrap();
    clients::rotate(&app.app, app.organization, rotated.id, &new).await.unwrap();
    call(&app, "new").await.expect(200);
    app.advance(WITHIN);
    call(&app, "old").await.refused(401, "invalid_client");
    call(&app, "new").await.expect(200);
}

#[tokio::test]
async fn a_client_expires_to_the_microsecond_without_waiting_for_anything() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let expires_at = Some(app.now().plus_seconds(2));
    let new = clients::NewClient { expires_at, ..trusted("server", &[Scope::PlansRead]) };
    client(&app, app.organization, new).await;
    app.set_time("2026-03-10T12:00:01.999999Z");
    call(&app, "server").await.expect(200);
    app.set_time("2026-03-10T12:00:02Z");
    call(&app, "server").await.refused(401, "invalid_client");
}

#[tokio::test]
async fn a_stranger_that_becomes_a_client_is_known_within_five_seconds() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    call(&app, "server").await.refused(401, "invalid_client");
    client(&app, app.organization, trusted("server", &[Scope::PlansRead])).await;
    app.advance(WITHIN);
    call(&app, "server").await.expect(200);
}

#[tokio::test]
async fn a_clock_that_steps_back_keeps_no_client_alive() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let disabled = client(&app, app.organization, trusted("server", &[Scope::PlansRead])).await;
    call(&app, "server").await.expect(200);
    clients::disable(&app.app, app.organization, disabled.id).await.unwrap();
    app.advance(-3600);
    call(&app, "server").await.refused(401, "invalid_client");
}

#[tokio::test]
async fn changes_of_a_client_are_recorded_once_and_without_its_credential() {
    let app = TestApp::start().await;
    let made = client(&app, app.organization, trusted("server", &[Scope::PlansRead])).await;
    let new = Credential::chosen(&credential("new")).unwrap();
    let rotated = clients::rotate(&app.app, app.organization, made.id, &new).await.unwrap();
    app.advance(1);
    let disabled = clients::disable(&app.app, app.organization, made.id).await.unwrap();
    app.advance(1);
    let again = clients::disable(&app.app, app.organization, made.id).await.unwrap();
    assert_eq!(again, disabled, "switching off what is off changes nothing");
    let events = app.events().await;
    let of_client: Vec<_> = events.iter().filter(|event| event.record_id == made.id.bytes()).collect();
    let kinds: Vec<EventKind> = of_client.iter().map(|event| event.kind).collect();
    assert_eq!(kinds.len(), 3, "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| **kind == EventKind::ClientUpdated).count(), 2);
    let stored = clients::list(&app.app, app.organization).await.unwrap();
    let stored = stored.iter().find(|client| client.id == made.id).unwrap();
    assert_eq!(stored, &disabled, "the row matches the event");
    assert!(of_client.iter().any(|event| event.id == rotated.revision));
    assert_eq!(of_client.last().unwrap().id, disabled.revision);
    assert!(!format!("{of_client:?}").contains("pk_"));
}
