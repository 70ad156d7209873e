//! Members of subscriptions on the command line, and in exports, imports and copies.

use crate::support::{Place, Server, masked, snapshot, snapshot_of_rows};
use crate::transfers::exported;
use serde_json::{Value, json};

/// A subscription of ada's with two seats, and bob and eve.
fn furnished(place: &Place, server: &Server) -> String {
    let caller = server.caller(place.first("trusted_client_id"));
    for email in ["ada@example.com", "bob@example.com", "eve@example.com"] {
        place.json(&["user", "create", "--email", email]);
    }
    let seats = json!({ "key": "seats", "name": "Seats", "kind": "limit" });
    caller.post("/features", &seats).expect(201);
    let plan = json!({ "name": "Team", "slug": "team", "price": 1, "billing_cycle": "monthly", "entitlements": { "seats": 2 } });
    caller.post("/subscription-plans", &plan).expect(201);
    let ada = place.json(&["user", "get", "ada@example.com"])["id"].clone();
    let subscription = json!({ "user_id": ada, "subscription_plan_id": "team" });
    caller.post("/subscriptions", &subscription).expect(201).data()["id"].as_str().unwrap().to_owned()
}

#[test]
fn members_are_added_listed_and_removed() {
    let place = Place::new();
    let server = place.serve();
    let id = furnished(&place, &server);
    let mut text = String::new();
    let mut run = |words: &[&str]| {
        let printed = place.run(&[&["subscription", "member"], words].concat()).succeeded();
        text.extend(["$ ", words[0], "\n", &printed, "\n"]);
    };
    run(&["add", &id, "bob@example.com"]);
    run(&["list", &id]);
    place.run(&["subscription", "member", "add", &id, "bob@example.com"]).refused_with(&["already"]);
    place.run(&["subscription", "member", "add", &id, "eve@example.com"]).refused_with(&["2 seats", "remove a member"]);
    run(&["remove", &id, "bob@example.com"]);
    place.run(&["subscription", "member", "remove", &id, "bob@example.com"]).refused_with(&["is not a member"]);
    place.run(&["subscription", "member", "list", "sub_1"]).refused_with(&["no subscription"]);
    snapshot("member-commands", &masked(&text));
    let added = place.json(&["subscription", "member", "add", &id, "eve@example.com"]);
    assert_eq!(added["subscription_id"], Value::from(id.as_str()));
    let printed = place.run(&["subscription", "member", "list", &id, "--json"]).succeeded();
    let printed: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(printed["data"].as_array().unwrap().len(), 1);
    assert_eq!(printed["seats"], json!({ "limit": 2, "used": 2, "over_limit": false }), "as the API returns them");
}

#[test]
fn members_are_exported_and_imported_as_they_were() {
    let (place, second) = (Place::new(), Place::new());
    let server = place.serve();
    let id = furnished(&place, &server);
    place.json(&["subscription", "member", "add", &id, "bob@example.com"]);
    server.stop("TERM");
    let lines = exported(&place);
    assert!(lines.contains("{\"type\":\"member\""), "{lines}");
    std::fs::write(second.path().join("in.ndjson"), &lines).unwrap();
    second.run(&["import", "in.ndjson"]).succeeded();
    let rows = |place: &Place| {
        let mut rows = snapshot_of_rows(place);
        rows.retain(|(table, _)| *table == "subscription_members");
        rows
    };
    let here = rows(&place);
    assert_eq!(here.len(), 1, "{here:?}");
    assert_eq!(rows(&second), here);
    second.run(&["import", "in.ndjson"]).succeeded();
    assert_eq!((rows(&second), exported(&second)), (here, lines), "a second import changes nothing");
    // A user who does not exist is no member.
    let organization = place.json(&["org", "list"])[0]["id"].clone();
    let bad = json!({ "type": "member", "organization_id": organization, "subscription_id": id, "user_id": "unknown@example.com", "created_at": "2026-01-01T00:00:00Z" });
    std::fs::write(second.path().join("bad.ndjson"), format!("{bad}\n")).unwrap();
    let refused = second.run(&["import", "bad.ndjson"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stdout.contains("user_id names a record"), "{}", refused.stdout);
}
