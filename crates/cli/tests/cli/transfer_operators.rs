//! Export and import of operators: their records, and nothing that signs them in.

use crate::support::{Place, Setting};
use crate::transfers::exported;
use serde_json::{Value, json};

fn operators(lines: &str) -> Vec<Value> {
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["type"] == "operator").collect()
}

#[test]
fn operators_go_out_and_in_without_their_links_and_sessions() {
    let Setting { place, server, .. } = Setting::new();
    for (name, role) in [("ada", "admin"), ("grace", "viewer"), ("Ünï <b>", "support")] {
        place.run(&["operator", "create", "--name", name, "--role", role]).succeeded();
    }
    place.run(&["operator", "update", "grace", "--is-active", "false"]).succeeded();
    let link = place.json(&["operator", "link", "ada"])["url"].as_str().unwrap().to_owned();
    server.stop("TERM");
    let lines = exported(&place);
    let found = operators(&lines);
    assert_eq!(found.len(), 3, "{found:?}");
    let secret = link.rsplit_once("lnk_").unwrap().1;
    assert!(!lines.contains(secret) && !lines.contains("\"operator_link\""), "no link is exported");
    let other = Place::new();
    std::fs::write(other.path().join("in.ndjson"), &lines).unwrap();
    let done = other.json(&["import", "in.ndjson"]);
    assert_eq!((&done["refused"], &done["imported"]), (&json!(0), &json!(true)));
    assert_eq!(operators(&exported(&other)), found);
    let again = other.json(&["import", "in.ndjson"]);
    assert_eq!(again["made"], json!(0), "the same again changes nothing");
    let _server = other.serve();
    let listed = other.json(&["operator", "list"]);
    let mut shown: Vec<(&str, &str, bool)> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["name"].as_str().unwrap(), one["role"].as_str().unwrap(), one["is_active"].as_bool().unwrap()))
        .collect();
    shown.sort_unstable();
    assert_eq!(shown, [("ada", "admin", true), ("grace", "viewer", false), ("Ünï <b>", "support", true)]);
    assert_eq!(other.json(&["operator", "sessions", "ada"]).as_array().map(Vec::len), Some(0));
}
