//! `perennial lifecycle`: what each command prints.

use crate::support::{Setting, masked, snapshot};
use serde_json::json;

#[test]
fn a_subscription_that_is_not_parked_stays_as_it_is() {
    let setting = Setting::new();
    let Setting { place, caller, .. } = &setting;
    let user = place.json(&["user", "create", "--email", "lin@example.com"])["id"].clone();
    let body = json!({ "name": "Once", "slug": "once", "price": 10, "billing_cycle": "lifetime" });
    caller.post("/subscription-plans", &body).expect(201);
    let body = json!({ "user_id": user, "subscription_plan_id": "once", "billing": {} });
    let created = caller.post("/subscriptions", &body).expect(201).data();
    let id = created["id"].as_str().unwrap();
    assert_eq!(place.json(&["lifecycle", "unpark", id]), created);
    snapshot("lifecycle-unpark", &masked(&place.run(&["lifecycle", "unpark", id]).succeeded()));
    assert_eq!(place.run(&["lifecycle", "unpark", "sub_none"]).code, Some(1));
}
