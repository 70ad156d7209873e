//! Payments of invoices: what they may name, and what is done before them.

use super::cycles::{Books, id};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

fn of(invoice: &Value, status: &str) -> Value {
    json!({ "subscription_id": invoice["subscription_id"], "amount": 10, "currency": "USD", "status": status })
}

/// A subscription, its invoice and the payment of it.
async fn paid(books: &Books<'_>) -> (Value, Value, Value) {
    books.plan("pro", json!({})).await;
    let created = books.subscribe("pro", json!({})).await;
    let invoice = books.invoices(&created).await[0].clone();
    let payment = books.pay(&invoice, 10.0, "completed").await;
    (created, invoice, payment)
}

fn path(payment: &Value) -> String {
    format!("/subscription-payments/{}", id(payment))
}

#[tokio::test]
async fn a_payment_keeps_the_subscription_and_the_currency_of_its_invoice() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    let (first, second) = (books.subscribe("pro", json!({})).await, books.subscribe("pro", json!({})).await);
    let invoice = books.invoices(&first).await[0].clone();
    let payment = books.pay(&invoice, 10.0, "pending").await;
    for other in [json!({ "currency": "JPY" }), json!({ "subscription_id": second["id"], "status": "completed" })] {
        let refused = books.sandbox.put(&path(&payment), other).await.refused(422, "inconsistent");
        assert_eq!(refused.faults(), ["/invoice_id inconsistent"]);
    }
    let same = json!({ "currency": "USD", "subscription_id": first["id"], "status": "completed" });
    books.sandbox.put(&path(&payment), same).await.expect(200);
    assert_eq!(books.invoices(&first).await[0]["status"], "paid");
}

#[tokio::test]
async fn a_payment_that_counts_cannot_change_its_amount_currency_or_subscription() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    let (created, invoice, payment) = paid(&books).await;
    let other = books.subscribe("pro", json!({})).await;
    for change in [json!({ "amount": 11 }), json!({ "currency": "EUR" }), json!({ "subscription_id": other["id"] })] {
        for query in ["", "?dry_run=true"] {
            let target = format!("{}{query}", path(&payment));
            books.sandbox.put(&target, change.clone()).await.refused(409, "payment_applied");
        }
        // Validation errors come before a conflict.
        let mut invalid = change.clone();
        invalid["status"] = json!("lost");
        let refused = books.sandbox.put(&path(&payment), invalid).await.refused(422, "unknown_value");
        assert_eq!(refused.faults(), ["/status unknown_value"]);
    }
    let unknown = json!({ "subscription_id": "sub_01h455vb4pex5vsknk084sn02q" });
    books.sandbox.put(&path(&payment), unknown).await.refused(422, "not_found");
    books.sandbox.put(&path(&payment), payment.clone()).await.expect(200);
    // One that became void does not count, and keeps what its invoice has.
    books.sandbox.put(&path(&payment), json!({ "status": "void" })).await.expect(200);
    let currency = books.sandbox.put(&path(&payment), json!({ "currency": "EUR" })).await.refused(422, "inconsistent");
    assert_eq!(currency.faults(), ["/invoice_id inconsistent"]);
    assert_eq!((&invoice["id"], &books.read(&created).await["status"]), (&payment["invoice_id"], &json!("past_due")));
}

#[tokio::test]
async fn a_failed_payment_that_names_its_invoice_later_makes_it_overdue() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    let created = books.subscribe("pro", json!({})).await;
    let invoice = books.invoices(&created).await[0].clone();
    let failed = books.sandbox.post("/subscription-payments", of(&invoice, "failed")).await.expect(201);
    assert_eq!(books.read(&created).await["status"], "active");
    let named = json!({ "invoice_id": invoice["id"] });
    books.sandbox.put(&path(failed.data()), named.clone()).await.expect(200);
    assert_eq!(books.invoices(&created).await[0]["overdue"], json!(true));
    assert_eq!(books.read(&created).await["status"], "past_due");
    books.sandbox.put(&path(failed.data()), named).await.expect(200);
    assert_eq!(books.sandbox.events("invoice.overdue", 1).await.len(), 1);
}

#[tokio::test]
async fn naming_an_invoice_comes_after_the_late_actions_of_its_subscription() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-01-01T00:00:00Z").await;
    let dunning = json!({ "retry_days": [], "grace_days": 1, "then": "unpaid" });
    let billing = json!({ "payment_terms_days": 2, "dunning": dunning });
    books.plan("pro", json!({ "billing_cycle": "yearly", "billing": billing })).await;
    let created = books.subscribe("pro", json!({ "collection": "manual" })).await;
    let invoice = books.invoices(&created).await[0].clone();
    let payment =
        books.sandbox.post("/subscription-payments", of(&invoice, "completed")).await.expect(201).data().clone();
    let jump = json!({ "now": "2026-01-06T00:00:00Z", "mode": "jump" });
    books.sandbox.put("/test-clock", jump).await.expect(200);
    let named = json!({ "invoice_id": invoice["id"] });
    let dry = format!("{}?dry_run=true", path(&payment));
    books.sandbox.put(&dry, named.clone()).await.refused(409, "lifecycle_behind");
    books.sandbox.put(&path(&payment), named.clone()).await.expect(200);
    let kinds = ["invoice.overdue", "subscription.unpaid", "invoice.paid", "subscription.recovered"];
    for kind in kinds {
        assert_eq!(books.sandbox.events(kind, 1).await.len(), 1, "{kind}");
    }
    let another = of(&invoice, "completed");
    let mut another = another.as_object().unwrap().clone();
    another.insert("invoice_id".into(), invoice["id"].clone());
    books.sandbox.put("/test-clock", json!({ "now": "2028-01-06T00:00:00Z", "mode": "jump" })).await.expect(200);
    let dry = books.sandbox.post("/subscription-payments?dry_run=true", Value::Object(another)).await;
    dry.refused(409, "lifecycle_behind");
    let dry = format!("{}?dry_run=true", path(&payment));
    books.sandbox.put(&dry, json!({ "status": "void" })).await.refused(409, "lifecycle_behind");
}

#[tokio::test]
async fn an_invoice_that_was_credited_to_the_balance_cannot_become_void() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    let (created, invoice, payment) = paid(&books).await;
    let note = json!({ "invoice_id": invoice["id"], "amount": 4, "reason": "", "refund_reference": "" });
    books.sandbox.post("/credit-notes", note).await.expect(201);
    books.sandbox.put(&path(&payment), json!({ "status": "void" })).await.expect(200);
    let reopened = &books.invoices(&created).await[0];
    assert_eq!((&reopened["status"], &reopened["amount_credited"]), (&json!("open"), &json!(0)));
    books.act(&invoice, "void").await.refused(409, "has_payments");
    books.act(&invoice, "mark-uncollectible").await.expect(200);
}

#[tokio::test]
async fn a_reopened_invoice_of_an_erased_user_has_no_further_actions() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    let (created, _, payment) = paid(&books).await;
    books.sandbox.request("DELETE", &format!("/users/{}", books.user)).send().await.expect(200);
    books.sandbox.put(&path(&payment), json!({ "status": "void" })).await.expect(200);
    let reopened = &books.invoices(&created).await[0];
    assert_eq!((&reopened["status"], &reopened["next_action"]), (&json!("open"), &Value::Null));
}

#[tokio::test]
async fn an_invoice_that_is_reopened_after_the_subscription_became_external_still_counts() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    let (created, invoice, payment) = paid(&books).await;
    books.put(&created, json!({ "billing": null })).await;
    books.sandbox.put(&path(&payment), json!({ "status": "void" })).await.expect(200);
    books.pay(&invoice, 10.0, "failed").await;
    assert_eq!(books.invoices(&created).await[0]["overdue"], json!(true));
    let target = format!("/subscriptions/{}", id(&created));
    books.sandbox.request("DELETE", &target).send().await.refused(409, "has_open_invoices");
    let billed = books.put(&created, json!({ "billing": {} })).await;
    assert_eq!((&billed["status"], &billed["billing"]["overdue_invoices"]), (&json!("past_due"), &json!(1)));
    books.pay(&invoice, 10.0, "completed").await;
    assert_eq!(books.read(&created).await["status"], "active");
}

#[tokio::test]
async fn a_subscription_that_starts_with_an_overdue_invoice_is_past_due() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("free", json!({ "price": 0 })).await;
    let pending = json!({ "starts_at": "2026-04-03T00:00:00Z", "billing": { "payment_method": "test_fail" } });
    let created = books.subscribe_with("free", pending).await;
    let body = json!({ "subscription_id": created["id"], "lines": [{ "description": "Setup", "unit_price": 5 }] });
    let invoice = books.sandbox.post("/invoices", body).await.expect(201).data().clone();
    books.act(&invoice, "finalize").await.expect(200);
    assert_eq!(books.read(&created).await["billing"]["overdue_invoices"], json!(1));
    books.advance("2026-04-03T00:00:00Z").await;
    assert_eq!(books.read(&created).await["status"], "past_due");
    books.pay(&invoice, 5.0, "completed").await;
    assert_eq!(books.read(&created).await["status"], "active");
    for kind in ["subscription.started", "subscription.recovered"] {
        assert_eq!(books.sandbox.events(kind, 1).await.len(), 1, "{kind}");
    }
}
