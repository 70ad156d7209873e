//! Token introspection (RFC 7662), for tokens that only the provider can read. A response is used once and never cached.

use crate::audience::Audience;
use crate::claims::{OneOrMany, check_expiry, check_not_before, present, seconds};
use crate::fetch::post_form;
use crate::json;
use crate::rejection::{Reason, Rejection};
use crate::secret::Secret;
use data_encoding::BASE64;
use http::HeaderValue;
use perennial_domain::time::Time;
use perennial_outbound::{Endpoint, FetchError, OutboundClient};
use serde::Deserialize;
use serde_json::Value;
use url::form_urlencoded::{Serializer, byte_serialize};

/// The provider's response.
#[derive(Deserialize)]
pub(crate) struct Answer {
    pub(crate) active: bool,
    #[serde(default, deserialize_with = "present")]
    iss: Option<String>,
    #[serde(default, deserialize_with = "present")]
    aud: Option<OneOrMany>,
    #[serde(default, deserialize_with = "present")]
    client_id: Option<String>,
    #[serde(default, deserialize_with = "present")]
    exp: Option<i64>,
    #[serde(default, deserialize_with = "present")]
    nbf: Option<i64>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) sub: Option<String>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) email: Option<String>,
    pub(crate) email_verified: Option<Value>,
}

/// Sends the request. A failed request is an error of the provider; `active` other than `true` is an error of the token.
pub(crate) async fn ask(
    client: &OutboundClient,
    endpoint: &Endpoint,
    client_id: &str,
    client_secret: &Secret,
    token: &str,
) -> Result<Answer, FetchError> {
    let form = Serializer::new(String::new())
        .append_pair("token", token)
        .append_pair("token_type_hint", "access_token")
        .finish();
    let answer = post_form(client, endpoint, basic(client_id, client_secret)?, form).await?;
    json::object(&answer.body).ok_or(FetchError::Malformed("is not that of an introspection endpoint"))
}

/// Both parts are form-encoded first, as RFC 6749 §2.3.1 requires.
pub(crate) fn basic(client_id: &str, client_secret: &Secret) -> Result<HeaderValue, FetchError> {
    let encode = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let pair = format!("{}:{}", encode(client_id), encode(client_secret.expose()));
    HeaderValue::from_str(&format!("Basic {}", BASE64.encode(pair.as_bytes())))
        .map_err(|_| FetchError::Unreachable("the client's credentials fit no header".to_owned()))
}

impl Answer {
    /// Checks that the token is active, from this issuer and for us.
    pub(crate) fn check(&self, issuer: &str, audience: &Audience, now: Time) -> Result<(), Reason> {
        if !self.active {
            return Err(Reason("the provider reports that the token is not active"));
        }
        if self.iss.as_ref().is_some_and(|iss| iss != issuer) {
            return Err(Reason("`iss` is not the provider's issuer"));
        }
        let client = self.client_id.as_deref();
        let meant_for_us = match &self.aud {
            Some(names) => names.as_slice().iter().any(|name| audience.allows(name)),
            None => client.is_some_and(|client| audience.allows(client)),
        };
        if !meant_for_us {
            return Err(Reason("neither `aud` nor `client_id` names one of the provider's audiences"));
        }
        if audience.requires_a_party() && !client.is_some_and(|client| audience.authorizes(client)) {
            return Err(Reason("`client_id` is not an authorized party"));
        }
        let now = seconds(now);
        check_not_before(self.nbf, now)?;
        self.exp.map_or(Ok(()), |exp| check_expiry(exp, now))
    }

    /// The subject, which is required.
    pub(crate) fn subject(&self) -> Result<&str, Rejection> {
        self.sub.as_deref().ok_or(Rejection::Invalid(Reason("`sub` is missing")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: i64 = 1_800_000_000;

    fn accepts(answer: &Value, parties: &[&str]) -> bool {
        let Ok(answer) = serde_json::from_value::<Answer>(answer.clone()) else { return false };
        let audience = Audience::new(["app".to_owned()], parties.iter().map(ToString::to_string)).unwrap();
        answer.check("https://i", &audience, Time::from_micros(NOW * 1_000_000).unwrap()).is_ok()
    }

    #[test]
    fn an_answer_is_active_and_meant_for_us() {
        for (answer, accepted) in [
            (json!({"active": true, "aud": "app"}), true),
            (json!({"active": true, "client_id": "app"}), true),
            (json!({"active": true, "aud": ["x", "app"], "exp": NOW, "nbf": NOW, "iss": "https://i"}), true),
            (json!({"active": false, "aud": "app"}), false),
            (json!({"active": "true", "aud": "app"}), false),
            (json!({"aud": "app"}), false),
            (json!({"active": true}), false),
            (json!({"active": true, "aud": "x", "client_id": "app"}), false),
            (json!({"active": true, "aud": "app", "iss": "https://j"}), false),
            (json!({"active": true, "aud": "app", "exp": NOW - 60}), false),
            (json!({"active": true, "aud": "app", "exp": "never"}), false),
            (json!({"active": true, "aud": "app", "nbf": NOW + 61}), false),
        ] {
            assert_eq!(accepts(&answer, &[]), accepted, "{answer}");
        }
        assert!(accepts(&json!({"active": true, "aud": "app", "client_id": "web"}), &["web"]));
        assert!(!accepts(&json!({"active": true, "aud": "app", "client_id": "app"}), &["web"]));
        assert!(!accepts(&json!({"active": true, "aud": "app"}), &["web"]));
    }

    #[test]
    fn credentials_are_encoded_before_they_are_joined() {
        let header = basic("a:b", &Secret::new("c d".to_owned())).unwrap();
        assert_eq!(header.to_str().unwrap(), format!("Basic {}", BASE64.encode(b"a%3Ab:c+d")));
    }
}
