//! API rules 25.4: who may write, and personal data.

use super::support::{Base, SECRET, connect, customer_facts, payment_facts, sign, subscription_facts};
use perennial_app::connections::provider::Fetched;
use perennial_app::connections::{self, ConnectionDraft, ConnectionKind};
use perennial_app::housekeeping;
use perennial_domain::connections::ObjectKind;
use perennial_domain::id::ConnectionId;
use perennial_domain::payments::PaymentStatus;
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
    // Two systems would charge the customer.
    let converted = json!({ "status": "active", "billing": {} });
    base.app.put(&path, &converted).await.refused(409, "provider_managed");
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

/// The body of a hint as it is stored.
async fn body_of(base: &Base, connection: ConnectionId, key: &str) -> Option<Value> {
    let found = connection_inbox::by_key(&base.app.app.db, base.app.organization, connection, key).await;
    found.unwrap().unwrap().body.map(|body| serde_json::from_slice(&body).unwrap())
}

#[tokio::test]
async fn bodies_are_deleted_a_week_after_they_were_applied_and_others_after_thirty_days() {
    let (base, subscription) = subscribed().await;
    let id = base.connection.id;
    let shop = connect(&base.app, ConnectionKind::LemonSqueezy, "shop").await.id;
    let named = json!({ "meta": { "custom_data": { "user_id": subscription["user_id"] } } });
    let mut body = json!({ "data": { "type": "license-keys", "attributes": { "user_email": "a@example.com" } } });
    body["meta"] = named["meta"].clone();
    let header = sign(SECRET, "", body.to_string().as_bytes());
    let request = base.app.anonymous("POST", &format!("/hooks/{shop}")).header("x-signature", header);
    request.raw(body.to_string()).send().await.expect(200);
    let key = base.one(&format!("/connections/{shop}/inbox")).await["key"].as_str().unwrap().to_owned();
    base.app.advance(7 * 86_400 - 1);
    housekeeping::sweep_connections(&base.app.app).await.unwrap();
    assert!(body_of(&base, id, "evt_1").await.is_some());
    base.app.advance(2);
    housekeeping::sweep_connections(&base.app.app).await.unwrap();
    assert_eq!((body_of(&base, id, "evt_1").await, body_of(&base, shop, &key).await), (None, Some(named)));
    base.app.advance(23 * 86_400);
    housekeeping::sweep_connections(&base.app.app).await.unwrap();
    assert_eq!(body_of(&base, shop, &key).await, None);
}

/// The erasure of a user finds bodies by the links of the user's records.
#[tokio::test]
async fn a_body_about_an_object_without_a_link_is_not_kept() {
    let (base, _) = subscribed().await;
    let id = base.connection.id;
    base.memory.found(ObjectKind::Payment, "in_1", payment_facts("in_1", "sub_1", PaymentStatus::Completed));
    base.memory.put(ObjectKind::Payment, "ch_1", Fetched::LeadsTo(vec![(ObjectKind::Payment, "in_1".to_owned())]));
    let evidence = json!({ "customer_email_address": "u1@example.com" });
    let details = json!({ "email": "u1@example.com" });
    for (key, object, expected) in [
        ("evt_2", json!({ "object": "dispute", "id": "dp_1", "charge": "ch_1", "evidence": evidence }), "applied"),
        ("evt_3", json!({ "object": "charge", "id": "ch_1", "billing_details": details }), "unchanged"),
        ("evt_4", json!({ "object": "charge", "id": "ch_2", "billing_details": details }), "ignored"),
        ("evt_5", json!({ "object": "mandate", "billing_details": details }), "ignored"),
    ] {
        base.hint(key, &object).await.expect(200);
        assert_eq!(base.outcome(key).await.0, expected, "{key}");
        assert_eq!(body_of(&base, id, key).await, None, "{key}");
    }
    assert!(body_of(&base, id, "evt_1").await.is_some(), "the subscription has a link");
    base.memory.put(ObjectKind::Payment, "in_2", Fetched::Malformed("malformed"));
    base.hint("evt_6", &json!({ "object": "invoice", "id": "in_2", "customer_email": "u1@example.com" }))
        .await
        .expect(200);
    assert_eq!((base.outcome("evt_6").await.0.as_str(), body_of(&base, id, "evt_6").await), ("failed", None));
    base.memory.found(ObjectKind::Payment, "in_2", payment_facts("in_2", "sub_1", PaymentStatus::Completed));
    assert_eq!(connections::retry(&base.app.app, &base.caller(), id, None).await.unwrap(), 1);
    assert_eq!(base.outcome("evt_6").await, ("applied".to_owned(), Value::Null), "a retry needs no body");
}
