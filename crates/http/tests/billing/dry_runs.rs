//! API rules 14.7 (`docs/api.md`): a dry run shows documents as they are issued. Drafts share the balance, with what the write adds to it.

use super::cycles::{Books, id};
use super::windows::{metered, send};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

/// What an invoice takes from the balance, and what is left of it.
fn paid(invoices: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let shown =
        |invoice: Value| ["kind", "total", "credit_applied", "amount_due", "status"].map(|name| invoice[name].clone());
    let mut shown: Vec<Value> = invoices.into_iter().map(|invoice| json!(shown(invoice))).collect();
    shown.sort_by_key(Value::to_string);
    shown
}

/// Tries a write and makes it. Both show the same new invoices, which are returned.
async fn compare(books: &Books<'_>, of: &Value, (method, path, body): (&str, &str, Value), until: &str) -> Vec<Value> {
    let earlier: Vec<Value> = books.invoices(of).await.iter().map(|invoice| invoice["id"].clone()).collect();
    let write = |query: &str| books.sandbox.request(method, &format!("{path}{query}")).json(&body);
    let tried = write("?dry_run=true").send().await.expect(200);
    let made = write("").send().await;
    assert!(made.status < 300, "{}", made.json);
    books.settle().await;
    books.advance(until).await;
    let real = books.invoices(of).await.into_iter().filter(|invoice| !earlier.contains(&invoice["id"]));
    let real = paid(real);
    let shown = tried.json["documents"]["invoices"].as_array().unwrap().clone();
    assert_eq!(paid(shown), real, "{method} {path} {body}");
    real
}

/// A subscription with a paid fee, and usage of 20.00 that is not billed yet.
async fn used(books: &Books<'_>) -> (Value, String) {
    let created = books.subscribe("metered", json!({ "collection": "manual" })).await;
    books.pay(&books.invoices(&created).await[0], 10.0, "completed").await;
    send(books, &created, &[("a", 1_000, created["starts_at"].as_str().unwrap())]).await;
    let path = format!("/subscriptions/{}", id(&created));
    (created, path)
}

async fn credit(books: &Books<'_>, amount: i64) {
    let path = format!("/users/{}/credits", books.user);
    books.sandbox.post(&path, json!({ "currency": "USD", "amount": amount })).await.expect(201);
}

#[tokio::test]
async fn the_drafts_of_a_dry_run_share_the_balance() {
    let app = TestApp::start().await;
    let books = metered(&app, "2026-05-01T00:00:00Z", json!({})).await;
    books.plan("yearly", json!({ "price": 100, "billing_cycle": "yearly" })).await;
    let (created, path) = used(&books).await;
    credit(&books, 5).await;
    books.advance("2026-05-10T00:00:00Z").await;
    let put = ("PUT", path.as_str(), json!({ "subscription_plan_id": "yearly" }));
    let made = compare(&books, &created, put, "2026-05-10T02:00:00Z").await;
    let applied: Vec<&Value> = made.iter().map(|invoice| &invoice[2]).collect();
    assert_eq!(applied, [&json!(5), &json!(0)], "the change is issued first: {made:?}");
}

#[tokio::test]
async fn what_a_credit_note_adds_to_the_balance_pays_the_drafts_of_a_dry_run() {
    let app = TestApp::start().await;
    let books = metered(&app, "2026-05-01T00:00:00Z", json!({})).await;
    books.plan("weekly", json!({ "price": 1, "billing_cycle": "weekly" })).await;
    for (body, at, until) in [
        (json!({ "subscription_plan_id": "weekly" }), "2026-05-02T00:00:00Z", "2026-05-02T02:00:00Z"),
        (
            json!({ "status": "expired", "billing": { "prorate": true } }),
            "2026-05-03T00:00:00Z",
            "2026-05-03T02:00:00Z",
        ),
    ] {
        let (created, path) = used(&books).await;
        books.advance(at).await;
        let made = compare(&books, &created, ("PUT", &path, body), until).await;
        assert_eq!(made.len(), 1, "{made:?}");
        assert!(made[0][2].as_f64().unwrap() > 8.0, "{made:?}");
    }
}

#[tokio::test]
async fn the_surplus_of_a_payment_pays_the_new_period_of_a_dry_run() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    let created = books.subscribe("pro", json!({ "collection": "manual" })).await;
    let invoice = books.invoices(&created).await[0].clone();
    books.advance("2026-05-20T00:00:00Z").await;
    let body = json!({
        "subscription_id": created["id"], "invoice_id": invoice["id"], "amount": 50, "currency": "USD", "status": "completed"
    });
    let made = compare(&books, &created, ("POST", "/subscription-payments", body), "2026-05-20T02:00:00Z").await;
    assert_eq!(made, [json!(["cycle", 10, 10, 0, "paid"])]);
}

#[tokio::test]
async fn what_a_void_invoice_returns_to_the_balance_pays_the_new_period_of_a_dry_run() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    credit(&books, 4).await;
    let created = books.subscribe("pro", json!({ "collection": "manual" })).await;
    let invoice = books.invoices(&created).await[0].clone();
    books.advance("2026-05-20T00:00:00Z").await;
    let path = format!("/invoices/{}/void", id(&invoice));
    let made = compare(&books, &created, ("POST", &path, json!({})), "2026-05-20T02:00:00Z").await;
    assert_eq!(made, [json!(["cycle", 10, 4, 6, "open"])]);
}
