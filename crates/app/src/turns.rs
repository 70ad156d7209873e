//! Turns: those who want to change the same thing stand in line with the others of this server, where a crowd could
//! otherwise keep one of them from ever getting through. Between servers the store decides.
//! Nobody waits for a second turn while having one.

use crate::revision::ATTEMPTS;
use perennial_domain::id::OrganizationId;
use perennial_domain::users::Identity;
use std::hash::{BuildHasher, Hash, RandomState};
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
    /// Waits until it is this person's turn, which lasts until the guard is dropped. Whatever begins a session of theirs
    /// or ends all of them does.
    pub(crate) async fn wait(&self, organization: OrganizationId, identity: &Identity) -> MutexGuard<'_, ()> {
        self.line((organization.bytes(), &identity.issuer, &identity.subject)).lock().await
    }

    /// The attempts at a change of one record, each to be decided on the record as it then stands.
    pub(crate) fn attempts(&self, record: impl Hash) -> Attempts<'_> {
        Attempts { line: self.line(record), made: 0, turn: None }
    }

    fn line(&self, whose: impl Hash) -> &Mutex<()> {
        let hash = self.hasher.hash_one(whose);
        &self.lines[usize::try_from(hash % LINES as u64).unwrap_or_default()]
    }
}

/// The first attempt goes ahead: nearly always nobody else is there. Whoever lost one stands in line from then on.
pub(crate) struct Attempts<'a> {
    line: &'a Mutex<()>,
    made: usize,
    turn: Option<MutexGuard<'a, ()>>,
}

impl Attempts<'_> {
    /// Waits until the next attempt may be made; false when there were enough.
    pub(crate) async fn next(&mut self) -> bool {
        if self.made > 0 && self.turn.is_none() {
            self.turn = Some(self.line.lock().await);
        }
        self.made += 1;
        self.made <= ATTEMPTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_lost_an_attempt_waits_for_those_who_did_before() {
        let turns = Turns::default();
        let [mut one, mut other, mut stranger] = [(); 3].map(|()| turns.attempts([1; 16]));
        assert!(one.next().await && other.next().await);
        assert!(one.next().await);
        let soon = std::time::Duration::from_millis(20);
        assert!(tokio::time::timeout(soon, other.next()).await.is_err());
        // Who has lost nothing waits for nobody.
        assert!(stranger.next().await);
        drop(one);
        assert!(other.next().await);
        while other.next().await {}
        assert_eq!(other.made, ATTEMPTS + 1);
    }
}
