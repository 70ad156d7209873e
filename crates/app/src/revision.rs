//! Optimistic locking: the revision that a caller expects a record to have.

use crate::error::Error;
use perennial_domain::id::EventId;

/// The caller's condition on a record's revision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IfMatch {
    /// None: the change applies to any revision.
    #[default]
    Unconditional,
    /// Any revision, if the record exists.
    Any,
    /// One of these.
    OneOf(Vec<EventId>),
}

impl IfMatch {
    /// Checks the condition against the revision of a record that exists.
    pub fn check(&self, revision: EventId) -> Result<(), Error> {
        match self {
            Self::OneOf(revisions) if !revisions.contains(&revision) => Err(Error::Stale),
            _ => Ok(()),
        }
    }
}
