//! An issuer with one key, and a verifier that knows it. Times are seconds from a fixed instant.

use perennial_domain::time::Time;
use perennial_domain::users::Email;
use perennial_fake_idp::{Key, Server, token};
use perennial_identity::jwks::Keyring;
use perennial_identity::providers::{Algorithm, Audience, EmailVerified, KeysAt, Oidc, Provider};
use perennial_identity::verify::{Identity, Rejection, Verifier};
use perennial_outbound::{Limits, OutboundClient, Reach};
use rustls::RootCertStore;
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) const START: i64 = 1_800_000_000;
pub(crate) const OURS: &str = "https://perennial.example.com";
pub(crate) const HERE: Reach = Reach { private_addresses: true, plain_http: true };

pub(crate) struct Fixture {
    pub(crate) server: Server,
    pub(crate) key: Key,
    pub(crate) verifier: Verifier,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::with(Key::ed(), keyring(RootCertStore::empty()))
    }

    pub(crate) fn with(key: Key, keyring: Arc<Keyring>) -> Self {
        let server = Server::start();
        server.set(|issuer| issuer.keys = vec![key.jwk("k1")]);
        let verifier = verifier(keyring, vec![oidc(&server.url, HERE)]);
        Self { server, key, verifier }
    }

    /// Good claims, to be spoilt.
    pub(crate) fn claims(&self) -> Value {
        claims(&self.server.url)
    }

    pub(crate) fn header(&self) -> Value {
        json!({"typ": "JWT", "alg": self.key.algorithm(), "kid": "k1"})
    }

    pub(crate) fn token(&self, edit: impl FnOnce(&mut Value, &mut Value)) -> String {
        let (mut header, mut claims) = (self.header(), self.claims());
        edit(&mut header, &mut claims);
        token(&header, &claims, |message| self.key.sign(message))
    }

    pub(crate) async fn verify(&self, token: &str, now: i64) -> Result<Identity, Rejection> {
        self.verifier.verify(token, &ada(), at(now)).await
    }

    /// The code of the rejection, or `accepted`.
    pub(crate) async fn outcome(&self, token: &str, now: i64) -> &'static str {
        self.verify(token, now).await.map_or_else(Rejection::code, |_| "accepted")
    }
}

pub(crate) fn at(seconds: i64) -> Time {
    Time::from_micros((START + seconds) * 1_000_000).unwrap()
}

pub(crate) fn ada() -> Email {
    Email::parse("ada@example.com").unwrap()
}

pub(crate) fn claims(issuer: &str) -> Value {
    json!({
        "iss": issuer, "aud": "app", "sub": "ada", "email": "ada@example.com", "email_verified": true,
        "iat": START, "exp": START + 3600,
    })
}

pub(crate) fn keyring(roots: RootCertStore) -> Arc<Keyring> {
    Arc::new(Keyring::new(Arc::new(OutboundClient::new(roots, Limits::default()).unwrap())))
}

pub(crate) fn verifier(keyring: Arc<Keyring>, providers: Vec<Provider>) -> Verifier {
    Verifier::new(keyring, providers, OURS).unwrap_or_else(|fault| panic!("{fault}"))
}

pub(crate) fn audience() -> Audience {
    Audience::new(["app".to_owned()], []).unwrap()
}

pub(crate) fn settings(reach: Reach) -> Oidc {
    Oidc { keys_at: KeysAt::Discovery, audience: audience(), algorithms: Algorithm::ALL.to_vec(), reach }
}

pub(crate) fn oidc(issuer: &str, reach: Reach) -> Provider {
    Provider::oidc(issuer, settings(reach), EmailVerified::Required).unwrap_or_else(|fault| panic!("{fault}"))
}
