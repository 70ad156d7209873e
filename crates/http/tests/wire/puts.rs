//! API rules 1.10 (`docs/api.md`): it merges, validates the result, and writes nothing if nothing changes.

use super::support::{Records, text, with};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

#[tokio::test]
async fn a_field_left_out_keeps_its_value() {
    let app = TestApp::start().await;
    let plan = json!({
        "product_id": "prod_1", "variants": ["a"], "href": "https://example.com/", "description": "d", "node_quota": 3,
        "features": "f", "most_popular": true, "tier": 2
    });
    let mut expected = app.plan("full", plan).await;
    for (place, (field, value)) in [
        ("price", json!(5)),
        ("billing_cycle", json!("yearly")),
        ("description", json!("")),
        ("node_quota", json!(0)),
        ("features", json!("g,h")),
        ("most_popular", json!(false)),
        ("tier", json!(0)),
        ("is_active", json!(false)),
    ]
    .into_iter()
    .enumerate()
    {
        // Every change is later than the one before, so the clock moves between them.
        app.advance(1);
        let updated_at = format!("2026-03-10T12:00:{:02}.000000Z", place + 1);
        // Price and billing cycle are versions of the plan.
        let version = place.min(1) + 2;
        expected = with(&expected, &json!({ field: value, "updated_at": updated_at, "version": version }));
        let answer = app.put("/subscription-plans/full", &json!({ field: value })).await.expect(200);
        assert_eq!(answer.data(), &expected, "{field}");
    }
}

#[tokio::test]
async fn nothing_is_recomputed_that_was_not_sent() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    app.plan("yearly", json!({ "billing_cycle": "yearly", "price": 100 })).await;
    let path = records.subscription_path();
    let renews_at = &records.subscription["renews_at"];
    let answer = app.put(&path, &json!({ "starts_at": "2026-01-01T00:00:00Z" })).await.expect(200);
    assert_eq!(&answer.data()["renews_at"], renews_at);
    let answer = app.put(&path, &json!({ "billing_cycle": "daily" })).await.expect(200);
    assert_eq!(&answer.data()["renews_at"], renews_at);
    let answer = app.put(&path, &json!({ "subscription_plan_id": "yearly" })).await.expect(200);
    assert_eq!((&answer.data()["renews_at"], &answer.data()["billing_cycle"]), (renews_at, &json!("daily")));
}

#[tokio::test]
async fn an_explicit_null_clears_what_can_be_empty_and_is_rejected_elsewhere() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let (subscription, payment) = (records.subscription_path(), records.payment_path());
    let full = json!({ "external_subscription_id": "x", "ends_at": "2027-01-01T00:00:00Z" });
    app.put(&subscription, &full).await.expect(200);
    app.put(&payment, &json!({ "external_payment_id": "y" })).await.expect(200);
    for (path, field) in [
        (&subscription, "external_subscription_id"),
        (&subscription, "renews_at"),
        (&subscription, "ends_at"),
        (&payment, "external_payment_id"),
    ] {
        assert!(app.get(path).await.data()[field].is_string(), "{field}");
        let answer = app.put(path, &json!({ field: null })).await.expect(200);
        assert_eq!(answer.data()[field], Value::Null, "{field}");
        assert_eq!(app.get(path).await.data()[field], Value::Null, "{field}");
    }
    let plan = "/subscription-plans/pro".to_owned();
    for (path, fields) in [
        (
            &plan,
            &["price", "billing_cycle", "description", "node_quota", "features", "most_popular", "tier", "is_active"][..],
        ),
        (&subscription, &["user_id", "subscription_plan_id", "billing_cycle", "status", "is_active", "starts_at"]),
        (&payment, &["subscription_id", "amount", "currency", "status"]),
    ] {
        for field in fields {
            let answer = app.put(path, &json!({ *field: null })).await.refused(422, "not_nullable");
            assert_eq!(answer.faults(), [format!("/{field} not_nullable")]);
        }
    }
}

#[tokio::test]
async fn the_merged_record_is_what_is_validated() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let (subscription, payment) = (records.subscription_path(), records.payment_path());
    // Right alone, wrong together with what is there already.
    let answer = app.put(&payment, &json!({ "currency": "JPY" })).await.refused(422, "too_many_decimals");
    assert_eq!(answer.faults(), ["/amount too_many_decimals"]);
    let answer = app.put(&subscription, &json!({ "starts_at": "2026-04-11T00:00:00Z" })).await;
    assert_eq!(answer.refused(422, "inconsistent").faults(), ["/renews_at inconsistent"]);
    let answer = app.put(&subscription, &json!({ "ends_at": "2026-03-10T11:59:59Z" })).await;
    assert_eq!(answer.refused(422, "inconsistent").faults(), ["/ends_at inconsistent"]);
    app.plan("yen", json!({ "currency": "JPY", "price": 500 })).await;
    let answer = app.put("/subscription-plans/yen", &json!({ "price": 500.5 })).await;
    assert_eq!(answer.refused(422, "too_many_decimals").faults(), ["/price too_many_decimals"]);
    // Wrong with what is there, right with what comes along.
    app.put(&payment, &json!({ "currency": "JPY", "amount": 20 })).await.expect(200);
    let moved = json!({ "starts_at": "2026-04-11T00:00:00Z", "renews_at": "2026-05-11T00:00:00Z" });
    app.put(&subscription, &moved).await.expect(200);
    app.put(&subscription, &json!({ "starts_at": "2026-06-01T00:00:00Z", "renews_at": null })).await.expect(200);
}

#[tokio::test]
async fn a_reference_that_did_not_change_is_not_checked_again() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let (subscription, payment) = (records.subscription_path(), records.payment_path());
    app.put("/subscription-plans/pro", &json!({ "is_active": false })).await.expect(200);
    for plan in [&records.plan["id"], &json!("pro")] {
        let body = json!({ "subscription_plan_id": plan, "external_subscription_id": plan });
        let answer = app.put(&subscription, &body).await.expect(200);
        assert_eq!(answer.data()["subscription_plan_id"], records.plan["id"]);
    }
    app.plan("older", json!({ "is_active": false })).await;
    app.put(&subscription, &json!({ "subscription_plan_id": "older" })).await.refused(409, "plan_inactive");
    let other = app.put("/subscription-plans/pro", &json!({ "is_active": true })).await;
    other.expect(200);
    let other = app.subscription(&records.user, "pro", json!({})).await;
    for path in [&subscription, &format!("/subscriptions/{}", text(&other, "id"))] {
        app.delete(path).await.expect(200);
    }
    let body = json!({ "subscription_id": records.subscription["id"], "status": "completed" });
    app.put(&payment, &body).await.expect(200);
    let answer = app.put(&payment, &json!({ "subscription_id": other["id"] })).await.refused(422, "not_found");
    assert_eq!(answer.faults(), ["/subscription_id not_found"]);
}

#[tokio::test]
async fn sending_the_whole_record_back_works_too() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    app.advance(60);
    let changes =
        [json!({ "price": 1.5, "tier": 4 }), json!({ "status": "past_due" }), json!({ "status": "completed" })];
    for ((path, record), change) in records.all().into_iter().zip(changes) {
        assert_eq!(app.put(&path, record).await.expect(200).data(), record);
        let updated = app.put(&path, &with(record, &change)).await.expect(200);
        for (field, value) in change.as_object().unwrap() {
            assert_eq!(&updated.data()[field], value, "{field}");
        }
        assert_eq!(updated.data()["updated_at"], "2026-03-10T12:01:00.000000Z");
        let again = app.put(&path, updated.data()).await.expect(200);
        assert_eq!(again.bytes, updated.bytes);
    }
}

#[tokio::test]
async fn a_put_that_changes_nothing_writes_nothing() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let events = app.events().await.len();
    app.advance(60);
    let (subscription, payment) = (records.subscription_path(), records.payment_path());
    let plan = "/subscription-plans/pro".to_owned();
    for (path, body) in [
        (&plan, "{}".to_owned()),
        (
            &plan,
            r#"{"price": 1999e-2, "billing_cycle": "MONTH", "tier": 0.0, "description": "", "updated_at": null}"#
                .into(),
        ),
        (&plan, records.plan.to_string()),
        (&subscription, "{}".into()),
        (
            &subscription,
            r#"{"starts_at": "2026-03-10T13:00:00+01:00", "status": "Active", "external_subscription_id": ""}"#.into(),
        ),
        (&subscription, r#"{"subscription_plan_id": "pro", "has_access": false, "ends_at": null}"#.into()),
        (&subscription, records.subscription.to_string()),
        (&payment, "{}".into()),
        (&payment, r#"{"amount": 19.9900, "currency": "usd", "status": "PENDING", "date": 1}"#.into()),
        (&payment, records.payment.to_string()),
    ] {
        let before = app.get(path).await;
        for condition in [None, Some(before.header("etag"))] {
            let mut request = app.request("PUT", path).json_text(body.clone());
            if let Some(tag) = condition {
                request = request.header("if-match", tag);
            }
            let after = request.send().await.expect(200);
            assert_eq!((&after.bytes, after.header("etag")), (&before.bytes, before.header("etag")), "{body}");
        }
        assert_eq!(app.get(path).await.bytes, before.bytes);
    }
    assert_eq!(app.events().await.len(), events);
}

#[tokio::test]
async fn a_put_that_is_rejected_writes_nothing() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let events = app.events().await.len();
    let bad =
        [json!({ "tier": 5, "price": -1 }), json!({ "status": "paused", "x": 1 }), json!({ "amount": 5, "id": "x" })];
    for ((path, record), body) in records.all().into_iter().zip(bad) {
        app.put(&path, &body).await.expect(422);
        assert_eq!(app.get(&path).await.data(), record);
    }
    assert_eq!(app.events().await.len(), events);
}
