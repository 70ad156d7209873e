//! `perennial lifecycle`: what each command prints. A billed subscription goes out and in.

use crate::support::{Place, Setting, masked, snapshot};
use serde_json::{Value, json};

/// A billed subscription with a pending change.
fn subscribe(setting: &Setting) -> Value {
    let Setting { place, caller, .. } = setting;
    let user = place.json(&["user", "create", "--email", "lin@example.com"])["id"].clone();
    let body = json!({ "name": "Once", "slug": "once", "price": 10, "billing_cycle": "lifetime", "billing": { "trial_days": 0 } });
    caller.post("/subscription-plans", &body).expect(201);
    let change = json!({ "subscription_plan_id": "pro", "quantity": 3 });
    let billing = json!({ "payment_method": "pm_1", "time_zone": "Europe/Berlin", "change": change });
    let body = json!({ "user_id": user, "subscription_plan_id": "once", "billing": billing });
    caller.post("/subscriptions", &body).expect(201).data()
}

#[test]
fn a_subscription_that_is_not_parked_stays_as_it_is() {
    let setting = Setting::new();
    let created = subscribe(&setting);
    let (place, id) = (&setting.place, created["id"].as_str().unwrap());
    assert_eq!(place.json(&["lifecycle", "unpark", id]), created);
    snapshot("lifecycle-unpark", &masked(&place.run(&["lifecycle", "unpark", id]).succeeded()));
    assert_eq!(place.run(&["lifecycle", "unpark", "sub_none"]).code, Some(1));
}

#[test]
fn a_billed_subscription_goes_out_and_in() {
    let setting = Setting::new();
    let created = subscribe(&setting);
    let Setting { place, server, .. } = setting;
    server.stop("TERM");
    for form in ["all.ndjson", "tables/"] {
        let csv: &[&str] = if form == "tables/" { &["--format", "csv"] } else { &[] };
        place.run(&[&["export", form], csv].concat()).succeeded();
        let other = Place::new();
        other.json(&["import", place.path().join(form).to_str().unwrap()]);
        let server = other.serve();
        let caller = server.caller(other.first("trusted_client_id"));
        let target = format!("/subscriptions/{}", created["id"].as_str().unwrap());
        assert_eq!(caller.get(&target).expect(200).data(), created, "{form}");
    }
}
