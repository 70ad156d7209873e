//! Sessions of the portal are sessions of the user: listed, revocable, and over after half an hour or half a day. API rules 20.3.

use super::support::{Customer, html, submit};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

async fn listed(app: &TestApp, user: &str) -> Vec<Value> {
    let answer = app.get(&format!("/users/{user}/sessions")).await.expect(200);
    answer.data().as_array().unwrap().clone()
}

/// Visits until the use, which is noted in the background, is there. A visit during the note of the one before notes nothing.
async fn noted(customer: &Customer<'_>, field: &str, expected: &str) {
    let mut found = Value::Null;
    for _ in 0..1_000 {
        customer.get("/portal/payments").await.expect(200);
        found = listed(customer.app, &customer.user).await[0][field].clone();
        if found == expected {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("{field} is {found}, not {expected}");
}

#[tokio::test]
async fn a_session_of_the_portal_is_in_every_list_and_revocable() {
    let app = TestApp::start().await;
    let held = app.sign_up("ada@example.com").await;
    let customer = Customer::enter_as(&app, held.user_id(), &json!({})).await;
    let sessions = listed(&app, held.user_id()).await;
    assert_eq!(sessions.len(), 2);
    let portal = sessions.iter().find(|session| session["client_name"] == "Customer portal").unwrap();
    assert_eq!(portal["client_id"], Value::Null);
    assert_eq!(portal["expiration_time"], "2026-03-10T12:30:00.000000Z");
    let own = app.browser("GET", "/authentication/tokens").bearer(&held.token).send().await.expect(200);
    let names: Vec<_> = own.data()["tokens"].as_array().unwrap().iter().map(|one| one["client_name"].clone()).collect();
    assert!(names.contains(&json!("Customer portal")), "{names:?}");
    let events = app.events().await;
    let mut created =
        events.iter().filter(|event| event.kind.as_str() == "session.created" && event.client_id.is_none());
    assert!(created.next().unwrap().after.as_ref().unwrap().contains("\"client_id\":null"));
    app.delete(&format!("/users/{}/sessions/{}", held.user_id(), portal["id"].as_str().unwrap())).await.expect(200);
    let answer = customer.get("/portal/").await.expect(303);
    assert_eq!(answer.header("location"), format!("/portal/sign-in/{}", app.organization));
}

#[tokio::test]
async fn a_session_ends_after_thirty_minutes_without_use_and_after_twelve_hours() {
    let app = TestApp::start().await;
    let customer = Customer::enter(&app, "ada@example.com").await;
    app.advance(1_799);
    customer.get("/portal/").await.expect(200);
    // The use is noted in the background.
    noted(&customer, "expiration_time", "2026-03-10T12:59:59.000000Z").await;
    app.advance(1_800);
    customer.get("/portal/").await.expect(303);
    assert_eq!(listed(&app, &customer.user).await.len(), 0);

    let customer = Customer::enter_as(&app, &customer.user, &json!({})).await;
    for _ in 0..24 {
        app.advance(1_790);
        customer.get("/portal/").await.expect(200);
        noted(&customer, "last_used_at", &app.now().to_string()).await;
    }
    app.advance(240);
    customer.get("/portal/").await.expect(303);
}

#[tokio::test]
async fn a_customer_ends_sessions() {
    let app = TestApp::start().await;
    let held = app.sign_up("ada@example.com").await;
    let other = app.sign_in("ada@example.com").await;
    let customer = Customer::enter_as(&app, held.user_id(), &json!({})).await;
    let page = html(&customer.get("/portal/sessions").await.expect(200));
    assert_eq!(page.matches("End session").count(), 2);
    customer.submit(&format!("/portal/sessions/{}/end", held.session_id())).await.expect(303);
    app.logged_in(&held.token).await.expect(401);
    app.logged_in(&other.token).await.expect(200);
    customer.submit("/portal/sessions/end-others").await.expect(303);
    app.logged_in(&other.token).await.expect(401);
    customer.get("/portal/").await.expect(200);
    assert_eq!(listed(&app, held.user_id()).await.len(), 1);
    // A user without an identity, whom no provider knows.
    let second = Customer::enter(&app, "made@example.com").await;
    let third = Customer::enter_as(&app, &second.user, &json!({})).await;
    third.submit("/portal/sessions/end-others").await.expect(303);
    second.get("/portal/").await.expect(303);
}

#[tokio::test]
async fn signing_out_ends_the_session_and_clears_the_browser() {
    let app = TestApp::start().await;
    let customer = Customer::enter(&app, "ada@example.com").await;
    let answer = customer.submit("/portal/sign-out").await.expect(303);
    assert_eq!(answer.header("location"), format!("/portal/sign-in/{}", app.organization));
    assert!(answer.header("set-cookie").starts_with("perennial-portal=; "));
    assert_eq!(answer.header("clear-site-data"), "\"cache\", \"storage\"");
    customer.get("/portal/").await.expect(303);
    assert_eq!(listed(&app, &customer.user).await.len(), 0);
}

#[tokio::test]
async fn attack_64_a_sign_in_makes_a_new_session_and_ends_the_one_of_its_cookie() {
    let app = TestApp::start().await;
    let first = Customer::enter(&app, "ada@example.com").await;
    let path = super::support::link(&app, &first.user, &json!({})).await;
    let answer = submit(&app, &path, "").header("cookie", &first.cookie).send().await.expect(303);
    let second = Customer { app: &app, user: first.user.clone(), cookie: super::support::cookie(&answer) };
    assert_ne!(first.cookie, second.cookie);
    first.get("/portal/").await.expect(303);
    second.get("/portal/").await.expect(200);
    // Two cookies of one name count as none, and so does a changed one.
    let both = format!("{}; {}", second.cookie, first.cookie);
    super::support::visit(&app, "/portal/").header("cookie", both).send().await.expect(303);
    super::support::visit(&app, "/portal/").header("cookie", format!("{}A", second.cookie)).send().await.expect(303);
    // A cookie of a session is not one of the API, and a token of the API is none of the portal.
    let value = second.cookie.split_once('=').unwrap().1;
    app.logged_in(value).await.expect(401);
}

#[tokio::test]
async fn a_blocked_user_is_signed_out_of_the_portal() {
    let app = TestApp::start().await;
    let customer = Customer::enter(&app, "ada@example.com").await;
    app.put(&format!("/users/{}", customer.user), &json!({ "is_blocked": true })).await.expect(200);
    customer.get("/portal/").await.expect(303);
}
