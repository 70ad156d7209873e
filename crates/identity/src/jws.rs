//! The envelope of a JWT: its header, parsed here, and its signature, checked by the library.
//! The library's checks of claims are off: it reads the machine's clock and accepts missing and mistyped claims.

use crate::json;
use data_encoding::BASE64URL_NOPAD;
use jsonwebtoken::{DecodingKey, Validation};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

/// Longer than the token of any provider.
pub(crate) const LONGEST_TOKEN_BYTES: usize = 16 * 1024;
const LONGEST_KEY_ID_BYTES: usize = 256;

/// The form of a token before it is verified.
pub(crate) enum Shape {
    /// A JWT with this header and this `iss`, which are only used to select a provider and a key.
    Jwt(Header, String),
    /// A malformed JWT.
    Malformed,
    /// No JWT.
    Opaque,
}

/// The used fields of a header. `jku`, `x5u`, `jwk` and similar ones are ignored: they must not be followed.
#[derive(Deserialize)]
pub(crate) struct Header {
    pub(crate) alg: String,
    pub(crate) kid: Option<String>,
    pub(crate) typ: Option<String>,
    /// Extensions that must be understood. None are.
    crit: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Issuer {
    iss: String,
}

impl Shape {
    pub(crate) fn of(token: &str) -> Self {
        let Some((header, payload)) = parts(token) else { return Self::Opaque };
        if !json::is_object(&header) {
            return Self::Opaque;
        }
        match (Header::read(&header), json::object::<Issuer>(&payload)) {
            (Some(header), Some(issuer)) => Self::Jwt(header, issuer.iss),
            _ => Self::Malformed,
        }
    }
}

impl Header {
    /// The header of a token, if it is supported.
    pub(crate) fn of(token: &str) -> Option<Self> {
        parts(token).and_then(|(header, _)| Self::read(&header))
    }

    fn read(json: &[u8]) -> Option<Self> {
        let header: Self = serde_json::from_slice(json).ok()?;
        let short = header.kid.as_ref().is_none_or(|kid| kid.len() <= LONGEST_KEY_ID_BYTES);
        (short && header.crit.is_none()).then_some(header)
    }

    /// Whether this is the type of a plain JWT, and not of a token with another purpose.
    pub(crate) fn is_plain(&self) -> bool {
        self.typ
            .as_ref()
            .is_none_or(|typ| typ.eq_ignore_ascii_case("jwt") || typ.eq_ignore_ascii_case("application/jwt"))
    }
}

/// Header and payload, decoded. The signature must be present and well-formed.
fn parts(token: &str) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut parts = token.split('.').map(|part| BASE64URL_NOPAD.decode(part.as_bytes()));
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(Ok(header)), Some(Ok(payload)), Some(Ok(_)), None) => Some((header, payload)),
        _ => None,
    }
}

/// The claims of a token that this key signed with this algorithm.
pub(crate) fn open<C: DeserializeOwned>(
    token: &str,
    key: &DecodingKey,
    algorithm: jsonwebtoken::Algorithm,
) -> Option<C> {
    let mut validation = Validation::new(algorithm);
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    jsonwebtoken::decode(token, key, &validation).ok().map(|token| token.claims)
}

/// A signed token: `sign` is given the bytes and returns the signature.
pub(crate) fn seal(header: &Value, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    let mut token = BASE64URL_NOPAD.encode(header.to_string().as_bytes());
    token.push('.');
    BASE64URL_NOPAD.encode_append(claims.to_string().as_bytes(), &mut token);
    let signature = sign(token.as_bytes());
    token.push('.');
    BASE64URL_NOPAD.encode_append(&signature, &mut token);
    token
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn shape(header: &str, payload: &str) -> &'static str {
        let encode = |text: &str| BASE64URL_NOPAD.encode(text.as_bytes());
        match Shape::of(&format!("{}.{}.AAAA", encode(header), encode(payload))) {
            Shape::Jwt(..) => "jwt",
            Shape::Malformed => "malformed",
            Shape::Opaque => "opaque",
        }
    }

    #[test]
    fn what_has_a_json_header_is_a_jwt_and_may_be_malformed() {
        assert_eq!(shape(r#"{"alg":"RS256","kid":"k"}"#, r#"{"iss":"i"}"#), "jwt");
        assert_eq!(shape(r#"{"alg":"RS256","jku":"https://evil","x5u":7}"#, r#"{"iss":"i"}"#), "jwt");
        for header in [
            "{}",
            r#"{"alg":null}"#,
            r#"{"alg":["RS256"]}"#,
            r#"{"alg":"RS256","alg":"none"}"#,
            r#"{"alg":"RS256","crit":["exp"]}"#,
            r#"{"alg":"RS256","crit":[]}"#,
            r#"{"alg":"RS256","kid":7}"#,
            &json!({"alg": "RS256", "kid": "k".repeat(257)}).to_string(),
        ] {
            assert_eq!(shape(header, r#"{"iss":"i"}"#), "malformed", "{header}");
        }
        for payload in ["", "{}", r#"{"iss":["i"]}"#, r#"{"iss":null}"#, r#"{"iss":"i","iss":"j"}"#, "[]"] {
            assert_eq!(shape(r#"{"alg":"RS256"}"#, payload), "malformed", "{payload}");
        }
        assert_eq!(shape("[1]", "{}"), "opaque");
        assert!(matches!(Shape::of("a.b"), Shape::Opaque));
        assert!(matches!(Shape::of("e30.e30.e30.e30.e30"), Shape::Opaque));
        assert!(matches!(Shape::of("e30=.e30.e30"), Shape::Opaque));
    }

    #[test]
    fn only_a_plain_type_is_plain() {
        let plain = |typ: Option<&str>| {
            let header = Header { alg: String::new(), kid: None, typ: typ.map(str::to_owned), crit: None };
            header.is_plain()
        };
        assert!(plain(None) && plain(Some("JWT")) && plain(Some("jwt")) && plain(Some("application/jwt")));
        for typ in ["at+jwt", "AT+JWT", "application/at+jwt", "dpop+jwt", "logout+jwt", "JOSE", ""] {
            assert!(!plain(Some(typ)), "{typ}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[A-Za-z0-9._=-]{0,80}", header in "\\PC{0,40}", payload in "\\PC{0,40}") {
            let _ = Shape::of(&text);
            let encode = |text: &str| BASE64URL_NOPAD.encode(text.as_bytes());
            let _ = Shape::of(&format!("{}.{}.", encode(&header), encode(&payload)));
        }
    }
}
