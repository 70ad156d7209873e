//! Access that changes by the clock alone is an event, exactly one for each instant.

use perennial_app::lifecycle::Lifecycle;
use perennial_testkit::TestApp;
use serde_json::{Value, json};
use std::time::Duration;

const DAY: i64 = 86_400;

/// The events of a subscription once there are this many.
async fn history(app: &TestApp, id: &str, events: usize) -> Vec<Value> {
    for _ in 0..1_000 {
        let page = app.get(&format!("/events?record_id={id}")).await.expect(200).data().as_array().unwrap().clone();
        if page.len() >= events {
            return page;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{id} never had {events} events");
}

fn access(event: &Value) -> (&str, Option<bool>, Option<bool>) {
    (event["type"].as_str().unwrap(), event["before"]["has_access"].as_bool(), event["data"]["has_access"].as_bool())
}

async fn subscribed(app: &TestApp, fields: Value) -> String {
    let user = app.user("ada@example.com").await;
    let plan = app.plan("pro", json!({})).await;
    let subscription = app.subscription(&user, plan["id"].as_str().unwrap(), fields).await;
    subscription["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_start_and_the_end_of_access_are_events() {
    let app = TestApp::start().await;
    let id = subscribed(&app, json!({ "starts_at": "2026-03-11T12:00:00Z", "ends_at": "2026-03-12T12:00:00Z" })).await;
    let _working = app.work(Lifecycle);
    app.advance(DAY);
    let events = history(&app, &id, 2).await;
    assert_eq!(access(&events[1]), ("subscription.access_changed", Some(false), Some(true)));
    assert_eq!((&events[1]["request_id"], &events[1]["client_id"]), (&json!("lifecycle"), &Value::Null));
    let record = app.get(&format!("/subscriptions/{id}")).await.expect(200).data().clone();
    assert_eq!(record["updated_at"], record["created_at"], "no field changes");
    app.advance(DAY);
    let events = history(&app, &id, 3).await;
    assert_eq!(access(&events[2]), ("subscription.access_changed", Some(true), Some(false)));
}

#[tokio::test]
async fn instants_that_passed_while_no_server_ran_each_have_their_event() {
    let app = TestApp::start().await;
    let id = subscribed(&app, json!({ "starts_at": "2026-03-11T12:00:00Z", "ends_at": "2026-03-12T12:00:00Z" })).await;
    app.advance(9 * DAY);
    let _working = app.work(Lifecycle);
    let events = history(&app, &id, 3).await;
    assert_eq!(access(&events[1]), ("subscription.access_changed", Some(false), Some(true)));
    assert_eq!(access(&events[2]), ("subscription.access_changed", Some(true), Some(false)));
}

#[tokio::test]
async fn an_update_after_the_instant_comes_after_its_event() {
    let app = TestApp::start().await;
    let id = subscribed(&app, json!({ "ends_at": "2026-03-11T12:00:00Z" })).await;
    app.advance(DAY);
    app.put(&format!("/subscriptions/{id}"), &json!({ "ends_at": "2026-03-13T12:00:00Z" })).await.expect(200);
    let events = history(&app, &id, 3).await;
    assert_eq!(access(&events[1]), ("subscription.access_changed", Some(true), Some(false)));
    assert_eq!(access(&events[2]), ("subscription.updated", Some(false), Some(true)));
    let _working = app.work(Lifecycle);
    app.advance(2 * DAY);
    assert_eq!(access(&history(&app, &id, 4).await[3]), ("subscription.access_changed", Some(true), Some(false)));
}

#[tokio::test]
async fn an_instant_that_an_update_moves_has_no_event() {
    let app = TestApp::start().await;
    let id = subscribed(&app, json!({ "ends_at": "2026-03-11T12:00:00Z" })).await;
    app.put(&format!("/subscriptions/{id}"), &json!({ "ends_at": null })).await.expect(200);
    let _working = app.work(Lifecycle);
    app.advance(2 * DAY);
    app.put(&format!("/subscriptions/{id}"), &json!({ "quantity": 2 })).await.expect(200);
    let types: Vec<Value> = history(&app, &id, 3).await.iter().map(|event| event["type"].clone()).collect();
    assert_eq!(types, ["subscription.created", "subscription.updated", "subscription.updated"]);
}

#[tokio::test]
async fn two_servers_write_one_event_for_each_instant() {
    let app = TestApp::start().await;
    let Some(other) = app.second_server().await else { return };
    let (user, plan) = (app.user("ada@example.com").await, app.plan("pro", json!({})).await);
    let mut ids = Vec::new();
    for _ in 0..20 {
        let fields = json!({ "ends_at": "2026-03-11T12:00:00Z" });
        let subscription = app.subscription(&user, plan["id"].as_str().unwrap(), fields).await;
        ids.push(subscription["id"].as_str().unwrap().to_owned());
    }
    let _working = (app.work(Lifecycle), other.work(Lifecycle));
    app.advance(DAY);
    for id in &ids {
        history(&app, id, 2).await;
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    for id in &ids {
        assert_eq!(history(&app, id, 2).await.len(), 2);
    }
}
