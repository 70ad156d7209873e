//! Our access tokens: RFC 9068, signed with Ed25519, valid for an hour in one organization.
//! A valid token does not prove a live session: a caller that verifies one reads the session too.

use crate::claims::seconds;
use crate::grant::LEEWAY_SECONDS;
pub use crate::grant::{Access, Grant, LIFE_SECONDS};
use crate::jws::{Header, LONGEST_TOKEN_BYTES, open, seal};
use crate::key_set::KeySet;
use crate::secret::Secret;
use crate::verified::{Entry, VerifiedTokens};
use data_encoding::BASE64URL_NOPAD;
use perennial_domain::id::OrganizationId;
use perennial_domain::time::Time;
use serde::Deserialize;
use serde_json::json;

const TYPE: &str = "at+jwt";
const ALGORITHM: &str = "EdDSA";

/// The token was not issued here, is for another organization, or is not valid now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidToken;

/// There is no key to sign with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no signing key")]
pub struct NoSigningKey;

/// The access tokens of this installation.
pub struct AccessTokens {
    issuer: String,
    verified: VerifiedTokens,
}

/// All claims are required and typed.
#[derive(Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: String,
    client_id: String,
    iat: i64,
    exp: i64,
    jti: String,
    sid: String,
    auth_time: i64,
}

impl AccessTokens {
    /// The tokens that this issuer issues and accepts.
    pub fn new(issuer: String) -> Self {
        Self { issuer, verified: VerifiedTokens::default() }
    }

    /// The `iss` of tokens.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Issues a token. `random` becomes its ID.
    pub fn issue(&self, keys: &KeySet, grant: &Grant, random: [u8; 16], now: Time) -> Result<Secret, NoSigningKey> {
        let key = keys.current(now).ok_or(NoSigningKey)?;
        let iat = seconds(now);
        let claims = json!({
            "iss": self.issuer,
            "aud": grant.organization,
            "sub": grant.user,
            "client_id": grant.client,
            "iat": iat,
            "exp": iat + LIFE_SECONDS,
            "jti": BASE64URL_NOPAD.encode(&random),
            "sid": grant.session,
            "auth_time": seconds(grant.auth_time),
        });
        let header = json!({"typ": TYPE, "alg": ALGORITHM, "kid": key.kid()});
        Ok(Secret::new(seal(&header, &claims, |bytes| key.sign(bytes))))
    }

    /// The grant of a token in this organization. A cached signature is not checked again, but
    /// its key must still be published.
    pub fn verify(
        &self,
        keys: &KeySet,
        token: &str,
        organization: OrganizationId,
        now: Time,
    ) -> Result<Access, InvalidToken> {
        if token.len() > LONGEST_TOKEN_BYTES {
            return Err(InvalidToken);
        }
        let access = match self.verified.get(token, now) {
            Some(entry) if keys.published(&entry.kid, now).is_some() => entry.access,
            Some(_) => return Err(InvalidToken),
            None => {
                let entry = self.check(keys, token, now)?;
                self.verified.put(token, entry.clone());
                entry.access
            }
        };
        // These depend on the caller and the instant, so a cached token must pass them again.
        let begun = access.issued_at <= now.plus_seconds(LEEWAY_SECONDS);
        let good = begun && now < access.expires_at && access.grant.organization == organization;
        if good { Ok(access) } else { Err(InvalidToken) }
    }

    fn check(&self, keys: &KeySet, token: &str, now: Time) -> Result<Entry, InvalidToken> {
        let header = Header::of(token).ok_or(InvalidToken)?;
        if header.typ.as_deref() != Some(TYPE) || header.alg != ALGORITHM {
            return Err(InvalidToken);
        }
        let kid = header.kid.ok_or(InvalidToken)?;
        let key = keys.published(&kid, now).ok_or(InvalidToken)?;
        let claims: Claims = open(token, key.public(), jsonwebtoken::Algorithm::EdDSA).ok_or(InvalidToken)?;
        if claims.iss != self.issuer {
            return Err(InvalidToken);
        }
        let access = claims.access().ok_or(InvalidToken)?;
        // An expired token would only take space in the cache.
        if access.expires_at <= now { Err(InvalidToken) } else { Ok(Entry { access, kid }) }
    }
}

impl Claims {
    fn access(self) -> Option<Access> {
        Some(Access {
            grant: Grant {
                organization: self.aud.parse().ok()?,
                user: self.sub.parse().ok()?,
                client: self.client_id.parse().ok()?,
                session: self.sid.parse().ok()?,
                auth_time: instant(self.auth_time)?,
            },
            issued_at: instant(self.iat)?,
            expires_at: instant(self.exp)?,
            jti: self.jti,
        })
    }
}

fn instant(seconds: i64) -> Option<Time> {
    seconds.checked_mul(1_000_000).and_then(Time::from_micros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signing::SigningKey;
    use perennial_domain::id::{ClientId, SessionId, UserId};
    use serde_json::Value;

    const NOW: i64 = 1_800_000_000;
    const ISSUER: &str = "https://perennial.example.com";

    fn at(seconds: i64) -> Time {
        Time::from_micros(seconds * 1_000_000).unwrap()
    }

    fn keys() -> KeySet {
        KeySet::new(vec![SigningKey::generate(at(NOW - 10)).unwrap()])
    }

    fn grant() -> Grant {
        Grant {
            organization: OrganizationId::from_bytes([1; 16]),
            user: UserId::from_bytes([2; 16]),
            client: ClientId::from_bytes([3; 16]),
            session: SessionId::from_bytes([4; 16]),
            auth_time: at(NOW - 5),
        }
    }

    fn tokens() -> AccessTokens {
        AccessTokens::new(ISSUER.to_owned())
    }

    fn verify(keys: &KeySet, token: &str, now: i64) -> Result<Access, InvalidToken> {
        tokens().verify(keys, token, grant().organization, at(now))
    }

    /// A token of ours with another header or other claims, signed with our key.
    fn forged(keys: &KeySet, edit: impl FnOnce(&mut Value, &mut Value)) -> String {
        let token = tokens().issue(keys, &grant(), [9; 16], at(NOW)).unwrap();
        let mut parts = token.expose().split('.').map(|part| BASE64URL_NOPAD.decode(part.as_bytes()).unwrap());
        let mut next = || serde_json::from_slice::<Value>(&parts.next().unwrap()).unwrap();
        let (mut header, mut claims) = (next(), next());
        edit(&mut header, &mut claims);
        seal(&header, &claims, |bytes| keys.current(at(NOW)).unwrap().sign(bytes))
    }

    #[test]
    fn an_issued_token_verifies_for_an_hour() {
        let keys = keys();
        let token = tokens().issue(&keys, &grant(), [9; 16], at(NOW)).unwrap();
        let access = verify(&keys, token.expose(), NOW).unwrap();
        assert_eq!(access.grant, grant());
        assert_eq!((access.issued_at, access.expires_at), (at(NOW), at(NOW + 3600)));
        assert!(verify(&keys, token.expose(), NOW + 3599).is_ok());
        assert!(verify(&keys, token.expose(), NOW + 3600).is_err());
    }

    #[test]
    fn a_clock_five_minutes_behind_accepts_nothing_early() {
        let keys = KeySet::new(vec![SigningKey::generate(at(NOW - 1000)).unwrap()]);
        let tokens = tokens();
        let token = tokens.issue(&keys, &grant(), [9; 16], at(NOW)).unwrap();
        let verify = |now| tokens.verify(&keys, token.expose(), grant().organization, at(now));
        assert!(verify(NOW).is_ok(), "and is cached");
        assert!(verify(NOW - 60).is_ok());
        assert!(verify(NOW - 61).is_err());
        assert!(verify(NOW - 300).is_err());
        assert!(tokens.issue(&keys, &grant(), [9; 16], at(NOW - 1001)).is_ok(), "the oldest key signs");
        assert!(tokens.issue(&KeySet::default(), &grant(), [9; 16], at(NOW)).is_err());
    }

    #[test]
    fn every_claim_is_required_and_typed() {
        let keys = keys();
        assert!(verify(&keys, &forged(&keys, |_, _| ()), NOW).is_ok());
        for claim in ["iss", "aud", "sub", "client_id", "iat", "exp", "jti", "sid", "auth_time"] {
            let missing = forged(&keys, |_, claims| drop(claims.as_object_mut().unwrap().remove(claim)));
            assert!(verify(&keys, &missing, NOW).is_err(), "{claim} missing");
            for wrong in [json!(null), json!([]), json!({}), json!(true), json!(1e300), json!(-1), json!("x y")] {
                if claim == "jti" && wrong.is_string() {
                    continue;
                }
                let token = forged(&keys, |_, claims| claims[claim] = wrong.clone());
                assert!(verify(&keys, &token, NOW).is_err(), "{claim} {wrong}");
            }
        }
        for (claim, value) in [
            ("iss", json!([ISSUER])),
            ("aud", json!([grant().organization])),
            ("exp", json!((NOW + 100).to_string())),
            ("exp", json!(1_800_000_100.5)),
            ("exp", json!(i64::MAX)),
            ("sub", json!(grant().session)),
        ] {
            let token = forged(&keys, |_, claims| claims[claim] = value.clone());
            assert!(verify(&keys, &token, NOW).is_err(), "{claim} {value}");
        }
    }

    #[test]
    fn another_type_algorithm_key_issuer_or_organization_is_refused() {
        let keys = keys();
        for (name, value) in [
            ("typ", json!("JWT")),
            ("typ", json!(null)),
            ("alg", json!("none")),
            ("alg", json!("HS256")),
            ("kid", json!("other")),
            ("kid", json!(null)),
            ("crit", json!(["x"])),
        ] {
            let token = forged(&keys, |header, _| header[name] = value.clone());
            assert!(verify(&keys, &token, NOW).is_err(), "{name} {value}");
        }
        let token = forged(&keys, |_, claims| claims["iss"] = json!("https://other"));
        assert!(verify(&keys, &token, NOW).is_err());
        let token = forged(&keys, |_, _| ());
        assert!(tokens().verify(&keys, &token, OrganizationId::from_bytes([8; 16]), at(NOW)).is_err());
        assert!(verify(&self::keys(), &token, NOW).is_err(), "another installation's key");
        let (signed, _) = token.rsplit_once('.').unwrap();
        assert!(verify(&keys, &format!("{signed}."), NOW).is_err());
        assert!(verify(&keys, &format!("{signed}.{}", BASE64URL_NOPAD.encode(&[0; 64])), NOW).is_err());
    }

    #[test]
    fn a_cached_token_is_held_to_its_organization_its_hour_and_its_key() {
        let (keys, tokens) = (keys(), tokens());
        let token = tokens.issue(&keys, &grant(), [9; 16], at(NOW)).unwrap();
        let verify = |keys: &KeySet, organization, now| tokens.verify(keys, token.expose(), organization, at(now));
        assert!(verify(&keys, grant().organization, NOW).is_ok());
        assert!(verify(&keys, OrganizationId::from_bytes([8; 16]), NOW).is_err());
        assert!(verify(&keys, grant().organization, NOW + 3600).is_err());
        assert!(verify(&KeySet::default(), grant().organization, NOW).is_err());
    }
}
