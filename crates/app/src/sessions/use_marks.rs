//! The sessions whose time of last use is being written.

use perennial_domain::id::SessionId;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of concurrent writes. A flood beyond it skips marks instead of using memory.
const MAX_MARKS: usize = 10_000;

/// The sessions, each once.
#[derive(Clone, Default)]
pub(crate) struct UseMarks(Arc<Mutex<HashSet<SessionId>>>);

impl UseMarks {
    pub(super) fn enter(&self, id: SessionId) -> bool {
        let mut marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        marks.len() < MAX_MARKS && marks.insert(id)
    }

    pub(super) fn leave(&self, id: SessionId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }
}
