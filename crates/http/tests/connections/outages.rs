//! API rules 25.3: a provider that does not answer.

use super::support::{Base, subscription_facts};
use perennial_app::connections;
use perennial_app::connections::provider::Fetched;
use perennial_app::error::Error;
use perennial_domain::connections::ObjectKind;
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_store::connection_states;
use serde_json::{Value, json};

const AWAY: Fetched = Fetched::Unavailable { retry_after: None, is_rate_limited: false };

fn subscription(number: usize) -> Value {
    json!({ "object": "subscription", "id": format!("sub_{number}") })
}

async fn state(base: &Base) -> Value {
    base.app.get(&format!("/connections/{}", base.connection.id)).await.expect(200).data()["state"].clone()
}

#[tokio::test]
async fn hints_wait_for_a_provider_that_is_away_and_all_are_due_when_it_returns() {
    let base = Base::start().await;
    for number in 1..=3 {
        base.memory.subscribe(number, SubscriptionStatus::Active);
        base.memory.put(ObjectKind::Subscription, &format!("sub_{number}"), AWAY);
    }
    base.work();
    for number in 1..=3 {
        base.hint(&format!("evt_{number}"), &subscription(number)).await.expect(200);
    }
    for _ in 0..6 {
        base.quiet().await;
        base.app.advance(300);
    }
    base.quiet().await;
    assert_eq!(state(&base).await, json!("failing"));
    for number in 1..=3 {
        let (id, customer) = (format!("sub_{number}"), format!("cus_{number}"));
        let mapped = subscription_facts(&id, &customer, SubscriptionStatus::Active);
        base.memory.found(ObjectKind::Subscription, &id, mapped);
    }
    base.app.advance(300);
    let deadline = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while base.inbox().await.iter().any(|item| item["state"] != "applied") {
        assert!(std::time::Instant::now() < deadline, "{:?}", base.inbox().await);
        tokio::task::yield_now().await;
    }
    assert_eq!(state(&base).await, json!("ok"));
    let kinds: Vec<&str> = base.app.events().await.iter().map(|event| event.kind.as_str()).collect();
    let changes: Vec<&&str> =
        kinds.iter().filter(|kind| ["connection.failing", "connection.recovered"].contains(kind)).collect();
    assert_eq!(changes, [&"connection.failing", &"connection.recovered"]);
}

#[tokio::test]
async fn a_hint_fails_after_three_days() {
    let base = Base::start().await;
    base.memory.put(ObjectKind::Subscription, "sub_1", AWAY);
    base.work();
    base.hint("evt_1", &subscription(1)).await.expect(200);
    assert_eq!(base.outcome("evt_1").await, ("waiting".to_owned(), Value::Null));
    base.app.advance(3 * 86_400);
    assert_eq!(base.outcome("evt_1").await, ("failed".to_owned(), json!("unavailable")));
}

#[tokio::test]
async fn a_hint_that_waits_is_applied_at_once_if_the_operator_asks() {
    let base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::Active);
    base.memory.put(ObjectKind::Subscription, "sub_1", AWAY);
    base.work();
    base.hint("evt_1", &subscription(1)).await.expect(200);
    assert_eq!(base.outcome("evt_1").await, ("waiting".to_owned(), Value::Null));
    let mapped = subscription_facts("sub_1", "cus_1", SubscriptionStatus::Active);
    base.memory.found(ObjectKind::Subscription, "sub_1", mapped);
    let queued = connections::retry(&base.app.app, &base.caller(), base.connection.id, Some("evt_1")).await.unwrap();
    assert_eq!(queued, 1);
    assert_eq!(base.outcome("evt_1").await, ("applied".to_owned(), Value::Null));
    let unknown = connections::retry(&base.app.app, &base.caller(), base.connection.id, Some("evt_2")).await;
    assert!(matches!(unknown, Err(Error::NotFound)), "{unknown:?}");
}

#[tokio::test]
async fn a_pause_of_several_hours_is_observed() {
    let base = Base::start().await;
    let hours = 10 * 3_600;
    let limited = Fetched::Unavailable { retry_after: Some(hours), is_rate_limited: true };
    base.memory.put(ObjectKind::Subscription, "sub_1", limited);
    base.work();
    base.hint("evt_1", &subscription(1)).await.expect(200);
    base.quiet().await;
    let (db, connection) = (&base.app.app.db, &base.connection);
    let state = connection_states::of_connection(db, connection.organization_id, connection.id).await.unwrap().unwrap();
    assert_eq!(state.paused_until, Some(base.app.now().plus_seconds(hours)));
}

#[tokio::test]
async fn a_rate_limit_stops_the_connection_for_as_long_as_the_provider_asks() {
    let base = Base::start().await;
    base.memory.subscribe(2, SubscriptionStatus::Active);
    let limited = Fetched::Unavailable { retry_after: Some(30), is_rate_limited: true };
    base.memory.put(ObjectKind::Subscription, "sub_1", limited);
    base.work();
    base.hint("evt_1", &subscription(1)).await.expect(200);
    base.quiet().await;
    base.hint("evt_2", &subscription(2)).await.expect(200);
    base.app.advance(29);
    for _ in 0..20 {
        base.inbox().await;
    }
    assert_eq!(base.memory.fetched("sub_2"), 0, "no request for 30 seconds");
    base.app.advance(2);
    base.memory.subscribe(1, SubscriptionStatus::Active);
    assert_eq!(base.outcome("evt_2").await.0, "applied");
    assert_eq!(state(&base).await, json!("ok"), "a provider that asks for patience is not away");
}
