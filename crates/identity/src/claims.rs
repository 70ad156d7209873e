//! The claims of an identity token: every claim typed, every required one present.
//! Instants are whole seconds. A string, a fraction or a number out of range is rejected, never rounded.

use crate::audience::Audience;
use crate::rejection::{Reason, Rejection};
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use perennial_domain::users::{Email, Identity};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// How a provider's e-mail address is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmailVerified {
    /// A token must contain `email_verified: true`.
    #[default]
    Required,
    /// The issuer only issues verified addresses, without `email_verified`.
    IssuerGuarantees,
}

impl EmailVerified {
    /// Every rule.
    pub const ALL: [Self; 2] = [Self::Required, Self::IssuerGuarantees];

    /// As the configuration spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::IssuerGuarantees => "issuer_guarantees",
        }
    }

    /// The rule with this exact spelling.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.as_str() == word)
    }
}

/// The accepted difference between a provider's clock and ours.
const LEEWAY_SECONDS: i64 = 60;
const OLDEST_SECONDS: i64 = 24 * 3600;

/// The claims of an identity token.
#[derive(Deserialize)]
pub(crate) struct Claims {
    iss: String,
    pub(crate) sub: String,
    aud: OneOrMany,
    #[serde(default, deserialize_with = "present")]
    azp: Option<String>,
    exp: i64,
    iat: i64,
    #[serde(default, deserialize_with = "present")]
    nbf: Option<i64>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) email: Option<String>,
    pub(crate) email_verified: Option<Value>,
    /// Of any type: only a sign-in that we began compares it.
    pub(crate) nonce: Option<Value>,
}

/// One string or a list of strings, as `aud` may be.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub(crate) fn as_slice(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
    }
}

/// An optional claim: it may be absent, but null is invalid.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl Claims {
    /// Checks that the token is from this issuer, for us, and valid now.
    pub(crate) fn check(&self, issuer: &str, audience: &Audience, now: Time) -> Result<(), Reason> {
        if self.iss != issuer {
            return Err(Reason("`iss` is not the provider's issuer"));
        }
        self.check_audience(audience)?;
        let now = seconds(now);
        check_expiry(self.exp, now)?;
        check_not_before(self.nbf, now)?;
        if self.iat > now.saturating_add(LEEWAY_SECONDS) {
            return Err(Reason("`iat` is in the future"));
        }
        if self.iat.saturating_add(OLDEST_SECONDS + LEEWAY_SECONDS) < now {
            return Err(Reason("`iat` is more than 24 hours ago"));
        }
        Ok(())
    }

    /// Without configured authorized parties, `azp` must be one of the audiences: that is the case for an ID token that the
    /// application requested for itself.
    fn check_audience(&self, audience: &Audience) -> Result<(), Reason> {
        let named = self.aud.as_slice();
        if !named.iter().any(|name| audience.allows(name)) {
            return Err(Reason("`aud` names none of the provider's audiences"));
        }
        match &self.azp {
            Some(party) if audience.authorizes(party) => Ok(()),
            Some(_) => Err(Reason("`azp` is not an authorized party")),
            None if audience.requires_a_party() => Err(Reason("`azp` is missing")),
            None if named.iter().all(|name| audience.allows(name)) => Ok(()),
            None => Err(Reason("`aud` names other audiences too and `azp` is missing")),
        }
    }
}

/// Rejects an expired token.
pub(crate) fn check_expiry(exp: i64, now: i64) -> Result<(), Reason> {
    if exp.saturating_add(LEEWAY_SECONDS) > now { Ok(()) } else { Err(Reason("`exp` has passed")) }
}

/// Rejects a token that is not valid yet.
pub(crate) fn check_not_before(nbf: Option<i64>, now: i64) -> Result<(), Reason> {
    match nbf {
        Some(nbf) if nbf > now.saturating_add(LEEWAY_SECONDS) => Err(Reason("`nbf` is in the future")),
        _ => Ok(()),
    }
}

/// Whole seconds since 1970.
pub(crate) fn seconds(time: Time) -> i64 {
    time.as_micros() / 1_000_000
}

/// The subject, if it can be stored unchanged: normalizing it could merge two users.
pub(crate) fn check_subject(sub: &str) -> Result<(), Reason> {
    match Line::<1, 255>::parse(sub) {
        Ok(line) if line.as_str() == sub => Ok(()),
        _ => Err(Reason("`sub` is empty, longer than 255 characters, not NFC or holds control characters")),
    }
}

/// Rejects an identity that cannot be stored on every engine.
pub(crate) fn check_length(issuer: &str, sub: &str) -> Result<(), Reason> {
    if Identity::fits(issuer, sub) { Ok(()) } else { Err(Reason("`iss` and `sub` together exceed 2,560 bytes")) }
}

/// The e-mail address, if it is the expected one and the provider has verified it.
pub(crate) fn check_email(
    email: Option<&str>,
    verified: Option<&Value>,
    rule: EmailVerified,
    wanted: &Email,
) -> Result<Email, Rejection> {
    let email = email.ok_or(Rejection::Invalid(Reason("`email` is missing")))?;
    let email = Email::parse(email).map_err(|_| Rejection::Invalid(Reason("`email` is no address")))?;
    if email != *wanted {
        return Err(Rejection::EmailMismatch);
    }
    // `email_verified: false` overrides the issuer's guarantee.
    match (verified, rule) {
        (Some(Value::Bool(true)), _) | (None, EmailVerified::IssuerGuarantees) => Ok(email),
        _ => Err(Rejection::EmailNotVerified),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: i64 = 1_800_000_000;

    fn check(edit: impl FnOnce(&mut Value), parties: &[&str]) -> Result<(), &'static str> {
        let mut claims = json!({"iss": "https://i", "sub": "s", "aud": "a", "exp": NOW + 100, "iat": NOW});
        edit(&mut claims);
        let claims: Claims = serde_json::from_str(&claims.to_string()).map_err(|_| "typed")?;
        let audience = Audience::new(["a", "b"].map(String::from), parties.iter().map(ToString::to_string)).unwrap();
        claims.check("https://i", &audience, Time::from_micros(NOW * 1_000_000).unwrap()).map_err(|reason| reason.0)
    }

    #[test]
    fn instants_have_a_minute_of_leeway_and_no_more() {
        for (claim, value, accepted) in [
            ("exp", NOW - 59, true),
            ("exp", NOW - 60, false),
            ("exp", i64::MIN, false),
            ("exp", i64::MAX, true),
            ("iat", NOW + 60, true),
            ("iat", NOW + 61, false),
            ("iat", i64::MAX, false),
            ("iat", NOW - 86_460, true),
            ("iat", NOW - 86_461, false),
            ("iat", i64::MIN, false),
            ("nbf", NOW + 60, true),
            ("nbf", NOW + 61, false),
        ] {
            assert_eq!(check(|claims| claims[claim] = json!(value), &[]).is_ok(), accepted, "{claim} {value}");
        }
    }

    #[test]
    fn a_claim_of_the_wrong_type_or_missing_is_refused() {
        for claim in ["iss", "sub", "aud", "exp", "iat"] {
            let missing = check(|claims| drop(claims.as_object_mut().unwrap().remove(claim)), &[]);
            assert_eq!(missing, Err("typed"), "{claim}");
        }
        for (claim, value) in [
            ("iss", json!(["https://i"])),
            ("iss", json!(null)),
            ("aud", json!(["a", 1])),
            ("aud", json!({"a": "a"})),
            ("aud", json!(null)),
            ("exp", json!((NOW + 100).to_string())),
            ("exp", json!(1.8e9 + 100.0)),
            ("exp", json!(1e300)),
            ("exp", json!(u64::MAX)),
            ("iat", json!("now")),
            ("nbf", json!(null)),
            ("nbf", json!("0")),
            ("azp", json!(null)),
            ("azp", json!(["a"])),
            ("sub", json!(7)),
            ("email", json!(null)),
        ] {
            assert_eq!(check(|claims| claims[claim] = value.clone(), &[]), Err("typed"), "{claim} {value}");
        }
        assert!(
            serde_json::from_str::<Claims>(r#"{"iss":"x","iss":"y","sub":"s","aud":"a","exp":1,"iat":1}"#).is_err()
        );
    }

    #[test]
    fn another_issuer_is_refused() {
        for iss in ["https://j", "https://i/", "HTTPS://i", ""] {
            assert!(check(|claims| claims["iss"] = json!(iss), &[]).is_err(), "{iss}");
        }
    }

    #[test]
    fn the_audience_and_the_party_are_ours() {
        for (aud, azp, parties, accepted) in [
            (json!("a"), None, &[][..], true),
            (json!(["a", "b"]), None, &[], true),
            (json!(["x", "b"]), None, &[], false),
            (json!(["x", "b"]), Some("b"), &[], true),
            (json!(["x", "b"]), Some("x"), &[], false),
            (json!("x"), None, &[], false),
            (json!([]), None, &[], false),
            (json!("A"), None, &[], false),
            (json!("a"), Some("x"), &[], false),
            (json!("a"), Some("a"), &["p"], false),
            (json!("a"), Some("p"), &["p"], true),
            (json!("a"), None, &["p"], false),
        ] {
            let outcome = check(
                |claims| {
                    claims["aud"] = aud.clone();
                    if let Some(azp) = azp {
                        claims["azp"] = json!(azp);
                    }
                },
                parties,
            );
            assert_eq!(outcome.is_ok(), accepted, "{aud} {azp:?} {parties:?}");
        }
    }

    #[test]
    fn an_e_mail_is_the_wanted_one_and_vouched_for() {
        let wanted = Email::parse("ada@example.com").unwrap();
        let outcome = |email: Option<&str>, verified: Option<Value>, rule| {
            check_email(email, verified.as_ref(), rule, &wanted).err().map(Rejection::code)
        };
        let (required, guaranteed) = (EmailVerified::Required, EmailVerified::IssuerGuarantees);
        assert_eq!(outcome(Some(" Ada@Example.com"), Some(json!(true)), required), None);
        assert_eq!(outcome(Some("ada@example.com"), None, guaranteed), None);
        for verified in [None, Some(json!(false)), Some(json!("true")), Some(json!(1)), Some(json!(null))] {
            assert_eq!(outcome(Some("ada@example.com"), verified, required), Some("email_not_verified"));
        }
        for verified in [json!(false), json!("true")] {
            assert_eq!(outcome(Some("ada@example.com"), Some(verified), guaranteed), Some("email_not_verified"));
        }
        assert_eq!(outcome(Some("eve@example.com"), Some(json!(true)), required), Some("email_mismatch"));
        assert_eq!(outcome(None, Some(json!(true)), required), Some("invalid_identity_token"));
        assert_eq!(outcome(Some("ada"), Some(json!(true)), required), Some("invalid_identity_token"));
    }

    #[test]
    fn an_identity_that_no_index_can_hold_is_rejected() {
        let (issuer, subject) = ("i".repeat(2_048), "\u{1f511}".repeat(128));
        assert_eq!(issuer.len() + subject.len(), Identity::MAX_BYTES);
        assert!(check_length(&issuer, &subject).is_ok());
        assert_eq!(
            check_length(&issuer, &format!("{subject}x")).map_err(|reason| reason.0.contains("2,560")),
            Err(true)
        );
    }

    #[test]
    fn a_subject_is_kept_as_it_is_or_not_at_all() {
        for sub in ["1", "auth0|abc", &"x".repeat(255), "é"] {
            assert!(check_subject(sub).is_ok(), "{sub}");
        }
        for sub in ["", "a\0b", "a\nb", &"x".repeat(256), "e\u{301}"] {
            assert!(check_subject(sub).is_err(), "{sub:?}");
        }
    }
}
