//! The end of a billed subscription, and what is credited then.

use super::cycles::{Books, id};
use perennial_testkit::{TestApp, all_at_once};
use serde_json::json;

#[tokio::test]
async fn an_incomplete_subscription_that_is_ended_has_a_void_invoice_and_no_credit() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    let fields = json!({ "status": "incomplete", "billing": { "payment_method": "pm_1" } });
    for prorate in [json!(true), json!(false)] {
        let created = books.subscribe_with("pro", fields.clone()).await;
        let target = format!("/subscriptions/{}?dry_run=true", id(&created));
        let body = json!({ "status": "expired", "billing": { "prorate": prorate } });
        let dry = books.sandbox.put(&target, body.clone()).await.expect(200);
        assert_eq!(dry.json["documents"]["credit_notes"], json!([]));
        let ended = books.put(&created, body).await;
        assert_eq!((&ended["status"], &ended["has_access"]), (&json!("expired"), &json!(false)));
        let invoices = books.invoices(&created).await;
        assert_eq!((invoices.len(), &invoices[0]["status"]), (1, &json!("void")));
    }
    // Something was paid: the invoice stays.
    let created = books.subscribe_with("pro", fields).await;
    books.pay(&books.invoices(&created).await[0], 4.0, "completed").await;
    books.put(&created, json!({ "status": "expired", "billing": { "prorate": true } })).await;
    assert_eq!(books.invoices(&created).await[0]["status"], json!("uncollectible"));
    assert_eq!(books.sandbox.get("/credit-notes").await.expect(200).data(), &json!([]));
    assert_eq!(books.balance().await, json!([]));
}

#[tokio::test]
async fn the_rest_of_a_period_is_credited_once() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({ "price": 30 })).await;
    let created = books.subscribe("pro", json!({ "payment_method": "test_ok" })).await;
    books.advance("2026-04-11T00:00:00Z").await;
    let target = format!("/subscriptions/{}", id(&created));
    let body = json!({ "status": "expired", "billing": { "prorate": true } });
    let put = || books.sandbox.request("PUT", &target).json(&body);
    for answer in all_at_once((0..4).map(|_| put())).await {
        assert_eq!(answer.expect(200).data()["status"], "expired");
    }
    let notes = books.sandbox.get("/credit-notes").await.expect(200).data().clone();
    assert_eq!((notes.as_array().unwrap().len(), &notes[0]["total"]), (1, &json!(20)));
    assert_eq!(books.balance().await, json!([{ "currency": "USD", "amount": 20 }]));
}

#[tokio::test]
async fn while_paused_the_time_after_the_pause_is_credited() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({ "price": 30 })).await;
    let created = books.subscribe("pro", json!({ "payment_method": "test_ok" })).await;
    books.advance("2026-04-11T00:00:00Z").await;
    books.put(&created, json!({ "status": "paused" })).await;
    // The period would have ended on 05-01.
    books.advance("2026-06-01T00:00:00Z").await;
    assert_eq!(books.invoices(&created).await.len(), 1, "nothing renews");
    books.put(&created, json!({ "status": "expired", "billing": { "prorate": true } })).await;
    assert_eq!(books.balance().await, json!([{ "currency": "USD", "amount": 20 }]));
}

#[tokio::test]
async fn of_changes_at_once_each_rest_is_billed_once() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("small", json!({})).await;
    books.plan("large", json!({ "price": 20 })).await;
    let created = books.subscribe("small", json!({ "payment_method": "test_ok" })).await;
    books.advance("2026-04-16T00:00:00Z").await;
    let target = format!("/subscriptions/{}", id(&created));
    let body = json!({ "subscription_plan_id": "large" });
    for answer in all_at_once((0..4).map(|_| books.sandbox.request("PUT", &target).json(&body))).await {
        answer.expect(200);
    }
    books.settle().await;
    let invoices = books.invoices(&created).await;
    assert_eq!((invoices.len(), &invoices[1]["total"]), (2, &json!(5)));
}

#[tokio::test]
async fn an_invoice_of_a_deleted_subscription_can_be_voided() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    for (action, status) in [("void", "void"), ("mark-uncollectible", "uncollectible")] {
        let created = books.subscribe("pro", json!({ "payment_method": "test_ok" })).await;
        let invoice = books.invoices(&created).await[0].clone();
        books.sandbox.request("DELETE", &format!("/subscriptions/{}", id(&created))).send().await.expect(200);
        let payments =
            books.sandbox.get(&format!("/subscription-payments?invoice_id={}", id(&invoice))).await.expect(200);
        let payment = format!("/subscription-payments/{}", id(&payments.data()[0]));
        books.sandbox.put(&payment, json!({ "status": "void" })).await.expect(200);
        assert_eq!(books.invoices(&created).await[0]["status"], "open");
        books.act(&invoice, &format!("{action}?dry_run=true")).await.expect(200);
        assert_eq!(books.act(&invoice, action).await.expect(200).data()["status"], status);
    }
}
