//! Export and import of tax rates, meters, coupons, credits, billing profiles and usage events.

use crate::support::{Place, Setting, snapshot_of_rows};
use crate::transfers::exported;
use serde_json::{Value, json};

const TABLES: [&str; 7] =
    ["tax_rates", "meters", "coupons", "credits", "credit_balances", "billing_profiles", "usage_events"];

#[test]
fn the_records_of_billing_are_imported_as_they_were_and_balances_are_computed() {
    let setting = Setting::new();
    let call = |method: &str, target: &str, body: Value, status| {
        setting.caller.call(method, target, Some(&body)).expect(status).data()
    };
    let subscription = call("POST", "/subscriptions", setting.subscription("+1"), 201);
    let (id, user) = (&subscription["id"], subscription["user_id"].as_str().unwrap());
    let rate = call("POST", "/tax-rates", json!({ "name": "VAT", "percentage": 8.875, "country": "US" }), 201);
    call("POST", "/meters", json!({ "slug": "seats", "name": "Seats", "aggregation": "unique" }), 201);
    let percent = json!({ "code": "Spring-25", "percent": 12.5, "duration": "repeating", "periods": 3 });
    call("POST", "/coupons", percent, 201);
    let amount = json!({ "code": "TEN", "amount": 10, "currency": "EUR", "duration": "once", "max_redemptions": 5 });
    call("POST", "/coupons", amount, 201);
    for amount in [json!(15.5), json!(-5)] {
        call("POST", &format!("/users/{user}/credits"), json!({ "currency": "USD", "amount": amount }), 201);
    }
    let profile = json!({ "name": "Ada", "address": ["-", "-"], "tax_rate_ids": [rate["id"]], "locale": "ja" });
    call("PUT", &format!("/users/{user}/billing-profile"), profile, 200);
    let event = json!({ "id": "e!1", "subscription_id": id, "meter": "seats", "key": "k" });
    call("POST", "/usage-events", json!({ "events": [event] }), 200);

    let place = &setting.place;
    let lines = exported(place);
    for kind in ["tax_rate", "meter", "coupon", "credit", "billing_profile", "usage_event"] {
        assert!(lines.contains(&format!("{{\"type\":\"{kind}\"")), "{kind}: {lines}");
    }
    let second = Place::new();
    std::fs::write(second.path().join("in.ndjson"), &lines).unwrap();
    second.run(&["import", "in.ndjson"]).succeeded();
    let rows = |place: &Place| {
        let mut rows = snapshot_of_rows(place);
        rows.retain(|(table, _)| TABLES.contains(table));
        rows
    };
    let here = rows(place);
    assert!(TABLES.iter().all(|name| here.iter().any(|(table, _)| table == name)), "{here:?}");
    assert_eq!(rows(&second), here);
    assert_eq!(exported(&second), lines);
    second.run(&["import", "in.ndjson"]).succeeded();
    assert_eq!(rows(&second), here, "a second import changes nothing");
}

#[test]
fn billed_subscriptions_without_a_next_action_are_imported_as_they_were() {
    let setting = Setting::new();
    let call = |method: &str, target: &str, body: Value, status| {
        setting.caller.call(method, target, Some(&body)).expect(status).data()
    };
    let user = call("POST", "/users", json!({ "email": "grace@example.com" }), 201)["id"].clone();
    for cycle in ["lifetime", "monthly"] {
        let plan = json!({ "name": cycle, "slug": cycle, "price": 0, "billing_cycle": cycle });
        call("POST", "/subscription-plans", plan, 201);
        let subscription = json!({ "user_id": user, "subscription_plan_id": cycle, "billing": {} });
        let subscription = call("POST", "/subscriptions", subscription, 201);
        if cycle == "monthly" {
            let path = format!("/subscriptions/{}", subscription["id"].as_str().unwrap());
            call("PUT", &path, json!({ "status": "paused" }), 200);
        }
    }
    let lines = exported(&setting.place);
    let second = Place::new();
    std::fs::write(second.path().join("in.ndjson"), &lines).unwrap();
    for _ in 0..2 {
        second.run(&["import", "in.ndjson"]).succeeded();
        assert_eq!(exported(&second), lines);
    }
}
