//! Test clocks and holds with billed subscriptions: what is late after a jump, and what an advance does.

use super::support::{Sandbox, id};
use perennial_app::lifecycle::{self, Lifecycle};
use perennial_domain::events::EventKind;
use perennial_domain::holds::HoldReason;
use perennial_domain::time::Time;
use perennial_store::feed::{self, Filter};
use perennial_store::number_series;
use perennial_testkit::{TestApp, TestOptions};
use serde_json::{Value, json};
use std::time::Duration;

/// A server that puts organizations on hold after seven days.
async fn holding() -> TestApp {
    let mut options = TestOptions::default();
    options.app.lifecycle.hold_after_days = 7;
    TestApp::with(options).await
}

async fn subscribed(sandbox: &Sandbox<'_>, cycle: &str) -> String {
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 10, "billing_cycle": cycle });
    sandbox.post("/subscription-plans", plan).await.expect(201);
    let user = sandbox.user("ada@example.com").await;
    let billing = json!({ "payment_method": "test_ok" });
    id(&sandbox.subscription(&user, "pro", json!({ "billing": billing })).await)
}

async fn renewed(sandbox: &Sandbox<'_>, least: usize) -> Vec<Value> {
    sandbox.events("subscription.renewed", least).await
}

#[tokio::test]
async fn what_is_very_late_after_a_jump_is_on_hold_until_the_operator_releases_it() {
    let app = holding().await;
    let sandbox = Sandbox::at(&app, "2025-01-31T00:00:00Z").await;
    let path = format!("/subscriptions/{}", subscribed(&sandbox, "monthly").await);
    let _working = sandbox.work();
    assert_eq!(sandbox.advance("2025-03-15T00:00:00Z").await["transitions"], 1);
    let jumped = sandbox.put("/test-clock", json!({ "now": "2026-05-20T00:00:00Z", "mode": "jump" })).await.expect(200);
    assert_eq!(jumped.data()["status"], "held");
    let status = lifecycle::status(&app.app, &sandbox.organization).await.unwrap();
    assert_eq!((status.held_reason, status.due), (Some(HoldReason::Late), 1));
    assert_eq!(status.lag_seconds, 415 * 86_400);
    sandbox.put("/test-clock", json!({ "now": "2026-05-21T00:00:00Z" })).await.refused(409, "lifecycle_behind");
    sandbox.put(&path, json!({ "quantity": 2 })).await.refused(409, "lifecycle_behind");
    sandbox.put(&path, json!({ "quantity": 0 })).await.refused(422, "out_of_range");
    let missing = json!({ "subscription_plan_id": "nothing", "quantity": 2 });
    sandbox.put(&path, missing).await.refused(422, "not_found");
    sandbox
        .request("PUT", &path)
        .header("if-match", "\"x\"")
        .json(&json!({ "quantity": 2 }))
        .send()
        .await
        .refused(412, "stale");
    // Until an instant: what is due later stays on hold.
    let through = Time::parse("2025-04-30T00:00:00Z").unwrap();
    lifecycle::resume(&app.app, &sandbox.organization, Some(through)).await.unwrap();
    renewed(&sandbox, 3).await;
    assert_eq!(sandbox.get("/test-clock").await.expect(200).data()["status"], "held");
    lifecycle::resume(&app.app, &sandbox.organization, None).await.unwrap();
    sandbox.clock_that(|clock| clock["status"] == "ready").await;
    assert_eq!(renewed(&sandbox, 15).await.len(), 15);
    let record = sandbox.get(&path).await.expect(200).data().clone();
    assert_eq!(record["renews_at"], "2026-05-31T00:00:00.000000Z");
    sandbox.put(&path, json!({ "quantity": 2 })).await.expect(200);
}

#[tokio::test]
async fn what_is_a_little_late_after_a_jump_is_done() {
    let app = holding().await;
    let sandbox = Sandbox::at(&app, "2026-03-02T00:00:00Z").await;
    let path = format!("/subscriptions/{}", subscribed(&sandbox, "weekly").await);
    let _working = sandbox.work();
    sandbox.advance("2026-03-08T00:00:00Z").await;
    sandbox.put("/test-clock", json!({ "now": "2026-03-14T00:00:00Z", "mode": "jump" })).await.expect(200);
    sandbox.clock_that(|clock| clock["status"] == "ready").await;
    let events = renewed(&sandbox, 1).await;
    assert!(events[0]["timestamp"].as_str().unwrap().starts_with("2026-03-14T00:00:00"));
    assert_eq!(sandbox.get(&path).await.expect(200).data()["renews_at"], "2026-03-16T00:00:00.000000Z");
}

#[tokio::test]
async fn one_step_of_ten_years_equals_many() {
    let app = TestApp::start().await;
    let (once, often) = (Sandbox::named(&app, "once").await, Sandbox::named(&app, "often").await);
    let _working = once.work();
    let mut records = Vec::new();
    for (sandbox, stops) in [(&once, &[][..]), (&often, &["2025-02-28T00:00:00Z", "2027-07-07T07:07:07Z"][..])] {
        sandbox.post("/test-clock", json!({ "now": "2025-01-31T00:00:00Z" })).await.expect(201);
        let path = format!("/subscriptions/{}", subscribed(sandbox, "monthly").await);
        for stop in stops {
            sandbox.advance(stop).await;
        }
        sandbox.advance("2035-01-31T00:00:00Z").await;
        let mut record = sandbox.get(&path).await.expect(200).data().clone();
        for own in ["id", "user_id", "subscription_plan_id"] {
            record[own] = Value::Null;
        }
        let instants: Vec<Value> =
            renewed(sandbox, 120).await.into_iter().map(|event| event["timestamp"].clone()).collect();
        records.push((record, instants));
    }
    assert_eq!(records[0], records[1]);
    assert_eq!(records[0].1.len(), 120);
}

#[tokio::test]
async fn access_of_external_subscriptions_changes_while_billed_ones_are_on_hold() {
    let app = holding().await;
    let sandbox = Sandbox::at(&app, "2025-01-31T00:00:00Z").await;
    subscribed(&sandbox, "monthly").await;
    let user = sandbox.user("bob@example.com").await;
    let external = sandbox.subscription(&user, "pro", json!({ "ends_at": "2025-02-15T00:00:00Z" })).await;
    let _working = app.work(Lifecycle);
    sandbox.put("/test-clock", json!({ "now": "2025-06-01T00:00:00Z", "mode": "jump" })).await.expect(200);
    let changed = sandbox.events("subscription.access_changed", 1).await;
    assert_eq!(changed[0]["record_id"], external["id"]);
    assert!(sandbox.events("subscription.renewed", 0).await.is_empty());
    assert_eq!(sandbox.get("/test-clock").await.expect(200).data()["status"], "held");
}

#[tokio::test]
async fn an_invoice_that_is_very_late_puts_its_organization_on_hold() {
    let app = holding().await;
    let sandbox = Sandbox::at(&app, "2026-03-01T00:00:00Z").await;
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 120, "billing_cycle": "yearly" });
    sandbox.post("/subscription-plans", plan).await.expect(201);
    let user = sandbox.user("ada@example.com").await;
    let subscription = sandbox.subscription(&user, "pro", json!({ "billing": { "collection": "manual" } })).await;
    let _working = sandbox.work();
    sandbox.clock_that(|clock| clock["status"] == "ready").await;
    // Overdue on 03-15. No action of the subscription is due before the next year.
    let jumped = sandbox.put("/test-clock", json!({ "now": "2026-03-25T00:00:00Z", "mode": "jump" })).await.expect(200);
    assert_eq!(jumped.data()["status"], "held");
    let status = lifecycle::status(&app.app, &sandbox.organization).await.unwrap();
    assert_eq!((status.held_reason, status.due, status.lag_seconds), (Some(HoldReason::Late), 1, 10 * 86_400));
    lifecycle::count_lifecycle(&app.app).await.unwrap();
    assert_eq!(app.app.background.lifecycle.stored().due, 0, "what is on hold does not count as due");
    let invoices = sandbox.get("/invoices").await.expect(200).data().clone();
    assert_eq!((&invoices[0]["status"], &invoices[0]["overdue"]), (&json!("open"), &json!(false)));
    let note = json!({ "invoice_id": invoices[0]["id"], "amount": 1 });
    sandbox.post("/credit-notes", note.clone()).await.refused(409, "lifecycle_behind");
    let item = json!([{ "description": "Item", "unit_price": 5 }]);
    let draft = json!({ "subscription_id": subscription["id"], "lines": item });
    sandbox.post("/invoices", draft.clone()).await.refused(409, "lifecycle_behind");
    sandbox.post("/invoices?dry_run=true", draft.clone()).await.refused(409, "lifecycle_behind");
    lifecycle::resume(&app.app, &sandbox.organization, None).await.unwrap();
    sandbox.clock_that(|clock| clock["status"] == "ready").await;
    let path = format!("/subscriptions/{}", subscription["id"].as_str().unwrap());
    assert_eq!(sandbox.get(&path).await.expect(200).data()["status"], "unpaid");
    sandbox.post("/credit-notes", note).await.expect(201);
    sandbox.post("/invoices", draft).await.expect(201);
}

#[tokio::test]
async fn a_credit_note_comes_after_the_late_actions_of_its_subscription() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, "2026-03-01T00:00:00Z").await;
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 120, "billing_cycle": "yearly" });
    sandbox.post("/subscription-plans", plan).await.expect(201);
    let user = sandbox.user("ada@example.com").await;
    let subscription = sandbox.subscription(&user, "pro", json!({ "billing": { "collection": "manual" } })).await;
    let path = format!("/subscriptions/{}", subscription["id"].as_str().unwrap());
    // No background job runs: a write of the subscription issues the draft.
    sandbox.put(&path, json!({ "billing": { "payment_method": "pm_1" } })).await.expect(200);
    let invoices = sandbox.get("/invoices").await.expect(200).data().clone();
    assert_eq!(invoices[0]["status"], "open");
    sandbox.put("/test-clock", json!({ "now": "2026-03-16T00:00:00Z", "mode": "jump" })).await.expect(200);
    let note = json!({ "invoice_id": invoices[0]["id"], "amount": 120 });
    sandbox.post("/credit-notes?dry_run=true", note.clone()).await.refused(409, "lifecycle_behind");
    sandbox.post("/credit-notes", note).await.expect(201);
    // It was overdue on 03-15, then the note settled it.
    assert_eq!(sandbox.events("invoice.overdue", 1).await.len(), 1);
    let invoice = sandbox.get(&format!("/invoices/{}", invoices[0]["id"].as_str().unwrap())).await.expect(200);
    assert_eq!((&invoice.data()["status"], &invoice.data()["overdue"]), (&json!("paid"), &json!(false)));
    assert_eq!(sandbox.get(&path).await.expect(200).data()["status"], "active");
}

/// The clock does not move between a create and what its first invoice does: both are at the instant of the start.
#[tokio::test]
async fn what_happens_at_the_instant_of_the_start_does_not_begin_access_again() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, "2026-01-10T00:00:00Z").await;
    let user = sandbox.user("ada@example.com").await;
    let dunning = json!({ "retry_days": [], "grace_days": 0, "then": "unpaid" });
    for (slug, billing) in [("late", json!({})), ("strict", json!({ "dunning": dunning }))] {
        let plan = json!({ "name": "Pro", "slug": slug, "price": 10, "billing_cycle": "monthly", "billing": billing });
        sandbox.post("/subscription-plans", plan).await.expect(201);
    }
    let failing = json!({ "billing": { "payment_method": "test_fail" } });
    let late = id(&sandbox.subscription(&user, "late", failing.clone()).await);
    let strict = id(&sandbox.subscription(&user, "strict", failing).await);
    let trial = json!({ "billing": { "payment_method": "test_ok", "trial_ends_at": "2026-01-13T00:00:00Z" } });
    let trial = id(&sandbox.subscription(&user, "late", trial).await);
    let _working = sandbox.work();
    sandbox.clock_that(|clock| clock["status"] == "ready").await;
    let invoice = sandbox.get(&format!("/invoices?subscription_id={late}")).await.expect(200).data()[0].clone();
    sandbox.post(&format!("/invoices/{}/void", id(&invoice)), json!({})).await.expect(200);
    // On PostgreSQL events get their positions after the commit.
    while app.app.db.place_events().await.unwrap().is_none_or(|placed| placed.events > 0) && app.app.db.is_shared() {}
    let events = async |record: &str| -> Vec<String> {
        let events = sandbox.get(&format!("/events?record_id={record}")).await.expect(200);
        let name = |event: &Value| {
            let access = [&event["before"]["has_access"], &event["data"]["has_access"]];
            format!(
                "{} {} {}",
                event["type"].as_str().unwrap().trim_start_matches("subscription."),
                access[0],
                access[1]
            )
        };
        events.data().as_array().unwrap().iter().map(name).collect()
    };
    assert_eq!(events(&late).await, ["created null true", "past_due true true", "recovered true true"]);
    assert_eq!(
        events(&strict).await,
        ["created null true", "past_due true true", "unpaid true false", "access_changed true false"]
    );
    assert_eq!(events(&trial).await, ["created null true", "trial_ending true true"]);
}

/// The whole decision includes the test payment of the first attempt, and what follows from it.
#[tokio::test]
async fn a_dry_run_shows_what_the_write_of_an_invoice_returns_and_issues() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, "2026-01-10T00:00:00Z").await;
    let dunning = json!({ "retry_days": [], "grace_days": 0, "then": "unpaid" });
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 10, "billing_cycle": "monthly", "billing": { "dunning": dunning } });
    sandbox.post("/subscription-plans", plan).await.expect(201);
    let user = sandbox.user("ada@example.com").await;
    let paying = sandbox.subscription(&user, "pro", json!({ "billing": { "payment_method": "test_ok" } })).await;
    let failing = sandbox.subscription(&user, "pro", json!({ "billing": { "payment_method": "test_fail" } })).await;
    let _working = sandbox.work();
    sandbox.advance("2026-02-20T00:00:00Z").await;
    let lines = json!([{ "description": "Setup", "unit_price": 5 }]);
    let body = json!({ "subscription_id": paying["id"], "lines": lines });
    let draft = id(sandbox.post("/invoices", body).await.expect(201).data());
    let list = format!("/invoices?subscription_id={}", id(&failing));
    let unpaid = id(&sandbox.get(&list).await.expect(200).data()[0]);
    let own = ["number", "created_at", "updated_at", "issued_at", "paid_at"];
    let without = |mut record: Value| {
        for name in own {
            record[name] = Value::Null;
        }
        record
    };
    for (path, body, issues) in [
        (format!("/invoices/{draft}/finalize"), json!({}), vec!["paid"]),
        (format!("/invoices/{unpaid}/void"), json!({}), vec!["open"]),
    ] {
        let tried = sandbox.post(&format!("{path}?dry_run=true"), body.clone()).await.expect(200);
        let issued = tried.json["documents"]["invoices"].as_array().unwrap();
        let states: Vec<_> = issued.iter().map(|invoice| invoice["status"].as_str().unwrap()).collect();
        assert_eq!(states, issues, "{path}: voiding recovers the subscription, and a new period begins");
        assert!(issued.iter().all(|invoice| invoice["number"].is_null()), "{path}");
        let made = sandbox.post(&path, body).await.expect(200);
        assert_eq!(without(tried.data().clone()), without(made.data().clone()), "{path}");
    }
}

#[tokio::test]
async fn the_events_of_a_renewal_are_in_the_order_in_which_things_happen() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, "2026-01-31T00:00:00Z").await;
    let subscription = subscribed(&sandbox, "monthly").await;
    let _working = sandbox.work();
    sandbox.advance("2026-03-01T00:00:00Z").await;
    sandbox.events("test_clock.advanced", 1).await;
    let feed = sandbox.get("/events?limit=200").await.expect(200);
    let types: Vec<_> = feed.data().as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
    let issued = ["invoice.finalized", "invoice.payment_due", "payment.created", "invoice.paid"];
    let created = types.iter().position(|name| *name == "subscription.created").unwrap();
    assert_eq!(types[created + 1], "invoice.created");
    assert_eq!(&types[created + 2..created + 6], issued);
    assert_eq!(&types[created + 6..created + 8], ["subscription.renewed", "invoice.created"]);
    assert_eq!(&types[created + 8..created + 12], issued);
    assert_eq!(types[created + 12], "test_clock.advanced", "{subscription}");
}

/// The kinds of the renewals and of the issued invoices in the order of the feed, once there are so many.
async fn renewals_and_invoices(sandbox: &Sandbox<'_>, count: usize) -> Vec<EventKind> {
    let kinds = vec![EventKind::SubscriptionRenewed.as_str(), EventKind::InvoiceFinalized.as_str()];
    let filter = Filter { kinds, ..Filter::default() };
    for _ in 0..2_000 {
        let range = (0, i64::MAX);
        let found = feed::page(&sandbox.app.app.db, sandbox.organization.id, range, &filter, 2_000).await.unwrap();
        if found.len() >= count {
            return found.into_iter().map(|event| event.event.kind).collect();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("there were never {count} events");
}

#[tokio::test]
async fn the_invoices_of_a_midnight_wait_until_less_than_a_turn_is_left_to_renew() {
    const SUBSCRIPTIONS: usize = 600;
    const TURN: usize = 256;
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, "2026-01-15T00:00:00Z").await;
    let (user, plan) = (sandbox.user("ada@example.com").await, sandbox.plan("pro").await);
    for _ in 0..SUBSCRIPTIONS {
        let billing = json!({ "payment_method": "test_ok" });
        sandbox.subscription(&user, &plan, json!({ "billing": billing })).await;
    }
    let _working = sandbox.work();
    sandbox.clock_that(|clock| clock["status"] == "ready").await;
    sandbox.advance("2026-02-15T00:00:00Z").await;
    let kinds = renewals_and_invoices(&sandbox, 3 * SUBSCRIPTIONS).await;
    let midnight = &kinds[SUBSCRIPTIONS..];
    assert_eq!(kinds.iter().filter(|kind| **kind == EventKind::SubscriptionRenewed).count(), SUBSCRIPTIONS);
    let renewed_first = midnight.iter().take_while(|kind| **kind == EventKind::SubscriptionRenewed).count();
    assert!(renewed_first >= 2 * TURN, "{renewed_first}");
    // While one change was committed the next one drew its numbers: none is missing.
    let series = number_series::all(&app.app.db, sandbox.organization.id).await.unwrap();
    let next: Vec<i64> = series.iter().map(|(_, next)| *next).collect();
    assert_eq!(next, [2 * i64::try_from(SUBSCRIPTIONS).unwrap() + 1]);
}
