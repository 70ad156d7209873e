//! Organizations: the tenants. Every other record belongs to exactly one.

pub mod billing;
pub mod documents;

use crate::currency::Currency;
use crate::id::{EventId, OrganizationId};
use crate::portal::{PortalPatch, PortalSettings};
use crate::text::Line;
use crate::time::Time;
use crate::words::words;
use billing::{OrganizationBilling, OrganizationBillingPatch};

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
    /// How its subscriptions are billed. None: all defaults.
    #[serde(serialize_with = "billing::serialize")]
    pub billing: Option<Box<OrganizationBilling>>,
    /// The settings of its customer portal.
    pub portal: PortalSettings,
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrganizationPatch {
    /// The recommended maximum of sessions per user, if any.
    pub max_sessions: Option<Option<u32>>,
    /// How its subscriptions are billed.
    pub billing: OrganizationBillingPatch,
    /// The settings of the portal, member by member.
    pub portal: Option<PortalPatch>,
}

impl Organization {
    /// The organization after the changes.
    #[must_use]
    pub fn apply(&self, patch: OrganizationPatch) -> Self {
        let billing = patch.billing.apply(self.settings());
        Self {
            max_sessions: patch.max_sessions.unwrap_or(self.max_sessions),
            billing: if billing == self.settings() { self.billing.clone() } else { Some(Box::new(billing)) },
            portal: self.portal.apply(patch.portal.unwrap_or_default()),
            ..self.clone()
        }
    }

    /// How its subscriptions are billed.
    pub fn settings(&self) -> OrganizationBilling {
        self.billing.as_deref().cloned().unwrap_or_default()
    }
}
