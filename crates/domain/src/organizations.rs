//! Organizations: the tenants. Every other record belongs to exactly one.

use crate::currency::Currency;
use crate::id::{EventId, OrganizationId};
use crate::text::Line;
use crate::time::Time;

/// An organization's name, unique in the installation.
pub type OrganizationName = Line<1, 255>;

/// A tenant.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Organization {
    /// Its id.
    pub id: OrganizationId,
    /// Its name.
    pub name: OrganizationName,
    /// The currency of a plan that names none.
    pub currency: Currency,
    /// How many sessions a user should have at most; the list of sessions says when there are more.
    pub max_sessions: Option<u32>,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
    /// When it was deleted: its records are gone, and its name is its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Time>,
    /// Its last event.
    #[serde(skip)]
    pub revision: EventId,
}
