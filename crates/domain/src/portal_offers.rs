//! What the customer portal offers for a subscription, its one-time links, and where they may return to.
//!
//! The portal offers nothing that the status tables do not allow.

use crate::id::{OrganizationId, UserId};
use crate::plans::Href;
use crate::portal::{CancelMode, ChangeMode, PortalSettings};
use crate::subscriptions::{Subscription, SubscriptionDraft, SubscriptionStatus};
use crate::time::Time;

impl PortalSettings {
    /// Whether a link may return to this URL.
    pub fn allows_return(&self, url: &Href) -> bool {
        let origin = url::Url::parse(url.as_str()).map(|url| url.origin().ascii_serialization());
        origin.is_ok_and(|origin| self.return_origins.iter().any(|allowed| allowed.allows(&origin)))
    }

    /// What the portal offers for a subscription.
    pub fn offers(&self, subscription: &Subscription, now: Time) -> Offers {
        let is_running = is_running(subscription, now);
        let has_next_period = subscription.billing.is_some() && subscription.renews_at.is_some();
        let is_cancelled = subscription.status == SubscriptionStatus::Cancelled && may_continue(subscription, now);
        Offers {
            cancel: self.cancellation(subscription, now).is_some(),
            resume: is_cancelled && self.resume,
            change: match self.change {
                ChangeMode::Link if is_running => ChangeMode::Link,
                ChangeMode::NextPeriod if is_running && has_next_period => ChangeMode::NextPeriod,
                _ => ChangeMode::Off,
            },
        }
    }

    /// The update that cancels a subscription, if it is offered: at the end of the paid period, or at once. A billed subscription
    /// that has no period to complete can only end at once: it is pending, incomplete, paused or unpaid.
    pub fn cancellation(&self, subscription: &Subscription, now: Time) -> Option<SubscriptionDraft> {
        use SubscriptionStatus::{Cancelled, Expired};
        if self.cancel == CancelMode::Off || !is_running(subscription, now) {
            return None;
        }
        let is_billed = subscription.billing.is_some();
        let is_now = self.cancel == CancelMode::Now || (is_billed && !subscription.allowed().contains(&Cancelled));
        // A billed subscription ends at once by its status; of an external one the end is sent.
        let (status, ends_at) = match (is_now, is_billed) {
            (false, _) => (Cancelled, None),
            (true, true) => (Expired, None),
            (true, false) => (Cancelled, Some(Some(now.max(subscription.starts_at)))),
        };
        Some(SubscriptionDraft { status: Some(status), ends_at, ..SubscriptionDraft::default() })
    }
}

/// Whether a subscription neither is cancelled nor has ended.
fn is_running(subscription: &Subscription, now: Time) -> bool {
    use SubscriptionStatus::{Cancelled, Expired};
    !matches!(subscription.status, Cancelled | Expired) && may_continue(subscription, now)
}

/// Whether a subscription is decided here and its end has not passed. Another system decides about one that it manages.
fn may_continue(subscription: &Subscription, now: Time) -> bool {
    subscription.managed_by.is_none() && subscription.ends_at.is_none_or(|end| end > now)
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
