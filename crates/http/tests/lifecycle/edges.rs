//! Unusual writes of billed subscriptions: values of another type, repeated, in the past, far in the future, on what is gone.

use super::support::{Base, id, minute};
use serde_json::{Value, json};

#[tokio::test]
async fn a_member_of_another_type_is_rejected_with_its_pointer() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    let wrong = json!({
        "collection": 1, "connection_id": true, "payment_method": 5, "time_zone": 1, "anchor_at": "tomorrow",
        "trial_ends_at": 3, "resumes_at": [], "change": "pro", "coupon": 1, "prorate": "yes"
    });
    let mut expected: Vec<String> = wrong.as_object().unwrap().keys().map(|name| format!("/billing/{name}")).collect();
    expected.sort();
    let pointers = |faults: Vec<String>| -> Vec<String> {
        let mut found: Vec<_> =
            faults.iter().map(|fault| fault.split(' ').next().unwrap_or_default().to_owned()).collect();
        found.sort();
        found
    };
    let faults = base.try_put(id(&created), json!({ "billing": wrong })).await.expect(422).faults();
    assert_eq!(pointers(faults), expected);
    let faults = base.try_subscribe(&plan, json!({ "billing": wrong })).await.expect(422).faults();
    assert_eq!(pointers(faults), expected);
    for quantity in [json!(0), json!(1_000_001), json!(1.5), json!("2"), Value::Null] {
        let body = json!({ "quantity": quantity, "billing": { "change": { "quantity": quantity } } });
        let faults = base.try_put(id(&created), body).await.expect(422).faults();
        // The quantity of a planned change may be null: the same.
        let both = ["/billing/change/quantity", "/quantity"];
        assert_eq!(pointers(faults), if quantity.is_null() { &both[1..] } else { &both[..] }, "{quantity}");
    }
    assert_eq!(base.read(id(&created)).await, created);
}

#[tokio::test]
async fn what_is_sent_again_changes_nothing() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    let steps = [
        json!({ "billing": { "change": { "quantity": 4 } } }),
        json!({ "ends_at": "2026-08-01T00:00:00Z" }),
        json!({ "status": "paused", "billing": { "resumes_at": "2026-03-20T00:00:00Z" } }),
        json!({ "status": "active" }),
        json!({ "status": "cancelled" }),
        json!({ "status": "expired" }),
    ];
    for (made, body) in (2..).zip(steps) {
        let first = base.put(id(&created), body.clone()).await;
        assert_eq!(base.types(id(&created)).await.len(), made, "{body}");
        assert_eq!(base.put(id(&created), body.clone()).await, first, "{body}");
        assert_eq!(base.put(id(&created), first.clone()).await, first, "the whole record after {body}");
        assert_eq!(base.types(id(&created)).await.len(), made, "{body}");
    }
    let ended = base.read(id(&created)).await;
    assert_eq!((&ended["status"], &ended["billing"]["next_action"]), (&json!("expired"), &Value::Null));
}

#[tokio::test]
async fn instants_that_have_passed_are_out_of_range() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({ "billing": { "trial_days": 14 } })).await;
    let trial = base.subscribe(&plan, json!({})).await;
    let pending = base.subscribe(&plan, json!({ "starts_at": "2026-04-01T00:00:00Z" })).await;
    let (now, past) = (json!("2026-03-10T12:00:00Z"), json!("2026-03-01T00:00:00Z"));
    for instant in [&now, &past] {
        for (record, body, fault) in [
            (&trial, json!({ "ends_at": instant }), "/ends_at out_of_range"),
            (&trial, json!({ "billing": { "trial_ends_at": instant } }), "/billing/trial_ends_at out_of_range"),
            (&pending, json!({ "billing": { "trial_ends_at": instant } }), "/billing/trial_ends_at out_of_range"),
            (
                &trial,
                json!({ "status": "paused", "billing": { "resumes_at": instant } }),
                "/billing/resumes_at out_of_range",
            ),
            (&trial, json!({ "status": "cancelled", "ends_at": instant }), "/ends_at inconsistent"),
        ] {
            assert_eq!(base.try_put(id(record), body.clone()).await.expect(422).faults(), [fault], "{body}");
        }
    }
    // Neither before the start of a pending one.
    for (body, fault) in [
        (json!({ "ends_at": "2026-04-01T00:00:00Z" }), "/ends_at out_of_range"),
        (json!({ "billing": { "trial_ends_at": "2026-04-01T00:00:00Z" } }), "/billing/trial_ends_at out_of_range"),
    ] {
        assert_eq!(base.try_put(id(&pending), body).await.expect(422).faults(), [fault]);
    }
}

#[tokio::test]
async fn the_far_future_is_rejected_or_parks() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let late = json!({ "starts_at": "9999-12-20T00:00:00Z" });
    assert_eq!(base.try_subscribe(&plan, late).await.expect(422).faults(), ["/starts_at out_of_range"]);
    let long = json!({ "billing": { "trial_ends_at": "2028-03-09T12:00:00.000001Z" } });
    assert_eq!(base.try_subscribe(&plan, long).await.expect(422).faults(), ["/billing/trial_ends_at out_of_range"]);
    let longest = base.subscribe(&plan, json!({ "billing": { "trial_ends_at": "2028-03-09T12:00:00Z" } })).await;
    assert_eq!(minute(&longest, "renews_at"), "2028-03-09T12:00");
    let created = base.subscribe(&plan, json!({ "ends_at": "9999-12-31T23:59:59.999999Z" })).await;
    assert_eq!(created["ends_at"], "9999-12-31T23:59:59.999999Z");
    // A pause of almost eight thousand years leaves no room for the rest of the period.
    let body = json!({ "status": "paused", "billing": { "resumes_at": "9999-12-31T00:00:00Z" } });
    base.put(id(&created), body).await;
    let target = format!("/subscriptions/{}/forecast", id(&created));
    assert_eq!(base.app.get(&target).await.expect(200).data(), &json!([]));
    let parked = base.run(id(&created), "9999-12-31T00:00:00Z").await;
    assert_eq!((&parked["billing"]["parked"]["reason"], &parked["status"]), (&json!("out_of_range"), &json!("paused")));
}

#[tokio::test]
async fn what_is_deleted_is_gone_for_every_call() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({ "ends_at": "2026-03-20T00:00:00Z" })).await;
    let target = format!("/subscriptions/{}", id(&created));
    let dry = base.app.delete(&format!("{target}?dry_run=true")).await.expect(200);
    assert_eq!(dry.data(), &created);
    base.app.delete(&target).await.expect(200);
    base.app.delete(&target).await.refused(404, "not_found");
    base.app.delete(&format!("{target}?dry_run=true")).await.refused(404, "not_found");
    base.app.get(&target).await.refused(404, "not_found");
    base.app.get(&format!("{target}/forecast")).await.refused(404, "not_found");
    base.app.put(&target, &json!({ "status": "paused" })).await.refused(404, "not_found");
    base.app.set_time("2026-04-20T00:00:00Z");
    assert!(!base.act(id(&created)).await, "the engine leaves it alone");
    assert_eq!(base.types(id(&created)).await, ["subscription.created", "subscription.deleted"]);
}

#[tokio::test]
async fn a_trial_that_becomes_billed_counts_from_its_start_if_its_end_is_a_boundary() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    for (renews_at, anchor) in
        [("2026-04-10T12:00:00Z", "2026-03-10T12:00"), ("2026-03-24T12:00:00Z", "2026-03-24T12:00")]
    {
        let fields = json!({ "status": "on_trial", "renews_at": renews_at });
        let external = base.app.subscription(&base.user, &plan, fields).await;
        let billed = base.put(id(&external), json!({ "billing": { "payment_method": "pm_1" } })).await;
        assert_eq!(minute(&billed, "billing.anchor_at"), anchor);
        assert_eq!(minute(&billed, "billing.trial_ends_at"), &renews_at[..16]);
        assert_eq!(minute(&billed, "billing.period_start"), "2026-03-10T12:00");
    }
}
