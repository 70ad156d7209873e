//! Sign-in of operators at the identity provider, API rules 11.5, and attacks 49 and 50.

use super::support::events;
use perennial_app::context::AppOptions;
use perennial_app::operators::{ConsoleOptions, ProviderSettings};
use perennial_app::sessions::Secret;
use perennial_fake_idp::{Key, ResponseMode, Server, token};
use perennial_testkit::{Answer, Request, SignedInOperator, TestApp, TestOptions};
use serde_json::{Value, json};
use std::collections::HashMap;

const SESSION: &str = "/operator-session";
const START: &str = "/console/oidc/start";

/// A service with a provider of operators.
struct Service {
    app: TestApp,
    server: Server,
    key: Key,
}

/// A sign-in that has begun in a browser.
struct Begun {
    /// The provider's page.
    url: String,
    /// The cookie that the browser got.
    cookie: String,
}

impl Begun {
    fn parameter(&self, name: &str) -> String {
        query(&self.url).remove(name).unwrap_or_default()
    }
}

impl Service {
    async fn start() -> Self {
        let (server, key) = (Server::start(), Key::of("EdDSA"));
        server.set(|behavior| behavior.keys = vec![key.public("k1").jwk]);
        let provider = ProviderSettings {
            issuer: server.url.clone(),
            client_id: "console".to_owned(),
            client_secret: Some(Secret::new("canary-client-secret".to_owned())),
        };
        let console = ConsoleOptions { provider: Some(provider), ..ConsoleOptions::default() };
        let app = AppOptions { local_provider: true, console, ..AppOptions::default() };
        Self { app: TestApp::with(TestOptions { app, ..TestOptions::default() }).await, server, key }
    }

    fn page(&self, target: &str) -> Request {
        self.app.anonymous("GET", target).header("host", self.app.address.to_string())
    }

    async fn begin(&self, target: &str) -> Begun {
        let answer = self.page(target).send().await.expect(303);
        Begun { url: answer.header("location").to_owned(), cookie: cookie(&answer, "perennial-oidc") }
    }

    async fn connect(&self, operator: &SignedInOperator) -> Begun {
        let answer = operator.request("POST", "/operator-session/connect").send().await.expect(200);
        let url = answer.data()["url"].as_str().unwrap().to_owned();
        Begun { url, cookie: cookie(&answer, "perennial-oidc") }
    }

    /// The person agrees at the provider, which then issues this ID token; returns where the browser is sent.
    async fn agree(&self, begun: &Begun, subject: &str, edit: impl FnOnce(&mut Value)) -> String {
        let now = self.app.now().as_micros() / 1_000_000;
        let mut claims = json!({
            "iss": self.server.url, "aud": "console", "sub": subject, "iat": now, "exp": now + 300,
            "nonce": begun.parameter("nonce"), "email": "ada@example.com", "email_verified": true
        });
        edit(&mut claims);
        let header = json!({ "typ": "JWT", "alg": "EdDSA", "kid": "k1" });
        let token = token(&header, &claims, |message| self.key.sign(message));
        self.server.set(|behavior| behavior.id_token = token);
        let address = self.server.url.strip_prefix("http://").unwrap().parse().unwrap();
        let path = begun.url.strip_prefix(&self.server.url).unwrap();
        let answer = Request::new(address, "GET", path).send().await.expect(302);
        let place = answer.header("location").to_owned();
        let origin = format!("http://{}", self.app.address);
        place.strip_prefix(&origin).expect("the provider returns to the same site").to_owned()
    }

    async fn callback(&self, target: &str, cookie: &str) -> Answer {
        self.page(target).header("cookie", cookie).header("sec-fetch-site", "cross-site").send().await
    }

    /// Connects a new operator to a subject.
    async fn connected(&self, name: &str, role: &str, subject: &str) -> SignedInOperator {
        let operator = self.app.signed_in_operator(name, role).await;
        let begun = self.connect(&operator).await;
        let target = self.agree(&begun, subject, |_| ()).await;
        self.callback(&target, &begun.cookie).await.expect(200);
        operator
    }

    async fn no_session_began(&self, answer: Answer, status: u16) {
        let answer = answer.expect(status);
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        assert!(!all_cookies(&answer).iter().any(|text| text.starts_with("perennial-operator=")));
        assert!(all_cookies(&answer).iter().any(|text| text.starts_with("perennial-oidc=;")));
        let by_oidc = events(&self.app, "operator_session.created").await.into_iter();
        assert_eq!(by_oidc.filter(|event| event.after.as_deref().unwrap().contains("oidc")).count(), 0);
    }
}

fn all_cookies(answer: &Answer) -> Vec<String> {
    answer.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap().to_owned()).collect()
}

/// The pair of a cookie in a response, as a browser sends it back.
fn cookie(answer: &Answer, name: &str) -> String {
    let found = all_cookies(answer).into_iter().find(|text| text.starts_with(&format!("{name}=")));
    found.expect("the cookie was set").split(';').next().unwrap().to_owned()
}

fn query(url: &str) -> HashMap<String, String> {
    let (_, query) = url.split_once('?').unwrap();
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let decode = |text: &str| perennial_http::fuzz_api::decode_percent(&text.replace('+', " ")).unwrap();
    pairs.map(|(name, value)| (decode(name), decode(value))).collect()
}

#[tokio::test]
async fn an_operator_connects_an_identity_once_and_signs_in_with_it() {
    let service = Service::start().await;
    let ada = service.app.signed_in_operator("Ada", "support").await;
    let begun = service.connect(&ada).await;
    let asked = query(&begun.url);
    let expected =
        [("response_type", "code"), ("client_id", "console"), ("scope", "openid"), ("code_challenge_method", "S256")];
    for (name, value) in expected {
        assert_eq!(asked[name], value);
    }
    assert_eq!(asked["redirect_uri"], format!("http://{}/console/oidc/callback", service.app.address));
    let target = service.agree(&begun, "subject-1", |_| ()).await;
    let answer = service.callback(&target, &begun.cookie).await.expect(200);
    assert!(String::from_utf8_lossy(&answer.bytes).contains("http-equiv=\"refresh\" content=\"0; url=/console/\""));
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    assert!(answer.header("content-security-policy").contains("frame-ancestors 'none'"));
    // The session that connected was replaced.
    ada.get(SESSION).await.refused(401, "operator_session_required");
    let record = service.app.get(&format!("/operators/{}", ada.id)).await.expect(200);
    assert_eq!(record.data()["issuer"], service.server.url.as_str());
    assert_eq!(record.data()["subject"], "subject-1");
    let updated = &events(&service.app, "operator.updated").await[0];
    assert!(updated.after.as_deref().unwrap().contains("identity") && !format!("{updated:?}").contains("subject-1"));

    let begun = service.begin(&format!("{START}?return=/console/users%3Fq%3D1%26x")).await;
    let target = service.agree(&begun, "subject-1", |_| ()).await;
    let answer = service.callback(&target, &begun.cookie).await.expect(200);
    assert!(String::from_utf8_lossy(&answer.bytes).contains("url=/console/users?q=1&amp;x\""));
    let session = cookie(&answer, "perennial-operator");
    let read = service.app.console("GET", SESSION).header("cookie", session).send().await.expect(200);
    assert_eq!((&read.data()["method"], &read.data()["operator"]["id"]), (&json!("oidc"), &json!(ada.id)));
}

#[tokio::test]
async fn without_a_provider_there_is_no_sign_in_and_with_one_the_401_names_its_host() {
    let app = TestApp::start().await;
    let page = |target: &str| app.anonymous("GET", target).header("host", app.address.to_string());
    page(START).send().await.refused(404, "not_found");
    let ada = app.signed_in_operator("Ada", "viewer").await;
    ada.request("POST", "/operator-session/connect").send().await.refused(404, "not_found");
    let service = Service::start().await;
    let refused = service.app.console("GET", SESSION).send().await.refused(401, "operator_session_required");
    assert_eq!(refused.json["provider"], "127.0.0.1");
}

#[tokio::test]
async fn attack_49_a_wrong_state_nonce_issuer_audience_or_an_expired_token_begins_no_session() {
    let service = Service::start().await;
    service.connected("Ada", "admin", "subject-1").await;
    let baseline = events(&service.app, "operator_session.created").await.len();
    let wrong: [fn(&mut Value); 7] = [
        |claims| claims["nonce"] = json!("another"),
        |claims| claims["nonce"] = Value::Null,
        |claims| claims["iss"] = json!("https://evil.example"),
        |claims| claims["aud"] = json!("another"),
        |claims| claims["azp"] = json!("another"),
        |claims| claims["exp"] = json!(1),
        |claims| claims["aud"] = json!(["console", "another"]),
    ];
    for edit in wrong {
        let begun = service.begin(START).await;
        let target = service.agree(&begun, "subject-1", edit).await;
        service.callback(&target, &begun.cookie).await.expect(400);
    }
    let begun = service.begin(START).await;
    let target = service.agree(&begun, "subject-1", |_| ()).await;
    let other = service.begin(START).await;
    for (target, cookie) in [
        // The state of another browser, no state, a changed one, and another issuer.
        (target.clone(), other.cookie.clone()),
        (target.clone(), String::new()),
        (target.replace("state=", "state=x"), begun.cookie.clone()),
        (target.replace("iss=http", "iss=https"), begun.cookie.clone()),
        ("/console/oidc/callback".to_owned(), begun.cookie.clone()),
        ("/console/oidc/callback?error=access_denied&state=x".to_owned(), begun.cookie.clone()),
        (target.clone(), format!("{}x", begun.cookie)),
    ] {
        service.callback(&target, &cookie).await.expect(400);
    }
    assert_eq!(events(&service.app, "operator_session.created").await.len(), baseline);
    // Ten minutes later the sign-in is over.
    service.app.advance(600);
    service.callback(&target, &begun.cookie).await.expect(400);
}

#[tokio::test]
async fn attack_49_a_code_is_exchanged_once() {
    let service = Service::start().await;
    service.connected("Ada", "admin", "subject-1").await;
    let begun = service.begin(START).await;
    let target = service.agree(&begun, "subject-1", |_| ()).await;
    service.callback(&target, &begun.cookie).await.expect(200);
    service.callback(&target, &begun.cookie).await.expect(400);
    // A provider that fails is called once for each callback.
    let begun = service.begin(START).await;
    let target = service.agree(&begun, "subject-1", |_| ()).await;
    service.server.set(|behavior| behavior.response_mode = ResponseMode::Broken);
    let before = service.server.seen().tokens;
    service.callback(&target, &begun.cookie).await.expect(503);
    assert_eq!(service.server.seen().tokens, before + 1);
}

#[tokio::test]
async fn attack_49_a_sign_in_returns_nowhere_but_to_the_console() {
    let service = Service::start().await;
    service.connected("Ada", "admin", "subject-1").await;
    for place in ["https://evil.example/", "//evil.example/console/", "/console/../x", "/console/%22%3E%3Cscript%3E"] {
        let begun = service.begin(&format!("{START}?return={place}")).await;
        let target = service.agree(&begun, "subject-1", |_| ()).await;
        let answer = service.callback(&target, &begun.cookie).await.expect(200);
        let page = String::from_utf8_lossy(&answer.bytes).into_owned();
        assert!(page.contains("url=/console/\""), "{page}");
        assert!(!page.contains("evil") && !page.contains("script"), "{page}");
    }
}

#[tokio::test]
async fn attack_50_an_e_mail_address_never_signs_in() {
    let service = Service::start().await;
    service.app.operator("ada@example.com", "admin").await;
    let begun = service.begin(START).await;
    let target = service.agree(&begun, "unknown-subject", |_| ()).await;
    service.no_session_began(service.callback(&target, &begun.cookie).await, 403).await;
}

#[tokio::test]
async fn an_identity_belongs_to_one_operator_and_an_operator_to_one_identity() {
    let service = Service::start().await;
    let ada = service.connected("Ada", "admin", "subject-1").await;
    let grace = service.app.signed_in_operator("Grace", "admin").await;
    let begun = service.connect(&grace).await;
    let target = service.agree(&begun, "subject-1", |_| ()).await;
    service.callback(&target, &begun.cookie).await.expect(409);
    let ada = service.app.sign_in_operator(&ada.id).await;
    let begun = service.connect(&ada).await;
    let target = service.agree(&begun, "subject-2", |_| ()).await;
    service.callback(&target, &begun.cookie).await.expect(409);
    // A disabled operator cannot sign in, and a deleted one frees its identity.
    service.app.put(&format!("/operators/{}", ada.id), &json!({ "is_active": false })).await.expect(200);
    let begun = service.begin(START).await;
    let target = service.agree(&begun, "subject-1", |_| ()).await;
    service.callback(&target, &begun.cookie).await.expect(403);
    service.app.delete(&format!("/operators/{}", ada.id)).await.expect(200);
    let begun = service.connect(&grace).await;
    let target = service.agree(&begun, "subject-1", |_| ()).await;
    service.callback(&target, &begun.cookie).await.expect(200);
}

#[tokio::test]
async fn a_session_that_ended_connects_nothing() {
    let service = Service::start().await;
    let ada = service.app.signed_in_operator("Ada", "admin").await;
    let begun = service.connect(&ada).await;
    let target = service.agree(&begun, "subject-1", |_| ()).await;
    ada.delete(SESSION).await.expect(200);
    service.no_session_began(service.callback(&target, &begun.cookie).await, 400).await;
}
