//! A look at an organization's providers: what they answer now, past every cache.

use super::gather::{Candidate, Source, gather};
use super::record::Unusable;
use crate::context::App;
use crate::error::Error;
use perennial_domain::id::OrganizationId;
use perennial_identity::sighting::Sighting;
use perennial_outbound::FetchError;

/// What became of looking at a provider.
pub struct Checked {
    /// Where it comes from.
    pub source: Source,
    /// What its tokens say in `iss`.
    pub issuer: String,
    /// Its kind, in a word.
    pub kind: String,
    /// What was seen, or what went wrong.
    pub outcome: Result<Seen, Trouble>,
}

/// What was seen.
pub enum Seen {
    /// The keys it publishes.
    Keys(Sighting),
    /// The endpoint knows us and answers.
    Answers,
    /// A secret that opens and is long enough; there is nobody to ask.
    Secret,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// It is not used at all.
    #[error("it is not used: {0}")]
    Unusable(#[from] Unusable),
    /// It was asked in vain.
    #[error("{0}")]
    Fetch(#[from] FetchError),
}

/// Looks at the provider of this issuer or id, or at all that the operator configured.
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
