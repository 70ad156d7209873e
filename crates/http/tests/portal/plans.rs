//! The portal shows what a user has and lets billed subscriptions change their plan, API rules 20.4 (`docs/api.md`).

use super::support::{Customer, html};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

async fn start() -> TestApp {
    let app = TestApp::start().await;
    app.put("/organization", &json!({ "portal": { "change": "next_period" } })).await.expect(200);
    app.plan("basic", json!({ "name": "Basic", "price": 10 })).await;
    app.plan("pro", json!({ "name": "Pro", "price": 29, "features": "SSO, audit log" })).await;
    app.plan("euro", json!({ "name": "Euro", "currency": "EUR" })).await;
    app.plan("old", json!({ "name": "Old", "is_active": false })).await;
    app.plan("once", json!({ "name": "Once", "billing_cycle": "lifetime" })).await;
    app
}

async fn billed(app: &TestApp, user: &str) -> String {
    let billing = json!({ "billing": { "collection": "manual" } });
    app.subscription(user, "basic", billing).await["id"].as_str().unwrap().to_owned()
}

async fn change(app: &TestApp, id: &str) -> Value {
    app.get(&format!("/subscriptions/{id}")).await.expect(200).data()["billing"]["change"].clone()
}

async fn plan_id(app: &TestApp, slug: &str) -> String {
    app.get(&format!("/subscription-plans/{slug}")).await.expect(200).data()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_customer_chooses_the_plan_of_the_next_period_and_takes_it_back() {
    let app = start().await;
    let customer = Customer::enter(&app, "ada@example.com").await;
    let id = billed(&app, &customer.user).await;
    let place = format!("/portal/subscriptions/{id}/change");
    assert!(html(&customer.get("/portal/").await.expect(200)).contains(&place));
    let page = html(&customer.get(&place).await.expect(200));
    for text in ["Change Basic", "Change to Pro, $29.00 a month", "<li dir=\"auto\">audit log</li>", "April 10, 2026"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    for text in ["Euro", "Old", "Once", "Change to Basic", "Keep current plan"] {
        assert!(!page.contains(text), "{text}: {page}");
    }
    let pro = plan_id(&app, "pro").await;
    let answer = customer.submit(&format!("{place}/{pro}")).await.expect(303);
    assert_eq!(answer.header("location"), "/portal/");
    assert_eq!(change(&app, &id).await["subscription_plan_id"], json!(pro));
    let page = html(&customer.get("/portal/").await.expect(200));
    assert!(page.contains("Changes to") && page.contains("Pro"), "{page}");
    let page = html(&customer.get(&place).await.expect(200));
    assert!(page.contains("Your next plan") && page.contains("Keep current plan"), "{page}");
    customer.submit(&format!("/portal/subscriptions/{id}/keep-plan")).await.expect(303);
    assert_eq!(change(&app, &id).await, Value::Null);
}

#[tokio::test]
async fn only_what_is_offered_can_be_chosen() {
    let app = start().await;
    let customer = Customer::enter(&app, "ada@example.com").await;
    let id = billed(&app, &customer.user).await;
    let place = format!("/portal/subscriptions/{id}/change");
    for slug in ["euro", "old", "once", "basic"] {
        let plan = plan_id(&app, slug).await;
        customer.submit(&format!("{place}/{plan}")).await.expect(404);
    }
    customer.submit(&format!("{place}/unknown")).await.expect(404);
    assert_eq!(change(&app, &id).await, Value::Null);
    // Another user's subscription does not exist, and an external one does not change with a period.
    let other = Customer::enter(&app, "eve@example.com").await;
    let pro = plan_id(&app, "pro").await;
    other.get(&place).await.expect(404);
    other.submit(&format!("{place}/{pro}")).await.expect(404);
    let external = app.subscription(&other.user, "basic", json!({})).await["id"].as_str().unwrap().to_owned();
    other.get(&format!("/portal/subscriptions/{external}/change")).await.expect(303);
    app.put("/organization", &json!({ "portal": { "change": "off" } })).await.expect(200);
    customer.get(&place).await.expect(303);
    customer.submit(&format!("{place}/{pro}")).await.expect(303);
    assert_eq!(change(&app, &id).await, Value::Null, "nothing changes if it is not offered");
    customer.get(&format!("{place}/{pro}")).await.expect(405);
    customer.submit(&place).await.expect(405);
}

#[tokio::test]
async fn a_customer_sees_what_is_included_and_what_is_used() {
    let app = TestApp::start().await;
    let customer = Customer::enter(&app, "ada@example.com").await;
    app.post("/meters", &json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
    for feature in [
        json!({ "key": "sso", "name": "Single <sign>-on", "kind": "boolean" }),
        json!({ "key": "audit", "name": "Audit log", "kind": "boolean" }),
        json!({ "key": "projects", "name": "Projects", "kind": "limit" }),
        json!({ "key": "api", "name": "API calls", "kind": "quota", "meter": "calls" }),
    ] {
        app.post("/features", &feature).await.expect(201);
    }
    assert!(!html(&customer.get("/portal/").await.expect(200)).contains("What is included"));
    let grants = json!({ "sso": true, "audit": false, "projects": "unlimited", "api": 1_000_000 });
    app.plan("pro", json!({ "entitlements": grants })).await;
    let id = app.subscription(&customer.user, "pro", json!({})).await["id"].clone();
    let event = json!({ "id": "e", "subscription_id": id, "meter": "calls", "value": 12_500.5 });
    app.post("/usage-events", &json!({ "events": [event] })).await.expect(200);
    let page = html(&customer.get("/portal/").await.expect(200));
    for text in [
        "What is included",
        "Single &lt;sign&gt;-on",
        "unlimited",
        "12,500.5 of 1,000,000 used",
        "max=\"1000000\" value=\"12500.5\"",
        "Resets on",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains("Audit log"), "what is denied is not included");
    let other = Customer::enter(&app, "eve@example.com").await;
    assert!(!html(&other.get("/portal/").await.expect(200)).contains("What is included"));
}

#[tokio::test]
async fn the_card_of_a_plan_lists_what_it_would_give() {
    let app = start().await;
    let customer = Customer::enter(&app, "ada@example.com").await;
    app.post("/meters", &json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
    for feature in [
        json!({ "key": "sso", "name": "Single <sign>-on", "kind": "boolean" }),
        json!({ "key": "audit", "name": "Audit log", "kind": "boolean" }),
        json!({ "key": "old", "name": "Retired", "kind": "boolean", "is_active": false }),
        json!({ "key": "projects", "name": "Projects", "kind": "limit", "per_unit": true }),
        json!({ "key": "files", "name": "Files", "kind": "limit" }),
        json!({ "key": "api", "name": "API calls", "kind": "quota", "meter": "calls", "period": "month" }),
    ] {
        app.post("/features", &feature).await.expect(201);
    }
    let grants =
        json!({ "sso": true, "audit": false, "old": true, "projects": 500, "files": "unlimited", "api": 25_000 });
    app.put("/subscription-plans/pro", &json!({ "entitlements": grants })).await.expect(200);
    let changes = json!({ "billing": { "collection": "manual" }, "quantity": 3 });
    let id = app.subscription(&customer.user, "basic", changes).await["id"].as_str().unwrap().to_owned();
    let page = html(&customer.get(&format!("/portal/subscriptions/{id}/change")).await.expect(200));
    for text in [
        "Single &lt;sign&gt;-on</span><span>Included</span>",
        "Projects</span><span>1,500</span>",
        "Files</span><span>unlimited</span>",
        "API calls</span><span>25,000 a month</span>",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    for text in ["Audit log</span>", "Retired"] {
        assert!(!page.contains(text), "{text}: {page}");
    }
}
