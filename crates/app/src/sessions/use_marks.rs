//! The sessions of users and operators whose time of last use is being written.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of concurrent writes. A flood beyond it skips marks instead of using memory.
const MAX_MARKS: usize = 10_000;

/// The sessions, each once.
#[derive(Clone, Default)]
pub(crate) struct UseMarks(Arc<Mutex<HashSet<[u8; 16]>>>);

impl UseMarks {
    pub(crate) fn enter(&self, id: [u8; 16]) -> bool {
        let mut marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        marks.len() < MAX_MARKS && marks.insert(id)
    }

    pub(crate) fn leave(&self, id: [u8; 16]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }
}
