//! API rules 2.4 (`docs/api.md`): no endpoint returns a secret that the store holds, in any form.

use perennial_app::caller::Caller;
use perennial_app::connections::{self, ConnectionDraft, ConnectionKind, ConnectionName};
use perennial_app::providers;
use perennial_domain::id::ConnectionId;
use perennial_store::Sql;
use perennial_testkit::TestApp;
use serde_json::{Value, json};

const API_KEY: &str = "sk_test_0123456789abcdef";
const WEBHOOK_SECRET: &str = "whsec_0123456789abcdef";
const PROVIDER_SECRET: &str = "provider-secret-0123456789abcdef";

/// A record of each kind, and the text of every secret that is stored for them.
struct Filled {
    app: TestApp,
    /// The paths of records, by the path of the operation that reads them.
    paths: Vec<(&'static str, String)>,
    secrets: Vec<String>,
    token: String,
}

async fn fill() -> Filled {
    let app = TestApp::start().await;
    let held = app.sign_up("ada@example.com").await;
    let operator = app.operator("Bob", "viewer").await;
    app.plan("pro", json!({})).await;
    let subscription = app.subscription(held.user_id(), "pro", json!({})).await;
    let payment = app.payment(subscription["id"].as_str().unwrap(), json!({})).await;
    let body = json!({ "name": "server", "kind": "trusted", "scopes": ["plans:read"] });
    let client = app.post("/clients", &body).await.expect(201).data().clone();
    let description = providers::Description {
        issuer: "https://id.example.com".to_owned(),
        kind: providers::ProviderKind::JwtSecret,
        settings: providers::Settings { audience: vec!["app".to_owned()], ..providers::Settings::default() },
        secret: Some(providers::Secret::new(PROVIDER_SECRET.to_owned())),
    };
    providers::add(&app.app, app.organization, &description).await.unwrap();
    let endpoint =
        app.post("/webhook-endpoints", &json!({ "url": "https://203.1.113.7/" })).await.expect(201).data().clone();
    let connection = connect(&app).await;
    let mut secrets = vec![
        API_KEY.to_owned(),
        WEBHOOK_SECRET.to_owned(),
        endpoint["secret"].as_str().unwrap().to_owned(),
        client["client_id"].as_str().unwrap().to_owned(),
        "pk_".to_owned(),
        PROVIDER_SECRET.to_owned(),
        held.refresh_token.clone(),
    ];
    for bytes in stored_bytes(&app).await {
        secrets.push(data_encoding::HEXLOWER.encode(&bytes));
        secrets.push(data_encoding::BASE64.encode(&bytes));
        secrets.push(data_encoding::BASE64URL_NOPAD.encode(&bytes));
    }
    let event = app.get("/events?limit=1").await.expect(200).data()[0].clone();
    let place = |path: &str, record: &Value| format!("{path}/{}", record["id"].as_str().unwrap());
    let hook = place("/webhook-endpoints", &endpoint);
    let rate = app.post("/tax-rates", &json!({ "name": "VAT", "percentage": 19 })).await.expect(201).data().clone();
    let sent = json!({ "code": "SPRING", "percent": 25, "duration": "once" });
    let coupon = app.post("/coupons", &sent).await.expect(201).data().clone();
    let sent = json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" });
    let meter = app.post("/meters", &sent).await.expect(201).data().clone();
    let feature = json!({ "key": "sso", "name": "SSO", "kind": "boolean" });
    app.post("/features", &feature).await.expect(201);
    let paths = vec![
        ("/features/{key}", "/features/sso".to_owned()),
        ("/users/{id}/entitlements", format!("/users/{}/entitlements", held.user_id())),
        ("/users/{id}/entitlements/{feature_key}", format!("/users/{}/entitlements/sso", held.user_id())),
        ("/tax-rates/{id}", place("/tax-rates", &rate)),
        ("/coupons/{id}", place("/coupons", &coupon)),
        ("/meters/{id}", place("/meters", &meter)),
        ("/subscriptions/{id}/members", format!("{}/members", place("/subscriptions", &subscription))),
        ("/subscriptions/{id}/usage", format!("{}/usage", place("/subscriptions", &subscription))),
        ("/users/{id}/billing-profile", format!("/users/{}/billing-profile", held.user_id())),
        ("/users/{id}/credits", format!("/users/{}/credits", held.user_id())),
        ("/connections/{id}", format!("/connections/{connection}")),
        ("/connections/{id}/inbox", format!("/connections/{connection}/inbox")),
        ("/clients/{id}", place("/clients", &client)),
        ("/subscription-plans/{slug}", "/subscription-plans/pro".to_owned()),
        ("/subscription-plans/{slug}/versions", "/subscription-plans/pro/versions".to_owned()),
        ("/users/{id}", format!("/users/{}", held.user_id())),
        ("/users/{id}/sessions", format!("/users/{}/sessions", held.user_id())),
        ("/operators/{id}", format!("/operators/{operator}")),
        ("/operators/{id}/sessions", format!("/operators/{operator}/sessions")),
        ("/webhook-endpoints/{id}", hook.clone()),
        ("/webhook-endpoints/{id}/attempts", format!("{hook}/attempts")),
        ("/webhook-endpoints/{id}/undelivered", format!("{hook}/undelivered")),
        ("/events/{id}", format!("/events/{}", event["id"].as_str().unwrap())),
        ("/search", "/search?q=ada".to_owned()),
        ("/subscriptions/{id}", place("/subscriptions", &subscription)),
        ("/subscriptions/{id}/forecast", format!("{}/forecast", place("/subscriptions", &subscription))),
        ("/subscription-payments/{payment_id}", place("/subscription-payments", &payment)),
    ];
    Filled { app, paths, secrets, token: held.token }
}

/// A connection to a payment provider.
async fn connect(app: &TestApp) -> ConnectionId {
    let draft = ConnectionDraft {
        kind: Some(ConnectionKind::Stripe),
        name: ConnectionName::parse("main").ok(),
        ..ConnectionDraft::default()
    };
    let secret = |text: &str| providers::Secret::new(text.to_owned());
    let caller = Caller::system(app.organization);
    let made = connections::create(&app.app, &caller, draft, secret(API_KEY), secret(WEBHOOK_SECRET)).await;
    made.unwrap().id
}

/// What the store holds instead of secrets: hashes of credentials, sealed secrets and keys.
async fn stored_bytes(app: &TestApp) -> Vec<Vec<u8>> {
    static STORED: Sql = Sql::new(
        "SELECT credential_hash FROM clients
         UNION ALL SELECT sealed_secret FROM providers WHERE sealed_secret IS NOT NULL
         UNION ALL SELECT sealed_secrets FROM webhook_endpoints
         UNION ALL SELECT sealed_secrets FROM connections
         UNION ALL SELECT sealed FROM signing_keys",
    );
    let found = app.app.db.all(&STORED, &[], |row| row.bytes(0)).await.unwrap();
    assert!(found.len() >= 7, "three clients, a provider, an endpoint, a connection and a key");
    found
}

/// Whether the document lets clients call it: not the calls of a browser's own session.
fn is_for_clients(operation: &Value) -> bool {
    let security = operation.get("security").and_then(Value::as_array);
    security.is_none_or(|schemes| schemes.iter().any(|scheme| scheme.get("client").is_some()))
}

#[tokio::test]
async fn no_read_returns_a_stored_secret() {
    let Filled { app, paths, secrets, token } = fill().await;
    let document = app.anonymous("GET", "/openapi.json").send().await.expect(200).json;
    let mut reads = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        let Some(operation) = methods.get("get").filter(|operation| is_for_clients(operation)) else {
            continue;
        };
        let known = paths.iter().find(|(known, _)| known == path).map(|(_, target)| target.as_str());
        let target = known.or_else(|| (!path.contains('{')).then_some(path.as_str()));
        let target = target.unwrap_or_else(|| panic!("add a record for {path} to this test"));
        // A live organization has no test clock.
        let status = if path == "/test-clock" { 404 } else { 200 };
        let answer = app.request("GET", target).bearer(&token).send().await.expect(status);
        let text = String::from_utf8(answer.bytes).unwrap();
        for secret in &secrets {
            assert!(!text.contains(secret.as_str()), "{} returns {secret}", operation["operationId"]);
        }
        reads += 1;
    }
    assert!(reads >= 10, "{reads}");
}
