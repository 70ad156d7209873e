//! Errors of a configured provider, each with its remedy.

use perennial_outbound::EndpointError;

pub(crate) const SHORTEST_SECRET_BYTES: usize = 32;
pub(crate) const LONGEST_ISSUER_BYTES: usize = 2048;

/// Why a provider cannot be used as configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// An issuer that no token can name.
    #[error(
        "the issuer must be 1 to {LONGEST_ISSUER_BYTES} visible characters, exactly as the tokens' `iss` contains it"
    )]
    Issuer,
    /// Without an audience, a token for any other application would be accepted.
    #[error("give at least one audience, the client id or API identifier that the provider puts into `aud`")]
    NoAudience,
    /// No algorithm left.
    #[error("give at least one algorithm of RS256, PS256, ES256, EdDSA")]
    NoAlgorithm,
    /// A short secret.
    #[error("the secret of HS256 must have at least {SHORTEST_SECRET_BYTES} bytes")]
    ShortSecret,
    /// Missing credentials.
    #[error("introspection needs a client id and a client secret")]
    NoCredentials,
    /// An invalid URL.
    #[error("`{0}` is not an http or https URL with a host, and without user, password or fragment")]
    Url(String),
    /// A URL without TLS.
    #[error("`{0}` must be https; plain http needs a loopback host or the provider's `allow_http`")]
    PlainHttp(String),
    /// A missing setting.
    #[error("a provider of kind {kind} needs `{setting}`")]
    Missing {
        /// The setting.
        setting: &'static str,
        /// The kind that requires it.
        kind: &'static str,
    },
    /// A setting that would have no effect.
    #[error("`{setting}` does not belong to a provider of kind {kind}")]
    NotForKind {
        /// The setting.
        setting: &'static str,
        /// The kind that does not use it.
        kind: &'static str,
    },
    /// Two providers for one issuer.
    #[error("the issuer `{0}` is configured twice")]
    IssuerTwice(String),
    /// An opaque token does not name its issuer.
    #[error("only one provider can use introspection, for tokens that are no JWT; two are configured")]
    IntrospectionTwice,
    /// Our own tokens would be accepted as a provider's.
    #[error("`{0}` is this installation's own issuer and cannot be a provider")]
    OwnIssuer(String),
}

impl From<EndpointError> for ProviderError {
    fn from(error: EndpointError) -> Self {
        match error {
            EndpointError::Malformed(url) => Self::Url(url),
            EndpointError::PlainHttp(url) => Self::PlainHttp(url),
        }
    }
}
