//! Organizations on hold, as the command line sees and releases them.

use super::support::Sandbox;
use perennial_app::lifecycle::{self, Lifecycle, LifecycleOptions};
use perennial_domain::holds::HoldReason;
use perennial_domain::time::Time;
use perennial_store::{Change, holds};
use perennial_testkit::{TestApp, TestOptions};
use serde_json::json;

const NOW: &str = "2025-01-31T10:00:00Z";

#[tokio::test]
async fn a_clock_of_an_organization_on_hold_jumps_but_does_not_advance() {
    let app = TestApp::start().await;
    let sandbox = Sandbox::at(&app, NOW).await;
    let organization = &sandbox.organization;
    app.app.db.commit(holds::hold(Change::new(), organization.id, HoldReason::Restored)).await.unwrap();
    assert_eq!(sandbox.get("/test-clock").await.expect(200).data()["status"], "held");
    sandbox.put("/test-clock", json!({ "now": "2025-02-05T00:00:00Z" })).await.refused(409, "lifecycle_behind");
    sandbox.put("/test-clock", json!({ "now": "2025-02-05T00:00:00Z", "mode": "jump" })).await.expect(200);
    let status = lifecycle::status(&app.app, organization).await.unwrap();
    assert_eq!((status.held, status.held_reason), (true, Some(HoldReason::Restored)));
    assert_eq!(status.now.to_string(), "2025-02-05T00:00:00.000000Z");
    // Until an instant in the past, the hold stays.
    let partly = lifecycle::resume(&app.app, organization, Some(Time::parse(NOW).unwrap())).await.unwrap();
    assert!(partly.held);
    let resumed = lifecycle::resume(&app.app, organization, None).await.unwrap();
    assert_eq!((resumed.held, resumed.held_reason), (false, None));
    assert_eq!(sandbox.get("/test-clock").await.expect(200).data()["status"], "ready");
}

#[tokio::test]
async fn access_changes_while_the_organization_is_on_hold() {
    let app = TestApp::start().await;
    let (user, plan) = (app.user("ada@example.com").await, app.plan("pro", json!({})).await);
    let ends = json!({ "ends_at": "2026-03-11T12:00:00Z" });
    let subscription = app.subscription(&user, plan["id"].as_str().unwrap(), ends).await;
    app.app.db.commit(holds::hold(Change::new(), app.organization, HoldReason::Copied)).await.unwrap();
    let organization = perennial_app::organizations::find(&app.app, "default").await.unwrap().unwrap();
    app.advance(86_400 + 30);
    let status = lifecycle::status(&app.app, &organization).await.unwrap();
    assert_eq!((status.due, status.lag_seconds, status.held), (1, 30, true));
    let _working = app.work(Lifecycle);
    let target = format!("/events?record_id={}&type=subscription.access_changed", subscription["id"].as_str().unwrap());
    for _ in 0..2_000 {
        if app.get(&target).await.expect(200).data().as_array().unwrap().len() == 1 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    assert_eq!(lifecycle::status(&app.app, &organization).await.unwrap().due, 0);
    // A change of the caller is accepted too: the subscription is not billed.
    let path = format!("/subscriptions/{}", subscription["id"].as_str().unwrap());
    app.put(&path, &json!({ "quantity": 2 })).await.expect(200);
}

#[tokio::test]
async fn a_server_whose_clock_differs_from_the_databases_is_on_hold() {
    let mut options = TestOptions::default();
    options.app.lifecycle = LifecycleOptions::default();
    // The clock of a test is fixed far in the past of the database's.
    let app = TestApp::with(options).await;
    let organization = perennial_app::organizations::find(&app.app, "default").await.unwrap().unwrap();
    let status = lifecycle::status(&app.app, &organization).await.unwrap();
    let expected = app.store().is_postgres().then_some(HoldReason::ClockDifference);
    assert_eq!((status.held, status.held_reason), (expected.is_some(), expected));
    // A test clock does not depend on the server's.
    let sandbox = Sandbox::at(&app, NOW).await;
    assert!(!lifecycle::status(&app.app, &sandbox.organization).await.unwrap().held);
}

#[tokio::test]
async fn an_organization_on_hold_delays_no_other() {
    let app = TestApp::start().await;
    let (held, free) = (Sandbox::named(&app, "held").await, Sandbox::named(&app, "free").await);
    for sandbox in [&held, &free] {
        sandbox.plan("pro").await;
        let user = sandbox.user("ada@example.com").await;
        sandbox.subscription(&user, "pro", json!({ "billing": { "payment_method": "test_ok" } })).await;
    }
    app.app.db.commit(holds::hold(Change::new(), held.organization.id, HoldReason::Copied)).await.unwrap();
    let _working = app.work(Lifecycle);
    app.advance(32 * 86_400);
    free.events("subscription.renewed", 1).await;
    assert!(held.events("subscription.renewed", 0).await.is_empty());
    lifecycle::resume(&app.app, &held.organization, None).await.unwrap();
    held.events("subscription.renewed", 1).await;
}
