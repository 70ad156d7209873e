//! Locks by key, for writers of the same record within this server. Without them one of many concurrent writers could
//! lose every race. Between servers the store decides.
//!
//! No task waits for a second lock while it holds one, so they cannot deadlock.

use perennial_domain::id::OrganizationId;
use perennial_domain::users::Identity;
use std::hash::{BuildHasher, Hash, RandomState};
use tokio::sync::{Mutex, MutexGuard};

/// The number of locks: few enough to allocate once, and so many that two keys seldom share one.
const LOCKS: usize = 1024;

/// How often a change is decided again after another writer was faster.
pub(crate) const ATTEMPTS: usize = 64;

/// The locks. The hash is seeded, so that no client can choose keys that share a lock.
pub(crate) struct KeyedLocks {
    hasher: RandomState,
    locks: Vec<Mutex<()>>,
}

impl Default for KeyedLocks {
    fn default() -> Self {
        Self { hasher: RandomState::new(), locks: (0..LOCKS).map(|_| Mutex::new(())).collect() }
    }
}

impl KeyedLocks {
    /// Locks an identity until the guard is dropped. Every use case that begins a session of a person or ends all of
    /// them holds this lock.
    pub(crate) async fn lock_identity(&self, organization: OrganizationId, identity: &Identity) -> MutexGuard<'_, ()> {
        self.lock((organization.bytes(), &identity.issuer, &identity.subject)).lock().await
    }

    /// Locks a key until the guard is dropped.
    pub(crate) async fn lock_key(&self, key: impl Hash) -> MutexGuard<'_, ()> {
        self.lock(key).lock().await
    }

    /// The attempts at a change of one record. Each attempt reads the record and decides again.
    pub(crate) fn attempts(&self, record: impl Hash) -> Attempts<'_> {
        Attempts { lock: self.lock(record), made: 0, guard: None }
    }

    /// The attempts at a change that many callers make at the same time, such as taking the next number: each waits for its turn.
    pub(crate) async fn turns(&self, key: impl Hash) -> Attempts<'_> {
        let lock = self.lock(key);
        Attempts { lock, made: 0, guard: Some(lock.lock().await) }
    }

    fn lock(&self, key: impl Hash) -> &Mutex<()> {
        let hash = self.hasher.hash_one(key);
        &self.locks[usize::try_from(hash % LOCKS as u64).unwrap_or_default()]
    }
}

/// The first attempt takes no lock, because writers of the same record are rare. All later attempts hold the lock.
pub(crate) struct Attempts<'a> {
    lock: &'a Mutex<()>,
    made: usize,
    guard: Option<MutexGuard<'a, ()>>,
}

impl Attempts<'_> {
    /// Waits until the next attempt may be made. Returns false after [`ATTEMPTS`] attempts.
    pub(crate) async fn next(&mut self) -> bool {
        if self.made > 0 && self.guard.is_none() {
            self.guard = Some(self.lock.lock().await);
        }
        self.made += 1;
        self.made <= ATTEMPTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_writer_that_lost_waits_for_writers_that_lost_before() {
        let locks = KeyedLocks::default();
        let [mut first, mut second, mut third] = [(); 3].map(|()| locks.attempts([1; 16]));
        assert!(first.next().await && second.next().await);
        assert!(first.next().await);
        let soon = std::time::Duration::from_millis(20);
        assert!(tokio::time::timeout(soon, second.next()).await.is_err());
        // A first attempt does not wait.
        assert!(third.next().await);
        drop(first);
        assert!(second.next().await);
        while second.next().await {}
        assert_eq!(second.made, ATTEMPTS + 1);
    }
}
