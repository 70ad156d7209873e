//! A service with an issuer, and Ada, who comes from there.

use perennial_app::clients::{self, Credential, NewClient, Presents};
use perennial_app::context::AppOptions;
use perennial_app::limits::RateLimits;
use perennial_app::organizations;
use perennial_app::providers::{Algorithm, Configured, Description, ProviderKind, Secret, Settings};
use perennial_domain::clients::{ClientKind, ClientName};
use perennial_domain::currency::Currency;
use perennial_domain::organizations::OrganizationName;
use perennial_fake_idp::Issuer;
use perennial_testkit::{Answer, TestApp, TestOptions};
use serde_json::{Value, json};
use std::fmt::Display;

pub(crate) const SIGN_UP: &str = "/authentication/sign-up";
pub(crate) const SIGN_IN: &str = "/authentication/sign-in";
pub(crate) const ADA: &str = "ada@example.com";
pub(crate) const REFUSED: &str = "invalid_identity_token";
pub(crate) const UNAVAILABLE: &str = "identity_provider_unavailable";
pub(crate) const DAY: i64 = 24 * 3600;
const ACME: &str = "pk_AcmeAcmeAcmeAcmeAcmeAcmeAcmeAcme";

/// An issuer that publishes nothing yet.
pub(crate) fn issuer() -> Issuer {
    Issuer::start("providers::process::issuer_process")
}

/// An issuer on loopback as an operator allows it, its keys found by discovery.
pub(crate) fn oidc(issuer: &str) -> Description {
    let settings = Settings {
        audience: vec!["app".to_owned()],
        algorithms: Algorithm::ALL.to_vec(),
        allow_private_addresses: true,
        allow_http: true,
        ..Settings::default()
    };
    Description { issuer: issuer.to_owned(), kind: ProviderKind::Oidc, settings, secret: None }
}

/// An issuer with an introspection endpoint.
pub(crate) fn introspection(issuer: &str) -> Description {
    let mut description = oidc(issuer);
    description.kind = ProviderKind::Introspection;
    description.settings.algorithms = vec![];
    description.settings.endpoint = Some(format!("{issuer}/introspect"));
    description.settings.client_id = Some("perennial".to_owned());
    description.secret = Some(Secret::new("canary secret".to_owned()));
    description
}

/// Providers of the organizations of these names, and no rate limits.
pub(crate) fn options(providers: Vec<(&str, Description)>) -> TestOptions {
    let configured = |(organization, description): (&str, Description)| Configured {
        organization: organization.to_owned(),
        description,
    };
    let app = AppOptions {
        local_provider: true,
        rate_limits: RateLimits { enabled: false, ..RateLimits::default() },
        providers: providers.into_iter().map(configured).collect(),
        ..AppOptions::default()
    };
    TestOptions { app, ..TestOptions::default() }
}

/// A service whose organization `default` has one issuer.
pub(crate) struct Service {
    pub(crate) app: TestApp,
    pub(crate) issuer: Issuer,
}

impl Service {
    /// Ada has signed up.
    pub(crate) async fn start() -> Self {
        let service = Self::with(|_, _| ()).await;
        sign_up(&service.app, &service.token(|_, _| ())).await.expect(201);
        service
    }

    /// No user has signed up; the issuer, which has an `EdDSA` key `k1`, or the options differ.
    pub(crate) async fn with(edit: impl FnOnce(&Issuer, &mut TestOptions)) -> Self {
        let issuer = issuer();
        issuer.rotate("k1", "EdDSA");
        let mut options = options(vec![("default", oidc(&issuer.url))]);
        edit(&issuer, &mut options);
        Self { app: TestApp::with(options).await, issuer }
    }

    /// Good claims, to be spoilt.
    pub(crate) fn claims(&self) -> Value {
        claims(&self.app, &self.issuer.url)
    }

    /// A token of this header and these claims, signed with `k1`.
    pub(crate) fn token(&self, edit: impl FnOnce(&mut Value, &mut Value)) -> String {
        let (mut header, mut claims) = (header(), self.claims());
        edit(&mut header, &mut claims);
        self.issuer.token("k1", &header, &claims)
    }

    /// A token that is good so many seconds from now.
    pub(crate) fn token_in(&self, seconds: i64) -> String {
        let then = self.now() + seconds;
        self.token(|_, claims| {
            claims["iat"] = json!(then);
            claims["exp"] = json!(then + 60);
        })
    }

    pub(crate) fn now(&self) -> i64 {
        self.app.now().as_micros() / 1_000_000
    }

    /// `accepted`, or the code of the error.
    pub(crate) async fn outcome(&self, token: &str) -> String {
        outcome(&sign_in(&self.app, token).await)
    }

    /// Compares an error with that of a string that is not a token: it must not reveal what was wrong.
    pub(crate) async fn assert_rejected(&self, token: &str, case: impl Display) {
        let answer = sign_in(&self.app, token).await;
        assert_eq!(outcome(&answer), REFUSED, "{case}");
        assert_eq!(reported(&answer), reported(&sign_in(&self.app, "nonsense").await), "{case}");
    }
}

/// What a caller learns from an answer, apart from its name and its moment.
fn reported(answer: &Answer) -> (u16, Value, Vec<(String, Vec<u8>)>) {
    let mut body = answer.json.clone();
    assert!(body.as_object_mut().unwrap().remove("request_id").is_some());
    let headers = answer.headers.iter().filter(|(name, _)| *name != "x-request-id" && *name != "date");
    (answer.status, body, headers.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect())
}

pub(crate) fn outcome(answer: &Answer) -> String {
    answer.json["code"].as_str().unwrap_or("accepted").to_owned()
}

/// A good header, to be spoilt.
pub(crate) fn header() -> Value {
    json!({ "typ": "JWT", "alg": "EdDSA", "kid": "k1" })
}

/// Good claims of an issuer about Ada.
pub(crate) fn claims(app: &TestApp, issuer: &str) -> Value {
    let now = app.now().as_micros() / 1_000_000;
    json!({
        "iss": issuer, "aud": "app", "sub": "ada", "email": ADA, "email_verified": true,
        "iat": now, "exp": now + 3600,
    })
}

/// A good token of an issuer's key `k1` for Ada.
pub(crate) fn adas_token(app: &TestApp, issuer: &Issuer) -> String {
    issuer.token("k1", &header(), &claims(app, &issuer.url))
}

pub(crate) async fn sign_up(app: &TestApp, token: &str) -> Answer {
    app.post(SIGN_UP, &json!({ "access_token": token, "email": ADA })).await
}

pub(crate) async fn sign_in(app: &TestApp, token: &str) -> Answer {
    app.post(SIGN_IN, &json!({ "access_token": token, "email": ADA })).await
}

/// Makes the organization `acme`, with its own client.
pub(crate) async fn found_acme(app: &TestApp) {
    let name = OrganizationName::parse("acme").unwrap();
    let organization = organizations::create(&app.app, name, Currency::USD, None).await.unwrap().unwrap();
    let client = NewClient {
        name: ClientName::parse("acme").unwrap(),
        presents: Presents::Trusted(Credential::chosen(ACME).unwrap()),
        scopes: ClientKind::Trusted.scopes(),
        origins: vec![],
        cidrs: vec![],
        expires_at: None,
    };
    clients::create(&app.app, organization.id, client).await.unwrap().unwrap();
}

/// Signs Ada up or in with acme's client.
pub(crate) async fn at_acme(app: &TestApp, target: &str, token: &str) -> Answer {
    let body = json!({ "access_token": token, "email": ADA });
    app.anonymous("POST", target).header("client-id", ACME).json(&body).send().await
}
