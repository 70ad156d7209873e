//! The clients of recent requests, so that a request needs no read to authenticate its client. An entry lives four seconds,
//! so that a change by any process takes effect within five.

use crate::cached::Cached;
use crate::caller::KnownClient;
use perennial_domain::clients::Origin;
use perennial_domain::time::Time;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Unknown credentials are cached too. Beyond this many entries the expired ones and the unknown ones are dropped.
const MAX_ENTRIES: usize = 10_000;

/// The cache.
#[derive(Default)]
pub(crate) struct ClientCache {
    by_hash: RwLock<HashMap<[u8; 32], Cached<Entry>>>,
    origins: RwLock<Option<Cached<Arc<[Origin]>>>>,
}

/// A client. None: the credential belongs to no live client.
pub(super) type Entry = Option<Arc<KnownClient>>;

impl ClientCache {
    /// The origins that live public clients list, if they were read within the lifetime of an entry.
    pub(super) fn origins(&self, now: Time) -> Option<Arc<[Origin]>> {
        let cached = self.origins.read().unwrap_or_else(PoisonError::into_inner);
        cached.as_ref().filter(|cached| cached.is_fresh(now)).map(|cached| Arc::clone(&cached.value))
    }

    pub(super) fn put_origins(&self, value: Arc<[Origin]>, now: Time) {
        *self.origins.write().unwrap_or_else(PoisonError::into_inner) = Some(Cached { value, read_at: now });
    }

    pub(super) fn get(&self, hash: &[u8; 32], now: Time) -> Option<Entry> {
        let entries = self.by_hash.read().unwrap_or_else(PoisonError::into_inner);
        entries.get(hash).filter(|cached| cached.is_fresh(now)).map(|cached| cached.value.clone())
    }

    pub(super) fn put(&self, hash: [u8; 32], value: Entry, now: Time) {
        let mut entries = self.by_hash.write().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= MAX_ENTRIES {
            entries.retain(|_, cached| cached.is_fresh(now) && cached.value.is_some());
        }
        if entries.len() < MAX_ENTRIES {
            entries.insert(hash, Cached { value, read_at: now });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_unknown_credentials_stays_bounded() {
        let cache = ClientCache::default();
        let now = Time::from_micros(0).unwrap();
        for number in 0..50_000_u64 {
            let mut hash = [0; 32];
            hash[..8].copy_from_slice(&number.to_be_bytes());
            cache.put(hash, None, now);
        }
        assert!(cache.by_hash.read().unwrap().len() <= MAX_ENTRIES);
    }
}
