//! Pings, retries, seeks and what they leave: API rules 13.6 to 13.8.

use super::support::{endpoint, place, receiver, service};
use perennial_app::housekeeping::sweep_webhooks;
use perennial_domain::id::WebhookEndpointId;
use perennial_domain::webhook_delivery::{AttemptError, Reader, Undelivered, UndeliveredState};
use perennial_store::{Change, feed, leases, webhook_readers, webhook_undelivered};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

pub(super) fn id(endpoint: &Value) -> WebhookEndpointId {
    endpoint["id"].as_str().unwrap().parse().unwrap()
}

pub(super) async fn reader(app: &TestApp, endpoint: &Value) -> Reader {
    webhook_readers::of_endpoint(&app.app.db, app.organization, id(endpoint)).await.unwrap().unwrap()
}

/// The newest position of the feed.
pub(super) async fn newest(app: &TestApp) -> i64 {
    while app.app.db.place_events().await.unwrap().is_some_and(|placed| placed.events > 0) {}
    feed::newest(&app.app.db, app.organization).await.unwrap().unwrap().0.sequence
}

/// An undelivered event at the newest position.
pub(super) async fn undelivered(app: &TestApp, endpoint: &Value, state: UndeliveredState) -> Undelivered {
    let sequence = newest(app).await;
    let event_id = feed::at(&app.app.db, app.organization, sequence).await.unwrap().unwrap();
    let row = Undelivered {
        organization_id: app.organization,
        endpoint_id: id(endpoint),
        sequence,
        event_id,
        event_type: "plan.created".to_owned(),
        record_id: [9; 16],
        entered_at: feed::entered_at(&app.app.db, app.organization, sequence).await.unwrap().unwrap(),
        state,
        attempts: 2,
        is_resend: false,
        next_attempt_at: (state == UndeliveredState::Waiting).then(|| app.now().plus_seconds(600)),
        first_failed_at: Some(app.now()),
        last_status: Some(500),
        last_error: Some(AttemptError::Status),
    };
    app.app.db.commit(webhook_undelivered::put(Change::new(), &row)).await.unwrap();
    row
}

/// A lease that another server holds on the endpoint's reader.
pub(super) async fn lease(app: &TestApp, endpoint: &Value) -> leases::Lease {
    let lease = leases::Lease { unit: webhook_readers::unit(app.organization, id(endpoint)), owner: [5; 16] };
    assert!(lease.acquire(&app.app.db).await.unwrap());
    lease
}

/// The endpoint fails: its circuit is open, and its state is `failing`. Ends a delivery, which would store that it is closed.
pub(super) async fn open_circuit(app: &TestApp, endpoint: &Value) {
    let before = perennial_store::webhook_endpoints::by_id(&app.app.db, app.organization, id(endpoint));
    let before = before.await.unwrap().unwrap();
    let change = perennial_store::webhook_endpoints::update(Change::new(), &before.failing(), before.revision);
    let (failing_since, next_probe_at) = (Some(app.now()), Some(app.now().plus_seconds(60)));
    let reader = Reader { failures: 10, failing_since, next_probe_at, ..reader(app, endpoint).await };
    let change = webhook_readers::unit(app.organization, id(endpoint)).revoke(change);
    app.app.db.commit(webhook_readers::save(change, &reader)).await.unwrap();
}

#[tokio::test]
async fn a_ping_is_a_signed_sample_and_its_attempt_is_stored() {
    let app = service().await;
    let (url, received) = receiver("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel\0o").await;
    let made = endpoint(&app, json!({ "url": url, "is_active": false })).await;
    let ping = format!("{}/ping", place(&made));
    let attempt = app.post(&ping, &json!({})).await.expect(200).data().clone();
    let request = received.lock().unwrap()[0].clone();
    assert!(request.head.starts_with("POST /hook HTTP/1.1"), "{}", request.head);
    assert_eq!(request.header("content-type"), "application/json");
    assert!(request.header("user-agent").starts_with("perennial/"));
    assert_eq!(request.header("webhook-timestamp"), "1773144000");
    let event: Value = serde_json::from_str(&request.body).unwrap();
    assert_eq!((&event["type"], &event["test"]), (&json!("webhook.ping"), &json!(true)));
    assert_eq!(
        (&event["id"], request.header("webhook-id").as_str()),
        (&attempt["event_id"], event["id"].as_str().unwrap())
    );
    let expected = json!({ "trigger": "ping", "number": 1, "outcome": "succeeded", "status": 200, "error": null });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&attempt[name], value, "{name}");
    }
    assert_eq!((&attempt["response"], &attempt["endpoint_id"]), (&json!("hel\u{fffd}o"), &made["id"]));
    app.post(&ping, &json!({ "type": "plan.created" })).await.expect(200);
    let event: Value = serde_json::from_str(&received.lock().unwrap()[1].body).unwrap();
    assert!(event["data"]["slug"].is_string(), "{event}");
    app.post(&ping, &json!({ "type": "plan.eaten" })).await.refused(422, "unknown_value");
    app.put(&place(&made), &json!({ "payload": "thin" })).await.expect(200);
    app.post(&ping, &json!({ "type": "plan.updated" })).await.expect(200);
    let event: Value = serde_json::from_str(&received.lock().unwrap()[2].body).unwrap();
    assert_eq!((&event["data"], &event["before"]), (&json!({ "id": event["record_id"] }), &json!(null)));
    let listed = app.get(&format!("{}/attempts", place(&made))).await.expect(200);
    assert_eq!(listed.data().as_array().unwrap().len(), 3);
    assert!(listed.data().as_array().unwrap().contains(&attempt));
    let filtered =
        format!("{}/attempts?event_id={}&outcome=succeeded", place(&made), attempt["event_id"].as_str().unwrap());
    assert_eq!(*app.get(&filtered).await.expect(200).data(), json!([attempt]));
    app.get(&format!("{}/attempts?outcome=lost", place(&made))).await.refused(400, "invalid_parameter");
}

#[tokio::test]
async fn endpoints_that_fail_are_described_and_redirects_are_not_followed() {
    let app = service().await;
    for (response, error, status) in [
        ("HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n", "status", json!(500)),
        ("HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\n\r\n", "redirect", json!(302)),
        ("garbage\r\n\r\n", "protocol_error", json!(null)),
    ] {
        let (url, received) = receiver(response).await;
        let made = endpoint(&app, json!({ "url": url })).await;
        let attempt = app.post(&format!("{}/ping", place(&made)), &json!({})).await.expect(200);
        assert_eq!((&attempt.data()["error"], &attempt.data()["status"]), (&json!(error), &status));
        assert_eq!((&attempt.data()["outcome"], received.lock().unwrap().len()), (&json!("failed"), 1));
    }
}

#[tokio::test]
async fn a_new_endpoint_starts_at_the_newest_event() {
    let app = service().await;
    // It may have no position yet.
    app.plan("one", json!({})).await;
    let made = endpoint(&app, json!({})).await;
    assert_eq!(made["oldest_undelivered_at"], json!(null));
    // The last event is the creation of the endpoint, which it does not receive.
    assert!(reader(&app, &made).await.sequence < newest(&app).await);
    assert_eq!(app.get(&place(&made)).await.data()["oldest_undelivered_at"], json!(null));
    app.plan("two", json!({})).await;
    newest(&app).await;
    let waiting = app.get(&place(&made)).await.data()["oldest_undelivered_at"].clone();
    assert!(waiting.is_string(), "{waiting}");
}

#[tokio::test]
async fn a_retry_queues_one_event_or_everything_undelivered_of_a_time() {
    let app = service().await;
    let made = endpoint(&app, json!({})).await;
    app.plan("one", json!({})).await;
    let given_up = undelivered(&app, &made, UndeliveredState::GivenUp).await;
    app.plan("two", json!({})).await;
    let waiting = undelivered(&app, &made, UndeliveredState::Waiting).await;
    app.plan("three", json!({})).await;
    newest(&app).await;
    let list = format!("{}/undelivered", place(&made));
    let rows = app.get(&list).await.expect(200).data().clone();
    let ids = |rows: &Value| rows.as_array().unwrap().iter().map(|row| row["event_id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&rows), [json!(given_up.event_id), json!(waiting.event_id)]);
    assert_eq!(
        (&rows[0]["state"], &rows[0]["last_status"], &rows[0]["last_error"]),
        (&json!("given_up"), &json!(500), &json!("status"))
    );
    assert_eq!(ids(app.get(&format!("{list}?state=waiting")).await.expect(200).data()), [json!(waiting.event_id)]);
    app.get(&format!("{list}?state=lost")).await.refused(400, "invalid_parameter");
    let retry = format!("{}/retry", place(&made));
    let held = lease(&app, &made).await;
    // An event that was delivered.
    let delivered = app.get("/events?type=plan.created").await.expect(200).data()[2]["id"].clone();
    assert_eq!(*app.post(&retry, &json!({ "event_id": delivered })).await.expect(200).data(), json!({ "queued": 1 }));
    assert!(!held.renew(&app.app.db).await.unwrap(), "the lease is revoked");
    assert_eq!(ids(app.get(&list).await.expect(200).data()).len(), 3);
    let all = app.post(&retry, &json!({ "since": "1970-01-01T00:00:00Z" })).await.expect(200);
    assert_eq!(*all.data(), json!({ "queued": 3 }));
    let now = json!("2026-03-10T12:00:00.000000Z");
    for row in app.get(&list).await.expect(200).data().as_array().unwrap() {
        assert_eq!((&row["state"], &row["next_attempt_at"]), (&json!("waiting"), &now), "{row}");
    }
    let none = app.post(&retry, &json!({ "since": "1970-01-01T00:00:00Z", "until": "1970-01-02T00:00:00Z" })).await;
    assert_eq!(*none.expect(200).data(), json!({ "queued": 0 }));
    if !app.store().is_postgres() {
        // SQLite's clock has milliseconds: an event may have entered later in the one that is stored.
        let since = waiting.entered_at.plus_micros(999);
        let queued = app.post(&retry, &json!({ "since": since })).await.expect(200).data()["queued"].as_i64().unwrap();
        assert!(queued >= 2, "{queued}");
    }
    for (body, code) in [
        (json!({}), "required"),
        (json!({ "until": "2026-01-01T00:00:00Z" }), "required"),
        (json!({ "event_id": delivered, "since": "2026-01-01T00:00:00Z" }), "inconsistent"),
        (json!({ "since": "2026-01-01T00:00:00Z", "until": "2026-01-01T00:00:00Z" }), "inconsistent"),
        (json!({ "event_id": "evt_01h455vb4pex5vsknk084sn02q" }), "not_found"),
        (json!({ "since": "yesterday" }), "invalid_format"),
    ] {
        app.post(&retry, &body).await.refused(422, code);
    }
    app.put(&place(&made), &json!({ "is_active": false })).await.expect(200);
    app.post(&retry, &json!({ "event_id": delivered })).await.refused(409, "endpoint_disabled");
    app.post(&retry, &json!({ "since": "1970-01-01T00:00:00Z" })).await.refused(409, "endpoint_disabled");
    let unknown = json!({ "event_id": "evt_01h455vb4pex5vsknk084sn02q" });
    app.post(&retry, &unknown).await.refused(422, "not_found");
}

#[tokio::test]
async fn an_event_is_stored_for_thirty_days_after_it_was_given_up() {
    let app = service().await;
    let made = endpoint(&app, json!({})).await;
    app.plan("one", json!({})).await;
    undelivered(&app, &made, UndeliveredState::GivenUp).await;
    let list = format!("{}/undelivered", place(&made));
    let stored = async || {
        sweep_webhooks(&app.app).await.unwrap();
        app.get(&list).await.expect(200).data().as_array().unwrap().len()
    };
    // It was given up three days after its first failure.
    app.advance(33 * 86_400 - 1);
    assert_eq!(stored().await, 1);
    app.advance(12 * 86_400);
    assert_eq!(stored().await, 0);
}

#[tokio::test]
async fn a_seek_moves_the_reader_and_drops_what_waits() {
    let app = service().await;
    app.plan("one", json!({})).await;
    newest(&app).await;
    let made = endpoint(&app, json!({})).await;
    undelivered(&app, &made, UndeliveredState::Waiting).await;
    let held = lease(&app, &made).await;
    let seek = format!("{}/seek", place(&made));
    app.post(&seek, &json!({ "to": "oldest" })).await.expect(200);
    assert_eq!(reader(&app, &made).await.sequence, 0);
    assert!(!held.renew(&app.app.db).await.unwrap(), "the lease is revoked");
    assert_eq!(*app.get(&format!("{}/undelivered", place(&made))).await.data(), json!([]));
    // It may have no position yet.
    app.plan("two", json!({})).await;
    app.post(&seek, &json!({ "to": "newest" })).await.expect(200);
    assert_eq!(reader(&app, &made).await.sequence, newest(&app).await);
    app.post(&seek, &json!({ "to": "1970-01-01T00:00:00Z" })).await.expect(200);
    assert_eq!(reader(&app, &made).await.sequence, 0);
    app.post(&seek, &json!({ "to": "9999-01-01T00:00:00Z" })).await.expect(200);
    assert_eq!(reader(&app, &made).await.sequence, newest(&app).await);
    let stale = app.request("POST", &seek).header("if-match", "\"evt_01h455vb4pex5vsknk084sn02q\"");
    stale.json(&json!({ "to": "oldest" })).send().await.refused(412, "stale");
    app.post(&seek, &json!({ "to": "yesterday" })).await.refused(422, "invalid_format");
    app.post(&seek, &json!({})).await.refused(422, "required");
}

#[tokio::test]
async fn what_changes_the_destination_closes_the_circuit_and_fences_deliveries() {
    let app = service().await;
    for (method, path, body) in [
        ("PUT", "", json!({ "url": "https://203.1.113.8/" })),
        ("PUT", "", json!({ "is_active": true })),
        ("POST", "/retry", json!({ "since": "1970-01-01T00:00:00Z" })),
        ("POST", "/seek", json!({ "to": "newest" })),
    ] {
        let made = endpoint(&app, json!({})).await;
        open_circuit(&app, &made).await;
        let failing = app.get(&place(&made)).await.expect(200);
        assert_eq!(failing.data()["state"], "failing");
        assert!(failing.data()["failing_since"].is_string());
        let held = lease(&app, &made).await;
        app.request(method, &format!("{}{path}", place(&made))).json(&body).send().await.expect(200);
        let after = app.get(&place(&made)).await.expect(200);
        // Only a success ends the time of failures.
        assert_eq!(
            (&after.data()["state"], &after.data()["failing_since"]),
            (&json!("active"), &failing.data()["failing_since"]),
            "{body}"
        );
        let reader = reader(&app, &made).await;
        assert!(!reader.is_open() && reader.failures == 0, "{body}");
        assert!(!held.renew(&app.app.db).await.unwrap(), "{body}");
    }
    for (method, path, body, fences) in [
        ("PUT", "", json!({ "types": ["plan.*"] }), true),
        ("PUT", "", json!({ "payload": "thin" }), true),
        ("PUT", "", json!({ "is_active": false }), true),
        ("POST", "/rotate-secret", json!({}), true),
        ("DELETE", "", json!({}), true),
        ("PUT", "", json!({ "description": "x" }), false),
    ] {
        let made = endpoint(&app, json!({})).await;
        let held = lease(&app, &made).await;
        app.request(method, &format!("{}{path}", place(&made))).json(&body).send().await.expect(200);
        assert_eq!(!held.renew(&app.app.db).await.unwrap(), fences, "{method} {body}");
    }
}
