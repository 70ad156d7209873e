//! Several changes of a plan, and credit notes between them.

use super::cycles::{Books, amounts, id, pairs};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

async fn rate(books: &Books<'_>, percentage: i64) -> Value {
    let body = json!({ "name": "VAT", "percentage": percentage });
    books.sandbox.post("/tax-rates", body).await.expect(201).data()["id"].clone()
}

#[tokio::test]
async fn a_change_reverses_the_tax_of_the_note_that_pays_for_the_period() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    let (high, low) = (rate(&books, 19).await, rate(&books, 7).await);
    let plan = async |slug: &str, price: i64, behavior: &str, rates: Value| {
        let billing = json!({ "tax_behavior": behavior, "tax_rate_ids": rates });
        books.plan(slug, json!({ "price": price, "billing": billing })).await;
    };
    plan("large", 90, "exclusive", json!([high])).await;
    plan("small", 30, "inclusive", json!([low])).await;
    plan("medium", 60, "exclusive", json!([])).await;
    let created = books.subscribe("large", json!({ "payment_method": "test_ok" })).await;
    books.advance("2026-04-11T00:00:00Z").await;
    books.put(&created, json!({ "subscription_plan_id": "small" })).await;
    books.advance("2026-04-21T00:00:00Z").await;
    books.put(&created, json!({ "subscription_plan_id": "medium" })).await;
    let invoices = books.invoices(&created).await;
    let (line, total) = (&invoices[1]["lines"][0], &invoices[1]["total"]);
    assert_eq!((&line["kind"], &line["amount"], total), (&json!("proration_credit"), &json!(-10), &json!(10)));
    assert_eq!((&line["tax_behavior"], &line["tax_rate_ids"]), (&json!("inclusive"), &json!([low])));
    // The next change reverses a line of that invoice.
    books.put(&created, json!({ "subscription_plan_id": "large" })).await;
    let invoices = books.invoices(&created).await;
    assert_eq!(invoices[2]["lines"][0]["tax_rate_ids"], json!([]));
}

#[tokio::test]
async fn what_pays_for_a_new_period_is_credited_once() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("monthly", json!({})).await;
    books.plan("yearly", json!({ "price": 120, "billing_cycle": "yearly" })).await;
    let created = books.subscribe("monthly", json!({ "payment_method": "test_ok" })).await;
    books.advance("2026-04-16T00:00:00Z").await;
    books.put(&created, json!({ "subscription_plan_id": "yearly" })).await;
    let invoices = books.invoices(&created).await;
    assert_eq!((&invoices[1]["total"], &invoices[1]["status"]), (&json!(115), &json!("paid")));
    let note = json!({ "invoice_id": invoices[1]["id"], "amount": 115 });
    books.sandbox.post("/credit-notes", note).await.expect(201);
    books.put(&created, json!({ "status": "expired", "billing": { "prorate": true } })).await;
    // 125.00 were paid.
    assert_eq!(books.balance().await, json!([{ "currency": "USD", "amount": 120 }]));
}

#[tokio::test]
async fn a_note_of_a_new_period_leaves_what_it_did_not_credit() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("monthly", json!({})).await;
    books.plan("yearly", json!({ "price": 120, "billing_cycle": "yearly" })).await;
    books.plan("cheap", json!({ "price": 12, "billing_cycle": "yearly" })).await;
    let created = books.subscribe("monthly", json!({ "payment_method": "test_ok" })).await;
    books.advance("2026-04-16T00:00:00Z").await;
    for plan in ["yearly", "cheap", "yearly"] {
        books.put(&created, json!({ "subscription_plan_id": plan })).await;
    }
    let invoices = books.invoices(&created).await;
    let last = invoices.last().unwrap();
    assert_eq!((&last["total"], &last["credit_applied"]), (&json!(108), &json!(108)));
    let credit = |amount: i64| json!({ "invoice_id": last["id"], "amount": amount });
    books.sandbox.post("/credit-notes?dry_run=true", credit(108)).await.expect(200);
    books.sandbox.post("/credit-notes?dry_run=true", credit(109)).await.refused(409, "credit_exceeds_invoice");
}

#[tokio::test]
async fn a_conversion_to_another_plan_takes_the_currency_of_that_plan() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("dollars", json!({})).await;
    books.plan("euros", json!({ "currency": "EUR" })).await;
    let created = books.subscribe_with("dollars", json!({})).await;
    let path = format!("/subscriptions/{}", id(&created));
    let convert = |next: &str| {
        let change = json!({ "subscription_plan_id": next, "quantity": 2 });
        json!({ "subscription_plan_id": "euros", "billing": { "payment_method": "test_ok", "change": change } })
    };
    let refused = books.sandbox.put(&path, convert("dollars")).await.refused(422, "inconsistent");
    assert_eq!(refused.faults(), ["/billing/change/subscription_plan_id inconsistent"]);
    books.sandbox.put(&path, convert("euros")).await.expect(200);
}

#[tokio::test]
async fn a_change_to_a_retired_plan_is_rejected_in_the_update_that_begins_the_period() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    books.plan("old", json!({ "is_active": false })).await;
    let trial = json!({ "trial_ends_at": "2026-04-10T00:00:00Z", "payment_method": "test_ok" });
    let created = books.subscribe("pro", trial).await;
    let path = format!("/subscriptions/{}", id(&created));
    let start = |next: &str| json!({ "status": "active", "billing": { "change": { "subscription_plan_id": next } } });
    books.sandbox.put(&path, start("old")).await.refused(409, "plan_inactive");
    let plan = books.plan("new", json!({})).await;
    let started = books.sandbox.put(&path, start("new")).await.expect(200);
    assert_eq!(started.data()["subscription_plan_id"], plan["id"]);
}

#[tokio::test]
async fn usage_is_late_after_its_window_also_if_the_last_plan_of_the_window_has_no_charges() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-05-01T00:00:00Z").await;
    books.sandbox.post("/meters", json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
    let charge = json!({ "meter_id": "calls", "name": "Calls", "model": "per_unit", "unit_price": 1 });
    books.plan("metered", json!({ "billing": { "charges": [charge] } })).await;
    books.plan("flat", json!({})).await;
    let created = books.subscribe("metered", json!({ "payment_method": "test_ok" })).await;
    let send = async |name: &str, at: &str| {
        let event = json!({ "id": name, "subscription_id": created["id"], "meter": "calls", "value": 3, "at": at });
        books.sandbox.post("/usage-events", json!({ "events": [event] })).await.expect(200).data().clone()
    };
    books.advance("2026-05-15T00:00:00Z").await;
    send("a", "2026-05-14T00:00:00Z").await;
    books.put(&created, json!({ "subscription_plan_id": "flat" })).await;
    books.advance("2026-06-01T02:00:00Z").await;
    let issued = books.invoices(&created).await.pop().unwrap();
    assert_eq!(amounts(&issued), pairs(&[("fee", "10"), ("usage", "3")]));
    assert_eq!(send("b", "2026-05-20T00:00:00Z").await["late"], json!(["b"]));
}

#[tokio::test]
async fn own_tax_rates_of_an_item_apply_if_the_user_is_exempt_only_while_it_is_a_draft() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    let rate = rate(&books, 19).await;
    books.plan("pro", json!({ "price": 0 })).await;
    let created = books.subscribe("pro", json!({})).await;
    let profile = format!("/users/{}/billing-profile", books.user);
    books.sandbox.put(&profile, json!({ "tax_exempt": true })).await.expect(200);
    let line = json!({ "description": "Setup", "unit_price": 100, "tax_rate_ids": [rate] });
    let body = json!({ "subscription_id": created["id"], "lines": [line] });
    let draft = books.sandbox.post("/invoices", body).await.expect(201).data().clone();
    assert_eq!((&draft["total"], &draft["lines"][0]["tax_rate_ids"]), (&json!(100), &json!([])));
    books.sandbox.put(&profile, json!({ "tax_exempt": false })).await.expect(200);
    let issued = books.act(&draft, "finalize").await.expect(200);
    assert_eq!((&issued.data()["total"], &issued.data()["lines"][0]["tax_rate_ids"]), (&json!(119), &json!([rate])));
}

#[tokio::test]
async fn a_draft_keeps_a_tax_rate_that_became_inactive_while_the_user_is_exempt() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    let (named, other) = (rate(&books, 19).await, rate(&books, 7).await);
    books.plan("pro", json!({ "price": 0 })).await;
    let created = books.subscribe("pro", json!({})).await;
    let profile = format!("/users/{}/billing-profile", books.user);
    books.sandbox.put(&profile, json!({ "tax_exempt": true })).await.expect(200);
    let lines = |rate: &Value| json!([{ "description": "Setup", "unit_price": 100, "tax_rate_ids": [rate] }]);
    let body = json!({ "subscription_id": created["id"], "lines": lines(&named) });
    let draft = books.sandbox.post("/invoices", body).await.expect(201).data().clone();
    for rate in [&named, &other] {
        let target = format!("/tax-rates/{}", rate.as_str().unwrap());
        books.sandbox.put(&target, json!({ "is_active": false })).await.expect(200);
    }
    let target = format!("/invoices/{}", id(&draft));
    let refused = books.sandbox.put(&target, json!({ "lines": lines(&other) })).await.refused(422, "not_found");
    assert_eq!(refused.faults(), ["/lines/0/tax_rate_ids/0 not_found"]);
    books.sandbox.put(&target, json!({ "lines": lines(&named) })).await.expect(200);
    books.sandbox.put(&profile, json!({ "tax_exempt": false })).await.expect(200);
    assert_eq!(books.act(&draft, "finalize").await.expect(200).data()["total"], json!(119));
}
