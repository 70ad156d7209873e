//! API rules 1.1, 4.2, 5.4 and 6 (`docs/api.md`): a delete returns the deleted record, which is then gone.

use super::support::{Base, PAYMENTS, PLANS, SUBSCRIPTIONS, assert_errors, place, text};
use serde_json::json;

#[tokio::test]
async fn a_deleted_record_is_returned_once_and_gone_for_every_method() {
    let base = Base::start().await;
    let payment = place(PAYMENTS, &base.pay(json!({})).await);
    let subscription = place(SUBSCRIPTIONS, &base.subscribe(json!({ "subscription_plan_id": base.plan })).await);
    let plan = place(PLANS, &base.app.plan("other", json!({})).await);
    for target in [payment, subscription, plan] {
        let record = base.app.get(&target).await.expect(200);
        base.app.advance(60);
        let deleted = base.app.delete(&target).await.expect(200);
        assert_eq!(deleted.json, record.json, "{target}");
        base.app.get(&target).await.refused(404, "not_found");
        base.app.put(&target, &json!({})).await.refused(404, "not_found");
        base.app.delete(&target).await.refused(404, "not_found");
    }
    base.app.get("/subscription-plans/other").await.refused(404, "not_found");
    base.app.delete("/subscription-plans/other").await.refused(404, "not_found");
}

#[tokio::test]
async fn deleted_records_leave_the_lists() {
    let base = Base::start().await;
    let subscription = base.subscribe(json!({})).await;
    let kept = base.subscribe(json!({})).await;
    base.app.delete(&place(SUBSCRIPTIONS, &subscription)).await.expect(200);
    assert_eq!(base.app.get(SUBSCRIPTIONS).await.expect(200).data(), &json!([kept]));
    base.app.plan("other", json!({})).await;
    base.app.delete("/subscription-plans/other").await.expect(200);
    let plans = base.app.get(PLANS).await.expect(200);
    assert_eq!(plans.data().as_array().unwrap().len(), 1);
    assert_eq!(plans.data()[0]["slug"], "pro");
}

#[tokio::test]
async fn the_payments_of_a_deleted_subscription_stay() {
    let base = Base::start().await;
    let subscription = base.subscribe(json!({})).await;
    let payment = base.app.payment(text(&subscription, "id"), json!({ "status": "completed" })).await;
    let at = place(PAYMENTS, &payment);
    base.app.delete(&place(SUBSCRIPTIONS, &subscription)).await.expect(200);
    assert_eq!(base.app.get(&at).await.expect(200).data(), &payment);
    let same = json!({ "subscription_id": subscription["id"], "status": "refunded" });
    let refunded = base.app.put(&at, &same).await.expect(200);
    assert_eq!(refunded.data()["status"], "refunded", "a reference that did not change is not checked again");
    let other = base.subscribe(json!({})).await;
    base.app.put(&at, &json!({ "subscription_id": other["id"] })).await.expect(200);
    let back = base.app.put(&at, &json!({ "subscription_id": subscription["id"] })).await;
    assert_errors(back, &["/subscription_id not_found"], "but one that changes is");
    base.app.delete(&at).await.expect(200);
}

#[tokio::test]
async fn deleting_a_payment_leaves_its_subscription() {
    let base = Base::start().await;
    let subscription = base.subscribe(json!({})).await;
    let payment = base.app.payment(text(&subscription, "id"), json!({})).await;
    base.app.delete(&place(PAYMENTS, &payment)).await.expect(200);
    assert_eq!(base.app.get(&place(SUBSCRIPTIONS, &subscription)).await.expect(200).data(), &subscription);
}

#[tokio::test]
async fn a_delete_ignores_what_is_sent_with_it() {
    let base = Base::start().await;
    let at = place(SUBSCRIPTIONS, &base.subscribe(json!({})).await);
    base.app.request("DELETE", &at).raw("not json").send().await.expect(200);
    base.app.request("DELETE", "/subscription-plans/pro").json(&json!({})).send().await.expect(200);
}
