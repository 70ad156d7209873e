//! Retries that arrive together, on one server or two: one effect, and the same answer for everyone.

use super::support::*;
use perennial_store::Sql;
use perennial_testkit::{Answer, Request, TestApp};
use serde_json::{Value, json};

const RETRIES: usize = 16;

fn plan(slug: &str) -> Value {
    json!({ "name": "Pro", "slug": slug, "price": 1, "billing_cycle": "monthly" })
}

fn keyed(app: &TestApp, key: &str, target: &str, body: &Value) -> Request {
    app.request("POST", target).header("idempotency-key", key).json(body)
}

/// One request made the change; all others return its response.
fn one_effect(answers: &[Answer]) {
    for answer in answers {
        assert_eq!(answer.status, 201, "{}", String::from_utf8_lossy(&answer.bytes));
        assert_eq!(answer.bytes, answers[0].bytes);
        for name in ["location", "etag"] {
            assert_eq!(answer.header(name), answers[0].header(name), "{name}");
        }
    }
    let replayed = answers.iter().filter(|answer| answer.header("idempotency-replayed") == "true").count();
    assert_eq!(replayed, answers.len() - 1);
}

/// Many keys, each sent many times at once, spread over the servers.
async fn storm(servers: &[&TestApp]) {
    const KEYS: usize = 12;
    let app = servers[0];
    let user = app.user("ada@example.com").await;
    app.plan("base", json!({})).await;
    let subscription = app.subscription(&user, "base", json!({})).await;
    let create = |number: usize| match number % 3 {
        0 => ("/subscription-plans", plan(&format!("p{number}"))),
        1 => ("/subscriptions", json!({ "user_id": user, "subscription_plan_id": "base" })),
        _ => {
            ("/subscription-payments", json!({ "subscription_id": subscription["id"], "amount": 1, "currency": "USD" }))
        }
    };
    let requests = (0..KEYS * RETRIES).map(|place| {
        let (number, server) = (place % KEYS, servers[place / KEYS % servers.len()]);
        let (target, body) = create(number);
        keyed(server, &format!("key-{number}"), target, &body)
    });
    let answers = all_at_once(requests).await;
    for number in 0..KEYS {
        let of_key: Vec<Answer> = answers.iter().skip(number).step_by(KEYS).cloned().collect();
        assert_eq!(of_key.len(), RETRIES);
        one_effect(&of_key);
    }
    assert_eq!(count(app, "SELECT COUNT(*) FROM plans").await, 1 + 4);
    assert_eq!(count(app, "SELECT COUNT(*) FROM subscriptions").await, 1 + 4);
    assert_eq!(count(app, "SELECT COUNT(*) FROM payments").await, 4);
    assert_eq!(count(app, "SELECT COUNT(*) FROM idempotency_keys").await, 12);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixteen_retries_at_once_make_one_row_each_on_one_server() {
    storm(&[&TestApp::start().await]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixteen_retries_at_once_make_one_row_each_on_two_servers() {
    let app = TestApp::start().await;
    if let Some(other_server) = app.second_server().await {
        storm(&[&app, &other_server]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_bodies_under_one_key_at_once_make_one_row() {
    let app = TestApp::start().await;
    let other_server = app.second_server().await;
    for round in 0..5 {
        let requests = (0..RETRIES).map(|number| {
            let server = other_server.as_ref().filter(|_| number / 2 % 2 == 1).unwrap_or(&app);
            keyed(server, &format!("k{round}"), "/subscription-plans", &plan(&format!("r{round}-{}", number % 2)))
        });
        let answers = all_at_once(requests).await;
        let (made, refused): (Vec<Answer>, Vec<Answer>) = answers.into_iter().partition(|answer| answer.status == 201);
        assert_eq!((made.len(), refused.len()), (RETRIES / 2, RETRIES / 2));
        one_effect(&made);
        for answer in refused {
            answer.refused(422, "idempotency_key_reused");
        }
    }
    assert_eq!(count(&app, "SELECT COUNT(*) FROM plans").await, 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slug_goes_to_one_of_many_keys() {
    let app = TestApp::start().await;
    let requests = (0..RETRIES).map(|number| keyed(&app, &format!("k{number}"), "/subscription-plans", &plan("pro")));
    let mut made = 0;
    for answer in all_at_once(requests).await {
        if answer.status == 201 {
            made += 1;
        } else {
            answer.refused(409, "slug_taken");
        }
    }
    assert_eq!(made, 1);
    assert_eq!(count(&app, "SELECT COUNT(*) FROM idempotency_keys").await, 1, "a refused key stays free");
}

static NO_EVENTS: Sql = Sql::split(
    "CREATE TRIGGER no_events BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no events today'); END",
    "ALTER TABLE events ADD CONSTRAINT no_events CHECK (kind <> 'plan.created') NOT VALID",
);
static EVENTS_AGAIN: Sql = Sql::split("DROP TRIGGER no_events", "ALTER TABLE events DROP CONSTRAINT no_events");

#[tokio::test]
async fn a_key_its_record_and_its_event_commit_together_or_not_at_all() {
    let app = TestApp::start().await;
    let events = app.events().await.len();
    execute(&app, &NO_EVENTS).await;
    let answer = keyed(&app, "k", "/subscription-plans", &plan("pro")).send().await.refused(500, "internal");
    assert!(!String::from_utf8_lossy(&answer.bytes).contains("events"), "no inner detail");
    assert_eq!(count(&app, "SELECT COUNT(*) FROM plans").await, 0);
    assert_eq!(count(&app, "SELECT COUNT(*) FROM idempotency_keys").await, 0);
    execute(&app, &EVENTS_AGAIN).await;
    let made = keyed(&app, "k", "/subscription-plans", &plan("pro")).send().await.expect(201);
    assert_eq!(made.header("idempotency-replayed"), "");
    assert_eq!(app.events().await.len(), events + 1);
    assert_eq!(count(&app, "SELECT COUNT(*) FROM idempotency_keys").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_who_wait_for_a_rejected_request_try_themselves() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let requests = (0..RETRIES).map(|_| keyed(&app, "k", "/subscription-plans", &plan("pro")));
    for answer in all_at_once(requests).await {
        answer.refused(409, "slug_taken");
    }
    app.delete("/subscription-plans/pro").await.expect(200);
    one_effect(&all_at_once((0..RETRIES).map(|_| keyed(&app, "k", "/subscription-plans", &plan("pro")))).await);
}
