//! API rules 8.1 (`docs/api.md`): the OpenAPI document, compared with what the service returns.

use super::document_of_clients::CLIENTS;
use super::document_of_people::AUTHENTICATION;
use super::document_of_users::USERS;
use super::openapi::{Document, references};
use super::support::{Base, PAYMENTS, PLANS, SUBSCRIPTIONS, place};
use perennial_testkit::{Request, TestApp};
use serde_json::json;
use std::collections::BTreeSet;

/// The endpoints of plans, subscriptions and payments.
const OPERATIONS: [(&str, &str); 17] = [
    ("get", "/subscription-plans"),
    ("post", "/subscription-plans"),
    ("get", "/subscription-plans/{slug}"),
    ("put", "/subscription-plans/{slug}"),
    ("delete", "/subscription-plans/{slug}"),
    ("get", "/subscription-plans/{slug}/versions"),
    ("get", "/subscriptions"),
    ("post", "/subscriptions"),
    ("get", "/subscriptions/{id}"),
    ("put", "/subscriptions/{id}"),
    ("delete", "/subscriptions/{id}"),
    ("get", "/subscriptions/{id}/forecast"),
    ("get", "/subscription-payments"),
    ("post", "/subscription-payments"),
    ("get", "/subscription-payments/{payment_id}"),
    ("put", "/subscription-payments/{payment_id}"),
    ("delete", "/subscription-payments/{payment_id}"),
];

const BILLING: [(&str, &str); 41] = [
    ("get", "/tax-rates"),
    ("post", "/tax-rates"),
    ("get", "/tax-rates/{id}"),
    ("put", "/tax-rates/{id}"),
    ("get", "/coupons"),
    ("post", "/coupons"),
    ("get", "/coupons/{id}"),
    ("put", "/coupons/{id}"),
    ("get", "/meters"),
    ("post", "/meters"),
    ("get", "/meters/{id}"),
    ("put", "/meters/{id}"),
    ("get", "/features"),
    ("post", "/features"),
    ("get", "/features/{key}"),
    ("put", "/features/{key}"),
    ("get", "/users/{id}/entitlements"),
    ("get", "/users/{id}/entitlements/{feature_key}"),
    ("post", "/users/{id}/entitlement-token"),
    ("get", "/subscriptions/{id}/members"),
    ("post", "/subscriptions/{id}/members"),
    ("delete", "/subscriptions/{id}/members/{user_id}"),
    ("post", "/usage-events"),
    ("get", "/subscriptions/{id}/usage"),
    ("get", "/users/{id}/billing-profile"),
    ("put", "/users/{id}/billing-profile"),
    ("get", "/users/{id}/credits"),
    ("post", "/users/{id}/credits"),
    ("get", "/invoices"),
    ("post", "/invoices"),
    ("get", "/invoices/{id}"),
    ("put", "/invoices/{id}"),
    ("delete", "/invoices/{id}"),
    ("post", "/invoices/{id}/finalize"),
    ("post", "/invoices/{id}/void"),
    ("post", "/invoices/{id}/mark-uncollectible"),
    ("get", "/invoices/{id}/document"),
    ("get", "/credit-notes"),
    ("post", "/credit-notes"),
    ("get", "/credit-notes/{id}"),
    ("get", "/credit-notes/{id}/document"),
];

const EVENTS: [(&str, &str); 2] = [("get", "/events"), ("get", "/events/{id}")];

const ANALYTICS: [(&str, &str); 6] = [
    ("get", "/analytics/revenue"),
    ("get", "/analytics/movements"),
    ("get", "/analytics/cohorts"),
    ("get", "/analytics/trials"),
    ("get", "/analytics/payments"),
    ("get", "/analytics/plans"),
];

const WEBHOOKS: [(&str, &str); 11] = [
    ("get", "/webhook-endpoints"),
    ("post", "/webhook-endpoints"),
    ("get", "/webhook-endpoints/{id}"),
    ("put", "/webhook-endpoints/{id}"),
    ("delete", "/webhook-endpoints/{id}"),
    ("post", "/webhook-endpoints/{id}/rotate-secret"),
    ("post", "/webhook-endpoints/{id}/ping"),
    ("post", "/webhook-endpoints/{id}/retry"),
    ("post", "/webhook-endpoints/{id}/seek"),
    ("get", "/webhook-endpoints/{id}/attempts"),
    ("get", "/webhook-endpoints/{id}/undelivered"),
];

const OPERATORS: [(&str, &str); 9] = [
    ("get", "/operators"),
    ("post", "/operators"),
    ("get", "/operators/{id}"),
    ("put", "/operators/{id}"),
    ("delete", "/operators/{id}"),
    ("get", "/operators/{id}/sessions"),
    ("delete", "/operators/{id}/sessions/{session_id}"),
    ("post", "/operators/{id}/link"),
    ("post", "/users/{id}/portal-link"),
];

/// The calls of the console, which no client makes.
const CONSOLE: [(&str, &str); 6] = [
    ("get", "/operator-session"),
    ("post", "/operator-session"),
    ("delete", "/operator-session"),
    ("post", "/operator-session/connect"),
    ("get", "/console/oidc/start"),
    ("get", "/console/oidc/callback"),
];

const CONNECTIONS: [(&str, &str); 4] = [
    ("get", "/connections"),
    ("get", "/connections/{id}"),
    ("get", "/connections/{id}/inbox"),
    ("post", "/subscription-payments/{payment_id}/collect"),
];

#[tokio::test]
async fn the_document_names_every_operation_of_the_interface_and_no_other() {
    let app = TestApp::start().await;
    let document = Document::of(&app).await;
    assert_eq!(document.0["openapi"], "3.1.0");
    let mut of_clients = BTreeSet::new();
    let mut of_console = BTreeSet::new();
    let mut open = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for (path, methods) in document.0["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            assert!(ids.insert(operation["operationId"].as_str().unwrap()), "{operation}");
            if operation["x-console"] == true {
                of_console.insert((method.as_str(), path.as_str()));
            } else if operation["security"] == json!([]) {
                open.insert(path.as_str());
                // Payment providers are no clients.
                assert!(method == "get" || path == "/hooks/{connection_id}", "{method} {path}");
            } else {
                of_clients.insert((method.as_str(), path.as_str()));
            }
        }
    }
    let of_people = AUTHENTICATION.into_iter().chain(USERS).chain(OPERATORS);
    let others = CLIENTS.into_iter().chain(EVENTS).chain(WEBHOOKS).chain(ANALYTICS).chain(BILLING);
    let others = others.chain(CONNECTIONS);
    assert_eq!(of_clients, OPERATIONS.into_iter().chain(of_people).chain(others).collect());
    assert_eq!(of_console, CONSOLE.into_iter().collect());
    for path in ["/livez", "/readyz", "/openapi.json", "/docs", "/docs/errors"] {
        assert!(open.contains(path), "{path}");
    }
    let mut links = Vec::new();
    references(&document.0, &mut links);
    assert!(links.len() > 100);
    for link in links {
        document.follow(link);
    }
}

/// Every error of any operation that needs no record.
pub(crate) fn refused_requests(app: &TestApp, method: &str, target: &str) -> Vec<(u16, Request)> {
    let mut requests = vec![
        (401, app.anonymous(method, target)),
        (421, app.anonymous(method, target).header("x-perennial-console", "1")),
        (401, app.anonymous(method, target).header("client-id", "unknown")),
        (400, app.request(method, target).header("client-id", "twice")),
        (403, app.request(method, target).header("origin", "https://app.example.com")),
        (400, app.request(method, &format!("{target}?color=red"))),
        (400, app.request(method, target).header("host", "a").header("host", "b")),
        (413, app.request(method, target).json_text(vec![b' '; 256 * 1024 + 1])),
        (414, app.request(method, &format!("{target}?a={}", "a".repeat(8 * 1024)))),
        (431, app.request(method, target).header("x-long", "a".repeat(17 * 1024))),
    ];
    if method != "GET" {
        requests.push((403, app.browser(method, target)));
    }
    if method == "POST" || method == "PUT" {
        requests.push((400, app.request(method, target).json_text("{")));
        requests.push((400, app.request(method, target).json_text("{\"a\": 1, \"a\": 1}")));
        requests.push((415, app.request(method, target).raw("{}")));
        requests.push((422, app.request(method, target).json(&json!({ "color": "red" }))));
    }
    if method == "POST" {
        requests.push((400, app.request(method, target).header("idempotency-key", " ").json(&json!({}))));
    }
    requests
}

#[tokio::test]
async fn every_operation_documents_the_errors_it_returns() {
    let base = Base::start().await;
    let document = Document::of(&base.app).await;
    let payment = base.pay(json!({})).await;
    let stale = "\"evt_01h455vb4pex5vsknk084sn02q\"";
    for (method, path) in OPERATIONS {
        let target = path
            .replace("{slug}", "pro")
            .replace("{id}", payment["subscription_id"].as_str().unwrap())
            .replace("{payment_id}", payment["id"].as_str().unwrap());
        let name = method.to_uppercase();
        let mut requests = refused_requests(&base.app, &name, &target);
        let is_list = !path.ends_with('}');
        if let Some((collection, _)) = path.split_once("/{").filter(|_| !is_list) {
            let nowhere = format!("{collection}/nowhere");
            requests.push((404, base.app.request(&name, &nowhere).json(&json!({}))));
            let condition = if name == "GET" { "if-none-match" } else { "if-match" };
            requests.push((400, base.app.request(&name, &target).header(condition, "odd").json(&json!({}))));
            if name == "GET" {
                requests.push((304, base.app.request(&name, &target).header(condition, "*")));
            } else {
                requests.push((412, base.app.request(&name, &target).header(condition, stale).json(&json!({}))));
            }
        } else if name == "GET" {
            requests.push((400, base.app.request(&name, &format!("{target}?cursor=odd"))));
        }
        for (status, request) in requests {
            let context = format!("{request:?}");
            let answer = request.send().await;
            assert_eq!(answer.status, status, "{}", context.get(..400).unwrap_or(&context));
            document.assert_documented(method, path, &answer);
        }
        // What no request of a test can bring about.
        for status in ["408", "500", "503"] {
            assert!(!document.operation(method, path)["responses"][status].is_null(), "{method} {path} {status}");
        }
    }
}

#[tokio::test]
async fn every_operation_documents_its_success_and_its_conflicts() {
    let base = Base::start().await;
    let app = &base.app;
    let document = Document::of(app).await;
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    let subscription = json!({ "user_id": base.user, "subscription_plan_id": "pro", "external_subscription_id": "e" });
    let held = app.post(SUBSCRIPTIONS, &subscription).await;
    let payment =
        json!({ "subscription_id": held.data()["id"], "amount": 1, "currency": "USD", "external_payment_id": "e" });
    let paid = app.post(PAYMENTS, &payment).await;
    let (sub, pay) = (place(SUBSCRIPTIONS, held.data()), place(PAYMENTS, paid.data()));
    let other = json!({ "name": "Pro", "slug": "other", "price": 1, "billing_cycle": "monthly" });
    let retried = app.request("POST", PLANS).header("idempotency-key", "k").json(&other);
    let reused = app.request("POST", PLANS).header("idempotency-key", "k").json(&json!({}));
    let over = json!({ "status": "expired" });
    let origin = "https://app.example.com";
    for (method, path, status, answer) in [
        ("get", "/subscription-plans", 200, app.get(PLANS).await),
        ("get", "/subscription-plans", 200, app.browser("GET", PLANS).header("origin", origin).send().await),
        ("post", "/subscription-plans", 403, app.browser("POST", PLANS).header("origin", origin).send().await),
        ("post", "/subscription-plans", 409, app.post(PLANS, &plan).await),
        ("post", "/subscription-plans", 201, retried.clone().send().await),
        ("post", "/subscription-plans", 201, retried.send().await),
        ("post", "/subscription-plans", 422, reused.send().await),
        ("get", "/subscription-plans/{slug}", 200, app.get("/subscription-plans/pro").await),
        ("put", "/subscription-plans/{slug}", 200, app.put("/subscription-plans/pro", &json!({ "tier": 1 })).await),
        ("delete", "/subscription-plans/{slug}", 409, app.delete("/subscription-plans/pro").await),
        ("delete", "/subscription-plans/{slug}", 200, app.delete("/subscription-plans/other").await),
        ("get", "/subscriptions", 200, app.get(SUBSCRIPTIONS).await),
        ("get", "/subscriptions", 401, app.browser("GET", SUBSCRIPTIONS).send().await),
        ("post", "/subscriptions", 201, held),
        ("post", "/subscriptions", 409, app.post(SUBSCRIPTIONS, &subscription).await),
        ("get", "/subscriptions/{id}", 200, app.get(&sub).await),
        ("get", "/subscriptions/{id}", 401, app.browser("GET", &sub).send().await),
        ("put", "/subscriptions/{id}", 200, app.put(&sub, &over).await),
        ("put", "/subscriptions/{id}", 409, app.put(&sub, &json!({ "status": "active" })).await),
        ("post", "/subscription-payments", 201, paid),
        ("post", "/subscription-payments", 409, app.post(PAYMENTS, &payment).await),
        ("get", "/subscription-payments/{payment_id}", 200, app.get(&pay).await),
        ("get", "/subscription-payments/{payment_id}", 401, app.browser("GET", &pay).send().await),
        ("put", "/subscription-payments/{payment_id}", 200, app.put(&pay, &json!({ "status": "void" })).await),
        ("put", "/subscription-payments/{payment_id}", 409, app.put(&pay, &json!({ "status": "paid" })).await),
        ("delete", "/subscription-payments/{payment_id}", 200, app.delete(&pay).await),
        ("delete", "/subscriptions/{id}", 200, app.delete(&sub).await),
    ] {
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.json);
        document.assert_documented(method, path, &answer);
    }
    for (path, methods) in document.0["paths"].as_object().unwrap() {
        if methods["get"]["security"] == json!([]) && methods["get"]["x-console"] != true {
            let answer = app.anonymous("GET", path).send().await.expect(200);
            document.assert_documented("get", path, &answer);
            let odd = app.anonymous("GET", &format!("{path}?color=red")).send().await.expect(400);
            document.assert_documented("get", path, &odd);
        }
    }
}
