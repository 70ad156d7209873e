//! API rules 6.1 (`docs/api.md`): what a payment is when it is made, when it was completed, and what an update changes.

use super::support::{Base, PAYMENTS, SUBSCRIPTIONS, assert_errors, body, place, post_text, put_text, text};
use serde_json::json;

#[tokio::test]
async fn a_payment_is_created_with_its_defaults() {
    let base = Base::start().await;
    let subscription = base.subscribe(json!({})).await["id"].clone();
    let sent = json!({ "subscription_id": subscription, "amount": 19.99, "currency": "usd" });
    let created = base.app.post(PAYMENTS, &sent).await.expect(201);
    let id = text(created.data(), "id").to_owned();
    assert!(id.starts_with("pay_"));
    assert_eq!(created.header("location"), format!("/subscription-payments/{id}"));
    let expected = json!({
        "id": id, "subscription_id": subscription, "invoice_id": null, "amount": 19.99, "currency": "USD", "external_payment_id": null,
        "status": "pending", "date": null, "created_at": "2026-03-10T12:00:00.000000Z",
        "updated_at": "2026-03-10T12:00:00.000000Z"
    });
    assert_eq!(created.json, json!({ "data": expected }));
    assert_eq!(base.app.get(&format!("/subscription-payments/{id}")).await.expect(200).json, created.json);
}

#[tokio::test]
async fn the_missing_fields_of_a_payment_are_reported_at_once() {
    let base = Base::start().await;
    let answer = base.app.post(PAYMENTS, &json!({})).await.refused(422, "required");
    assert_errors(answer, &["/subscription_id required", "/amount required", "/currency required"], "{}");
}

#[tokio::test]
async fn missing_references_and_invalid_fields_are_reported_together() {
    let base = Base::start().await;
    let at = place(PAYMENTS, &base.pay(json!({})).await);
    let wrong = json!({
        "subscription_id": "sub_01h455vb4pex5vsknk084sn02q", "amount": 0.001, "currency": "EUR", "status": "odd",
        "external_payment_id": 5, "color": "red"
    });
    let expected = [
        "/subscription_id not_found",
        "/amount too_many_decimals",
        "/status unknown_value",
        "/external_payment_id invalid_type",
        "/color unknown_field",
    ];
    assert_errors(base.app.post(PAYMENTS, &wrong).await, &expected, "create");
    assert_errors(base.app.put(&at, &wrong).await, &expected, "update");
}

#[tokio::test]
async fn a_payment_is_for_a_live_subscription() {
    let base = Base::start().await;
    let gone = base.subscribe(json!({})).await;
    base.app.delete(&place(SUBSCRIPTIONS, &gone)).await.expect(200);
    let at = place(PAYMENTS, &base.pay(json!({})).await);
    for id in [text(&gone, "id"), "sub_01h455vb4pex5vsknk084sn02q", "sub_1", "", base.plan.as_str()] {
        let sent = json!({ "subscription_id": id, "amount": 1, "currency": "USD" });
        assert_errors(base.app.post(PAYMENTS, &sent).await, &["/subscription_id not_found"], id);
        let answer = base.app.put(&at, &json!({ "subscription_id": id })).await;
        assert_errors(answer, &["/subscription_id not_found"], id);
    }
    let expired = base.subscribe(json!({ "status": "expired" })).await;
    base.app.payment(text(&expired, "id"), json!({})).await;
}

#[tokio::test]
async fn null_and_other_json_types_are_rejected() {
    let base = Base::start().await;
    let subscription = format!("\"{}\"", text(&base.subscribe(json!({})).await, "id"));
    let members = [("subscription_id", subscription.as_str()), ("amount", "1"), ("currency", "\"USD\"")];
    let at = place(PAYMENTS, &base.pay(json!({})).await);
    for (field, value, code) in [
        ("subscription_id", "null", "not_nullable"),
        ("amount", "null", "not_nullable"),
        ("currency", "null", "not_nullable"),
        ("status", "null", "not_nullable"),
        ("subscription_id", "1", "invalid_type"),
        ("amount", "\"1\"", "invalid_type"),
        ("amount", "[1]", "invalid_type"),
        ("currency", "840", "invalid_type"),
        ("status", "true", "invalid_type"),
        ("external_payment_id", "1", "invalid_type"),
        ("currency", "\"XAU\"", "unknown_value"),
        ("currency", "\"XXX\"", "unknown_value"),
        ("currency", "\"Bitcoin\"", "unknown_value"),
        ("currency", "\"\"", "unknown_value"),
    ] {
        let fault = format!("/{field} {code}");
        let answer = post_text(&base.app, PAYMENTS, &body(&members, &[(field, value)])).await;
        assert_errors(answer, &[&fault], value);
        assert_errors(put_text(&base.app, &at, &body(&[], &[(field, value)])).await, &[&fault], value);
    }
    let created = post_text(&base.app, PAYMENTS, &body(&members, &[("external_payment_id", "null")])).await;
    assert_eq!(created.expect(201).data()["external_payment_id"], json!(null));
}

#[tokio::test]
async fn what_the_service_sets_cannot_be_sent_with_a_new_payment() {
    let base = Base::start().await;
    let record = base.pay(json!({ "status": "paid" })).await;
    for member in ["id", "date", "created_at", "updated_at"] {
        let mut sent = json!({ "subscription_id": record["subscription_id"], "amount": 1, "currency": "USD" });
        sent[member] = record[member].clone();
        assert_errors(base.app.post(PAYMENTS, &sent).await, &[&format!("/{member} read_only_field")], member);
    }
}

#[tokio::test]
async fn an_update_changes_what_was_sent_and_nothing_else() {
    let base = Base::start().await;
    let other = base.subscribe(json!({})).await["id"].clone();
    let mut expected = base.pay(json!({})).await;
    let at = place(PAYMENTS, &expected);
    for (minute, (field, value)) in (1..).zip([
        ("subscription_id", other),
        ("amount", json!(5)),
        ("currency", json!("EUR")),
        ("external_payment_id", json!("ch_1")),
        ("status", json!("processing")),
        ("external_payment_id", json!(null)),
    ]) {
        base.app.advance(60);
        expected["updated_at"] = json!(format!("2026-03-10T12:{minute:02}:00.000000Z"));
        let answer = base.app.put(&at, &json!({ field: value.clone() })).await.expect(200);
        expected[field] = value;
        assert_eq!(answer.data(), &expected, "{field}");
        assert_eq!(base.app.get(&at).await.expect(200).data(), &expected, "{field}");
    }
    let before = base.app.get(&at).await;
    base.app.advance(60);
    let same = base.app.put(&at, &expected).await.expect(200);
    assert_eq!((same.data(), same.header("etag")), (&expected, before.header("etag")), "nothing was written");
}

#[tokio::test]
async fn what_the_service_sets_may_be_sent_back_but_never_changed() {
    let base = Base::start().await;
    let record = base.pay(json!({ "status": "completed" })).await;
    let at = place(PAYMENTS, &record);
    for (field, other) in [
        ("id", json!("pay_01h455vb4pex5vsknk084sn02q")),
        ("id", json!(null)),
        ("created_at", json!("2026-03-10T12:00:01Z")),
        ("created_at", json!(null)),
    ] {
        let answer = base.app.put(&at, &json!({ field: other, "amount": 7 })).await;
        assert_errors(answer, &[&format!("/{field} read_only_field")], field);
    }
    let ignored = json!({ "date": "2000-01-01T00:00:00Z", "updated_at": 7, "id": record["id"] });
    assert_eq!(base.app.put(&at, &ignored).await.expect(200).data(), &record);
    let unknown = json!({ "organization_id": "org_1" });
    assert_errors(base.app.put(&at, &unknown).await, &["/organization_id unknown_field"], "mass assignment");
}

#[tokio::test]
async fn the_date_is_when_a_payment_last_became_completed() {
    let base = Base::start().await;
    for status in ["pending", "processing", "failed", "partially_refunded", "refunded", "disputed", "void"] {
        assert_eq!(base.pay(json!({ "status": status })).await["date"], json!(null), "{status}");
    }
    let record = base.pay(json!({ "status": "failed" })).await;
    let at = place(PAYMENTS, &record);
    let first = json!("2026-03-10T12:00:10.000000Z");
    for (status, date) in [
        ("pending", json!(null)),
        ("completed", first.clone()),
        ("completed", first.clone()),
        ("disputed", first.clone()),
        ("completed", json!("2026-03-10T12:00:30.000000Z")),
        ("refunded", json!("2026-03-10T12:00:30.000000Z")),
    ] {
        let moved = base.app.put(&at, &json!({ "status": status })).await.expect(200);
        assert_eq!(moved.data()["date"], date, "{status}");
        assert_eq!(base.app.get(&at).await.expect(200).data()["date"], date, "{status}");
        base.app.advance(if status == "pending" || status == "disputed" { 10 } else { 5 });
    }
    let created = base.pay(json!({ "status": "paid" })).await;
    assert_eq!(created["date"], created["created_at"]);
    base.app.advance(5);
    let amended = base.app.put(&place(PAYMENTS, &created), &json!({ "amount": 3 })).await.expect(200);
    assert_eq!(amended.data()["date"], created["date"]);
}

#[tokio::test]
async fn the_collection_of_payments_takes_no_other_method() {
    let base = Base::start().await;
    for method in ["PUT", "DELETE"] {
        let answer = base.app.request(method, PAYMENTS).send().await.expect(405);
        assert_eq!(answer.header("allow"), "GET, HEAD, POST", "{method}");
    }
}

#[tokio::test]
async fn a_payment_that_does_not_exist_is_a_plain_404() {
    let base = Base::start().await;
    for id in ["pay_01h455vb4pex5vsknk084sn02q", "pay_", "1", "..", "%00", "%2F", base.plan.as_str()] {
        let target = format!("{PAYMENTS}/{id}");
        base.app.get(&target).await.refused(404, "not_found");
        base.app.put(&target, &json!({ "status": "odd" })).await.refused(404, "not_found");
        base.app.delete(&target).await.refused(404, "not_found");
    }
}
