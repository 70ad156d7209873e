//! Delivery: every event arrives at least once, in order per record, and an endpoint that fails delays no other.

use super::support::{endpoint, options, place};
use perennial_app::events::{self, Readers};
use perennial_app::housekeeping::sweep_webhooks;
use perennial_app::webhooks::delivery::Webhooks;
use perennial_testkit::TestApp;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::watch;

type Decide = Box<dyn Fn(&Value) -> u16 + Send>;

/// A receiver whose response to each event a test decides. It never responds with status 0.
pub(super) struct Receiver {
    pub(super) url: String,
    pub(super) events: Arc<Mutex<Vec<Value>>>,
    decide: Arc<Mutex<Decide>>,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let receiver = Self {
            url: format!("http://{}/hook", listener.local_addr().unwrap()),
            events: Arc::default(),
            decide: Arc::new(Mutex::new(Box::new(|_| 204))),
        };
        let (events, decide) = (Arc::clone(&receiver.events), Arc::clone(&receiver.decide));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (events, decide) = (Arc::clone(&events), Arc::clone(&decide));
                tokio::spawn(async move {
                    let mut bytes = Vec::new();
                    let event = loop {
                        let mut chunk = [0; 8192];
                        let count = stream.read(&mut chunk).await.unwrap_or(0);
                        if count == 0 {
                            return;
                        }
                        bytes.extend_from_slice(&chunk[..count]);
                        let text = String::from_utf8_lossy(&bytes).into_owned();
                        let body = text.split_once("\r\n\r\n").map(|(_, body)| body);
                        if let Some(event) = body.and_then(|body| serde_json::from_str::<Value>(body).ok()) {
                            break event;
                        }
                    };
                    let status = (decide.lock().unwrap())(&event);
                    events.lock().unwrap().push(event);
                    if status == 0 {
                        return std::future::pending().await;
                    }
                    let response = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                    let _ = stream.write_all(response.as_bytes()).await;
                });
            }
        });
        receiver
    }

    pub(super) fn respond(&self, decide: impl Fn(&Value) -> u16 + Send + 'static) {
        *self.decide.lock().unwrap() = Box::new(decide);
    }

    /// The slugs of the plans in the events so far, in the order of their arrival.
    pub(super) fn slugs(&self) -> Vec<String> {
        let slug = |event: &Value| event["data"]["slug"].as_str().unwrap_or_default().to_owned();
        self.events.lock().unwrap().iter().map(slug).collect()
    }

    pub(super) async fn has(&self, events: usize) {
        until(&format!("{events} events"), || async { self.events.lock().unwrap().len() >= events }).await;
    }
}

pub(super) async fn until<F: Future<Output = bool>>(what: &str, mut condition: impl FnMut() -> F) {
    for _ in 0..2_000 {
        if condition().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("there never was: {what}");
}

/// A service that delivers the events of plans to a receiver.
pub(super) struct Base {
    pub(super) app: TestApp,
    pub(super) receiver: Receiver,
    pub(super) endpoint: Value,
    working: watch::Sender<bool>,
}

impl Base {
    pub(super) async fn start() -> Self {
        Self::over(TestApp::with(options()).await).await
    }

    pub(super) async fn over(app: TestApp) -> Self {
        let receiver = Receiver::start().await;
        let endpoint = endpoint(&app, json!({ "url": receiver.url, "types": ["plan.*"] })).await;
        let working = app.work(Webhooks);
        Self { app, receiver, endpoint, working }
    }

    pub(super) async fn undelivered(&self) -> Vec<Value> {
        let list = self.app.get(&format!("{}/undelivered", place(&self.endpoint))).await.expect(200);
        list.data().as_array().unwrap().clone()
    }

    pub(super) async fn attempts(&self) -> Vec<Value> {
        let list = self.app.get(&format!("{}/attempts?limit=100", place(&self.endpoint))).await.expect(200);
        list.data().as_array().unwrap().clone()
    }

    pub(super) async fn record(&self) -> Value {
        self.app.get(&place(&self.endpoint)).await.expect(200).data().clone()
    }

    pub(super) async fn state_becomes(&self, state: &str) {
        until(&format!("state {state}"), || async { self.record().await["state"] == state }).await;
    }

    pub(super) async fn settles(&self) {
        until("no undelivered event", || async { self.undelivered().await.is_empty() }).await;
        until("nothing to deliver", || async { self.record().await["oldest_undelivered_at"].is_null() }).await;
    }
}

#[tokio::test]
async fn every_event_arrives_once_and_its_attempt_is_listed() {
    let base = Base::start().await;
    for number in 0..20 {
        base.app.plan(&format!("p{number:02}"), json!({})).await;
    }
    base.receiver.has(20).await;
    base.settles().await;
    let mut slugs = base.receiver.slugs();
    slugs.sort();
    assert_eq!(slugs, (0..20).map(|number| format!("p{number:02}")).collect::<Vec<_>>());
    until("20 attempts", || async { base.attempts().await.len() == 20 }).await;
    for attempt in base.attempts().await {
        assert_eq!(
            (&attempt["outcome"], &attempt["trigger"], &attempt["number"]),
            (&json!("succeeded"), &json!("event"), &json!(1))
        );
    }
    let event = base.receiver.events.lock().unwrap()[0].clone();
    let same = base.app.get(&format!("/events/{}", event["id"].as_str().unwrap())).await.expect(200).data().clone();
    assert_eq!(event, same, "the body is the event as the API returns it");
}

#[tokio::test]
async fn events_of_a_record_arrive_in_order_and_a_failed_one_is_sent_again() {
    let base = Base::start().await;
    base.receiver.respond(|event| if event["type"] == "plan.created" { 500 } else { 204 });
    base.app.plan("pro", json!({})).await;
    base.app.put("/subscription-plans/pro", &json!({ "description": "Second" })).await.expect(200);
    base.app.plan("other", json!({})).await;
    base.receiver.has(2).await;
    until("three rows", || async { base.undelivered().await.len() == 3 }).await;
    let rows = base.undelivered().await;
    let attempts: Vec<&Value> = rows.iter().map(|row| &row["attempts"]).collect();
    assert_eq!(attempts, [&json!(1), &json!(0), &json!(1)], "the update waits behind the create");
    base.receiver.respond(|_| 204);
    base.app.advance(7);
    base.settles().await;
    let of_pro: Vec<Value> = {
        let events = base.receiver.events.lock().unwrap();
        events.iter().filter(|event| event["data"]["slug"] == "pro").map(|event| event["type"].clone()).collect()
    };
    assert_eq!(of_pro, ["plan.created", "plan.created", "plan.updated"]);
}

#[tokio::test]
async fn later_events_pass_one_that_always_fails_after_three_retries() {
    let base = Base::start().await;
    base.receiver
        .respond(|event| if event["type"] == "plan.created" && event["data"]["slug"] == "pro" { 500 } else { 204 });
    base.app.plan("pro", json!({})).await;
    base.app.put("/subscription-plans/pro", &json!({ "description": "Second" })).await.expect(200);
    for (attempt, delay) in [6, 36, 144].into_iter().enumerate() {
        until("the failed attempt", || async {
            base.undelivered().await.first().is_some_and(|row| row["attempts"] == attempt + 1)
        })
        .await;
        until("the update waits", || async { base.undelivered().await.len() == 2 }).await;
        base.app.advance(delay);
    }
    until("one row", || async { base.undelivered().await.len() == 1 }).await;
    let row = base.undelivered().await.remove(0);
    assert_eq!(
        (&row["attempts"], &row["event_type"], &row["state"]),
        (&json!(4), &json!("plan.created"), &json!("waiting"))
    );
    let last = base.receiver.events.lock().unwrap().last().cloned().unwrap();
    assert_eq!(last["type"], "plan.updated");
}

#[tokio::test]
async fn ten_failures_open_the_circuit_and_a_probe_closes_it() {
    let base = Base::start().await;
    base.receiver.respond(|_| 503);
    for number in 0..30 {
        base.app.plan(&format!("p{number:02}"), json!({})).await;
    }
    base.state_becomes("failing").await;
    base.app.plan("later", json!({})).await;
    base.app.advance(11);
    until("a probe", || async { base.attempts().await.iter().any(|attempt| attempt["trigger"] == "probe") }).await;
    // Ten failures, and seven attempts that were under way.
    assert!(base.undelivered().await.len() <= 17, "an open circuit adds no rows");
    assert!(base.record().await["failing_since"].is_string());
    base.receiver.respond(|_| 204);
    base.app.advance(31);
    base.state_becomes("active").await;
    base.settles().await;
    let delivered: std::collections::HashSet<String> = base.receiver.slugs().into_iter().collect();
    assert_eq!(delivered.len(), 31);
    let types = base.app.get("/events?type=webhook_endpoint.*").await.expect(200);
    let types: Vec<Value> = types.data().as_array().unwrap().iter().map(|event| event["type"].clone()).collect();
    assert_eq!(types, ["webhook_endpoint.created", "webhook_endpoint.failing", "webhook_endpoint.recovered"]);
}

#[tokio::test]
async fn an_endpoint_that_is_gone_is_disabled_at_once_and_continues_when_it_is_enabled() {
    let base = Base::start().await;
    base.receiver.respond(|_| 410);
    base.app.plan("pro", json!({})).await;
    base.state_becomes("disabled").await;
    let record = base.record().await;
    assert_eq!(record["disabled_reason"], "gone");
    let unreached = perennial_store::webhook_figures::unreached(&base.app.app.db).await.unwrap();
    assert_eq!(unreached.iter().map(|(id, _)| id.to_string()).collect::<Vec<_>>(), [record["id"].as_str().unwrap()]);
    base.app.plan("later", json!({})).await;
    base.receiver.respond(|_| 204);
    base.app.put(&place(&base.endpoint), &json!({ "is_active": true })).await.expect(200);
    base.settles().await;
    let delivered: std::collections::HashSet<String> = base.receiver.slugs().into_iter().collect();
    assert_eq!(delivered.len(), 2);
}

#[tokio::test]
async fn an_endpoint_that_never_responds_delays_no_other() {
    let base = Base::start().await;
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    endpoint(&base.app, json!({ "url": url, "types": ["plan.*"] })).await;
    for number in 0..10 {
        base.app.plan(&format!("p{number}"), json!({})).await;
    }
    base.receiver.has(10).await;
    base.settles().await;
}

#[tokio::test]
async fn two_servers_deliver_each_event_once() {
    let base = Base::start().await;
    let Some(other) = base.app.second_server_with(options()).await else { return };
    let _working = other.work(Webhooks);
    for number in 0..20 {
        let app = if number % 2 == 0 { &base.app } else { &other };
        app.plan(&format!("p{number:02}"), json!({})).await;
    }
    base.receiver.has(20).await;
    base.settles().await;
    assert_eq!(base.receiver.slugs().len(), 20);
}

#[tokio::test]
async fn the_next_attempt_goes_to_the_new_url_and_none_to_a_deleted_endpoint() {
    let base = Base::start().await;
    base.receiver.respond(|_| 500);
    base.app.plan("pro", json!({})).await;
    base.receiver.has(1).await;
    let other = Receiver::start().await;
    base.app.put(&place(&base.endpoint), &json!({ "url": other.url })).await.expect(200);
    base.app.advance(7);
    other.has(1).await;
    base.settles().await;
    base.app.request("DELETE", &place(&base.endpoint)).send().await.expect(200);
    base.app.plan("later", json!({})).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!((base.receiver.slugs(), other.slugs()), (vec!["pro".to_owned()], vec!["pro".to_owned()]));
}

#[tokio::test]
async fn a_seek_sends_each_event_again() {
    let base = Base::start().await;
    for number in 0..5 {
        base.app.plan(&format!("p{number}"), json!({})).await;
    }
    base.receiver.has(5).await;
    base.settles().await;
    base.app.post(&format!("{}/seek", place(&base.endpoint)), &json!({ "to": "oldest" })).await.expect(200);
    base.receiver.has(10).await;
    base.settles().await;
    let mut slugs = base.receiver.slugs();
    slugs.sort();
    assert_eq!(slugs, ["p0", "p0", "p1", "p1", "p2", "p2", "p3", "p3", "p4", "p4"]);
}

#[tokio::test]
async fn a_server_that_stops_stores_its_outcomes_and_another_continues() {
    let base = Base::start().await;
    for number in 0..10 {
        base.app.plan(&format!("p{number}"), json!({})).await;
    }
    base.receiver.has(3).await;
    base.working.send(true).unwrap();
    let _working = base.app.work(Webhooks);
    base.receiver.has(10).await;
    base.settles().await;
    let delivered: std::collections::HashSet<String> = base.receiver.slugs().into_iter().collect();
    assert_eq!(delivered.len(), 10);
}

#[tokio::test]
async fn events_that_an_endpoint_has_not_received_are_not_pruned() {
    let base = Base::start().await;
    base.receiver.respond(|event| if event["data"]["slug"] == "pro" { 500 } else { 204 });
    base.app.plan("pro", json!({})).await;
    base.app.plan("other", json!({})).await;
    until("a row", || async { base.undelivered().await.len() == 1 }).await;
    until("the other", || async { base.receiver.slugs().contains(&"other".to_owned()) }).await;
    let later = perennial_domain::time::Time::MAX;
    events::prune(&base.app.app, base.app.organization, later, Readers::Wait).await.unwrap();
    assert_eq!(base.undelivered().await.len(), 1);
    base.receiver.respond(|_| 204);
    base.app.advance(7);
    base.settles().await;
    assert_eq!(base.receiver.slugs().iter().filter(|slug| *slug == "pro").count(), 2);

    base.receiver.respond(|_| 500);
    base.app.plan("lost", json!({})).await;
    until("a row", || async { base.undelivered().await.len() == 1 }).await;
    base.app.user("ada@example.com").await;
    until("its event", || async {
        base.app.get("/events?type=user.created").await.data().as_array().unwrap().len() == 1
    })
    .await;
    events::prune(&base.app.app, base.app.organization, later, Readers::Ignore).await.unwrap();
    assert_eq!(base.undelivered().await.len(), 0, "the row of a pruned event is removed");
}

#[tokio::test]
async fn old_attempts_are_removed_and_those_of_a_deleted_endpoint_at_once() {
    let base = Base::start().await;
    base.app.plan("pro", json!({})).await;
    base.settles().await;
    until("an attempt", || async { base.attempts().await.len() == 1 }).await;
    base.app.advance(6 * 86_400);
    assert_eq!(sweep_webhooks(&base.app.app).await.unwrap(), 0);
    base.app.advance(2 * 86_400);
    assert_eq!(sweep_webhooks(&base.app.app).await.unwrap(), 1);
    base.app.plan("later", json!({})).await;
    base.settles().await;
    until("an attempt", || async { base.attempts().await.len() == 1 }).await;
    base.app.request("DELETE", &place(&base.endpoint)).send().await.expect(200);
    assert_eq!(sweep_webhooks(&base.app.app).await.unwrap(), 1);
}
