//! Revisions: what a caller says a record must be at before it may be changed, and which one a change gives it.

use crate::context::App;
use crate::error::Error;
use perennial_domain::id::EventId;
use perennial_domain::stamp::{Stamp, Stamped};
use perennial_domain::time::Time;

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

impl App {
    /// The stamp of a change to this record. Every update and every delete of a record takes its `updated_at`, its
    /// revision and its event's `at` from here; `EventId::new` is for creates only.
    pub(crate) fn stamp(&self, record: &impl Stamped, now: Time) -> Stamp {
        record.stamp().next(now, self.entropy.bits())
    }
}

/// How often a change is decided anew when another writer was faster.
pub(crate) const ATTEMPTS: usize = 64;
