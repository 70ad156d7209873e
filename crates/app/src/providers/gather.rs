//! The providers of an organization, from wherever they come: our own, the operator's file, the store, in this order.
//! One that cannot be used costs the others nothing.

use super::Configured;
use super::record::{self, Unusable};
use crate::cached::Cached;
use crate::context::App;
use crate::error::Error;
use crate::signing_keys;
use perennial_domain::id::{OrganizationId, ProviderId};
use perennial_domain::organizations::Organization;
use perennial_domain::time::Time;
use perennial_identity::jwks::Keyring;
use perennial_identity::local::LocalIssuer;
use perennial_identity::providers::Provider;
use perennial_identity::verify::Verifier;
use perennial_outbound::{Limits, OutboundClient};
use perennial_store::{organizations, providers};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

/// Organizations seen within seconds; past this many the old ones go, or all of them if none is old.
const MOST_ENTRIES: usize = 10_000;

/// What is shared by the providers of every organization.
pub(crate) struct Providers {
    limits: Limits,
    /// One for all, so that an issuer's keys outlive a change of providers.
    keyring: OnceLock<Arc<Keyring>>,
    verifiers: RwLock<HashMap<OrganizationId, Cached<Arc<Verifier>>>>,
    /// Providers that the log has been told about.
    told: Mutex<HashSet<ProviderId>>,
}

/// Where a provider comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Our own, for development and tests.
    Local,
    /// The operator's file.
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

/// The providers of an organization, ready to be asked.
pub(crate) async fn verifier(app: &App, organization: OrganizationId) -> Result<Arc<Verifier>, Error> {
    let now = app.clock.now();
    if let Some(verifier) = app.providers.get(organization, now) {
        return Ok(verifier);
    }
    let mut usable = Vec::new();
    for candidate in gather(app, organization).await? {
        match candidate.provider {
            Ok(provider) => usable.push(provider),
            Err(reason) => app.providers.tell(candidate.id, &candidate.issuer, &reason),
        }
    }
    let issuer = signing_keys::issuer(app).await?;
    let verifier = Verifier::new(app.providers.keyring(), usable, &issuer);
    let verifier = Arc::new(verifier.map_err(|fault| Error::Internal(fault.to_string()))?);
    app.providers.put(organization, Arc::clone(&verifier), now);
    Ok(verifier)
}

/// Every provider that the organization was given, those that cannot be used with the reason.
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
    settle(&mut candidates, &signing_keys::issuer(app).await?);
    Ok(candidates)
}

/// What the operator's file has for this organization.
pub(super) async fn configured(app: &App, id: OrganizationId) -> Result<Vec<&Configured>, Error> {
    if app.options.providers.is_empty() {
        return Ok(Vec::new());
    }
    let Some(organization) = organizations::by_id(&app.db, id).await? else { return Ok(Vec::new()) };
    Ok(app.options.providers.iter().filter(|configured| configured.is_for(&organization)).collect())
}

/// Leaves out whatever cannot stand beside what comes before it.
fn settle(candidates: &mut [Candidate], our_issuer: &str) {
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

impl Configured {
    pub(super) fn is_for(&self, organization: &Organization) -> bool {
        self.organization == organization.name.as_str() || self.organization == organization.id.to_string()
    }
}

impl Providers {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, keyring: OnceLock::new(), verifiers: RwLock::default(), told: Mutex::default() }
    }

    pub(super) fn keyring(&self) -> Arc<Keyring> {
        Arc::clone(self.keyring.get_or_init(|| {
            let client = OutboundClient::with_system_roots(self.limits);
            Arc::new(Keyring::new(Arc::new(client.expect("the protocol versions are the library's"))))
        }))
    }

    fn get(&self, organization: OrganizationId, now: Time) -> Option<Arc<Verifier>> {
        let verifiers = self.verifiers.read().unwrap_or_else(PoisonError::into_inner);
        verifiers.get(&organization).filter(|cached| cached.is_fresh(now)).map(|cached| Arc::clone(&cached.value))
    }

    pub(super) fn put(&self, organization: OrganizationId, value: Arc<Verifier>, now: Time) {
        let mut verifiers = self.verifiers.write().unwrap_or_else(PoisonError::into_inner);
        if verifiers.len() >= MOST_ENTRIES {
            verifiers.retain(|_, cached| cached.is_fresh(now));
        }
        if verifiers.len() >= MOST_ENTRIES {
            verifiers.clear();
        }
        verifiers.insert(organization, Cached { value, read_at: now });
    }

    #[cfg(test)]
    pub(super) fn entries(&self) -> usize {
        self.verifiers.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Tells the log once about a stored provider that is left out. The file's were held to account at the start, and
    /// so was what the file overrides.
    fn tell(&self, id: Option<ProviderId>, issuer: &str, reason: &Unusable) {
        let Some(id) = id.filter(|_| *reason != Unusable::Overridden) else { return };
        if self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(id) {
            tracing::warn!(provider = %id, issuer, %reason, "an identity provider cannot be used");
        }
    }
}
