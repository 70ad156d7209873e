//! The event of a record, reduced to what figures depend on.

use crate::events::{EventKind, difference};
use crate::time::Time;

/// An event and its record before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordEvent {
    /// What happened.
    pub kind: EventKind,
    /// The record.
    pub record_id: [u8; 16],
    /// When.
    pub at: Time,
    /// The record before, as it is stored: as what differs from the record after, if there is one. Few figures need it.
    pub stored_before: Option<String>,
    /// The record after, as JSON; none if it was deleted.
    pub after: Option<String>,
}

impl RecordEvent {
    /// The record before, as JSON; none if it was created, or if it cannot be read.
    pub fn before(&self) -> Option<String> {
        difference::restore(self.stored_before.clone()?, self.after.as_deref())
    }
}
