//! `perennial analytics`: the figures of a demo, a rebuild of them, and the comparison with the subscriptions.

use crate::support::{Place, masked, snapshot};
use perennial_store::Sql;
use serde_json::json;

const SMALL: [&str; 5] = ["demo", "--scale", "0.02", "--until", "2026-11-15T00:00:00Z"];

static SPOIL: Sql = Sql::new(
    "UPDATE analytics_movements SET mrr = '1' WHERE user_id = (SELECT MIN(user_id) FROM analytics_movements WHERE mrr <> '0')",
);
static MONTHS: Sql = Sql::new(
    "SELECT COUNT(DISTINCT period) FROM analytics_sums WHERE series = 'revenue' AND grain = 'month' AND kind = 'new'",
);

#[test]
fn a_demo_has_a_history_that_can_be_rebuilt_and_checked() {
    let place = Place::sqlite();
    place.run(&SMALL).succeeded();
    drop(place.serve());
    let mut text = String::new();
    for words in [&["rebuild"][..], &["status"], &["check"]] {
        let printed = place.run(&[&["analytics"], words].concat()).succeeded();
        text.extend(["$ ", words[0], "\n", &printed, "\n"]);
    }
    snapshot("analytics-commands", &masked(&text));
    assert!(place.number(&MONTHS) >= 10, "{} months", place.number(&MONTHS));
    let status = place.json(&["analytics", "status"]);
    assert_eq!((&status[0]["state"], &status[0]["organization"]), (&json!("current"), &json!("default")));
    assert_eq!(place.json(&["analytics", "check"]), json!({ "differences": [] }));
    place.tamper(&SPOIL);
    let output = place.run(&["analytics", "check"]);
    let printed: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let difference = &printed["differences"][0];
    assert!(difference["ledger"] != difference["expected"] && difference["user_id"].is_string(), "{printed}");
    assert_eq!(output.code, Some(1));
    place.run(&["analytics", "rebuild"]).succeeded();
    place.run(&["analytics", "check"]).succeeded();
}

#[test]
fn a_rebuild_after_pruning_must_be_confirmed() {
    let place = Place::new();
    place.run(&SMALL).succeeded();
    drop(place.serve());
    place.run(&["analytics", "rebuild"]).succeeded();
    let pruned = place.json(&["events", "prune", "--before", "9999-01-01T00:00:00Z"])["pruned"].clone();
    assert!(pruned.as_i64().unwrap() > 100, "{pruned}");
    place.run(&["analytics", "rebuild"]).refused_with(&["events were pruned", "--discard-history"]);
    place.run(&["analytics", "check"]).succeeded();
    place.run(&["analytics", "rebuild", "--discard-history"]).succeeded();
}
