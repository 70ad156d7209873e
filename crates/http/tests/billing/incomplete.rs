//! Incomplete subscriptions: their first invoice, and invoices of callers next to it.

use super::cycles::{Books, id};
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

/// An incomplete subscription, and its first invoice over 10.00.
async fn incomplete(books: &Books<'_>, collection: &str) -> (Value, Value) {
    let billing = json!({ "collection": collection });
    let created = books.subscribe_with("pro", json!({ "status": "incomplete", "billing": billing })).await;
    let invoice = books.invoices(&created).await[0].clone();
    (created, invoice)
}

async fn void(books: &Books<'_>, payment: &Value) {
    let target = format!("/subscription-payments/{}", id(payment));
    books.sandbox.put(&target, json!({ "status": "void" })).await.expect(200);
}

#[tokio::test]
async fn a_first_invoice_that_is_opened_again_is_overdue_as_any_other() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    let expected = [("automatic", "attempt", "2026-04-04"), ("manual", "deadline", "2026-04-10")];
    let mut payments = Vec::new();
    for (collection, ..) in expected {
        let (created, invoice) = incomplete(&books, collection).await;
        let payment = books.pay(&invoice, 10.0, "completed").await;
        assert_eq!(books.read(&created).await["status"], "active");
        payments.push((created, payment));
    }
    books.advance("2026-04-03T00:00:00Z").await;
    for ((created, payment), (_, action, day)) in payments.iter().zip(expected) {
        void(&books, payment).await;
        let reopened = &books.invoices(created).await[0];
        assert_eq!((&reopened["status"], &reopened["overdue"]), (&json!("open"), &json!(true)));
        let at = format!("{day}T00:00:00.000000Z");
        assert_eq!((&reopened["next_action"], &reopened["next_action_at"]), (&json!(action), &json!(at)));
        let after = books.read(created).await;
        assert_eq!((&after["status"], &after["billing"]["overdue_invoices"]), (&json!("past_due"), &json!(1)));
    }
    books.advance("2026-04-30T00:00:00Z").await;
    for (created, _) in &payments {
        assert_eq!(books.read(created).await["status"], "unpaid", "dunning gives up");
    }
}

#[tokio::test]
async fn a_first_invoice_that_is_opened_again_after_its_subscription_expired_does_not_change_it() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    let (created, invoice) = incomplete(&books, "automatic").await;
    books.pay(&invoice, 4.0, "completed").await;
    let rest = books.pay(&invoice, 6.0, "pending").await;
    books.advance("2026-04-02T00:00:00Z").await;
    assert_eq!(books.invoices(&created).await[0]["status"], "uncollectible");
    let target = format!("/subscription-payments/{}", id(&rest));
    books.sandbox.put(&target, json!({ "status": "completed" })).await.expect(200);
    assert_eq!(books.invoices(&created).await[0]["status"], "paid");
    void(&books, &rest).await;
    let reopened = &books.invoices(&created).await[0];
    assert_eq!((&reopened["status"], &reopened["overdue"]), (&json!("open"), &json!(true)));
    assert_eq!((&reopened["amount_due"], &reopened["next_action"]), (&json!(6), &json!("attempt")));
    books.advance("2026-05-01T00:00:00Z").await;
    let after = books.read(&created).await;
    assert_eq!((&after["status"], &after["has_access"]), (&json!("expired"), &json!(false)));
    assert_eq!(after["billing"]["overdue_invoices"], json!(1));
}
