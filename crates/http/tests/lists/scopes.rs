//! API rules 2.2 (`docs/api.md`): the scope each endpoint needs, and what a public client may do without a user.

use super::support::*;
use perennial_domain::clients::{ClientKind, Scope};
use perennial_testkit::{Answer, TestApp};
use serde_json::{Value, json};

struct Endpoint {
    method: &'static str,
    target: String,
    scope: Scope,
    body: Option<Value>,
    status: u16,
}

/// The endpoints with one scope, each with a request that succeeds once it is allowed.
#[expect(clippy::too_many_lines, reason = "a list of endpoints")]
async fn endpoints(app: &TestApp) -> Vec<Endpoint> {
    use Scope::{
        AnalyticsRead, ClientsWrite, EntitlementsRead, InvoicesRead, InvoicesWrite, OrganizationRead,
        OrganizationWrite, PaymentsRead, PaymentsWrite, PlansRead, PlansWrite, SubscriptionsRead, SubscriptionsWrite,
        UsageWrite, UsersRead, UsersWrite,
    };
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    app.plan("gone", json!({})).await;
    let subscription = app.subscription(&user, "pro", json!({})).await["id"].clone();
    let doomed = app.subscription(&user, "pro", json!({})).await["id"].clone();
    let payment = app.payment(subscription.as_str().unwrap(), json!({})).await["id"].clone();
    let doomed_payment = app.payment(subscription.as_str().unwrap(), json!({})).await["id"].clone();
    let held = app.sign_up("eve@example.com").await;
    let (eve, sessions) = (format!("/users/{}", held.user_id()), format!("/users/{}/sessions", held.user_id()));
    let at = |collection: &str, id: &Value| format!("{collection}/{}", id.as_str().unwrap());
    let plan = json!({ "name": "New", "slug": "new", "price": 1, "billing_cycle": "monthly" });
    let endpoint =
        |method, target: &str, scope, body, status| Endpoint { method, target: target.into(), scope, body, status };
    let (plans, subscriptions, payments) = ("/subscription-plans", "/subscriptions", "/subscription-payments");
    let new_subscription = json!({ "user_id": user, "subscription_plan_id": "pro" });
    let new_payment = json!({ "subscription_id": subscription, "amount": 1, "currency": "USD" });
    let app_client = client(app, app.organization, public("an-app", &[])).await;
    let new_client = json!({ "name": "New", "kind": "public", "scopes": ["auth"] });
    let sent = json!({ "name": "VAT", "percentage": 19 });
    let rate = at("/tax-rates", &app.post("/tax-rates", &sent).await.data()["id"]);
    let sent = json!({ "code": "SPRING", "percent": 25, "duration": "once" });
    let coupon = at("/coupons", &app.post("/coupons", &sent).await.data()["id"]);
    let sent = json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" });
    let meter = at("/meters", &app.post("/meters", &sent).await.data()["id"]);
    let feature = |key: &str| json!({ "key": key, "name": "SSO", "kind": "boolean" });
    app.post("/features", &feature("sso")).await.expect(201);
    let entitlements = format!("/users/{user}/entitlements");
    let members = format!("{}/members", at(subscriptions, &subscription));
    let new_rate = json!({ "name": "GST", "percentage": 5 });
    let new_coupon = json!({ "code": "SUMMER", "percent": 25, "duration": "once" });
    let new_meter = json!({ "slug": "users", "name": "Users", "aggregation": "count" });
    let usage = json!({ "events": [{ "id": "e", "subscription_id": subscription, "meter": "calls" }] });
    let (profile, credits) = (format!("/users/{user}/billing-profile"), format!("/users/{user}/credits"));
    let billed = json!({ "user_id": user, "subscription_plan_id": "pro", "billing": { "collection": "manual" } });
    let billed = app.post(subscriptions, &billed).await.expect(201).data()["id"].clone();
    let items = json!({ "subscription_id": billed, "lines": [{ "description": "Setup", "unit_price": 50 }] });
    let invoice = at("/invoices", &app.post("/invoices", &items).await.expect(201).data()["id"]);
    let issued = app.request("POST", &format!("{invoice}/finalize")).send().await.expect(200).data()["id"].clone();
    let new_note = json!({ "invoice_id": issued, "amount": 1 });
    let note = at("/credit-notes", &app.post("/credit-notes", &new_note).await.expect(201).data()["id"]);
    let retired = || Some(json!({ "is_active": false }));
    app.plan("free", json!({ "price": 0 })).await;
    let billed = app.subscription(&user, "free", json!({ "billing": { "collection": "manual" } })).await["id"].clone();
    let new_invoice = json!({ "subscription_id": billed, "lines": [{ "description": "Item", "unit_price": 5 }] });
    let mut drafts = Vec::new();
    for _ in 0..5 {
        drafts.push(at("/invoices", &app.post("/invoices", &new_invoice).await.data()["id"]));
    }
    for draft in &drafts[3..] {
        app.request("POST", &format!("{draft}/finalize")).send().await.expect(200);
    }
    vec![
        endpoint("GET", "/invoices", InvoicesRead, None, 200),
        endpoint("GET", &drafts[0], InvoicesRead, None, 200),
        endpoint("POST", "/invoices", InvoicesWrite, Some(new_invoice), 201),
        endpoint("PUT", &drafts[0], InvoicesWrite, Some(json!({ "memo": "Thanks" })), 200),
        endpoint("DELETE", &drafts[1], InvoicesWrite, None, 200),
        endpoint("POST", &format!("{}/finalize", drafts[2]), InvoicesWrite, None, 200),
        endpoint("POST", &format!("{}/void", drafts[3]), InvoicesWrite, None, 200),
        endpoint("POST", &format!("{}/mark-uncollectible", drafts[4]), InvoicesWrite, None, 200),
        endpoint("GET", "/tax-rates", PlansRead, None, 200),
        endpoint("GET", &rate, PlansRead, None, 200),
        endpoint("POST", "/tax-rates", PlansWrite, Some(new_rate), 201),
        endpoint("PUT", &rate, PlansWrite, retired(), 200),
        endpoint("GET", "/coupons", PlansRead, None, 200),
        endpoint("GET", &coupon, PlansRead, None, 200),
        endpoint("POST", "/coupons", PlansWrite, Some(new_coupon), 201),
        endpoint("PUT", &coupon, PlansWrite, retired(), 200),
        endpoint("POST", "/usage-events", UsageWrite, Some(usage), 200),
        endpoint("GET", &format!("{}/usage", at(subscriptions, &subscription)), SubscriptionsRead, None, 200),
        endpoint("GET", "/features", PlansRead, None, 200),
        endpoint("GET", "/features/sso", PlansRead, None, 200),
        endpoint("POST", "/features", PlansWrite, Some(feature("audit")), 201),
        endpoint("PUT", "/features/sso", PlansWrite, retired(), 200),
        endpoint("GET", &entitlements, EntitlementsRead, None, 200),
        endpoint("GET", &format!("{entitlements}/sso"), EntitlementsRead, None, 200),
        endpoint("POST", &format!("/users/{user}/entitlement-token"), EntitlementsRead, Some(json!({})), 200),
        endpoint("GET", &members, SubscriptionsRead, None, 200),
        endpoint("POST", &members, SubscriptionsWrite, Some(json!({ "user_id": held.user_id() })), 201),
        endpoint("DELETE", &format!("{members}/{}", held.user_id()), SubscriptionsWrite, None, 200),
        endpoint("GET", "/meters", PlansRead, None, 200),
        endpoint("GET", &meter, PlansRead, None, 200),
        endpoint("POST", "/meters", PlansWrite, Some(new_meter), 201),
        endpoint("PUT", &meter, PlansWrite, retired(), 200),
        endpoint("GET", &profile, InvoicesRead, None, 200),
        endpoint("PUT", &profile, InvoicesWrite, Some(json!({ "name": "Ada" })), 200),
        endpoint("GET", &credits, InvoicesRead, None, 200),
        endpoint("POST", &credits, InvoicesWrite, Some(json!({ "currency": "USD", "amount": 1 })), 201),
        endpoint("GET", &format!("{invoice}/document"), InvoicesRead, None, 200),
        endpoint("GET", "/credit-notes", InvoicesRead, None, 200),
        endpoint("GET", &note, InvoicesRead, None, 200),
        endpoint("GET", &format!("{note}/document"), InvoicesRead, None, 200),
        endpoint("POST", "/credit-notes", InvoicesWrite, Some(new_note), 201),
        endpoint("GET", "/clients", ClientsWrite, None, 200),
        endpoint("GET", &format!("/clients/{}", app_client.id), ClientsWrite, None, 200),
        endpoint("POST", "/clients", ClientsWrite, Some(new_client), 201),
        endpoint("PUT", &format!("/clients/{}", app_client.id), ClientsWrite, Some(json!({ "name": "App" })), 200),
        endpoint("GET", "/analytics/revenue", AnalyticsRead, None, 200),
        endpoint("GET", "/analytics/movements", AnalyticsRead, None, 200),
        endpoint("GET", "/analytics/cohorts", AnalyticsRead, None, 200),
        endpoint("GET", "/analytics/trials", AnalyticsRead, None, 200),
        endpoint("GET", "/analytics/payments", AnalyticsRead, None, 200),
        endpoint("GET", "/analytics/plans", AnalyticsRead, None, 200),
        endpoint("GET", "/organization", OrganizationRead, None, 200),
        endpoint("PUT", "/organization", OrganizationWrite, Some(json!({ "max_sessions": 3 })), 200),
        endpoint("GET", plans, PlansRead, None, 200),
        endpoint("GET", "/subscription-plans/pro", PlansRead, None, 200),
        endpoint("POST", plans, PlansWrite, Some(plan), 201),
        endpoint("PUT", "/subscription-plans/pro", PlansWrite, Some(json!({ "tier": 1 })), 200),
        endpoint("DELETE", "/subscription-plans/gone", PlansWrite, None, 200),
        endpoint("GET", subscriptions, SubscriptionsRead, None, 200),
        endpoint("GET", &at(subscriptions, &subscription), SubscriptionsRead, None, 200),
        endpoint("GET", &format!("{}/forecast", at(subscriptions, &subscription)), SubscriptionsRead, None, 200),
        endpoint("POST", subscriptions, SubscriptionsWrite, Some(new_subscription), 201),
        endpoint(
            "PUT",
            &at(subscriptions, &subscription),
            SubscriptionsWrite,
            Some(json!({ "is_active": false })),
            200,
        ),
        endpoint("DELETE", &at(subscriptions, &doomed), SubscriptionsWrite, None, 200),
        endpoint("GET", payments, PaymentsRead, None, 200),
        endpoint("GET", &at(payments, &payment), PaymentsRead, None, 200),
        endpoint("POST", payments, PaymentsWrite, Some(new_payment), 201),
        endpoint("PUT", &at(payments, &payment), PaymentsWrite, Some(json!({ "status": "completed" })), 200),
        endpoint("DELETE", &at(payments, &doomed_payment), PaymentsWrite, None, 200),
        endpoint("GET", "/users", UsersRead, None, 200),
        endpoint("POST", "/users", UsersWrite, Some(json!({ "email": "bob@example.com" })), 201),
        endpoint("GET", &eve, UsersRead, None, 200),
        endpoint("PUT", &eve, UsersWrite, Some(json!({ "terms": true })), 200),
        endpoint("GET", &sessions, UsersRead, None, 200),
        endpoint("DELETE", &format!("{sessions}/{}", held.session_id()), UsersWrite, None, 200),
        endpoint("DELETE", &sessions, UsersWrite, None, 200),
        endpoint("DELETE", &eve, UsersWrite, None, 200),
    ]
}

async fn call(app: &TestApp, endpoint: &Endpoint, client_id: &str) -> Answer {
    let request = app.anonymous(endpoint.method, &endpoint.target).header("client-id", client_id);
    let request = match &endpoint.body {
        Some(body) => request.json(body),
        None => request,
    };
    request.send().await
}

fn lacks(answer: Answer, scope: Scope) {
    let answer = answer.refused(403, "insufficient_scope");
    assert_eq!(answer.json["required_scope"], scope.as_str());
    assert!(answer.json["detail"].as_str().unwrap().contains(scope.as_str()));
}

#[tokio::test]
async fn every_operation_requires_exactly_its_scope() {
    let app = TestApp::start().await;
    let endpoints = endpoints(&app).await;
    assert_eq!(endpoints.len(), 77);
    let scopes: Vec<Scope> = ClientKind::Trusted.scopes().iter().collect();
    let only = |scope: Scope| format!("only-{}", scope.as_str());
    let but = |scope: Scope| format!("but-{}", scope.as_str());
    for scope in &scopes {
        let others: Vec<Scope> = scopes.iter().copied().filter(|other| other != scope).collect();
        client(&app, app.organization, trusted(&only(*scope), &[*scope])).await;
        client(&app, app.organization, trusted(&but(*scope), &others)).await;
    }
    let events = app.events().await.len();
    for endpoint in &endpoints {
        lacks(call(&app, endpoint, &credential(&but(endpoint.scope))).await, endpoint.scope);
        for other in scopes.iter().filter(|other| **other != endpoint.scope) {
            lacks(call(&app, endpoint, &credential(&only(*other))).await, endpoint.scope);
        }
    }
    assert_eq!(app.events().await.len(), events, "nothing was changed");
    for endpoint in &endpoints {
        call(&app, endpoint, &credential(&only(endpoint.scope))).await.expect(endpoint.status);
    }
}

#[tokio::test]
async fn a_public_client_reads_plans_and_changes_nothing() {
    let app = TestApp::start().await;
    let endpoints = endpoints(&app).await;
    let events = app.events().await.len();
    for endpoint in &endpoints {
        let answer = call(&app, endpoint, "default").await;
        match endpoint.scope {
            Scope::PlansRead => drop(answer.expect(200)),
            Scope::SubscriptionsRead | Scope::PaymentsRead | Scope::InvoicesRead | Scope::EntitlementsRead => {
                let answer = answer.refused(401, "token_required");
                assert_eq!(answer.header("www-authenticate"), "Bearer", "{}", endpoint.target);
            }
            scope => lacks(answer, scope),
        }
    }
    assert_eq!(app.events().await.len(), events);
}

#[tokio::test]
async fn a_public_client_without_the_scope_of_own_records_needs_no_token() {
    let app = TestApp::start().await;
    client(&app, app.organization, public("shop", &[Scope::Auth])).await;
    for endpoint in endpoints(&app).await {
        let answer = call(&app, &endpoint, "shop").await.refused(403, "insufficient_scope");
        assert!(answer.json["required_scope"].as_str().unwrap().starts_with(endpoint.scope.as_str()));
    }
}

#[tokio::test]
async fn a_bearer_token_gives_a_client_no_scope() {
    let app = TestApp::start().await;
    client(&app, app.organization, trusted("reader", &[Scope::PlansRead])).await;
    for endpoint in endpoints(&app).await.iter().filter(|endpoint| endpoint.scope != Scope::PlansRead) {
        let request = app.anonymous(endpoint.method, &endpoint.target).header("client-id", credential("reader"));
        let request = request.header("authorization", "Bearer eyJhbGciOiJub25lIn0.e30.");
        lacks(request.send().await, endpoint.scope);
    }
}
