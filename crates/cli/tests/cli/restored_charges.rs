//! A payment that is charged between a backup and its restore, and a subscription that names a connection in an export and a copy.

use crate::backups::with_key_of;
use crate::support::{Caller, PATIENCE, Place, eventually};
use perennial_fake_provider::{FakeProvider, Kind};
use serde_json::{Value, json};

/// A place with a connection to a provider that collects. No server runs.
fn connected(place: &Place, fake: &FakeProvider) -> String {
    drop(place.serve());
    for name in ["key", "secret"] {
        std::fs::write(place.path().join(name), format!("{name}_canary\n")).unwrap();
    }
    fake.put("payment_methods", json!({ "id": "pm_1", "object": "payment_method", "customer": "cus_1" }));
    // Later than any test.
    fake.set(|behavior| behavior.now = 4_000_000_000);
    let files = ["--api-key-file", "key", "--webhook-secret-file", "secret", "--base-url", &fake.url];
    let flags = ["--mode", "test", "--collect", "--allow-http", "--allow-private-addresses"];
    let added = place.json(&[&["connection", "add", "stripe", "--name", "main"][..], &files, &flags].concat());
    added["id"].as_str().unwrap().to_owned()
}

/// A subscription of a new user to a new plan.
fn subscribe(place: &Place, caller: &Caller, billing: &Value) -> Value {
    let user = place.json(&["user", "create", "--email", "ada@example.com"])["id"].clone();
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 10, "billing_cycle": "monthly" });
    caller.post("/subscription-plans", &plan).expect(201);
    let body = json!({ "user_id": user, "subscription_plan_id": "pro", "billing": billing });
    caller.post("/subscriptions", &body).expect(201).data()
}

#[test]
fn a_payment_that_was_charged_since_the_backup_is_not_charged_again() {
    let (place, fake) = (Place::sqlite(), FakeProvider::start(Kind::Stripe));
    let connection = connected(&place, &fake);
    let server = place.serve();
    let caller = server.caller(place.first("trusted_client_id"));
    let subscription = subscribe(&place, &caller, &Value::Null);
    let payment = json!({ "subscription_id": subscription["id"], "amount": 10, "currency": "USD" });
    let payment = caller.post("/subscription-payments", &payment).expect(201).data();
    let path = format!("/subscription-payments/{}", payment["id"].as_str().unwrap());
    let collect = |caller: &Caller| {
        let body = json!({ "connection_id": connection, "payment_method": "pm_1" });
        caller.post(&format!("{path}/collect"), &body).expect(200);
        eventually(PATIENCE, "the charge", || {
            Some(caller.get(&path).expect(200).data()).filter(|payment| payment["status"] == "completed")
        })
    };
    place.run(&["backup", "create", "monday"]).succeeded();
    assert_eq!(collect(&caller)["external_payment_id"], "pi_1");
    server.stop("TERM");
    place.run(&["backup", "restore", "monday", "--replace"]).succeeded();
    // Stripe remembers keys for a day.
    fake.forget_keys();
    let server = place.serve();
    let caller = server.caller(place.first("trusted_client_id"));
    assert_eq!(caller.get(&path).expect(200).data()["status"], "pending");
    assert_eq!(collect(&caller)["external_payment_id"], "pi_1");
    assert_eq!(fake.all("payment_intents").len(), 1);
}

#[test]
fn a_restore_of_postgresql_is_declared_by_the_operator() {
    let place = Place::new();
    drop(place.serve());
    place.run(&["org", "create", "--name", "acme"]).succeeded();
    let hold = ["lifecycle", "hold", "--restored-to"];
    place.run(&[&hold[..], &["soon"]].concat()).refused_with(&["--restored-to"]);
    place.run(&[&hold[..], &["9000-01-01T00:00:00Z"]].concat()).refused_with(&["--restored-to", "future"]);
    let both = place.run(&[&hold[..], &["2026-01-01T00:00:00Z", "--all", "--org", "acme"]].concat());
    assert_eq!(both.code, Some(2));
    let status = place.json(&[&hold[..], &["2026-01-01T00:00:00Z", "--org", "acme"]].concat());
    assert_eq!((&status["held"], &status["held_reason"]), (&json!(true), &json!("restored")));
    assert_eq!(place.json(&["lifecycle", "status"])["held"], false);
    let mut all = place.json(&[&hold[..], &["2026-01-01T00:00:00Z", "--all"]].concat())["held"].clone();
    all.as_array_mut().unwrap().sort_by_key(ToString::to_string);
    assert_eq!(all, json!(["acme", "default"]));
    assert_eq!(place.json(&["lifecycle", "status"])["held_reason"], "restored");
    assert_eq!(place.json(&["lifecycle", "resume"])["held"], false);
}

#[test]
fn a_subscription_that_names_a_connection_goes_out_and_in_and_is_copied() {
    let (place, fake) = (Place::new(), FakeProvider::start(Kind::Stripe));
    let connection = connected(&place, &fake);
    let server = place.serve();
    let caller = server.caller(place.first("trusted_client_id"));
    let created = subscribe(&place, &caller, &json!({ "connection_id": connection, "payment_method": "pm_1" }));
    assert_eq!(created["billing"]["connection_id"], json!(connection));
    let path = format!("/subscriptions/{}", created["id"].as_str().unwrap());
    eventually(PATIENCE, "the charge", || (!fake.all("payment_intents").is_empty()).then_some(()));
    server.stop("TERM");
    place.run(&["export", "all.ndjson"]).succeeded();
    let other = Place::new();
    other.run(&["import", place.path().join("all.ndjson").to_str().unwrap()]).succeeded();
    let imported = other.serve();
    let caller = imported.caller(other.first("trusted_client_id"));
    assert_eq!(caller.get(&path).expect(200).data()["billing"]["connection_id"], json!(connection));
    // Other members can be changed, although the connection is not there.
    caller.call("PUT", &path, Some(&json!({ "billing": { "payment_method": "pm_2" } }))).expect(200);
    imported.stop("TERM");
    if place.is_postgres() {
        return;
    }
    let copied = with_key_of(&place);
    let (from, to) = (place.data(), copied.data());
    copied.run(&["copy", "--from", from.to_str().unwrap(), "--to", to.to_str().unwrap()]).succeeded();
    assert_eq!(copied.json(&["connection", "get", "main"])["id"], json!(connection));
    let server = copied.serve();
    let caller = server.caller(place.first("trusted_client_id"));
    assert_eq!(caller.get(&path).expect(200).data()["billing"]["connection_id"], json!(connection));
    server.stop("TERM");
}
