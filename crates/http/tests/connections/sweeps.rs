//! API rules 25.5: the reconciler, over HTTP to a provider.

use super::real::{Real, SECRET};
use super::support::Base;
use perennial_app::connections::provider::Page;
use perennial_app::connections::{Reconcile, reconcile};
use perennial_domain::connections::sweep::{Sweep, SweepOptions};
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_fake_provider::Kind;
use perennial_provider_api::lists;
use perennial_store::connection_states::ConnectionProgress;
use perennial_store::{Change, connection_progress, connection_states};
use serde_json::json;
use std::time::{Duration, Instant};

const PLAIN: SweepOptions = SweepOptions { dry_run: false, yes: false, requested: true };
const DRY: SweepOptions = SweepOptions { dry_run: true, ..PLAIN };

async fn progress(real: &Real) -> ConnectionProgress {
    let (organization, id) = (real.connection.organization_id, real.connection.id);
    connection_states::of_connection(&real.app.app.db, organization, id).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_sweep_creates_what_is_new_and_repairs_what_differs_with_one_event() {
    let real = Real::start(Kind::Stripe).await;
    for number in 1..=3 {
        real.stripe_subscription(number, "active");
    }
    real.fake.set(|behavior| behavior.page_size = 2);
    let first = real.reconcile(PLAIN).await;
    assert_eq!((first.seen, first.created, first.different, first.stopped), (4, 4, 0, false));
    assert_eq!(real.all("/subscriptions").await.len(), 3);
    assert!(real.events("connection.drift").await.is_empty());
    let again = real.reconcile(PLAIN).await;
    assert_eq!((again.seen, again.created, again.different), (4, 0, 0));

    real.fake.change("subscriptions", "sub_2", |object| object["status"] = json!("past_due"));
    let dry = real.reconcile(SweepOptions { dry_run: true, ..PLAIN }).await;
    assert_eq!((dry.different, dry.repaired), (1, 0));
    let found = &real.all("/subscriptions?external_subscription_id=sub_2").await[0];
    assert_eq!(found["status"], "active");
    let repaired = real.reconcile(PLAIN).await;
    assert_eq!((repaired.different, repaired.repaired), (1, 1));
    let found = &real.all("/subscriptions?external_subscription_id=sub_2").await[0];
    assert_eq!(found["status"], "past_due");
    let drift = real.events("connection.drift").await;
    assert_eq!(drift.len(), 1);
    assert_eq!(
        (&drift[0]["object"], &drift[0]["external_id"], &drift[0]["record_id"], &drift[0]["repaired"]),
        (&json!("subscription"), &json!("sub_2"), &found["id"], &json!(true))
    );
    assert_eq!(drift[0]["fields"]["status"], json!({ "ours": "active", "theirs": "past_due" }));
}

#[tokio::test]
async fn a_sweep_reports_an_expired_subscription_that_the_provider_has_not_ended() {
    let real = Real::start(Kind::Stripe).await;
    real.stripe_subscription(1, "canceled");
    real.reconcile(PLAIN).await;
    real.fake.change("subscriptions", "sub_1", |object| object["status"] = json!("active"));
    let fields = json!({ "status": { "ours": "expired", "theirs": "active" } });
    let dry = real.reconcile(SweepOptions { dry_run: true, ..PLAIN }).await;
    assert_eq!((dry.different, dry.repaired, &dry.differences[0].fields), (1, 0, &fields));
    assert!(real.events("connection.drift").await.is_empty());
    let swept = real.reconcile(PLAIN).await;
    assert_eq!((swept.different, swept.repaired, swept.stopped), (1, 0, false));
    let found = &real.all("/subscriptions").await[0];
    assert_eq!(found["status"], "expired");
    let drift = real.events("connection.drift").await;
    assert_eq!(drift.len(), 1, "{drift:?}");
    assert_eq!(
        (&drift[0]["record_id"], &drift[0]["fields"], &drift[0]["repaired"]),
        (&found["id"], &fields, &json!(false))
    );
}

#[tokio::test]
async fn what_is_missing_at_the_provider_is_reported_and_nothing_changes() {
    let real = Real::start(Kind::Stripe).await;
    real.stripe_subscription(1, "active");
    real.reconcile(PLAIN).await;
    real.app.advance(60);
    real.fake.remove("subscriptions", "sub_1");
    let swept = real.reconcile(PLAIN).await;
    assert!(swept.differences[0].missing);
    assert_eq!(real.all("/subscriptions").await[0]["status"], "active");
    let drift = real.events("connection.drift").await;
    assert_eq!((&drift[0]["missing"], &drift[0]["repaired"]), (&json!(true), &json!(false)));
}

#[tokio::test]
async fn a_sweep_that_would_end_the_access_of_many_applies_nothing_until_it_is_confirmed() {
    let real = Real::start(Kind::Stripe).await;
    for number in 1..=30 {
        real.stripe_subscription(number, "active");
    }
    real.reconcile(PLAIN).await;
    for number in 1..=30 {
        real.fake.change("subscriptions", &format!("sub_{number}"), |object| {
            object["status"] = json!("canceled");
            object["ended_at"] = json!(1_767_225_601);
        });
    }
    let stopped = real.reconcile(PLAIN).await;
    assert_eq!((stopped.different, stopped.repaired, stopped.stopped), (30, 0, true));
    let active = || async { real.all("/subscriptions?status=active&limit=100").await.len() };
    assert_eq!(active().await, 30);
    assert_eq!(real.events("connection.drift").await.len(), 1);
    let confirmed = real.reconcile(SweepOptions { yes: true, ..PLAIN }).await;
    assert_eq!((confirmed.repaired, confirmed.stopped), (30, false));
    assert_eq!(active().await, 0);
}

/// The provider returns them by ID, but no list has them.
#[tokio::test]
async fn subscriptions_that_no_list_has_are_compared_before_one_of_them_ends() {
    let base = Base::start().await;
    base.work();
    for number in 1..=30 {
        base.memory.subscribe(number, SubscriptionStatus::Active);
        let subscription = json!({ "object": "subscription", "id": format!("sub_{number}") });
        base.hint(&format!("evt_{number}"), &subscription).await.expect(200);
    }
    base.quiet().await;
    base.app.advance(60);
    for number in 1..=30 {
        base.memory.subscribe(number, SubscriptionStatus::Expired);
    }
    *base.memory.list.lock().unwrap() = Some(Page::Found(lists::Page::default()));
    let sweep = async |options: SweepOptions| {
        reconcile::now(&base.app.app, &base.caller(), base.connection.id, options).await.unwrap().unwrap()
    };
    let active = async || {
        let answer = base.app.get("/subscriptions?status=active&limit=100").await.expect(200);
        answer.data().as_array().unwrap().len()
    };
    let stopped = sweep(PLAIN).await;
    assert_eq!((stopped.seen, stopped.different, stopped.repaired, stopped.stopped), (31, 30, 0, true));
    assert_eq!(active().await, 30);
    let confirmed = sweep(SweepOptions { yes: true, ..PLAIN }).await;
    assert_eq!((confirmed.different, confirmed.repaired, confirmed.stopped), (30, 30, false));
    assert_eq!(active().await, 0);
}

#[tokio::test]
async fn a_dry_run_leaves_the_last_sweep_and_an_interrupted_one_as_they_are() {
    let real = Real::start(Kind::Stripe).await;
    for number in 1..=3 {
        real.stripe_subscription(number, "active");
    }
    let dry = real.reconcile(DRY).await;
    assert_eq!((dry.created, real.all("/subscriptions").await.len()), (4, 0));
    assert_eq!((progress(&real).await.sweep, progress(&real).await.swept_at), (None, None));
    real.reconcile(PLAIN).await;
    let swept_at = progress(&real).await.swept_at;
    assert!(swept_at.is_some());
    real.app.advance(60);
    let interrupted = Sweep::begin(SweepOptions::default(), real.app.now()).to_stored();
    let (organization, id) = (real.connection.organization_id, real.connection.id);
    let change = connection_progress::sweep(Change::new(), organization, id, &interrupted);
    real.app.app.db.commit(change).await.unwrap();
    real.app.advance(60);
    real.fake.remove("subscriptions", "sub_2");
    let dry = real.reconcile(DRY).await;
    assert_eq!((dry.seen, dry.differences.len()), (3, 1), "{dry:?}");
    assert_eq!((dry.differences[0].external_id.as_str(), dry.differences[0].missing), ("sub_2", true));
    assert!(real.events("connection.drift").await.is_empty());
    let after = progress(&real).await;
    assert_eq!((after.sweep, after.swept_at), (Some(interrupted), swept_at));
    // What the dry run has seen is not seen by the next sweep.
    assert!(real.reconcile(PLAIN).await.differences[0].missing);
}

#[tokio::test]
async fn an_event_whose_webhook_was_lost_is_found_in_the_list_of_events() {
    let mut real = Real::start(Kind::Stripe).await;
    let subscription = real.stripe_subscription(1, "active");
    real.fake.event("customer.subscription.created", &subscription, SECRET, real.app.now().as_micros() / 1_000_000);
    let _reconciler = real.app.work(Reconcile);
    real.work();
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        let inbox = real.all(&format!("/connections/{}/inbox", real.connection.id)).await;
        let found = real.all("/subscriptions").await;
        if found.len() == 1 && inbox.len() == 1 && inbox[0]["state"] != "waiting" {
            assert_eq!(inbox[0]["key"], "evt_1");
            break;
        }
        assert!(Instant::now() < deadline, "{inbox:?} {found:?}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn lemon_squeezy_and_paddle_are_swept_too() {
    let real = Real::start(Kind::LemonSqueezy).await;
    let resource = |kind: &str, id: &str, attributes: serde_json::Value| json!({ "type": kind, "id": id, "attributes": attributes });
    let at = "2026-01-01T00:00:00.000000Z";
    real.fake.put("stores", resource("stores", "1", json!({ "currency": "USD" })));
    real.fake.put(
        "products",
        resource(
            "products",
            "2",
            json!({ "store_id": 1, "name": "Lemonade", "status": "published", "created_at": at }),
        ),
    );
    real.fake.put(
        "variants",
        resource(
            "variants",
            "3",
            json!({ "product_id": 2, "name": "Default", "status": "published", "created_at": at }),
        ),
    );
    real.fake.put("prices", resource("prices", "4", json!({ "variant_id": 3, "category": "subscription", "unit_price": 999, "renewal_interval_unit": "month", "renewal_interval_quantity": 1, "created_at": at })));
    real.fake.put(
        "customers",
        resource("customers", "5", json!({ "email": "a@example.com", "status": "subscribed", "created_at": at })),
    );
    real.fake.put("subscriptions", resource("subscriptions", "6", json!({ "store_id": 1, "customer_id": 5, "variant_id": 3, "status": "active", "test_mode": true, "renews_at": at, "created_at": at })));
    real.fake.put("subscription-invoices", resource("subscription-invoices", "7", json!({ "store_id": 1, "subscription_id": 6, "status": "paid", "currency": "USD", "total": 999, "test_mode": true, "created_at": at })));
    let swept = real.reconcile(PLAIN).await;
    assert_eq!(swept.different, 0, "{swept:?}");
    assert_eq!(real.all("/subscriptions").await[0]["external_subscription_id"], "6");
    assert_eq!(real.all("/subscription-payments").await[0]["status"], "completed");
    assert_eq!(real.all("/users").await[0]["notifications"], json!(true), "as an import does");
    assert_eq!(real.fake.seen()[0].header("accept"), Some("application/vnd.api+json"));

    let real = Real::start(Kind::Paddle).await;
    let price = json!({ "id": "pri_01h7zd9mzfq79850w4ryc39v38", "product_id": "pro_1", "status": "active", "description": "Pro", "unit_price": { "amount": "500", "currency_code": "USD" }, "billing_cycle": { "interval": "month", "frequency": 1 }, "product": { "id": "pro_1", "name": "Pro" } });
    real.fake.put("prices", price.clone());
    real.fake.put("customers", json!({ "id": "ctm_01h8441jn5pcwrfhwh78jqt8hk", "email": "b@example.com" }));
    real.fake.put("subscriptions", json!({ "id": "sub_01h7ht5z5wdg9pz18jx1fagp8k", "customer_id": "ctm_01h8441jn5pcwrfhwh78jqt8hk", "status": "trialing", "items": [{ "price": price, "quantity": 10 }], "next_billed_at": "2026-04-01T00:00:00Z" }));
    real.fake.put("transactions", json!({ "id": "txn_01h8dzxgkvdwemdhbpcapj2tbj", "status": "completed", "subscription_id": "sub_01h7ht5z5wdg9pz18jx1fagp8k", "currency_code": "USD", "details": { "totals": { "grand_total": "5000" } }, "created_at": at }));
    let swept = real.reconcile(PLAIN).await;
    assert_eq!((swept.created, swept.different), (3, 0), "{swept:?}");
    let found = &real.all("/subscriptions").await[0];
    assert_eq!((&found["status"], &found["quantity"]), (&json!("on_trial"), &json!(10)));
    assert_eq!(real.all("/subscription-payments").await[0]["amount"], json!(50));
}
