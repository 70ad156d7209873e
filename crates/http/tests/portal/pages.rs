//! Pages and forms of the portal, API rules 20.3 to 20.5, and attacks 60 to 63.

use super::support::{Customer, html, submit, visit};
use perennial_http::{ApiOptions, PortalOptions, Site};
use perennial_testkit::{TestApp, TestOptions};
use serde_json::{Value, json};

const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

async fn subscription(app: &TestApp, user: &str, changes: Value) -> String {
    app.subscription(user, "pro", changes).await["id"].as_str().unwrap().to_owned()
}

async fn status(app: &TestApp, id: &str) -> Value {
    app.get(&format!("/subscriptions/{id}")).await.expect(200).data().clone()
}

#[tokio::test]
async fn a_customer_sees_subscriptions_payments_and_sessions() {
    let app = TestApp::start().await;
    app.plan("pro", json!({ "name": "Pro", "price": 29, "billing_cycle": "monthly" })).await;
    let customer = Customer::enter(&app, "ada@example.com").await;
    assert!(html(&customer.get("/portal/").await.expect(200)).contains("You have no subscriptions."));
    let id = subscription(&app, &customer.user, json!({ "quantity": 3 })).await;
    app.payment(&id, json!({ "amount": 87, "currency": "USD", "status": "completed" })).await;
    let page = html(&customer.get("/portal/").await.expect(200));
    for text in ["<h1 dir=\"auto\">Your subscriptions</h1>", "$87.00 a month", "quantity 3", "April 10, 2026", "Active"]
    {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(page.contains("Signed in as <bdi>ada@example.com</bdi>"));
    let page = html(&customer.get("/portal/payments").await.expect(200));
    for text in ["Payments and invoices", "March 10, 2026", "Pro", "Paid", "$87.00"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let page = html(&customer.get("/portal/sessions").await.expect(200));
    for text in ["Signed-in devices", "Customer portal", "This device"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert_eq!(page.matches("<h1").count(), 1);
}

#[tokio::test]
async fn payments_for_all_subscriptions_of_a_user_are_listed_newest_first() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let ada = Customer::enter(&app, "ada@example.com").await;
    let others = Customer::enter(&app, "eve@example.com").await;
    let (first, second) =
        (subscription(&app, &ada.user, json!({})).await, subscription(&app, &ada.user, json!({})).await);
    let other = subscription(&app, &others.user, json!({})).await;
    for number in 1..=30 {
        let id = if number % 2 == 0 { &first } else { &second };
        app.payment(id, json!({ "amount": number, "currency": "USD", "status": "completed" })).await;
        app.advance(1);
    }
    app.payment(&other, json!({ "amount": 99, "currency": "USD", "status": "completed" })).await;
    let page = html(&ada.get("/portal/payments").await.expect(200));
    let amount = |number: i32| format!("${number}.00");
    assert!((6..=30).all(|number| page.contains(&amount(number))) && !page.contains(">$5.00"), "{page}");
    assert!(page.find(&amount(30)) < page.find(&amount(29)), "the newest come first");
    let older = page.split("/portal/payments?cursor=").nth(1).unwrap().split('"').next().unwrap();
    let page = html(&ada.get(&format!("/portal/payments?cursor={older}")).await.expect(200));
    assert!((1..=5).all(|number| page.contains(&amount(number))) && !page.contains("cursor="), "{page}");
    assert!(!page.contains("$99.00"));
}

#[tokio::test]
async fn the_price_is_that_of_the_version_of_the_subscription() {
    let app = TestApp::start().await;
    app.plan("pro", json!({ "name": "Pro", "price": 29, "billing_cycle": "monthly" })).await;
    let customer = Customer::enter(&app, "ada@example.com").await;
    subscription(&app, &customer.user, json!({})).await;
    app.put("/subscription-plans/pro", &json!({ "price": 35 })).await.expect(200);
    assert!(html(&customer.get("/portal/").await.expect(200)).contains("$29.00 a month"));
}

#[tokio::test]
async fn a_customer_cancels_at_the_end_of_the_period_and_resumes() {
    let app = TestApp::start().await;
    app.plan("pro", json!({ "name": "Pro" })).await;
    let customer = Customer::enter(&app, "ada@example.com").await;
    let id = subscription(&app, &customer.user, json!({})).await;
    let place = format!("/portal/subscriptions/{id}/cancel");
    let page = html(&customer.get(&place).await.expect(200));
    for text in ["Cancel Pro?", "Access continues until", "April 10, 2026", "Keep subscription", "Cancel subscription"]
    {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert_eq!(status(&app, &id).await["status"], "active");
    assert_eq!(customer.submit(&place).await.expect(303).header("location"), "/portal/");
    let cancelled = status(&app, &id).await;
    assert_eq!((&cancelled["status"], &cancelled["has_access"]), (&json!("cancelled"), &json!(true)));
    assert_eq!(cancelled["ends_at"], "2026-04-10T12:00:00.000000Z");
    let page = html(&customer.get("/portal/").await.expect(200));
    assert!(
        page.contains("Cancelled") && page.contains("Resume subscription") && !page.contains("Cancel subscription")
    );
    // Cancelling again changes nothing.
    customer.submit(&place).await.expect(303);
    customer.submit(&format!("/portal/subscriptions/{id}/resume")).await.expect(303);
    let resumed = status(&app, &id).await;
    assert_eq!((&resumed["status"], &resumed["ends_at"]), (&json!("active"), &Value::Null));
    let events = app.events().await;
    let updates: Vec<_> = events.iter().filter(|event| event.kind.as_str() == "subscription.updated").collect();
    assert_eq!(updates.len(), 2);
    assert!(updates.iter().all(|event| event.client_id.is_none() && event.operator_id.is_none()));
    assert!(updates.iter().all(|event| event.request_id.is_some()));
}

#[tokio::test]
async fn the_organization_decides_what_is_offered() {
    let app = TestApp::start().await;
    let plan = json!({ "name": "Pro", "href": "https://shop.example.com/change" });
    app.plan("pro", plan).await;
    let customer = Customer::enter(&app, "ada@example.com").await;
    let id = subscription(&app, &customer.user, json!({})).await;
    let place = format!("/portal/subscriptions/{id}/cancel");
    let settings = json!({ "portal": { "cancel": "off", "change": "link", "name": "Acme & Co", "accent": "#1D4ED8" } });
    app.put("/organization", &settings).await.expect(200);
    let page = html(&customer.get("/portal/").await.expect(200));
    assert!(!page.contains("Cancel subscription") && page.contains("Acme &amp; Co"));
    assert!(page.contains("href=\"https://shop.example.com/change\"") && page.contains("-1d4ed8.css"));
    assert_eq!(customer.get(&place).await.expect(303).header("location"), "/portal/");
    // A form that is not offered changes nothing.
    customer.submit(&place).await.expect(303);
    assert_eq!(status(&app, &id).await["status"], "active");
    app.put("/organization", &json!({ "portal": { "cancel": "now", "resume": false } })).await.expect(200);
    assert!(html(&customer.get(&place).await.expect(200)).contains("Access ends now."));
    customer.submit(&place).await.expect(303);
    let cancelled = status(&app, &id).await;
    assert_eq!(
        (&cancelled["has_access"], &cancelled["ends_at"]),
        (&json!(false), &json!("2026-03-10T12:00:00.000000Z"))
    );
    customer.submit(&format!("/portal/subscriptions/{id}/resume")).await.expect(303);
    assert_eq!(status(&app, &id).await["status"], "cancelled");
}

#[tokio::test]
async fn attack_60_a_form_needs_our_origin_and_the_token_of_the_session() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let (ada, eve) = (Customer::enter(&app, "ada@example.com").await, Customer::enter(&app, "eve@example.com").await);
    let id = subscription(&app, &ada.user, json!({})).await;
    let place = format!("/portal/subscriptions/{id}/cancel");
    let (own, other) = (ada.token().await, eve.token().await);
    assert_ne!(own, other);
    let form = |token: &str| submit(&app, &place, &format!("token={token}")).header("cookie", &ada.cookie);
    for request in [
        form(&own).without("sec-fetch-site"),
        form(&own).without("sec-fetch-site").header("sec-fetch-site", "cross-site"),
        form(&own).without("sec-fetch-site").header("sec-fetch-site", "same-site"),
        form(&own).without("sec-fetch-site").header("sec-fetch-site", "none"),
        form(&own).without("sec-fetch-site").header("origin", "https://evil.example"),
        form(&own).without("sec-fetch-site").header("origin", "null"),
        form(""),
        form(&other),
        form(&format!("{own}&token={own}")),
        submit(&app, &place, "").header("cookie", &ada.cookie),
    ] {
        let answer = request.send().await.expect(403);
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    }
    for target in ["/portal/sign-out", "/portal/sessions/end-others"] {
        submit(&app, target, "token=x").header("cookie", &ada.cookie).send().await.expect(403);
    }
    assert_eq!(status(&app, &id).await["status"], "active");
    ada.get("/portal/").await.expect(200);
    // Without a session the browser is sent to the sign-in, and nothing is written.
    let answer = submit(&app, &place, &format!("token={own}")).send().await.expect(303);
    assert_eq!(answer.header("location"), "/portal/sign-in");
    assert_eq!(status(&app, &id).await["status"], "active");
    form(&own).without("host").header("host", "evil.example").send().await.expect(421);
    form(&own).send().await.expect(303);
    assert_eq!(status(&app, &id).await["status"], "cancelled");
}

#[tokio::test]
async fn attack_61_another_customers_records_are_not_found() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let (ada, eve) = (Customer::enter(&app, "ada@example.com").await, Customer::enter(&app, "eve@example.com").await);
    let id = subscription(&app, &ada.user, json!({})).await;
    app.payment(&id, json!({ "amount": 12.34, "currency": "USD", "status": "completed" })).await;
    eve.get(&format!("/portal/subscriptions/{id}/cancel")).await.expect(404);
    eve.submit(&format!("/portal/subscriptions/{id}/cancel")).await.expect(404);
    eve.submit(&format!("/portal/subscriptions/{id}/resume")).await.expect(404);
    assert_eq!(status(&app, &id).await["status"], "active");
    assert!(!html(&eve.get("/portal/payments").await.expect(200)).contains("12.34"));
    let sessions = app.get(&format!("/users/{}/sessions", ada.user)).await.expect(200);
    let session = sessions.data()[0]["id"].as_str().unwrap().to_owned();
    eve.submit(&format!("/portal/sessions/{session}/end")).await.expect(404);
    ada.get("/portal/").await.expect(200);
    for target in ["/portal/subscriptions/sub_nothing/cancel", "/portal/nothing", "/portal/sessions/x/y"] {
        eve.get(target).await.expect(404);
    }
}

#[tokio::test]
async fn attack_62_hostile_text_stays_text() {
    let app = TestApp::start().await;
    let evil = "<script>alert(1)</script>\"'><img src=x>";
    app.plan("pro", json!({ "name": evil })).await;
    app.put("/organization", &json!({ "portal": { "name": evil } })).await.expect(200);
    let user = app.user("eve@example.com").await;
    let path = super::support::link(&app, &user, &json!({})).await;
    let entered = submit(&app, &path, "").header("user-agent", evil).send().await.expect(303);
    let customer = Customer { app: &app, user: user.clone(), cookie: super::support::cookie(&entered) };
    let id = subscription(&app, &user, json!({})).await;
    app.payment(&id, json!({})).await;
    let cancel = format!("/portal/subscriptions/{id}/cancel");
    for target in ["/portal/", "/portal/payments", "/portal/sessions", &cancel] {
        let page = html(&customer.get(target).await.expect(200));
        assert!(page.contains("&lt;script&gt;"), "{target}: {page}");
        assert!(!page.contains("<script") && !page.contains("<img"), "{target}: {page}");
    }
}

#[tokio::test]
async fn attack_63_every_response_below_the_portal_has_its_headers() {
    let app = TestApp::start().await;
    let customer = Customer::enter(&app, "ada@example.com").await;
    for (target, status) in [
        ("/portal", 308),
        ("/portal/", 200),
        ("/portal/payments", 200),
        ("/portal/sessions", 200),
        ("/portal/sign-in", 200),
        ("/portal/enter/plk_x", 410),
        ("/portal/nothing", 404),
        ("/portal/sign-out", 405),
        ("/portal/oidc/callback", 400),
    ] {
        let answer = customer.get(target).await.expect(status);
        for (name, value) in [
            ("content-security-policy", POLICY),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=()"),
            ("cache-control", "no-store"),
            ("strict-transport-security", ""),
        ] {
            assert_eq!(answer.header(name), value, "{target}: {name}");
        }
        let page = html(&answer);
        assert!(!page.contains("<script") && !page.contains(" style="), "{target}: {page}");
        let handlers = [" onclick=", " onload=", " onerror=", " onsubmit="];
        assert!(!handlers.iter().any(|handler| page.contains(handler)), "{target}: {page}");
        assert!(page.len() < 10_000, "{target} has {} bytes", page.len());
    }
    let misdirected = app.anonymous("GET", "/portal/").header("host", "evil.example").send().await.expect(421);
    assert_eq!(misdirected.header("content-security-policy"), POLICY);
    app.anonymous("PUT", "/portal/").header("host", app.address.to_string()).send().await.expect(405);
}

#[tokio::test]
async fn over_https_the_cookie_has_its_prefix_and_browsers_stay_there() {
    let portal = PortalOptions { sites: vec![Site::https("billing.example.com")], is_https: true };
    let options = TestOptions::default();
    let api = ApiOptions { portal, ..options.api };
    let app = TestApp::with(TestOptions { api, ..TestOptions::default() }).await;
    let user = app.user("ada@example.com").await;
    let path = super::support::link(&app, &user, &json!({})).await;
    let request = submit(&app, &path, "").without("host").header("host", "billing.example.com");
    let answer = request.send().await.expect(303);
    let set = answer.header("set-cookie");
    assert!(set.starts_with("__Host-perennial-portal="), "{set}");
    assert!(set.ends_with("; HttpOnly; SameSite=Lax; Path=/; Secure"), "{set}");
    assert_eq!(answer.header("strict-transport-security"), "max-age=31536000");
    let plain = submit(&app, &super::support::link(&app, &user, &json!({})).await, "").send().await.expect(303);
    assert!(plain.header("set-cookie").starts_with("perennial-portal="));
    assert!(plain.header("set-cookie").ends_with("; HttpOnly; SameSite=Lax; Path=/"));
}

#[tokio::test]
async fn the_style_sheet_has_the_color_of_the_organization() {
    let app = TestApp::start().await;
    let customer = Customer::enter(&app, "ada@example.com").await;
    let page = html(&customer.get("/portal/").await.expect(200));
    let (_, rest) = page.split_once("rel=\"stylesheet\" href=\"").unwrap();
    let place = rest.split('"').next().unwrap();
    let style = visit(&app, place).send().await.expect(200);
    assert_eq!(style.header("content-type"), "text/css; charset=utf-8");
    assert_eq!(style.header("cache-control"), "public, max-age=31536000, immutable");
    assert!(html(&style).starts_with(":root{--accent:#17734b}"));
    for wrong in [
        place.replace("17734b", "ffffff"),
        place.replace("17734b", "17734B"),
        place.replace("17734b", "red;}"),
        place.replace('-', ""),
        "/portal/style/0000000000000000-17734b.css".to_owned(),
    ] {
        visit(&app, &wrong).send().await.expect(404);
    }
}
