//! Section 21 of the API rules (`docs/api.md`): each event of dunning has the invoice as it was after that event.

use super::cycles::{Books, id};
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

/// The next action can change without an event, and with it the representation.
#[tokio::test]
async fn the_entity_tag_of_an_invoice_changes_with_its_next_action() {
    let app = TestApp::start().await;
    let books = unpaid(&app, json!({ "retry_days": [1, 3], "grace_days": 7, "then": "unpaid" })).await;
    let invoice = books.sandbox.get("/invoices").await.expect(200).data()[0].clone();
    books.pay(&invoice, 10.0, "processing").await;
    let path = format!("/invoices/{}", id(&invoice));
    let read = async |tag: &str| books.sandbox.request("GET", &path).header("if-none-match", tag).send().await;
    let first = books.sandbox.get(&path).await.expect(200);
    read(first.header("etag")).await.expect(304);
    // The attempt is skipped while the payment is processing.
    books.advance("2026-04-02T01:00:00Z").await;
    let second = read(first.header("etag")).await.expect(200);
    let changed = ["attempts", "updated_at", "next_action_at"].map(|name| first.data()[name] != second.data()[name]);
    assert_eq!(changed, [false, false, true]);
    read(second.header("etag")).await.expect(304);
    books.sandbox.delete(&format!("/users/{}", books.user)).await.expect(200);
    let third = read(second.header("etag")).await.expect(200);
    assert_eq!(third.data()["next_action"], Value::Null);
}

#[tokio::test]
async fn a_condition_compares_the_revision_and_not_the_next_action() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    let created = books.subscribe("pro", json!({ "collection": "manual" })).await;
    let lines = json!([{ "description": "Item", "unit_price": 5 }]);
    let body = json!({ "subscription_id": created["id"], "lines": lines });
    let draft = books.sandbox.post("/invoices", body).await.expect(201);
    let (revision, _) = draft.header("etag").trim_matches('"').split_once('.').unwrap();
    let path = format!("/invoices/{}", id(draft.data()));
    let put =
        |tag: String| books.sandbox.request("PUT", &path).header("if-match", tag).json(&json!({ "memo": "Hi" })).send();
    let updated = put(format!("\"{revision}.77\"")).await.expect(200);
    assert_eq!(updated.header("etag"), books.sandbox.get(&path).await.expect(200).header("etag"));
    put(draft.header("etag").to_owned()).await.refused(412, "stale");
}
