//! Sign-in at an `OpenID` Connect provider with the authorization code flow and PKCE (RFC 7636).
//! A code is sent once and never again, whatever happens to the request.

use crate::introspection::basic;
use crate::json;
use crate::jwks::Keyring;
use crate::providers::{Algorithm, Audience, EmailVerified, KeysAt, Oidc, Provider, ProviderError};
use crate::rejection::{Reason, Rejection};
use crate::secret::Secret;
use crate::verify::{Identity, Verifier};
use aws_lc_rs::digest::{SHA256, digest};
use data_encoding::BASE64URL_NOPAD;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use perennial_domain::time::Time;
use perennial_outbound::{Endpoint, FetchError, OutboundClient, Reach};
use serde::Deserialize;
use std::sync::{Arc, Mutex, PoisonError};
use url::form_urlencoded::Serializer;

/// How long the provider's endpoints are cached.
const FRESH_SECONDS: i64 = 600;

/// The operator of this service chose the provider, and it may well be in the same network. Documents that it publishes
/// may lead to private addresses too, but never to link-local ones.
const REACH: Reach = Reach { private_addresses: true, plain_http: false };

/// How we are known to a provider.
pub struct Registration<'a> {
    /// The provider's issuer.
    pub issuer: &'a str,
    /// Our client ID.
    pub client_id: &'a str,
    /// Our client secret. None: a public client, which PKCE protects alone.
    pub client_secret: Option<Secret>,
}

/// Our registration at a provider.
pub struct RelyingParty {
    issuer: String,
    client_id: String,
    client_secret: Option<Secret>,
    discovery: Endpoint,
    reach: Reach,
    scope: &'static str,
    keyring: Arc<Keyring>,
    verifier: Verifier,
    cached: Mutex<Option<(Time, Metadata)>>,
}

/// The secrets of one sign-in. They are sealed in a cookie of the browser that began it.
pub struct Attempt<'a> {
    /// Compared with the `state` of the response.
    pub state: &'a str,
    /// Compared with the `nonce` of the ID token.
    pub nonce: &'a str,
    /// The PKCE verifier.
    pub verifier: &'a str,
    /// Where the provider sends the browser.
    pub redirect_uri: &'a str,
}

/// What the provider sent back with the browser.
pub struct Answer<'a> {
    /// The code.
    pub code: &'a str,
    /// `state`.
    pub state: &'a str,
    /// `iss` (RFC 9207), if it was sent.
    pub issuer: Option<&'a str>,
}

#[derive(Clone, Deserialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
}

impl RelyingParty {
    /// A registration for operators, if it is safe to use.
    pub fn new(
        keyring: Arc<Keyring>,
        issuer: &str,
        client_id: &str,
        client_secret: Option<Secret>,
    ) -> Result<Self, ProviderError> {
        let audience = Audience::new([client_id.to_owned()], [])?;
        let settings = Oidc { keys_at: KeysAt::Discovery, audience, algorithms: Algorithm::ALL.to_vec(), reach: REACH };
        let registration = Registration { issuer, client_id, client_secret };
        Self::build(keyring, registration, settings, EmailVerified::Required, "openid")
    }

    /// A registration for users, at a provider whose tokens sign them in. Its tokens must contain their addresses.
    pub fn for_users(
        keyring: Arc<Keyring>,
        registration: Registration<'_>,
        settings: Oidc,
        email_verified: EmailVerified,
    ) -> Result<Self, ProviderError> {
        Self::build(keyring, registration, settings, email_verified, "openid email")
    }

    fn build(
        keyring: Arc<Keyring>,
        registration: Registration<'_>,
        settings: Oidc,
        email_verified: EmailVerified,
        scope: &'static str,
    ) -> Result<Self, ProviderError> {
        let Registration { issuer, client_id, client_secret } = registration;
        let reach = settings.reach;
        let provider = Provider::oidc(issuer, settings, email_verified)?;
        let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        Ok(Self {
            issuer: issuer.to_owned(),
            client_id: client_id.to_owned(),
            client_secret,
            discovery: Endpoint::parse(&url, reach)?,
            reach,
            scope,
            verifier: Verifier::new(Arc::clone(&keyring), vec![provider], "")?,
            keyring,
            cached: Mutex::default(),
        })
    }

    /// The host of the provider.
    pub fn host(&self) -> String {
        self.discovery.url().host_str().unwrap_or_default().to_owned()
    }

    /// The provider's page where the sign-in begins.
    pub async fn authorization_url(&self, attempt: &Attempt<'_>, now: Time) -> Result<String, Rejection> {
        let metadata = self.metadata(now).await?;
        let endpoint = Endpoint::parse(&metadata.authorization_endpoint, self.reach);
        let endpoint = endpoint.map_err(|_| Rejection::Unavailable(Reason("the authorization endpoint is no URL")))?;
        let mut url = endpoint.url().clone();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.client_id)
            .append_pair("redirect_uri", attempt.redirect_uri)
            .append_pair("scope", self.scope)
            .append_pair("state", attempt.state)
            .append_pair("nonce", attempt.nonce)
            .append_pair("code_challenge", &challenge(attempt.verifier))
            .append_pair("code_challenge_method", "S256");
        Ok(url.into())
    }

    /// The issuer and subject of the person who signed in.
    pub async fn finish(
        &self,
        attempt: &Attempt<'_>,
        answer: &Answer<'_>,
        now: Time,
    ) -> Result<(String, String), Rejection> {
        let token = self.id_token(attempt, answer, now).await?;
        self.verifier.verify_id_token(&token, attempt.nonce, now).await
    }

    /// The identity of the user who signed in, with the verified address.
    pub async fn finish_user(
        &self,
        attempt: &Attempt<'_>,
        answer: &Answer<'_>,
        now: Time,
    ) -> Result<Identity, Rejection> {
        let token = self.id_token(attempt, answer, now).await?;
        self.verifier.verify_user_id_token(&token, attempt.nonce, now).await
    }

    /// The ID token, after the checks of the response. Its claims are not verified yet.
    async fn id_token(&self, attempt: &Attempt<'_>, answer: &Answer<'_>, now: Time) -> Result<String, Rejection> {
        if answer.state != attempt.state {
            return Err(Rejection::Invalid(Reason("`state` is not that of the sign-in")));
        }
        let metadata = self.metadata(now).await?;
        match answer.issuer {
            Some(issuer) if issuer != self.issuer => {
                return Err(Rejection::Invalid(Reason("`iss` of the response is not the provider's issuer")));
            }
            None if metadata.authorization_response_iss_parameter_supported => {
                return Err(Rejection::Invalid(Reason("`iss` of the response is missing")));
            }
            _ => {}
        }
        self.exchange(&metadata, attempt, answer.code).await
    }

    /// The ID token for a code.
    async fn exchange(&self, metadata: &Metadata, attempt: &Attempt<'_>, code: &str) -> Result<String, Rejection> {
        let unavailable = Rejection::Unavailable(Reason("the token endpoint cannot be used"));
        let endpoint = Endpoint::parse(&metadata.token_endpoint, self.reach).map_err(|_| unavailable)?;
        let mut headers = HeaderMap::from_iter([
            (ACCEPT, HeaderValue::from_static("application/json")),
            (CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded")),
        ]);
        if let Some(secret) = &self.client_secret {
            let mut credentials = basic(&self.client_id, secret).map_err(|_| unavailable)?;
            credentials.set_sensitive(true);
            headers.insert(AUTHORIZATION, credentials);
        }
        let form = self.form(attempt, code);
        let sent = self.client().send(&endpoint, Method::POST, headers, form.into()).await;
        let response = sent.map_err(|error| self.failed(&error))?;
        if response.status.is_client_error() && response.status != StatusCode::TOO_MANY_REQUESTS {
            return Err(Rejection::Invalid(Reason("the provider rejected the code")));
        }
        let response = response.ok().map_err(|error| self.failed(&error))?;
        let tokens: Option<Tokens> = json::object(&response.body);
        Ok(tokens.ok_or(Rejection::Invalid(Reason("the provider returned no ID token")))?.id_token)
    }

    /// Without a secret the client names itself in the form.
    fn form(&self, attempt: &Attempt<'_>, code: &str) -> String {
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", attempt.redirect_uri)
            .append_pair("code_verifier", attempt.verifier);
        if self.client_secret.is_none() {
            form.append_pair("client_id", &self.client_id);
        }
        form.finish()
    }

    async fn metadata(&self, now: Time) -> Result<Metadata, Rejection> {
        if let Some(metadata) = self.cached(now) {
            return Ok(metadata);
        }
        let accept = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]);
        let sent = self.client().send(&self.discovery, Method::GET, accept, bytes::Bytes::new()).await;
        let response = sent.and_then(perennial_outbound::Response::ok).map_err(|error| self.failed(&error))?;
        let metadata: Option<Metadata> = json::object(&response.body);
        let metadata = metadata.filter(|metadata| metadata.issuer == self.issuer);
        let metadata = metadata.ok_or(Rejection::Unavailable(Reason("the discovery document cannot be used")))?;
        *self.cached.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, metadata.clone()));
        Ok(metadata)
    }

    fn cached(&self, now: Time) -> Option<Metadata> {
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        let (read_at, metadata) = cached.as_ref()?;
        (*read_at <= now && now < read_at.plus_seconds(FRESH_SECONDS)).then(|| metadata.clone())
    }

    fn client(&self) -> &OutboundClient {
        self.keyring.client()
    }

    fn failed(&self, error: &FetchError) -> Rejection {
        tracing::warn!(issuer = self.issuer, %error, "the identity provider of a sign-in page cannot be reached");
        Rejection::Unavailable(Reason("the provider cannot be reached"))
    }
}

/// The S256 challenge of a verifier.
fn challenge(verifier: &str) -> String {
    BASE64URL_NOPAD.encode(digest(&SHA256, verifier.as_bytes()).as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_rfc_7636() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
