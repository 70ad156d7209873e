//! The registrations at identity providers that were used, by the hash of their settings.

use perennial_identity::sign_in::RelyingParty;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Beyond this many registrations all of them are forgotten.
const MAX_ENTRIES: usize = 10_000;

/// The registrations.
#[derive(Default)]
pub(crate) struct PortalProviders(Mutex<HashMap<[u8; 32], Arc<RelyingParty>>>);

impl PortalProviders {
    /// The registration with this key, built at its first use. `None` if it cannot be built.
    pub(crate) fn get_or_insert(
        &self,
        key: [u8; 32],
        build: impl FnOnce() -> Option<RelyingParty>,
    ) -> Option<Arc<RelyingParty>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(party) = known.get(&key) {
            return Some(Arc::clone(party));
        }
        let party = Arc::new(build()?);
        if known.len() >= MAX_ENTRIES {
            known.clear();
        }
        known.insert(key, Arc::clone(&party));
        Some(party)
    }
}
