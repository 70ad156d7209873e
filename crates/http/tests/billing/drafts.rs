//! Section 21 of the API rules: updates of drafts, retries of actions, and the order of invoices of one instant.

use super::invoices::free_subscription;
use crate::test_clocks::support::Sandbox;
use perennial_testkit::TestApp;
use serde_json::{Value, json};

async fn draft(place: &TestApp, subscription: &Value) -> Value {
    let lines = json!([{ "description": "Item", "unit_price": 5, "quantity": 3 }]);
    let body = json!({ "subscription_id": subscription["id"], "lines": lines });
    place.post("/invoices", &body).await.expect(201).data().clone()
}

fn path(invoice: &Value) -> String {
    format!("/invoices/{}", invoice["id"].as_str().unwrap())
}

#[tokio::test]
async fn read_only_fields_of_a_draft_can_only_be_sent_back_unchanged() {
    let place = TestApp::start().await;
    let subscription = free_subscription(&place).await;
    place.post("/tax-rates", &json!({ "name": "VAT", "percentage": 19 })).await.expect(201);
    let created = draft(&place, &subscription).await;
    // The whole record changes nothing, whatever the spelling of its values.
    let mut whole = created.clone();
    whole["total"] = serde_json::from_str("15.00").unwrap();
    whole["updated_at"] = json!("2001-01-01T00:00:00Z");
    assert_eq!(place.put(&path(&created), &whole).await.expect(200).data(), &created);
    for (field, value) in [
        ("total", json!(16)),
        ("status", json!("open")),
        ("number", json!("INV-1")),
        ("id", json!("inv_01h455vb4pex5vsknk084sn02q")),
        ("amount_due", json!("15")),
        ("seller", json!({ "name": "Eve" })),
        ("subscription_id", Value::Null),
        ("created_at", json!("2001-01-01T00:00:00Z")),
        ("taxes", json!([{}])),
    ] {
        let answer = place.put(&path(&created), &json!({ field: value })).await.expect(422);
        assert_eq!(answer.json["errors"][0]["code"], "read_only_field", "{field}");
        assert_eq!(answer.json["errors"][0]["pointer"], format!("/{field}"));
    }
    let body = json!({ "memo": "Hi", "lines": [{ "description": "B", "unit_price": 1 }] });
    let changed = place.put(&path(&created), &body).await.expect(200).data().clone();
    assert_eq!((&changed["total"], &changed["memo"]), (&json!(1), &json!("Hi")));
    // Errors of lines have their places.
    let bad = json!({ "lines": [{ "description": "B", "unit_price": 1.005 }], "extra": 1 });
    let answer = place.put(&path(&created), &bad).await.expect(422);
    assert_eq!(answer.faults().len(), 2, "{:?}", answer.faults());
    place.put(&path(&created), &json!({ "lines": "none" })).await.expect(422);
    place.put(&path(&created), &json!({ "lines": [] })).await.expect(422);
    assert_eq!(place.get(&path(&created)).await.expect(200).data(), &changed);
}

#[tokio::test]
async fn read_only_members_of_a_line_are_rejected_by_a_create_and_ignored_by_an_update() {
    let place = TestApp::start().await;
    let subscription = free_subscription(&place).await;
    let created = draft(&place, &subscription).await;
    let members: Vec<String> = created["lines"][0].as_object().unwrap().keys().cloned().collect();
    let settable = ["description", "quantity", "unit_price", "tax_behavior", "tax_rate_ids"];
    for name in members.iter().filter(|name| !settable.contains(&name.as_str())) {
        let lines =
            json!([{ "description": "A", "unit_price": 1 }, { "description": "B", "unit_price": 1, name: null }]);
        let body = json!({ "subscription_id": subscription["id"], "lines": lines });
        for target in ["/invoices", "/invoices?dry_run=true"] {
            let refused = place.post(target, &body).await.refused(422, "read_only_field");
            assert_eq!(refused.faults(), [format!("/lines/1/{name} read_only_field")]);
        }
    }
    // Lines of a response can be changed and sent back.
    let mut lines = created["lines"].clone();
    lines[0]["unit_price"] = json!(6);
    let changed = place.put(&path(&created), &json!({ "lines": lines })).await.expect(200);
    assert_eq!(changed.data()["lines"][0]["amount"], json!(18));
}

#[tokio::test]
async fn an_issued_invoice_rejects_every_update_but_invalid_input_first() {
    let place = TestApp::start().await;
    let subscription = free_subscription(&place).await;
    let created = draft(&place, &subscription).await;
    let issued = place.request("POST", &format!("{}/finalize", path(&created))).send().await.expect(200).data().clone();
    for body in [json!({ "memo": "x" }), json!({ "total": 1 }), json!({ "lines": [] }), issued] {
        place.put(&path(&created), &body).await.refused(409, "invoice_final");
    }
    place.put(&path(&created), &json!({ "surprise": 1 })).await.expect(422);
    place.put(&path(&created), &json!({ "memo": 5 })).await.expect(422);
}

#[tokio::test]
async fn an_action_with_a_key_is_done_once() {
    let place = TestApp::start().await;
    let subscription = free_subscription(&place).await;
    let created = draft(&place, &subscription).await;
    let tried = place.request("POST", &format!("{}/finalize?dry_run=true", path(&created))).send().await.expect(200);
    assert_eq!(tried.json["documents"]["invoices"][0]["status"], "open");
    assert_eq!(tried.json["documents"]["invoices"][0]["number"], Value::Null);
    let finalize = || place.request("POST", &format!("{}/finalize", path(&created))).header("idempotency-key", "k1");
    let first = finalize().send().await.expect(200);
    let again = finalize().send().await.expect(200);
    assert_eq!(again.data(), first.data());
    assert_eq!((first.header("idempotency-replayed"), again.header("idempotency-replayed")), ("", "true"));
    place.request("POST", &format!("{}/finalize", path(&created))).send().await.refused(409, "invalid_transition");
    let other = place.request("POST", &format!("{}/void", path(&created))).header("idempotency-key", "k1");
    other.send().await.refused(422, "idempotency_key_reused");
    let document = place.get("/openapi.json").await.expect(200).json;
    for action in ["finalize", "void", "mark-uncollectible"] {
        let parameters = document["paths"][format!("/invoices/{{id}}/{action}")]["post"]["parameters"].to_string();
        assert!(parameters.contains("idempotency-key") && !parameters.contains("if-match"), "{action}: {parameters}");
    }
}

#[tokio::test]
async fn invoices_of_one_instant_are_listed_in_the_reverse_order_of_their_creation() {
    let place = TestApp::start().await;
    let sandbox = Sandbox::at(&place, "2026-03-01T00:00:00Z").await;
    let plan = json!({ "name": "Free", "slug": "free", "price": 0, "billing_cycle": "monthly" });
    sandbox.post("/subscription-plans", plan).await.expect(201);
    let user = sandbox.user("ada@example.com").await;
    let subscription = sandbox.subscription(&user, "free", json!({ "billing": { "collection": "manual" } })).await;
    let mut made = Vec::new();
    for price in 1..=12 {
        let lines = json!([{ "description": "Item", "unit_price": price }]);
        let body = json!({ "subscription_id": subscription["id"], "lines": lines });
        made.push(sandbox.post("/invoices", body).await.expect(201).data()["id"].clone());
    }
    made.reverse();
    let listed = sandbox.get("/invoices").await.expect(200).data().clone();
    let listed: Vec<Value> = listed.as_array().unwrap().iter().map(|invoice| invoice["id"].clone()).collect();
    assert_eq!(listed, made);
}

#[tokio::test]
async fn an_invalid_invoice_is_rejected_with_all_errors() {
    let place = TestApp::start().await;
    let rate = "tax_01h455vb4pex5vsknk084sn02q";
    let lines = json!([{ "description": "", "unit_price": 5, "tax_rate_ids": [rate] }]);
    let expected = |first: &str| {
        [first.to_owned(), "/lines/0/tax_rate_ids/0 not_found".into(), "/lines/0/description too_short".into()]
    };
    let unknown = json!({ "subscription_id": "sub_01h455vb4pex5vsknk084sn02q", "lines": lines });
    let refused = place.post("/invoices", &unknown).await.expect(422);
    assert_eq!(refused.faults(), expected("/subscription_id not_found"));
    let refused = place.post("/invoices", &json!({ "lines": lines })).await.expect(422);
    assert_eq!(refused.faults(), expected("/subscription_id required"));
    let subscription = free_subscription(&place).await;
    place.delete(&format!("/users/{}", subscription["user_id"].as_str().unwrap())).await.expect(200);
    let erased = json!({ "subscription_id": subscription["id"], "lines": lines });
    let refused = place.post("/invoices", &erased).await.expect(422);
    assert_eq!(refused.faults(), expected("/subscription_id inconsistent"));
}

#[tokio::test]
async fn no_invoice_is_created_for_a_deleted_user() {
    let place = TestApp::start().await;
    let subscription = free_subscription(&place).await;
    let created = draft(&place, &subscription).await;
    place.delete(&format!("/users/{}", subscription["user_id"].as_str().unwrap())).await.expect(200);
    place.get(&path(&created)).await.expect(404);
    let lines = json!([{ "description": "Item", "unit_price": 5 }]);
    let body = json!({ "subscription_id": subscription["id"], "lines": lines });
    for target in ["/invoices", "/invoices?dry_run=true"] {
        let answer = place.post(target, &body).await.expect(422);
        assert_eq!(answer.faults(), ["/subscription_id inconsistent"], "{target}");
    }
}

#[tokio::test]
async fn drafts_of_cycles_are_finalized_in_their_order() {
    let place = TestApp::start().await;
    let sandbox = Sandbox::at(&place, "2026-03-01T00:00:00Z").await;
    sandbox.put("/organization", json!({ "billing": { "draft_hours": 72 } })).await.expect(200);
    let meter = json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" });
    sandbox.post("/meters", meter).await.expect(201);
    let charge = json!({ "meter_id": "calls", "name": "Calls", "model": "per_unit", "unit_price": 1 });
    let billing = json!({ "charges": [charge] });
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "daily", "billing": billing });
    sandbox.post("/subscription-plans", plan).await.expect(201);
    let user = sandbox.user("ada@example.com").await;
    sandbox.subscription(&user, "pro", json!({ "billing": { "payment_method": "test_ok" } })).await;
    let _working = sandbox.work();
    sandbox.advance("2026-03-03T00:00:00Z").await;
    let drafts = sandbox.get("/invoices?status=draft").await.expect(200).data().clone();
    let [later, earlier] = drafts.as_array().unwrap().as_slice() else { panic!("there are two drafts: {drafts}") };
    let finalize = async |draft: &Value| sandbox.post(&format!("{}/finalize", path(draft)), json!({})).await;
    let refused = finalize(later).await.refused(409, "invalid_transition");
    assert_eq!(refused.json["allowed"], json!([]));
    assert_eq!(refused.json["detail"], "The subscription has an earlier draft. Finalize that one first.");
    finalize(earlier).await.expect(200);
    finalize(later).await.expect(200);
}
