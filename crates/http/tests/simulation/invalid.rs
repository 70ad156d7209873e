//! A stored record that cannot be read waits alone: the others of its organization are worked on in the same pass.

use super::world::text;
use perennial_app::background::{Held, Job};
use perennial_app::lifecycle::Lifecycle;
use perennial_domain::id::SubscriptionId;
use perennial_store::{Change, Sql};
use perennial_testkit::TestApp;
use serde_json::{Value, json};
use tokio::sync::watch;

static SPOIL: Sql =
    Sql::new("UPDATE subscriptions SET billing = '{' || billing WHERE organization_id = $1 AND id = $2");
static REPAIR: Sql =
    Sql::new("UPDATE subscriptions SET billing = SUBSTR(billing, 2) WHERE organization_id = $1 AND id = $2");
static SPOIL_DRAFTS: Sql =
    Sql::new("UPDATE invoices SET content = '{' WHERE organization_id = $1 AND subscription_id = $2");

async fn write(app: &TestApp, sql: &'static Sql, subscription: &Value) {
    let id: SubscriptionId = text(subscription, "id").parse().unwrap();
    let params = vec![app.organization.bytes().into(), id.bytes().into()];
    app.app.db.commit(Change::new().execute_any(sql, params)).await.unwrap();
}

async fn pass(app: &TestApp) {
    let unit = Lifecycle.find(&app.app, 1).await.unwrap()[0];
    let (_stop, stopping) = watch::channel(false);
    let held = Held::claim(&app.app, unit, stopping).await.unwrap().unwrap();
    Lifecycle.work(&app.app, &held).await.unwrap();
    held.lease().release(&app.app.db).await.unwrap();
}

async fn renews_at(app: &TestApp, subscription: &Value) -> String {
    let found = app.get(&format!("/subscriptions/{}", text(subscription, "id"))).await.expect(200);
    text(found.data(), "renews_at")[..10].to_owned()
}

#[tokio::test]
async fn an_invalid_record_delays_no_other() {
    let app = TestApp::start().await;
    app.set_time("2026-01-01T00:00:00Z");
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let billed = json!({ "billing": { "payment_method": "pm_1" } });
    let spoiled = app.subscription(&user, "pro", billed.clone()).await;
    let draft = app.subscription(&user, "pro", billed.clone()).await;
    let sound = app.subscription(&user, "pro", billed).await;
    write(&app, &SPOIL, &spoiled).await;
    write(&app, &SPOIL_DRAFTS, &draft).await;
    app.set_time("2026-02-01T00:00:00Z");
    pass(&app).await;
    assert_eq!(renews_at(&app, &sound).await, "2026-03-01");
    assert_eq!(renews_at(&app, &draft).await, "2026-03-01");
    let sound = text(&sound, "id");
    let invoices = app.get(&format!("/invoices?subscription_id={sound}&status=open")).await.expect(200);
    assert_eq!(invoices.data().as_array().unwrap().len(), 2);
    // A row that was repaired is worked on again.
    write(&app, &REPAIR, &spoiled).await;
    app.set_time("2026-02-02T00:00:01Z");
    pass(&app).await;
    assert_eq!(renews_at(&app, &spoiled).await, "2026-03-01");
}
