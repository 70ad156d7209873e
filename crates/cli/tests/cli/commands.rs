//! The operator's commands next to a running server: `org`, `user`, `events` and `migrate`.

use crate::support::{Output, Place, Setting};
use serde_json::{Value, json};
use std::process::Stdio;

fn ids(records: &Value) -> Vec<String> {
    records.as_array().unwrap().iter().map(|record| record["id"].as_str().unwrap().to_owned()).collect()
}

/// The first words of the lines of a table.
fn first_column(table: &str) -> Vec<&str> {
    table.lines().filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn organizations_are_created_and_listed() {
    let place = Place::new();
    let _server = place.serve();
    let acme = place.json(&["org", "create", "--name", "Acme & Söhne", "--currency", "eur"]);
    assert_eq!((&acme["name"], &acme["currency"]), (&json!("Acme & Söhne"), &json!("EUR")));
    let said = place.run(&["org", "create", "--name", "Zeta"]).succeeded();
    assert!(said.starts_with("Created Zeta (org_"), "{said}");
    let listed = place.json(&["org", "list"]);
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["default", "Acme & Söhne", "Zeta"]);
    assert_eq!(listed[1], acme);
    let table = place.run(&["org", "list"]).succeeded();
    assert_eq!(first_column(&table)[1..], ids(&listed));
    assert!(table.starts_with("ID ") && table.contains("Acme & Söhne  EUR"), "{table}");

    place.run(&["org", "create", "--name", "Zeta"]).refused_with(&["\"Zeta\" already"]);
    place.run(&["org", "create", "--name", ""]).refused_with(&["--name"]);
    place.run(&["org", "create", "--name", "X", "--currency", "XXX", "--json"]).refused_with(&["--currency"]);
    assert_eq!(ids(&place.json(&["org", "list"])).len(), 3);
}

#[test]
fn the_sessions_an_organization_wants_are_said_and_unsaid() {
    let place = Place::new();
    let _server = place.serve();
    let acme = place.json(&["org", "create", "--name", "acme", "--max-sessions", "3"]);
    assert_eq!(acme["max_sessions"], 3);
    let raised = place.json(&["org", "update", "acme", "--max-sessions", "5"]);
    assert_eq!((&raised["max_sessions"], &raised["created_at"]), (&json!(5), &acme["created_at"]));
    assert!(raised["updated_at"].as_str() > acme["updated_at"].as_str());
    // Saying the same again changes nothing and writes no event.
    assert_eq!(place.json(&["org", "update", "acme", "--max-sessions", "5"]), raised);
    let said = place.run(&["org", "update", acme["id"].as_str().unwrap(), "--no-max-sessions"]).succeeded();
    assert!(said.contains("no bound"), "{said}");
    assert_eq!(place.json(&["org", "list"])[1]["max_sessions"], Value::Null);
    let events = place.json(&["events", "list", "--org", "acme"]);
    let kinds: Vec<&str> = events.as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["organization.updated", "organization.updated", "organization.created"]);
    assert_eq!((&events[1]["before"], &events[1]["data"]), (&acme, &raised));

    place.run(&["org", "update", "nowhere", "--max-sessions", "1"]).refused_with(&["\"nowhere\""]);
    let wrong: [&[&str]; 4] = [
        &["org", "update", "acme"],
        &["org", "update", "acme", "--max-sessions", "0"],
        &["org", "update", "acme", "--max-sessions", "1", "--no-max-sessions"],
        &["org", "create", "--name", "x", "--max-sessions", "many"],
    ];
    for words in wrong {
        let output = place.run(words);
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{words:?}");
    }
}

#[test]
fn users_are_created_and_listed_in_an_organization_named_by_name_or_id() {
    let place = Place::new();
    let _server = place.serve();
    let acme = place.json(&["org", "create", "--name", "acme"])["id"].as_str().unwrap().to_owned();
    let ada = place.json(&["user", "create", "--email", "  Ada@Example.COM "]);
    assert_eq!(ada["email"], "ada@example.com");
    // An address is taken within its organization only.
    let said = place.run(&["user", "create", "--email", "ada@example.com", "--org", "acme"]).succeeded();
    assert!(said.starts_with("Created usr_"), "{said}");
    place.run(&["user", "create", "--email", "ada@example.com"]).refused_with(&["default", "already"]);
    let taken = place.run(&["user", "create", "--email", "ADA@example.com", "--org", &acme]);
    taken.refused_with(&["acme", "already"]);
    place.run(&["user", "create", "--email", "invalid"]).refused_with(&["--email"]);
    place.run(&["user", "list", "--org", "nowhere"]).refused_with(&["\"nowhere\"", "perennial org list"]);
    let unknown = "org_00000000000000000000000000";
    place.run(&["user", "list", "--org", unknown]).refused_with(&[unknown]);

    assert_eq!(ids(&place.json(&["user", "list"])), [ada["id"].as_str().unwrap()]);
    let by_id = place.json(&["user", "list", "--org", &acme]);
    assert_eq!(by_id, place.json(&["user", "list", "--org", "acme"]));
    assert_eq!(said.trim(), format!("Created {}.", ids(&by_id)[0]));
    let bob = place.json(&["user", "create", "--email", "bob@example.com"]);
    assert_eq!(ids(&place.json(&["user", "list", "--limit", "1"])), [bob["id"].as_str().unwrap()]);
    let table = place.run(&["user", "list"]).succeeded();
    assert_eq!(first_column(&table), ["ID", bob["id"].as_str().unwrap(), ada["id"].as_str().unwrap()]);
}

#[test]
fn a_user_made_beside_a_running_server_can_subscribe_at_once() {
    let setting = Setting::new();
    let user = setting.place.json(&["user", "create", "--email", "new@example.com"]);
    let body = json!({ "user_id": user["id"], "subscription_plan_id": "pro" });
    setting.caller.post("/subscriptions", &body).expect(201);
}

#[test]
fn events_tell_who_changed_what() {
    let setting = Setting::new();
    let created = setting.caller.post("/subscriptions", &setting.subscription("one")).expect(201);
    let place = &setting.place;
    let events = place.json(&["events", "list"]);
    let kinds: Vec<&str> = events.as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
    let newest_first = [
        "subscription.created",
        "user.created",
        "plan.created",
        "client.created",
        "client.created",
        "organization.created",
    ];
    assert_eq!(kinds, newest_first);
    let newest = &events[0];
    // Events are as the API returns them.
    let members: Vec<&String> = newest.as_object().unwrap().keys().collect();
    let wire = ["id", "type", "timestamp", "sequence", "record_id", "client_id", "operator_id", "request_id", "test"];
    assert_eq!(members, [&wire[..], &["data", "before"]].concat());
    assert_eq!(newest["data"], created.data());
    assert_eq!(newest["record_id"], created.data()["id"]);
    assert_eq!(newest["request_id"], created.header("x-request-id"));
    assert_eq!(newest["before"], Value::Null);
    assert!(newest["client_id"].as_str().unwrap().starts_with("cli_"));
    // That of the command line has no client; a person's holds nothing of the person.
    assert_eq!((&events[1]["client_id"], &events[1]["request_id"]), (&Value::Null, &Value::Null));
    assert!(!events[1].to_string().contains("ada"), "{}", events[1]);

    let table = place.run(&["events", "list"]).succeeded();
    assert_eq!(table.lines().count(), 7);
    assert!(table.contains("subscription.created") && table.contains("command line"), "{table}");
    assert_eq!(ids(&place.json(&["events", "list", "--limit", "2"])), ids(&events)[..2]);
    let after_two = place.json(&["events", "list", "--before", &ids(&events)[1]]);
    assert_eq!(ids(&after_two), ids(&events)[2..]);
    place.run(&["events", "list", "--before", "yesterday"]).refused_with(&["--before", "evt_"]);
}

#[test]
fn events_are_pruned_up_to_an_instant_in_one_organization() {
    let setting = Setting::new();
    let place = &setting.place;
    place.json(&["org", "create", "--name", "acme"]);
    let events = place.json(&["events", "list"]);
    let cut = events[1]["timestamp"].as_str().unwrap();
    place.run(&["events", "prune", "--before", "soon"]).refused_with(&["--before"]);
    let pruned = place.prune_events(cut).data()["pruned"].as_u64().unwrap();
    // An id knows its millisecond, so an event of the same one may stay.
    let left = ids(&place.json(&["events", "list"]));
    assert_eq!(left, ids(&events)[..left.len()]);
    assert!(!left.is_empty() && usize::try_from(pruned).unwrap() == ids(&events).len() - left.len());
    let pruned = place.prune_events("9999-01-01T00:00:00Z").data()["pruned"].as_u64().unwrap();
    assert_eq!(usize::try_from(pruned).unwrap(), left.len() - 1);
    assert_eq!(ids(&place.json(&["events", "list"])), left[..1], "the newest event stays");
    assert_eq!(ids(&place.json(&["events", "list", "--org", "acme"])).len(), 1);
    setting.caller.get("/subscription-plans/pro").expect(200);
}

#[test]
fn migrate_makes_the_schema_once() {
    let place = Place::without_schema();
    let first = place.json(&["migrate"]);
    let names: Vec<&str> = first["applied"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(names.first(), Some(&"0001_foundation"));
    assert_eq!(first["version"], names.len());
    assert_eq!(place.json(&["migrate"]), json!({ "version": first["version"], "applied": [] }));
    let said = place.run(&["migrate"]).succeeded();
    assert_eq!(said, format!("The store is at version {} already.\n", first["version"]));
    let said = Place::without_schema().run(&["migrate"]).succeeded();
    assert!(said.starts_with("Applied 0001_foundation"), "{said}");
    let server = place.serve();
    server.wait_until_ready();
    assert_eq!(place.json(&["migrate"])["applied"], json!([]));
}

#[test]
fn a_command_without_a_store_says_how_to_get_one_and_makes_nothing() {
    let place = Place::without_schema();
    let commands: [&[&str]; 4] =
        [&["org", "list"], &["client", "list"], &["user", "list"], &["events", "list", "--json"]];
    for words in commands {
        let advice = if place.is_postgres() { "perennial migrate" } else { "perennial serve" };
        place.run(words).refused_with(&[advice]);
    }
    assert!(!place.data().exists());
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let place = Place::new();
    let _server = place.serve();
    let commands: [&[&str]; 3] = [&["client", "list"], &["events", "list", "--json"], &["openapi"]];
    for words in commands {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = place.program();
        let child = command.args(words).stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
    }
}

#[test]
fn wrong_words_are_answered_with_the_right_ones() {
    let place = Place::new();
    let cases: [(&[&str], &str); 4] = [
        (&[], "Usage"),
        (&["sreve"], "serve"),
        (&["client", "create"], "--name"),
        (&["serve", "--port", "1"], "--port"),
    ];
    for (words, hint) in cases {
        let Output { code, stdout, stderr } = place.run(words);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{words:?}");
        assert!(stderr.contains(hint), "{stderr}");
    }
}
