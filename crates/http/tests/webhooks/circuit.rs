//! The circuit of an endpoint: what closes it, and what does not.

use super::control::{lease, newest, open_circuit, reader, undelivered};
use super::delivery::{Base, until};
use super::support::{ENDPOINTS, endpoint, place, service};
use perennial_domain::webhook_delivery::{Reader, UndeliveredState};
use perennial_store::{Change, webhook_readers};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

/// The endpoint has failed this often, for an hour.
async fn fail(app: &TestApp, endpoint: &Value, failures: i64) -> Reader {
    let failing_since = Some(app.now().plus_seconds(-3_600));
    let failed = Reader { failures, failing_since, ..reader(app, endpoint).await };
    app.app.db.commit(webhook_readers::save(Change::new(), &failed)).await.unwrap();
    failed
}

#[tokio::test]
async fn without_an_event_to_probe_the_circuit_stays_open_and_the_next_event_is_the_probe() {
    let base = Base::start().await;
    newest(&base.app).await;
    open_circuit(&base.app, &base.endpoint).await;
    base.app.advance(61);
    until("the next probe is later", || async {
        reader(&base.app, &base.endpoint).await.next_probe_at.is_none_or(|at| at > base.app.now())
    })
    .await;
    assert!(reader(&base.app, &base.endpoint).await.is_open());
    assert_eq!(base.record().await["state"], "failing");
    base.app.plan("pro", json!({})).await;
    base.app.advance(11);
    base.state_becomes("active").await;
    base.settles().await;
    let attempts = base.attempts().await;
    assert_eq!((attempts.len(), &attempts[0]["trigger"]), (1, &json!("probe")));
    assert_eq!(base.record().await["failing_since"], json!(null));
}

#[tokio::test]
async fn every_second_probe_is_of_a_record_without_undelivered_events() {
    let base = Base::start().await;
    base.receiver.respond(|event| if event["data"]["slug"] == "poison" { 500 } else { 204 });
    base.app.plan("poison", json!({})).await;
    // Later events of the record no longer wait for one that has failed four times.
    for (attempts, delay) in (1..).zip([6, 36, 144, 0]) {
        until("a failed attempt", || async {
            base.undelivered().await.first().is_some_and(|row| row["attempts"] == json!(attempts))
        })
        .await;
        base.app.advance(delay);
    }
    open_circuit(&base.app, &base.endpoint).await;
    base.app.put("/subscription-plans/poison", &json!({ "description": "Second" })).await.expect(200);
    base.app.plan("good", json!({})).await;
    for probes in 1..=2 {
        base.app.advance(3_600);
        let is_probe = |attempt: &&Value| attempt["trigger"] == "probe";
        until("a probe", || async { base.attempts().await.iter().filter(is_probe).count() >= probes }).await;
    }
    base.state_becomes("active").await;
    assert!(base.receiver.slugs().contains(&"good".to_owned()));
}

#[tokio::test]
async fn enabling_an_active_endpoint_closes_its_circuit_and_sends_at_once() {
    let app = service().await;
    for (body, closes, events) in [
        (json!({ "is_active": true }), true, 0),
        (json!({ "is_active": true, "description": "x" }), true, 1),
        (json!({ "description": "x" }), false, 1),
    ] {
        let made = endpoint(&app, json!({})).await;
        app.plan(&format!("p{}", app.now().as_micros()), json!({})).await;
        undelivered(&app, &made, UndeliveredState::Waiting).await;
        fail(&app, &made, 5).await;
        let held = lease(&app, &made).await;
        let changed = app.put(&place(&made), &body).await.expect(200);
        assert_eq!(changed.header("etag"), app.get(&place(&made)).await.expect(200).header("etag"));
        let row = app.get(&format!("{}/undelivered", place(&made))).await.expect(200).data()[0].clone();
        assert_eq!(row["next_attempt_at"] == json!(app.now()), closes, "{body}: {row}");
        assert_eq!(reader(&app, &made).await.failures == 0, closes, "{body}");
        assert_eq!(!held.renew(&app.app.db).await.unwrap(), closes, "{body}: the lease is revoked");
        newest(&app).await;
        let id = made["id"].as_str().unwrap();
        let updates = app.get(&format!("/events?type=webhook_endpoint.updated&record_id={id}")).await;
        assert_eq!(updates.expect(200).data().as_array().unwrap().len(), events, "{body}");
        app.advance(1);
    }
}

#[tokio::test]
async fn only_a_success_and_enabling_a_disabled_endpoint_end_the_time_of_failures() {
    let app = service().await;
    for (method, path, body) in [
        ("PUT", "", json!({ "url": "https://203.1.113.8/" })),
        ("PUT", "", json!({ "is_active": true })),
        ("POST", "/retry", json!({ "since": "1970-01-01T00:00:00Z" })),
        ("POST", "/seek", json!({ "to": "newest" })),
    ] {
        let made = endpoint(&app, json!({})).await;
        let failed = fail(&app, &made, 5).await;
        app.request(method, &format!("{}{path}", place(&made))).json(&body).send().await.expect(200);
        let after = reader(&app, &made).await;
        assert_eq!((after.failures, after.failing_since), (0, failed.failing_since), "{body}");
        app.put(&place(&made), &json!({ "is_active": false })).await.expect(200);
        assert_eq!(reader(&app, &made).await.failing_since, failed.failing_since, "{body}");
        app.put(&place(&made), &json!({ "is_active": true })).await.expect(200);
        assert_eq!(reader(&app, &made).await.failing_since, None, "{body}");
    }
}

#[tokio::test]
async fn the_entity_tag_covers_the_failures_and_the_public_keys() {
    let app = service().await;
    let body = json!({ "url": "https://203.1.113.7/hook", "signature": "ed25519" });
    let created = app.post(ENDPOINTS, &body).await.expect(201);
    let made = created.data().clone();
    let tag = async || app.get(&place(&made)).await.expect(200).header("etag").to_owned();
    let first = tag().await;
    assert_eq!(created.header("etag"), first);
    fail(&app, &made, 1).await;
    let failing = tag().await;
    assert_ne!(failing, first);
    let cached = async |tag: &str| app.request("GET", &place(&made)).header("if-none-match", tag).send().await.status;
    assert_eq!((cached(&first).await, cached(&failing).await), (200, 304));
    // Failures are no new revision.
    for tag in [&first, &failing] {
        let update = app.request("PUT", &place(&made)).header("if-match", tag);
        let updated = update.json(&json!({ "description": "" })).send().await.expect(200);
        assert_eq!(updated.header("etag"), failing);
    }
    let sought = app.post(&format!("{}/seek", place(&made)), &json!({ "to": "newest" })).await.expect(200);
    assert_eq!(sought.header("etag"), failing);
    let rotated = app.post(&format!("{}/rotate-secret", place(&made)), &json!({ "overlap_seconds": 60 })).await;
    let both = rotated.expect(200).header("etag").to_owned();
    assert_eq!(tag().await, both);
    app.advance(60);
    assert_ne!(tag().await, both, "a key has expired");
    // What waits is not in the tag.
    let before = tag().await;
    app.plan("pro", json!({})).await;
    newest(&app).await;
    assert!(app.get(&place(&made)).await.expect(200).data()["oldest_undelivered_at"].is_string());
    assert_eq!(tag().await, before);
}
