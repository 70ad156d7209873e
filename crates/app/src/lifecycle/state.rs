//! What a server remembers about the lifecycle: signals, whose turn is next, and facts that never change.

use perennial_domain::id::OrganizationId;
use perennial_domain::organizations::OrganizationMode;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// How often the clocks of the server and the database are compared.
const COMPARE_EVERY: Duration = Duration::from_secs(10);

/// The settings of the lifecycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LifecycleOptions {
    /// Whether the server works on what is due. If not, it only serves.
    pub enabled: bool,
    /// An organization is put on hold if something is late by more than this. 0: never.
    pub hold_after_days: u32,
    /// Whether the server does not act if its clock differs from the database's.
    pub compare_clocks: bool,
}

impl Default for LifecycleOptions {
    fn default() -> Self {
        Self { enabled: true, hold_after_days: 7, compare_clocks: true }
    }
}

/// The state of the lifecycle on this server.
#[derive(Default)]
pub(crate) struct LifecycleState {
    /// Something became due.
    pub(super) due: Notify,
    /// A test clock was set or deleted.
    pub(crate) clocks: Notify,
    /// The modes of organizations, which never change. Callers that are not clients look them up here.
    modes: RwLock<HashMap<OrganizationId, OrganizationMode>>,
    /// The organization that the last search ended at.
    last: Mutex<[u8; 16]>,
    /// Organizations that are being worked on.
    working: AtomicUsize,
    /// Whether organizations wait for their turn.
    is_crowded: AtomicBool,
    is_clock_wrong: AtomicBool,
    compared: Mutex<Option<Instant>>,
}

/// An organization that is being worked on, until it is dropped.
pub(super) struct Turn<'a>(&'a LifecycleState);

impl LifecycleState {
    /// Wakes the engine: something became due.
    pub(crate) fn wake(&self) {
        self.due.notify_one();
    }

    /// The mode of an organization, if it is known.
    pub(crate) fn mode(&self, organization: OrganizationId) -> Option<OrganizationMode> {
        self.modes.read().unwrap_or_else(PoisonError::into_inner).get(&organization).copied()
    }

    /// Remembers the mode of an organization.
    pub(crate) fn remember_mode(&self, organization: OrganizationId, mode: OrganizationMode) {
        self.modes.write().unwrap_or_else(PoisonError::into_inner).insert(organization, mode);
    }

    /// The organization after which the next search begins.
    pub(super) fn last(&self) -> [u8; 16] {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_last(&self, last: [u8; 16]) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = last;
    }

    pub(super) fn begin_turn(&self) -> Turn<'_> {
        self.working.fetch_add(1, Relaxed);
        Turn(self)
    }

    /// After a search that found so many organizations.
    pub(super) fn set_found(&self, found: usize, places: usize) {
        self.is_crowded.store(found + self.working.load(Relaxed) > places, Relaxed);
    }

    /// Whether an organization should end its turn, because others wait.
    pub(super) fn is_crowded(&self) -> bool {
        self.is_crowded.load(Relaxed)
    }

    /// Whether the clocks should be compared again.
    pub(super) fn is_comparison_due(&self) -> bool {
        let mut compared = self.compared.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = compared.is_none_or(|last| last.elapsed() >= COMPARE_EVERY);
        if is_due {
            *compared = Some(Instant::now());
        }
        is_due
    }

    /// Stores the outcome of a comparison, and returns whether it differs from the one before.
    pub(super) fn set_clock_wrong(&self, is_wrong: bool) -> bool {
        self.is_clock_wrong.swap(is_wrong, Relaxed) != is_wrong
    }

    /// Whether the last comparison found that the clock of this server is wrong.
    pub(super) fn is_clock_wrong(&self) -> bool {
        self.is_clock_wrong.load(Relaxed)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.working.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_ends_early_only_if_more_organizations_wait_than_there_are_places() {
        let state = LifecycleState::default();
        let turns = [state.begin_turn(), state.begin_turn()];
        state.set_found(2, 4);
        assert!(!state.is_crowded());
        state.set_found(3, 4);
        assert!(state.is_crowded());
        drop(turns);
        state.set_found(3, 4);
        assert!(!state.is_crowded());
    }
}
