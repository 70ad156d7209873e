//! The worked examples of docs/lifecycle.md with their invoices, as a script sees them: a test organization, its clock, and
//! the public API.

use super::cycles::{Books, id};
use perennial_app::lifecycle;
use perennial_testkit::{TestApp, TestOptions};
use serde_json::{Value, json};

/// A billed subscription whose attempts succeed, to a plan with this price and cycle.
async fn subscribed(books: &Books<'_>, price: f64, cycle: &str) -> Value {
    books.plan("pro", json!({ "price": price, "billing_cycle": cycle })).await;
    books.subscribe("pro", paying()).await
}

fn paying() -> Value {
    json!({ "payment_method": "test_ok" })
}

/// A time to the minute.
fn minute(value: &Value) -> &str {
    value.as_str().map_or("null", |text| &text[..16])
}

/// The invoices of a subscription in the order of their numbers.
async fn numbered(books: &Books<'_>, subscription: &Value) -> Vec<Value> {
    let mut invoices = books.invoices(subscription).await;
    invoices.sort_by_key(|invoice| invoice["number"].as_str().unwrap_or_default().to_owned());
    invoices
}

/// The day of each cycle invoice, in the order of their numbers.
async fn cycles(books: &Books<'_>, subscription: &Value) -> Vec<String> {
    numbered(books, subscription).await.iter().map(|invoice| minute(&invoice["cycle_at"]).to_owned()).collect()
}

/// The period and the total of an invoice.
fn period(invoice: &Value) -> (&str, &str, f64) {
    (minute(&invoice["period_start"]), minute(&invoice["period_end"]), invoice["total"].as_f64().unwrap())
}

/// The types and times of a subscription's events.
async fn events(books: &Books<'_>, subscription: &Value) -> Vec<(String, String)> {
    // In a test organization every event of an advance has its position when the clock has arrived, or a moment later.
    let revision = books.sandbox.get(&format!("/subscriptions/{}", id(subscription))).await.expect(200);
    let newest = format!("evt_{}", revision.header("etag").trim_matches('"').split('-').next().unwrap());
    for _ in 0..1_000 {
        let found = books.sandbox.get(&format!("/events?record_id={}&limit=200", id(subscription))).await.expect(200);
        let found = found.data().as_array().unwrap().clone();
        if found.last().is_some_and(|event| event["id"] == newest) {
            let text = |event: &Value, name: &str| event[name].as_str().unwrap().to_owned();
            return found
                .iter()
                .map(|event| (text(event, "type"), text(event, "timestamp")[..16].to_owned()))
                .collect();
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    panic!("{newest} never entered the feed");
}

fn pair(kind: &str, at: &str) -> (String, String) {
    (format!("subscription.{kind}"), at.to_owned())
}

#[tokio::test]
async fn p1_a_monthly_subscription_from_the_31st() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-01-31T10:00:00Z").await;
    let created = subscribed(&books, 10.0, "monthly").await;
    books.advance("2026-02-01T00:00:00Z").await;
    let forecast = books.sandbox.get(&format!("/subscriptions/{}/forecast?count=3", id(&created))).await.expect(200);
    for (entry, day) in forecast.data().as_array().unwrap().iter().zip(["02-28", "03-31", "04-30"]) {
        assert_eq!(minute(&entry["at"]), format!("2026-{day}T10:00"));
        let shown = [&entry["action"], &entry["event"], &entry["status"], &entry["invoice"]["total"]];
        assert_eq!(shown, [&json!("renew"), &json!("subscription.renewed"), &json!("active"), &json!(10)]);
    }
    books.advance("2027-02-01T00:00:00Z").await;
    let days = [
        "2026-01-31",
        "2026-02-28",
        "2026-03-31",
        "2026-04-30",
        "2026-05-31",
        "2026-06-30",
        "2026-07-31",
        "2026-08-31",
        "2026-09-30",
        "2026-10-31",
        "2026-11-30",
        "2026-12-31",
        "2027-01-31",
    ];
    assert_eq!(cycles(&books, &created).await, days.map(|day| format!("{day}T10:00")));
    let renewed = days[1..].iter().map(|day| pair("renewed", &format!("{day}T10:00")));
    assert_eq!(events(&books, &created).await[1..], renewed.collect::<Vec<_>>());
}

#[tokio::test]
async fn p2_a_yearly_subscription_from_a_leap_day() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2028-02-29T10:00:00Z").await;
    let created = subscribed(&books, 10.0, "yearly").await;
    books.advance("2032-03-01T00:00:00Z").await;
    let days = ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"];
    assert_eq!(cycles(&books, &created).await, days.map(|day| format!("{day}T10:00")));
}

#[tokio::test]
async fn p3_local_midnight_stays_local_midnight() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-01-30T23:00:00Z").await;
    books.plan("pro", json!({})).await;
    let billing = json!({
        "payment_method": "test_ok", "time_zone": "Europe/Berlin", "anchor_at": "2026-01-31T00:00:00+01:00"
    });
    let created = books.subscribe("pro", billing).await;
    books.advance("2026-12-01T00:00:00Z").await;
    let expected = [
        "2026-01-30T23:00",
        "2026-02-27T23:00",
        "2026-03-30T22:00",
        "2026-04-29T22:00",
        "2026-05-30T22:00",
        "2026-06-29T22:00",
        "2026-07-30T22:00",
        "2026-08-30T22:00",
        "2026-09-29T22:00",
        "2026-10-30T23:00",
        "2026-11-29T23:00",
    ];
    assert_eq!(cycles(&books, &created).await, expected);
}

#[tokio::test]
async fn p5_a_change_is_prorated_to_the_second() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-01-31T10:00:00Z").await;
    let created = subscribed(&books, 19.99, "monthly").await;
    books.plan("large", json!({ "price": 49.99 })).await;
    books.advance("2026-02-10T16:30:00Z").await;
    books.put(&created, json!({ "subscription_plan_id": "large" })).await;
    let invoices = numbered(&books, &created).await;
    let lines = invoices[1]["lines"].as_array().unwrap();
    let amounts: Vec<f64> = lines.iter().map(|line| line["amount"].as_f64().unwrap()).collect();
    assert_eq!((amounts, &invoices[1]["total"]), (vec![-12.66, 31.65], &json!(18.99)));
}

#[tokio::test]
async fn p6_a_pending_change_is_billed_with_the_next_period() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-03-15T08:00:00Z").await;
    let created = subscribed(&books, 49.99, "monthly").await;
    let small = books.plan("small", json!({ "price": 19.99 })).await;
    books.advance("2026-03-20T00:00:00Z").await;
    books.put(&created, json!({ "billing": { "change": { "subscription_plan_id": "small" } } })).await;
    assert_eq!(books.invoices(&created).await.len(), 1);
    books.advance("2026-04-15T08:00:00Z").await;
    let renewed = books.read(&created).await;
    assert_eq!((&renewed["subscription_plan_id"], &renewed["billing"]["change"]), (&small["id"], &Value::Null));
    let invoices = numbered(&books, &created).await;
    assert_eq!(period(&invoices[1]), ("2026-04-15T08:00", "2026-05-15T08:00", 19.99));
    assert_eq!(*events(&books, &created).await.last().unwrap(), pair("renewed", "2026-04-15T08:00"));
}

#[tokio::test]
async fn p7_and_p8_a_trial_ends_with_an_invoice_or_a_pause() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-02-20T09:00:00Z").await;
    books.plan("pro", json!({ "price": 30, "billing": { "trial_days": 14 } })).await;
    let (paying, waiting) = (books.subscribe("pro", paying()).await, books.subscribe("pro", json!({})).await);
    for created in [&paying, &waiting] {
        assert_eq!((&created["status"], &created["has_access"]), (&json!("on_trial"), &json!(true)));
        assert!(books.invoices(created).await.is_empty());
    }
    books.advance("2026-03-06T09:00:00Z").await;
    assert_eq!(books.read(&paying).await["status"], "active");
    let invoices = books.invoices(&paying).await;
    assert_eq!(period(&invoices[0]), ("2026-03-06T09:00", "2026-04-06T09:00", 30.0));
    let paused = books.read(&waiting).await;
    assert_eq!((&paused["status"], &paused["has_access"]), (&json!("paused"), &json!(false)));
    assert!(books.invoices(&waiting).await.is_empty());
    books.advance("2026-03-10T12:00:00Z").await;
    let body = json!({ "status": "active", "billing": { "payment_method": "test_ok" } });
    assert_eq!(books.put(&waiting, body).await["status"], "active");
    let invoices = books.invoices(&waiting).await;
    assert_eq!((invoices.len(), period(&invoices[0])), (1, ("2026-03-10T12:00", "2026-04-10T12:00", 30.0)));
}

#[tokio::test]
async fn p19_a_pause_moves_the_periods_and_makes_no_document() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-03-01T00:00:00Z").await;
    let (soon, late) = (subscribed(&books, 10.0, "monthly").await, books.subscribe("pro", paying()).await);
    books.advance("2026-03-11T00:00:00Z").await;
    for created in [&soon, &late] {
        assert_eq!(books.put(created, json!({ "status": "paused" })).await["has_access"], false);
    }
    books.advance("2026-03-21T00:00:00Z").await;
    assert_eq!(minute(&books.put(&soon, json!({ "status": "active" })).await["renews_at"]), "2026-04-11T00:00");
    books.advance("2026-04-21T00:00:00Z").await;
    assert_eq!(minute(&books.put(&late, json!({ "status": "active" })).await["renews_at"]), "2026-05-12T00:00");
    books.advance("2026-06-12T00:00:00Z").await;
    let days = ["2026-03-01T00:00", "2026-04-11T00:00", "2026-05-11T00:00", "2026-06-11T00:00"];
    assert_eq!(cycles(&books, &soon).await, days);
    assert_eq!(cycles(&books, &late).await, ["2026-03-01T00:00", "2026-05-12T00:00", "2026-06-12T00:00"]);
    assert!(books.sandbox.get("/credit-notes").await.expect(200).data().as_array().unwrap().is_empty());
}

/// A server that puts organizations on hold after seven days.
async fn holding() -> TestApp {
    let mut options = TestOptions::default();
    options.app.lifecycle.hold_after_days = 7;
    TestApp::with(options).await
}

async fn jump(books: &Books<'_>, now: &str) -> Value {
    let jumped = books.sandbox.put("/test-clock", json!({ "now": now, "mode": "jump" })).await.expect(200);
    jumped.data()["status"].clone()
}

#[tokio::test]
async fn p20_fourteen_late_renewals_are_fourteen_numbered_invoices() {
    let app = holding().await;
    let books = Books::at(&app, "2025-01-31T00:00:00Z").await;
    let created = subscribed(&books, 10.0, "monthly").await;
    books.advance("2025-03-15T00:00:00Z").await;
    let before = numbered(&books, &created).await.len();
    assert_eq!(jump(&books, "2026-05-20T00:00:00Z").await, "held");
    lifecycle::resume(&app.app, &books.sandbox.organization, None).await.unwrap();
    books.settle().await;
    let invoices = numbered(&books, &created).await.split_off(before);
    let days = [
        "2025-03-31",
        "2025-04-30",
        "2025-05-31",
        "2025-06-30",
        "2025-07-31",
        "2025-08-31",
        "2025-09-30",
        "2025-10-31",
        "2025-11-30",
        "2025-12-31",
        "2026-01-31",
        "2026-02-28",
        "2026-03-31",
        "2026-04-30",
    ];
    let found: Vec<&str> = invoices.iter().map(|invoice| &invoice["cycle_at"].as_str().unwrap()[..10]).collect();
    assert_eq!(found, days, "the numbers are in the order of the periods");
    for (place, invoice) in invoices.iter().enumerate() {
        assert_eq!(invoice["number"], format!("TEST-INV-{:06}", before + place + 1));
        assert_eq!((minute(&invoice["issued_at"]), &invoice["total"]), ("2026-05-20T00:00", &json!(10)));
    }
    assert_eq!(minute(&books.read(&created).await["renews_at"]), "2026-05-31T00:00");
}

#[tokio::test]
async fn p21_a_cancelled_subscription_ends_without_an_invoice_unless_it_is_taken_back() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-01-31T10:00:00Z").await;
    let (ending, back) = (subscribed(&books, 10.0, "monthly").await, books.subscribe("pro", paying()).await);
    books.advance("2026-02-10T00:00:00Z").await;
    for created in [&ending, &back] {
        let cancelled = books.put(created, json!({ "status": "cancelled" })).await;
        assert_eq!((minute(&cancelled["ends_at"]), &cancelled["has_access"]), ("2026-02-28T10:00", &json!(true)));
    }
    books.advance("2026-02-20T00:00:00Z").await;
    assert_eq!(books.put(&back, json!({ "status": "active" })).await["ends_at"], Value::Null);
    books.advance("2026-02-28T10:00:00Z").await;
    assert_eq!(cycles(&books, &back).await, ["2026-01-31T10:00", "2026-02-28T10:00"]);
    assert_eq!(cycles(&books, &ending).await, ["2026-01-31T10:00"]);
    let ended = events(&books, &ending).await;
    let expected = [pair("expired", "2026-02-28T10:00"), pair("access_changed", "2026-02-28T10:00")];
    assert_eq!(ended[ended.len() - 2..], expected);
}

#[tokio::test]
async fn p22_a_change_to_a_yearly_plan_counts_from_its_first_period() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-01-31T00:00:00Z").await;
    let created = subscribed(&books, 10.0, "monthly").await;
    books.plan("long", json!({ "price": 100, "billing_cycle": "yearly" })).await;
    books.advance("2026-02-10T00:00:00Z").await;
    books.put(&created, json!({ "billing": { "change": { "subscription_plan_id": "long" } } })).await;
    books.advance("2026-03-01T00:00:00Z").await;
    let invoices = numbered(&books, &created).await;
    assert_eq!(period(&invoices[1]), ("2026-02-28T00:00", "2027-02-28T00:00", 100.0));
    assert_eq!(minute(&books.read(&created).await["billing"]["anchor_at"]), "2026-02-28T00:00");
}

#[tokio::test]
async fn p23_the_fee_of_the_last_period_is_prorated() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-07-01T00:00:00Z").await;
    let created = subscribed(&books, 31.0, "monthly").await;
    books.advance("2026-07-10T00:00:00Z").await;
    books.put(&created, json!({ "ends_at": "2026-08-11T00:00:00Z" })).await;
    books.advance("2026-08-11T00:00:00Z").await;
    let invoices = numbered(&books, &created).await;
    assert_eq!(invoices.len(), 2);
    assert_eq!(period(&invoices[1]), ("2026-08-01T00:00", "2026-08-11T00:00", 10.0));
    assert_eq!(books.read(&created).await["status"], "expired");
}

#[tokio::test]
async fn p24_access_of_an_external_subscription_changes_by_the_clock() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-20T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    let dates = json!({ "starts_at": "2026-05-01T00:00:00Z", "ends_at": "2026-06-01T00:00:00Z" });
    let created = books.subscribe_with("pro", dates).await;
    let mut current = created.clone();
    for (instant, has_access) in [("2026-05-01T00:00:00Z", true), ("2026-06-01T00:00:00Z", false)] {
        books.advance(instant).await;
        let read = books.read(&created).await;
        current["has_access"] = json!(has_access);
        assert_eq!(read, current, "no other field changes");
    }
    let changed = [pair("access_changed", "2026-05-01T00:00"), pair("access_changed", "2026-06-01T00:00")];
    assert_eq!(events(&books, &created).await[1..], changed);
}

#[tokio::test]
async fn p25_a_renewal_that_is_a_little_late_is_not_held() {
    let app = holding().await;
    let books = Books::at(&app, "2026-03-02T00:00:00Z").await;
    let created = subscribed(&books, 7.0, "weekly").await;
    books.advance("2026-03-08T00:00:00Z").await;
    assert_ne!(jump(&books, "2026-03-14T00:00:00Z").await, "held");
    books.settle().await;
    let invoices = numbered(&books, &created).await;
    assert_eq!((invoices.len(), minute(&invoices[1]["cycle_at"])), (2, "2026-03-09T00:00"));
    assert_eq!(minute(&invoices[1]["issued_at"]), "2026-03-14T00:00");
    assert_eq!(minute(&books.read(&created).await["renews_at"]), "2026-03-16T00:00");
}
