//! Where we connect to on an operator's behalf, and what we tell and learn there.

use crate::certificate::Certificate;
use crate::fixture::{Fixture, HERE, ada, at, audience, claims, keyring, oidc, settings, verifier};
use data_encoding::BASE64;
use perennial_fake_idp::{Key, ResponseMode, Server, token};
use perennial_identity::providers::{EmailVerified, Introspection, KeysAt, Oidc, Provider, ProviderError};
use perennial_identity::secret::Secret;
use perennial_identity::verify::{Rejection, Verifier};
use perennial_outbound::{FetchError, Reach};
use rustls::RootCertStore;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const UNAVAILABLE: &str = "identity_provider_unavailable";
const PRIVATE: Reach = Reach { private_addresses: true, plain_http: false };

#[tokio::test]
async fn attack_30_private_addresses_need_the_operators_word() {
    let server = Server::start();
    server.set(|issuer| issuer.keys = vec![Key::ed().jwk("k1")]);
    let port = server.url.rsplit_once(':').unwrap().1.to_owned();
    let keyring = keyring(RootCertStore::empty());
    // Every way to write this machine, a name for it among them.
    for host in ["127.0.0.1", "localhost", "127.1", "0x7f000001", "2130706433", "[::1]", "[::ffff:127.0.0.1]"] {
        let url = format!("http://{host}:{port}");
        for reach in [Reach::default(), Reach { plain_http: true, private_addresses: false }] {
            let settings = Oidc { keys_at: KeysAt::Url(format!("{url}/keys")), ..settings(reach) };
            match Provider::oidc(&url, settings, EmailVerified::Required) {
                Ok(provider) => {
                    let seen = keyring.look(&provider).await.unwrap();
                    assert!(matches!(seen, Err(FetchError::Forbidden(_))), "{host}: {seen:?}");
                }
                Err(fault) => assert!(matches!(fault, ProviderError::PlainHttp(_)), "{host}"),
            }
        }
    }
    assert_eq!(server.seen().requests(), 0);
    let settings = Oidc { keys_at: KeysAt::Url(format!("{}/keys", server.url)), ..settings(PRIVATE) };
    let provider = Provider::oidc(&server.url, settings, EmailVerified::Required).unwrap();
    let sighting = keyring.look(&provider).await.unwrap().unwrap();
    assert_eq!((sighting.keys[0].0.as_str(), sighting.fresh_seconds), ("k1", 600));
}

#[tokio::test]
async fn attack_30_link_local_addresses_are_never_asked() {
    // Not the address of a cloud's metadata service, which is one of them: without the defense, this test would call it.
    let keyring = keyring(RootCertStore::empty());
    for url in ["http://169.254.1.1/keys", "http://[fe80::1]/", "http://0.0.0.0/", "http://[::]/"] {
        let settings = Oidc { keys_at: KeysAt::Url(url.to_owned()), ..settings(HERE) };
        let provider = Provider::oidc("https://i", settings, EmailVerified::Required).unwrap();
        let seen = keyring.look(&provider).await.unwrap();
        assert!(matches!(seen, Err(FetchError::Forbidden(_))), "{url}: {seen:?}");
    }
}

#[tokio::test]
async fn attack_30_redirects_are_not_followed() {
    let (fixture, elsewhere) = (Fixture::new(), Server::start());
    elsewhere.set(|issuer| issuer.keys = vec![fixture.key.jwk("k1")]);
    fixture.server.set(|issuer| issuer.response_mode = ResponseMode::Redirect(format!("{}/keys", elsewhere.url)));
    assert_eq!(fixture.outcome(&fixture.token(|_, _| ()), 0).await, UNAVAILABLE);
    assert_eq!(elsewhere.seen().requests(), 0);
    let seen = keyring(RootCertStore::empty()).look(&oidc(&fixture.server.url, HERE)).await.unwrap();
    assert_eq!(seen.err(), Some(FetchError::Redirect));
}

#[tokio::test]
async fn attack_30_a_discovery_document_leads_nowhere_it_should_not() {
    let fixture = Fixture::new();
    let keyring = keyring(RootCertStore::empty());
    // The document may be fetched from this machine; what it names is held to the same rules.
    let provider = oidc(&fixture.server.url, PRIVATE);
    for (document, malformed) in [
        (json!({"jwks_uri": "http://id.example.com/keys"}), true),
        (json!({"jwks_uri": "file:///etc/passwd"}), true),
        (json!({"jwks_uri": 7}), true),
        (json!({"jwks_uri": "https://169.254.1.1/keys"}), false),
        (json!({"issuer": "https://evil"}), true),
        (json!({"issuer": format!("{}/", fixture.server.url)}), true),
        (json!({"issuer": null}), true),
    ] {
        fixture.server.set(|issuer| issuer.discovery = document.clone());
        let seen = keyring.look(&provider).await.unwrap();
        match seen {
            Err(FetchError::Malformed(_)) => assert!(malformed, "{document}"),
            Err(FetchError::Forbidden(_)) => assert!(!malformed, "{document}"),
            seen => panic!("{document}: {seen:?}"),
        }
    }
    assert_eq!(fixture.server.seen().keys, 0);
}

#[tokio::test]
async fn an_https_issuer_is_reached_if_its_certificate_is_trusted() {
    let (certificate, other) = (Certificate::new(), Certificate::new());
    let server = Server::start_with(Some(certificate.acceptor()));
    let key = Key::ed();
    server.set(|issuer| issuer.keys = vec![key.jwk("k1")]);
    let token = token(&json!({"alg": "EdDSA", "kid": "k1"}), &claims(&server.url), |message| key.sign(message));
    let outcome = async |roots| {
        let verifier = verifier(keyring(roots), vec![oidc(&server.url, PRIVATE)]);
        verifier.verify(&token, &ada(), at(0)).await.map_or_else(Rejection::code, |_| "accepted")
    };
    assert_eq!(outcome(certificate.roots()).await, "accepted");
    assert_eq!(outcome(other.roots()).await, UNAVAILABLE);
    assert_eq!(outcome(RootCertStore::empty()).await, UNAVAILABLE);
    let address = server.url.replace("127.0.0.1", "localhost");
    let seen = keyring(certificate.roots()).look(&oidc(&address, PRIVATE)).await.unwrap();
    assert!(matches!(seen, Err(FetchError::Unreachable(_))), "the certificate is for another name: {seen:?}");
}

fn introspection(server: &Server, reach: Reach) -> Provider {
    let settings = Introspection {
        endpoint: format!("{}/introspect", server.url),
        client_id: "perennial".to_owned(),
        client_secret: Secret::new("canary-secret".to_owned()),
        audience: audience(),
        reach,
    };
    Provider::introspection(&server.url, settings, EmailVerified::Required).unwrap_or_else(|fault| panic!("{fault}"))
}

fn active() -> Value {
    json!({"active": true, "sub": "ada", "aud": "app", "email": "ada@example.com", "email_verified": true})
}

#[tokio::test]
async fn an_opaque_token_is_asked_about() {
    let server = Server::start();
    let keyring = keyring(RootCertStore::empty());
    let verifier = verifier(keyring, vec![introspection(&server, HERE)]);
    server.set(|issuer| issuer.introspection = active());
    let identity = verifier.verify("opaque&token=x", &ada(), at(0)).await.unwrap();
    assert_eq!((identity.subject.as_str(), identity.auth_type), ("ada", "introspection"));
    let (authorization, form) = server.seen().asked.unwrap();
    assert_eq!(authorization, format!("Basic {}", BASE64.encode(b"perennial:canary-secret")));
    assert_eq!(form, "token=opaque%26token%3Dx&token_type_hint=access_token");
    for (field, value, code) in [
        ("active", json!(false), "invalid_identity_token"),
        ("aud", json!("other"), "invalid_identity_token"),
        ("iss", json!("https://evil"), "invalid_identity_token"),
        ("sub", json!(""), "invalid_identity_token"),
        ("email", json!("eve@example.com"), "email_mismatch"),
        ("email_verified", json!(false), "email_not_verified"),
        ("active", json!("yes"), UNAVAILABLE),
    ] {
        server.set(|issuer| {
            issuer.introspection = active();
            issuer.introspection[field] = value.clone();
        });
        let rejection = verifier.verify("opaque", &ada(), at(0)).await.unwrap_err();
        assert_eq!(rejection.code(), code, "{field} {value}");
    }
    let only_jwt = Fixture::new();
    assert_eq!(only_jwt.outcome("opaque", 0).await, "invalid_identity_token");
}

#[tokio::test]
async fn attack_30_introspection_is_held_to_the_same_rules() {
    let server = Server::start();
    server.set(|issuer| issuer.introspection = active());
    let verifier = verifier(keyring(RootCertStore::empty()), vec![introspection(&server, Reach::default())]);
    let rejection = verifier.verify("opaque", &ada(), at(0)).await.unwrap_err();
    assert_eq!(rejection.code(), UNAVAILABLE);
    assert_eq!(server.seen().requests(), 0);
}

#[tokio::test]
async fn attack_33_no_rejection_and_no_log_tells_the_token_the_secret_or_the_e_mail() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone());
    let _listening = tracing::subscriber::set_default(subscriber.finish());
    let fixture = Fixture::new();
    let opaque = Server::start();
    let providers = vec![oidc(&fixture.server.url, HERE), introspection(&opaque, HERE)];
    let verifier = verifier(keyring(RootCertStore::empty()), providers);
    fixture.server.set(|issuer| issuer.response_mode = ResponseMode::Broken);
    let unverifiable = fixture.token(|_, _| ());
    let mut logged = Vec::new();
    for token in ["canary-token", unverifiable.as_str(), "canary.token.x"] {
        logged.push(format!("{:?}", verifier.verify(token, &ada(), at(0)).await.unwrap_err()));
    }
    logged.push(String::from_utf8(log.0.lock().unwrap().clone()).unwrap());
    let logged = logged.join("\n");
    for warning in ["could not introspect a token", "cannot be fetched"] {
        assert!(logged.contains(warning), "the log is read: {logged}");
    }
    let signature = unverifiable.rsplit_once('.').unwrap().1;
    let secret = BASE64.encode(b"perennial:canary-secret");
    for canary in ["canary", "ada@", &unverifiable[..20], signature, &secret] {
        assert!(!logged.contains(canary), "{canary}: {logged}");
    }
}

/// What was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn providers_that_cannot_stand_side_by_side_are_refused() {
    let keyring = keyring(RootCertStore::empty());
    let server = |url: &str| oidc(url, HERE);
    let twice = Verifier::new(keyring.clone(), vec![server("https://a"), server("https://a")], "https://ours").err();
    assert_eq!(twice, Some(ProviderError::IssuerTwice("https://a".to_owned())));
    let (one, two) = (Server::start(), Server::start());
    let asked = vec![introspection(&one, HERE), introspection(&two, HERE)];
    assert_eq!(Verifier::new(keyring, asked, "https://ours").err(), Some(ProviderError::IntrospectionTwice));
}
