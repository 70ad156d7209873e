//! The verifiers of the organizations that signed users in recently, and the key sets of all issuers.

use super::record::Unusable;
use crate::cached::Cached;
use perennial_domain::id::{OrganizationId, ProviderId};
use perennial_domain::time::Time;
use perennial_identity::jwks::Keyring;
use perennial_identity::verify::Verifier;
use perennial_outbound::{Limits, OutboundClient};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

/// Beyond this many organizations the expired entries are dropped, or all of them if none has expired.
const MAX_ENTRIES: usize = 10_000;

/// The state that the providers of all organizations share.
pub(crate) struct Verifiers {
    limits: Limits,
    /// One for all organizations, so that an issuer's keys outlive a change of providers.
    keyring: OnceLock<Arc<Keyring>>,
    by_organization: RwLock<HashMap<OrganizationId, Cached<Arc<Verifier>>>>,
    /// The providers that a warning was logged for.
    warned: Mutex<HashSet<ProviderId>>,
}

impl Verifiers {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, keyring: OnceLock::new(), by_organization: RwLock::default(), warned: Mutex::default() }
    }

    pub(crate) fn keyring(&self) -> Arc<Keyring> {
        Arc::clone(self.keyring.get_or_init(|| {
            let client = OutboundClient::with_system_roots(self.limits);
            Arc::new(Keyring::new(Arc::new(client.expect("the protocol versions are the library's"))))
        }))
    }

    pub(super) fn get(&self, organization: OrganizationId, now: Time) -> Option<Arc<Verifier>> {
        let verifiers = self.by_organization.read().unwrap_or_else(PoisonError::into_inner);
        verifiers.get(&organization).filter(|cached| cached.is_fresh(now)).map(|cached| Arc::clone(&cached.value))
    }

    pub(super) fn put(&self, organization: OrganizationId, value: Arc<Verifier>, now: Time) {
        let mut verifiers = self.by_organization.write().unwrap_or_else(PoisonError::into_inner);
        if verifiers.len() >= MAX_ENTRIES {
            verifiers.retain(|_, cached| cached.is_fresh(now));
        }
        if verifiers.len() >= MAX_ENTRIES {
            verifiers.clear();
        }
        verifiers.insert(organization, Cached { value, read_at: now });
    }

    #[cfg(test)]
    pub(super) fn entries(&self) -> usize {
        self.by_organization.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Logs once that a stored provider cannot be used. The providers of the file were checked at the start, and so were
    /// the stored ones that the file overrides.
    pub(super) fn warn_once(&self, id: Option<ProviderId>, issuer: &str, reason: &Unusable) {
        let Some(id) = id.filter(|_| *reason != Unusable::Overridden) else { return };
        if self.warned.lock().unwrap_or_else(PoisonError::into_inner).insert(id) {
            tracing::warn!(provider = %id, issuer, %reason, "an identity provider cannot be used");
        }
    }
}
