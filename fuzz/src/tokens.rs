//! Tokens: a provider's, our own, and the documents of keys.

use crate::utf8;
use aws_lc_rs::hmac;
use data_encoding::BASE64URL_NOPAD;
use perennial_domain::id::{ClientId, OrganizationId, SessionId, UserId};
use perennial_domain::time::Time;
use perennial_domain::users::Email;
use perennial_identity::access::{AccessTokens, Grant};
use perennial_identity::jwks::{Keyring, usable_keys};
use perennial_identity::key_set::KeySet;
use perennial_identity::providers::{Audience, EmailVerified, JwtSecret, Provider};
use perennial_identity::refresh::RefreshKey;
use perennial_identity::secret::Secret;
use perennial_identity::signing::SigningKey;
use perennial_identity::verify::{Identity, Rejection, Verifier};
use perennial_outbound::{Limits, OutboundClient};
use serde_json::Value;
use std::pin::pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Waker};

const NOW_SECONDS: i64 = 1_773_144_000;
const ISSUER: &str = "https://issuer.example";
const SECRET: &str = "a secret of thirty-two bytes or more";
const EMAIL: &str = "ada@example.com";

static VERIFIER: LazyLock<Verifier> = LazyLock::new(|| {
    let fetcher = OutboundClient::new(rustls::RootCertStore::empty(), Limits::default()).expect("a fetcher");
    let audience = Audience::new(["app".to_owned()], []).expect("an audience");
    let settings = JwtSecret { secret: Secret::new(SECRET.to_owned()), audience };
    let provider = Provider::jwt_secret(ISSUER, settings, EmailVerified::Required).expect("a provider");
    Verifier::new(Arc::new(Keyring::new(Arc::new(fetcher))), vec![provider], "urn:perennial:ours").expect("a verifier")
});

/// A token as it came, and one made of a header and claims that anyone could choose, rightly signed.
pub(crate) fn jwt(data: &[u8]) {
    if let Some(text) = utf8(data) {
        let accepted = verify(text);
        assert!(accepted.is_err() || is_signed(text), "an unsigned token was accepted");
    }
    let Some((header, claims)) = halves(data) else { return };
    let token = signed(header, claims);
    if let Ok(identity) = verify(&token) {
        let (header, claims) = (object(header), object(claims));
        assert_eq!(header["alg"], "HS256");
        assert!(header.get("crit").is_none(), "an extension that we do not know");
        assert!(header["kid"].is_null() || header["kid"].is_string());
        assert_eq!(claims["iss"], ISSUER);
        let named =
            claims["aud"] == "app" || claims["aud"].as_array().is_some_and(|list| list.iter().any(|one| one == "app"));
        assert!(named, "for another audience: {claims}");
        assert!(claims["exp"].as_i64().is_some_and(|exp| exp > NOW_SECONDS - 60), "{claims}");
        assert!(claims["iat"].as_i64().is_some_and(|iat| iat <= NOW_SECONDS + 60), "{claims}");
        assert!(
            claims["nbf"].is_null() || claims["nbf"].as_i64().is_some_and(|nbf| nbf <= NOW_SECONDS + 60),
            "{claims}"
        );
        assert_eq!(claims["email_verified"], true);
        assert_eq!(claims["sub"], identity.subject.as_str());
        assert_eq!((identity.issuer.as_str(), identity.email.as_str()), (ISSUER, EMAIL));
    }
}

/// Our own: no text passes that our key has not signed, and one that it has passes for its organization alone.
pub(crate) fn access(data: &[u8]) {
    static KEYS: LazyLock<KeySet> = LazyLock::new(|| KeySet::new(vec![SigningKey::generate(now()).expect("a key")]));
    static TOKENS: LazyLock<AccessTokens> = LazyLock::new(|| AccessTokens::new("urn:perennial:ours".to_owned()));
    let bytes = |start: usize| std::array::from_fn(|place| data.get(start + place).copied().unwrap_or(1));
    let organization = OrganizationId::from_bytes(bytes(0));
    let refused = |text: &str| TOKENS.verify(&KEYS, text, organization, now()).is_err();
    assert!(utf8(data).is_none_or(refused));
    if let Some((header, claims)) = halves(data) {
        assert!(refused(&signed(header, claims)), "signed with another key");
    }
    let grant = Grant {
        organization,
        user: UserId::from_bytes(bytes(16)),
        client: ClientId::from_bytes(bytes(32)),
        session: SessionId::from_bytes(bytes(48)),
        auth_time: now(),
    };
    let token = TOKENS.issue(&KEYS, &grant, bytes(64), now()).expect("there is a key");
    let access = TOKENS.verify(&KEYS, token.expose(), organization, now()).expect("our own token");
    assert_eq!(access.grant, grant);
    let elsewhere = OrganizationId::from_bytes(organization.bytes().map(|byte| byte ^ 1));
    assert!(TOKENS.verify(&KEYS, token.expose(), elsewhere, now()).is_err());
    let mut changed = token.expose().as_bytes().to_vec();
    let place = data.len() % changed.len();
    changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
    assert!(utf8(&changed).is_some_and(refused), "letter {place} was changed");
}

/// A refresh token opens if we made it, and has one spelling.
pub(crate) fn refresh(data: &[u8]) {
    let key = RefreshKey::new(&[1; 32]);
    if let Some(text) = utf8(data)
        && let Ok((session, generation)) = key.open(text)
    {
        assert_eq!(key.make(session, generation).expose(), text);
    }
    let session = SessionId::from_bytes(std::array::from_fn(|place| data.get(place).copied().unwrap_or(0)));
    let generation = u32::from(data.get(16).copied().unwrap_or(0)) << (data.len() % 24);
    let token = key.make(session, generation);
    assert_eq!(key.open(token.expose()), Ok((session, generation)));
    let cut = data.len() % token.expose().len();
    assert!(key.open(&token.expose()[..cut]).is_err());
}

/// A document of keys: few enough, each of use for something, in one order.
pub(crate) fn jwks(data: &[u8]) {
    match usable_keys(data) {
        Ok(keys) => {
            assert!(keys.len() <= 100 && keys.is_sorted_by(|one, other| one.0 < other.0));
            assert!(keys.iter().all(|(_, algorithms)| !algorithms.is_empty()));
            let document = object(data);
            assert!(document["keys"].as_array().is_some_and(|list| list.len() >= keys.len()));
        }
        Err(reason) => assert!(!reason.is_empty()),
    }
}

fn now() -> Time {
    Time::from_micros(NOW_SECONDS * 1_000_000).expect("an instant of 2026")
}

/// A header and claims, one on each side of the first line break.
fn halves(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let place = data.iter().position(|byte| *byte == b'\n')?;
    Some((&data[..place], &data[place + 1..]))
}

fn object(json: &[u8]) -> Value {
    serde_json::from_slice(json).expect("what was accepted is JSON")
}

fn signed(header: &[u8], claims: &[u8]) -> String {
    let body = format!("{}.{}", BASE64URL_NOPAD.encode(header), BASE64URL_NOPAD.encode(claims));
    format!("{body}.{}", BASE64URL_NOPAD.encode(mac(&body).as_ref()))
}

fn is_signed(token: &str) -> bool {
    let Some((body, tag)) = token.rsplit_once('.') else { return false };
    BASE64URL_NOPAD.encode(mac(body).as_ref()) == tag
}

fn mac(body: &str) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes()), body.as_bytes())
}

/// A provider with a secret is asked nothing, so the answer is there at once.
fn verify(token: &str) -> Result<Identity, Rejection> {
    let email = Email::parse(EMAIL).expect("an address");
    let verified = pin!(VERIFIER.verify(token, &email, now()));
    match verified.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(verified) => verified,
        Poll::Pending => panic!("no request may be sent"),
    }
}
