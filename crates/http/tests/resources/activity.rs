//! API rules 5.2 (`docs/api.md`): `is_active` and `ends_at` follow the status, unless set explicitly.

use super::support::{Base, STATUSES, SUBSCRIPTIONS, assert_errors, place};
use perennial_testkit::Answer;
use serde_json::{Value, json};

const ACTIVE_BY_DEFAULT: [&str; 4] = ["on_trial", "active", "past_due", "cancelled"];

async fn put(base: &Base, record: &Value, change: Value) -> Answer {
    base.app.put(&place(SUBSCRIPTIONS, record), &change).await
}

#[tokio::test]
async fn activity_defaults_by_status_and_may_be_overridden() {
    let base = Base::start().await;
    for status in STATUSES {
        let by_default = base.subscribe(json!({ "status": status })).await;
        assert_eq!(by_default["is_active"], ACTIVE_BY_DEFAULT.contains(&status), "{status}");
        assert_eq!(by_default["status"], status);
        let off = base.subscribe(json!({ "status": status, "is_active": false })).await;
        assert_eq!(off["is_active"], false, "{status}");
        let on = base.try_subscribe(json!({ "status": status, "is_active": true })).await;
        if status == "expired" {
            assert_errors(on, &["/is_active inconsistent"], status);
        } else {
            assert_eq!(on.expect(201).data()["is_active"], true, "{status}");
        }
    }
}

#[tokio::test]
async fn an_expired_subscription_is_never_active() {
    let base = Base::start().await;
    let active = base.subscribe(json!({})).await;
    let answer = put(&base, &active, json!({ "status": "expired", "is_active": true })).await;
    assert_errors(answer, &["/is_active inconsistent"], "both sent");
    let expired = put(&base, &active, json!({ "status": "expired" })).await.expect(200);
    assert_eq!(expired.data()["is_active"], false);
    let answer = put(&base, &active, json!({ "is_active": true })).await;
    assert_errors(answer, &["/is_active inconsistent"], "sent to an expired one");
    let kept_open = base.subscribe(json!({ "status": "paused", "is_active": true })).await;
    let answer = put(&base, &kept_open, json!({ "status": "expired" })).await;
    assert_errors(answer, &["/is_active inconsistent"], "an override stays, and cannot");
    let closed = put(&base, &kept_open, json!({ "status": "expired", "is_active": false })).await.expect(200);
    assert_eq!(closed.data()["status"], "expired");
}

#[tokio::test]
async fn activity_sent_with_a_status_counts() {
    let base = Base::start().await;
    let record = base.subscribe(json!({})).await;
    let paused = put(&base, &record, json!({ "status": "paused", "is_active": true })).await.expect(200);
    assert_eq!(paused.data()["is_active"], true);
    let resumed = put(&base, &record, json!({ "status": "active", "is_active": false })).await.expect(200);
    assert_eq!(resumed.data()["is_active"], false);
    let renewed = put(&base, &record, json!({ "renews_at": "2026-08-01T00:00:00Z" })).await.expect(200);
    assert_eq!(renewed.data()["is_active"], false, "without a change of status it stays");
    let same = put(&base, &record, json!({ "status": "active" })).await.expect(200);
    assert_eq!(same.data()["is_active"], false, "staying is no change");
}

#[tokio::test]
async fn becoming_cancelled_ends_with_the_paid_period() {
    let base = Base::start().await;
    let cancelled = |record: Value| {
        let base = &base;
        async move { put(base, &record, json!({ "status": "cancelled" })).await.expect(200).data()["ends_at"].clone() }
    };
    let paid = base.subscribe(json!({})).await;
    assert_eq!(cancelled(paid).await, "2026-04-10T12:00:00.000000Z", "a future renewal");
    let now = "2026-03-10T12:00:00.000000Z";
    let due = base.subscribe(json!({ "starts_at": "2026-01-01T00:00:00Z", "renews_at": now })).await;
    assert_eq!(cancelled(due).await, now, "a renewal due now is not in the future");
    let overdue = base.subscribe(json!({ "starts_at": "2020-01-01T00:00:00Z" })).await;
    assert_eq!(cancelled(overdue).await, now, "a past renewal");
    let lifetime = base.subscribe(json!({ "billing_cycle": "lifetime" })).await;
    assert_eq!(cancelled(lifetime).await, now, "no renewal");
    let ahead = "2026-06-01T00:00:00.000000Z";
    let ahead_only = base.subscribe(json!({ "status": "pending", "starts_at": ahead, "renews_at": null })).await;
    assert_eq!(cancelled(ahead_only).await, ahead, "not begun");
    let already = base.subscribe(json!({ "ends_at": ahead })).await;
    assert_eq!(cancelled(already).await, ahead, "an end that was set");
}

#[tokio::test]
async fn an_end_sent_with_the_cancellation_counts_and_a_null_is_filled_in() {
    let base = Base::start().await;
    let record = base.subscribe(json!({})).await;
    let sent = json!({ "status": "cancelled", "ends_at": "2026-05-01T00:00:00Z" });
    assert_eq!(put(&base, &record, sent).await.expect(200).data()["ends_at"], "2026-05-01T00:00:00.000000Z");
    let ending = base.subscribe(json!({ "ends_at": "2026-05-01T00:00:00Z" })).await;
    let null = json!({ "status": "canceled", "ends_at": null });
    assert_eq!(put(&base, &ending, null).await.expect(200).data()["ends_at"], "2026-04-10T12:00:00.000000Z");
}

#[tokio::test]
async fn a_cancelled_subscription_that_stays_so_keeps_the_end_it_is_given() {
    let base = Base::start().await;
    let record = base.subscribe(json!({ "status": "cancelled" })).await;
    assert_eq!(record["ends_at"], "2026-04-10T12:00:00.000000Z", "created cancelled");
    let null = put(&base, &record, json!({ "ends_at": null })).await.expect(200);
    assert_eq!((&null.data()["ends_at"], &null.data()["has_access"]), (&json!(null), &json!(false)));
    let open = base.subscribe(json!({ "status": "cancelled", "ends_at": null })).await;
    assert_eq!((&open["ends_at"], &open["has_access"]), (&json!(null), &json!(false)), "an explicit null means null");
    let still = put(&base, &record, json!({ "status": "cancelled", "billing_cycle": "daily" })).await.expect(200);
    assert_eq!(still.data()["ends_at"], json!(null), "staying is no becoming");
}

#[tokio::test]
async fn leaving_cancelled_clears_the_end_unless_it_is_sent_or_leads_to_expired() {
    let base = Base::start().await;
    for status in ["active", "on_trial", "past_due", "unpaid", "paused"] {
        let record = base.subscribe(json!({ "status": "cancelled" })).await;
        let left = put(&base, &record, json!({ "status": status })).await.expect(200);
        assert_eq!(left.data()["ends_at"], json!(null), "{status}");
        let record = base.subscribe(json!({ "status": "cancelled" })).await;
        let sent = json!({ "status": status, "ends_at": "2027-01-01T00:00:00Z" });
        let left = put(&base, &record, sent).await.expect(200);
        assert_eq!(left.data()["ends_at"], "2027-01-01T00:00:00.000000Z", "{status}");
    }
    let record = base.subscribe(json!({ "status": "cancelled" })).await;
    let over = put(&base, &record, json!({ "status": "expired" })).await.expect(200);
    assert_eq!(over.data()["ends_at"], record["ends_at"]);
}

#[tokio::test]
async fn other_moves_leave_the_end_alone() {
    let base = Base::start().await;
    let record = base.subscribe(json!({ "ends_at": "2027-01-01T00:00:00Z" })).await;
    for status in ["paused", "unpaid", "active", "expired"] {
        let moved = put(&base, &record, json!({ "status": status })).await.expect(200);
        assert_eq!(moved.data()["ends_at"], record["ends_at"], "{status}");
    }
    let open = base.subscribe(json!({ "status": "expired" })).await;
    assert_eq!(open["ends_at"], json!(null));
}
