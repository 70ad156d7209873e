//! Test organizations, test clocks and holds on the command line, with a server that works on them.

use crate::backups::with_key_of;
use crate::support::{PATIENCE, Place, Server, eventually, masked, snapshot};
use crate::transfers::text;
use serde_json::{Value, json};

/// A test organization `t` with a client that holds every scope that its clock and records need.
fn sandbox(place: &Place) -> String {
    let made = place.json(&["org", "create", "--name", "t", "--test", "--currency", "EUR"]);
    assert_eq!((&made["mode"], &made["currency"]), (&json!("test"), &json!("EUR")));
    let scopes = "plans:read,plans:write,subscriptions:read,subscriptions:write,organization:read,organization:write";
    let words = ["client", "create", "--org", "t", "--name", "script", "--kind", "trusted", "--scope", scopes];
    place.json(&words)["client_id"].as_str().unwrap().to_owned()
}

fn clock(place: &Place) -> Value {
    place.json(&["test-clock", "get", "--org", "t"])
}

fn until_ready(place: &Place) {
    eventually(PATIENCE, "a ready clock", || (clock(place)["status"] == "ready").then_some(()));
}

#[test]
fn a_script_moves_the_clock_of_a_test_organization() {
    let place = Place::new();
    let server = place.serve();
    let caller = server.caller(sandbox(&place));
    let user = place.json(&["user", "create", "--org", "t", "--email", "ada@example.com"])["id"].clone();
    let mut text = String::new();
    let mut run = |words: &[&str]| {
        let printed = place.run(&[&["test-clock"], words].concat()).succeeded();
        text.extend(["$ ", words[0], "\n", &printed, "\n"]);
    };
    run(&["create", "--org", "t", "--now", "2025-01-31T10:00:00Z"]);
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    caller.post("/subscription-plans", &plan).expect(201);
    let subscription = json!({ "user_id": user, "subscription_plan_id": "pro", "ends_at": "2025-02-10T00:00:00Z" });
    let made = caller.post("/subscriptions", &subscription).expect(201).data();
    let listed = place.json(&["subscription", "list", "--org", "t"]);
    assert_eq!((&listed[0]["has_access"], &made["created_at"]), (&json!(true), &json!("2025-01-31T10:00:00.000000Z")));
    run(&["advance", "--org", "t", "--to", "2025-03-01T00:00:00Z", "--wait"]);
    run(&["get", "--org", "t"]);
    assert_eq!(clock(&place)["transitions"], 1);
    assert_eq!(place.json(&["subscription", "list", "--org", "t"])[0]["has_access"], false);
    let status = place.json(&["lifecycle", "status", "--org", "t"]);
    assert_eq!(
        status,
        json!({
            "now": "2025-03-01T00:00:00.000000Z", "mode": "test", "held": false, "held_reason": null, "due": 0,
            "lag_seconds": 0, "parked": 0
        })
    );
    run(&["advance", "--org", "t", "--to", "2025-03-02T00:00:00Z", "--jump"]);
    run(&["delete", "--org", "t"]);
    eventually(PATIENCE, "no clock", || (caller.get("/test-clock").status == 404).then_some(()));
    assert_eq!(caller.get("/subscription-plans").expect(200).data(), json!([]));
    place.run(&["test-clock", "get", "--org", "t"]).refused_with(&["the organization has no test clock"]);
    place.run(&["test-clock", "create", "--now", "2025-01-31T10:00:00Z"]).refused_with(&["the organization is live"]);
    snapshot("test-clock-commands", &masked(&text));
    server.stop("TERM");
}

#[test]
fn an_advance_continues_after_a_kill() {
    let place = Place::new();
    let server = place.serve();
    let client = sandbox(&place);
    let user = place.json(&["user", "create", "--org", "t", "--email", "ada@example.com"])["id"].clone();
    place.run(&["test-clock", "create", "--org", "t", "--now", "2025-01-01T00:00:00Z"]).succeeded();
    let caller = server.caller(client.clone());
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    caller.post("/subscription-plans", &plan).expect(201);
    for hour in 1..=200 {
        let ends_at = format!("2025-01-{:02}T{:02}:00:00Z", 2 + hour / 24, hour % 24);
        let body = json!({ "user_id": user, "subscription_plan_id": "pro", "ends_at": ends_at });
        caller.post("/subscriptions", &body).expect(201);
    }
    caller.call("PUT", "/test-clock", Some(&json!({ "now": "2025-02-01T00:00:00Z" }))).expect(200);
    server.kill();
    // On PostgreSQL the lease of the server that is gone ends after 15 seconds.
    let server = place.serve();
    until_ready(&place);
    assert_eq!(clock(&place)["now"], "2025-02-01T00:00:00.000000Z");
    let changed = place.json(&["events", "list", "--org", "t", "--limit", "1000"]);
    let kinds = changed.as_array().unwrap().iter().filter(|event| event["type"] == "subscription.access_changed");
    assert_eq!(kinds.count(), 200);
    server.stop("TERM");
}

/// Whether and why the organization `default` is on hold.
fn hold(place: &Place) -> (Value, Value) {
    let status = place.json(&["lifecycle", "status"]);
    (status["held"].clone(), status["held_reason"].clone())
}

#[test]
fn organizations_that_came_by_a_restore_a_copy_or_an_import_are_on_hold() {
    let place = Place::sqlite();
    drop(place.serve());
    assert_eq!(hold(&place), (json!(false), Value::Null));
    let file = place.path().join("b.backup");
    place.run(&["backup", "create", text(&file)]).succeeded();
    place.run(&["export", "all.ndjson"]).succeeded();

    let restored = with_key_of(&place);
    restored.run(&["backup", "restore", text(&file)]).succeeded();
    assert_eq!(hold(&restored), (json!(true), json!("restored")));
    let doctor = restored.run(&["doctor"]);
    let said = doctor.succeeded();
    assert!(said.contains("on hold, so that nothing is billed: default (restored)"), "{said}");
    let partly = restored.json(&["lifecycle", "resume", "--through", "2020-01-01T00:00:00Z"]);
    assert_eq!(partly["held"], true);
    let resumed = restored.json(&["lifecycle", "resume"]);
    assert_eq!((&resumed["held"], &resumed["held_reason"]), (&json!(false), &Value::Null));
    restored.run(&["lifecycle", "resume", "--through", "soon"]).refused_with(&["--through"]);

    let copied = with_key_of(&place);
    copied.run(&["copy", "--from", text(&place.data()), "--to", text(&copied.data())]).succeeded();
    assert_eq!(hold(&copied), (json!(true), json!("copied")));

    let imported = Place::sqlite();
    let export = place.path().join("all.ndjson");
    imported.run(&["import", text(&export)]).succeeded();
    drop(imported.serve());
    assert_eq!(hold(&imported), (json!(true), json!("imported")));
    imported.run(&["lifecycle", "resume"]).succeeded();
    // What is already there does not come again.
    imported.run(&["import", text(&export)]).succeeded();
    assert_eq!(hold(&imported), (json!(false), Value::Null));
}

#[test]
fn a_server_without_the_lifecycle_only_serves() {
    let place = Place::sqlite();
    let server = Server::start(place.serve_command().env("PERENNIAL_LIFECYCLE_ENABLED", "false"));
    let caller = server.caller(sandbox(&place));
    place.run(&["test-clock", "create", "--org", "t", "--now", "2025-01-31T10:00:00Z"]).succeeded();
    let moving = caller.call("PUT", "/test-clock", Some(&json!({ "now": "2025-02-01T00:00:00Z" }))).expect(200);
    assert_eq!(moving.data()["status"], "advancing");
    server.stop("TERM");
    let server = place.serve();
    until_ready(&place);
    server.stop("TERM");
}
