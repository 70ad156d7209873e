//! The billing of plans and of the organization.

use super::support::{Base, id, minute};
use serde_json::{Value, json};

#[tokio::test]
async fn the_billing_of_a_plan_is_merged_member_by_member() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.app.plan("pro", json!({})).await;
    assert_eq!((&plan["billing"], &plan["version"]), (&Value::Null, &json!(1)));
    let put = async |body: Value| {
        base.app.put("/subscription-plans/pro", &json!({ "billing": body })).await.expect(200).data().clone()
    };
    let dunning = json!({ "retry_days": [2, 4], "grace_days": 3, "then": "expire" });
    let after = put(json!({ "trial_days": 14, "dunning": dunning })).await;
    let expected = json!({
        "trial_days": 14, "trial_end_behavior": "pause", "incomplete_hours": 23, "payment_terms_days": null,
        "dunning": dunning, "tax_behavior": "exclusive", "tax_rate_ids": [], "charges": []
    });
    assert_eq!((&after["billing"], &after["version"]), (&expected, &json!(1)));
    let after = put(json!({ "tax_behavior": "inclusive", "dunning": null })).await;
    assert_eq!((&after["billing"]["trial_days"], &after["billing"]["dunning"]), (&json!(14), &Value::Null));
    assert_eq!(after["version"], 2, "the tax behavior is part of the version");
    assert_eq!(put(Value::Null).await["billing"], Value::Null);
    let body = json!({ "billing": {
        "trial_days": 731, "incomplete_hours": 0, "tax_behavior": "none", "payment_terms_days": 366,
        "dunning": { "retry_days": [3, 1], "grace_days": 91, "then": "unpaid" }, "tax_rate_ids": ["tax_1"], "charges": [{}]
    } });
    let mut faults = base.app.put("/subscription-plans/pro", &body).await.expect(422).faults();
    faults.sort_unstable();
    assert_eq!(
        faults,
        [
            "/billing/charges/0/meter_id required",
            "/billing/charges/0/model required",
            "/billing/charges/0/name required",
            "/billing/dunning/grace_days out_of_range",
            "/billing/dunning/retry_days inconsistent",
            "/billing/incomplete_hours out_of_range",
            "/billing/payment_terms_days out_of_range",
            "/billing/tax_behavior unknown_value",
            "/billing/tax_rate_ids/0 not_found",
            "/billing/trial_days out_of_range",
        ]
    );
}

#[tokio::test]
async fn the_billing_of_the_organization_has_defaults() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let expected = json!({
        "time_zone": "UTC", "payment_terms_days": 14,
        "dunning": { "retry_days": [1, 3, 5, 7], "grace_days": 7, "then": "unpaid" },
        "draft_hours": 1, "tax_rate_ids": [],
        "seller": { "name": null, "address": [], "country": null, "tax_id": null, "email": null, "note": null },
        "invoice_prefix": "INV", "credit_note_prefix": "CRN", "yearly_numbers": false,
        "spread_minutes": 0, "renewal_notice_days": 0
    });
    let before = base.app.get("/organization").await.expect(200).data().clone();
    assert_eq!(before["billing"], expected);
    let same = base.app.put("/organization", &before).await.expect(200).data().clone();
    assert_eq!(same, before, "nothing is written");
    let body = json!({ "billing": { "renewal_notice_days": 7, "spread_minutes": 30 } });
    let after = base.app.put("/organization", &body).await.expect(200).data().clone();
    assert_eq!((&after["billing"]["renewal_notice_days"], &after["billing"]["time_zone"]), (&json!(7), &json!("UTC")));
    assert_eq!(base.app.get("/organization").await.expect(200).data(), &after);
    for body in [json!({ "spread_minutes": 721 }), json!({ "renewal_notice_days": 61 }), json!(null)] {
        base.app.put("/organization", &json!({ "billing": body })).await.expect(422);
    }
}

#[tokio::test]
async fn a_notice_says_what_comes_next() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    base.app.put("/organization", &json!({ "billing": { "renewal_notice_days": 7 } })).await.expect(200);
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    assert_eq!(
        (&created["billing"]["next_action"], minute(&created, "billing.next_action_at")),
        (&json!("notice"), "2026-04-03T12:00")
    );
    let noticed = base.run(id(&created), "2026-04-04T00:00:00Z").await;
    assert_eq!(noticed["updated_at"], created["updated_at"], "no field changes");
    assert_eq!(noticed["billing"]["next_action"], "renew");
    let events = base.app.events().await;
    let notice = events.iter().find(|event| event.kind.as_str() == "subscription.renewal_upcoming").unwrap();
    let data: Value = serde_json::from_str(notice.after.as_deref().unwrap()).unwrap();
    let expected = json!({
        "at": "2026-04-10T12:00:00.000000Z", "action": "renew", "event": "subscription.renewed", "status": "active", "invoice": null
    });
    assert_eq!((&data["upcoming"], notice.request_id.as_deref()), (&expected, Some("lifecycle")));
}
