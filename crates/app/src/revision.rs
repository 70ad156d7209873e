//! Revisions: what a caller says a record must be at before it may be changed.

use crate::error::Error;
use perennial_domain::id::EventId;

/// The caller's condition on a record's revision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IfMatch {
    /// None: the change is merged into whatever is there.
    #[default]
    Unconditional,
    /// Any revision will do, as long as the record exists.
    Any,
    /// One of these.
    OneOf(Vec<EventId>),
}

impl IfMatch {
    /// Holds the condition against a record that exists.
    pub fn check(&self, revision: EventId) -> Result<(), Error> {
        match self {
            Self::OneOf(revisions) if !revisions.contains(&revision) => Err(Error::Stale),
            _ => Ok(()),
        }
    }
}

/// How often a change is decided anew when another writer was faster.
pub(crate) const ATTEMPTS: usize = 64;
