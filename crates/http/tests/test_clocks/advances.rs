//! Advances: from one due instant to the next, without writes on the way, and continued after a kill.

use super::support::{Sandbox, id};
use perennial_app::lifecycle::Lifecycle;
use perennial_app::test_clock::TestClocks;
use perennial_store::{Change, Sql};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

const NOW: &str = "2025-01-01T00:00:00.000000Z";

/// Subscriptions that start and end on different days.
async fn subscribe(sandbox: &Sandbox<'_>, count: usize) -> Vec<String> {
    let (user, plan) = (sandbox.user("ada@example.com").await, sandbox.plan("pro").await);
    let mut ids = Vec::new();
    for day in 1..=count {
        let fields = json!({
            "starts_at": format!("2025-02-{:02}T00:00:00Z", 1 + day % 20),
            "ends_at": format!("2025-03-{:02}T00:00:00Z", 1 + (7 * day) % 25),
            "external_subscription_id": format!("s{day}"),
        });
        ids.push(id(&sandbox.subscription(&user, &plan, fields).await));
    }
    ids
}

/// When each subscription changed its access, by its external ID, in the order of the feed.
async fn changes(sandbox: &Sandbox<'_>, least: usize) -> Vec<(String, String, bool)> {
    let read = |event: &Value| {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let external = text(&event["data"]["external_subscription_id"]);
        (text(&event["timestamp"]), external, event["data"]["has_access"].as_bool().unwrap())
    };
    let mut changes: Vec<_> = sandbox.events("subscription.access_changed", least).await.iter().map(read).collect();
    // At one instant the order of records is not defined.
    assert!(changes.is_sorted_by_key(|(at, ..)| at.clone()));
    changes.sort();
    changes
}

#[tokio::test]
async fn each_change_happens_at_its_instant() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    let _working = sandbox.work();
    subscribe(&sandbox, 3).await;
    let clock = sandbox.advance("2025-04-01T00:00:00Z").await;
    assert_eq!(
        clock,
        json!({ "now": "2025-04-01T00:00:00.000000Z", "target": null, "status": "ready", "transitions": 6, "limit_reached": false })
    );
    let expected = [
        ("2025-02-02T00:00:00.000000Z", "s1", true),
        ("2025-02-03T00:00:00.000000Z", "s2", true),
        ("2025-02-04T00:00:00.000000Z", "s3", true),
        ("2025-03-08T00:00:00.000000Z", "s1", false),
        ("2025-03-15T00:00:00.000000Z", "s2", false),
        ("2025-03-22T00:00:00.000000Z", "s3", false),
    ];
    let expected: Vec<_> = expected.map(|(at, id, access)| (at.to_owned(), id.to_owned(), access)).into();
    assert_eq!(changes(&sandbox, 6).await, expected);
    // A further advance counts from zero.
    assert_eq!(sandbox.advance("2025-05-01T00:00:00Z").await["transitions"], 0);
}

#[tokio::test]
async fn one_step_equals_many() {
    let app = TestApp::start().await;
    let (once, often) = (Sandbox::named(&app, "once").await, Sandbox::named(&app, "often").await);
    let _working = once.work();
    for sandbox in [&once, &often] {
        sandbox.post("/test-clock", json!({ "now": NOW })).await.expect(201);
        subscribe(sandbox, 30).await;
    }
    once.advance("2025-04-01T00:00:00Z").await;
    for stop in ["2025-01-01T00:00:00Z", "2025-02-04T00:00:00Z", "2025-02-04T00:00:01Z", "2025-03-11T12:34:56Z"] {
        often.advance(stop).await;
    }
    often.advance("2025-04-01T00:00:00Z").await;
    assert_eq!(changes(&once, 60).await, changes(&often, 60).await);
}

#[tokio::test]
async fn writes_are_rejected_while_the_clock_moves_and_reads_are_served() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    let ids = subscribe(&sandbox, 1).await;
    let path = format!("/subscriptions/{}", ids[0]);
    // No engine runs, so the clock stays where it is.
    let moving = sandbox.put("/test-clock", json!({ "now": "2025-02-15T00:00:00Z" })).await.expect(200);
    assert_eq!(
        moving.data(),
        &json!({ "now": NOW, "target": "2025-02-15T00:00:00.000000Z", "status": "advancing", "transitions": 0, "limit_reached": false })
    );
    let plan = json!({ "name": "More", "slug": "more", "price": 1, "billing_cycle": "monthly" });
    sandbox.post("/subscription-plans", plan.clone()).await.refused(409, "clock_advancing");
    sandbox.put(&path, json!({ "quantity": 2 })).await.refused(409, "clock_advancing");
    sandbox.delete(&path).await.refused(409, "clock_advancing");
    sandbox.post("/users", json!({ "email": "new@example.com" })).await.refused(409, "clock_advancing");
    sandbox.put("/test-clock", json!({ "now": "2025-02-16T00:00:00Z" })).await.refused(409, "clock_advancing");
    sandbox.delete("/test-clock").await.refused(409, "clock_advancing");
    // The invoices of the way depend on them.
    let hours = |hours: u8| json!({ "billing": { "draft_hours": hours } });
    sandbox.put("/organization", hours(2)).await.refused(409, "clock_advancing");
    sandbox.put("/organization", hours(1)).await.expect(200);
    // So are writes that are only tried.
    let dry = |path: &str| format!("{path}?dry_run=true");
    sandbox.post(&dry("/subscription-plans"), plan.clone()).await.refused(409, "clock_advancing");
    sandbox.put(&dry(&path), json!({ "quantity": 2 })).await.refused(409, "clock_advancing");
    sandbox.delete(&dry(&path)).await.refused(409, "clock_advancing");
    sandbox.put(&dry("/organization"), hours(2)).await.refused(409, "clock_advancing");
    // Other errors come first, and a request that changes nothing is no write.
    sandbox.put(&path, json!({ "quantity": 0 })).await.refused(422, "out_of_range");
    sandbox.put(&path, json!({ "quantity": 1 })).await.expect(200);
    sandbox.get(&path).await.expect(200);
    let user = sandbox.get(&path).await.expect(200).data()["user_id"].as_str().unwrap().to_owned();
    sandbox.delete(&format!("/users/{user}")).await.refused(409, "clock_advancing");
    let profile = format!("/users/{user}/billing-profile");
    sandbox.put(&profile, json!({ "tax_exempt": true })).await.refused(409, "clock_advancing");
    // Another organization is not affected.
    app.plan("pro", json!({})).await;
    let _working = sandbox.work();
    sandbox.clock_that(|clock| clock["status"] == "ready").await;
    sandbox.post("/subscription-plans", plan).await.expect(201);
}

#[tokio::test]
async fn any_server_continues_an_advance_of_a_server_that_is_gone() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    subscribe(&sandbox, 20).await;
    sandbox.put("/test-clock", json!({ "now": "2025-04-01T00:00:00Z" })).await.expect(200);
    // A server that stops after each few steps, as often as it takes. It begins a tenth of a second after its start.
    for _ in 0..1_000 {
        let working = app.work(TestClocks);
        tokio::time::sleep(std::time::Duration::from_millis(120)).await;
        working.send_replace(true);
        if sandbox.get("/test-clock").await.expect(200).data()["status"] == "ready" {
            break;
        }
    }
    let clock = sandbox.clock_that(|clock| clock["status"] == "ready").await;
    assert_eq!((&clock["now"], &clock["transitions"]), (&json!("2025-04-01T00:00:00.000000Z"), &json!(40)));
    assert_eq!(changes(&sandbox, 40).await.len(), 40);
}

#[tokio::test]
async fn two_servers_advance_a_clock_once() {
    let app = TestApp::start().await;
    let Some(other) = app.second_server().await else { return };
    let sandbox = Sandbox::at(&app, NOW).await;
    let _working = (sandbox.work(), sandbox.on(&other).work());
    subscribe(&sandbox, 20).await;
    let clock = sandbox.advance("2025-04-01T00:00:00Z").await;
    assert_eq!((&clock["status"], &clock["transitions"]), (&json!("ready"), &json!(40)));
    assert_eq!(changes(&sandbox, 40).await.len(), 40);
    assert_eq!(sandbox.events("test_clock.advanced", 1).await.len(), 1);
}

#[tokio::test]
async fn an_advance_stops_after_its_limit_of_actions() {
    static NEARLY: Sql = Sql::new("UPDATE test_clocks SET transitions = 99998");
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    subscribe(&sandbox, 5).await;
    sandbox.put("/test-clock", json!({ "now": "2025-04-01T00:00:00Z" })).await.expect(200);
    app.app.db.commit(Change::new().execute_any(&NEARLY, vec![])).await.unwrap();
    let working = app.work(TestClocks);
    let clock = sandbox.clock_that(|clock| clock["status"] != "advancing").await;
    assert_eq!(
        clock,
        json!({ "now": "2025-02-03T00:00:00.000000Z", "target": null, "status": "ready", "transitions": 100_000, "limit_reached": true })
    );
    drop(working);
    // The next advance begins again.
    let _working = app.work(TestClocks);
    let clock = sandbox.advance("2025-04-01T00:00:00Z").await;
    assert_eq!((&clock["transitions"], &clock["limit_reached"]), (&json!(8), &json!(false)));
}

#[tokio::test]
async fn after_a_jump_work_is_late_and_done_at_the_time_of_the_clock() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    subscribe(&sandbox, 2).await;
    let jumped = sandbox.put("/test-clock", json!({ "now": "2025-02-20T00:00:00Z", "mode": "jump" })).await.expect(200);
    assert_eq!((&jumped.data()["status"], &jumped.data()["transitions"]), (&json!("working"), &json!(0)));
    let _working = app.work(Lifecycle);
    sandbox.clock_that(|clock| clock["status"] == "ready").await;
    let changes = changes(&sandbox, 2).await;
    assert!(changes.iter().all(|(at, _, access)| at.starts_with("2025-02-20T00:00:00") && *access), "{changes:?}");
}

#[tokio::test]
async fn real_time_does_not_move_a_test_organization() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    subscribe(&sandbox, 2).await;
    let (user, plan) = (app.user("ada@example.com").await, app.plan("pro", json!({})).await);
    let live =
        app.subscription(&user, plan["id"].as_str().unwrap(), json!({ "ends_at": "2026-03-11T12:00:00Z" })).await;
    let _working = sandbox.work();
    app.advance(86_400);
    // The live organization's change is made, which is after all that is due in real time.
    for _ in 0..2_000 {
        let events = app.get(&format!("/events?record_id={}", live["id"].as_str().unwrap())).await.expect(200);
        if events.data().as_array().unwrap().len() == 2 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    assert!(sandbox.events("subscription.access_changed", 0).await.is_empty());
    assert_eq!(sandbox.get("/test-clock").await.expect(200).data()["status"], "ready");
}
