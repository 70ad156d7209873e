//! API rules 20.4 (`docs/api.md`): a customer downloads invoices and credit notes.

use super::support::{Customer, html};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

async fn invoice(app: &TestApp, user: &str) -> Value {
    app.plan("free", json!({ "price": 0 })).await;
    let billed = json!({ "billing": { "collection": "manual" } });
    let subscription = app.subscription(user, "free", billed).await["id"].clone();
    let body = json!({ "subscription_id": subscription, "lines": [{ "description": "Setup", "unit_price": 50 }] });
    let draft = app.post("/invoices", &body).await.expect(201).data().clone();
    app.post("/invoices", &body).await.expect(201);
    let path = format!("/invoices/{}/finalize", draft["id"].as_str().unwrap());
    app.request("POST", &path).send().await.expect(200).data().clone()
}

#[tokio::test]
async fn a_customer_downloads_invoices_and_credit_notes() {
    let app = TestApp::start().await;
    let customer = Customer::enter(&app, "ada@example.com").await;
    let issued = invoice(&app, &customer.user).await;
    let note = json!({ "invoice_id": issued["id"], "amount": 20 });
    let note = app.post("/credit-notes", &note).await.expect(201).data().clone();
    let page = html(&customer.get("/portal/payments").await.expect(200));
    let documents = [
        format!("/portal/invoices/{}/document", issued["id"].as_str().unwrap()),
        format!("/portal/credit-notes/{}/document", note["id"].as_str().unwrap()),
    ];
    for text in
        ["Payments and invoices", "INV-000001", "$50.00", "Due", "CRN-000001", "$20.00", &documents[0], &documents[1]]
    {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert_eq!(page.matches("INV-000001").count(), 3, "the draft is not shown: {page}");
    for target in &documents {
        let answer = customer.get(target).await.expect(200);
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        let policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'";
        assert_eq!(answer.header("content-security-policy"), policy);
        let pdf = customer.get(&format!("{target}?format=pdf")).await.expect(200);
        assert!(pdf.bytes.starts_with(b"%PDF"));
        assert_eq!((pdf.header("cache-control"), pdf.header("x-content-type-options")), ("no-store", "nosniff"));
        customer.get(&format!("{target}?format=docx")).await.expect(404);
    }
    assert!(html(&customer.get("/portal/invoices").await.expect(200)).contains("INV-000001"));
}

#[tokio::test]
async fn another_customers_documents_are_not_found() {
    let app = TestApp::start().await;
    let user = app.user("eve@example.com").await;
    let issued = invoice(&app, &user).await;
    let note = json!({ "invoice_id": issued["id"], "amount": 20 });
    let note = app.post("/credit-notes", &note).await.expect(201).data().clone();
    let customer = Customer::enter(&app, "ada@example.com").await;
    for (kind, record) in [("invoices", &issued), ("credit-notes", &note)] {
        let target = format!("/portal/{kind}/{}/document", record["id"].as_str().unwrap());
        customer.get(&target).await.expect(404);
        super::support::visit(&app, &target).send().await.expect(303);
    }
    assert!(!html(&customer.get("/portal/payments").await.expect(200)).contains("INV-"));
}
