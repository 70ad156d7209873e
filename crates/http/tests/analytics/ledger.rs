//! The invariants of the ledger: it equals the definitions, whatever happens to servers and in whichever order events arrive.

use super::support::*;
use perennial_app::analytics::{check, rebuild};
use perennial_app::events::{Readers, prune};
use perennial_domain::id::EventId;
use perennial_domain::time::Time;
use perennial_store::{Change, Sql, tables};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

static SUMS: Sql = Sql::new(
    "SELECT currency || ' ' || series || ' ' || grain || ' ' || CAST(period AS TEXT) || ' ' || kind || ' ' || amount
            || ' ' || CAST(count AS TEXT) FROM analytics_sums ORDER BY 1",
);
static MOVEMENTS: Sql = Sql::new(
    "SELECT currency || ' ' || CAST(day AS TEXT) || ' ' || kind || ' ' || amount || ' ' || mrr || ' '
            || CAST(cohort AS TEXT) FROM analytics_movements ORDER BY user_id, 1",
);
static COHORTS: Sql = Sql::new(
    "SELECT currency || ' ' || CAST(cohort AS TEXT) || ' ' || CAST(month AS TEXT) || ' ' || CAST(new_customers AS TEXT)
            || ' ' || CAST(customers AS TEXT) || ' ' || mrr FROM analytics_cohorts ORDER BY 1",
);
static HISTORIES: Sql = Sql::new("SELECT history FROM analytics_subscriptions ORDER BY subscription_id");
static PAYMENTS: Sql = Sql::new(
    "SELECT currency || ' ' || CAST(day AS TEXT) || ' ' || CAST(amount AS TEXT) FROM analytics_payments
     ORDER BY payment_id",
);
static LOSE: Sql = Sql::new("UPDATE analytics_ledgers SET event_id = $1");
static SPOIL: Sql = Sql::new("UPDATE analytics_movements SET mrr = '5'");

/// Every row of the ledger except for the head, as text and without its generation.
async fn rows(app: &TestApp) -> Vec<String> {
    let db = &app.app.db;
    let mut rows = Vec::new();
    for sql in [&SUMS, &MOVEMENTS, &COHORTS, &HISTORIES, &PAYMENTS] {
        rows.extend(db.all(sql, &[], |row| row.text(0)).await.unwrap());
    }
    rows
}

async fn movements(app: &TestApp) -> Vec<(String, String, f64)> {
    let answer = figures(app, "/analytics/movements?from=2026-01").await;
    let row = |row: &Value| {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        (text("date"), text("kind"), row["amount"].as_f64().unwrap())
    };
    answer.data().as_array().unwrap().iter().map(row).collect()
}

fn movement(date: &str, kind: &str, amount: f64) -> (String, String, f64) {
    (date.to_owned(), kind.to_owned(), amount)
}

/// Customers that come, change and go through the API.
async fn busy(app: &TestApp) {
    app.plan("pro", json!({ "price": 29 })).await;
    app.plan("euro", json!({ "price": 5, "currency": "EUR", "billing_cycle": "weekly" })).await;
    for number in 0..12 {
        let user = app.user(&format!("user{number}@example.com")).await;
        let plan = if number % 3 == 0 { "euro" } else { "pro" };
        let status = if number % 4 == 0 { "on_trial" } else { "active" };
        let made = app.subscription(&user, plan, json!({ "status": status, "quantity": number + 1 })).await;
        let path = format!("/subscriptions/{}", made["id"].as_str().unwrap());
        let payment = app.payment(made["id"].as_str().unwrap(), json!({ "status": "completed" })).await;
        app.advance(30_000);
        match number % 5 {
            0 => app.put(&path, &json!({ "status": "active", "quantity": 3 })).await.expect(200),
            1 => app.put(&path, &json!({ "status": "cancelled" })).await.expect(200),
            2 => app.delete(&path).await.expect(200),
            3 => app.put(&path, &json!({ "subscription_plan_id": "euro" })).await.expect(200),
            _ => app.put(&path, &json!({ "status": "paused" })).await.expect(200),
        };
        if number % 2 == 0 {
            let path = format!("/subscription-payments/{}", payment["id"].as_str().unwrap());
            app.put(&path, &json!({ "status": "refunded" })).await.expect(200);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ledger_that_servers_maintained_together_equals_a_rebuilt_one() {
    let app = TestApp::start().await;
    let other = app.second_server().await;
    let mut working = vec![maintain(&app)];
    working.extend(other.as_ref().map(maintain));
    busy(&app).await;
    // A server that is gone, and another one that continues.
    working.remove(0).send(true).unwrap();
    working.push(maintain(&app));
    busy_again(&app).await;
    app.advance(40 * 86_400);
    figures(&app, "/analytics/revenue").await;
    let before = rows(&app).await;
    assert!(before.len() > 50, "{}", before.len());
    rebuild::begin_rebuild(&app.app, app.organization).await.unwrap();
    figures(&app, "/analytics/revenue").await;
    while rebuild::generations(&app.app, app.organization).await.unwrap() > 1 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    assert_eq!(rows(&app).await, before);
    assert_eq!(check::check(&app.app, app.organization).await.unwrap(), []);
}

async fn busy_again(app: &TestApp) {
    for subscription in app.get("/subscriptions?status=paused,active").await.expect(200).data().as_array().unwrap() {
        let path = format!("/subscriptions/{}", subscription["id"].as_str().unwrap());
        app.advance(90_000);
        app.put(&path, &json!({ "status": "past_due", "is_active": true })).await.expect(200);
    }
}

#[tokio::test]
async fn a_ledger_that_is_far_behind_includes_every_event() {
    let app = TestApp::start().await;
    app.plan("pro", json!({ "price": 29 })).await;
    // More events without a figure than a change examines at first, then more customers than it may have.
    let mut users = Vec::new();
    for number in 0..230 {
        users.push(app.user(&format!("user{number}@example.com")).await);
    }
    for user in &users {
        app.subscription(user, "pro", json!({})).await;
    }
    let _working = maintain(&app);
    let answer = figures(&app, "/analytics/revenue").await;
    let (customers, end) = (&answer.data()[11]["customers_end"], &answer.data()[11]["end"]);
    assert_eq!((customers, end), (&json!(230), &json!(230 * 29)));
    assert_eq!(check::check(&app.app, app.organization).await.unwrap(), []);
}

/// A change ends at its last customer, in the middle of what was read, and the next one continues there.
#[tokio::test]
async fn a_ledger_skips_no_event_between_full_changes() {
    let app = TestApp::start().await;
    app.plan("pro", json!({ "price": 29 })).await;
    for number in 0..320 {
        let user = app.user(&format!("user{number}@example.com")).await;
        app.subscription(&user, "pro", json!({})).await;
    }
    app.user("last@example.com").await;
    let _working = maintain(&app);
    assert_eq!(figures(&app, "/analytics/revenue").await.data()[11]["customers_end"], 320);
}

#[tokio::test]
async fn an_event_of_an_earlier_day_corrects_the_rows_after_it() {
    let app = TestApp::start().await;
    let _working = maintain(&app);
    let user = app.user("ada@example.com").await;
    let plan = app.plan("pro", json!({ "price": 29 })).await["id"].as_str().unwrap().to_owned();
    app.subscription(&user, "pro", json!({})).await;
    assert_eq!(movements(&app).await, [movement("2026-03-10", "new", 29.0)]);
    let changes = vec![
        ("2026-01-05T00:00:00Z", json!({ "subscription_plan_id": plan })),
        ("2026-02-05T00:00:00Z", json!({ "status": "expired" })),
    ];
    import(&app, &[History { user, changes }]).await;
    let expected = [
        movement("2026-03-10", "reactivation", 29.0),
        movement("2026-02-05", "churned", -29.0),
        movement("2026-01-05", "new", 29.0),
    ];
    assert_eq!(movements(&app).await, expected);
    let cohorts = figures(&app, "/analytics/cohorts?from=2026-01&to=2026-03").await;
    let sizes: Vec<_> = cohorts.data().as_array().unwrap().iter().map(|row| row["customers"].clone()).collect();
    assert_eq!(sizes, [1, 0, 0]);
    assert_eq!(cohorts.data()[0]["cells"][2]["customers"], 1);
}

/// As after a removal for good and an import of an older export: the ledger cannot rely on the event that creates a subscription.
#[tokio::test]
async fn a_subscription_that_is_created_twice_continues_its_history() {
    let app = TestApp::start().await;
    let _working = maintain(&app);
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({ "price": 29 })).await;
    let mut made = app.subscription(&user, "pro", json!({})).await;
    assert_eq!(movements(&app).await, [movement("2026-03-10", "new", 29.0)]);
    made["quantity"] = json!(3);
    let at = Time::parse("2026-03-11T12:00:00Z").unwrap();
    let line = json!({
        "type": "event", "organization_id": app.organization.to_string(), "id": EventId::new(at, 7).to_string(),
        "kind": "subscription.created", "record_id": made["id"], "at": at.to_string(), "previous_id": null,
        "before": null, "after": made,
    });
    app.set_time("2026-03-12T12:00:00Z");
    import_lines(&app, &[line]).await;
    let other = app.user("ben@example.com").await;
    app.subscription(&other, "pro", json!({})).await;
    let expected = [
        movement("2026-03-12", "new", 29.0),
        movement("2026-03-11", "expansion", 58.0),
        movement("2026-03-10", "new", 29.0),
    ];
    assert_eq!(movements(&app).await, expected);
    let before = rows(&app).await;
    rebuild::begin_rebuild(&app.app, app.organization).await.unwrap();
    while rebuild::generations(&app.app, app.organization).await.unwrap() > 1 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    assert_eq!(rows(&app).await, before);
}

#[tokio::test]
async fn neither_a_renewal_nor_a_new_price_writes_a_row() {
    let app = TestApp::start().await;
    let _working = maintain(&app);
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({ "price": 29 })).await;
    let made = app.subscription(&user, "pro", json!({})).await;
    figures(&app, "/analytics/revenue").await;
    let before = rows(&app).await;
    let path = format!("/subscriptions/{}", made["id"].as_str().unwrap());
    app.advance(86_400);
    app.put(&path, &json!({ "renews_at": "2026-06-10T12:00:00Z" })).await.expect(200);
    app.put("/subscription-plans/pro", &json!({ "price": 99 })).await.expect(200);
    let answer = figures(&app, "/analytics/revenue").await;
    assert_eq!(rows(&app).await, before);
    let newest = app.get("/events?sort=-sequence&limit=1").await.expect(200).data()[0]["sequence"].clone();
    assert_eq!(answer.json["meta"]["sequence"], newest, "the position includes events without a figure");
    app.put(&path, &json!({ "plan_version": 2 })).await.expect(200);
    assert_eq!(figures(&app, "/analytics/revenue").await.data()[11]["end"], 99);
}

#[tokio::test]
async fn access_ends_at_its_instant_and_a_deletion_counts_at_once() {
    let app = TestApp::start().await;
    let _working = maintain(&app);
    let (ada, ben) = (app.user("ada@example.com").await, app.user("ben@example.com").await);
    app.plan("pro", json!({ "price": 29 })).await;
    app.subscription(&ada, "pro", json!({ "starts_at": "2026-03-12T00:00:00Z", "ends_at": "2026-03-20T00:00:00Z" }))
        .await;
    let deleted = app.subscription(&ben, "pro", json!({})).await["id"].as_str().unwrap().to_owned();
    assert_eq!(movements(&app).await, [movement("2026-03-10", "new", 29.0)], "Ada's has not begun");
    app.advance(86_400);
    app.delete(&format!("/subscriptions/{deleted}")).await.expect(200);
    app.set_time("2026-03-25T00:00:00Z");
    let expected = [
        movement("2026-03-20", "churned", -29.0),
        movement("2026-03-12", "new", 29.0),
        movement("2026-03-11", "churned", -29.0),
        movement("2026-03-10", "new", 29.0),
    ];
    assert_eq!(movements(&app).await, expected);
}

#[tokio::test]
async fn pruning_stops_at_the_position_of_the_ledger() {
    let app = TestApp::start().await;
    let working = maintain(&app);
    app.plan("one", json!({})).await;
    let position = figures(&app, "/analytics/revenue").await.json["meta"]["sequence"].as_i64().unwrap();
    working.send(true).unwrap();
    drop(working);
    for slug in ["two", "three", "four"] {
        app.plan(slug, json!({})).await;
    }
    while app.app.db.has_unplaced_events().await.unwrap() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    prune(&app.app, app.organization, Time::MAX, Readers::Ignore).await.unwrap();
    let oldest = app.get("/events?limit=1").await.expect(200).data()[0]["sequence"].as_i64().unwrap();
    assert!(oldest <= position, "{oldest} is after {position}");
    let _working = maintain(&app);
    figures(&app, "/analytics/revenue").await;
    assert_eq!(rebuild::generations(&app.app, app.organization).await.unwrap(), 1, "nothing was rebuilt");
    assert!(rebuild::is_pruned(&app.app, app.organization).await.unwrap());
}

#[tokio::test]
async fn a_ledger_whose_event_is_missing_is_rebuilt() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({ "price": 29 })).await;
    app.subscription(&user, "pro", json!({})).await;
    let working = maintain(&app);
    figures(&app, "/analytics/revenue").await;
    let before = rows(&app).await;
    working.send(true).unwrap();
    drop(working);
    let lose = Change::new().execute_any(&LOSE, vec![EventId::from_bytes([9; 16]).bytes().into()]);
    app.app.db.commit(lose.execute_any(&SPOIL, Vec::new())).await.unwrap();
    assert_eq!(check::check(&app.app, app.organization).await.unwrap().len(), 1);
    let _working = maintain(&app);
    while rows(&app).await != before {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    assert_eq!(check::check(&app.app, app.organization).await.unwrap(), []);
}

#[test]
fn a_copy_includes_the_ledger_and_an_export_does_not() {
    let copied: Vec<_> = tables::transferred().map(|table| table.name).collect();
    let of_ledger: Vec<_> = copied.iter().filter(|name| name.starts_with("analytics_")).collect();
    assert_eq!(of_ledger.len(), 7);
    let exported: Vec<_> = perennial_transfer::files().collect();
    assert!(exported.iter().all(|name| !name.starts_with("analytics")), "{exported:?}");
}
