//! API rules 25.3 and 25.5: whose requests go first, and what a connection that has used up its requests does.

use super::real::{Real, SECRET};
use super::support::{Base, connect};
use perennial_app::background::{Held, Job};
use perennial_app::caller::Caller;
use perennial_app::connections::http::HttpProvider;
use perennial_app::connections::provider::{Fetched, Page};
use perennial_app::connections::{ConnectionKind, Connections, Reconcile, reconcile};
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::bucket::Bucket;
use perennial_domain::connections::sweep::SweepOptions;
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_fake_provider::Kind;
use perennial_provider_api::lists;
use perennial_store::connection_states::ConnectionProgress;
use perennial_store::{connection_bucket, connection_progress, connection_states};
use perennial_testkit::{TestApp, TestOptions};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use tokio::sync::watch;

const PLAIN: SweepOptions = SweepOptions { dry_run: false, yes: false, requested: true };

/// One pass of the reconciler over a connection.
async fn pass(app: &TestApp, connection: &perennial_app::connections::Connection) {
    let (_running, stopping) = watch::channel(false);
    let unit = connection_progress::unit(connection.organization_id, connection.id);
    let held = Held::claim(&app.app, unit, stopping).await.unwrap().expect("no other holds it");
    Reconcile.work(&app.app, &held).await.unwrap();
    held.lease().release(&app.app.db).await.unwrap();
}

async fn progress(base: &Base) -> ConnectionProgress {
    let (organization, id) = (base.connection.organization_id, base.connection.id);
    connection_states::of_connection(&base.app.app.db, organization, id).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_sweep_without_a_turn_is_no_failure_of_the_provider_and_an_outage_is() {
    for kind in [ConnectionKind::Stripe, ConnectionKind::LemonSqueezy] {
        let base = Base::of_kind(kind).await;
        *base.memory.list.lock().unwrap() = Some(Page::NotSent(40));
        pass(&base.app, &base.connection).await;
        let waiting = progress(&base).await;
        assert_eq!((waiting.failing_since, waiting.paused_until, waiting.swept_at), (None, None, None));
        *base.memory.list.lock().unwrap() = Some(Page::Unavailable { retry_after: None });
        pass(&base.app, &base.connection).await;
        assert!(progress(&base).await.failing_since.is_some());
    }
}

#[tokio::test]
async fn a_hint_without_a_turn_waits_without_an_attempt_and_pauses_nothing() {
    let base = Base::start().await;
    base.memory.subscribe(2, SubscriptionStatus::Active);
    base.memory.put(ObjectKind::Subscription, "sub_1", Fetched::NotSent(40));
    base.work();
    base.hint("evt_1", &json!({ "object": "subscription", "id": "sub_1" })).await.expect(200);
    base.quiet().await;
    base.hint("evt_2", &json!({ "object": "subscription", "id": "sub_2" })).await.expect(200);
    assert_eq!(base.outcome("evt_2").await.0, "applied", "others are not stopped");
    let inbox = base.inbox().await;
    let item = inbox.iter().find(|item| item["key"] == "evt_1").unwrap();
    assert_eq!((&item["state"], &item["attempts"], &item["code"]), (&json!("waiting"), &json!(0), &Value::Null));
    let state = progress(&base).await;
    assert_eq!((state.paused_until, state.slow_until, state.failing_since), (None, None, None));
    base.memory.subscribe(1, SubscriptionStatus::Active);
    base.app.advance(41);
    assert_eq!(base.outcome("evt_1").await.0, "applied");
}

#[tokio::test]
async fn a_connection_with_many_hints_or_without_a_turn_takes_no_places_of_others() {
    let mut base = Base::start().await;
    for number in 0..300 {
        let subscription = json!({ "object": "subscription", "id": format!("sub_{number}") });
        base.hint(&format!("evt_{number}"), &subscription).await.expect(200);
    }
    let found = Connections.find(&base.app.app, 16).await.unwrap();
    let of_main: HashSet<[u8; 16]> = found.iter().map(|unit| unit.id).collect();
    let other = connect(&base.app, ConnectionKind::Stripe, "other").await;
    let main = std::mem::replace(&mut base.connection, other);
    base.hint("evt_other", &json!({ "object": "subscription", "id": "sub_other" })).await.expect(200);
    let found = Connections.find(&base.app.app, 16).await.unwrap();
    assert!(found.len() > 16 && found[..2].iter().any(|unit| !of_main.contains(&unit.id)), "they take turns");
    let (db, organization) = (&base.app.app.db, main.organization_id);
    let (before, now) = connection_bucket::read(db, organization, main.id).await.unwrap().unwrap();
    let used_up = Bucket { tokens: -60_000_000_000, at: Some(now), ..before };
    assert!(connection_bucket::take(db, organization, main.id, (before, used_up)).await.unwrap());
    let found = Connections.find(&base.app.app, 16).await.unwrap();
    assert!(found.len() == 1 && !of_main.contains(&found[0].id), "no places are taken to wait in");
}

#[tokio::test]
async fn what_a_sweep_fetches_comes_after_hints() {
    let base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::Active);
    let listed = json!({
        "id": "sub_1", "object": "subscription", "customer": "cus_1", "status": "active", "livemode": true,
        "created": 1_767_225_600, "start_date": 1_767_225_600, "current_period_end": 1_775_001_600,
        "items": { "data": [{ "price": { "id": "price_1", "currency": "usd" }, "quantity": 2 }] },
    });
    let page = lists::Page { objects: vec![listed.to_string()], next: None };
    *base.memory.list.lock().unwrap() = Some(Page::Found(page));
    let swept = reconcile::now(&base.app.app, &base.caller(), base.connection.id, PLAIN).await.unwrap().unwrap();
    assert_eq!(swept.created, 1, "{swept:?}");
    let mut fetched = base.memory.fetches.lock().unwrap().clone();
    fetched.sort();
    assert_eq!(fetched, ["cus_1", "price_1", "sub_1"]);
    assert_eq!(base.memory.swept.lock().unwrap().len(), 3, "references too");
}

#[tokio::test]
async fn a_server_catches_up_when_it_starts_and_not_before_five_minutes_again() {
    let real = Real::start(Kind::Stripe).await;
    let lists = || real.fake.seen().iter().filter(|seen| seen.path == "/v1/events").count();
    pass(&real.app, &real.connection).await;
    assert_eq!(lists(), 1);
    real.app.advance(60);
    pass(&real.app, &real.connection).await;
    assert_eq!(lists(), 1);
    // The server was away for a moment, and missed a webhook.
    let subscription = real.stripe_subscription(1, "active");
    let now = real.app.now().as_micros() / 1_000_000;
    real.fake.event("customer.subscription.created", &subscription, SECRET, now);
    let mut options = TestOptions::default();
    options.app.payment_providers = Some(Arc::new(HttpProvider::default()));
    let started = TestApp::over_store(real.app.store().clone(), real.app.now().plus_seconds(1), options).await;
    pass(&started, &real.connection).await;
    assert_eq!(lists(), 2);
    let caller = Caller::system(started.organization);
    let query = perennial_app::connections::InboxQuery::default();
    let inbox =
        perennial_app::connections::inbox_page(&started.app, &caller, real.connection.id, &query, None, 10).await;
    assert_eq!(inbox.unwrap().items[0].key, "evt_1");
    pass(&started, &real.connection).await;
    assert_eq!(lists(), 2);
    started.advance(300);
    pass(&started, &real.connection).await;
    assert_eq!(lists(), 3);
}
