//! API rules 25.4: who may write, and personal data.

use super::support::{Base, customer_facts, subscription_facts};
use perennial_app::connections::{self, ConnectionDraft};
use perennial_app::housekeeping;
use perennial_domain::connections::ObjectKind;
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_store::connection_inbox;
use serde_json::{Value, json};

async fn subscribed() -> (Base, Value) {
    let base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::Active);
    base.work();
    base.hint("evt_1", &json!({ "object": "subscription", "id": "sub_1" })).await.expect(200);
    base.outcome("evt_1").await;
    let subscription = base.one("/subscriptions").await;
    (base, subscription)
}

#[tokio::test]
async fn what_the_provider_reports_is_changed_there_while_the_connection_is_enabled() {
    let (base, subscription) = subscribed().await;
    let path = format!("/subscriptions/{}", subscription["id"].as_str().unwrap());
    for patch in [
        json!({ "status": "paused" }),
        json!({ "quantity": 3 }),
        json!({ "billing_cycle": "yearly" }),
        json!({ "starts_at": "2026-02-01T00:00:00Z" }),
        json!({ "renews_at": "2027-02-01T00:00:00Z" }),
        json!({ "ends_at": "2027-02-01T00:00:00Z" }),
        json!({ "external_subscription_id": "sub_2" }),
    ] {
        base.app.put(&path, &patch).await.refused(409, "provider_managed");
    }
    base.app.delete(&path).await.refused(409, "provider_managed");
    base.app.put(&path, &json!({ "managed_by": null })).await.refused(422, "read_only_field");
    let user = base.app.user("other@example.com").await;
    base.app.put(&path, &json!({ "is_active": false, "user_id": user })).await.expect(200);
    base.app.put(&path, &subscription_as_sent(&base, &path).await).await.expect(200);
    let disabled = ConnectionDraft { is_enabled: Some(false), ..ConnectionDraft::default() };
    connections::update(&base.app.app, &base.caller(), base.connection.id, disabled).await.unwrap();
    base.app.put(&path, &json!({ "status": "paused" })).await.expect(200);
}

async fn subscription_as_sent(base: &Base, path: &str) -> Value {
    base.app.get(path).await.expect(200).data().clone()
}

#[tokio::test]
async fn erasing_a_user_deletes_bodies_and_later_hints_of_the_customer_are_ignored() {
    let (base, subscription) = subscribed().await;
    let user = subscription["user_id"].as_str().unwrap().to_owned();
    let id = base.connection.id;
    let body = async || {
        let found = connection_inbox::by_key(&base.app.app.db, base.app.organization, id, "evt_1").await;
        found.unwrap().unwrap().body
    };
    assert!(body().await.is_some());
    base.app.delete(&format!("/users/{user}")).await.expect(200);
    assert!(body().await.is_none());
    base.hint("evt_2", &json!({ "object": "customer", "id": "cus_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_2").await, ("ignored".to_owned(), json!("erased_user")));
    base.memory.subscribe(1, SubscriptionStatus::PastDue);
    base.hint("evt_3", &json!({ "object": "subscription", "id": "sub_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_3").await.0, "applied");
    let after = base.one("/subscriptions").await;
    assert_eq!((&after["user_id"], &after["status"]), (&json!(user), &json!("past_due")));
}

/// A service with a subscription whose metadata names this user, and a customer that was never fetched.
async fn named(user: &str, base: &Base) {
    base.memory.subscribe(1, SubscriptionStatus::Active);
    let mut mapped = subscription_facts("sub_1", "cus_1", SubscriptionStatus::Active);
    mapped.subscription.as_mut().unwrap().user_id = user.parse().ok();
    base.memory.found(ObjectKind::Subscription, "sub_1", mapped);
    base.work();
    base.hint("evt_1", &json!({ "object": "subscription", "id": "sub_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_1").await.0, "applied");
    assert_eq!(base.one("/subscriptions").await["user_id"], json!(user));
    assert_eq!(base.memory.fetched("cus_1"), 0);
}

#[tokio::test]
async fn a_customer_that_was_never_fetched_does_not_bring_an_erased_user_back() {
    let base = Base::start().await;
    let user = base.app.user("ours@example.com").await;
    named(&user, &base).await;
    base.app.delete(&format!("/users/{user}")).await.expect(200);
    base.hint("evt_2", &json!({ "object": "customer", "id": "cus_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_2").await, ("ignored".to_owned(), json!("erased_user")));
    assert_eq!(base.app.get("/users").await.expect(200).data(), &json!([]));
}

#[tokio::test]
async fn the_customer_of_an_adopted_subscription_does_not_bring_an_erased_user_back() {
    let base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::Active);
    let user = base.app.user("ours@example.com").await;
    let plan = base.app.plan("own", json!({ "variants": ["price_1"] })).await;
    let own = json!({ "external_subscription_id": "sub_1" });
    base.app.subscription(&user, plan["id"].as_str().unwrap(), own).await;
    base.work();
    base.hint("evt_1", &json!({ "object": "subscription", "id": "sub_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_1").await.0, "applied");
    base.app.delete(&format!("/users/{user}")).await.expect(200);
    base.hint("evt_2", &json!({ "object": "customer", "id": "cus_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_2").await, ("ignored".to_owned(), json!("erased_user")));
    assert_eq!(base.app.get("/users").await.expect(200).data(), &json!([]));
}

#[tokio::test]
async fn the_first_fetch_of_a_customer_changes_no_address_and_a_later_one_does() {
    let base = Base::start().await;
    let user = base.app.user("ours@example.com").await;
    named(&user, &base).await;
    base.hint("evt_2", &json!({ "object": "customer", "id": "cus_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_2").await.0, "unchanged");
    assert_eq!(base.one("/users").await["email"], json!("ours@example.com"));
    base.memory.found(ObjectKind::Customer, "cus_1", customer_facts("cus_1", "new@example.com"));
    base.hint("evt_3", &json!({ "object": "customer", "id": "cus_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_3").await.0, "applied");
    let after = base.one("/users").await;
    assert_eq!((&after["id"], &after["email"]), (&json!(user), &json!("new@example.com")));
}

#[tokio::test]
async fn bodies_are_deleted_a_week_after_they_were_applied_and_others_after_thirty_days() {
    let (base, _) = subscribed().await;
    base.send(r#"{"id":"evt_2","livemode":true,"data":{"object":{"object":"mandate"}}}"#).await.expect(200);
    let has_body = async |key: &str| {
        let found = connection_inbox::by_key(&base.app.app.db, base.app.organization, base.connection.id, key).await;
        found.unwrap().unwrap().body.is_some()
    };
    base.app.advance(7 * 86_400 - 1);
    housekeeping::sweep_connections(&base.app.app).await.unwrap();
    assert!(has_body("evt_1").await);
    base.app.advance(2);
    housekeeping::sweep_connections(&base.app.app).await.unwrap();
    assert_eq!((has_body("evt_1").await, has_body("evt_2").await), (false, true));
    base.app.advance(23 * 86_400);
    housekeeping::sweep_connections(&base.app.app).await.unwrap();
    assert!(!has_body("evt_2").await);
}
