//! API rules 15 (`docs/api.md`): `/test-clock` and the time of the records under it.

use super::support::{Sandbox, id};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

const NOW: &str = "2025-01-31T10:00:00.000000Z";

#[tokio::test]
async fn a_clock_is_created_read_and_jumps() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::new(&app).await;
    sandbox.get("/test-clock").await.refused(404, "not_found");
    sandbox.put("/test-clock", json!({ "now": NOW })).await.refused(404, "not_found");
    sandbox.delete("/test-clock").await.refused(404, "not_found");
    let created = sandbox.post("/test-clock", json!({ "now": "2025-01-31T11:00:00+01:00" })).await.expect(201);
    let clock = json!({ "now": NOW, "target": null, "status": "ready", "transitions": 0, "limit_reached": false });
    assert_eq!((created.data(), created.header("location")), (&clock, "/test-clock"));
    assert_eq!(sandbox.get("/test-clock").await.expect(200).data(), &clock);
    sandbox.post("/test-clock", json!({ "now": NOW })).await.refused(409, "clock_exists");
    let later = "2025-02-10T10:00:00.000000Z";
    let jumped = sandbox.put("/test-clock", json!({ "now": later, "mode": "jump" })).await.expect(200);
    assert_eq!((&jumped.data()["now"], &jumped.data()["status"]), (&json!(later), &json!("ready")));
    // The whole record can be sent back.
    let same = sandbox.put("/test-clock", {
        let mut body = jumped.data().clone();
        body["mode"] = json!("jump");
        body
    });
    assert_eq!(same.await.expect(200).data(), jumped.data());
}

#[tokio::test]
async fn a_live_organization_has_no_clock() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    app.post("/test-clock", &json!({ "now": NOW })).await.refused(409, "not_a_test_organization");
    app.get("/test-clock").await.refused(404, "not_found");
    assert_eq!(app.get("/organization").await.expect(200).data()["mode"], "live");
}

#[tokio::test]
async fn bad_moves_are_rejected_and_change_nothing() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    for (body, code) in [
        (json!({ "now": "2025-01-31T09:59:59Z" }), "out_of_range"),
        (json!({ "now": "2035-01-31T10:00:01Z" }), "out_of_range"),
        (json!({ "now": "2035-01-31T10:00:01Z", "mode": "jump" }), "out_of_range"),
        (json!({ "now": "soon" }), "invalid_format"),
        (json!({ "now": null }), "not_nullable"),
        (json!({ "now": "2025-02-01T00:00:00Z", "mode": "leap" }), "unknown_value"),
        (json!({ "now": "2025-02-01T00:00:00Z", "speed": 2 }), "unknown_field"),
    ] {
        sandbox.put("/test-clock", body).await.refused(422, code);
    }
    assert_eq!(sandbox.get("/test-clock").await.expect(200).data()["now"], NOW);
    let other = Sandbox::named(&app, "other").await;
    other.post("/test-clock", json!({})).await.refused(422, "required");
    other.post("/test-clock", json!({ "now": NOW, "status": "ready" })).await.refused(422, "read_only_field");
    // Its plan was made in real time, which is later.
    other.plan("pro").await;
    other.post("/test-clock", json!({ "now": NOW })).await.refused(422, "inconsistent");
    other.post("/test-clock", json!({ "now": "2026-03-10T12:00:00Z" })).await.expect(201);
}

#[tokio::test]
async fn no_record_that_a_clock_governs_is_newer_than_a_new_clock() {
    let app = TestApp::start().await;
    for (name, path, body) in [
        ("coupons", "/coupons", json!({ "code": "SPRING", "percent": 5, "duration": "once" })),
        ("meters", "/meters", json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })),
        ("features", "/features", json!({ "key": "export", "name": "Export", "kind": "boolean" })),
        ("credits", "", json!({ "currency": "USD", "amount": 5 })),
    ] {
        let sandbox = Sandbox::named(&app, name).await;
        let user = sandbox.user("ada@example.com").await;
        let path = if path.is_empty() { format!("/users/{user}/credits") } else { path.to_owned() };
        sandbox.post(&path, body).await.expect(201);
        sandbox.post("/test-clock", json!({ "now": NOW })).await.refused(422, "inconsistent");
        sandbox.post("/test-clock", json!({ "now": "2026-03-10T12:00:00Z" })).await.expect(201);
    }
    // Users and tax rates have real time.
    let sandbox = Sandbox::named(&app, "rates").await;
    sandbox.user("ada@example.com").await;
    sandbox.post("/tax-rates", json!({ "name": "VAT", "percentage": 19 })).await.expect(201);
    sandbox.post("/test-clock", json!({ "now": NOW })).await.expect(201);
}

#[tokio::test]
async fn records_events_and_access_have_the_time_of_the_clock_and_users_have_real_time() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    let (user, plan) = (sandbox.user("ada@example.com").await, sandbox.plan("pro").await);
    let fields = json!({ "ends_at": "2025-02-05T10:00:00Z" });
    let subscription = sandbox.subscription(&user, &plan, fields).await;
    assert_eq!((&subscription["created_at"], &subscription["starts_at"]), (&json!(NOW), &json!(NOW)));
    assert_eq!(
        (&subscription["renews_at"], &subscription["has_access"]),
        (&json!("2025-02-28T10:00:00.000000Z"), &json!(true))
    );
    // An ID begins with its milliseconds: those of the clock are earlier than those of the real time of this user.
    let later = sandbox.user("bob@example.com").await;
    assert!(id(&subscription)["sub_".len()..] < later["usr_".len()..]);
    let event = sandbox.events("subscription.created", 1).await.remove(0);
    assert_eq!(event["timestamp"], NOW);
    let payment =
        json!({ "subscription_id": id(&subscription), "amount": 1, "currency": "USD", "status": "completed" });
    assert_eq!(sandbox.post("/subscription-payments", payment).await.expect(201).data()["date"], NOW);
    let read_user = sandbox.get(&format!("/users/{user}")).await.expect(200).data().clone();
    assert_eq!(read_user["created_at"], "2026-03-10T12:00:00.000000Z");
    // Real time passes, and nothing changes.
    app.advance(30 * 86_400);
    let path = format!("/subscriptions/{}", id(&subscription));
    assert_eq!(sandbox.get(&path).await.expect(200).data()["has_access"], true);
    sandbox.put("/test-clock", json!({ "now": "2025-02-05T10:00:00Z", "mode": "jump" })).await.expect(200);
    assert_eq!(sandbox.get(&path).await.expect(200).data()["has_access"], false);
    let updated = sandbox.put(&path, json!({ "quantity": 2 })).await.expect(200).data().clone();
    assert_eq!(updated["updated_at"], "2025-02-05T10:00:00.000000Z");
    let deleted = sandbox.delete(&path).await.expect(200).data().clone();
    assert_eq!(deleted["id"], subscription["id"]);
    assert_eq!(sandbox.events("subscription.deleted", 1).await[0]["timestamp"], "2025-02-05T10:00:00.000001Z");
}

#[tokio::test]
async fn an_idempotency_key_lives_in_real_time() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    let create =
        async || sandbox.request("POST", "/subscription-plans").header("idempotency-key", "k").json(&plan).send().await;
    let first = create().await.expect(201);
    sandbox.put("/test-clock", json!({ "now": "2026-01-31T10:00:00Z", "mode": "jump" })).await.expect(200);
    let again = create().await.expect(201);
    assert_eq!((again.data(), again.header("idempotency-replayed")), (first.data(), "true"));
    app.advance(25 * 3600);
    create().await.refused(409, "slug_taken");
}

#[tokio::test]
async fn every_server_sees_at_once_where_the_clock_was_moved_to() {
    let app = TestApp::start().await;
    let Some(other) = app.second_server().await else { return };
    let sandbox = Sandbox::at(&app, NOW).await;
    let there = sandbox.on(&other);
    let (user, plan) = (sandbox.user("ada@example.com").await, sandbox.plan("pro").await);
    let path = format!(
        "/subscriptions/{}",
        id(&there.subscription(&user, &plan, json!({ "ends_at": "2025-02-05T10:00:00Z" })).await)
    );
    for (server, now, has_access) in [(&sandbox, "2025-02-05T09:59:59Z", true), (&there, "2025-02-05T10:00:00Z", false)]
    {
        server.put("/test-clock", json!({ "now": now, "mode": "jump" })).await.expect(200);
        for reader in [&sandbox, &there] {
            assert_eq!(reader.get(&path).await.expect(200).data()["has_access"], has_access);
        }
    }
}

#[tokio::test]
async fn the_events_of_a_clock_have_its_record() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    let _working = sandbox.work();
    sandbox.put("/test-clock", json!({ "now": "2025-02-01T10:00:00Z", "mode": "jump" })).await.expect(200);
    sandbox.advance("2025-03-01T10:00:00Z").await;
    let created = sandbox.events("test_clock.created", 1).await.remove(0);
    assert_eq!(
        (&created["data"]["now"], &created["before"], &created["timestamp"]),
        (&json!(NOW), &Value::Null, &json!(NOW))
    );
    let advanced = sandbox.events("test_clock.advanced", 2).await;
    let shown: Vec<&Value> = advanced.iter().map(|event| &event["data"]["now"]).collect();
    assert_eq!(shown, ["2025-02-01T10:00:00.000000Z", "2025-03-01T10:00:00.000000Z"]);
    assert_eq!((&advanced[0]["client_id"].is_string(), &advanced[1]["client_id"]), (&true, &Value::Null));
    assert_eq!((&advanced[1]["request_id"], &advanced[1]["data"]["status"]), (&json!("lifecycle"), &json!("ready")));
    assert!(advanced[0]["record_id"].as_str().unwrap().starts_with("clk_"));
}
