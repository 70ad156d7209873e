//! API rules 24 (`docs/api.md`): documents of invoices and credit notes, and attacks 67 to 70.

use super::issued::Issued;
use perennial_app::clients::{Credential, NewClient, Presents};
use perennial_app::{clients, organizations};
use perennial_domain::clients::{ClientKind, ClientName};
use perennial_domain::currency::Currency;
use perennial_domain::organizations::OrganizationName;
use perennial_testkit::{Answer, TestApp};
use serde_json::{Value, json};

const POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

fn path(kind: &str, record: &Value) -> String {
    format!("/{kind}/{}/document", record["id"].as_str().unwrap())
}

fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.bytes).into_owned()
}

/// An organization and a buyer with names.
async fn named(issued: &Issued, seller: &str, buyer: &str) {
    let settings = json!({ "billing": { "seller": { "name": seller, "tax_id": "DE123", "note": "HRB 1" } } });
    issued.app.put("/organization", &settings).await.expect(200);
    let profile =
        json!({ "name": buyer, "address": ["1 High Street"], "country": "GB", "tax_id": "GB9", "locale": "en" });
    issued.app.put(&format!("/users/{}/billing-profile", issued.user), &profile).await.expect(200);
}

#[tokio::test]
async fn an_invoice_has_a_document_in_two_formats() {
    let issued = Issued::start().await;
    named(&issued, "Perennial Gardens", "Ada Ltd").await;
    let invoice = issued.sixty().await;
    let number = invoice["number"].as_str().unwrap();
    for query in ["", "?format=html"] {
        let answer = issued.app.get(&format!("{}{query}", path("invoices", &invoice))).await.expect(200);
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        let html = text(&answer);
        for part in
            [number, "Perennial Gardens", "DE123", "HRB 1", "Ada Ltd", "GB9", "Setup", "50.00", "10.00", "60.00", "20%"]
        {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains("TEST") && !html.contains("open"), "no status: {html}");
    }
    let answer = issued.app.get(&format!("{}?format=pdf", path("invoices", &invoice))).await.expect(200);
    assert_eq!(answer.header("content-type"), "application/pdf");
    assert!(answer.bytes.starts_with(b"%PDF-1.7"));
    assert_eq!(answer.header("content-disposition"), format!("attachment; filename=\"{number}.pdf\""));
    let wrong = format!("{}?format=docx", path("invoices", &invoice));
    issued.app.get(&wrong).await.refused(400, "invalid_parameter");
}

#[tokio::test]
async fn a_credit_note_has_a_document_that_names_its_invoice() {
    let issued = Issued::start().await;
    named(&issued, "Perennial Gardens", "Ada Ltd").await;
    let invoice = issued.sixty().await;
    let note = issued.credit(&invoice, json!({ "amount": 20, "reason": "Goodwill" })).await;
    let html = text(&issued.app.get(&path("credit-notes", &note)).await.expect(200));
    for part in ["Credit note", "CRN-000001", invoice["number"].as_str().unwrap(), "Ada Ltd", "24.00", "Goodwill"] {
        assert!(html.contains(part), "{part}: {html}");
    }
    let pdf = issued.app.get(&format!("{}?format=pdf", path("credit-notes", &note))).await.expect(200);
    assert!(pdf.bytes.starts_with(b"%PDF"));
}

#[tokio::test]
async fn a_draft_has_no_document() {
    let issued = Issued::start().await;
    let draft = issued.draft(json!([{ "description": "Setup", "unit_price": 5 }])).await;
    for format in ["html", "pdf"] {
        let target = format!("{}?format={format}", path("invoices", &draft));
        issued.app.get(&target).await.refused(409, "invoice_not_final");
    }
}

#[tokio::test]
async fn a_document_has_the_same_bytes_whatever_changes_later() {
    let issued = Issued::start().await;
    named(&issued, "Perennial Gardens", "Ada Ltd").await;
    let invoice = issued.sixty().await;
    let note = issued.credit(&invoice, json!({ "amount": 20 })).await;
    let targets: Vec<String> = [path("invoices", &invoice), path("credit-notes", &note)]
        .iter()
        .flat_map(|path| [path.clone(), format!("{path}?format=pdf")])
        .collect();
    let mut before = Vec::new();
    for target in &targets {
        before.push(issued.app.get(target).await.expect(200).bytes);
    }
    named(&issued, "Another Seller", "Another Buyer").await;
    let zone = json!({ "billing": { "time_zone": "Pacific/Auckland", "invoice_prefix": "NEW" } });
    issued.app.put("/organization", &zone).await.expect(200);
    issued.credit(&invoice, json!({ "amount": 30 })).await;
    issued.app.advance(400 * 86_400);
    for (target, bytes) in targets.iter().zip(before) {
        assert_eq!(issued.app.get(target).await.expect(200).bytes, bytes, "{target}");
    }
}

#[tokio::test]
async fn attack_72_no_browser_runs_sniffs_or_stores_a_document() {
    let issued = Issued::start().await;
    let invoice = issued.sixty().await;
    let note = issued.credit(&invoice, json!({ "amount": 20 })).await;
    for path in [path("invoices", &invoice), path("credit-notes", &note)] {
        for query in ["", "?format=pdf"] {
            let answer = issued.app.get(&format!("{path}{query}")).await.expect(200);
            assert_eq!(answer.header("content-security-policy"), POLICY);
            assert_eq!(answer.header("x-content-type-options"), "nosniff");
            assert_eq!(answer.header("cache-control"), "no-store");
        }
    }
}

#[tokio::test]
async fn attack_73_hostile_names_stay_text() {
    const ATTACK: &str = "<script>alert(1)</script><img src=x onerror=alert(1)>";
    let issued = Issued::start().await;
    named(&issued, ATTACK, ATTACK).await;
    let invoice = issued.issue(json!([{ "description": ATTACK, "unit_price": 50 }])).await;
    let note = issued.credit(&invoice, json!({ "amount": 20, "reason": ATTACK })).await;
    for path in [path("invoices", &invoice), path("credit-notes", &note)] {
        let html = text(&issued.app.get(&path).await.expect(200));
        assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{html}");
        assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
    }
}

#[tokio::test]
async fn attack_74_another_users_documents_are_not_found() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.sign_up("ada@example.com").await, app.sign_up("eve@example.com").await);
    let user = ada.user_id().to_owned();
    let issued = Issued::of(app, user).await;
    let invoice = issued.sixty().await;
    let note = issued.credit(&invoice, json!({ "amount": 20 })).await;
    let get = async |target: &str, token: &str| issued.app.browser("GET", target).bearer(token).send().await;
    for target in [path("invoices", &invoice), path("credit-notes", &note)] {
        get(&target, &ada.token).await.expect(200);
        get(&target, &eve.token).await.refused(404, "not_found");
    }
    let record = format!("/credit-notes/{}", note["id"].as_str().unwrap());
    get(&record, &ada.token).await.expect(200);
    get(&record, &eve.token).await.refused(404, "not_found");
    assert_eq!(get("/credit-notes", &ada.token).await.expect(200).data().as_array().unwrap().len(), 1);
    assert_eq!(get("/credit-notes", &eve.token).await.expect(200).data(), &json!([]));
    let others = format!("/credit-notes?user_id={}", issued.user);
    assert_eq!(get(&others, &eve.token).await.expect(200).data(), &json!([]));
}

#[tokio::test]
async fn attack_75_another_organizations_documents_are_not_found() {
    const CREDENTIAL: &str = "pk_OtherOtherOtherOtherOtherOtherOther";
    let issued = Issued::start().await;
    let invoice = issued.sixty().await;
    let note = issued.credit(&invoice, json!({ "amount": 20 })).await;
    let name = OrganizationName::parse("other").unwrap();
    let other = organizations::create(&issued.app.app, name, Currency::USD, None).await.unwrap().unwrap();
    let client = NewClient {
        name: ClientName::parse("other").unwrap(),
        presents: Presents::Trusted(Credential::chosen(CREDENTIAL).unwrap()),
        scopes: ClientKind::Trusted.scopes(),
        origins: vec![],
        cidrs: vec![],
        expires_at: None,
    };
    clients::create(&issued.app.app, other.id, client).await.unwrap().unwrap();
    let request = |method: &str, target: &str| issued.app.anonymous(method, target).header("client-id", CREDENTIAL);
    for target in [path("invoices", &invoice), path("credit-notes", &note)] {
        request("GET", &target).send().await.refused(404, "not_found");
        request("GET", &format!("{target}?format=pdf")).send().await.refused(404, "not_found");
    }
    let body = json!({ "invoice_id": invoice["id"], "amount": 1 });
    let answer = request("POST", "/credit-notes").json(&body).send().await.expect(422);
    assert_eq!(answer.faults(), ["/invoice_id not_found"]);
}
