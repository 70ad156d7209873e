//! API rules 23 (`docs/api.md`): credit notes of invoices.

use super::cycles::{Books, id};
use super::issued::Issued;
use perennial_testkit::{TestApp, all_at_once};
use serde_json::{Value, json};

#[tokio::test]
async fn p27_notes_reduce_what_is_due_until_nothing_is_left() {
    let issued = Issued::start().await;
    let invoice = issued.sixty().await;
    assert_eq!((&invoice["total"], &invoice["status"]), (&json!(60), &json!("open")));
    let note = issued.credit(&invoice, json!({ "amount": 20, "reason": "Goodwill" })).await;
    assert_eq!((&note["number"], &note["invoice_number"]), (&json!("CRN-000001"), &invoice["number"]));
    assert_eq!((&note["subtotal"], &note["tax"], &note["total"]), (&json!(20), &json!(4), &json!(24)));
    assert_eq!((&note["applied_amount"], &note["balance_amount"]), (&json!(24), &json!(0)));
    assert_eq!((&note["settlement"], &note["reason"]), (&json!("balance"), &json!("Goodwill")));
    let after = issued.invoice(&invoice["id"]).await;
    assert_eq!((&after["status"], &after["amount_due"]), (&json!("open"), &json!(36)));
    assert_eq!((&after["amount_credited"], &after["credited_total"]), (&json!(24), &json!(24)));
    let note = issued.credit(&invoice, json!({ "amount": 30 })).await;
    assert_eq!((&note["total"], &note["number"]), (&json!(36), &json!("CRN-000002")));
    let after = issued.invoice(&invoice["id"]).await;
    assert_eq!((&after["status"], &after["amount_due"]), (&json!("paid"), &json!(0)));
    assert!(after["paid_at"].is_string());
    issued.try_credit(&invoice, json!({ "amount": 0.01 })).await.refused(409, "credit_exceeds_invoice");
    assert_eq!(issued.balances().await, json!([]));
    assert_eq!(issued.events("credit_note.").await, ["credit_note.created", "credit_note.created"]);
    let kinds = issued.events("invoice.").await;
    assert_eq!(kinds[kinds.len() - 2..], ["invoice.updated", "invoice.paid"]);
}

#[tokio::test]
async fn a_note_has_every_member_of_its_record() {
    let issued = Issued::start().await;
    let invoice = issued.sixty().await;
    let note = issued.credit(&invoice, json!({ "lines": [{ "line": 0, "amount": 10 }] })).await;
    let members: Vec<&String> = note.as_object().unwrap().keys().collect();
    let expected = [
        "id",
        "number",
        "invoice_id",
        "invoice_number",
        "subscription_id",
        "user_id",
        "currency",
        "lines",
        "subtotal",
        "discount",
        "taxes",
        "tax",
        "tax_included",
        "total",
        "reason",
        "settlement",
        "refund_reference",
        "applied_amount",
        "balance_amount",
        "issued_at",
        "seller",
        "buyer",
        "created_at",
    ];
    for name in expected {
        assert!(members.iter().any(|member| *member == name), "{name} is missing: {members:?}");
    }
    assert_eq!(members.len(), expected.len());
    assert_eq!(note["lines"].as_array().unwrap().len(), 1);
    assert_eq!((&note["lines"][0]["description"], &note["lines"][0]["amount"]), (&json!("Setup"), &json!(10)));
    assert_eq!(note["reason"], Value::Null);
    let read = issued.app.get(&format!("/credit-notes/{}", note["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(read.data(), &note);
}

#[tokio::test]
async fn what_is_paid_goes_to_the_balance_or_is_refunded() {
    let issued = Issued::start().await;
    let path = format!("/users/{}/credits", issued.user);
    issued.app.post(&path, &json!({ "currency": "USD", "amount": 50 })).await.expect(201);
    // The balance pays 50.00. 10.00 are due: they are credited first.
    issued.app.advance(1);
    let invoice = issued.sixty().await;
    issued.app.advance(1);
    assert_eq!((&invoice["credit_applied"], &invoice["amount_due"]), (&json!(50), &json!(10)));
    let note = issued.credit(&invoice, json!({ "amount": 20 })).await;
    assert_eq!((&note["applied_amount"], &note["balance_amount"]), (&json!(10), &json!(14)));
    assert_eq!(issued.balances().await, json!([{ "currency": "USD", "amount": 14 }]));
    assert_eq!(issued.invoice(&invoice["id"]).await["status"], "paid");
    let refund = json!({ "amount": 10, "settlement": "refund", "refund_reference": "re_1" });
    let note = issued.credit(&invoice, refund).await;
    assert_eq!((&note["applied_amount"], &note["balance_amount"]), (&json!(0), &json!(0)));
    assert_eq!((&note["refund_reference"], &note["total"]), (&json!("re_1"), &json!(12)));
    assert_eq!(issued.balances().await, json!([{ "currency": "USD", "amount": 14 }]));
    let credits = issued.app.get(&path).await.expect(200);
    let reasons: Vec<&Value> = credits.data().as_array().unwrap().iter().map(|entry| &entry["reason"]).collect();
    assert_eq!(reasons, ["credit_note", "applied", "adjustment"]);
    let entry = &credits.data()[0];
    assert!(entry["record_id"].as_str().unwrap().starts_with("crn_"), "{entry}");
    let after = issued.invoice(&invoice["id"]).await;
    assert_eq!((&after["amount_credited"], &after["credited_total"]), (&json!(10), &json!(36)));
}

#[tokio::test]
async fn invalid_notes_are_rejected_and_change_nothing() {
    let issued = Issued::start().await;
    let invoice = issued.sixty().await;
    let draft = issued.draft(json!([{ "description": "Later", "unit_price": 5 }])).await;
    let before = issued.invoice(&invoice["id"]).await;
    let unknown = json!({ "id": "inv_01h455vb4pex5vsknk084sn02q" });
    for (target, body, code) in [
        (&draft, json!({ "amount": 1 }), "inconsistent"),
        (&unknown, json!({ "amount": 1 }), "not_found"),
        (&invoice, json!({}), "required"),
        (&invoice, json!({ "amount": 1, "lines": [{ "line": 0, "amount": 1 }] }), "inconsistent"),
        (&invoice, json!({ "amount": 0 }), "out_of_range"),
        (&invoice, json!({ "amount": -1 }), "out_of_range"),
        (&invoice, json!({ "amount": 0.001 }), "too_many_decimals"),
        (&invoice, json!({ "lines": [] }), "too_short"),
        (&invoice, json!({ "lines": [{ "line": 1, "amount": 1 }] }), "out_of_range"),
        (&invoice, json!({ "lines": [{ "line": 0, "amount": 0 }] }), "out_of_range"),
        (&invoice, json!({ "lines": [{ "line": 0 }] }), "required"),
        (&invoice, json!({ "amount": 1, "settlement": "cash" }), "unknown_value"),
        (&invoice, json!({ "amount": 1, "reason": "x".repeat(256) }), "too_long"),
        (&invoice, json!({ "amount": 1, "number": "CRN-9" }), "read_only_field"),
    ] {
        let answer = issued.try_credit(target, body.clone()).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.json);
        assert!(answer.faults().iter().any(|fault| fault.ends_with(code)), "{body}: {:?}", answer.faults());
    }
    issued.try_credit(&invoice, json!({ "amount": 50.01 })).await.refused(409, "credit_exceeds_invoice");
    issued
        .try_credit(&invoice, json!({ "lines": [{ "line": 0, "amount": 50.01 }] }))
        .await
        .refused(409, "credit_exceeds_invoice");
    assert_eq!(issued.invoice(&invoice["id"]).await, before);
    // No number was used.
    assert_eq!(issued.credit(&invoice, json!({ "amount": 1 })).await["number"], "CRN-000001");
}

#[tokio::test]
async fn an_invalid_note_is_rejected_with_all_errors() {
    let issued = Issued::start().await;
    let required = ["/invoice_id required", "/amount required"];
    assert_eq!(issued.app.post("/credit-notes", &json!({})).await.expect(422).faults(), required);
    let unknown = json!({ "invoice_id": "inv_01h455vb4pex5vsknk084sn02q", "settlement": "cash" });
    let refused = issued.app.post("/credit-notes", &unknown).await.expect(422);
    assert_eq!(refused.faults(), ["/settlement unknown_value", "/amount required", "/invoice_id not_found"]);
    // What was sent and is invalid is not missing.
    for (field, value) in [("amount", json!("1")), ("lines", json!([])), ("lines", json!([{ "line": 0 }]))] {
        let faults = issued.app.post("/credit-notes", &json!({ field: value })).await.expect(422).faults();
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults.contains(&"/invoice_id required".to_owned()), "{faults:?}");
    }
    assert_eq!(issued.app.post("/credit-notes", &json!([])).await.expect(422).faults().len(), 1);
}

#[tokio::test]
async fn a_void_invoice_cannot_be_credited_and_a_credited_one_not_voided() {
    let issued = Issued::start().await;
    let invoice = issued.sixty().await;
    let path = format!("/invoices/{}/void", invoice["id"].as_str().unwrap());
    issued.credit(&invoice, json!({ "amount": 1 })).await;
    issued.app.request("POST", &path).send().await.refused(409, "has_payments");
    let other = issued.sixty().await;
    let path = format!("/invoices/{}/void", other["id"].as_str().unwrap());
    issued.app.request("POST", &path).send().await.expect(200);
    let answer = issued.try_credit(&other, json!({ "amount": 1 })).await.expect(422);
    assert_eq!(answer.faults(), ["/invoice_id inconsistent"]);
}

#[tokio::test]
async fn any_pieces_add_up_to_the_invoice() {
    let issued = Issued::start().await;
    let (nineteen, seven) = (issued.tax_rate(19).await, issued.tax_rate(7).await);
    let lines = json!([
        { "description": "A", "unit_price": 9.99, "tax_rate_ids": [nineteen] },
        { "description": "B", "unit_price": 3.33, "tax_rate_ids": [seven], "tax_behavior": "inclusive" },
        { "description": "C", "quantity": 3, "unit_price": 1.11, "tax_rate_ids": [nineteen, seven] },
    ]);
    let invoice = issued.issue(lines).await;
    for amount in [0.01, 1.0, 3.33, 5.55] {
        issued.credit(&invoice, json!({ "amount": amount })).await;
    }
    // 16.65 in all.
    issued.credit(&invoice, json!({ "amount": 6.76 })).await;
    issued.try_credit(&invoice, json!({ "amount": 0.01 })).await.refused(409, "credit_exceeds_invoice");
    let after = issued.invoice(&invoice["id"]).await;
    assert_eq!((&after["credited_total"], &after["amount_credited"]), (&invoice["total"], &invoice["total"]));
    assert_eq!((&after["status"], &after["amount_due"]), (&json!("paid"), &json!(0)));
    let notes = issued.app.get("/credit-notes").await.expect(200);
    for note in notes.data().as_array().unwrap() {
        #[expect(clippy::cast_possible_truncation, reason = "small amounts")]
        let cents = |value: &Value| (value.as_f64().unwrap() * 100.0).round() as i64;
        let lines: i64 = note["lines"].as_array().unwrap().iter().map(|line| cents(&line["amount"])).sum();
        assert_eq!(lines, cents(&note["subtotal"]), "{note}");
        let taxes: i64 = note["taxes"].as_array().unwrap().iter().map(|tax| cents(&tax["amount"])).sum();
        assert_eq!(taxes, cents(&note["tax"]), "{note}");
    }
}

#[tokio::test]
async fn a_retry_with_the_same_key_credits_once() {
    let issued = Issued::start().await;
    let invoice = issued.sixty().await;
    let body = json!({ "invoice_id": invoice["id"], "amount": 20 });
    let send = || issued.app.request("POST", "/credit-notes").header("idempotency-key", "k").json(&body).send();
    let (first, second) = (send().await.expect(201), send().await.expect(201));
    assert_eq!(first.json, second.json);
    assert_eq!(second.header("idempotency-replayed"), "true");
    assert_eq!(first.header("location"), format!("/credit-notes/{}", first.data()["id"].as_str().unwrap()));
    assert_eq!(issued.invoice(&invoice["id"]).await["amount_due"], 36);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_notes_at_once_never_exceed_the_invoice() {
    let issued = Issued::start().await;
    let invoice = issued.sixty().await;
    let second = issued.app.second_server().await;
    let body = json!({ "invoice_id": invoice["id"], "amount": 3 });
    let requests = (0..100).map(|index| match &second {
        Some(other) if index % 2 == 1 => other.request("POST", "/credit-notes").json(&body),
        _ => issued.app.request("POST", "/credit-notes").json(&body),
    });
    let answers = all_at_once(requests).await;
    let count = |status: u16| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!((count(201), count(409)), (16, 84), "50.00 has 3.00 sixteen times");
    assert!(
        answers
            .iter()
            .filter(|answer| answer.status == 409)
            .all(|answer| answer.json["code"] == "credit_exceeds_invoice")
    );
    let after = issued.invoice(&invoice["id"]).await;
    assert_eq!((&after["credited_total"], &after["amount_due"]), (&json!(57.6), &json!(2.4)));
    let notes = issued.app.get("/credit-notes?limit=200").await.expect(200);
    let mut numbers: Vec<&str> =
        notes.data().as_array().unwrap().iter().map(|note| note["number"].as_str().unwrap()).collect();
    numbers.sort_unstable();
    let expected: Vec<String> = (1..=16).map(|n| format!("CRN-{n:06}")).collect();
    assert_eq!(numbers, expected, "without gaps");
}

#[tokio::test]
async fn notes_are_listed_newest_first_and_filtered() {
    let issued = Issued::start().await;
    let (one, other) = (issued.sixty().await, issued.sixty().await);
    let mut ids = Vec::new();
    for invoice in [&one, &other, &one] {
        issued.app.advance(1);
        ids.insert(0, issued.credit(invoice, json!({ "amount": 1 })).await["id"].clone());
    }
    let list = async |query: &str| -> Vec<Value> {
        let answer = issued.app.get(&format!("/credit-notes{query}")).await.expect(200);
        answer.data().as_array().unwrap().iter().map(|note| note["id"].clone()).collect()
    };
    assert_eq!(list("").await, ids);
    assert_eq!(list(&format!("?invoice_id={}", one["id"].as_str().unwrap())).await, [ids[0].clone(), ids[2].clone()]);
    assert_eq!(list(&format!("?user_id={}", issued.user)).await, ids);
    assert_eq!(list(&format!("?subscription_id={}", issued.subscription)).await, ids);
    assert_eq!(list("?user_id=usr_01h455vb4pex5vsknk084sn02q").await, Vec::<Value>::new());
    let first = issued.app.get("/credit-notes?limit=2").await.expect(200);
    let cursor = first.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(list(&format!("?limit=2&cursor={cursor}")).await, [ids[2].clone()]);
    issued.app.get("/credit-notes?invoice_id=nonsense").await.refused(400, "invalid_parameter");
    issued.app.get("/credit-notes/crn_01h455vb4pex5vsknk084sn02q").await.refused(404, "not_found");
}

#[tokio::test]
async fn no_event_names_the_buyer() {
    let issued = Issued::start().await;
    let profile = json!({ "name": "Canary Buyer", "email": "canary@example.com", "address": ["Canary Street"] });
    issued.app.put(&format!("/users/{}/billing-profile", issued.user), &profile).await.expect(200);
    let invoice = issued.sixty().await;
    let note = issued.credit(&invoice, json!({ "amount": 1 })).await;
    assert_eq!(note["buyer"]["name"], "Canary Buyer");
    for event in issued.app.events().await {
        let text = format!("{:?} {:?}", event.before, event.after);
        assert!(!text.to_lowercase().contains("canary"), "{}", event.kind.as_str());
    }
}

/// The books of P4: 10.00 a month from April 1, not paid.
async fn small_and_large(app: &TestApp) -> (Books<'_>, Value) {
    let books = Books::at(app, "2026-04-01T00:00:00Z").await;
    books.plan("small", json!({})).await;
    books.plan("large", json!({ "price": 20 })).await;
    let subscription = books.subscribe("small", json!({ "collection": "manual" })).await;
    (books, subscription)
}

#[tokio::test]
async fn what_a_note_credits_of_a_fee_is_not_credited_again_by_a_change() {
    let app = TestApp::start().await;
    let (books, subscription) = small_and_large(&app).await;
    let first = books.invoices(&subscription).await[0].clone();
    let note = json!({ "invoice_id": id(&first), "amount": 4 });
    books.sandbox.post("/credit-notes", note).await.expect(201);
    books.advance("2026-04-16T00:00:00Z").await;
    books.put(&subscription, json!({ "subscription_plan_id": "large" })).await;
    let change = books.invoices(&subscription).await[1].clone();
    // Half of the 6.00 that are left, not of 10.00.
    assert_eq!((&change["lines"][0]["amount"], &change["lines"][1]["amount"]), (&json!(-3), &json!(10)), "{change}");
    // Of 10.00 − 3.00 + 10.00 in the period, 4.00 are credited: the rest can be credited, and no more.
    let credit = |invoice: &Value, amount: i64| json!({ "invoice_id": id(invoice), "amount": amount });
    books.sandbox.post("/credit-notes", credit(&change, 8)).await.refused(409, "credit_exceeds_invoice");
    books.sandbox.post("/credit-notes", credit(&change, 7)).await.expect(201);
    books.sandbox.post("/credit-notes", credit(&first, 7)).await.refused(409, "credit_exceeds_invoice");
    books.sandbox.post("/credit-notes", credit(&first, 6)).await.expect(201);
}

#[tokio::test]
async fn p31_a_source_of_credit_cannot_become_void_and_a_payment_of_a_void_invoice_is_a_balance() {
    let app = TestApp::start().await;
    let (books, subscription) = small_and_large(&app).await;
    books.advance("2026-04-16T00:00:00Z").await;
    books.put(&subscription, json!({ "subscription_plan_id": "large" })).await;
    let invoices = books.invoices(&subscription).await;
    books.act(&invoices[0], "void").await.refused(409, "has_payments");
    let payment = books.pay(&invoices[1], 5.0, "processing").await;
    books.act(&invoices[1], "void").await.expect(200);
    let target = format!("/subscription-payments/{}", id(&payment));
    books.sandbox.put(&target, json!({ "status": "completed" })).await.expect(200);
    assert_eq!(books.invoices(&subscription).await[1]["status"], "void");
    assert_eq!(books.balance().await, json!([{ "currency": "USD", "amount": 5 }]));
}

#[tokio::test]
async fn the_note_of_a_change_has_a_document_and_a_number() {
    let app = TestApp::start().await;
    let (books, _) = small_and_large(&app).await;
    let subscription = books.subscribe("large", json!({ "collection": "manual" })).await;
    books.advance("2026-04-16T00:00:00Z").await;
    books.put(&subscription, json!({ "subscription_plan_id": "small" })).await;
    let target = format!("/credit-notes?subscription_id={}", id(&subscription));
    let notes = books.sandbox.get(&target).await.expect(200).data().clone();
    let note = &notes[0];
    assert_eq!((&note["invoice_id"], &note["reason"], &note["total"]), (&Value::Null, &json!("change"), &json!(5)));
    assert_eq!((&note["number"], &note["applied_amount"]), (&json!("TEST-CRN-000001"), &json!(5)));
    let document = books.sandbox.get(&format!("/credit-notes/{}/document", id(note))).await.expect(200);
    let html = String::from_utf8_lossy(&document.bytes).into_owned();
    assert!(html.contains("TEST-CRN-000001") && html.contains(">TEST<"), "{html}");
    let first = books.invoices(&subscription).await[0].clone();
    assert_eq!((&first["amount_due"], &first["amount_credited"]), (&json!(15), &json!(5)));
}
