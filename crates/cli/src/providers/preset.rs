//! Known settings of providers. A preset fills in missing settings and does not change the others.
//! Providers without common settings, such as Auth0, Keycloak and Clerk, have no preset.

use super::ProviderEntry;
use clap::ValueEnum;
use perennial_app::providers::{Algorithm, EmailVerified, ProviderKind};
use serde::{Deserialize, Serialize};

const FIREBASE_KEYS: &str = "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com";

/// A provider with a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Preset {
    /// ID tokens of Sign in with Google.
    Google,
    /// ID tokens of Firebase Authentication; the audience is the project's ID.
    Firebase,
    /// Access tokens of Supabase Auth.
    Supabase,
}

impl Preset {
    pub(super) fn fill(self, entry: &mut ProviderEntry) {
        let kind = *entry.kind.get_or_insert(ProviderKind::Oidc);
        match self {
            Self::Google => {
                entry.issuer.get_or_insert_with(|| "https://accounts.google.com".to_owned());
                entry.algorithms.get_or_insert_with(|| vec![Algorithm::Rs256]);
            }
            Self::Firebase => {
                if let [project] = entry.audience.as_slice() {
                    entry.issuer.get_or_insert_with(|| format!("https://securetoken.google.com/{project}"));
                }
                entry.jwks_url.get_or_insert_with(|| FIREBASE_KEYS.to_owned());
                entry.algorithms.get_or_insert_with(|| vec![Algorithm::Rs256]);
            }
            Self::Supabase => {
                if entry.audience.is_empty() {
                    entry.audience.push("authenticated".to_owned());
                }
                entry.email_verified.get_or_insert(EmailVerified::IssuerGuarantees);
                if let (ProviderKind::Oidc, Some(issuer)) = (kind, &entry.issuer) {
                    let keys = format!("{}/.well-known/jwks.json", issuer.trim_end_matches('/'));
                    entry.jwks_url.get_or_insert(keys);
                }
            }
        }
    }
}
