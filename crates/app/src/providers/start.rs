//! Checks of the configured providers against each other and against the store, before the server accepts requests.

use crate::context::App;
use crate::error::Error;
use crate::organizations::{self, DEFAULT_NAME};
use perennial_domain::id::{OrganizationId, ProviderId};
use perennial_identity::providers::{Provider, ProviderError};
use perennial_store::{installation, providers};
use std::collections::HashMap;

/// Why a server must not start with these providers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The file names an organization that does not exist.
    #[error("there is no organization {0:?}")]
    UnknownOrganization(String),
    /// A provider of the file cannot be used.
    #[error("the provider {issuer:?}: {fault}")]
    File {
        /// Its issuer.
        issuer: String,
        /// Its error.
        fault: ProviderError,
    },
    /// A provider in the store has the issuer of our own tokens.
    #[error("the provider {id} in the store has this installation's own issuer {issuer:?}")]
    StoredOwnIssuer {
        /// Its ID.
        id: ProviderId,
        /// The issuer.
        issuer: String,
    },
    /// The store failed.
    #[error(transparent)]
    App(#[from] Error),
}

/// Checks that the providers of the file and of the store can be used together. Runs before the first run, which creates
/// the organization `default`.
pub async fn check_at_start(app: &App) -> Result<(), StartError> {
    let installation = installation::find(&app.db).await.map_err(Error::from)?;
    // A new installation will draw a unique name.
    let own = app.options.public_url.clone().or_else(|| installation.map(|found| found.issuer)).unwrap_or_default();
    let rows = providers::all(&app.db).await.map_err(Error::from)?;
    if let Some(row) = rows.iter().find(|row| row.issuer == own) {
        return Err(StartError::StoredOwnIssuer { id: row.id, issuer: own });
    }
    let mut by_organization: HashMap<Option<OrganizationId>, Vec<Provider>> = HashMap::new();
    for configured in &app.options.providers {
        let found = organizations::find(app, &configured.organization).await?;
        if found.is_none() && configured.organization != DEFAULT_NAME {
            return Err(StartError::UnknownOrganization(configured.organization.clone()));
        }
        let organization = found.map(|found| found.id);
        let others = by_organization.entry(organization).or_default();
        let issuer = configured.description.issuer.clone();
        let provider = configured.description.build().and_then(|provider| {
            provider.fits_beside(others.iter(), &own)?;
            Ok(provider)
        });
        others.push(provider.map_err(|fault| StartError::File { issuer: issuer.clone(), fault })?);
        if let Some(row) = rows.iter().find(|row| Some(row.organization_id) == organization && row.issuer == issuer) {
            tracing::warn!(provider = %row.id, issuer, "the file and the store both have this provider: the file's is used");
        }
    }
    Ok(())
}
