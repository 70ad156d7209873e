//! A provider as the operator describes it, in the file, on the command line or in the store.
//! `build` is the only way to turn a description into a provider.

use perennial_domain::organizations::Organization;
use perennial_identity::jwks::Keyring;
use perennial_identity::providers::{
    Algorithm, Audience, EmailVerified, Introspection, JwtSecret, KeysAt, Oidc, Provider, ProviderError,
};
use perennial_identity::secret::Secret;
use perennial_identity::sign_in::{Registration, RelyingParty};
use perennial_outbound::Reach;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How a provider's tokens are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// With the keys that the issuer publishes.
    Oidc,
    /// With a secret shared with the issuer.
    JwtSecret,
    /// By token introspection at the issuer.
    Introspection,
}

impl ProviderKind {
    /// Every kind that can be configured.
    pub const ALL: [Self; 3] = [Self::Oidc, Self::JwtSecret, Self::Introspection];

    /// As the configuration spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Oidc => "oidc",
            Self::JwtSecret => "jwt_secret",
            Self::Introspection => "introspection",
        }
    }

    /// The kind with this exact spelling.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// The settings of a provider besides its issuer, kind and secret. The store holds them as JSON. An unknown member may
/// restrict what is accepted, so it is rejected and not ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The accepted audiences (`aud`).
    pub audience: Vec<String>,
    /// The accepted authorized parties (`azp`).
    pub authorized_parties: Vec<String>,
    /// How `email_verified` is interpreted.
    pub email_verified: EmailVerified,
    /// The URL of the key set, if it differs from the one in the discovery document.
    pub jwks_url: Option<String>,
    /// The accepted signature algorithms.
    pub algorithms: Vec<Algorithm>,
    /// The introspection endpoint.
    pub endpoint: Option<String>,
    /// The client ID at the introspection endpoint.
    pub client_id: Option<String>,
    /// Our client ID for sign-ins to the customer portal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub portal_client_id: Option<String>,
    /// Whether it may be in a private network or on this machine.
    pub allow_private_addresses: bool,
    /// Whether plain HTTP is allowed.
    pub allow_http: bool,
}

/// A described provider. It cannot be printed.
#[derive(Clone)]
pub struct Description {
    /// The `iss` of its tokens.
    pub issuer: String,
    /// How they are checked.
    pub kind: ProviderKind,
    /// All other settings except the secret.
    pub settings: Settings,
    /// The secret of `jwt_secret`, the client secret of `introspection`, the portal's client secret of `oidc`.
    pub secret: Option<Secret>,
}

impl Description {
    /// The provider, if it is safe to use.
    pub fn build(&self) -> Result<Provider, ProviderError> {
        let Settings { audience, authorized_parties, email_verified, .. } = self.settings.clone();
        let audience = Audience::new(audience, authorized_parties)?;
        self.check_settings()?;
        let reach = self.reach();
        match self.kind {
            ProviderKind::Oidc => Provider::oidc(&self.issuer, self.oidc(audience), email_verified),
            ProviderKind::JwtSecret => {
                let settings = JwtSecret { secret: self.secret(), audience };
                Provider::jwt_secret(&self.issuer, settings, email_verified)
            }
            ProviderKind::Introspection => {
                let settings = Introspection {
                    endpoint: self.settings.endpoint.clone().unwrap_or_default(),
                    client_id: self.settings.client_id.clone().unwrap_or_default(),
                    client_secret: self.secret(),
                    audience,
                    reach,
                };
                Provider::introspection(&self.issuer, settings, email_verified)
            }
        }
    }

    /// Our registration for sign-ins to the customer portal. None: this provider does not sign in there.
    pub(crate) fn relying_party(&self, keyring: Arc<Keyring>) -> Option<Result<RelyingParty, ProviderError>> {
        let client_id = self.settings.portal_client_id.as_deref()?;
        let build = || {
            // The ID token is issued for our own registration, and for no other application.
            let settings = self.oidc(Audience::new([client_id.to_owned()], [])?);
            let registration = Registration { issuer: &self.issuer, client_id, client_secret: self.secret.clone() };
            RelyingParty::for_users(keyring, registration, settings, self.settings.email_verified)
        };
        Some(build())
    }

    fn oidc(&self, audience: Audience) -> Oidc {
        let keys_at = self.settings.jwks_url.clone().map_or(KeysAt::Discovery, KeysAt::Url);
        Oidc { keys_at, audience, algorithms: self.settings.algorithms.clone(), reach: self.reach() }
    }

    fn reach(&self) -> Reach {
        Reach { private_addresses: self.settings.allow_private_addresses, plain_http: self.settings.allow_http }
    }

    /// An absent secret is treated as an empty one; the provider rejects both.
    fn secret(&self) -> Secret {
        self.secret.clone().unwrap_or_else(|| Secret::new(String::new()))
    }

    /// A setting without effect is an error, so that the operator notices it before production.
    fn check_settings(&self) -> Result<(), ProviderError> {
        let (given, kind) = (&self.settings, self.kind.as_str());
        let publishes = self.kind == ProviderKind::Oidc;
        let asks = self.kind == ProviderKind::Introspection;
        let connects = publishes || asks;
        let signs_in = publishes && given.portal_client_id.is_some();
        let secret = match self.kind {
            ProviderKind::Introspection => "client_secret",
            ProviderKind::JwtSecret => "secret",
            ProviderKind::Oidc => "portal_client_secret_file",
        };
        for (setting, is_given, is_taken, is_needed) in [
            ("jwks_url", given.jwks_url.is_some(), publishes, false),
            ("algorithms", !given.algorithms.is_empty(), publishes, false),
            ("endpoint", given.endpoint.is_some(), asks, asks),
            ("client_id", given.client_id.is_some(), asks, asks),
            ("portal_client_id", given.portal_client_id.is_some(), publishes, false),
            (secret, self.secret.is_some(), !publishes || signs_in, !publishes),
            ("allow_private_addresses", given.allow_private_addresses, connects, false),
            ("allow_http", given.allow_http, connects, false),
        ] {
            if is_given && !is_taken {
                return Err(ProviderError::NotForKind { setting, kind });
            }
            if is_needed && !is_given {
                return Err(ProviderError::Missing { setting, kind });
            }
        }
        Ok(())
    }
}

/// A provider of the configuration file.
#[derive(Clone)]
pub struct Configured {
    /// The organization, by name or ID.
    pub organization: String,
    /// The provider.
    pub description: Description,
}

impl Configured {
    pub(super) fn is_for(&self, organization: &Organization) -> bool {
        self.organization == organization.name.as_str() || self.organization == organization.id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(kind: ProviderKind, secret: Option<&str>, edit: impl FnOnce(&mut Settings)) -> Description {
        let mut settings = Settings { audience: vec!["app".to_owned()], ..Settings::default() };
        edit(&mut settings);
        let secret = secret.map(|text| Secret::new(text.to_owned()));
        Description { issuer: "https://id.example.com".to_owned(), kind, settings, secret }
    }

    fn fault(description: &Description) -> Option<ProviderError> {
        description.build().err()
    }

    #[test]
    fn each_kind_takes_what_it_needs_and_nothing_else() {
        use ProviderKind::{Introspection, JwtSecret, Oidc};
        let long = Some("0123456789abcdef0123456789abcdef");
        let algorithms = |settings: &mut Settings| settings.algorithms = Algorithm::ALL.to_vec();
        let asked = |settings: &mut Settings| {
            settings.endpoint = Some("https://id.example.com/introspect".to_owned());
            settings.client_id = Some("perennial".to_owned());
        };
        assert_eq!(fault(&described(Oidc, None, algorithms)), None);
        assert_eq!(fault(&described(JwtSecret, long, |_| {})), None);
        assert_eq!(fault(&described(Introspection, Some("s"), asked)), None);

        let unfit = |setting, kind| Some(ProviderError::NotForKind { setting, kind });
        assert_eq!(fault(&described(Oidc, long, algorithms)), unfit("portal_client_secret_file", "oidc"));
        assert_eq!(fault(&described(Oidc, None, asked)), unfit("endpoint", "oidc"));
        assert_eq!(fault(&described(JwtSecret, long, algorithms)), unfit("algorithms", "jwt_secret"));
        let open = |settings: &mut Settings| settings.allow_http = true;
        assert_eq!(fault(&described(JwtSecret, long, open)), unfit("allow_http", "jwt_secret"));
        let missing = |setting, kind| Some(ProviderError::Missing { setting, kind });
        assert_eq!(fault(&described(JwtSecret, None, |_| {})), missing("secret", "jwt_secret"));
        assert_eq!(fault(&described(Introspection, None, asked)), missing("client_secret", "introspection"));
        assert_eq!(fault(&described(Introspection, long, |_| {})), missing("endpoint", "introspection"));
        assert_eq!(fault(&described(Oidc, None, |_| {})), Some(ProviderError::NoAlgorithm));
        let nobody = described(Oidc, None, |settings| settings.audience.clear());
        assert_eq!(fault(&nobody), Some(ProviderError::NoAudience));
    }

    #[test]
    fn settings_read_back_and_what_is_unknown_is_refused() {
        let settings = described(ProviderKind::Oidc, None, |settings| {
            settings.algorithms = vec![Algorithm::EdDsa, Algorithm::Rs256];
            settings.email_verified = EmailVerified::IssuerGuarantees;
        })
        .settings;
        let text = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
        assert!(text.contains(r#""algorithms":["EdDSA","RS256"]"#) && text.contains("issuer_guarantees"), "{text}");
        assert!(serde_json::from_str::<Settings>(r#"{"audience": ["a"], "only_on_mondays": true}"#).is_err());
    }

    #[test]
    fn a_kind_has_one_spelling() {
        for kind in ProviderKind::ALL {
            assert_eq!(ProviderKind::parse(kind.as_str()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        assert_eq!(ProviderKind::parse("local"), None);
    }
}
