//! What the customer portal offers for a subscription, its one-time links, and where they may return to.
//!
//! The portal offers nothing that the status tables do not allow.

use crate::id::{OrganizationId, UserId};
use crate::plans::Href;
use crate::portal::{CancelMode, ChangeMode, PortalSettings};
use crate::subscriptions::{Subscription, SubscriptionStatus};
use crate::time::Time;

impl PortalSettings {
    /// Whether a link may return to this URL.
    pub fn allows_return(&self, url: &Href) -> bool {
        let origin = url::Url::parse(url.as_str()).map(|url| url.origin().ascii_serialization());
        origin.is_ok_and(|origin| self.return_origins.iter().any(|allowed| allowed.allows(&origin)))
    }

    /// What the portal offers for a subscription.
    pub fn offers(&self, subscription: &Subscription, now: Time) -> Offers {
        use SubscriptionStatus::{Cancelled, Expired};
        let status = subscription.status;
        let is_over = subscription.ends_at.is_some_and(|end| end <= now);
        // Another system decides about a subscription that it manages.
        let is_own = subscription.managed_by.is_none();
        let is_running = is_own && !matches!(status, Cancelled | Expired) && !is_over;
        let has_next_period = subscription.billing.is_some() && subscription.renews_at.is_some();
        Offers {
            cancel: is_running && self.cancel != CancelMode::Off,
            resume: is_own && status == Cancelled && !is_over && self.resume,
            change: match self.change {
                ChangeMode::Link if is_running => ChangeMode::Link,
                ChangeMode::NextPeriod if is_running && has_next_period => ChangeMode::NextPeriod,
                _ => ChangeMode::Off,
            },
        }
    }
}

/// What the portal offers for a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offers {
    /// To cancel it.
    pub cancel: bool,
    /// To resume it.
    pub resume: bool,
    /// How to change the plan. A link is offered if the plan has one.
    pub change: ChangeMode,
}

/// An unused one-time link. Its text is not part of it: only the hash is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortalLink {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Its key.
    pub id: [u8; 16],
    /// The user that it signs in.
    pub user_id: UserId,
    /// Where the portal links back to.
    pub return_url: Option<Href>,
    /// When it expires.
    pub expires_at: Time,
}

#[cfg(test)]
mod tests;
