//! What can be wrong with a provider as an operator wrote it, each in a sentence that says what to do.

use perennial_outbound::EndpointError;

pub(crate) const SHORTEST_SECRET_BYTES: usize = 32;
pub(crate) const LONGEST_ISSUER_BYTES: usize = 2048;

/// Why a provider cannot be configured as it was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderFault {
    /// An issuer that no token could name.
    #[error("the issuer must be 1 to {LONGEST_ISSUER_BYTES} visible characters, exactly as the tokens' `iss` says it")]
    Issuer,
    /// Without an audience, a token made for any other application would be accepted.
    #[error("give at least one audience, the client id or API identifier that the provider puts into `aud`")]
    NoAudience,
    /// No algorithm left.
    #[error("give at least one algorithm of RS256, PS256, ES256, EdDSA")]
    NoAlgorithm,
    /// A secret that can be guessed.
    #[error("the secret of HS256 must have at least {SHORTEST_SECRET_BYTES} bytes")]
    ShortSecret,
    /// Credentials left out.
    #[error("introspection needs a client id and a client secret")]
    NoCredentials,
    /// An address that is none.
    #[error("`{0}` is not an http or https URL with a host, and without user, password or fragment")]
    Url(String),
    /// A URL in the clear.
    #[error("`{0}` must be https; plain http needs a loopback host or the provider's `allow_http`")]
    PlainHttp(String),
    /// A setting left out.
    #[error("a provider of kind {kind} needs `{setting}`")]
    Missing {
        /// The setting.
        setting: &'static str,
        /// The kind that cannot do without it.
        kind: &'static str,
    },
    /// A setting that would have no effect.
    #[error("`{setting}` does not belong to a provider of kind {kind}")]
    NotForKind {
        /// The setting.
        setting: &'static str,
        /// The kind that has no use for it.
        kind: &'static str,
    },
    /// Two providers for one issuer.
    #[error("the issuer `{0}` is configured twice")]
    IssuerTwice(String),
    /// An opaque token does not say whose it is.
    #[error("only one provider can be asked about tokens that are no JWT; two are configured for introspection")]
    IntrospectionTwice,
    /// Our own tokens would count as a provider's.
    #[error("`{0}` is this installation's own issuer and cannot be a provider")]
    OwnIssuer(String),
}

impl From<EndpointError> for ProviderFault {
    fn from(error: EndpointError) -> Self {
        match error {
            EndpointError::Malformed(url) => Self::Url(url),
            EndpointError::PlainHttp(url) => Self::PlainHttp(url),
        }
    }
}
