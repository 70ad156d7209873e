//! What an import holds records to beyond their fields: what the API would never have made does not come in this way.

use crate::support::{Place, snapshot_of_rows};
use crate::transfers::{demo, exported};
use serde_json::{Value, json};

/// The first line of a kind.
fn line(export: &str, kind: &str) -> Value {
    let head = format!("{{\"type\":\"{kind}\"");
    serde_json::from_str(export.lines().find(|line| line.starts_with(&head)).unwrap()).unwrap()
}

/// A plan, a user, and a subscription of theirs, all of one organization.
fn few(export: &str) -> Vec<Value> {
    let (plan, user) = (line(export, "plan"), line(export, "user"));
    let mut subscription = line(export, "subscription");
    subscription["user_id"] = user["id"].clone();
    subscription["subscription_plan_id"] = plan["id"].clone();
    vec![line(export, "organization"), user, plan, subscription]
}

fn reported(place: &Place, lines: &[Value]) -> Vec<String> {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(place.path().join("few.ndjson"), text.join("\n")).unwrap();
    let output = place.run(&["import", "few.ndjson", "--dry-run"]);
    let end = |line: &str| line.split_once(": ").unwrap().1.to_owned();
    if output.code == Some(0) { Vec::new() } else { output.stdout.lines().map(end).collect() }
}

#[test]
fn a_live_subscription_needs_a_live_plan_and_an_erased_person_stays_erased() {
    let (first, second) = (demo(), Place::new());
    let export = exported(&first);
    let right = few(&export);
    let end = json!("2026-11-15T00:00:00Z");
    assert_eq!(reported(&second, &right), [""; 0]);

    let mut lines = right.clone();
    lines[2]["deleted_at"] = end.clone();
    assert_eq!(reported(&second, &lines), ["subscription_plan_id names a record that is deleted (not_found)"]);
    lines[3]["deleted_at"] = end.clone();
    assert_eq!(reported(&second, &lines), [""; 0], "a deleted one may");

    let mut lines = right.clone();
    lines[1]["deleted_at"] = end;
    let faults = reported(&second, &lines);
    assert!(faults.contains(&"email must be null once the user is deleted (inconsistent)".to_owned()), "{faults:?}");
    assert_eq!(faults.len(), 5, "{faults:?}");
    for field in ["email", "first_name", "last_name", "terms", "notifications"] {
        lines[1][field] = Value::Null;
    }
    assert_eq!(reported(&second, &lines), [""; 0], "the subscriptions of an erased person stay");

    let mut event = line(&export, "event");
    event["kind"] = json!("user.updated");
    event["record_id"] = right[1]["id"].clone();
    event["after"] = json!({ "id": right[1]["id"], "email": "ada@example.com" });
    event["before"] = Value::Null;
    let faults = reported(&second, &[&right[..], &[event]].concat());
    assert_eq!(faults, ["after must not contain more about a person than id, fields (inconsistent)"]);
}

#[test]
fn a_payment_is_dated_when_it_is_completed_and_not_before() {
    let (first, second) = (demo(), Place::new());
    let export = exported(&first);
    let right = few(&export);
    let mut payment = line(&export, "payment");
    payment["subscription_id"] = right[3]["id"].clone();
    for (status, date, expected) in [
        ("completed", json!("2026-11-15T00:00:00Z"), None),
        ("completed", Value::Null, Some("date must be there once the status is completed (inconsistent)")),
        (
            "pending",
            json!("2026-11-15T00:00:00Z"),
            Some("date must be null before the status is completed (inconsistent)"),
        ),
        ("refunded", Value::Null, None),
    ] {
        payment["status"] = json!(status);
        payment["date"] = date;
        let faults = reported(&second, &[&right[..], std::slice::from_ref(&payment)].concat());
        assert_eq!(faults, expected.into_iter().collect::<Vec<_>>(), "{status}");
    }
}

#[test]
fn a_record_that_comes_without_a_history_gets_its_first_event() {
    let (first, second) = (demo(), Place::new());
    let mut lines = few(&exported(&first));
    for line in &mut lines {
        line.as_object_mut().unwrap().remove("revision");
    }
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(second.path().join("few.ndjson"), text.join("\n")).unwrap();
    assert_eq!(second.json(&["import", "few.ndjson"])["made"], 4);
    let rows = snapshot_of_rows(&second);
    assert_eq!(rows.len(), 8, "each has its event");
    let out = exported(&second);
    let created: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["type"] == "event")
        .collect();
    let kinds: Vec<&str> = created.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    for kind in ["organization.created", "user.created", "plan.created", "subscription.created"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    let plan = created.iter().find(|event| event["kind"] == "plan.created").unwrap();
    assert_eq!((&plan["after"]["slug"], &plan["record_id"]), (&lines[2]["slug"], &lines[2]["id"]));
    assert!(!out.lines().filter(|line| line.starts_with("{\"type\":\"event\"")).any(|line| line.contains('@')));
    // Again is the same as once, and what goes out comes in elsewhere.
    assert_eq!(second.json(&["import", "few.ndjson"])["unchanged"], 4);
    assert!(snapshot_of_rows(&second) == rows, "a second import changed something");
    let third = Place::sqlite();
    let file = second.path().join("everything.ndjson");
    assert_eq!(third.json(&["import", file.to_str().unwrap()])["made"], 8);
}
