//! Operators' sessions, API rules 11.1 and 11.3, and attacks 43 to 45.

use super::support::events;
use perennial_testkit::{SignedInOperator, TestApp};
use serde_json::json;

const SESSION: &str = "/operator-session";

#[tokio::test]
async fn a_session_ends_after_thirty_minutes_without_a_call_and_after_twelve_hours() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "viewer").await;
    assert_eq!(ada.session["idle_expires_at"], "2026-03-10T12:30:00.000000Z");
    assert_eq!(ada.session["fresh_until"], "2026-03-10T12:15:00.000000Z");
    assert_eq!(ada.session["expires_at"], "2026-03-11T00:00:00.000000Z");
    app.advance(29 * 60);
    use_until_noted(&app, &ada).await;
    app.advance(29 * 60);
    ada.get(SESSION).await.expect(200);
    app.advance(31 * 60);
    ada.get(SESSION).await.refused(401, "operator_session_required");

    let busy = app.sign_in_operator(&ada.id).await;
    for _ in 0..35 {
        app.advance(20 * 60);
        use_until_noted(&app, &busy).await;
    }
    app.advance(20 * 60);
    busy.get(SESSION).await.refused(401, "operator_session_required");
}

/// Uses the session until the use is noted, which happens in the background.
async fn use_until_noted(app: &TestApp, operator: &SignedInOperator) {
    for _ in 0..1_000 {
        operator.get(SESSION).await.expect(200);
        let listed = app.get(&format!("/operators/{}/sessions", operator.id)).await.expect(200);
        if listed.data()[0]["last_used_at"] == json!(app.now()) {
            return;
        }
    }
    panic!("the use was not noted");
}

#[tokio::test]
async fn a_sign_out_ends_the_session_and_clears_the_browser() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "viewer").await;
    let answer = ada.delete(SESSION).await.expect(200);
    assert_eq!(*answer.data(), json!({ "success": true }));
    assert_eq!(answer.header("set-cookie"), "perennial-operator=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0");
    assert_eq!(answer.header("clear-site-data"), "\"cache\", \"storage\"");
    ada.get(SESSION).await.refused(401, "operator_session_required");
    ada.delete(SESSION).await.refused(401, "operator_session_required");
    assert_eq!(events(&app, "operator_session.ended").await.len(), 1);
}

#[tokio::test]
async fn attack_43_a_sign_in_makes_a_new_session_and_ends_the_one_of_its_cookie() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "viewer").await;
    let link = app.link(&ada.id).await;
    let again = ada.post(SESSION, &json!({ "link": link })).await.expect(200);
    assert_ne!(again.data()["id"], ada.session["id"]);
    assert!(!again.header("set-cookie").contains(ada.cookie_value()));
    ada.get(SESSION).await.refused(401, "operator_session_required");
    // A cookie that the attacker chose is never adopted.
    let fixed = "perennial-operator=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let link = app.link(&ada.id).await;
    let request = app.console("POST", SESSION).header("cookie", fixed).json(&json!({ "link": link }));
    assert!(!request.send().await.expect(200).header("set-cookie").contains("AAAAAAAA"));
    app.console("GET", SESSION).header("cookie", fixed).send().await.refused(401, "operator_session_required");
    // Two cookies of one name: neither counts.
    let bob = app.sign_in_operator(&ada.id).await;
    bob.request("GET", SESSION).header("cookie", fixed).send().await.refused(401, "operator_session_required");
}

#[tokio::test]
async fn attack_44_sessions_are_listed_and_ended_at_once_on_every_server() {
    let app = TestApp::start().await;
    let second = app.second_server().await;
    let ada = app.signed_in_operator("Ada", "viewer").await;
    let other = app.sign_in_operator(&ada.id).await;
    let place = format!("/operators/{}/sessions", ada.id);
    let listed = app.get(&place).await.expect(200);
    assert_eq!(listed.data().as_array().unwrap().len(), 2);
    assert_eq!(listed.data()[0]["ip_address"], "127.0.0.1");
    let id = ada.session["id"].as_str().unwrap();
    app.delete(&format!("{place}/{id}")).await.expect(200);
    app.delete(&format!("{place}/{id}")).await.refused(404, "not_found");
    ada.get(SESSION).await.refused(401, "operator_session_required");
    if let Some(second) = &second {
        let call = |cookie: &str| second.console("GET", SESSION).header("cookie", cookie);
        call(&ada.cookie).send().await.refused(401, "operator_session_required");
        call(&other.cookie).send().await.expect(200);
    }
    app.put(&format!("/operators/{}", ada.id), &json!({ "is_active": false })).await.expect(200);
    other.get(SESSION).await.refused(401, "operator_session_required");
    assert_eq!(events(&app, "operator_session.ended").await.len(), 2);
    app.delete(&format!("{place}/ops_x")).await.refused(404, "not_found");
}

#[tokio::test]
async fn attack_45_a_viewer_cannot_write_and_a_role_change_takes_effect_at_once() {
    let app = TestApp::start().await;
    let viewer = app.signed_in_operator("Ada", "viewer").await;
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    viewer.get("/subscription-plans").await.expect(200);
    let refused = viewer.post("/subscription-plans", &plan).await.refused(403, "insufficient_scope");
    assert_eq!(refused.json["required_scope"], "plans:write");
    viewer.get("/operators").await.refused(403, "insufficient_scope");
    viewer.get("/subscriptions").await.expect(200);
    let place = format!("/operators/{}", viewer.id);
    app.put(&place, &json!({ "role": "admin" })).await.expect(200);
    viewer.post("/subscription-plans", &plan).await.expect(201);
    app.put(&place, &json!({ "role": "viewer" })).await.expect(200);
    viewer.delete("/subscription-plans/pro").await.refused(403, "insufficient_scope");
}

#[tokio::test]
async fn attack_45_a_change_is_not_committed_after_the_session_has_ended() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    let known = perennial_app::operators::recognize(&app.app, ada.cookie_value()).await.unwrap().unwrap();
    let caller = perennial_app::caller::Caller::operator_with(known, "late");
    // Authorized a moment ago; the session ends before the change is committed.
    app.delete(&format!("/operators/{}/sessions/{}", ada.id, ada.session["id"].as_str().unwrap())).await.expect(200);
    let draft = || perennial_app::operators::OperatorDraft {
        name: perennial_domain::text::Line::parse("Late").ok(),
        role: Some(perennial_app::operators::Role::Viewer),
        is_active: None,
    };
    let none = perennial_domain::validation::ValidationErrors::none;
    let render = |_: &perennial_app::operators::Operator| unreachable_response();
    let late = perennial_app::operators::create(&app.app, &caller, None, draft(), none(), render).await;
    assert_eq!(late.unwrap_err(), perennial_app::error::Error::OperatorSessionRequired);
    // The role changes instead.
    let bob = app.sign_in_operator(&ada.id).await;
    let known = perennial_app::operators::recognize(&app.app, bob.cookie_value()).await.unwrap().unwrap();
    let caller = perennial_app::caller::Caller::operator_with(known, "late");
    app.put(&format!("/operators/{}", ada.id), &json!({ "role": "viewer" })).await.expect(200);
    let late = perennial_app::operators::create(&app.app, &caller, None, draft(), none(), render).await;
    assert_eq!(late.unwrap_err(), perennial_app::error::Conflict::Contended.into());
    assert_eq!(app.get("/operators").await.data().as_array().unwrap().len(), 1);
}

fn unreachable_response() -> perennial_app::idempotency::StoredResponse {
    perennial_app::idempotency::StoredResponse {
        status: 201,
        body: String::new(),
        location: String::new(),
        etag: String::new(),
        replayed: false,
    }
}

#[tokio::test]
async fn changes_of_operators_need_a_sign_in_within_fifteen_minutes() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    let grace = app.operator("Grace", "viewer").await;
    let place = format!("/operators/{grace}");
    app.advance(899);
    ada.put(&place, &json!({ "name": "G." })).await.expect(200);
    app.advance(1);
    ada.post("/operators", &json!({ "name": "X", "role": "viewer" })).await.refused(403, "fresh_sign_in_required");
    ada.put(&place, &json!({ "name": "H." })).await.refused(403, "fresh_sign_in_required");
    ada.delete(&place).await.refused(403, "fresh_sign_in_required");
    ada.request("POST", &format!("{place}/link")).send().await.refused(403, "fresh_sign_in_required");
    ada.request("POST", "/operator-session/connect").send().await.refused(403, "fresh_sign_in_required");
    ada.get("/operators").await.expect(200);
    // A client has no sign-in, and so needs none.
    app.put(&place, &json!({ "name": "I." })).await.expect(200);
}

#[tokio::test]
async fn expired_links_and_sessions_are_removed() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    app.link(&ada.id).await;
    app.advance(601);
    perennial_app::operators::sweep(&app.app).await.unwrap();
    ada.get(SESSION).await.expect(200);
    app.advance(32 * 24 * 3600);
    perennial_app::operators::sweep(&app.app).await.unwrap();
    let due = perennial_store::operator_sessions::due(&app.app.db, app.organization, app.now(), 10).await.unwrap();
    let links = perennial_store::operator_links::due(&app.app.db, app.organization, app.now(), 10).await.unwrap();
    assert!(due.is_empty() && links.is_empty());
}
