//! A file with errors: each is reported with its line and column, and nothing is imported, or only valid lines.

use crate::support::{Place, snapshot_of_rows};
use crate::transfers::{demo, exported};
use perennial_store::Sql;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What is done to a line, to which kind of record, and what is said of it.
type Plant = (&'static str, &'static str, fn(&mut Value));

static TABLES: Sql = Sql::new("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'public'");

const NOBODY: &str = "usr_01h455vb4pex5vsknk084sn02q";

const PLANTS: [Plant; 20] = [
    ("user", "invalid_format", |line| line["email"] = json!("invalid")),
    ("user", "inconsistent", |line| line["issuer"] = json!("https://id.example.com")),
    ("user", "invalid_format", |line| line["created_at"] = json!("yesterday")),
    ("user", "invalid_type", |line| line["terms"] = json!("yes")),
    ("user", "unknown_field", |line| line["color"] = json!("green")),
    ("subscription", "not_found", |line| line["user_id"] = json!(NOBODY)),
    ("subscription", "unknown_value", |line| line["status"] = json!("asleep")),
    ("subscription", "ambiguous", |line| line["billing_cycle"] = json!("bimonthly")),
    ("subscription", "inconsistent", |line| line["renews_at"] = json!("1999-01-01T00:00:00Z")),
    ("subscription", "required", |line| drop(line.as_object_mut().unwrap().remove("starts_at"))),
    ("subscription", "too_short", |line| line["external_subscription_id"] = json!("")),
    ("payment", "invalid_format", |line| line["id"] = json!(NOBODY)),
    ("payment", "too_many_decimals", |line| line["amount"] = json!(1.234)),
    ("payment", "out_of_range", |line| line["amount"] = json!(-1)),
    ("payment", "unknown_value", |line| line["currency"] = json!("XXX")),
    ("payment", "not_nullable", |line| line["status"] = Value::Null),
    ("payment", "not_found", |line| line["subscription_id"] = json!("sub_01h455vb4pex5vsknk084sn02q")),
    ("event", "unknown_value", |line| line["kind"] = json!("plan.eaten")),
    ("event", "inconsistent", |line| line["record_id"] = json!("cli_01h455vb4pex5vsknk084sn02q")),
    ("event", "invalid_type", |line| line["after"] = json!([])),
];

/// The lines of an export with five faults of each kind, and the expected error of each line.
fn planted(export: &str) -> (String, BTreeMap<u64, &'static str>) {
    let mut lines: Vec<String> = export.lines().map(str::to_owned).collect();
    let mut expected = BTreeMap::new();
    for (number, (kind, code, plant)) in PLANTS.into_iter().enumerate() {
        let head = format!("{{\"type\":\"{kind}\"");
        let places = (0..lines.len()).filter(|place| lines[*place].starts_with(&head)).skip(number);
        for place in places.step_by(20).take(5).collect::<Vec<_>>() {
            let mut line: Value = serde_json::from_str(&lines[place]).unwrap();
            plant(&mut line);
            lines[place] = line.to_string();
            expected.insert(place as u64 + 1, code);
        }
    }
    (lines.join("\n"), expected)
}

#[test]
fn a_hundred_faults_of_twenty_kinds_are_told_with_their_lines() {
    let (first, second) = (demo(), Place::without_schema());
    let export = exported(&first);
    let (text, expected) = planted(&export);
    assert_eq!(expected.len(), 100);
    std::fs::write(second.path().join("planted.ndjson"), &text).unwrap();
    let output = second.run(&["import", "planted.ndjson", "--dry-run", "--json"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.starts_with("error: 100 errors in"), "{}", output.stderr);
    let reported: Value = serde_json::from_str(&output.stdout).unwrap();
    let faults = reported["data"]["faults"].as_array().unwrap();
    let code = |fault: &Value| (fault["line"].as_u64().unwrap(), fault["code"].as_str().unwrap().to_owned());
    let found: Vec<(u64, String)> = faults.iter().map(code).collect();
    let expected: Vec<(u64, String)> = expected.into_iter().map(|(line, code)| (line, code.to_owned())).collect();
    assert_eq!(found, expected);
    let lines: Vec<&str> = text.lines().collect();
    for fault in faults {
        let number = |name: &str| usize::try_from(fault[name].as_u64().unwrap()).unwrap();
        let (line, column) = (number("line"), number("column"));
        let before: String = lines[line - 1].chars().take(column - 1).collect();
        let field = fault["detail"].as_str().unwrap().split(' ').next().unwrap();
        let matches = column == 1 || before.ends_with(&format!("\"{field}\":"));
        assert!(matches, "column {column} is not the column of {field}: {before}");
    }
    if second.is_postgres() {
        assert_eq!(second.number(&TABLES), 0, "a trial left a schema");
    } else {
        assert!(!second.data().exists(), "a trial left a store");
    }
    let output = second.run(&["import", "planted.ndjson"]);
    assert_eq!((output.code, output.stdout.lines().count()), (Some(1), 100), "{}", output.stderr);
    assert_eq!(snapshot_of_rows(&second).len(), 0, "all or nothing");

    let done = second.json(&["import", "planted.ndjson", "--skip-bad", "refused.ndjson"]);
    let kept = std::fs::read_to_string(second.path().join("refused.ndjson")).unwrap();
    let refused = kept.lines().count();
    assert!(refused > 100, "payments of refused subscriptions are refused too: {refused}");
    assert_eq!((done["refused"].as_u64(), done["imported"].as_bool()), (Some(refused as u64), Some(true)));
    assert_eq!(snapshot_of_rows(&second).len(), export.lines().count() - refused);
}

#[test]
fn what_is_taken_or_differs_stands_in_the_way() {
    let (first, second) = (demo(), Place::without_schema());
    let export = exported(&first);
    let plan = |slug: &str| {
        let member = format!("\"slug\":\"{slug}\"");
        export.lines().find(|line| line.starts_with("{\"type\":\"plan\"") && line.contains(&member)).unwrap()
    };
    let (monthly, yearly) = (plan("starter-monthly"), plan("starter-yearly"));
    let organization = export.lines().next().unwrap();
    let renamed = monthly.replacen("\"name\":\"Starter\"", "\"name\":\"Other\"", 1);
    let taken = yearly.replacen("\"slug\":\"starter-yearly\"", "\"slug\":\"starter-monthly\"", 1);
    assert!(renamed != monthly && taken != yearly);
    let text = [organization, monthly, &renamed, &taken, monthly, "", "{\"type\":", "[]"].join("\n");
    std::fs::write(second.path().join("few.ndjson"), text).unwrap();
    let reported = second.run(&["import", "few.ndjson", "--dry-run"]);
    let places: Vec<String> = reported.stdout.lines().map(|line| line.split(':').nth(1).unwrap().to_owned()).collect();
    assert_eq!(places, ["3", "4", "7", "8"], "{}", reported.stdout);
    assert!(
        reported.stdout.contains("differs") && reported.stdout.contains("slug is another plan's (conflict)"),
        "{}",
        reported.stdout
    );
    let done = second.json(&["import", "few.ndjson", "--skip-bad", "bad.ndjson"]);
    assert_eq!((&done["made"], &done["unchanged"], &done["refused"]), (&json!(2), &json!(1), &json!(4)));
}
