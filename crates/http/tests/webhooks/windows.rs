//! The window of a reader: how much is sent at once, and what is sent again after a kill.

use super::delivery::{Receiver, until};
use super::support::{endpoint, options, place};
use perennial_app::background::{Held, Job};
use perennial_app::webhooks::delivery::Webhooks;
use perennial_store::{Change, leases, webhook_readers};
use perennial_testkit::TestApp;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio::sync::watch;

/// A service whose attempts wait longer than a test takes.
pub(super) async fn patient() -> TestApp {
    let mut options = options();
    options.app.webhooks.timeout_seconds = 60;
    TestApp::with(options).await
}

async fn subscribed(app: &TestApp, receiver: &Receiver) -> Value {
    endpoint(app, json!({ "url": receiver.url, "types": ["plan.created"] })).await
}

async fn make_plans(app: &TestApp, count: usize) {
    for number in 0..count {
        app.plan(&format!("p{number:03}"), json!({})).await;
    }
    until("every event has a position", || async { !app.app.db.has_unplaced_events().await.unwrap() }).await;
}

/// Enough calls for a server that sends more than it may to show it.
async fn linger(app: &TestApp, endpoint: &Value) {
    for _ in 0..50 {
        app.get(&place(endpoint)).await.expect(200);
    }
}

#[tokio::test]
async fn an_endpoint_gets_as_many_events_at_once_as_are_configured() {
    let app = patient().await;
    let receiver = Receiver::start().await;
    receiver.respond(|_| 0);
    let endpoint = subscribed(&app, &receiver).await;
    make_plans(&app, 20).await;
    let _working = app.work(Webhooks);
    receiver.has(8).await;
    linger(&app, &endpoint).await;
    assert_eq!(receiver.events.lock().unwrap().len(), 8);
}

#[tokio::test]
async fn a_server_sends_at_most_256_events_at_once() {
    let app = patient().await;
    let receiver = Receiver::start().await;
    receiver.respond(|_| 0);
    let mut endpoints = Vec::new();
    for _ in 0..40 {
        endpoints.push(subscribed(&app, &receiver).await);
    }
    // 40 endpoints with 8 events at once would be 320.
    make_plans(&app, 8).await;
    let _working = app.work(Webhooks);
    receiver.has(256).await;
    linger(&app, &endpoints[0]).await;
    assert_eq!(receiver.events.lock().unwrap().len(), 256);
}

#[tokio::test]
async fn after_a_kill_at_most_64_events_are_sent_again_and_none_is_lost() {
    const PLANS: usize = 100;
    let app = patient().await;
    let receiver = Receiver::start().await;
    receiver.respond(|event| if event["data"]["slug"] == "p000" { 0 } else { 204 });
    let endpoint = subscribed(&app, &receiver).await;
    make_plans(&app, PLANS).await;
    let unit = webhook_readers::with_work(&app.app.db, app.now(), 1).await.unwrap().remove(0);
    let (_stop, stopping) = watch::channel(false);
    let held = Held::claim(&app.app, unit, stopping).await.unwrap().unwrap();
    let kill = async {
        // The first event has no outcome, so that the reader stays before it. 63 others have arrived.
        until("64 events", || async {
            held.lease().renew(&app.app.db).await.unwrap();
            receiver.events.lock().unwrap().len() >= 64
        })
        .await;
        linger(&app, &endpoint).await;
    };
    tokio::select! {
        ended = Webhooks.work(&app.app, &held) => panic!("the work has ended: {ended:?}"),
        () = kill => {}
    }
    assert_eq!(receiver.events.lock().unwrap().len(), 64, "the window has no more");
    // The lease is what a killed server leaves. It expires, or is cleared at the next start.
    app.app.db.commit(leases::clear(Change::new())).await.unwrap();
    receiver.respond(|_| 204);
    let _working = app.work(Webhooks);
    receiver.has(64 + PLANS).await;
    linger(&app, &endpoint).await;
    let mut arrived: BTreeMap<String, usize> = BTreeMap::new();
    for slug in receiver.slugs() {
        *arrived.entry(slug).or_default() += 1;
    }
    assert_eq!(arrived.len(), PLANS, "none is lost");
    let repeated: Vec<_> = arrived.iter().filter(|(_, count)| **count > 1).collect();
    assert_eq!(repeated.len(), 64, "{repeated:?}");
    assert!(repeated.iter().all(|(_, count)| **count == 2), "{repeated:?}");
}
