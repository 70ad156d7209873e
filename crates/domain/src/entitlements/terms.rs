//! What entitlements depend on of a subscription. These are few of its fields, so that a check reads few columns.

use crate::cycle::BillingCycle;
use crate::id::{PlanId, SubscriptionId};
use crate::lifecycle::billing::{Billing, Quantity};
use crate::lifecycle::calendar::ZoneName;
use crate::subscriptions::{Access, Subscription, SubscriptionStatus};
use crate::time::Time;

use super::grants::Grants;

/// What entitlements depend on of a subscription. The fields are those of the record.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Terms {
    pub id: SubscriptionId,
    pub plan_id: PlanId,
    pub quantity: Quantity,
    pub billing_cycle: BillingCycle,
    pub status: SubscriptionStatus,
    pub is_active: bool,
    pub starts_at: Time,
    pub renews_at: Option<Time>,
    pub ends_at: Option<Time>,
    /// None: the subscription is external.
    pub billing: Option<PeriodTerms>,
    pub entitlements: Grants,
}

/// What the period of a billed subscription depends on. The fields are those of its billing.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct PeriodTerms {
    pub time_zone: ZoneName,
    pub anchor_at: Time,
    pub period_start: Option<Time>,
}

impl Terms {
    /// What access depends on.
    pub const fn access(&self) -> Access {
        let Self { is_active, status, starts_at, ends_at, .. } = *self;
        Access { is_active, status, starts_at, ends_at }
    }
}

impl From<&Billing> for PeriodTerms {
    fn from(billing: &Billing) -> Self {
        let Billing { time_zone, anchor_at, period_start, .. } = billing;
        Self { time_zone: time_zone.clone(), anchor_at: *anchor_at, period_start: *period_start }
    }
}

impl From<&Subscription> for Terms {
    fn from(subscription: &Subscription) -> Self {
        Self {
            id: subscription.id,
            plan_id: subscription.plan_id,
            quantity: subscription.details.quantity,
            billing_cycle: subscription.billing_cycle,
            status: subscription.status,
            is_active: subscription.is_active,
            starts_at: subscription.starts_at,
            renews_at: subscription.renews_at,
            ends_at: subscription.ends_at,
            billing: subscription.billing.as_deref().map(PeriodTerms::from),
            entitlements: subscription.entitlements.clone(),
        }
    }
}
