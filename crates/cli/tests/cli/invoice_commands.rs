//! `perennial invoice` with invoices of a running server.

use crate::support::{Setting, masked, snapshot};
use serde_json::json;

#[test]
fn a_document_is_written_to_a_file_or_the_output() {
    let setting = Setting::new();
    let (place, caller) = (&setting.place, &setting.caller);
    // Of a free plan there is no other invoice.
    let free = json!({ "name": "Free", "slug": "free", "price": 0, "billing_cycle": "monthly" });
    caller.post("/subscription-plans", &free).expect(201);
    let mut billed = setting.subscription("billed");
    billed["subscription_plan_id"] = json!("free");
    billed["billing"] = json!({ "collection": "manual" });
    let subscription = caller.post("/subscriptions", &billed).expect(201).data()["id"].clone();
    let body = json!({ "subscription_id": subscription, "lines": [{ "description": "Setup", "unit_price": 50 }] });
    let draft = caller.post("/invoices", &body).expect(201).data()["id"].as_str().unwrap().to_owned();
    place.run(&["invoice", "document", &draft]).refused_with(&["is a draft"]);
    let path = format!("/invoices/{draft}/finalize");
    let issued = caller.call("POST", &path, None).expect(200).data();
    let number = issued["number"].as_str().unwrap().to_owned();
    let html = place.run(&["invoice", "document", &number]).succeeded();
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("Setup"), "{html}");
    let file = place.path().join("invoice.pdf");
    let words = ["invoice", "document", &draft, "--format", "pdf", "--output", file.to_str().unwrap()];
    let printed = place.run(&words).succeeded();
    let number_masked = printed.replace(&number, "INV-000000").replace(file.to_str().unwrap(), "invoice.pdf");
    snapshot("invoice-document", &number_masked);
    assert!(std::fs::read(&file).unwrap().starts_with(b"%PDF"));
    place.run(&words).refused_with(&["cannot create"]);
    let note = json!({ "invoice_id": draft, "amount": 10 });
    let note = caller.post("/credit-notes", &note).expect(201).data()["id"].as_str().unwrap().to_owned();
    assert!(place.run(&["invoice", "document", &note]).succeeded().contains("CRN-000001"));
    place.run(&["invoice", "document", "INV-999999"]).refused_with(&["there is no invoice or credit note"]);
    let shown = |words: &[&str]| place.run(&[&["invoice"], words].concat()).succeeded();
    let listed = place.json(&["invoice", "list", "--status", "open"]);
    assert_eq!((&listed[0]["id"], &listed[0]["total"]), (&json!(draft), &json!(50)));
    let raised = shown(&["series", "--next", "500"]);
    let text = format!("$ list\n{}\n$ get\n{}\n$ series\n{raised}", shown(&["list"]), shown(&["get", &draft]));
    snapshot("invoice-commands", &masked(&text).replace(&number, "INV-000000"));
    place.run(&["invoice", "series", "--next", "499"]).refused();
}
