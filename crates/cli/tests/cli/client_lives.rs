//! A client's life on a running server: a change by the operator holds everywhere within five seconds.

use crate::support::{Caller, Place, Server, Setting, eventually};
use serde_json::json;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(5);

/// Waits for the refusal; a client's last call may have been a moment ago.
#[track_caller]
fn stops_working(caller: &Caller) {
    let refused = || (caller.get("/subscription-plans").status == 401).then_some(());
    eventually(SOON, "an end to the client", refused);
    assert_eq!(caller.get("/subscription-plans").expect(401).json()["code"], "invalid_client");
}

/// One server, and on PostgreSQL a second.
fn servers(place: &Place) -> Vec<Server> {
    let first = place.serve();
    let more = place.is_postgres().then(|| place.elsewhere().serve());
    std::iter::once(first).chain(more).collect()
}

#[test]
fn a_disabled_client_stops_working_on_every_server_within_five_seconds() {
    let place = Place::new();
    let servers = servers(&place);
    for (name, id) in [("trusted", place.first("trusted_client_id")), ("public", "default".to_owned())] {
        let callers: Vec<Caller> = servers.iter().map(|server| server.caller(&id)).collect();
        for caller in &callers {
            caller.get("/subscription-plans").expect(200);
        }
        let said = place.run(&["client", "disable", name]).succeeded();
        assert!(said.contains("within 5 seconds"), "{said}");
        callers.iter().for_each(stops_working);
    }
}

#[test]
fn a_rotated_client_has_a_new_id_and_the_old_one_stops_within_five_seconds() {
    let place = Place::new();
    let servers = servers(&place);
    let old = place.first("trusted_client_id");
    let old: Vec<Caller> = servers.iter().map(|server| server.caller(&old)).collect();
    for caller in &old {
        caller.get("/subscriptions").expect(200);
    }
    let rotated = place.json(&["client", "rotate", "trusted"]);
    let id = rotated["client_id"].as_str().unwrap();
    assert!(id.starts_with("pk_") && id.len() == 35 && id != old[0].client_id);
    for server in &servers {
        server.caller(id).get("/subscriptions").expect(200);
    }
    old.iter().for_each(stops_working);

    let said = place.run(&["client", "rotate", rotated["id"].as_str().unwrap()]).succeeded();
    let newest = said.lines().map(str::trim).find(|line| line.starts_with("pk_")).unwrap();
    servers[0].caller(newest).get("/subscriptions").expect(200);
    stops_working(&servers[0].caller(id));
    for words in [["client", "list"], ["events", "list"]] {
        let shown = place.run(&words).succeeded() + &place.json(&words).to_string();
        assert!(!shown.contains(id) && !shown.contains(newest), "{words:?} shows a credential");
    }
    let changes = place.json(&["events", "list"]);
    let of_client =
        |event: &&serde_json::Value| event["type"] == "client.updated" && event["record_id"] == rotated["id"];
    assert_eq!(changes.as_array().unwrap().iter().filter(of_client).count(), 2);
}

#[test]
fn a_client_that_expired_does_not_work() {
    let place = Place::new();
    let server = place.serve();
    let words = ["client", "create", "--name", "old", "--kind", "trusted", "--scope", "plans:read", "--expires-at"];
    let of = |instant: &str| place.json(&[&words[..], &[instant]].concat())["client_id"].as_str().unwrap().to_owned();
    server.caller(of("2020-01-01T00:00:00Z")).get("/subscription-plans").expect(401);
    server.caller(of("2999-01-01T00:00:00Z")).get("/subscription-plans").expect(200);
}

#[test]
fn a_client_from_another_address_is_refused() {
    let place = Place::new();
    let server = place.serve();
    let words = ["client", "create", "--name", "far", "--kind", "trusted", "--scope", "plans:read", "--cidr"];
    let of = |range: &str| place.json(&[&words[..], &[range]].concat())["client_id"].as_str().unwrap().to_owned();
    let answer = server.caller(of("10.0.0.0/8")).get("/subscription-plans").expect(403);
    assert_eq!(answer.json()["code"], "address_not_allowed");
    server.caller(of("10.0.0.0/8,127.0.0.1/32")).get("/subscription-plans").expect(200);
}

#[test]
fn a_second_organization_sees_nothing_of_the_first() {
    let setting = Setting::new();
    let subscription = setting.caller.post("/subscriptions", &setting.subscription("ours")).expect(201).data();
    let payment = json!({ "subscription_id": subscription["id"], "amount": 1, "currency": "USD" });
    let payment = setting.caller.post("/subscription-payments", &payment).expect(201).data();
    let place = &setting.place;
    place.json(&["org", "create", "--name", "acme", "--currency", "EUR"]);
    let every = "auth,plans:read,plans:write,subscriptions:read,subscriptions:write,payments:read,payments:write";
    let words = ["client", "create", "--name", "acme", "--kind", "trusted", "--scope", every, "--org", "acme"];
    let acme = setting.server.caller(place.json(&words)["client_id"].as_str().unwrap());

    assert_eq!(acme.get("/subscription-plans").expect(200).data(), json!([]));
    assert_eq!(acme.get("/subscriptions").expect(200).data(), json!([]));
    let id = |record: &serde_json::Value| record["id"].as_str().unwrap().to_owned();
    let plan = subscription["subscription_plan_id"].as_str().unwrap();
    for path in [
        "/subscription-plans/pro".to_owned(),
        format!("/subscription-plans/{plan}"),
        format!("/subscriptions/{}", id(&subscription)),
        format!("/subscription-payments/{}", id(&payment)),
    ] {
        acme.get(&path).expect(404);
        acme.call("PUT", &path, Some(&json!({}))).expect(404);
        acme.call("DELETE", &path, None).expect(404);
        setting.caller.get(&path).expect(200);
    }
    acme.post("/subscriptions", &setting.subscription("theirs")).expect(422);
    let events = place.json(&["events", "list", "--org", "acme"]).to_string();
    assert!(!events.contains(&id(&subscription)) && !events.contains("\"ours\""));
    // The same names are free there.
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 5, "billing_cycle": "yearly" });
    assert_eq!(acme.post("/subscription-plans", &plan).expect(201).data()["currency"], "EUR");
}
