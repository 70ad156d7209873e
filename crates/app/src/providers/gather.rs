//! The providers of an organization from all sources: the local one, the configuration file, the store, in this order.
//! One that cannot be used does not affect the others.

use super::description::{Configured, Description};
use super::record::{self, Unusable};
use crate::context::App;
use crate::error::Error;
use crate::signing_keys;
use perennial_domain::id::{OrganizationId, ProviderId};
use perennial_identity::local::LocalIssuer;
use perennial_identity::providers::Provider;
use perennial_identity::verify::Verifier;
use perennial_store::{organizations, providers};
use serde::Serialize;
use std::sync::Arc;

/// Where a provider comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The `local` provider, for development and tests.
    Local,
    /// The configuration file.
    File,
    /// The store.
    Store,
}

/// A provider that may or may not be usable.
pub(super) struct Candidate {
    pub(super) source: Source,
    pub(super) id: Option<ProviderId>,
    pub(super) issuer: String,
    pub(super) kind: String,
    pub(super) provider: Result<Provider, Unusable>,
}

/// The verifier of an organization's identity tokens.
pub(crate) async fn verifier(app: &App, organization: OrganizationId) -> Result<Arc<Verifier>, Error> {
    let now = app.clock.now();
    if let Some(verifier) = app.verifiers.get(organization, now) {
        return Ok(verifier);
    }
    let mut usable = Vec::new();
    for candidate in gather(app, organization).await? {
        match candidate.provider {
            Ok(provider) => usable.push(provider),
            Err(reason) => app.verifiers.warn_once(candidate.id, &candidate.issuer, &reason),
        }
    }
    let issuer = signing_keys::issuer(app).await?;
    let verifier = Verifier::new(app.verifiers.keyring(), usable, &issuer);
    let verifier = Arc::new(verifier.map_err(|fault| Error::Internal(fault.to_string()))?);
    app.verifiers.put(organization, Arc::clone(&verifier), now);
    Ok(verifier)
}

/// Every provider of the organization, and for those that cannot be used the reason.
pub(super) async fn gather(app: &App, organization: OrganizationId) -> Result<Vec<Candidate>, Error> {
    let mut candidates = Vec::new();
    if app.options.local_provider {
        candidates.push(Candidate::local(app, organization));
    }
    for configured in configured(app, organization).await? {
        candidates.push(Candidate::of_file(configured));
    }
    for row in providers::by_organization(&app.db, organization).await? {
        let overridden = candidates.iter().any(|other| other.source == Source::File && other.issuer == row.issuer);
        let provider = if overridden { Err(Unusable::Overridden) } else { record::open(&app.keys, &row) };
        let (source, id) = (Source::Store, Some(row.id));
        candidates.push(Candidate { source, id, issuer: row.issuer, kind: row.kind, provider });
    }
    exclude_conflicts(&mut candidates, &signing_keys::issuer(app).await?);
    Ok(candidates)
}

/// The providers of the organization that sign in to the customer portal: the file's, then the store's.
pub(crate) async fn portal_providers(app: &App, organization: OrganizationId) -> Result<Vec<Description>, Error> {
    let configured = configured(app, organization).await?;
    let mut found: Vec<Description> = configured.iter().map(|configured| configured.description.clone()).collect();
    for row in providers::by_organization(&app.db, organization).await? {
        let is_overridden = configured.iter().any(|configured| configured.description.issuer == row.issuer);
        match record::describe(&app.keys, &row) {
            Ok(description) if !is_overridden => found.push(description),
            Ok(_) => {}
            Err(reason) => app.verifiers.warn_once(Some(row.id), &row.issuer, &reason),
        }
    }
    found.retain(|description| description.settings.portal_client_id.is_some());
    Ok(found)
}

/// The providers that the configuration file has for this organization.
pub(super) async fn configured(app: &App, id: OrganizationId) -> Result<Vec<&Configured>, Error> {
    if app.options.providers.is_empty() {
        return Ok(Vec::new());
    }
    let Some(organization) = organizations::by_id(&app.db, id).await? else { return Ok(Vec::new()) };
    Ok(app.options.providers.iter().filter(|configured| configured.is_for(&organization)).collect())
}

/// Excludes providers that conflict with an earlier one.
fn exclude_conflicts(candidates: &mut [Candidate], our_issuer: &str) {
    for place in 0..candidates.len() {
        let (earlier, rest) = candidates.split_at_mut(place);
        let fits = |provider: &Provider| {
            provider.fits_beside(earlier.iter().filter_map(|other| other.provider.as_ref().ok()), our_issuer)
        };
        if let Ok(provider) = &rest[0].provider
            && let Err(fault) = fits(provider)
        {
            rest[0].provider = Err(fault.into());
        }
    }
}

impl Candidate {
    fn local(app: &App, organization: OrganizationId) -> Self {
        let own = LocalIssuer::new(&app.keys.local_seed, organization);
        let accepted = app.keys.others();
        let provider = Provider::local(accepted.fold(own, |issuer, other| issuer.accepting(&other.local_seed)));
        let (issuer, kind) = (provider.issuer().to_owned(), provider.kind().to_owned());
        Self { source: Source::Local, id: None, issuer, kind, provider: Ok(provider) }
    }

    fn of_file(configured: &Configured) -> Self {
        let description = &configured.description;
        let (issuer, kind) = (description.issuer.clone(), description.kind.as_str().to_owned());
        let provider = description.build().map_err(Unusable::from);
        Self { source: Source::File, id: None, issuer, kind, provider }
    }
}
