//! The forms in which records are written: tables for people, lines of JSON, CSV for spreadsheets.

use crate::records::{lines, sign_up};
use crate::support::{Output, Place, Setting, masked, skipped, snapshot};
use serde_json::{Value, json};
use std::process::Command;

/// One of everything, the same in every run but for ids and instants.
fn furnished() -> Setting {
    let setting = Setting::new();
    let gold = json!({
        "name": "=Gold, \"the best\"", "slug": "gold", "price": 99.5, "billing_cycle": "yearly", "tier": 1,
        "variants": ["eu", "us"], "features": "sso\naudit"
    });
    setting.caller.post("/subscription-plans", &gold).expect(201);
    let made = setting.caller.post("/subscriptions", &setting.subscription("+1")).expect(201);
    for (status, external) in [("paid", "@ch_1"), ("pending", "ch_2")] {
        let body = json!({
            "subscription_id": made.data()["id"], "amount": 19.99, "currency": "USD", "status": status,
            "external_payment_id": external
        });
        setting.caller.post("/subscription-payments", &body).expect(201);
    }
    let rate = json!({ "name": "=VAT", "percentage": 19, "country": "DE" });
    setting.caller.post("/tax-rates", &rate).expect(201);
    let coupon = json!({ "code": "SPRING", "percent": 12.5, "duration": "repeating", "periods": 3 });
    setting.caller.post("/coupons", &coupon).expect(201);
    let meter = json!({ "slug": "api-calls", "name": "API calls", "aggregation": "sum", "unit": "call" });
    setting.caller.post("/meters", &meter).expect(201);
    let feature = json!({ "key": "api-calls", "name": "=API calls", "kind": "quota", "meter": "api-calls" });
    setting.caller.post("/features", &feature).expect(201);
    sign_up(&setting.place, &setting.server, "bob@example.com");
    setting
}

const KINDS: [&str; 9] =
    ["plan", "subscription", "payment", "user", "session", "tax-rate", "coupon", "meter", "feature"];

#[test]
fn every_form_of_every_list_is_as_it_was() {
    let setting = furnished();
    let place = &setting.place;
    for kind in KINDS {
        let table = place.run(&[kind, "list"]).succeeded();
        snapshot(&format!("{kind}-list-table"), &masked(&table));
        let csv = place.run(&[kind, "list", "-o", "csv"]).succeeded();
        snapshot(&format!("{kind}-list-csv"), &masked(&csv));
        let named = lines(place, &[kind, "list"])[0]["id"].as_str().unwrap().to_owned();
        let one = place.run(&[kind, "get", &named]).succeeded();
        snapshot(&format!("{kind}-get-table"), &masked(&one));
    }
    let price = json!({ "price": 29.99 });
    setting.caller.call("PUT", "/subscription-plans/pro", Some(&price)).expect(200);
    snapshot("plan-versions-table", &masked(&place.run(&["plan", "versions", "pro"]).succeeded()));
}

#[test]
fn csv_has_the_fields_of_the_record_and_no_formula() {
    let setting = furnished();
    let place = &setting.place;
    for kind in KINDS {
        let csv = place.run(&[kind, "list", "--output", "csv"]).succeeded();
        let record = &lines(place, &[kind, "list"])[0];
        let head = record.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(",");
        assert_eq!(csv.split("\r\n").next().unwrap(), head, "{kind}");
        assert!(csv.ends_with("\r\n"));
        for cell in csv.split([',', '\n']) {
            assert!(!cell.trim_start_matches('"').starts_with(['=', '+', '-', '@']), "{kind}: {cell}");
        }
        let named = record["id"].as_str().unwrap();
        let one = place.run(&[kind, "get", named, "-o", "csv"]).succeeded();
        assert!(csv.starts_with(&one), "{kind}: {one}");
        // Nothing to list has a head all the same.
        place.run(&["org", "create", "--name", kind]).succeeded();
        let none = place.run(&[kind, "list", "-o", "csv", "--org", kind]).succeeded();
        assert_eq!(none, format!("{head}\r\n"));
        assert_eq!(place.run(&[kind, "list", "-o", "json", "--org", kind]).succeeded(), "");
    }
}

#[test]
fn whoever_has_not_seen_all_is_told_how_to_go_on() {
    let setting = furnished();
    let place = &setting.place;
    for format in ["table", "csv", "json"] {
        let Output { code, stdout, stderr } = place.run(&["plan", "list", "--limit", "1", "-o", format]);
        assert_eq!((code, stdout.contains("gold")), (Some(0), false), "{stdout}");
        assert_eq!(stderr, "There may be more: continue with --after pro, or list them with --all.\n");
        place.run(&["plan", "list", "--limit", "2", "-o", format]).succeeded();
    }
    let answer = place.run(&["plan", "list", "--limit", "1", "--json"]).succeeded();
    let page = &serde_json::from_str::<Value>(&answer).unwrap()["page"];
    assert_eq!(page, &json!({ "after": "pro", "has_more": true, "limit": 1 }));
    let output = place.run(&["plan", "list", "--limit", "1", "--all"]);
    assert_eq!(output.code, Some(2), "{}", output.stderr);
    assert_eq!(place.run(&["plan", "list", "--limit", "0"]).code, Some(2));
}

#[test]
fn a_table_is_no_wider_than_the_terminal() {
    let setting = furnished();
    let place: &Place = &setting.place;
    if !Command::new("script").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return skipped("needs `script` of util-linux for a terminal");
    }
    let program = env!("CARGO_BIN_EXE_perennial");
    for columns in [40, 80, 200] {
        let line = format!("stty cols {columns}; exec {program} subscription list");
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(place.path()).env_clear();
        command.envs(place.program().get_envs().filter_map(|(name, value)| Some((name, value?))));
        let shown = Output::of(&mut command).stdout;
        let widest = shown.lines().map(|line| line.trim_end().chars().count()).max().unwrap();
        assert!(widest <= columns && shown.contains("sub_"), "{columns}: {shown}");
        let id = lines(place, &["subscription", "list"])[0]["id"].as_str().unwrap().to_owned();
        assert!(shown.contains(&id), "the id is whole: {shown}");
        assert_eq!(shown.contains("usr_") && shown.contains("plan_"), columns == 200, "{shown}");
    }
}
