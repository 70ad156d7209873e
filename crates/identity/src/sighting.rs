//! Checks of a configured provider for the operator, without the cache and without a user's token.

use crate::algorithm::Algorithm;
use crate::introspection;
use crate::jwks::{Keyring, fetch};
use crate::providers::{Kind, Provider};
use perennial_outbound::FetchError;

const MADE_UP_TOKEN: &str = "perennial-provider-check";

/// The keys of a provider, as shown to the operator.
#[derive(Debug)]
pub struct Sighting {
    /// The name of each key and its algorithms. Empty if the only key has no name.
    pub keys: Vec<(String, Vec<Algorithm>)>,
    /// How long the keys would be cached.
    pub fresh_seconds: i64,
}

impl Keyring {
    /// Fetches a provider's keys, bypassing the cache. `None` for a kind that publishes none.
    pub async fn look(&self, provider: &Provider) -> Option<Result<Sighting, FetchError>> {
        let Kind::Oidc { source, algorithms, .. } = &provider.kind else { return None };
        let fetched = fetch(self.client(), source).await;
        Some(fetched.and_then(|fetched| {
            let keys = fetched.keys.summary();
            let usable = |(_, offered): &(_, Vec<Algorithm>)| offered.iter().any(|name| algorithms.contains(name));
            if keys.is_empty() || keys.iter().any(usable) {
                Ok(Sighting { keys, fresh_seconds: fetched.fresh_seconds })
            } else {
                Err(FetchError::Malformed("has no key for the algorithms that the provider may use"))
            }
        }))
    }

    /// Sends a made-up token to an introspection endpoint, to check our credentials and its response.
    /// `None` for a kind without such an endpoint.
    pub async fn probe(&self, provider: &Provider) -> Option<Result<(), FetchError>> {
        let Kind::Introspection { endpoint, client_id, client_secret, .. } = &provider.kind else { return None };
        let asked = introspection::ask(self.client(), endpoint, client_id, client_secret, MADE_UP_TOKEN).await;
        let doubt = FetchError::Malformed("calls a made-up token active: this endpoint cannot be relied on");
        Some(asked.and_then(|answer| if answer.active { Err(doubt) } else { Ok(()) }))
    }
}
