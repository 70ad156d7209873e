//! Section 21 of the API rules (`docs/api.md`): each event of dunning has the invoice as it was after that event.

use super::cycles::Books;
use perennial_testkit::TestApp;
use serde_json::{Value, json};

async fn unpaid(app: &TestApp, dunning: Value) -> Books<'_> {
    let books = Books::at(app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({ "billing": { "dunning": dunning } })).await;
    books.subscribe("pro", json!({ "payment_method": "pm_1" })).await;
    books
}

/// The event of this number, from 1.
async fn event(books: &Books<'_>, event_type: &str, number: usize) -> Value {
    books.sandbox.events(event_type, number).await[number - 1].clone()
}

fn state(invoice: &Value) -> Value {
    json!([invoice["status"], invoice["overdue"], invoice["next_action"]])
}

#[tokio::test]
async fn a_deadline_makes_an_invoice_overdue_before_it_is_given_up() {
    for (then, kind, after) in [
        ("expire", "invoice.uncollectible", json!(["uncollectible", false, null])),
        ("unpaid", "invoice.updated", json!(["open", true, null])),
    ] {
        let app = TestApp::start().await;
        let books = unpaid(&app, json!({ "retry_days": [], "grace_days": 2, "then": then })).await;
        books.advance("2026-04-04T00:00:00Z").await;
        let overdue = event(&books, "invoice.overdue", 1).await;
        assert_eq!(state(&overdue["before"]), json!(["open", false, "deadline"]));
        assert_eq!(state(&overdue["data"]), json!(["open", true, "deadline"]));
        let ended = event(&books, kind, 1).await;
        assert_eq!(state(&ended["before"]), json!(["open", true, "deadline"]));
        assert_eq!(state(&ended["data"]), after);
    }
}

#[tokio::test]
async fn an_attempt_comes_before_the_invoice_is_overdue() {
    let app = TestApp::start().await;
    let books = unpaid(&app, json!({ "retry_days": [1], "grace_days": 7, "then": "unpaid" })).await;
    books.advance("2026-04-03T00:00:00Z").await;
    let attempt = event(&books, "invoice.payment_due", 2).await;
    assert_eq!((&attempt["data"]["attempts"], &attempt["data"]["overdue"]), (&json!(2), &json!(false)));
    let overdue = event(&books, "invoice.overdue", 1).await;
    assert_eq!((&overdue["before"]["overdue"], &overdue["data"]["overdue"]), (&json!(false), &json!(true)));
}
