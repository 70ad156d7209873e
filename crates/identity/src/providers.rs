//! Identity providers as the operator configures them. A `Provider` exists only if it is safe to use:
//! it has an audience, its endpoints use https unless the operator allows http, and its secret is long enough.

pub use crate::algorithm::Algorithm;
pub use crate::audience::Audience;
pub use crate::claims::EmailVerified;
use crate::local::LocalIssuer;
pub use crate::provider_error::ProviderError;
use crate::provider_error::{LONGEST_ISSUER_BYTES, SHORTEST_SECRET_BYTES};
use crate::secret::Secret;
use jsonwebtoken::DecodingKey;
use perennial_outbound::{Endpoint, Reach};

/// Where an issuer publishes its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeysAt {
    /// At the URL in its `/.well-known/openid-configuration`.
    Discovery,
    /// At this URL.
    Url(String),
}

/// An `OpenID` Connect issuer.
pub struct Oidc {
    /// The location of its keys.
    pub keys_at: KeysAt,
    /// The audience of its tokens.
    pub audience: Audience,
    /// The accepted signature algorithms.
    pub algorithms: Vec<Algorithm>,
    /// The networks that may be connected to.
    pub reach: Reach,
}

/// An issuer that signs with a shared secret.
pub struct JwtSecret {
    /// The secret. Its UTF-8 bytes are the key.
    pub secret: Secret,
    /// The audience of its tokens.
    pub audience: Audience,
}

/// A server that introspects each token (RFC 7662).
pub struct Introspection {
    /// The endpoint.
    pub endpoint: String,
    /// The client ID.
    pub client_id: String,
    /// The client secret.
    pub client_secret: Secret,
    /// The audience of its tokens.
    pub audience: Audience,
    /// The networks that may be connected to.
    pub reach: Reach,
}

/// A provider that can be used.
pub struct Provider {
    pub(crate) issuer: String,
    pub(crate) kind: Kind,
    pub(crate) email_verified: EmailVerified,
}

pub(crate) enum Kind {
    Oidc { source: Source, audience: Audience, algorithms: Vec<Algorithm> },
    JwtSecret { key: DecodingKey, audience: Audience },
    Introspection { endpoint: Endpoint, client_id: String, client_secret: Secret, audience: Audience },
    Local(LocalIssuer),
}

/// An issuer and the location of its keys, which identify an entry of the key cache.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    pub(crate) issuer: String,
    pub(crate) at: SourceAt,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum SourceAt {
    Discovery(Endpoint),
    Keys(Endpoint),
}

impl Provider {
    /// An `OpenID` Connect issuer.
    pub fn oidc(issuer: &str, settings: Oidc, email_verified: EmailVerified) -> Result<Self, ProviderError> {
        let issuer = checked_issuer(issuer)?;
        if settings.algorithms.is_empty() {
            return Err(ProviderError::NoAlgorithm);
        }
        let at = match settings.keys_at {
            KeysAt::Discovery => {
                let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
                SourceAt::Discovery(Endpoint::parse(&url, settings.reach)?)
            }
            KeysAt::Url(url) => SourceAt::Keys(Endpoint::parse(&url, settings.reach)?),
        };
        let source = Source { issuer: issuer.clone(), at };
        let kind = Kind::Oidc { source, audience: settings.audience, algorithms: settings.algorithms };
        Ok(Self { issuer, kind, email_verified })
    }

    /// An issuer with a shared secret.
    pub fn jwt_secret(issuer: &str, settings: JwtSecret, email_verified: EmailVerified) -> Result<Self, ProviderError> {
        let secret = settings.secret.expose().as_bytes();
        if secret.len() < SHORTEST_SECRET_BYTES {
            return Err(ProviderError::ShortSecret);
        }
        let kind = Kind::JwtSecret { key: DecodingKey::from_secret(secret), audience: settings.audience };
        Ok(Self { issuer: checked_issuer(issuer)?, kind, email_verified })
    }

    /// A server for the introspection of opaque tokens.
    pub fn introspection(
        issuer: &str,
        settings: Introspection,
        email_verified: EmailVerified,
    ) -> Result<Self, ProviderError> {
        if settings.client_id.is_empty() || settings.client_secret.expose().is_empty() {
            return Err(ProviderError::NoCredentials);
        }
        let kind = Kind::Introspection {
            endpoint: Endpoint::parse(&settings.endpoint, settings.reach)?,
            client_id: settings.client_id,
            client_secret: settings.client_secret,
            audience: settings.audience,
        };
        Ok(Self { issuer: checked_issuer(issuer)?, kind, email_verified })
    }

    /// The `local` issuer, for development and tests.
    pub fn local(issuer: LocalIssuer) -> Self {
        let email_verified = EmailVerified::Required;
        Self { issuer: LocalIssuer::ISSUER.to_owned(), kind: Kind::Local(issuer), email_verified }
    }

    /// The `iss` of its tokens.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Checks that it can be used together with these: each issuer once, one introspection at most, and not our own issuer.
    pub fn fits_beside<'a>(
        &self,
        others: impl IntoIterator<Item = &'a Self>,
        our_issuer: &str,
    ) -> Result<(), ProviderError> {
        if self.issuer == our_issuer {
            return Err(ProviderError::OwnIssuer(self.issuer.clone()));
        }
        for other in others {
            match (&other.kind, &self.kind) {
                _ if other.issuer == self.issuer => return Err(ProviderError::IssuerTwice(self.issuer.clone())),
                (Kind::Introspection { .. }, Kind::Introspection { .. }) => {
                    return Err(ProviderError::IntrospectionTwice);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Its kind, as the configuration spells it.
    pub const fn kind(&self) -> &'static str {
        match self.kind {
            Kind::Oidc { .. } => "oidc",
            Kind::JwtSecret { .. } => "jwt_secret",
            Kind::Introspection { .. } => "introspection",
            Kind::Local(_) => "local",
        }
    }
}

fn checked_issuer(issuer: &str) -> Result<String, ProviderError> {
    // This issuer could sign in as any user on a server with the `local` provider enabled.
    if issuer == LocalIssuer::ISSUER {
        return Err(ProviderError::OwnIssuer(issuer.to_owned()));
    }
    let visible = issuer.bytes().all(|byte| byte.is_ascii_graphic());
    if visible && (1..=LONGEST_ISSUER_BYTES).contains(&issuer.len()) {
        Ok(issuer.to_owned())
    } else {
        Err(ProviderError::Issuer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audience() -> Audience {
        Audience::new(["app".to_owned()], []).unwrap()
    }

    fn oidc(issuer: &str, keys_at: KeysAt, reach: Reach) -> Result<Provider, ProviderError> {
        let settings = Oidc { keys_at, audience: audience(), algorithms: Algorithm::ALL.to_vec(), reach };
        Provider::oidc(issuer, settings, EmailVerified::Required)
    }

    #[test]
    fn endpoints_are_https_unless_the_operator_says_otherwise() {
        let reach = Reach::default();
        let open = Reach { plain_http: true, ..reach };
        let url = |url: &str| KeysAt::Url(url.to_owned());
        assert!(oidc("https://id.example.com/", KeysAt::Discovery, reach).is_ok());
        assert!(oidc("accounts", url("https://id.example.com/keys"), reach).is_ok());
        assert!(oidc("http://127.0.0.1:9", KeysAt::Discovery, reach).is_ok());
        assert!(oidc("http://[::1]:9", KeysAt::Discovery, reach).is_ok());
        assert!(oidc("http://localhost:9", KeysAt::Discovery, reach).is_ok());
        for issuer in ["http://id.example.com", "http://127.0.0.1.example.com", "http://localhost.example.com"] {
            let fault = oidc(issuer, KeysAt::Discovery, reach).err();
            assert!(matches!(fault, Some(ProviderError::PlainHttp(_))), "{issuer}");
            assert!(oidc(issuer, KeysAt::Discovery, open).is_ok());
        }
        for wrong in ["accounts", "ftp://x/", "https://u:p@x/", "https://x/#f", "file:///etc/passwd", ""] {
            assert!(matches!(oidc("x", url(wrong), open).err(), Some(ProviderError::Url(_))), "{wrong}");
        }
        assert_eq!(oidc("", url("https://x"), reach).err(), Some(ProviderError::Issuer));
        assert_eq!(oidc("a b", url("https://x"), reach).err(), Some(ProviderError::Issuer));
        let local = LocalIssuer::ISSUER;
        assert_eq!(oidc(local, url("https://x"), reach).err(), Some(ProviderError::OwnIssuer(local.to_owned())));
    }

    #[test]
    fn secrets_are_long_and_credentials_complete() {
        let provider = |secret: &str| {
            let settings = JwtSecret { secret: Secret::new(secret.to_owned()), audience: audience() };
            Provider::jwt_secret("https://i", settings, EmailVerified::Required).err()
        };
        assert_eq!(provider(&"x".repeat(31)), Some(ProviderError::ShortSecret));
        assert_eq!(provider(&"x".repeat(32)), None);
        let settings = Introspection {
            endpoint: "https://i/introspect".to_owned(),
            client_id: "c".to_owned(),
            client_secret: Secret::new(String::new()),
            audience: audience(),
            reach: Reach::default(),
        };
        let fault = Provider::introspection("https://i", settings, EmailVerified::Required).err();
        assert_eq!(fault, Some(ProviderError::NoCredentials));
    }
}
