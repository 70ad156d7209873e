//! API rules 5.1 (`docs/api.md`): creating a subscription: its defaults, its references, the order of its times.

use super::support::{Base, SUBSCRIPTIONS, assert_errors, body, place, post_text, put_text, text};
use serde_json::json;

#[tokio::test]
async fn a_subscription_is_created_with_its_defaults() {
    let base = Base::start().await;
    let sent = json!({ "user_id": base.user, "subscription_plan_id": base.plan });
    let created = base.app.post(SUBSCRIPTIONS, &sent).await.expect(201);
    let id = text(created.data(), "id").to_owned();
    assert!(id.starts_with("sub_"));
    assert_eq!(created.header("location"), format!("/subscriptions/{id}"));
    let expected = json!({
        "id": id, "user_id": base.user, "subscription_plan_id": base.plan, "plan_version": 1,
        "external_subscription_id": null, "quantity": 1,
        "billing_cycle": "monthly", "status": "active", "is_active": true, "has_access": true,
        "renews_at": "2026-04-10T12:00:00.000000Z", "starts_at": "2026-03-10T12:00:00.000000Z", "ends_at": null,
        "billing": null, "entitlements": {}, "managed_by": null, "created_at": "2026-03-10T12:00:00.000000Z", "updated_at": "2026-03-10T12:00:00.000000Z"
    });
    assert_eq!(created.json, json!({ "data": expected }));
    let read = base.app.get(&format!("/subscriptions/{id}")).await.expect(200);
    assert_eq!((&read.json, read.header("etag")), (&created.json, created.header("etag")));
}

#[tokio::test]
async fn a_subscription_keeps_every_field_it_was_given() {
    let base = Base::start().await;
    let sent = json!({
        "external_subscription_id": "ext 1", "quantity": 7, "billing_cycle": "quarterly", "status": "paused",
        "is_active": true, "renews_at": "2026-06-01T02:00:00.5+02:00", "starts_at": "2026-01-01T00:00:00.123456789Z",
        "ends_at": "2026-12-31T23:59:59Z"
    });
    let created = base.subscribe(sent).await;
    let expected = json!({
        "id": created["id"], "user_id": base.user, "subscription_plan_id": base.plan, "plan_version": 1,
        "external_subscription_id": "ext 1", "quantity": 7, "billing_cycle": "quarterly", "status": "paused",
        "is_active": true, "has_access": false, "renews_at": "2026-06-01T00:00:00.500000Z", "starts_at": "2026-01-01T00:00:00.123456Z",
        "ends_at": "2026-12-31T23:59:59.000000Z", "billing": null, "entitlements": {}, "managed_by": null, "created_at": "2026-03-10T12:00:00.000000Z",
        "updated_at": "2026-03-10T12:00:00.000000Z"
    });
    assert_eq!(created, expected);
    assert_eq!(base.app.get(&place(SUBSCRIPTIONS, &created)).await.expect(200).data(), &expected);
}

#[tokio::test]
async fn a_quantity_is_a_whole_number_from_one_to_a_million() {
    let base = Base::start().await;
    let subscription = base.subscribe(json!({ "quantity": 1_000_000 })).await;
    assert_eq!(subscription["quantity"], 1_000_000);
    for (value, code) in [
        ("0", "out_of_range"),
        ("-1", "out_of_range"),
        ("1000001", "out_of_range"),
        ("1e30", "out_of_range"),
        ("1.5", "invalid_type"),
        ("\"2\"", "invalid_type"),
        ("[2]", "invalid_type"),
        ("null", "not_nullable"),
    ] {
        let sent = format!("{{\"quantity\": {value}}}");
        let expected = format!("/quantity {code}");
        let answer = put_text(&base.app, &place(SUBSCRIPTIONS, &subscription), &sent).await;
        assert_errors(answer, &[&expected], &sent);
        let sent =
            format!("{{\"user_id\": \"{}\", \"subscription_plan_id\": \"pro\", \"quantity\": {value}}}", base.user);
        assert_errors(post_text(&base.app, SUBSCRIPTIONS, &sent).await, &[&expected], &sent);
    }
    assert_eq!(base.app.get(&place(SUBSCRIPTIONS, &subscription)).await.expect(200).data(), &subscription);
}

#[tokio::test]
async fn a_plan_is_named_by_id_or_slug_and_returned_as_its_id() {
    let base = Base::start().await;
    for key in [base.plan.as_str(), "pro"] {
        assert_eq!(base.subscribe(json!({ "subscription_plan_id": key })).await["subscription_plan_id"], base.plan);
    }
}

#[tokio::test]
async fn the_missing_fields_of_a_subscription_are_reported_at_once() {
    let base = Base::start().await;
    let answer = base.app.post(SUBSCRIPTIONS, &json!({})).await.refused(422, "required");
    assert_errors(answer, &["/user_id required", "/subscription_plan_id required"], "{}");
}

#[tokio::test]
async fn a_reference_that_leads_nowhere_is_named() {
    let base = Base::start().await;
    let subscription = base.subscribe(json!({})).await;
    for user in ["usr_01h455vb4pex5vsknk084sn02q", "usr_1", "ada@example.com", "", base.plan.as_str()] {
        let sent = json!({ "user_id": user });
        assert_errors(base.try_subscribe(sent.clone()).await, &["/user_id not_found"], user);
        let answer = base.app.put(&place(SUBSCRIPTIONS, &subscription), &sent).await;
        assert_errors(answer, &["/user_id not_found"], user);
    }
    for plan in ["plan_01h455vb4pex5vsknk084sn02q", "unknown", "PRO", "..", "plan_x", "", base.user.as_str()] {
        let sent = json!({ "subscription_plan_id": plan });
        assert_errors(base.try_subscribe(sent.clone()).await, &["/subscription_plan_id not_found"], plan);
        let answer = base.app.put(&place(SUBSCRIPTIONS, &subscription), &sent).await;
        assert_errors(answer, &["/subscription_plan_id not_found"], plan);
    }
    assert_eq!(base.app.get(&place(SUBSCRIPTIONS, &subscription)).await.expect(200).data(), &subscription);
}

#[tokio::test]
async fn missing_references_and_invalid_fields_are_reported_together() {
    let base = Base::start().await;
    let at = place(SUBSCRIPTIONS, &base.subscribe(json!({})).await);
    let wrong = json!({
        "user_id": "usr_01h455vb4pex5vsknk084sn02q", "subscription_plan_id": "unknown", "status": "odd",
        "billing_cycle": "biannual", "starts_at": "2026-03-10T12:00:00Z", "renews_at": "2026-03-10T11:59:59Z",
        "ends_at": "2026-03-10T11:59:59Z", "is_active": "yes", "color": "red"
    });
    let expected = [
        "/user_id not_found",
        "/subscription_plan_id not_found",
        "/status unknown_value",
        "/billing_cycle ambiguous",
        "/renews_at inconsistent",
        "/ends_at inconsistent",
        "/is_active invalid_type",
        "/color unknown_field",
    ];
    assert_errors(base.try_subscribe(wrong.clone()).await, &expected, "create");
    assert_errors(base.app.put(&at, &wrong).await, &expected, "update");
}

#[tokio::test]
async fn inconsistencies_are_reported_though_a_required_field_is_missing() {
    let base = Base::start().await;
    let wrong = json!({
        "status": "expired", "is_active": true, "starts_at": "2026-03-10T12:00:00Z", "ends_at": "2026-03-10T11:00:00Z"
    });
    let expected =
        ["/user_id required", "/subscription_plan_id required", "/is_active inconsistent", "/ends_at inconsistent"];
    assert_errors(base.app.post(SUBSCRIPTIONS, &wrong).await, &expected, "");
}

#[tokio::test]
async fn null_is_stored_where_it_is_allowed_and_rejected_elsewhere() {
    let base = Base::start().await;
    let nulls = json!({ "external_subscription_id": null, "renews_at": null, "ends_at": null });
    let created = base.subscribe(nulls.clone()).await;
    for field in ["external_subscription_id", "renews_at", "ends_at"] {
        assert_eq!(created[field], json!(null), "{field}");
    }
    let full = json!({
        "external_subscription_id": "ext", "renews_at": "2027-01-01T00:00:00Z", "ends_at": "2027-01-01T00:00:00Z"
    });
    let at = place(SUBSCRIPTIONS, &base.subscribe(full).await);
    let cleared = base.app.put(&at, &nulls).await.expect(200);
    for field in ["external_subscription_id", "renews_at", "ends_at"] {
        assert_eq!(cleared.data()[field], json!(null), "{field}");
    }
    for field in ["user_id", "subscription_plan_id", "billing_cycle", "status", "is_active", "starts_at"] {
        let fault = format!("/{field} not_nullable");
        assert_errors(base.try_subscribe(json!({ field: null })).await, &[&fault], field);
        assert_errors(base.app.put(&at, &json!({ field: null })).await, &[&fault], field);
    }
}

#[tokio::test]
async fn every_field_of_a_subscription_rejects_other_json_types() {
    let base = Base::start().await;
    let at = place(SUBSCRIPTIONS, &base.subscribe(json!({})).await);
    let (user, plan) = (format!("\"{}\"", base.user), format!("\"{}\"", base.plan));
    let members = [("user_id", user.as_str()), ("subscription_plan_id", plan.as_str())];
    for field in [
        "user_id",
        "subscription_plan_id",
        "external_subscription_id",
        "billing_cycle",
        "status",
        "is_active",
        "renews_at",
        "starts_at",
        "ends_at",
    ] {
        for value in ["1", "[]", "{}"] {
            let fault = format!("/{field} invalid_type");
            let answer = post_text(&base.app, SUBSCRIPTIONS, &body(&members, &[(field, value)])).await;
            assert_errors(answer, &[&fault], value);
            assert_errors(put_text(&base.app, &at, &body(&[], &[(field, value)])).await, &[&fault], value);
        }
    }
    for field in ["renews_at", "starts_at", "ends_at"] {
        for (value, code) in [
            ("\"2026-03-10\"", "invalid_format"),
            ("\"2026-03-10T12:00:00\"", "invalid_format"),
            ("\"2026-02-29T12:00:00Z\"", "invalid_format"),
            ("\"\"", "invalid_format"),
            ("\"1969-12-31T23:59:59Z\"", "out_of_range"),
        ] {
            let fault = format!("/{field} {code}");
            let answer = post_text(&base.app, SUBSCRIPTIONS, &body(&members, &[(field, value)])).await;
            assert_errors(answer, &[&fault], value);
            assert_errors(put_text(&base.app, &at, &body(&[], &[(field, value)])).await, &[&fault], value);
        }
    }
}

#[tokio::test]
async fn what_the_service_sets_cannot_be_sent_with_a_new_subscription() {
    let base = Base::start().await;
    let record = base.subscribe(json!({})).await;
    for member in ["id", "has_access", "created_at", "updated_at"] {
        let fault = format!("/{member} read_only_field");
        assert_errors(base.try_subscribe(json!({ member: record[member].clone() })).await, &[&fault], member);
    }
    let answer = base.try_subscribe(json!({ "organization_id": "org_1", "revision": 1 })).await;
    assert_errors(answer, &["/organization_id unknown_field", "/revision unknown_field"], "mass assignment");
}

#[tokio::test]
async fn a_subscription_does_not_renew_or_end_before_it_starts() {
    let base = Base::start().await;
    let start = "2026-03-10T12:00:00Z";
    let same = json!({ "starts_at": start, "renews_at": start, "ends_at": start });
    let at = place(SUBSCRIPTIONS, &base.subscribe(same).await);
    for field in ["renews_at", "ends_at"] {
        let early = json!({ "starts_at": start, field: "2026-03-10T11:59:59.999999Z" });
        let fault = format!("/{field} inconsistent");
        assert_errors(base.try_subscribe(early).await, &[&fault], field);
        let early = json!({ field: "2026-03-10T11:59:59.999999Z" });
        assert_errors(base.app.put(&at, &early).await, &[&fault], field);
    }
    let later = json!({ "starts_at": "2026-03-10T12:00:00.000001Z" });
    let answer = base.app.put(&at, &later).await;
    assert_errors(answer, &["/renews_at inconsistent", "/ends_at inconsistent"], "the merged record counts");
    let all = json!({ "starts_at": "2027-01-01T00:00:00Z", "renews_at": "2027-02-01T00:00:00Z", "ends_at": null });
    base.app.put(&at, &all).await.expect(200);
}
