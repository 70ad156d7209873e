//! Sign-in to the portal at an identity provider, API rules 20.6, and attack 66.

use super::support::{Customer, cookie, html, visit};
use perennial_app::context::AppOptions;
use perennial_app::providers::{Algorithm, Configured, Description, EmailVerified, ProviderKind, Secret, Settings};
use perennial_fake_idp::{Key, Server, token};
use perennial_testkit::{Answer, Request, TestApp, TestOptions};
use serde_json::{Value, json};
use std::collections::HashMap;

const CALLBACK: &str = "/portal/oidc/callback";

/// A service whose organization has a provider for the portal.
struct Service {
    app: TestApp,
    server: Server,
    key: Key,
}

/// A sign-in that has begun in a browser.
struct Begun {
    url: String,
    cookie: String,
}

impl Begun {
    fn parameter(&self, name: &str) -> String {
        let (_, query) = self.url.split_once('?').unwrap();
        let decode = |text: &str| perennial_http::fuzz_api::decode_percent(&text.replace('+', " ")).unwrap();
        let pairs: HashMap<_, _> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
        decode(pairs[name])
    }
}

impl Service {
    async fn start() -> Self {
        let (server, key) = (Server::start(), Key::of("EdDSA"));
        server.set(|behavior| behavior.keys = vec![key.public("k1").jwk]);
        let settings = Settings {
            audience: vec!["app".to_owned()],
            algorithms: Algorithm::ALL.to_vec(),
            email_verified: EmailVerified::Required,
            portal_client_id: Some("portal".to_owned()),
            allow_private_addresses: true,
            ..Settings::default()
        };
        let secret = Some(Secret::new("canary-portal-secret".to_owned()));
        let description = Description { issuer: server.url.clone(), kind: ProviderKind::Oidc, settings, secret };
        let providers = vec![Configured { organization: "default".to_owned(), description }];
        let app = AppOptions { providers, ..TestOptions::default().app };
        Self { app: TestApp::with(TestOptions { app, ..TestOptions::default() }).await, server, key }
    }

    async fn begin(&self) -> Begun {
        let page = html(&visit(&self.app, "/portal/sign-in").send().await.expect(200));
        assert!(page.contains("Sign in with 127.0.0.1"), "{page}");
        let (_, rest) = page.split_once("href=\"/portal/oidc/").unwrap();
        let place = format!("/portal/oidc/{}", rest.split('"').next().unwrap());
        let answer = visit(&self.app, &place).send().await.expect(303);
        let set = answer.header("set-cookie").to_owned();
        assert!(set.contains("; HttpOnly; SameSite=Lax; Path=/; Max-Age=600"), "{set}");
        Begun { url: answer.header("location").to_owned(), cookie: set.split(';').next().unwrap().to_owned() }
    }

    /// The person agrees at the provider, which then issues this ID token; returns where the browser is sent.
    async fn agree(&self, begun: &Begun, subject: &str, edit: impl FnOnce(&mut Value)) -> String {
        let now = self.app.now().as_micros() / 1_000_000;
        let mut claims = json!({
            "iss": self.server.url, "aud": "portal", "sub": subject, "iat": now, "exp": now + 300,
            "nonce": begun.parameter("nonce"), "email": "ada@example.com", "email_verified": true
        });
        edit(&mut claims);
        self.issue(&claims);
        let address = self.server.url.strip_prefix("http://").unwrap().parse().unwrap();
        let path = begun.url.strip_prefix(&self.server.url).unwrap();
        let answer = Request::new(address, "GET", path).send().await.expect(302);
        let place = answer.header("location").to_owned();
        let origin = format!("http://{}", self.app.address);
        place.strip_prefix(&origin).expect("the provider returns to the same site").to_owned()
    }

    fn issue(&self, claims: &Value) {
        let token = self.sign(claims);
        self.server.set(|behavior| behavior.id_token = token);
    }

    fn sign(&self, claims: &Value) -> String {
        let header = json!({ "typ": "JWT", "alg": "EdDSA", "kid": "k1" });
        token(&header, claims, |message| self.key.sign(message))
    }

    async fn callback(&self, target: &str, cookie: &str) -> Answer {
        visit(&self.app, target).header("cookie", cookie).header("sec-fetch-site", "cross-site").send().await
    }

    /// A user with this subject at the provider.
    async fn sign_up(&self, subject: &str) -> String {
        let now = self.app.now().as_micros() / 1_000_000;
        let claims = json!({
            "iss": self.server.url, "aud": "app", "sub": subject, "iat": now, "exp": now + 300,
            "email": "ada@example.com", "email_verified": true
        });
        let body = json!({ "access_token": self.sign(&claims), "email": "ada@example.com" });
        let answer = self.app.browser("POST", "/authentication/sign-up").json(&body).send().await.expect(201);
        answer.data()["user"]["id"].as_str().unwrap().to_owned()
    }

    async fn rejected(&self, answer: Answer, status: u16) {
        let answer = answer.expect(status);
        let all = answer.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap());
        assert!(!all.into_iter().any(|text| text.starts_with("perennial-portal=")));
        let created = self.app.events().await.into_iter();
        let of_portal = created.filter(|event| event.kind.as_str() == "session.created" && event.client_id.is_none());
        assert_eq!(of_portal.count(), 0);
    }
}

#[tokio::test]
async fn a_user_signs_in_with_the_identity_of_the_sign_up() {
    let service = Service::start().await;
    let user = service.sign_up("subject-1").await;
    let begun = service.begin().await;
    for (name, value) in [("client_id", "portal"), ("scope", "openid email"), ("code_challenge_method", "S256")] {
        assert_eq!(begun.parameter(name), value);
    }
    assert_eq!(begun.parameter("redirect_uri"), format!("http://{}{CALLBACK}", service.app.address));
    let target = service.agree(&begun, "subject-1", |_| ()).await;
    let answer = service.callback(&target, &begun.cookie).await.expect(303);
    assert_eq!(answer.header("location"), "/portal/");
    let customer = Customer { app: &service.app, user, cookie: cookie(&answer) };
    assert!(html(&customer.get("/portal/").await.expect(200)).contains("ada@example.com"));
    // A changed address at the provider is adopted, as in every sign-in.
    let begun = service.begin().await;
    let target = service.agree(&begun, "subject-1", |claims| claims["email"] = json!("ada@new.example")).await;
    let answer = service.callback(&target, &begun.cookie).await.expect(303);
    let customer = Customer { cookie: cookie(&answer), ..customer };
    assert!(html(&customer.get("/portal/").await.expect(200)).contains("ada@new.example"));
}

#[tokio::test]
async fn attack_66_a_wrong_state_nonce_issuer_audience_or_address_begins_no_session() {
    let service = Service::start().await;
    service.sign_up("subject-1").await;
    let wrong: [fn(&mut Value); 8] = [
        |claims| claims["nonce"] = json!("another"),
        |claims| claims["iss"] = json!("https://evil.example"),
        // A token of the application is not one of the portal.
        |claims| claims["aud"] = json!("app"),
        |claims| claims["azp"] = json!("app"),
        |claims| claims["exp"] = json!(1),
        |claims| claims["email_verified"] = json!(false),
        |claims| claims["email"] = Value::Null,
        |claims| claims["aud"] = json!(["portal", "app"]),
    ];
    for edit in wrong {
        let begun = service.begin().await;
        let target = service.agree(&begun, "subject-1", edit).await;
        service.rejected(service.callback(&target, &begun.cookie).await, 400).await;
    }
    let begun = service.begin().await;
    let target = service.agree(&begun, "subject-1", |_| ()).await;
    let other = service.begin().await;
    for (target, cookie) in [
        (target.clone(), other.cookie.clone()),
        (target.clone(), String::new()),
        (target.replace("state=", "state=x"), begun.cookie.clone()),
        (CALLBACK.to_owned(), begun.cookie.clone()),
        (format!("{CALLBACK}?error=access_denied&state=x"), begun.cookie.clone()),
        (format!("{target}&state=x"), begun.cookie.clone()),
        (target.clone(), format!("{}x", begun.cookie)),
        // The sealed state of an operator's sign-in is of another name.
        (target.clone(), begun.cookie.replace("perennial-portal-oidc", "perennial-oidc")),
    ] {
        service.rejected(service.callback(&target, &cookie).await, 400).await;
    }
    service.app.advance(600);
    service.rejected(service.callback(&target, &begun.cookie).await, 400).await;
}

#[tokio::test]
async fn attack_66_an_e_mail_address_alone_does_not_sign_in() {
    let service = Service::start().await;
    service.app.user("ada@example.com").await;
    let begun = service.begin().await;
    let target = service.agree(&begun, "unknown", |_| ()).await;
    let answer = service.callback(&target, &begun.cookie).await;
    assert!(html(&answer).contains("There is no customer account for this identity."));
    service.rejected(answer, 403).await;
}

#[tokio::test]
async fn attack_66_a_code_is_exchanged_once() {
    let service = Service::start().await;
    service.sign_up("subject-1").await;
    let begun = service.begin().await;
    let target = service.agree(&begun, "subject-1", |_| ()).await;
    service.callback(&target, &begun.cookie).await.expect(303);
    service.callback(&target, &begun.cookie).await.expect(400);
}

#[tokio::test]
async fn without_a_provider_the_page_explains_how_to_get_in() {
    let app = TestApp::start().await;
    let page = html(&visit(&app, "/portal/sign-in").send().await.expect(200));
    assert!(page.contains("Open the portal from the website") && !page.contains("/portal/oidc/"));
    visit(&app, &format!("/portal/oidc/start/{}/0", app.organization)).send().await.expect(404);
    visit(&app, "/portal/oidc/start/org_nothing/0").send().await.expect(404);
    visit(&app, &format!("/portal/sign-in/{}", app.organization)).send().await.expect(200);
    visit(&app, "/portal/sign-in/org_nothing").send().await.expect(404);
}
