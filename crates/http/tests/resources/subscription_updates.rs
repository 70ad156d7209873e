//! API rules 1.10 and 5 (`docs/api.md`): what an update of a subscription changes, and what it leaves alone.

use super::support::{Base, SUBSCRIPTIONS, assert_errors, place};
use serde_json::json;

#[tokio::test]
async fn an_update_changes_what_was_sent_and_nothing_else() {
    let base = Base::start().await;
    let user = base.app.user("grace@example.com").await;
    let plan = base.app.plan("other", json!({ "billing_cycle": "yearly" })).await["id"].clone();
    let mut expected = base.subscribe(json!({})).await;
    let at = place(SUBSCRIPTIONS, &expected);
    for (minute, (field, value)) in (1..).zip([
        ("user_id", json!(user)),
        ("subscription_plan_id", plan),
        ("external_subscription_id", json!("ext")),
        ("quantity", json!(3)),
        ("billing_cycle", json!("weekly")),
        ("status", json!("past_due")),
        ("starts_at", json!("2026-02-01T00:00:00.000000Z")),
        ("renews_at", json!("2026-09-01T00:00:00.000000Z")),
        ("ends_at", json!("2026-10-01T00:00:00.000000Z")),
    ]) {
        base.app.advance(60);
        expected["updated_at"] = json!(format!("2026-03-10T12:{minute:02}:00.000000Z"));
        let answer = base.app.put(&at, &json!({ field: value.clone() })).await.expect(200);
        expected[field] = value;
        assert_eq!(answer.data(), &expected, "{field}");
        assert_eq!(base.app.get(&at).await.expect(200).data(), &expected, "{field}");
    }
    base.app.advance(60);
    expected["updated_at"] = json!("2026-03-10T12:10:00.000000Z");
    expected["is_active"] = json!(false);
    expected["has_access"] = json!(false);
    assert_eq!(base.app.put(&at, &json!({ "is_active": false })).await.expect(200).data(), &expected);
}

#[tokio::test]
async fn an_update_recomputes_nothing() {
    let base = Base::start().await;
    base.app.plan("yearly", json!({ "billing_cycle": "yearly" })).await;
    let before = base.subscribe(json!({})).await;
    let at = place(SUBSCRIPTIONS, &before);
    for change in [
        json!({ "subscription_plan_id": "yearly" }),
        json!({ "billing_cycle": "lifetime" }),
        json!({ "starts_at": "2026-01-31T00:00:00Z" }),
        json!({ "status": "paused" }),
        json!({ "status": "active" }),
    ] {
        let after = base.app.put(&at, &change).await.expect(200);
        assert_eq!(after.data()["renews_at"], before["renews_at"], "{change}");
        assert_eq!(after.data()["ends_at"], json!(null), "{change}");
    }
    assert_eq!(base.app.get(&at).await.expect(200).data()["billing_cycle"], "lifetime", "the plan's is not taken over");
}

#[tokio::test]
async fn a_subscription_may_be_sent_back_whole_with_a_change() {
    let base = Base::start().await;
    let mut record = base.subscribe(json!({ "external_subscription_id": "ext" })).await;
    let at = place(SUBSCRIPTIONS, &record);
    let before = base.app.get(&at).await;
    base.app.advance(60);
    let same = base.app.put(&at, &record).await.expect(200);
    assert_eq!((same.data(), same.header("etag")), (&record, before.header("etag")), "nothing was written");
    record["status"] = json!("past_due");
    let changed = base.app.put(&at, &record).await.expect(200);
    assert_eq!(changed.data()["status"], "past_due");
    assert_eq!(changed.data()["updated_at"], "2026-03-10T12:01:00.000000Z");
}

#[tokio::test]
async fn what_the_service_sets_may_be_sent_back_but_never_changed() {
    let base = Base::start().await;
    let record = base.subscribe(json!({})).await;
    let at = place(SUBSCRIPTIONS, &record);
    for (field, other) in [
        ("id", json!("sub_01h455vb4pex5vsknk084sn02q")),
        ("id", json!(null)),
        ("created_at", json!("2026-03-10T12:00:01Z")),
        ("created_at", json!(null)),
    ] {
        let answer = base.app.put(&at, &json!({ field: other, "status": "paused" })).await;
        assert_errors(answer, &[&format!("/{field} read_only_field")], field);
    }
    let ignored = json!({ "has_access": false, "updated_at": "never", "id": record["id"] });
    assert_eq!(base.app.put(&at, &ignored).await.expect(200).data(), &record);
    let unknown = json!({ "organization_id": "org_1" });
    assert_errors(base.app.put(&at, &unknown).await, &["/organization_id unknown_field"], "mass assignment");
    assert_eq!(base.app.get(&at).await.expect(200).data(), &record);
}

#[tokio::test]
async fn a_plan_named_by_its_slug_again_is_no_change() {
    let base = Base::start().await;
    let record = base.subscribe(json!({})).await;
    base.app.advance(60);
    let same = json!({ "subscription_plan_id": "pro", "user_id": base.user });
    assert_eq!(base.app.put(&place(SUBSCRIPTIONS, &record), &same).await.expect(200).data(), &record);
}

#[tokio::test]
async fn a_subscription_that_does_not_exist_is_a_plain_404() {
    let base = Base::start().await;
    for id in
        ["sub_01h455vb4pex5vsknk084sn02q", "sub_", "1", "..", "%00", "%2F", base.plan.as_str(), base.user.as_str()]
    {
        let target = format!("{SUBSCRIPTIONS}/{id}");
        base.app.get(&target).await.refused(404, "not_found");
        base.app.put(&target, &json!({ "status": "odd" })).await.refused(404, "not_found");
        base.app.delete(&target).await.refused(404, "not_found");
    }
}
