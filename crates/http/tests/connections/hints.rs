//! API rules 25.3: from a hint to a record.

use super::support::{Base, connect, customer_facts, payment_facts, price_facts, subscription_facts};
use perennial_app::connections::provider::Fetched;
use perennial_app::connections::{self, ConnectionKind, Connections};
use perennial_domain::connections::ObjectKind;
use perennial_domain::payments::PaymentStatus;
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::users::PersonalName;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

fn subscription(number: usize) -> Value {
    json!({ "object": "subscription", "id": format!("sub_{number}") })
}

#[tokio::test]
async fn a_hint_becomes_a_subscription_with_its_user_and_plan() {
    let base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::Active);
    base.work();
    base.hint("evt_1", &subscription(1)).await.expect(200);
    assert_eq!(base.outcome("evt_1").await, ("applied".to_owned(), Value::Null));
    let record = base.one("/subscriptions").await;
    assert_eq!((&record["status"], &record["quantity"]), (&json!("active"), &json!(2)));
    assert_eq!(record["external_subscription_id"], json!("sub_1"));
    assert_eq!((&record["managed_by"], &record["has_access"]), (&json!(base.connection.id), &json!(true)));
    assert_eq!(base.one("/subscription-plans").await["slug"], json!("pro"));
    assert_eq!(base.one("/users?email=u1@example.com").await["id"], record["user_id"]);
    let events = base.app.events().await;
    let created = events.iter().find(|event| event.kind.as_str() == "subscription.created").unwrap();
    assert_eq!(created.client_id, None);
    assert_eq!(created.request_id, Some(format!("{}/evt_1", base.connection.id)));
    let count = base.app.events().await.len();
    base.hint("evt_2", &subscription(1)).await.expect(200);
    assert_eq!(base.outcome("evt_2").await.0, "unchanged");
    assert_eq!(base.app.events().await.len(), count, "nothing differs, so there is no event");
}

#[tokio::test]
async fn a_record_that_follows_another_connection_is_not_taken_over() {
    let mut base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::Active);
    base.memory.found(ObjectKind::Payment, "in_1", payment_facts("in_1", "sub_1", PaymentStatus::Completed));
    base.work();
    let invoice = json!({ "object": "invoice", "id": "in_1" });
    base.hint("evt_1", &invoice).await.expect(200);
    assert_eq!(base.outcome("evt_1").await.0, "applied");
    base.connection = connect(&base.app, ConnectionKind::Stripe, "other").await;
    base.memory.found(ObjectKind::Price, "price_1", price_facts("price_1", "7.77", true));
    base.memory.found(ObjectKind::Payment, "in_1", payment_facts("in_1", "sub_1", PaymentStatus::Refunded));
    let price = json!({ "object": "price", "id": "price_1" });
    for (key, object) in [("evt_2", &invoice), ("evt_3", &subscription(1)), ("evt_4", &price)] {
        base.hint(key, object).await.expect(200);
        assert_eq!(base.outcome(key).await, ("failed".to_owned(), json!("external_id_taken")), "{object}");
    }
    assert_eq!(base.one("/subscription-plans").await["price"], json!(9.5));
    assert_eq!(base.one("/subscription-payments").await["status"], json!("completed"));
}

#[tokio::test]
async fn the_last_fetch_counts_whatever_the_order_and_number_of_hints() {
    let base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::Active);
    for number in 0..100 {
        base.hint(&format!("evt_{number}"), &subscription(1)).await.expect(200);
    }
    base.work();
    base.quiet().await;
    assert!(base.memory.fetched("sub_1") <= 3, "{}", base.memory.fetched("sub_1"));
    assert_eq!(*base.memory.overlaps.lock().unwrap(), 0);
    base.memory.subscribe(1, SubscriptionStatus::PastDue);
    base.hint("evt_late", &subscription(1)).await.expect(200);
    base.outcome("evt_late").await;
    assert_eq!(base.one("/subscriptions").await["status"], json!("past_due"));
}

#[tokio::test]
async fn two_servers_apply_each_change_once() {
    let base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::Active);
    base.work();
    let second = base.app.second_server().await;
    let _work = second.as_ref().map(|second| second.work(Connections));
    for number in 0..20 {
        base.hint(&format!("evt_{number}"), &subscription(1)).await.expect(200);
    }
    // The second server has no provider: what it takes waits, and is tried again.
    base.app.advance(10);
    for _ in 0..5 {
        base.quiet().await;
        base.app.advance(600);
    }
    base.quiet().await;
    let events = base.app.events().await;
    assert_eq!(events.iter().filter(|event| event.kind.as_str() == "subscription.created").count(), 1);
    assert_eq!(base.one("/subscriptions").await["status"], json!("active"));
}

#[tokio::test]
async fn a_payment_follows_and_facts_skip_the_transitions() {
    let base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::Active);
    base.memory.found(ObjectKind::Payment, "in_1", payment_facts("in_1", "sub_1", PaymentStatus::Refunded));
    base.work();
    base.hint("evt_1", &json!({ "object": "invoice", "id": "in_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_1").await.0, "applied");
    base.memory.found(ObjectKind::Payment, "in_1", payment_facts("in_1", "sub_1", PaymentStatus::Completed));
    base.hint("evt_2", &json!({ "object": "invoice", "id": "in_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_2").await.0, "applied");
    let payment = base.one("/subscription-payments").await;
    assert_eq!((&payment["status"], &payment["amount"]), (&json!("completed"), &json!(19)));
    let path = format!("/subscription-payments/{}", payment["id"].as_str().unwrap());
    let refused = base.app.put(&path, &json!({ "status": "void" })).await.refused(409, "provider_managed");
    assert_eq!(refused.json["connection_id"], json!(base.connection.id));
    base.app.delete(&path).await.refused(409, "provider_managed");
}

#[tokio::test]
async fn a_payment_waits_a_day_for_its_subscription() {
    let base = Base::start().await;
    base.memory.found(ObjectKind::Payment, "in_1", payment_facts("in_1", "sub_9", PaymentStatus::Completed));
    base.work();
    base.hint("evt_1", &json!({ "object": "invoice", "id": "in_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_1").await, ("waiting".to_owned(), json!("missing_subscription")));
    base.app.advance(86_400);
    assert_eq!(base.outcome("evt_1").await, ("ignored".to_owned(), json!("missing_subscription")));
}

#[tokio::test]
async fn a_payment_that_names_no_subscription_waits_for_one_and_looks_less_and_less_often() {
    let base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::Active);
    base.memory.subscribe(2, SubscriptionStatus::Active);
    for id in ["in_1", "in_2"] {
        base.memory.put(ObjectKind::Payment, id, Fetched::AwaitsSubscription);
    }
    base.work();
    let waits = ("waiting".to_owned(), json!("missing_subscription"));
    base.hint("evt_2", &json!({ "object": "invoice", "id": "in_2" })).await.expect(200);
    for seconds in [5, 30, 120, 600, 3_600] {
        assert_eq!(base.outcome("evt_2").await, waits);
        base.app.advance(seconds);
    }
    assert_eq!(base.outcome("evt_2").await, waits);
    base.hint("evt_1", &json!({ "object": "invoice", "id": "in_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_1").await, waits);
    let fetches = base.memory.fetched("in_2");
    base.memory.found(ObjectKind::Payment, "in_1", payment_facts("in_1", "sub_1", PaymentStatus::Completed));
    base.hint("evt_3", &subscription(1)).await.expect(200);
    assert_eq!(base.outcome("evt_3").await.0, "applied");
    let ended = async {
        while base.outcome("evt_1").await == waits {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_mins(1), ended).await.expect("a new subscription ends the wait");
    base.quiet().await;
    assert_eq!(base.outcome("evt_1").await, ("applied".to_owned(), Value::Null));
    assert_eq!(base.memory.fetched("in_2"), fetches, "it has waited for long");
    base.app.advance(86_400);
    assert_eq!(base.outcome("evt_2").await, ("ignored".to_owned(), json!("no_subscription")));
}

#[tokio::test]
async fn a_record_with_the_same_external_id_is_adopted() {
    let base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::PastDue);
    let user = base.app.user("own@example.com").await;
    let plan = base.app.plan("own", json!({ "variants": ["price_1"] })).await;
    let own = json!({ "external_subscription_id": "sub_1" });
    let before = base.app.subscription(&user, plan["id"].as_str().unwrap(), own).await;
    assert_eq!(before["managed_by"], Value::Null);
    base.work();
    base.hint("evt_1", &subscription(1)).await.expect(200);
    assert_eq!(base.outcome("evt_1").await.0, "applied");
    let after = base.one("/subscriptions").await;
    assert_eq!((&after["id"], &after["user_id"]), (&before["id"], &json!(user)));
    assert_eq!((&after["managed_by"], &after["status"]), (&json!(base.connection.id), &json!("past_due")));
    assert_eq!(base.one("/subscription-plans").await["id"], plan["id"], "the plan of the price is adopted too");
}

#[tokio::test]
async fn expired_is_final_and_reported_as_drift() {
    let base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::Expired);
    base.work();
    base.hint("evt_1", &subscription(1)).await.expect(200);
    assert_eq!(base.outcome("evt_1").await.0, "applied");
    base.memory.subscribe(1, SubscriptionStatus::Active);
    base.hint("evt_2", &subscription(1)).await.expect(200);
    assert_eq!(base.outcome("evt_2").await, ("failed".to_owned(), json!("expired_is_final")));
    let events = base.app.events().await;
    let drift = events.iter().find(|event| event.kind.as_str() == "connection.drift").unwrap();
    let data: Value = serde_json::from_str(drift.after.as_deref().unwrap()).unwrap();
    assert_eq!(data["fields"]["status"], json!({ "ours": "expired", "theirs": "active" }));
    assert_eq!((&data["object"], &data["repaired"]), (&json!("subscription"), &json!(false)));
    assert_eq!(base.one("/subscriptions").await["status"], json!("expired"));
    let key = Some("evt_2");
    base.memory.subscribe(1, SubscriptionStatus::Expired);
    let count = connections::retry(&base.app.app, &base.caller(), base.connection.id, key).await.unwrap();
    assert_eq!((count, base.outcome("evt_2").await.0.as_str()), (1, "unchanged"));
}

#[tokio::test]
async fn what_is_missing_or_malformed_at_the_provider_ends_nothing() {
    let base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::Active);
    base.work();
    base.hint("evt_1", &subscription(1)).await.expect(200);
    base.outcome("evt_1").await;
    for (key, fetched, state, code) in [
        ("evt_2", Fetched::NotFound, "ignored", "not_found"),
        ("evt_3", Fetched::Malformed("unknown_status"), "failed", "unknown_status"),
        ("evt_4", Fetched::Ignored("other_mode"), "ignored", "other_mode"),
    ] {
        base.memory.put(ObjectKind::Subscription, "sub_1", fetched);
        base.hint(key, &subscription(1)).await.expect(200);
        assert_eq!(base.outcome(key).await, (state.to_owned(), json!(code)));
        assert_eq!(base.one("/subscriptions").await["has_access"], json!(true));
    }
}

#[tokio::test]
async fn a_price_changes_its_plan_but_not_the_name_and_a_lost_one_is_not_sold() {
    let base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::Active);
    base.work();
    base.hint("evt_1", &subscription(1)).await.expect(200);
    base.outcome("evt_1").await;
    let plan = base.one("/subscription-plans").await;
    let path = format!("/subscription-plans/{}", plan["id"].as_str().unwrap());
    base.app.put(&path, &json!({ "price": 1 })).await.refused(409, "provider_managed");
    base.app.put(&path, &json!({ "description": "ours" })).await.expect(200);
    base.memory.found(ObjectKind::Price, "price_1", price_facts("price_1", "12", true));
    base.memory.put(
        ObjectKind::Price,
        "prod_1",
        Fetched::LeadsTo(vec![
            (ObjectKind::Price, "price_1".to_owned()),
            (ObjectKind::Price, "price_other".to_owned()),
        ]),
    );
    base.hint("evt_2", &json!({ "object": "product", "id": "prod_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_2").await.0, "applied");
    let changed = base.one("/subscription-plans").await;
    assert_eq!((&changed["price"], &changed["version"]), (&json!(12), &json!(2)));
    assert_eq!(base.memory.fetched("price_other"), 0, "only linked prices are fetched");
    base.memory.put(ObjectKind::Price, "price_1", Fetched::NotFound);
    base.hint("evt_3", &json!({ "object": "price", "id": "price_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_3").await.0, "applied");
    assert_eq!(base.one("/subscription-plans").await["is_active"], json!(false));
}

#[tokio::test]
async fn a_product_without_a_linked_price_changes_nothing() {
    let base = Base::start().await;
    base.work();
    for (key, prices) in [("evt_1", vec![]), ("evt_2", vec![(ObjectKind::Price, "price_other".to_owned())])] {
        base.memory.put(ObjectKind::Price, "prod_1", Fetched::LeadsTo(prices));
        base.hint(key, &json!({ "object": "product", "id": "prod_1" })).await.expect(200);
        assert_eq!(base.outcome(key).await, ("unchanged".to_owned(), Value::Null));
    }
    assert_eq!(base.app.get("/subscription-plans").await.expect(200).data(), &json!([]));
}

#[tokio::test]
async fn a_new_address_changes_only_a_user_whom_no_sign_up_has_claimed() {
    let base = Base::start().await;
    base.memory.found(ObjectKind::Customer, "cus_1", customer_facts("cus_1", "one@example.com"));
    base.work();
    base.hint("evt_1", &json!({ "object": "customer", "id": "cus_1" })).await.expect(200);
    base.outcome("evt_1").await;
    base.memory.found(ObjectKind::Customer, "cus_1", customer_facts("cus_1", "two@example.com"));
    base.hint("evt_2", &json!({ "object": "customer", "id": "cus_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_2").await.0, "applied");
    let user = base.one("/users?email=two@example.com").await;
    assert_eq!(user["auth_id"], Value::Null);
    base.app.user("taken@example.com").await;
    base.memory.found(ObjectKind::Customer, "cus_1", customer_facts("cus_1", "taken@example.com"));
    base.hint("evt_3", &json!({ "object": "customer", "id": "cus_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_3").await.0, "unchanged");
    let taken = base.one("/users?email=taken@example.com").await;
    base.app.delete(&format!("/users/{}", taken["id"].as_str().unwrap())).await.expect(200);
    base.hint("evt_4", &json!({ "object": "customer", "id": "cus_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_4").await.0, "applied", "the address is free now");
}

#[tokio::test]
async fn an_address_that_was_changed_here_stays_until_another_one_is_seen_there() {
    let base = Base::start().await;
    let mut facts = customer_facts("cus_1", "one@example.com");
    base.memory.found(ObjectKind::Customer, "cus_1", facts.clone());
    base.work();
    base.hint("evt_1", &json!({ "object": "customer", "id": "cus_1" })).await.expect(200);
    base.outcome("evt_1").await;
    let path = format!("/users/{}", base.one("/users").await["id"].as_str().unwrap());
    base.app.put(&path, &json!({ "email": "ours@example.com" })).await.expect(200);
    facts.customer.as_mut().unwrap().first_name = PersonalName::parse("Ada").ok();
    base.memory.found(ObjectKind::Customer, "cus_1", facts);
    base.hint("evt_2", &json!({ "object": "customer", "id": "cus_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_2").await.0, "unchanged");
    assert_eq!(base.one("/users").await["email"], json!("ours@example.com"));
    base.memory.found(ObjectKind::Customer, "cus_1", customer_facts("cus_1", "new@example.com"));
    base.hint("evt_3", &json!({ "object": "customer", "id": "cus_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_3").await.0, "applied");
    assert_eq!(base.one("/users").await["email"], json!("new@example.com"));
}

#[tokio::test]
async fn metadata_names_a_live_user_of_the_organization_or_nobody() {
    let base = Base::start().await;
    let user = base.app.user("ours@example.com").await;
    base.memory.subscribe(1, SubscriptionStatus::Active);
    let mut mapped = subscription_facts("sub_1", "cus_1", SubscriptionStatus::Active);
    mapped.subscription.as_mut().unwrap().user_id = user.parse().ok();
    base.memory.found(ObjectKind::Subscription, "sub_1", mapped);
    base.memory.subscribe(2, SubscriptionStatus::Active);
    let mut mapped = subscription_facts("sub_2", "cus_2", SubscriptionStatus::Active);
    mapped.subscription.as_mut().unwrap().user_id = "usr_01h455vb4pex5vsknk084sn02q".parse().ok();
    base.memory.found(ObjectKind::Subscription, "sub_2", mapped);
    base.work();
    base.hint("evt_1", &subscription(1)).await.expect(200);
    base.hint("evt_2", &subscription(2)).await.expect(200);
    base.quiet().await;
    assert_eq!(base.one(&format!("/subscriptions?user_id={user}")).await["external_subscription_id"], json!("sub_1"));
    let other = base.one("/users?email=u2@example.com").await;
    let path = format!("/subscriptions?user_id={}", other["id"].as_str().unwrap());
    assert_eq!(base.one(&path).await["external_subscription_id"], json!("sub_2"));
}
