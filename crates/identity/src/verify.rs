//! Verification of identity tokens by the providers of one organization.
//! Nothing in a token is trusted before its signature is checked with a key of the issuer it names.

use crate::algorithm::Algorithm;
use crate::claims::{Claims, check_email, check_length, check_subject};
use crate::introspection;
use crate::jwks::{Keyring, NoKey};
use crate::jws::{Header, LONGEST_TOKEN_BYTES, Shape, open};
use crate::provider_error::ProviderError;
use crate::providers::{Kind, Provider};
pub use crate::rejection::{Reason, Rejection};
use perennial_domain::time::Time;
use perennial_domain::users::Email;
use serde_json::Value;
use std::sync::Arc;

/// A verified identity: the pair of issuer and subject, never the e-mail address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The issuer.
    pub issuer: String,
    /// The user's ID at the provider.
    pub subject: String,
    /// The e-mail address that the provider has verified.
    pub email: Email,
    /// The kind of the provider: `oidc`, `jwt_secret`, `introspection` or `local`.
    pub auth_type: &'static str,
}

/// The providers of one organization.
pub struct Verifier {
    keyring: Arc<Keyring>,
    providers: Vec<Provider>,
}

struct Person {
    subject: String,
    email: Option<String>,
    email_verified: Option<Value>,
    nonce: Option<Value>,
}

impl Verifier {
    /// Checks that the providers can be used together: each issuer once, one introspection at most, and not our own issuer.
    pub fn new(keyring: Arc<Keyring>, providers: Vec<Provider>, our_issuer: &str) -> Result<Self, ProviderError> {
        for (place, provider) in providers.iter().enumerate() {
            provider.fits_beside(&providers[..place], our_issuer)?;
        }
        Ok(Self { keyring, providers })
    }

    /// The identity of this token, if it is valid and for this e-mail address.
    pub async fn verify(&self, token: &str, email: &Email, now: Time) -> Result<Identity, Rejection> {
        if self.providers.is_empty() {
            return Err(Rejection::Unavailable(Reason("the organization has no identity provider")));
        }
        if token.len() > LONGEST_TOKEN_BYTES {
            return Err(Rejection::Invalid(Reason("the token is longer than 16 KiB")));
        }
        let (provider, header) = self.choose(token)?;
        let person = self.person(provider, header, token, now).await?;
        check_subject(&person.subject)?;
        check_length(&provider.issuer, &person.subject)?;
        let email =
            check_email(person.email.as_deref(), person.email_verified.as_ref(), provider.email_verified, email)?;
        Ok(Identity { issuer: provider.issuer.clone(), subject: person.subject, email, auth_type: provider.kind() })
    }

    /// The issuer and subject of an ID token that was issued for a sign-in with this nonce. Its e-mail address does not
    /// matter.
    pub(crate) async fn verify_id_token(
        &self,
        token: &str,
        nonce: &str,
        now: Time,
    ) -> Result<(String, String), Rejection> {
        let (provider, person) = self.person_of_id_token(token, nonce, now).await?;
        Ok((provider.issuer.clone(), person.subject))
    }

    /// The identity of an ID token that was issued for a sign-in with this nonce. Its e-mail address must be verified.
    pub(crate) async fn verify_user_id_token(
        &self,
        token: &str,
        nonce: &str,
        now: Time,
    ) -> Result<Identity, Rejection> {
        let (provider, person) = self.person_of_id_token(token, nonce, now).await?;
        let named = person.email.as_deref().map(Email::parse).transpose();
        let named = named.ok().flatten().ok_or(Rejection::Invalid(Reason("`email` is missing or no address")))?;
        let rule = provider.email_verified;
        let email = check_email(person.email.as_deref(), person.email_verified.as_ref(), rule, &named)?;
        Ok(Identity { issuer: provider.issuer.clone(), subject: person.subject, email, auth_type: provider.kind() })
    }

    async fn person_of_id_token(&self, token: &str, nonce: &str, now: Time) -> Result<(&Provider, Person), Rejection> {
        if token.len() > LONGEST_TOKEN_BYTES {
            return Err(Rejection::Invalid(Reason("the token is longer than 16 KiB")));
        }
        let (provider, header) = self.choose(token)?;
        let person = self.person(provider, header, token, now).await?;
        if person.nonce.as_ref().and_then(Value::as_str) != Some(nonce) {
            return Err(Rejection::Invalid(Reason("`nonce` is not that of the sign-in")));
        }
        check_subject(&person.subject)?;
        check_length(&provider.issuer, &person.subject)?;
        Ok((provider, person))
    }

    /// The provider that a token names, or the introspection provider for tokens that name none.
    fn choose(&self, token: &str) -> Result<(&Provider, Option<Header>), Rejection> {
        match Shape::of(token) {
            Shape::Malformed => Err(Rejection::Invalid(Reason("the token is a malformed JWT"))),
            Shape::Jwt(header, issuer) => {
                let provider = self.providers.iter().find(|provider| provider.issuer == issuer);
                Ok((provider.ok_or(Reason("no provider has the issuer that the token names"))?, Some(header)))
            }
            Shape::Opaque => {
                let asked = self.providers.iter().find(|provider| matches!(provider.kind, Kind::Introspection { .. }));
                Ok((asked.ok_or(Reason("the token is no JWT and no provider uses introspection"))?, None))
            }
        }
    }

    async fn person(
        &self,
        provider: &Provider,
        header: Option<Header>,
        token: &str,
        now: Time,
    ) -> Result<Person, Rejection> {
        let header = header.ok_or(Reason("the token is no JWT"));
        let (claims, audience) = match &provider.kind {
            Kind::Introspection { endpoint, client_id, client_secret, audience } => {
                let asked = introspection::ask(self.keyring.client(), endpoint, client_id, client_secret, token).await;
                let answer = asked.map_err(|error| {
                    tracing::warn!(issuer = provider.issuer, %error, "could not introspect a token at an identity provider");
                    Rejection::Unavailable(Reason("the provider could not introspect the token"))
                })?;
                answer.check(&provider.issuer, audience, now)?;
                let subject = answer.subject()?.to_owned();
                let (email, email_verified) = (answer.email, answer.email_verified);
                return Ok(Person { subject, email, email_verified, nonce: None });
            }
            Kind::Oidc { source, audience, algorithms } => {
                let header = header?;
                let algorithm = algorithm(&header, algorithms)?;
                let key =
                    self.keyring.key(source, header.kid.as_deref(), now).await.map_err(|missing| match missing {
                        NoKey::Unknown => Rejection::Invalid(Reason("the issuer has no key of the name in `kid`")),
                        NoKey::Unavailable => Rejection::Unavailable(Reason("the issuer's keys cannot be had")),
                    })?;
                if !key.allows(algorithm) {
                    return Err(Rejection::Invalid(Reason("the key is not for the algorithm in `alg`")));
                }
                (open::<Claims>(token, &key.key, algorithm.of_library()), audience)
            }
            Kind::JwtSecret { key, audience } => {
                let header = header?;
                if header.alg != "HS256" || !header.is_plain() {
                    return Err(Rejection::Invalid(Reason("the algorithm or the type of the token is not allowed")));
                }
                (open(token, key, jsonwebtoken::Algorithm::HS256), audience)
            }
            Kind::Local(local) => {
                let header = header?;
                let algorithm = algorithm(&header, &[Algorithm::EdDsa])?;
                let keys = local.keys(header.kid.as_deref())?;
                (keys.iter().find_map(|key| open(token, key, algorithm.of_library())), local.audience())
            }
        };
        let claims = claims.ok_or(Reason("the signature is wrong, or a claim is missing or of the wrong type"))?;
        claims.check(&provider.issuer, audience, now)?;
        let Claims { sub: subject, email, email_verified, nonce, .. } = claims;
        Ok(Person { subject, email, email_verified, nonce })
    }
}

/// The algorithm of a plain JWT, if the provider may use it. Other token types, such as our own, have other purposes.
fn algorithm(header: &Header, allowed: &[Algorithm]) -> Result<Algorithm, Reason> {
    if !header.is_plain() {
        return Err(Reason("the token is of another type than JWT"));
    }
    let algorithm = Algorithm::parse(&header.alg).filter(|algorithm| allowed.contains(algorithm));
    algorithm.ok_or(Reason("the algorithm in `alg` is not allowed"))
}
