//! Turns: whatever begins a session of a person or ends all of them stands in line with the others of this server.
//! Without it a crowd of sign-ins could keep a revoke-all from ever getting through. Between servers the store decides.

use perennial_domain::id::OrganizationId;
use perennial_domain::users::Identity;
use std::hash::{BuildHasher, RandomState};
use tokio::sync::{Mutex, MutexGuard};

/// Few enough to be kept for good, and so many that strangers seldom share one.
const LINES: usize = 1024;

/// The lines. Which one is whose nobody outside can tell.
pub(crate) struct Turns {
    hasher: RandomState,
    lines: Vec<Mutex<()>>,
}

impl Default for Turns {
    fn default() -> Self {
        Self { hasher: RandomState::new(), lines: (0..LINES).map(|_| Mutex::new(())).collect() }
    }
}

impl Turns {
    /// Waits until it is this person's turn, which lasts until the guard is dropped.
    pub(crate) async fn wait(&self, organization: OrganizationId, identity: &Identity) -> MutexGuard<'_, ()> {
        let hash = self.hasher.hash_one((organization.bytes(), &identity.issuer, &identity.subject));
        let line = usize::try_from(hash % LINES as u64).unwrap_or_default();
        self.lines[line].lock().await
    }
}
