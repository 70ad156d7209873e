//! The idempotency keys that requests of this process use at the moment. Of several requests with the same key, one runs
//! at a time.

use perennial_store::idempotency::Owner;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A lock for each key in use.
#[derive(Default)]
pub(crate) struct InFlight(Mutex<HashMap<Owner, Arc<tokio::sync::Mutex<()>>>>);

impl InFlight {
    /// The lock of a key, which stays registered until [`InFlight::release`].
    pub(super) fn lock(&self, owner: &Owner) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(locks.entry(owner.clone()).or_default())
    }

    /// Removes the key if no request holds its lock or waits for it.
    pub(super) fn release(&self, owner: &Owner) {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if locks.get(owner).is_some_and(|lock| Arc::strong_count(lock) == 1) {
            locks.remove(owner);
        }
    }
}
