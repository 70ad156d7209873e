//! Checks of an organization's providers, bypassing every cache.

use super::gather::{Candidate, Source, gather};
use super::record::Unusable;
use crate::context::App;
use crate::error::Error;
use perennial_domain::id::OrganizationId;
use perennial_identity::sighting::Sighting;
use perennial_outbound::FetchError;

/// The result of checking a provider.
pub struct Checked {
    /// Where it comes from.
    pub source: Source,
    /// The `iss` of its tokens.
    pub issuer: String,
    /// Its kind, as the configuration spells it.
    pub kind: String,
    /// What was found, or what failed.
    pub outcome: Result<Seen, Trouble>,
}

/// What was found.
pub enum Seen {
    /// The keys that it publishes.
    Keys(Sighting),
    /// The endpoint responds and accepts our credentials.
    Answers,
    /// A secret that opens and is long enough. There is no endpoint to check.
    Secret,
}

/// What failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// It is not used.
    #[error("it is not used: {0}")]
    Unusable(#[from] Unusable),
    /// The request to it failed.
    #[error("{0}")]
    Fetch(#[from] FetchError),
}

/// Checks the provider with this issuer or ID, or all providers that the operator configured.
pub async fn check(app: &App, organization: OrganizationId, only: Option<&str>) -> Result<Vec<Checked>, Error> {
    let mut checked = Vec::new();
    for candidate in gather(app, organization).await? {
        let named = |name: &str| candidate.issuer == name || candidate.id.is_some_and(|id| id.to_string() == name);
        if candidate.source != Source::Local && only.is_none_or(named) {
            checked.push(look(app, candidate).await);
        }
    }
    Ok(checked)
}

async fn look(app: &App, candidate: Candidate) -> Checked {
    let Candidate { source, issuer, kind, provider, .. } = candidate;
    let keyring = app.verifiers.keyring();
    let outcome = match provider {
        Err(unusable) => Err(unusable.into()),
        Ok(provider) => match (keyring.look(&provider).await, keyring.probe(&provider).await) {
            (Some(sighting), _) => sighting.map(Seen::Keys).map_err(Trouble::from),
            (_, Some(answer)) => answer.map(|()| Seen::Answers).map_err(Trouble::from),
            (None, None) => Ok(Seen::Secret),
        },
    };
    Checked { source, issuer, kind, outcome }
}
