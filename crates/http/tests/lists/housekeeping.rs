//! What servers remove by themselves: all of it, however much there is, and nothing that is still needed.

use super::support::*;
use perennial_app::context::AppOptions;
use perennial_app::housekeeping::{Retention, count_expired, prune_events, remove_deleted};
use perennial_app::{idempotency, sessions};
use perennial_store::{Sql, feed};
use perennial_testkit::{TestApp, TestOptions};
use serde_json::{Value, json};

const DAY: i64 = 24 * 3600;

/// More than one sweep used to remove.
static KEYS: Sql = Sql::split(
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
     INSERT INTO idempotency_keys
     SELECT id, id, 'k' || i, x'00', 201, '', '', '', 0, i FROM organizations, n",
    "INSERT INTO idempotency_keys
     SELECT id, id, 'k' || i, '', 201, '', '', '', to_timestamp(0), to_timestamp(i)
     FROM organizations, generate_series(1, 2500) AS i",
);
static SESSIONS: Sql = Sql::split(
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
     INSERT INTO sessions
     SELECT id, unhex('00000000000070008000' || printf('%012x', i)), id, id, 0, 0, 0, '', i, 0, NULL, NULL, NULL
     FROM organizations, n",
    "INSERT INTO sessions
     SELECT id, ('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, id, id, 0, to_timestamp(0),
            to_timestamp(0), '', to_timestamp(i), to_timestamp(0), NULL, NULL, NULL
     FROM organizations, generate_series(1, 2500) AS i",
);

async fn rows(app: &TestApp) -> (i64, i64) {
    let keys = count(app, "SELECT COUNT(*) FROM idempotency_keys").await;
    (keys, count(app, "SELECT COUNT(*) FROM sessions").await)
}

async fn with_retention(retention: Retention) -> TestApp {
    let app = AppOptions { local_provider: true, retention, ..AppOptions::default() };
    TestApp::with(TestOptions { app, ..TestOptions::default() }).await
}

#[tokio::test]
async fn one_sweep_removes_all_that_has_expired() {
    let app = TestApp::start().await;
    organization(&app, "other").await;
    execute(&app, &KEYS).await;
    execute(&app, &SESSIONS).await;
    assert_eq!(rows(&app).await, (5_000, 5_000));
    count_expired(&app.app).await.unwrap();
    assert_eq!(app.app.housekeeping.expired_rows(), [("idempotency_keys", 5_000), ("sessions", 5_000)]);
    idempotency::sweep(&app.app).await.unwrap();
    sessions::sweep(&app.app).await.unwrap();
    assert_eq!(rows(&app).await, (0, 0));
    count_expired(&app.app).await.unwrap();
    assert_eq!(app.app.housekeeping.expired_rows(), [("idempotency_keys", 0), ("sessions", 0)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_sweep_at_once_leave_nothing_and_do_not_fail() {
    let app = TestApp::start().await;
    let Some(second) = app.second_server().await else { return };
    execute(&app, &KEYS).await;
    let (one, other) = tokio::join!(idempotency::sweep(&app.app), idempotency::sweep(&second.app));
    one.unwrap();
    other.unwrap();
    // A server that met rows of the other's has left them to it.
    idempotency::sweep(&app.app).await.unwrap();
    assert_eq!(rows(&app).await.0, 0);
}

#[tokio::test]
async fn sessions_stay_for_their_retention_after_they_expired() {
    let app = with_retention(Retention { sessions_days: 5, ..Retention::default() }).await;
    let request = app.request("POST", "/authentication/sign-up").json(&app.credentials("ada@example.com"));
    let seconds = request.send().await.expect(201).data()["refresh_expires_in"].as_i64().unwrap();
    app.advance(seconds + 5 * DAY - 60);
    sessions::sweep(&app.app).await.unwrap();
    assert_eq!(rows(&app).await.1, 1);
    app.advance(120);
    sessions::sweep(&app.app).await.unwrap();
    assert_eq!(rows(&app).await.1, 0);
}

#[tokio::test]
async fn events_are_removed_after_their_retention_and_never_without_one() {
    let app = with_retention(Retention { events_days: Some(10), ..Retention::default() }).await;
    app.plan("old", json!({})).await;
    app.plan("young", json!({})).await;
    let all = app.events().await.len();
    while app.app.db.is_shared() && app.app.db.place_events().await.unwrap().is_none_or(|placed| placed.events > 0) {}
    // Events enter the feed by the clock of the database, which no test can move.
    let entered = feed::newest(&app.app.db, app.organization).await.unwrap().unwrap().1;
    app.set_time(&entered.plus_seconds(10 * DAY - 60).to_string());
    assert_eq!(prune_events(&app.app).await.unwrap(), 0);
    app.set_time(&entered.plus_seconds(10 * DAY + 60).to_string());
    assert_eq!(prune_events(&app.app).await.unwrap(), u64::try_from(all).unwrap() - 1);
    assert_eq!(app.events().await.len(), 1);
    app.get("/subscription-plans/old").await.expect(200);

    let forever = TestApp::start().await;
    forever.advance(10_000 * DAY);
    assert_eq!(prune_events(&forever.app).await.unwrap(), 0);
}

/// How many plans, subscriptions and payments there are, deleted ones included.
async fn records(app: &TestApp) -> [i64; 3] {
    [
        count(app, "SELECT COUNT(*) FROM plans").await,
        count(app, "SELECT COUNT(*) FROM subscriptions").await,
        count(app, "SELECT COUNT(*) FROM payments").await,
    ]
}

async fn delete(app: &TestApp, path: &str, record: &Value) {
    app.delete(&format!("{path}/{}", record["id"].as_str().unwrap())).await.expect(200);
}

#[tokio::test]
async fn a_deleted_record_stays_for_as_long_as_another_refers_to_it() {
    let app = with_retention(Retention { deleted_days: Some(10), ..Retention::default() }).await;
    let user = app.user("ada@example.com").await;
    let plan = app.plan("pro", json!({})).await;
    app.put("/subscription-plans/pro", &json!({ "price": 2 })).await.expect(200);
    let paid = app.subscription(&user, "pro", json!({})).await;
    let unpaid = app.subscription(&user, "pro", json!({})).await;
    let payment = app.payment(paid["id"].as_str().unwrap(), json!({})).await;
    let target = format!("/subscription-payments/{}", payment["id"].as_str().unwrap());
    delete(&app, "/subscriptions", &paid).await;
    delete(&app, "/subscriptions", &unpaid).await;
    delete(&app, "/subscription-plans", &plan).await;
    app.advance(10 * DAY - 60);
    assert_eq!(remove_deleted(&app.app).await.unwrap(), 0);

    app.advance(120);
    assert_eq!(remove_deleted(&app.app).await.unwrap(), 1, "the subscription without a payment");
    assert_eq!(records(&app).await, [1, 1, 1]);
    assert_eq!(count(&app, "SELECT COUNT(*) FROM plan_versions").await, 1);
    app.get(&target).await.expect(200);
    app.delete(&target).await.expect(200);
    assert_eq!(remove_deleted(&app.app).await.unwrap(), 0, "the payment was deleted just now");

    app.advance(11 * DAY);
    assert_eq!(remove_deleted(&app.app).await.unwrap(), 3);
    assert_eq!(records(&app).await, [0, 0, 0]);
    assert_eq!(count(&app, "SELECT COUNT(*) FROM plan_versions").await, 0, "versions are removed with their plan");
    app.get(&target).await.refused(404, "not_found");
    app.plan("pro", json!({})).await;
    assert_eq!(count(&app, "SELECT COUNT(*) FROM users").await, 1, "a live user is none of these");
}
