//! Identity providers as the operator writes them, in the file or with flags.

#[cfg(test)]
mod guide;
mod preset;

pub(crate) use preset::Preset;

use crate::config::secret::Secret;
use crate::failure::Failure;
use perennial_app::organizations::DEFAULT_NAME;
use perennial_app::providers::{
    self, Algorithm, Configured, Description, EmailVerified, ProviderError, ProviderKind, Settings,
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One `[[providers]]` of the file.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ProviderEntry {
    /// The organization, by name or id.
    pub(crate) organization: Option<String>,
    pub(crate) preset: Option<Preset>,
    pub(crate) kind: Option<ProviderKind>,
    pub(crate) issuer: Option<String>,
    pub(crate) audience: Vec<String>,
    pub(crate) authorized_parties: Vec<String>,
    pub(crate) email_verified: Option<EmailVerified>,
    pub(crate) jwks_url: Option<String>,
    pub(crate) algorithms: Option<Vec<Algorithm>>,
    pub(crate) endpoint: Option<String>,
    pub(crate) client_id: Option<String>,
    pub(crate) secret: Option<Secret>,
    pub(crate) secret_file: Option<PathBuf>,
    pub(crate) client_secret: Option<Secret>,
    pub(crate) client_secret_file: Option<PathBuf>,
    pub(crate) portal_client_id: Option<String>,
    pub(crate) portal_client_secret_file: Option<PathBuf>,
    pub(crate) allow_private_addresses: bool,
    pub(crate) allow_http: bool,
}

/// The providers of the file, each of them safe to use.
pub(crate) fn configured(entries: &[ProviderEntry]) -> Result<Vec<Configured>, Failure> {
    entries.iter().enumerate().map(|(place, entry)| entry.configured(place)).collect()
}

/// What is wrong with them, by their places in the file.
pub(crate) fn faults(entries: &[ProviderEntry]) -> Vec<(usize, Failure)> {
    let refused = entries.iter().enumerate().map(|(place, entry)| (place, entry.configured(place).err()));
    refused.filter_map(|(place, failure)| Some((place, failure?))).collect()
}

/// The secret in a file: its text, without the end of its last line.
pub(crate) fn read_secret(path: &Path) -> Result<Secret, Failure> {
    let unreadable = |error| Failure::new(format!("the secret {} cannot be read: {error}", path.display()));
    Ok(Secret::line(&std::fs::read_to_string(path).map_err(unreadable)?))
}

impl ProviderEntry {
    /// As the server uses it.
    fn configured(&self, place: usize) -> Result<Configured, Failure> {
        let named = |Failure(sentence)| {
            let issuer = self.issuer.as_ref().map_or(String::new(), |issuer| format!(" ({issuer})"));
            Failure::new(format!("provider {}{issuer} of the configuration: {sentence}", place + 1))
        };
        let description = self.describe().map_err(named)?;
        description.build().map_err(|fault| named(Failure::new(fault.to_string())))?;
        let organization = self.organization.clone().unwrap_or_else(|| DEFAULT_NAME.to_owned());
        Ok(Configured { organization, description })
    }

    /// The description of the provider.
    pub(crate) fn describe(&self) -> Result<Description, Failure> {
        let mut entry = Self { secret: None, client_secret: None, ..self.clone() };
        if let Some(preset) = entry.preset {
            preset.fill(&mut entry);
        }
        let kinds = ProviderKind::ALL.map(ProviderKind::as_str).join(", ");
        let kind = entry.kind.ok_or_else(|| Failure::new(format!("give its kind, one of {kinds}")))?;
        let issuer =
            entry.issuer.ok_or_else(|| Failure::new("give its issuer, exactly as the tokens' `iss` contains it"))?;
        let all = || if kind == ProviderKind::Oidc { Algorithm::ALL.to_vec() } else { Vec::new() };
        let settings = Settings {
            audience: entry.audience,
            authorized_parties: entry.authorized_parties,
            email_verified: entry.email_verified.unwrap_or_default(),
            jwks_url: entry.jwks_url,
            algorithms: entry.algorithms.unwrap_or_else(all),
            endpoint: entry.endpoint,
            client_id: entry.client_id,
            portal_client_id: entry.portal_client_id,
            allow_private_addresses: entry.allow_private_addresses,
            allow_http: entry.allow_http,
        };
        Ok(Description { issuer, kind, settings, secret: self.the_secret(kind)? })
    }

    /// The one secret that a provider of this kind may have, given in one way.
    fn the_secret(&self, kind: ProviderKind) -> Result<Option<providers::Secret>, Failure> {
        let plain = ("secret", &self.secret, &self.secret_file);
        let client = ("client_secret", &self.client_secret, &self.client_secret_file);
        let portal = ("portal_client_secret_file", &None, &self.portal_client_secret_file);
        let (own, others) = match kind {
            ProviderKind::Oidc => (portal, [plain, client]),
            ProviderKind::JwtSecret => (plain, [client, portal]),
            ProviderKind::Introspection => (client, [plain, portal]),
        };
        if let Some((setting, ..)) = others.iter().find(|(_, text, file)| text.is_some() || file.is_some()) {
            let fault = ProviderError::NotForKind { setting, kind: kind.as_str() };
            return Err(Failure::new(fault.to_string()));
        }
        let secret = match own {
            (name, Some(_), Some(_)) => {
                return Err(Failure::new(format!("give `{name}` or `{name}_file`, not both")));
            }
            (_, Some(secret), None) => Some(secret.0.clone()),
            (_, None, Some(path)) => Some(read_secret(path)?.0),
            (_, None, None) => None,
        };
        Ok(secret.map(providers::Secret::new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(text: &str) -> ProviderEntry {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_preset_fills_in_and_never_overrules() {
        let google = entry("preset = \"google\"\naudience = [\"c\"]").describe().unwrap();
        assert_eq!((google.issuer.as_str(), google.kind), ("https://accounts.google.com", ProviderKind::Oidc));
        assert_eq!(google.settings.algorithms, [Algorithm::Rs256]);
        let firebase = entry("preset = \"firebase\"\naudience = [\"shop-1\"]").describe().unwrap();
        assert_eq!(firebase.issuer, "https://securetoken.google.com/shop-1");
        assert!(firebase.settings.jwks_url.unwrap().ends_with("securetoken@system.gserviceaccount.com"));
        let text = "preset = \"supabase\"\nissuer = \"https://x.supabase.co/auth/v1\"";
        let supabase = entry(text).describe().unwrap().settings;
        assert_eq!(supabase.audience, ["authenticated"]);
        assert_eq!(supabase.email_verified, EmailVerified::IssuerGuarantees);
        assert_eq!(supabase.jwks_url.unwrap(), "https://x.supabase.co/auth/v1/.well-known/jwks.json");
        let legacy = format!("{text}\nkind = \"jwt_secret\"\nsecret = \"{}\"", "s".repeat(32));
        let legacy = entry(&legacy).describe().unwrap();
        assert!(legacy.build().is_ok() && legacy.settings.jwks_url.is_none());
        let chosen = entry(&format!("{text}\naudience = [\"a\"]\nemail_verified = \"required\"")).describe().unwrap();
        assert_eq!(chosen.settings.audience, ["a"]);
        assert_eq!(chosen.settings.email_verified, EmailVerified::Required);
    }

    #[test]
    fn a_secret_belongs_to_its_kind_and_is_given_once() {
        let refused = |text: &str| {
            let text = format!("issuer = \"https://i\"\naudience = [\"a\"]\n{text}");
            entry(&text).describe().map(|_| ()).unwrap_err().0
        };
        assert!(refused("kind = \"oidc\"\nclient_secret = \"hunter2\"").contains("`client_secret` does not belong"));
        assert!(refused("kind = \"introspection\"\nsecret = \"hunter2\"").contains("`secret` does not belong"));
        let twice = refused("kind = \"jwt_secret\"\nsecret = \"hunter2\"\nsecret_file = \"f\"");
        assert!(twice.contains("not both") && !twice.contains("hunter2"), "{twice}");
        assert!(refused("").contains("kind, one of oidc, jwt_secret, introspection"));
    }

    #[test]
    fn a_secret_is_never_printed() {
        let entry = entry("secret = \"hunter2\"\nclient_secret = \"hunter2\"");
        assert!(!format!("{entry:?}").contains("hunter2"));
        let number = toml::from_str::<ProviderEntry>("secret = 1234567890").unwrap_err().message().to_owned();
        assert!(!number.contains("1234567890"), "{number}");
    }
}
