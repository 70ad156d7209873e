//! API rules 2.2 (`docs/api.md`): who may call at all, from where, and the response for all others.

use super::support::*;
use perennial_app::clients;
use perennial_domain::clients::Scope;
use perennial_domain::time::Time;
use perennial_testkit::{Answer, TestApp};
use serde_json::json;

const PLANS: &str = "/subscription-plans";

/// A request with a client-id and a chosen request ID, so that bodies can be compared byte by byte.
async fn call(app: &TestApp, client_id: impl AsRef<[u8]>) -> Answer {
    app.anonymous("GET", PLANS).header("client-id", client_id).header("x-request-id", "same").send().await
}

fn reported(answer: &Answer) -> (u16, Vec<u8>, Vec<(String, String)>) {
    let headers = answer.headers.iter().filter(|(name, _)| *name != "date");
    let headers = headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
    (answer.status, answer.bytes.clone(), headers.collect())
}

#[tokio::test]
async fn a_request_without_a_client_is_rejected() {
    let app = TestApp::start().await;
    for (method, target) in [("GET", PLANS), ("POST", "/subscriptions"), ("DELETE", "/subscription-payments/pay_x")] {
        app.anonymous(method, target).send().await.refused(401, "client_id_required");
    }
    app.anonymous("GET", "/livez").send().await.expect(200);
}

#[tokio::test]
async fn inactive_clients_get_the_same_response_for_every_reason() {
    let app = TestApp::start().await;
    let organization = app.organization;
    let expiring = trusted("expiring", &[Scope::PlansRead]);
    let expires_at = Some(Time::parse("2026-03-10T12:00:10Z").unwrap());
    client(&app, organization, clients::NewClient { expires_at, ..expiring }).await;
    let disabled = client(&app, organization, trusted("disabled", &[Scope::PlansRead])).await;
    let disabled_public = client(&app, organization, public("off-app", &[Scope::PlansRead])).await;
    for id in [disabled.id, disabled_public.id] {
        clients::disable(&app.app, organization, id).await.unwrap();
    }
    app.advance(10);
    let unknown = call(&app, credential("unknown")).await.refused(401, "invalid_client");
    let long = "a".repeat(4000);
    for client_id in [
        credential("expiring").as_bytes(),
        credential("disabled").as_bytes(),
        b"off-app",
        b"unknown-app",
        b"pk_",
        b"pk_short",
        b"",
        b" ",
        b"ab",
        b"DEFAULT",
        b"default,default",
        b"default\xff",
        "d\u{e9}fault".as_bytes(),
        b"' OR 1=1 --",
        long.as_bytes(),
    ] {
        let answer = call(&app, client_id).await;
        assert_eq!(reported(&answer), reported(&unknown), "{}", String::from_utf8_lossy(client_id));
    }
    call(&app, "default").await.expect(200);
}

#[tokio::test]
async fn a_client_that_does_not_work_costs_the_same_statements_whatever_the_reason() {
    let app = TestApp::start().await;
    let disabled = client(&app, app.organization, trusted("disabled", &[Scope::PlansRead])).await;
    clients::disable(&app.app, app.organization, disabled.id).await.unwrap();
    let expires_at = Some(app.now());
    let expired = clients::NewClient { expires_at, ..trusted("expired", &[Scope::PlansRead]) };
    client(&app, app.organization, expired).await;
    let mut costs = Vec::new();
    for name in ["unknown", "disabled", "expired", "unknown", "disabled", "expired"] {
        let before = app.app.db.metrics().statements;
        call(&app, credential(name)).await.refused(401, "invalid_client");
        costs.push(app.app.db.metrics().statements - before);
    }
    assert_eq!(costs, [1, 1, 1, 0, 0, 0]);
}

#[tokio::test]
async fn a_client_named_twice_is_a_bad_request() {
    let app = TestApp::start().await;
    for (one, other) in [("default", "default"), ("default", "unknown-app")] {
        let request = app.anonymous("GET", PLANS).header("client-id", one).header("client-id", other);
        assert_eq!(request.send().await.refused(400, "invalid_header").faults(), ["client-id invalid_header"]);
    }
}

#[tokio::test]
async fn a_trusted_client_is_rejected_from_a_browser() {
    let app = TestApp::start().await;
    let body = json!({ "name": "P", "slug": "p", "price": 1, "billing_cycle": "monthly" });
    for (name, value) in [
        ("origin", "https://app.example.com"),
        ("origin", "null"),
        ("sec-fetch-site", "same-origin"),
        ("sec-fetch-site", "none"),
    ] {
        for method in ["GET", "POST"] {
            let request = app.request(method, PLANS).header(name, value).json(&body);
            let answer = request.send().await.refused(403, "client_not_for_browsers");
            assert!(!String::from_utf8_lossy(&answer.bytes).contains("pk_"), "a credential is never echoed");
            assert_eq!(answer.header("access-control-allow-origin"), "");
        }
        app.browser("GET", PLANS).header(name, value).send().await.expect(200);
    }
    assert_eq!(count(&app, "SELECT COUNT(*) FROM plans").await, 0);
}

#[tokio::test]
async fn a_trusted_client_calls_from_its_own_addresses_only() {
    let app = TestApp::start().await;
    for (name, cidrs, allowed) in [
        ("home", vec!["127.0.0.1/32"], true),
        ("several", vec!["10.0.0.0/8", "127.0.0.0/8"], true),
        ("elsewhere", vec!["10.0.0.0/8", "::1/128"], false),
        ("neighbor", vec!["127.0.0.2/32"], false),
    ] {
        let cidrs = cidrs.iter().map(|cidr| cidr.parse().unwrap()).collect();
        let new = clients::NewClient { cidrs, ..trusted(name, &[Scope::PlansRead]) };
        client(&app, app.organization, new).await;
        let request = app.anonymous("GET", PLANS).header("client-id", credential(name));
        let forged = request.clone().header("x-forwarded-for", "10.1.2.3").header("forwarded", "for=10.1.2.3");
        for request in [request, forged] {
            let answer = request.send().await;
            if allowed {
                answer.expect(200);
            } else {
                answer.refused(403, "address_not_allowed");
            }
        }
    }
}

#[tokio::test]
async fn what_a_client_presents_is_unique_in_the_installation() {
    let app = TestApp::start().await;
    let other = organization(&app, "other").await;
    client(&app, app.organization, public("my-app", &[Scope::PlansRead])).await;
    client(&app, app.organization, trusted("server", &[Scope::PlansRead])).await;
    for organization in [app.organization, other] {
        for taken in [public("my-app", &[]), public("default", &[]), trusted("server", &[])] {
            assert!(clients::create(&app.app, organization, taken).await.unwrap().is_none());
        }
    }
    call(&app, "my-app").await.expect(200);
}

#[tokio::test]
async fn a_credential_is_nowhere_in_the_store() {
    let app = TestApp::start().await;
    client(&app, app.organization, trusted("canary", &[Scope::PlansRead])).await;
    call(&app, credential("canary")).await.expect(200);
    let events = app.events().await;
    assert!(events.iter().any(|event| event.after.as_deref().is_some_and(|after| after.contains("canary"))));
    assert!(!format!("{events:?}").contains("pk_"), "no event contains a credential");
    assert!(!format!("{:?}", clients::list(&app.app, app.organization).await.unwrap()).contains("pk_"));
    let dump = match app.store().url() {
        Some(_) => texts(&app).await,
        None => file(&app).await,
    };
    assert!(contains(&dump, b"canary"), "the whole store was looked at");
    assert!(!contains(&dump, credential("canary").as_bytes()));
    assert!(!contains(&dump, b"pk_Test"), "nor the first run's");
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Every byte of the SQLite file and its log.
async fn file(app: &TestApp) -> Vec<u8> {
    let sql = perennial_store::Sql::new("SELECT file FROM pragma_database_list WHERE name = 'main'");
    let path = app.app.db.one(&sql, &[], |row| row.text(0)).await.unwrap().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend(std::fs::read(format!("{path}-wal")).unwrap_or_default());
    bytes
}

/// Every row of the tables a credential could be in.
async fn texts(app: &TestApp) -> Vec<u8> {
    let sql = perennial_store::Sql::new(
        "SELECT string_agg(row, ' ') FROM (
             SELECT clients::text AS row FROM clients UNION ALL SELECT events::text FROM events
             UNION ALL SELECT idempotency_keys::text FROM idempotency_keys) AS rows",
    );
    app.app.db.one(&sql, &[], |row| row.text(0)).await.unwrap().unwrap().into_bytes()
}
