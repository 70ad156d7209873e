//! API rules 2.1 (`docs/api.md`) and attack 19: another organization's record is a 404, and no reference leads to it.

use super::support::{Base, PAYMENTS, PLANS, SUBSCRIPTIONS, Tenant, assert_errors, place};
use serde_json::json;

#[tokio::test]
async fn another_organizations_records_are_not_there() {
    let base = Base::start().await;
    let payment = base.pay(json!({ "external_payment_id": "ch_1" })).await;
    let subscription = base.subscribe(json!({})).await;
    let tenant = Tenant::create(&base.app, "USD").await;
    for target in [
        "/subscription-plans/pro".to_owned(),
        format!("{PLANS}/{}", base.plan),
        place(SUBSCRIPTIONS, &subscription),
        place(PAYMENTS, &payment),
    ] {
        let before = base.app.get(&target).await.expect(200);
        tenant.get(&target).await.refused(404, "not_found");
        tenant.request("PUT", &target).json(&json!({ "tier": 1 })).send().await.refused(404, "not_found");
        tenant.request("PUT", &target).json(&json!({})).send().await.refused(404, "not_found");
        tenant.request("DELETE", &target).send().await.refused(404, "not_found");
        assert_eq!(base.app.get(&target).await.expect(200).json, before.json, "{target}");
    }
    for list in [PLANS, SUBSCRIPTIONS] {
        assert_eq!(tenant.get(list).await.expect(200).data(), &json!([]), "{list}");
    }
}

#[tokio::test]
async fn no_reference_leads_to_another_organization() {
    let base = Base::start().await;
    let theirs = base.subscribe(json!({})).await;
    let tenant = Tenant::create(&base.app, "USD").await;
    let own = json!({ "name": "Own", "slug": "own", "price": 1, "billing_cycle": "monthly" });
    tenant.post(PLANS, &own).await.expect(201);
    for (user, plan, faults) in [
        (base.user.as_str(), "own", &["/user_id not_found"][..]),
        (tenant.user.as_str(), base.plan.as_str(), &["/subscription_plan_id not_found"]),
        (tenant.user.as_str(), "pro", &["/subscription_plan_id not_found"]),
        (base.user.as_str(), "pro", &["/user_id not_found", "/subscription_plan_id not_found"]),
    ] {
        let sent = json!({ "user_id": user, "subscription_plan_id": plan });
        assert_errors(tenant.post(SUBSCRIPTIONS, &sent).await, faults, &format!("{user} {plan}"));
    }
    let sent = json!({ "subscription_id": theirs["id"], "amount": 1, "currency": "USD" });
    assert_errors(tenant.post(PAYMENTS, &sent).await, &["/subscription_id not_found"], "payment");
    let sent = json!({ "user_id": tenant.user, "subscription_plan_id": "own" });
    let mine = tenant.post(SUBSCRIPTIONS, &sent).await.expect(201);
    let at = place(SUBSCRIPTIONS, mine.data());
    let move_user = tenant.request("PUT", &at).json(&json!({ "user_id": base.user })).send().await;
    assert_errors(move_user, &["/user_id not_found"], "update");
    let move_plan = tenant.request("PUT", &at).json(&json!({ "subscription_plan_id": "pro" })).send().await;
    assert_errors(move_plan, &["/subscription_plan_id not_found"], "update");
}

#[tokio::test]
async fn slugs_and_external_ids_are_unique_in_one_organization_only() {
    let base = Base::start().await;
    let theirs = base.subscribe(json!({ "external_subscription_id": "ext" })).await;
    let sent = json!({ "subscription_id": theirs["id"], "amount": 1, "currency": "USD", "external_payment_id": "ch" });
    base.app.post(PAYMENTS, &sent).await.expect(201);
    let tenant = Tenant::create(&base.app, "USD").await;
    let plan = json!({ "name": "Own", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    let plan = tenant.post(PLANS, &plan).await.expect(201);
    assert_ne!(plan.data()["id"], base.plan);
    let sent = json!({ "user_id": tenant.user, "subscription_plan_id": "pro", "external_subscription_id": "ext" });
    let mine = tenant.post(SUBSCRIPTIONS, &sent).await.expect(201);
    assert_eq!(mine.data()["subscription_plan_id"], plan.data()["id"], "a slug names the caller's own plan");
    let sent =
        json!({ "subscription_id": mine.data()["id"], "amount": 1, "currency": "USD", "external_payment_id": "ch" });
    tenant.post(PAYMENTS, &sent).await.expect(201);
    let refused = tenant.post(PAYMENTS, &sent).await.refused(409, "external_id_taken");
    assert_ne!(refused.json["conflicting_id"], json!(null));
}

#[tokio::test]
async fn another_organizations_subscriptions_do_not_hold_a_plan() {
    let base = Base::start().await;
    base.subscribe(json!({})).await;
    let tenant = Tenant::create(&base.app, "USD").await;
    let plan = json!({ "name": "Own", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    tenant.post(PLANS, &plan).await.expect(201);
    tenant.request("DELETE", "/subscription-plans/pro").send().await.expect(200);
    base.app.get("/subscription-plans/pro").await.expect(200);
}
