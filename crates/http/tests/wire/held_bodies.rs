//! API rules 2.2 (`docs/api.md`): a disabled or expired client changes nothing, however slowly its body arrives.
//! `expect: 100-continue` shows when a request has passed the first check: the server requests the body after it.

use super::support::{Peer, Records, client, plan_body, text};
use perennial_app::clients;
use perennial_domain::clients::{ClientKind, ClientPatch, Scope, Scopes};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

const CREDENTIAL: &str = "pk_HeldHeldHeldHeldHeldHeldHeldHeld";
const PUBLIC: &str = "held";
/// A change to a client takes effect within this many seconds.
const WITHIN: i64 = 5;

/// A request whose client has been accepted and whose body has not been sent.
struct Held {
    peer: Peer,
    body: String,
}

impl Held {
    async fn begin(app: &TestApp, client_id: &str, line: &str, headers: &str, body: &Value) -> Self {
        let body = body.to_string();
        let mut peer = Peer::connect(app).await;
        peer.send(format!(
            "{line} HTTP/1.1\r\nhost: a\r\nclient-id: {client_id}\r\ncontent-type: application/json\r\n{headers}\
             content-length: {}\r\nexpect: 100-continue\r\n\r\n",
            body.len()
        ))
        .await;
        assert_eq!(peer.head().await.unwrap().0, 100, "{line}");
        Self { peer, body }
    }

    async fn end(mut self) -> (u16, String) {
        self.peer.send(&self.body).await;
        let answer = self.peer.answer().await;
        (answer.status, if answer.status < 400 { String::new() } else { answer.code() })
    }
}

/// One held request for each change that a trusted client can make.
async fn held_changes(app: &TestApp, records: &Records) -> Vec<Held> {
    let subscription = text(&records.subscription, "id");
    let payment = json!({ "subscription_id": subscription, "amount": 1, "currency": "USD" });
    let mut held = Vec::new();
    for (line, body) in [
        ("POST /subscription-plans".to_owned(), plan_body("late", &json!({}))),
        ("PUT /subscription-plans/pro".to_owned(), json!({ "tier": 7 })),
        ("POST /subscriptions".to_owned(), json!({ "user_id": records.user, "subscription_plan_id": "pro" })),
        (format!("PUT {}", records.subscription_path()), json!({ "status": "paused" })),
        (format!("DELETE {}", records.subscription_path()), json!({})),
        ("POST /subscription-payments".to_owned(), payment),
        (format!("PUT {}", records.payment_path()), json!({ "amount": 7 })),
        (format!("DELETE {}", records.payment_path()), json!({})),
    ] {
        held.push(Held::begin(app, CREDENTIAL, &line, "", &body).await);
    }
    held
}

#[tokio::test]
async fn a_client_that_was_disabled_commits_nothing_after_five_seconds() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let scopes = [Scope::PlansWrite, Scope::SubscriptionsWrite, Scope::PaymentsWrite];
    let made = client(&app, CREDENTIAL, &scopes, &[]).await;
    let held = held_changes(&app, &records).await;
    clients::disable(&app.app, app.organization, made.id).await.unwrap();
    app.advance(WITHIN);
    let events = app.events().await.len();
    for request in held {
        assert_eq!(request.end().await, (401, "invalid_client".to_owned()));
    }
    assert_eq!(app.events().await.len(), events, "nothing was changed");
}

/// A caller that has lost a scope does not grant it, although the caller held the scope when the request began.
#[tokio::test]
async fn a_client_that_has_lost_a_scope_does_not_grant_it_after_five_seconds() {
    let app = TestApp::start().await;
    let scopes = [Scope::ClientsWrite, Scope::PaymentsWrite];
    let made = client(&app, CREDENTIAL, &scopes, &[]).await;
    let target = client(&app, PUBLIC, &[], &[]).await;
    let server = json!({ "name": "late", "kind": "trusted", "scopes": ["payments:write"] });
    let create = Held::begin(&app, CREDENTIAL, "POST /clients", "", &server).await;
    let trusted = client(&app, "pk_OtherOtherOtherOtherOtherOtherOth", &[], &[]).await;
    let line = format!("PUT /clients/{}", trusted.id);
    let update = Held::begin(&app, CREDENTIAL, &line, "", &json!({ "scopes": ["payments:write"] })).await;
    let line = format!("PUT /clients/{}", target.id);
    let rename = Held::begin(&app, CREDENTIAL, &line, "", &json!({ "name": "renamed" })).await;
    let patch = ClientPatch { scopes: Some(Scopes::of(&[Scope::ClientsWrite]).into()), ..ClientPatch::default() };
    clients::update(&app.app, app.organization, made.id, &patch).await.unwrap();
    app.advance(WITHIN);
    let events = app.events().await.len();
    for request in [create, update] {
        assert_eq!(request.end().await, (403, "insufficient_scope".to_owned()));
    }
    assert_eq!(app.events().await.len(), events, "nothing was changed");
    assert_eq!(rename.end().await.0, 200, "a change that grants nothing is allowed");
}

/// A role is a grant of its scopes, and so is a link for an operator.
#[tokio::test]
async fn a_client_that_has_lost_a_scope_does_not_grant_a_role_with_it_after_five_seconds() {
    let app = TestApp::start().await;
    let scopes: Vec<Scope> = ClientKind::Trusted.scopes().iter().collect();
    let made = client(&app, CREDENTIAL, &scopes, &[]).await;
    let (ada, grace) = (app.operator("Ada", "viewer").await, app.operator("Grace", "viewer").await);
    let begin = async |line: String, body: Value| Held::begin(&app, CREDENTIAL, &line, "", &body).await;
    let create = begin("POST /operators".to_owned(), json!({ "name": "Late", "role": "admin" })).await;
    let promote = begin(format!("PUT /operators/{ada}"), json!({ "role": "support" })).await;
    let link = begin(format!("POST /operators/{ada}/link"), json!({})).await;
    let rename = begin(format!("PUT /operators/{grace}"), json!({ "name": "Hopper" })).await;
    let patch = ClientPatch { scopes: Some(Scopes::of(&[Scope::ClientsWrite]).into()), ..ClientPatch::default() };
    clients::update(&app.app, app.organization, made.id, &patch).await.unwrap();
    app.advance(WITHIN);
    let events = app.events().await.len();
    for request in [create, promote, link] {
        assert_eq!(request.end().await, (403, "insufficient_scope".to_owned()));
    }
    assert_eq!(app.events().await.len(), events, "nothing was changed");
    assert_eq!(rename.end().await.0, 200, "a change that grants nothing is allowed");
}

#[tokio::test]
async fn a_client_that_has_expired_commits_nothing() {
    let app = TestApp::start().await;
    let new = clients::NewClient {
        name: perennial_domain::clients::ClientName::parse("brief").unwrap(),
        presents: clients::Presents::Trusted(clients::Credential::chosen(CREDENTIAL).unwrap()),
        scopes: Scopes::of(&[Scope::PlansWrite]),
        origins: vec![],
        cidrs: vec![],
        expires_at: Some(app.now().plus_seconds(2)),
    };
    clients::create(&app.app, app.organization, new).await.unwrap().unwrap();
    let held = Held::begin(&app, CREDENTIAL, "POST /subscription-plans", "", &plan_body("late", &json!({}))).await;
    app.advance(2);
    assert_eq!(held.end().await, (401, "invalid_client".to_owned()));
    app.get("/subscription-plans/late").await.refused(404, "not_found");
}

#[tokio::test]
async fn a_disabled_public_client_begins_and_ends_no_session() {
    let app = TestApp::start().await;
    let made = client(&app, PUBLIC, &[Scope::Auth], &[]).await;
    let sign_up = app.anonymous("POST", "/authentication/sign-up").header("client-id", PUBLIC);
    let ada = sign_up.json(&app.credentials("ada@example.com")).send().await.expect(201);
    let (token, refresh_token) = (text(ada.data(), "token"), text(ada.data(), "refresh_token"));
    let bearer = format!("authorization: Bearer {token}\r\n");
    let auth_id = text(&ada.data()["user"], "auth_id");
    let mut held = Vec::new();
    for (path, headers, body) in [
        ("POST /authentication/sign-up", "", app.credentials("bob@example.com")),
        ("POST /authentication/sign-in", "", app.credentials("ada@example.com")),
        ("POST /authentication/refresh-token", "", json!({ "refresh_token": refresh_token })),
        ("POST /authentication/tokens/logout", &bearer, json!({})),
        ("POST /authentication/tokens/revoke-all", &bearer, json!({})),
        ("DELETE /authentication/delete-my-account", &bearer, json!({})),
    ] {
        let line = if path.starts_with("DELETE") { format!("{path}/{auth_id}") } else { path.to_owned() };
        held.push(Held::begin(&app, PUBLIC, &line, headers, &body).await);
    }
    clients::disable(&app.app, app.organization, made.id).await.unwrap();
    app.advance(WITHIN);
    let events = app.events().await.len();
    for request in held {
        assert_eq!(request.end().await, (401, "invalid_client".to_owned()));
    }
    assert_eq!(app.events().await.len(), events, "nothing was changed");
}

#[tokio::test]
async fn the_second_check_costs_no_statement() {
    let app = TestApp::start().await;
    app.plan("first", json!({})).await;
    let before = app.app.db.metrics().statements;
    app.plan("second", json!({})).await;
    let one = app.app.db.metrics().statements - before;
    app.advance(3);
    let before = app.app.db.metrics().statements;
    app.plan("third", json!({})).await;
    assert_eq!(app.app.db.metrics().statements - before, one);
}
