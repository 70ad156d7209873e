//! API rules 12 (`docs/api.md`): one search for IDs, external IDs, slugs and addresses.

use super::support::{Tenant, text};
use perennial_app::clients::{self, Credential, NewClient, Presents};
use perennial_domain::clients::{ClientName, Scope, Scopes};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

struct Records {
    ada: String,
    plan: String,
    subscription: String,
    payment: String,
}

/// A record of each kind. The subscription and the payment have the same external ID, and an address begins with it.
async fn fill(app: &TestApp) -> Records {
    let ada = app.user("ada@example.com").await;
    app.user("ada@example.com.au").await;
    app.user("ext-1@example.com").await;
    let plan = app.plan("pro", json!({ "name": "Professional" })).await;
    let subscription = app.subscription(&ada, "pro", json!({ "external_subscription_id": "ext-1" })).await;
    let payment = app.payment(text(&subscription, "id"), json!({ "external_payment_id": "ext-1" })).await;
    let id = |record: &Value| text(record, "id").to_owned();
    Records { ada, plan: id(&plan), subscription: id(&subscription), payment: id(&payment) }
}

/// The results as `kind label match`.
async fn found(app: &TestApp, q: &str) -> Vec<String> {
    let answer = app.get(&format!("/search?q={q}")).await.expect(200);
    let show = |result: &Value| format!("{} {} {}", text(result, "kind"), text(result, "label"), text(result, "match"));
    answer.data().as_array().unwrap().iter().map(show).collect()
}

#[tokio::test]
async fn a_record_is_found_by_each_of_its_names() {
    let app = TestApp::start().await;
    let records = fill(&app).await;
    let exact = |kind: &str, label: &str| vec![format!("{kind} {label} exact")];
    assert_eq!(found(&app, &records.ada).await, exact("user", "ada@example.com"));
    assert_eq!(found(&app, &records.plan).await, exact("plan", "Professional"));
    assert_eq!(found(&app, &records.subscription).await, exact("subscription", "ext-1"));
    assert_eq!(found(&app, &records.payment).await, exact("payment", "ext-1"));
    assert_eq!(found(&app, "+pro+").await, exact("plan", "Professional"));
    let both = ["user ada@example.com exact", "user ada@example.com.au prefix"];
    assert_eq!(found(&app, "ADA@Example.com").await, both);
    assert_eq!(found(&app, "ada").await, ["user ada@example.com prefix", "user ada@example.com.au prefix"]);
    let of_all = ["payment ext-1 exact", "subscription ext-1 exact", "user ext-1@example.com prefix"];
    assert_eq!(found(&app, "ext-1").await, of_all);
    // No part of a name but the beginning of an address, and no other case of an external ID or a slug.
    for q in ["example.com", "EXT-1%00", "Ext-1x", "profes", "PRO", "xt-1", "%25%25%25", "usr_1", "___"] {
        let answer = app.get(&format!("/search?q={q}")).await;
        if answer.status == 200 {
            assert_eq!(answer.data(), &json!([]), "{q}");
        } else {
            answer.refused(400, "invalid_parameter");
        }
    }
    let answer = app.get(&format!("/search?q={}", records.ada)).await.expect(200);
    let result = json!({ "kind": "user", "id": records.ada, "label": "ada@example.com", "match": "exact" });
    assert_eq!(answer.data(), &json!([result]));
}

#[tokio::test]
async fn an_invoice_is_found_by_its_number_and_its_id() {
    let app = TestApp::start().await;
    let ada = app.user("ada@example.com").await;
    app.plan("free", json!({ "price": 0 })).await;
    let billed = app.subscription(&ada, "free", json!({ "billing": { "collection": "manual" } })).await;
    let lines = json!([{ "description": "Set-up", "unit_price": 10 }]);
    let body = json!({ "subscription_id": billed["id"], "lines": lines });
    let draft = app.post("/invoices", &body).await.expect(201).data().clone();
    let id = text(&draft, "id");
    assert_eq!(found(&app, id).await, [format!("invoice {id} exact")]);
    let issued = app.request("POST", &format!("/invoices/{id}/finalize")).send().await.expect(200).data().clone();
    let number = text(&issued, "number");
    assert_eq!(found(&app, number).await, [format!("invoice {number} exact")]);
    assert_eq!(found(&app, id).await, [format!("invoice {number} exact")]);
    assert_eq!(found(&app, &number.to_lowercase()).await, [""; 0]);
    let reader = credential(&app, "plans", &[Scope::PlansRead]).await;
    let answer = app.anonymous("GET", &format!("/search?q={number}")).header("client-id", &reader).send().await;
    assert_eq!(answer.expect(200).data(), &json!([]));
    let other = Tenant::create(&app, "USD").await;
    let answer = other.request("GET", &format!("/search?q={number}")).send().await.expect(200);
    assert_eq!(answer.data(), &json!([]));
}

#[tokio::test]
async fn results_are_limited_after_they_are_sorted() {
    let app = TestApp::start().await;
    for number in 0..25 {
        app.user(&format!("ada{:02}@example.com", 24 - number)).await;
    }
    app.plan("ada", json!({ "name": "Zeta" })).await;
    assert_eq!(found(&app, "ada").await.len(), 10);
    let most = found(&app, "ada&limit=20").await;
    assert_eq!(
        (most.len(), most[0].as_str(), most[1].as_str()),
        (20, "plan Zeta exact", "user ada00@example.com prefix")
    );
    assert_eq!(found(&app, "ada&limit=1").await, ["plan Zeta exact"]);
}

#[tokio::test]
async fn a_malformed_search_is_400() {
    let app = TestApp::start().await;
    let long = "a".repeat(256);
    for query in [
        "",
        "?limit=5",
        "?q=",
        "?q=ab",
        "?q=+a++",
        "?q=abc&limit=0",
        "?q=abc&limit=21",
        "?q=a%00c",
        &format!("?q={long}"),
    ] {
        app.get(&format!("/search{query}")).await.refused(400, "invalid_parameter");
    }
    app.get("/search?q=abc&cursor=x").await.refused(400, "unknown_parameter");
    app.get(&format!("/search?q={}", &long[1..])).await.expect(200);
    app.get(&format!("/search?q={}", "%C3%A9".repeat(255))).await.expect(200);
}

#[tokio::test]
async fn a_client_finds_what_it_may_read_and_nothing_of_another_organization() {
    let app = TestApp::start().await;
    let records = fill(&app).await;
    let reads = [Scope::UsersRead, Scope::PlansRead, Scope::SubscriptionsRead, Scope::PaymentsRead];
    let kinds = ["user", "plan", "subscription", "payment"];
    let ids = [&records.ada, &records.plan, &records.subscription, &records.payment];
    for (scope, kind) in reads.into_iter().zip(kinds) {
        let credential = credential(&app, kind, &[scope]).await;
        for (id, of) in ids.iter().zip(kinds) {
            let answer = app.anonymous("GET", &format!("/search?q={id}")).header("client-id", &credential).send().await;
            let count = answer.expect(200).data().as_array().unwrap().len();
            assert_eq!(count, usize::from(kind == of), "{kind} {of}");
        }
    }
    let writer = credential(&app, "writer", &[Scope::UsersWrite, Scope::EventsRead]).await;
    let answer = app.anonymous("GET", "/search?q=ada").header("client-id", &writer).send().await;
    assert_eq!(answer.refused(403, "insufficient_scope").json["required_scope"], "users:read");
    // A public client may read plans.
    let answer = app.browser("GET", "/search?q=pro").send().await.expect(200);
    assert_eq!(answer.data()[0]["kind"], "plan");
    assert_eq!(app.browser("GET", "/search?q=ada").send().await.expect(200).data(), &json!([]));
    let other = Tenant::create(&app, "USD").await;
    for q in ids.into_iter().map(String::as_str).chain(["ext-1", "pro"]) {
        let answer = other.request("GET", &format!("/search?q={q}")).send().await.expect(200);
        assert_eq!(answer.data(), &json!([]), "{q}");
    }
}

async fn credential(app: &TestApp, name: &str, scopes: &[Scope]) -> String {
    let credential = format!("pk_{name:x<32}");
    let client = NewClient {
        name: ClientName::parse(name).unwrap(),
        presents: Presents::Trusted(Credential::chosen(&credential).unwrap()),
        scopes: Scopes::of(scopes),
        origins: vec![],
        cidrs: vec![],
        expires_at: None,
    };
    clients::create(&app.app, app.organization, client).await.unwrap().unwrap();
    credential
}
