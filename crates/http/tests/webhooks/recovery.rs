//! Undelivered events that a delivery finds when it begins: after a restart, a lost lease or a call that revokes the lease.

use super::control::{newest, reader, undelivered};
use super::delivery::{Base, Receiver, until};
use super::support::{endpoint, place, service};
use super::windows::patient;
use perennial_app::background::{Held, Job};
use perennial_app::error::Error;
use perennial_app::housekeeping::sweep_webhooks;
use perennial_app::webhooks::delivery::Webhooks;
use perennial_domain::webhook_delivery::{Reader, Undelivered, UndeliveredState};
use perennial_store::{Change, webhook_readers, webhook_undelivered};
use perennial_testkit::TestApp;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// An update that revokes the lease, as a restart and a kill end it.
async fn interrupt(base: &Base) {
    let types = json!({ "types": ["plan.*", "client.*"] });
    base.app.put(&place(&base.endpoint), &types).await.expect(200);
}

fn slug(event: &Value) -> &str {
    event["data"]["slug"].as_str().unwrap_or_default()
}

async fn resends(base: &Base) -> usize {
    base.attempts().await.iter().filter(|attempt| attempt["trigger"] == "resend").count()
}

#[tokio::test]
async fn an_undelivered_event_behind_one_in_flight_is_sent_again_after_an_interruption() {
    let base = Base::over(patient().await).await;
    base.receiver.respond(|event| match slug(event) {
        "slow" => 0,
        "failed" => 500,
        _ => 204,
    });
    base.app.plan("slow", json!({})).await;
    base.app.plan("failed", json!({})).await;
    until("a row", || async { base.undelivered().await.len() == 1 }).await;
    let row = base.undelivered().await.remove(0);
    assert!(reader(&base.app, &base.endpoint).await.sequence < row["sequence"].as_i64().unwrap());
    base.receiver.respond(|event| if slug(event) == "failed" { 500 } else { 204 });
    interrupt(&base).await;
    until("the slow event", || async {
        reader(&base.app, &base.endpoint).await.sequence >= row["sequence"].as_i64().unwrap()
    })
    .await;
    assert_eq!(base.undelivered().await, [row], "the row is as it was");
    base.receiver.respond(|_| 204);
    base.app.advance(7);
    base.settles().await;
    let mut slugs = base.receiver.slugs();
    slugs.sort();
    assert_eq!(slugs, ["failed", "failed", "slow", "slow"]);
    let numbers: Vec<Value> = base.attempts().await.iter().map(|attempt| attempt["number"].clone()).collect();
    assert!(numbers.contains(&json!(2)), "the attempts of the event continue: {numbers:?}");
}

#[tokio::test]
async fn an_event_that_is_retried_before_the_reader_reaches_it_holds_back_no_later_one() {
    let base = Base::over(patient().await).await;
    base.receiver.respond(|event| if slug(event) == "slow" { 0 } else { 204 });
    base.app.plan("slow", json!({})).await;
    base.app.plan("pro", json!({})).await;
    until("an attempt", || async { base.attempts().await.len() == 1 }).await;
    let delivered = base.attempts().await[0]["event_id"].clone();
    base.receiver.respond(|_| 204);
    base.app.post(&format!("{}/retry", place(&base.endpoint)), &json!({ "event_id": delivered })).await.expect(200);
    until("it is sent again", || async { resends(&base).await == 1 }).await;
    base.app.put("/subscription-plans/pro", &json!({ "description": "Second" })).await.expect(200);
    newest(&base.app).await;
    base.settles().await;
    let events = base.receiver.events.lock().unwrap().clone();
    let of_pro: Vec<&Value> = events.iter().filter(|event| slug(event) == "pro").map(|event| &event["type"]).collect();
    assert_eq!(of_pro, ["plan.created", "plan.created", "plan.updated"]);
}

/// A row that nothing wakes, as an earlier version left it: it waits, and nothing of its record is before it.
async fn stuck(app: &TestApp) -> (Receiver, Value, Undelivered) {
    let receiver = Receiver::start().await;
    let endpoint = endpoint(app, json!({ "url": receiver.url, "types": ["plan.*"] })).await;
    app.plan("stuck", json!({})).await;
    let row = Undelivered {
        attempts: 0,
        next_attempt_at: None,
        first_failed_at: None,
        ..undelivered(app, &endpoint, UndeliveredState::Waiting).await
    };
    let passed = Reader { sequence: row.sequence, ..reader(app, &endpoint).await };
    let change = webhook_undelivered::put(Change::new(), &row);
    app.app.db.commit(webhook_readers::save(change, &passed)).await.unwrap();
    (receiver, endpoint, row)
}

#[tokio::test]
async fn a_row_that_nothing_wakes_is_sent_with_the_next_event() {
    let app = service().await;
    let (receiver, ..) = stuck(&app).await;
    app.plan("next", json!({})).await;
    let _working = app.work(Webhooks);
    receiver.has(2).await;
    let mut slugs = receiver.slugs();
    slugs.sort();
    assert_eq!(slugs, ["next", "stuck"]);
}

#[tokio::test]
async fn a_row_that_nothing_wakes_is_sent_by_a_retry() {
    let app = service().await;
    let (receiver, endpoint, _) = stuck(&app).await;
    let since = json!({ "since": "1970-01-01T00:00:00Z" });
    let queued = app.post(&format!("{}/retry", place(&endpoint)), &since).await.expect(200);
    assert_eq!(queued.data()["queued"], 1);
    let _working = app.work(Webhooks);
    receiver.has(1).await;
}

#[tokio::test]
async fn the_sweep_wakes_the_first_row_of_a_record_and_none_behind_it() {
    let app = service().await;
    let (_, endpoint, row) = stuck(&app).await;
    let behind = Undelivered { sequence: row.sequence + 1, ..row };
    app.app.db.commit(webhook_undelivered::put(Change::new(), &behind)).await.unwrap();
    sweep_webhooks(&app.app).await.unwrap();
    let rows = app.get(&format!("{}/undelivered", place(&endpoint))).await.expect(200);
    let times: Vec<&Value> = rows.data().as_array().unwrap().iter().map(|row| &row["next_attempt_at"]).collect();
    assert_eq!(times, [&json!(app.now()), &json!(null)]);
}

#[tokio::test]
async fn a_seek_sends_events_again_that_were_given_up() {
    let base = Base::start().await;
    base.app.plan("pro", json!({})).await;
    base.receiver.has(1).await;
    base.settles().await;
    undelivered(&base.app, &base.endpoint, UndeliveredState::GivenUp).await;
    let seek = format!("{}/seek", place(&base.endpoint));
    base.app.post(&seek, &json!({ "to": "newest" })).await.expect(200);
    assert_eq!(base.undelivered().await.len(), 1, "the new position is not before it");
    base.app.post(&seek, &json!({ "to": "oldest" })).await.expect(200);
    base.receiver.has(2).await;
    base.settles().await;
    assert_eq!(base.receiver.slugs(), ["pro", "pro"]);
}

#[tokio::test]
async fn a_retry_of_an_old_event_wakes_no_later_one_that_waits_behind_a_failed_one() {
    let base = Base::start().await;
    base.app.plan("pro", json!({})).await;
    base.receiver.has(1).await;
    until("an attempt", || async { base.attempts().await.len() == 1 }).await;
    let delivered = base.attempts().await[0]["event_id"].clone();
    base.receiver.respond(|event| if event["data"]["description"] == "Second" { 500 } else { 204 });
    base.app.put("/subscription-plans/pro", &json!({ "description": "Second" })).await.expect(200);
    base.app.put("/subscription-plans/pro", &json!({ "description": "Third" })).await.expect(200);
    until("two rows", || async { base.undelivered().await.len() == 2 }).await;
    base.app.post(&format!("{}/retry", place(&base.endpoint)), &json!({ "event_id": delivered })).await.expect(200);
    until("the old event again", || async { resends(&base).await == 1 }).await;
    let rows = base.undelivered().await;
    let waiting: Vec<_> = rows.iter().map(|row| (row["attempts"] == 0, row["next_attempt_at"].is_null())).collect();
    assert_eq!(waiting, [(false, false), (true, true)], "{rows:?}");
    base.receiver.respond(|_| 204);
    base.app.advance(600);
    base.settles().await;
    let events = base.receiver.events.lock().unwrap().clone();
    assert_eq!(events.last().unwrap()["data"]["description"], "Third");
}

/// Begins a delivery that nothing renews the lease of, calls while its attempt hangs, and returns how the delivery ends.
async fn ends_after(app: &TestApp, receiver: &Receiver, call: impl Future<Output = ()>) -> Result<(), Error> {
    let before = receiver.events.lock().unwrap().len();
    let unit = webhook_readers::with_work(&app.app.db, app.now(), 1).await.unwrap().remove(0);
    let (_stop, stopping) = watch::channel(false);
    let held = Held::claim(&app.app, unit, stopping).await.unwrap().unwrap();
    let calls = async {
        receiver.has(before + 1).await;
        call.await;
    };
    let (ended, ()) = tokio::join!(timeout(Duration::from_secs(20), Webhooks.work(&app.app, &held)), calls);
    ended.expect("the delivery ends before its attempt")
}

#[tokio::test]
async fn a_delivery_notices_a_change_while_an_attempt_hangs() {
    let app = patient().await;
    let receiver = Receiver::start().await;
    receiver.respond(|_| 0);
    let made = endpoint(&app, json!({ "url": receiver.url, "types": ["plan.*"] })).await;
    app.plan("pro", json!({})).await;
    // Nothing is stored before the attempt ends: the position does not move.
    let before = Reader { sequence: newest(&app).await - 1, ..reader(&app, &made).await };
    app.app.db.commit(webhook_readers::save(Change::new(), &before)).await.unwrap();
    let change = async {
        app.put(&place(&made), &json!({ "payload": "thin" })).await.expect(200);
    };
    assert_eq!(ends_after(&app, &receiver, change).await, Err(Error::LeaseLost));

    let open = Reader { failures: 10, next_probe_at: Some(app.now()), ..reader(&app, &made).await };
    app.app.db.commit(webhook_readers::save(Change::new(), &open)).await.unwrap();
    let change = async {
        app.put(&place(&made), &json!({ "payload": "full" })).await.expect(200);
    };
    assert_eq!(ends_after(&app, &receiver, change).await, Err(Error::LeaseLost), "a probe");
}
