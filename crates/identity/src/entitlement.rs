//! Entitlement tokens: what a user is entitled to, signed, for an application that is offline.
//! They have the keys of access tokens and another `typ`. Neither kind is ever accepted as the other.

use crate::access::{InvalidToken, NoSigningKey};
use crate::claims::seconds;
use crate::grant::LEEWAY_SECONDS;
pub use crate::grant::LONGEST_LIFE_SECONDS;
use crate::jws::{Header, LONGEST_TOKEN_BYTES, open, seal};
use crate::key_set::KeySet;
use crate::secret::Secret;
use data_encoding::BASE64URL_NOPAD;
use perennial_domain::id::{OrganizationId, UserId};
use perennial_domain::time::Time;
use serde::Deserialize;
use serde_json::{Map, Value, json};

const TYPE: &str = "ent+jwt";
const ALGORITHM: &str = "EdDSA";

/// The contents of a token. Instants are whole seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Entitled {
    /// The organization: the audience.
    pub organization: OrganizationId,
    /// The user: the subject.
    pub user: UserId,
    /// When it was issued.
    pub issued_at: Time,
    /// When it expires.
    pub expires_at: Time,
    /// When the application should fetch the next one.
    pub refresh_after: Time,
    /// The value of each feature.
    pub values: Map<String, Value>,
}

/// All claims are required and typed.
#[derive(Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: String,
    iat: i64,
    exp: i64,
    #[serde(rename = "jti")]
    _jti: String,
    refresh_after: i64,
    ent: Map<String, Value>,
}

/// Signs a token with the key that signs now. `random` becomes its ID.
pub fn issue(
    issuer: &str,
    keys: &KeySet,
    entitled: &Entitled,
    random: [u8; 16],
    now: Time,
) -> Result<Secret, NoSigningKey> {
    let key = keys.current(now).ok_or(NoSigningKey)?;
    let claims = json!({
        "iss": issuer,
        "aud": entitled.organization,
        "sub": entitled.user,
        "iat": seconds(entitled.issued_at),
        "exp": seconds(entitled.expires_at),
        "jti": BASE64URL_NOPAD.encode(&random),
        "refresh_after": seconds(entitled.refresh_after),
        "ent": entitled.values,
    });
    let header = json!({"typ": TYPE, "alg": ALGORITHM, "kid": key.kid()});
    Ok(Secret::new(seal(&header, &claims, |bytes| key.sign(bytes))))
}

/// The contents of a valid token: the reference of the functions in docs/verify-tokens.md.
///
/// `newest_seen` is the largest `iat` of the tokens that this device has accepted. A clock more than 60 seconds before it was
/// set back, and nothing is accepted.
pub fn verify(
    issuer: &str,
    keys: &KeySet,
    token: &str,
    organization: OrganizationId,
    newest_seen: Option<Time>,
    now: Time,
) -> Result<Entitled, InvalidToken> {
    if token.len() > LONGEST_TOKEN_BYTES {
        return Err(InvalidToken);
    }
    let header = Header::of(token).ok_or(InvalidToken)?;
    if header.typ.as_deref() != Some(TYPE) || header.alg != ALGORITHM {
        return Err(InvalidToken);
    }
    let key = keys.published(&header.kid.ok_or(InvalidToken)?, now).ok_or(InvalidToken)?;
    let claims: Claims = open(token, key.public(), jsonwebtoken::Algorithm::EdDSA).ok_or(InvalidToken)?;
    if claims.iss != issuer {
        return Err(InvalidToken);
    }
    let entitled = claims.entitled().ok_or(InvalidToken)?;
    let newest = newest_seen.map_or(entitled.issued_at, |seen| seen.max(entitled.issued_at));
    let is_clock_right = newest <= now.plus_seconds(LEEWAY_SECONDS);
    let is_valid = is_clock_right && now < entitled.expires_at && entitled.organization == organization;
    if is_valid { Ok(entitled) } else { Err(InvalidToken) }
}

impl Claims {
    fn entitled(self) -> Option<Entitled> {
        Some(Entitled {
            organization: self.aud.parse().ok()?,
            user: self.sub.parse().ok()?,
            issued_at: instant(self.iat)?,
            expires_at: instant(self.exp)?,
            refresh_after: instant(self.refresh_after)?,
            values: self.ent,
        })
    }
}

fn instant(seconds: i64) -> Option<Time> {
    seconds.checked_mul(1_000_000).and_then(Time::from_micros)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;
