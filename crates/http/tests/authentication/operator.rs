//! What the operator ends: sessions, users without their consent, whole organizations, signing keys.

use super::support::*;
use perennial_app::analytics::reader::Analytics;
use perennial_app::caller::Caller;
use perennial_app::connections::{self, ConnectionDraft, ConnectionKind, ConnectionName};
use perennial_app::providers::Secret;
use perennial_app::revision::IfMatch;
use perennial_app::{accounts, clients, organizations, sessions, signing_keys};
use perennial_domain::id::{UserId, WebhookAttemptId};
use perennial_domain::webhook_delivery::{Attempt, Outcome, Trigger};
use perennial_store::{Change, Sql, webhook_attempts};
use perennial_testkit::{Held, TestApp};
use serde_json::{Value, json};

fn id(text: &str) -> UserId {
    text.parse().unwrap()
}

#[tokio::test]
async fn the_operator_ends_one_session_or_all_of_a_users() {
    let app = TestApp::start().await;
    let [first, second, third] = [
        app.sign_up("ada@example.com").await,
        app.sign_in("ada@example.com").await,
        app.sign_in("ada@example.com").await,
    ];
    let eve = app.sign_up("eve@example.com").await;
    let known = app.events().await;
    let operator = Caller::system(app.organization);
    let one = first.session_id().parse().unwrap();
    assert_eq!(sessions::end(&app.app, &operator, one).await.unwrap(), 1);
    assert_eq!(sessions::end(&app.app, &operator, one).await.unwrap(), 0);
    app.logged_in(&first.token).await.refused(401, "invalid_token");
    app.logged_in(&second.token).await.expect(200);
    assert_eq!(sessions::revoke_user(&app.app, &operator, id(first.user_id())).await.unwrap(), 2);
    for held in [&second, &third] {
        app.logged_in(&held.token).await.refused(401, "invalid_token");
        app.refresh(&held.refresh_token).await.refused(401, "invalid_refresh_token");
    }
    app.logged_in(&eve.token).await.expect(200);
    let events = new_events(&app, &known).await;
    assert!(events.iter().all(|event| event.kind.as_str() == "session.revoked" && event.client_id.is_none()));
    assert_eq!(events.len(), 3);
    app.sign_in("ada@example.com").await;
}

#[tokio::test]
async fn the_operator_erases_a_user_with_and_without_an_identity() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let ada = app.sign_up("ada@example.com").await;
    let made = app.user("made@example.com").await;
    let operator = Caller::system(app.organization);
    let erase = async |user: &str| accounts::erase(&app.app, &operator, id(user), &IfMatch::Unconditional).await;
    for user in [ada.user_id(), &made] {
        let subscription = app.subscription(user, "pro", json!({})).await;
        let erased = erase(user).await.unwrap();
        assert_eq!((erased.sessions, erased.subscriptions), (usize::from(user == ada.user_id()), 1));
        let target = format!("/subscriptions/{}", text(&subscription, "id"));
        let kept = app.request("GET", &target).send().await.expect(200);
        assert_eq!((text(kept.data(), "status"), &kept.data()["has_access"]), ("cancelled", &json!(false)));
        assert!(erase(user).await.is_err());
    }
    app.logged_in(&ada.token).await.refused(401, "invalid_token");
    let dump = dump(&app).await;
    for email in ["ada@example.com", "made@example.com"] {
        assert_eq!(places(&dump, email), [""; 0]);
    }
    // Both addresses and the identity are free again.
    assert_ne!(app.sign_up("ada@example.com").await.user_id(), ada.user_id());
    assert_ne!(app.sign_up("made@example.com").await.user_id(), made);
}

#[tokio::test]
async fn of_a_deleted_organization_nothing_remains_but_the_event_and_others_lose_nothing() {
    let app = TestApp::start().await;
    let other = Tenant::new(&app).await;
    let theirs = other.sign_up("ada@example.com").await;
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 19.99, "billing_cycle": "monthly" });
    let key = |number: usize| format!("key-{number}");
    other.request("POST", "/subscription-plans").json(&plan).send().await.expect(201);
    other.request("PUT", "/subscription-plans/pro").json(&json!({ "price": 29.99 })).send().await.expect(200);
    for number in 0..3 {
        let body = json!({ "user_id": theirs.user_id(), "subscription_plan_id": "pro" });
        let made = other.request("POST", "/subscriptions").header("idempotency-key", key(number)).json(&body);
        let subscription = text(made.send().await.expect(201).data(), "id").to_owned();
        let body = json!({ "subscription_id": subscription, "amount": 1, "currency": "USD", "status": "completed" });
        other.request("POST", "/subscription-payments").json(&body).send().await.expect(201);
    }
    with_webhooks(&app, &other).await;
    with_billing(&other, theirs.user_id()).await;
    with_figures(&app, &other).await;
    with_connection(&app, &other).await;
    with_invoices(&other, theirs.user_id()).await;
    app.plan("pro", json!({})).await;
    let own = app.sign_up("ada@example.com").await;
    let (before, own_events) = (rows_of(&app, app.organization).await, app.events().await);
    let (deleted, removed) = organizations::delete(&app.app, other.organization).await.unwrap();
    assert!(removed.iter().all(|(_, count)| *count > 0), "{removed:?}");
    let events = other.events().await;
    assert_eq!(reported(&events), [format!("organization.deleted {}", other.organization)]);
    let reported: Value = serde_json::from_str(events[0].before.as_ref().unwrap()).unwrap();
    assert_eq!(reported["name"], "other");
    let left: Vec<(&str, i64)> = rows_of(&app, other.organization).await;
    assert!(left.iter().all(|(table, count)| *count == i64::from(*table == "events")), "{left:?}");
    assert_eq!((rows_of(&app, app.organization).await, app.events().await), (before, own_events));
    // Servers that remember the client do so for less than five seconds.
    app.advance(5);
    other.request("GET", "/subscription-plans").send().await.refused(401, "invalid_client");
    other.browser("POST", CHECK).bearer(&theirs.token).send().await.refused(401, "invalid_client");
    app.logged_in(&own.token).await.expect(200);
    // Its name is free, it is in no list, and deleting it again changes nothing.
    assert!(organizations::find(&app.app, "other").await.unwrap().is_none());
    assert!(organizations::find(&app.app, &other.organization.to_string()).await.unwrap().is_none());
    assert_eq!(organizations::list(&app.app).await.unwrap().len(), 1);
    let (again, removed) = organizations::delete(&app.app, other.organization).await.unwrap();
    assert!(again == deleted && removed.iter().all(|(_, count)| *count == 0));
    assert!(clients::list(&app.app, other.organization).await.unwrap().is_empty());
}

/// A connection to a payment provider, and rows of it.
async fn with_connection(app: &TestApp, other: &Tenant<'_>) {
    static LINK: Sql = Sql::new(
        "INSERT INTO connection_links (organization_id, connection_id, object, external_id, record_id, digest, is_erased,
             seen_at, created_at)
         SELECT organization_id, id, 'price', 'price_1', id, sealed_secrets, is_enabled, created_at, created_at
         FROM connections WHERE organization_id = $1",
    );
    static HINT: Sql = Sql::new(
        "INSERT INTO connection_inbox (organization_id, id, connection_id, event_key, state, attempts, received_at)
         SELECT organization_id, id, id, 'evt_1', 'ignored', 0, created_at FROM connections WHERE organization_id = $1",
    );
    static COLLECTION: Sql = Sql::new(
        "INSERT INTO connection_collections (organization_id, payment_id, number, connection_id, state, sends, created_at,
             updated_at)
         SELECT organization_id, id, 1, id, 'failed', 0, created_at, created_at
         FROM connections WHERE organization_id = $1",
    );
    let draft = ConnectionDraft {
        kind: Some(ConnectionKind::Stripe),
        name: ConnectionName::parse("main").ok(),
        ..ConnectionDraft::default()
    };
    let secret = || Secret::new("secret".to_owned());
    let caller = Caller::system(other.organization);
    connections::create(&app.app, &caller, draft, secret(), secret()).await.unwrap();
    for sql in [&LINK, &HINT, &COLLECTION] {
        let change = Change::new().execute_any(sql, vec![other.organization.bytes().into()]);
        app.app.db.commit(change).await.unwrap();
    }
}

/// A record of each kind that is about billing.
async fn with_billing(other: &Tenant<'_>, user: &str) {
    let post = async |path: &str, body: Value| other.request("POST", path).json(&body).send().await.expect(201);
    post("/tax-rates", json!({ "name": "VAT", "percentage": 19 })).await;
    post("/coupons", json!({ "code": "WELCOME", "percent": 10, "duration": "once" })).await;
    post("/meters", json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await;
    post("/features", json!({ "key": "calls", "name": "Calls", "kind": "quota", "meter": "calls" })).await;
    post(&format!("/users/{user}/credits"), json!({ "currency": "USD", "amount": 5 })).await;
    let profile = other.request("PUT", &format!("/users/{user}/billing-profile")).json(&json!({ "name": "Ada" }));
    profile.send().await.expect(200);
    let subscriptions = other.request("GET", "/subscriptions").send().await.expect(200);
    let subscription = subscriptions.data()[0]["id"].as_str().unwrap();
    let grants = json!({ "entitlements": { "calls": 1 } });
    other.request("PUT", &format!("/subscriptions/{subscription}")).json(&grants).send().await.expect(200);
    let member = post("/users", json!({ "email": "member@example.com" })).await.data()["id"].clone();
    post(&format!("/subscriptions/{subscription}/members"), json!({ "user_id": member })).await;
    let event = json!({ "id": "1", "subscription_id": subscription, "meter": "calls" });
    let usage = other.request("POST", "/usage-events").json(&json!({ "events": [event] }));
    usage.send().await.expect(200);
}

/// An issued invoice and a credit note for it.
async fn with_invoices(other: &Tenant<'_>, user: &str) {
    let post = async |path: &str, body: Value| other.request("POST", path).json(&body).send().await.expect(201);
    let body = json!({ "user_id": user, "subscription_plan_id": "pro", "billing": { "collection": "manual" } });
    let subscription = post("/subscriptions", body).await.data()["id"].clone();
    let lines = json!([{ "description": "Setup", "unit_price": 50 }]);
    let invoice =
        post("/invoices", json!({ "subscription_id": subscription, "lines": lines })).await.data()["id"].clone();
    let path = format!("/invoices/{}/finalize", invoice.as_str().unwrap());
    other.request("POST", &path).send().await.expect(200);
    post("/credit-notes", json!({ "invoice_id": invoice, "amount": 1 })).await;
}

/// Figures of everything that happened.
async fn with_figures(app: &TestApp, other: &Tenant<'_>) {
    let stop = app.work(Analytics::default());
    while other.request("GET", "/analytics/revenue").send().await.expect(200).json["meta"]["state"] != "current" {
        tokio::task::yield_now().await;
    }
    stop.send_replace(true);
}

/// A webhook endpoint with an attempt and an undelivered event.
async fn with_webhooks(app: &TestApp, other: &Tenant<'_>) {
    let body = json!({ "url": "https://203.1.113.7/" });
    let endpoint = other.request("POST", "/webhook-endpoints").json(&body).send().await.expect(201);
    let place = format!("/webhook-endpoints/{}", text(endpoint.data(), "id"));
    let events = other.request("GET", "/events").send().await.expect(200);
    let event = &events.data()[0]["id"];
    let retry = other.request("POST", &format!("{place}/retry")).json(&json!({ "event_id": event }));
    retry.send().await.expect(200);
    let attempt = Attempt {
        organization_id: other.organization,
        endpoint_id: text(endpoint.data(), "id").parse().unwrap(),
        id: WebhookAttemptId::new(app.now(), 1),
        event_id: event.as_str().unwrap().parse().unwrap(),
        event_type: "plan.created".to_owned(),
        trigger: Trigger::Event,
        number: 1,
        outcome: Outcome::Succeeded,
        status: Some(200),
        error: None,
        duration_ms: 1,
        response: String::new(),
        created_at: app.now(),
    };
    app.app.db.commit(webhook_attempts::insert(Change::new(), &attempt)).await.unwrap();
}

/// How many rows each table has of an organization.
async fn rows_of(app: &TestApp, organization: perennial_domain::id::OrganizationId) -> Vec<(&'static str, i64)> {
    let mut counts = Vec::new();
    for table in ["clients", "events", "idempotency_keys", "payments", "plans", "sessions", "subscriptions", "users"] {
        let sql = Sql::built(format!("SELECT COUNT(*) FROM {table} WHERE organization_id = $1"));
        let found = app.app.db.one(&sql, &[organization.bytes().into()], |row| row.int(0)).await.unwrap();
        counts.push((table, found.unwrap()));
    }
    counts
}

#[tokio::test]
async fn what_a_request_in_flight_leaves_in_a_deleted_organization_is_removed_later() {
    let app = TestApp::start().await;
    let other = Tenant::new(&app).await;
    other.request("GET", "/subscription-plans").send().await.expect(200);
    organizations::delete(&app.app, other.organization).await.unwrap();
    // The server remembers the client for a moment.
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 19.99, "billing_cycle": "monthly" });
    let late = other.request("POST", "/subscription-plans").json(&plan).send().await;
    organizations::purge_deleted(&app.app).await.unwrap();
    let left = rows_of(&app, other.organization).await;
    assert!(left.iter().all(|(table, count)| *count == i64::from(*table == "events")), "{}: {left:?}", late.status);
}

fn signer(held: &Held) -> String {
    let part = held.token.split('.').next().unwrap();
    let bytes = data_encoding::BASE64URL_NOPAD.decode(part.as_bytes()).unwrap();
    serde_json::from_slice::<Value>(&bytes).unwrap()["kid"].as_str().unwrap().to_owned()
}

async fn published(app: &TestApp) -> Vec<String> {
    let set = app.anonymous("GET", "/.well-known/jwks.json").send().await.expect(200).json;
    set["keys"].as_array().unwrap().iter().map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_rotated_key_is_published_everywhere_before_it_signs_and_old_tokens_stay_valid() {
    let app = TestApp::start().await;
    let other_server = app.second_server().await;
    let servers: Vec<&TestApp> = other_server.iter().chain([&app]).collect();
    let ada = app.sign_up("ada@example.com").await;
    let old = signer(&ada);
    for server in &servers {
        assert_eq!(published(server).await, std::slice::from_ref(&old));
    }
    let rotated = signing_keys::rotate(&app.app, false).await.unwrap();
    assert_eq!((rotated.active_from, rotated.removed.len()), (app.now().plus_seconds(60), 0));
    app.advance(5);
    for server in &servers {
        assert_eq!(published(server).await, [old.clone(), rotated.kid.clone()]);
        assert_eq!(signer(&server.sign_in("ada@example.com").await), old);
    }
    app.advance(55);
    for server in &servers {
        let held = server.sign_in("ada@example.com").await;
        assert_eq!(signer(&held), rotated.kid);
        for checking in &servers {
            checking.logged_in(&held.token).await.expect(200);
            checking.logged_in(&ada.token).await.expect(200);
        }
    }
    let events = app.events().await;
    let reported = events.iter().find(|event| event.kind.as_str() == "organization.keys_rotated").unwrap();
    assert_eq!(serde_json::from_str::<Value>(reported.after.as_ref().unwrap()).unwrap()["kid"], rotated.kid);
    // The old key goes when its last token has expired, as after any other rotation: 30 days and 60 seconds later.
    app.advance(30 * 86_400 - 86_400);
    assert!(published(&app).await.contains(&old));
    app.advance(86_400 + 60);
    assert!(!published(&app).await.contains(&old));
}

#[tokio::test]
async fn revoking_old_keys_ends_access_tokens_but_no_session() {
    let app = TestApp::start().await;
    let other_server = app.second_server().await;
    let servers: Vec<&TestApp> = other_server.iter().chain([&app]).collect();
    let ada = app.sign_up("ada@example.com").await;
    for server in &servers {
        server.logged_in(&ada.token).await.expect(200);
    }
    let rotated = signing_keys::rotate(&app.app, true).await.unwrap();
    assert_eq!((rotated.active_from, rotated.removed), (app.now(), vec![signer(&ada)]));
    app.advance(5);
    for server in &servers {
        assert_eq!(published(server).await, std::slice::from_ref(&rotated.kid));
        server.logged_in(&ada.token).await.refused(401, "invalid_token");
    }
    let fresh = Held::of(&app.refresh(&ada.refresh_token).await.expect(200));
    assert_eq!((signer(&fresh), fresh.session_id()), (rotated.kid, ada.session_id()));
    for server in &servers {
        server.logged_in(&fresh.token).await.expect(200);
    }
}

#[tokio::test]
async fn a_key_made_ahead_goes_with_a_rotation() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    app.advance(29 * 24 * 3600 + 60);
    let [old, ahead] = published(&app).await.try_into().unwrap();
    assert_eq!(old, signer(&ada));
    let rotated = signing_keys::rotate(&app.app, false).await.unwrap();
    assert_eq!(rotated.removed, [ahead]);
    app.advance(60);
    assert_eq!(signer(&app.sign_in("ada@example.com").await), rotated.kid);
    assert_eq!(published(&app).await, [old, rotated.kid]);
}
