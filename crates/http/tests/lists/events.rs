//! API rules 7 (`docs/api.md`): one event for every change, with the record before and after; no change, no event.

use super::support::*;
use perennial_app::{clients, events};
use perennial_domain::clients::ClientKind;
use perennial_domain::events::Event;
use perennial_domain::id::{PaymentId, PlanId, SubscriptionId};
use perennial_domain::time::Time;
use perennial_store::Sql;
use perennial_testkit::{Answer, Request, TestApp};
use serde_json::{Value, json};

/// A record as an event stores it: without what is derived from the clock.
fn kept(record: &Value) -> Value {
    let mut record = record.clone();
    record.as_object_mut().unwrap().remove("has_access");
    record
}

fn parsed(text: Option<&String>) -> Option<Value> {
    text.map(|text| serde_json::from_str(text).unwrap())
}

fn record_id(id: &str) -> [u8; 16] {
    let plan = id.parse::<PlanId>().map(PlanId::bytes);
    plan.or_else(|_| id.parse::<SubscriptionId>().map(SubscriptionId::bytes))
        .or_else(|_| id.parse::<PaymentId>().map(PaymentId::bytes))
        .unwrap()
}

/// The one event that came since `known` were there.
async fn new_event(app: &TestApp, known: &[Event]) -> Event {
    let mut new: Vec<Event> = app.events().await.into_iter().filter(|event| !known.contains(event)).collect();
    assert_eq!(new.len(), 1, "{new:?}");
    new.remove(0)
}

#[tokio::test]
async fn every_change_of_a_record_writes_one_complete_event() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("base", json!({})).await;
    let subscription = app.subscription(&user, "base", json!({})).await["id"].clone();
    let client = clients::list(&app.app, app.organization).await.unwrap();
    let client = client.iter().find(|client| client.kind == ClientKind::Trusted).unwrap().id;
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    for (kind, target, body, change) in [
        ("plan", "/subscription-plans", plan, json!({ "price": 2.5, "is_active": false })),
        (
            "subscription",
            "/subscriptions",
            json!({ "user_id": user, "subscription_plan_id": "base" }),
            json!({ "status": "cancelled" }),
        ),
        (
            "payment",
            "/subscription-payments",
            json!({ "subscription_id": subscription, "amount": 1, "currency": "usd" }),
            json!({ "status": "paid" }),
        ),
    ] {
        let mut path = target.to_owned();
        let (mut before, mut stored) = (None, String::new());
        for (number, (method, verb)) in
            [("POST", "created"), ("PUT", "updated"), ("DELETE", "deleted")].iter().enumerate()
        {
            app.advance(1);
            let known = app.events().await;
            let request_id = format!("req-{kind}-{number}");
            let request = app.request(method, &path).header("x-request-id", &request_id);
            let answer = match *method {
                "POST" => request.json(&body).send().await.expect(201),
                "PUT" => request.json(&change).send().await.expect(200),
                _ => request.send().await.expect(200),
            };
            let event = new_event(&app, &known).await;
            assert_eq!(event.kind.as_str(), format!("{kind}.{verb}"));
            assert_eq!(event.record_id, record_id(answer.data()["id"].as_str().unwrap()));
            assert_eq!((event.organization_id, event.client_id), (app.organization, Some(client)));
            assert_eq!((event.request_id.as_deref(), event.at), (Some(request_id.as_str()), app.now()));
            assert_eq!(parsed(event.before.as_ref()), before);
            let after = (*method != "DELETE").then(|| kept(answer.data()));
            assert_eq!(parsed(event.after.as_ref()), after);
            if *method == "DELETE" {
                assert_eq!(answer.header("etag"), stored, "a delete answers the record it removed");
            } else {
                let etag = answer.header("etag").trim_matches('"');
                assert_eq!(etag.split('-').next().unwrap(), event.id.suffix(), "the revision is the last event");
                answer.header("etag").clone_into(&mut stored);
            }
            before = after;
            if *method == "POST" {
                answer.header("location").clone_into(&mut path);
            } else if *method == "PUT" {
                assert_eq!(app.get(&path).await.expect(200).header("etag"), stored);
            }
        }
    }
}

#[tokio::test]
async fn a_put_that_changes_nothing_writes_nothing() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let plan = app.plan("pro", json!({})).await;
    let subscription = app.subscription(&user, "pro", json!({})).await;
    let payment = app.payment(subscription["id"].as_str().unwrap(), json!({})).await;
    let events = app.events().await;
    app.advance(60);
    for (path, record) in [
        ("/subscription-plans/pro".to_owned(), plan),
        (format!("/subscriptions/{}", subscription["id"].as_str().unwrap()), subscription),
        (format!("/subscription-payments/{}", payment["id"].as_str().unwrap()), payment),
    ] {
        let etag = app.get(&path).await.expect(200).header("etag").to_owned();
        for body in [json!({}), record.clone()] {
            let answer = app.put(&path, &body).await.expect(200);
            assert_eq!((answer.data(), answer.header("etag")), (&record, etag.as_str()));
        }
    }
    assert_eq!(app.events().await, events);
}

#[tokio::test]
async fn a_rejected_change_writes_nothing() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    app.plan("old", json!({ "is_active": false })).await;
    let changes = json!({ "external_subscription_id": "ext", "status": "expired" });
    let subscription = app.subscription(&user, "pro", changes).await;
    let path = format!("/subscriptions/{}", subscription["id"].as_str().unwrap());
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    let post = |target: &str, body: Value| app.request("POST", target).json(&body);
    let put = |target: &str, body: Value| app.request("PUT", target).json(&body);
    let events = app.events().await;
    let errors: Vec<(Request, u16)> = vec![
        (post("/subscription-plans", plan.clone()), 409),
        (post("/subscription-plans", json!({ "name": "" })), 422),
        (post("/subscription-plans", plan).without("client-id"), 401),
        (app.browser("DELETE", "/subscription-plans/old"), 403),
        (put("/subscription-plans/nothing", json!({ "price": 1 })), 404),
        (put("/subscription-plans/pro", json!({ "price": -1 })), 422),
        (
            put("/subscription-plans/pro", json!({ "price": 1 })).header("if-match", "\"01h455vb4pex5vsknk084sn02q\""),
            412,
        ),
        (app.request("DELETE", "/subscription-plans/pro"), 409),
        (post("/subscriptions", json!({ "user_id": user, "subscription_plan_id": "old" })), 409),
        (
            post(
                "/subscriptions",
                json!({ "user_id": user, "subscription_plan_id": "pro", "external_subscription_id": "ext" }),
            ),
            409,
        ),
        (put(&path, json!({ "status": "active" })), 409),
        (app.request("DELETE", &path).header("if-match", "\"01h455vb4pex5vsknk084sn02q\""), 412),
        (post("/subscription-payments", json!({ "subscription_id": "sub_x", "amount": 1, "currency": "USD" })), 422),
    ];
    for (request, status) in errors {
        request.send().await.expect(status);
    }
    assert_eq!(app.events().await, events);
    assert_eq!(app.get(&path).await.expect(200).data(), &subscription);
}

static NO_EVENTS: Sql = Sql::split(
    "CREATE TRIGGER no_events BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no events today'); END",
    "ALTER TABLE events ADD CONSTRAINT no_events CHECK (kind NOT LIKE '%.updated' AND kind NOT LIKE '%.deleted') NOT VALID",
);

#[tokio::test]
async fn a_change_without_its_event_does_not_happen() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    app.plan("free", json!({})).await;
    let subscription = app.subscription(&user, "pro", json!({})).await;
    let id = subscription["id"].as_str().unwrap();
    let payment = app.payment(id, json!({})).await;
    let (subscription_path, payment_path) =
        (format!("/subscriptions/{id}"), format!("/subscription-payments/{}", payment["id"].as_str().unwrap()));
    execute(&app, &NO_EVENTS).await;
    let reported = |answer: Answer| (answer.bytes.clone(), answer.header("etag").to_owned());
    for (path, change) in [
        ("/subscription-plans/free", json!({ "price": 5 })),
        (&subscription_path, json!({ "status": "paused" })),
        (&payment_path, json!({ "status": "completed" })),
    ] {
        let before = reported(app.get(path).await.expect(200));
        app.put(path, &change).await.refused(500, "internal");
        app.delete(path).await.refused(500, "internal");
        assert_eq!(reported(app.get(path).await.expect(200)), before);
    }
}

#[tokio::test]
async fn events_about_users_name_fields_and_never_the_person() {
    let app = TestApp::start().await;
    let user = app.user("ada.lovelace@example.com").await;
    app.post("/users", &json!({ "email": "ADA.Lovelace@example.com" })).await.refused(409, "email_taken");
    let events = app.events().await;
    let about: Vec<&Event> = events.iter().filter(|event| event.kind.as_str() == "user.created").collect();
    assert_eq!(about.len(), 1, "the taken address made no user and no event");
    assert_eq!(parsed(about[0].after.as_ref()), Some(json!({ "id": user, "fields": ["email"] })));
    assert!(!format!("{events:?}").to_lowercase().contains("lovelace"));
}

/// After every event that a test writes: what is pruned depends on when an event entered the feed, not on the clock of
/// the organization.
fn later() -> Time {
    Time::parse("2999-01-01T00:00:00Z").unwrap()
}

/// Waits until every event has a position.
async fn placed(app: &TestApp) {
    while app.app.db.place_events().await.unwrap().is_none_or(|placed| placed.events > 0) && app.app.db.is_shared() {}
}

#[tokio::test]
async fn pruning_removes_what_is_older_and_nothing_else() {
    let app = TestApp::start().await;
    let other = Tenant::new(&app, "other").await;
    app.plan("first", json!({})).await;
    app.plan("second", json!({})).await;
    placed(&app).await;
    let (all, theirs) = (app.events().await, events::list(&app.app, other.organization, None, 100).await.unwrap());
    let before_all = Time::parse("1999-01-01T00:00:00Z").unwrap();
    assert_eq!(events::prune(&app.app, app.organization, before_all, events::Readers::Wait).await.unwrap(), 0);
    // The newest event stays, so that positions continue after it.
    let older = all.len() - 1;
    assert_eq!(
        events::prune(&app.app, app.organization, later(), events::Readers::Wait).await.unwrap(),
        u64::try_from(older).unwrap()
    );
    let left = app.events().await;
    assert!(left.len() == 1 && left[0].after.as_ref().unwrap().contains("\"second\""), "{left:?}");
    assert_eq!(events::list(&app.app, other.organization, None, 100).await.unwrap(), theirs);
    assert_eq!(events::prune(&app.app, app.organization, later(), events::Readers::Wait).await.unwrap(), 0);
    app.get("/subscription-plans/first").await.expect(200);
}

static MANY: Sql = Sql::split(
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
     INSERT INTO events (organization_id, id, kind, record_id, client_id, request_id, at, before, after)
     SELECT id, unhex('00000000000070008000' || printf('%012x', i)), 'plan.created', id, NULL, NULL, 0, NULL, NULL
     FROM organizations, n",
    "INSERT INTO events (organization_id, id, kind, record_id, client_id, request_id, at, before, after)
     SELECT id, ('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, 'plan.created', id, NULL, NULL,
            '1970-01-01T00:00:00Z', NULL, NULL
     FROM organizations, generate_series(1, 2500) AS i",
);

#[tokio::test]
async fn pruning_thousands_leaves_none_behind() {
    let app = TestApp::start().await;
    let older = app.events().await.len();
    execute(&app, &MANY).await;
    placed(&app).await;
    let pruned = events::prune(&app.app, app.organization, later(), events::Readers::Wait).await.unwrap();
    assert_eq!(pruned, 2500 + u64::try_from(older).unwrap() - 1);
    assert_eq!(app.events().await.len(), 1);
}
