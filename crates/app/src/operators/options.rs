//! The settings of the console: how long sessions last, where links lead, and the identity provider of operators.

use perennial_domain::operators::SessionLimits;
use perennial_identity::jwks::Keyring;
use perennial_identity::providers::ProviderError;
use perennial_identity::secret::Secret;
use perennial_identity::sign_in::RelyingParty;
use perennial_outbound::{Limits, OutboundClient};
use std::sync::Arc;

/// The settings of the console.
#[derive(Default)]
pub struct ConsoleOptions {
    /// How long sessions last.
    pub limits: SessionLimits,
    /// The URL that one-time links begin with, without a trailing slash.
    pub base_url: String,
    /// The identity provider of operators.
    pub provider: Option<ProviderSettings>,
}

/// The identity provider of operators. It cannot be printed.
#[derive(Clone)]
pub struct ProviderSettings {
    /// Its issuer.
    pub issuer: String,
    /// Our client ID there.
    pub client_id: String,
    /// Our client secret there. None: a public client, which PKCE protects alone.
    pub client_secret: Option<Secret>,
}

impl ProviderSettings {
    /// Checks that the provider can be used.
    pub fn check(&self) -> Result<(), ProviderError> {
        let client = OutboundClient::without_roots(Limits::default()).expect("the protocol versions are the library's");
        let keyring = Arc::new(Keyring::new(Arc::new(client)));
        RelyingParty::new(keyring, &self.issuer, &self.client_id, None).map(|_| ())
    }
}
