//! Organizations: the tenants. Every other record belongs to exactly one.

use crate::currency::Currency;
use crate::id::{EventId, OrganizationId};
use crate::text::Line;
use crate::time::Time;
use crate::words::words;

/// An organization's name, unique in the installation.
pub type OrganizationName = Line<1, 255>;

words! {
    /// Whether an organization is live or for tests. It never changes.
    #[derive(Default, Hash)]
    OrganizationMode {
        /// Its time is real time.
        #[default]
        Live = "live",
        /// It may have a test clock.
        Test = "test",
    }
}

/// A tenant.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Organization {
    /// Its id.
    pub id: OrganizationId,
    /// Its name.
    pub name: OrganizationName,
    /// The default currency of its plans.
    pub currency: Currency,
    /// The recommended maximum of sessions per user; the list of sessions reports when there are more.
    pub max_sessions: Option<u32>,
    /// Whether it is live or for tests.
    pub mode: OrganizationMode,
    /// When it was created.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
    /// When it was deleted: its records are removed, and its name is its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Time>,
    /// Its last event.
    #[serde(skip)]
    pub revision: EventId,
}

/// The changes to an organization. `None` leaves a field as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrganizationPatch {
    /// The recommended maximum of sessions per user, if any.
    pub max_sessions: Option<Option<u32>>,
}

impl Organization {
    /// The organization after the changes.
    #[must_use]
    pub fn apply(&self, patch: OrganizationPatch) -> Self {
        Self { max_sessions: patch.max_sessions.unwrap_or(self.max_sessions), ..self.clone() }
    }
}
