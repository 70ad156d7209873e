//! The kinds of provider that publish no keys: a shared secret, and our own issuer.

use crate::fixture::{ada, at, audience, claims, keyring, verifier};
use perennial_domain::id::OrganizationId;
use perennial_fake_idp::{hmac_sha256, token};
use perennial_identity::local::LocalIssuer;
use perennial_identity::providers::{EmailVerified, JwtSecret, Provider};
use perennial_identity::secret::Secret;
use perennial_identity::verify::Rejection;
use rustls::RootCertStore;
use serde_json::{Value, json};

#[tokio::test]
async fn a_shared_secret_signs_with_hs256_and_nothing_else() {
    let secret = "0123456789abcdef0123456789abcdef";
    let settings = JwtSecret { secret: Secret::new(secret.to_owned()), audience: audience() };
    let provider = Provider::jwt_secret("https://s", settings, EmailVerified::IssuerGuarantees).unwrap();
    let verifier = verifier(keyring(RootCertStore::empty()), vec![provider]);
    let mut said = claims("https://s");
    said.as_object_mut().unwrap().remove("email_verified");
    let signed = |header: Value, secret: &str| token(&header, &said, |message| hmac_sha256(secret.as_bytes(), message));
    let good = signed(json!({"alg": "HS256", "typ": "JWT"}), secret);
    assert_eq!(verifier.verify(&good, &ada(), at(0)).await.unwrap().auth_type, "jwt_secret");
    for forged in [
        signed(json!({"alg": "HS256"}), "0123456789abcdef0123456789abcdeg"),
        signed(json!({"alg": "HS256", "typ": "at+jwt"}), secret),
        signed(json!({"alg": "HS384"}), secret),
        signed(json!({"alg": "none"}), secret),
    ] {
        let rejection = verifier.verify(&forged, &ada(), at(0)).await;
        assert!(matches!(rejection, Err(Rejection::Invalid(_))), "{forged}");
    }
}

#[tokio::test]
async fn a_local_token_takes_the_same_path() {
    let organization = OrganizationId::from_bytes([1; 16]);
    let mint = |seed: u8, subject| LocalIssuer::new(&[seed; 32], organization).mint(&ada(), subject, at(0));
    let provider = Provider::local(LocalIssuer::new(&[7; 32], organization));
    let verifier = verifier(keyring(RootCertStore::empty()), vec![provider]);
    let derived = verifier.verify(mint(7, None).expose(), &ada(), at(0)).await.unwrap();
    let again = verifier.verify(mint(7, None).expose(), &ada(), at(60)).await.unwrap();
    assert_eq!(derived, again);
    let given = verifier.verify(mint(7, Some("s")).expose(), &ada(), at(0)).await.unwrap();
    assert_eq!((given.subject.as_str(), given.auth_type), ("s", "local"));
    assert!(verifier.verify(mint(8, None).expose(), &ada(), at(0)).await.is_err());
    assert!(verifier.verify(mint(7, None).expose(), &ada(), at(3660)).await.is_err());
}
