//! The signing keys as they were last read. An entry lives four seconds, so that a rotation takes effect on every server
//! within five.

use crate::cached::Cached;
use perennial_domain::time::Time;
use perennial_identity::key_set::KeySet;
use std::sync::{Arc, PoisonError, RwLock};

/// The cache.
#[derive(Default)]
pub(crate) struct KeySetCache(RwLock<Option<Cached<Arc<KeySet>>>>);

impl KeySetCache {
    pub(super) fn get(&self, now: Time) -> Option<Arc<KeySet>> {
        let cached = self.0.read().unwrap_or_else(PoisonError::into_inner);
        cached.as_ref().filter(|cached| cached.is_fresh(now)).map(|cached| Arc::clone(&cached.value))
    }

    pub(super) fn put(&self, value: Arc<KeySet>, now: Time) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(Cached { value, read_at: now });
    }
}
