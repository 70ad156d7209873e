//! Invoices that callers create: their amounts, their numbers and what callers do with them.

use perennial_testkit::TestApp;
use serde_json::{Value, json};

/// A billed subscription without a fee.
pub(crate) async fn free_subscription(place: &TestApp) -> Value {
    let user = place.user("ada@example.com").await;
    place.plan("free", json!({ "price": 0 })).await;
    place.subscription(&user, "free", json!({ "billing": { "collection": "manual" } })).await
}

async fn rate(place: &TestApp, percentage: f64) -> String {
    let body = json!({ "name": "VAT", "percentage": percentage });
    place.post("/tax-rates", &body).await.expect(201).data()["id"].as_str().unwrap().to_owned()
}

async fn invoice(place: &TestApp, subscription: &Value, lines: Value) -> Value {
    let body = json!({ "subscription_id": subscription["id"], "lines": lines });
    place.post("/invoices", &body).await.expect(201).data().clone()
}

async fn act(place: &TestApp, invoice: &Value, action: &str) -> Value {
    let target = format!("/invoices/{}/{action}", invoice["id"].as_str().unwrap());
    place.request("POST", &target).send().await.expect(200).data().clone()
}

#[tokio::test]
async fn tax_is_computed_per_group_of_lines_and_not_per_line() {
    let place = TestApp::start().await;
    let subscription = free_subscription(&place).await;
    let vat = rate(&place, 19.0).await;
    let item = |price: f64, quantity: i64| json!({ "description": "Item", "unit_price": price, "quantity": quantity, "tax_rate_ids": [vat] });
    let draft = invoice(&place, &subscription, json!([item(29.0, 1), item(4.99, 3), item(12.34, 1)])).await;
    assert_eq!((&draft["status"], &draft["number"]), (&json!("draft"), &json!(null)));
    assert_eq!(draft["taxes"][0]["base"], json!(56.31));
    assert_eq!((&draft["tax"], &draft["total"]), (&json!(10.7), &json!(67.01)));
    let issued = act(&place, &draft, "finalize").await;
    assert_eq!((&issued["status"], &issued["number"]), (&json!("open"), &json!("INV-000001")));
    assert_eq!((&issued["total"], &issued["amount_due"]), (&json!(67.01), &json!(67.01)));
    let read = place.get(&format!("/invoices/{}", issued["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(read.data(), &issued);
}

#[tokio::test]
async fn an_inclusive_tax_is_taken_out_of_the_sum() {
    let place = TestApp::start().await;
    let subscription = free_subscription(&place).await;
    let vat = rate(&place, 21.0).await;
    let item = json!({ "description": "Item", "unit_price": 379, "tax_rate_ids": [vat], "tax_behavior": "inclusive" });
    let draft = invoice(&place, &subscription, json!([item, item])).await;
    assert_eq!((&draft["total"], &draft["tax"]), (&json!(758), &json!(131.55)));
    assert_eq!(draft["taxes"][0]["base"], json!(626.45));
}

#[tokio::test]
async fn actions_follow_the_table_of_statuses() {
    let place = TestApp::start().await;
    let subscription = free_subscription(&place).await;
    let lines = json!([{ "description": "Item", "unit_price": 5 }]);
    let draft = invoice(&place, &subscription, lines.clone()).await;
    let target = |action: &str| format!("/invoices/{}/{action}", draft["id"].as_str().unwrap());
    place.request("POST", &target("void")).send().await.refused(409, "invalid_transition");
    act(&place, &draft, "finalize").await;
    let answer = place.request("POST", &target("finalize")).send().await.refused(409, "invalid_transition");
    assert_eq!(answer.json["allowed"], json!(["uncollectible", "void"]));
    let member = format!("/invoices/{}", draft["id"].as_str().unwrap());
    place.put(&member, &json!({ "memo": "late" })).await.refused(409, "invoice_final");
    place.delete(&member).await.refused(409, "invoice_final");
    assert_eq!(act(&place, &draft, "mark-uncollectible").await["status"], json!("uncollectible"));
    let void = act(&place, &draft, "void").await;
    assert_eq!((&void["status"], &void["amount_due"]), (&json!("void"), &json!(0)));
    // A deleted draft draws no number.
    let deleted = invoice(&place, &subscription, lines.clone()).await;
    place.delete(&format!("/invoices/{}", deleted["id"].as_str().unwrap())).await.expect(200);
    let next = invoice(&place, &subscription, lines).await;
    assert_eq!(act(&place, &next, "finalize").await["number"], json!("INV-000002"));
}
