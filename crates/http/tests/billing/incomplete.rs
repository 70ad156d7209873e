//! Incomplete subscriptions: their first invoice, and invoices of callers next to it.

use super::cycles::Books;
use perennial_testkit::TestApp;
use serde_json::{Value, json};

async fn one_off(books: &Books<'_>, subscription: &Value, changes: Value) -> Value {
    let mut body = json!({ "subscription_id": subscription["id"] });
    body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    books.sandbox.post("/invoices", body).await.expect(201).data().clone()
}

#[tokio::test]
async fn only_the_first_invoice_activates_an_incomplete_subscription_and_ends_with_it() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    let incomplete = json!({ "status": "incomplete", "billing": { "collection": "manual" } });
    let created = books.subscribe_with("pro", incomplete).await;
    let free = one_off(&books, &created, json!({ "lines": [{ "description": "Gift", "unit_price": 0 }] })).await;
    assert_eq!(books.act(&free, "finalize").await.expect(200).data()["status"], "paid");
    assert_eq!(books.read(&created).await["status"], "incomplete");
    let item = json!([{ "description": "Setup", "unit_price": 5 }]);
    one_off(&books, &created, json!({ "lines": item })).await;
    let overdue = one_off(&books, &created, json!({ "lines": item, "payment_terms_days": 0 })).await;
    books.act(&overdue, "finalize").await.expect(200);
    books.advance("2026-04-02T00:00:00Z").await;
    let ended = books.read(&created).await;
    assert_eq!((&ended["status"], &ended["billing"]["overdue_invoices"]), (&json!("expired"), &json!(1)));
    let invoices = books.invoices(&created).await;
    let statuses: Vec<&str> = invoices.iter().map(|invoice| invoice["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["void", "paid", "draft", "open"]);
}
