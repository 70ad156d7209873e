//! A subscription as it is returned, and its schema.

use super::details;
use crate::entitlements;
use crate::fields::SchemaWriter;
use crate::schema;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::entitlements::Grants;
use perennial_domain::id::{ConnectionId, PlanId, SubscriptionId, UserId};
use perennial_domain::lifecycle::billing::Billing;
use perennial_domain::number::Whole;
use perennial_domain::plans::Version;
use perennial_domain::subscriptions::{ExternalSubscriptionId, Subscription, SubscriptionDetails, SubscriptionStatus};
use perennial_domain::time::Time;
use serde::Serialize;
use serde_json::{Value, json};

/// A subscription as it is returned: the record, and whether it gives access now.
#[derive(Serialize)]
pub(crate) struct SubscriptionView<'a> {
    id: SubscriptionId,
    user_id: UserId,
    subscription_plan_id: PlanId,
    plan_version: Version,
    external_subscription_id: Option<&'a ExternalSubscriptionId>,
    quantity: Whole<1, 1_000_000>,
    billing_cycle: BillingCycle,
    status: SubscriptionStatus,
    is_active: bool,
    pub(super) has_access: bool,
    renews_at: Option<Time>,
    starts_at: Time,
    ends_at: Option<Time>,
    billing: Option<&'a Billing>,
    entitlements: &'a Grants,
    managed_by: Option<ConnectionId>,
    created_at: Time,
    updated_at: Time,
}

impl<'a> SubscriptionView<'a> {
    pub(crate) fn at(subscription: &'a Subscription, now: Time) -> Self {
        Self {
            id: subscription.id,
            user_id: subscription.user_id,
            subscription_plan_id: subscription.plan_id,
            plan_version: subscription.plan_version,
            external_subscription_id: subscription.details.external_subscription_id.as_ref(),
            quantity: subscription.details.quantity,
            billing_cycle: subscription.billing_cycle,
            status: subscription.status,
            is_active: subscription.is_active,
            has_access: subscription.has_access(now),
            renews_at: subscription.renews_at,
            starts_at: subscription.starts_at,
            ends_at: subscription.ends_at,
            billing: subscription.billing.as_deref(),
            entitlements: &subscription.entitlements,
            managed_by: subscription.managed_by,
            created_at: subscription.created_at,
            updated_at: subscription.updated_at,
        }
    }
}

fn optional_connection() -> Value {
    let mut schema = schema::id::<ConnectionId>();
    schema["type"] = json!(["string", "null"]);
    schema
}

pub(super) fn definition() -> Value {
    let before = [
        ("id", schema::id::<SubscriptionId>()),
        ("user_id", schema::id::<UserId>()),
        ("subscription_plan_id", schema::id::<PlanId>()),
        ("plan_version", schema::id::<Version>()),
    ];
    let after = [
        ("billing_cycle", schema::words(&BillingCycle::ALL.map(BillingCycle::as_str))),
        ("status", schema::words(&SubscriptionStatus::ALL.map(SubscriptionStatus::as_str))),
        ("is_active", json!({ "type": "boolean" })),
        ("has_access", json!({ "type": "boolean" })),
        ("renews_at", schema::optional_instant()),
        ("starts_at", schema::instant()),
        ("ends_at", schema::optional_instant()),
        ("billing", super::billing::definition()),
        ("entitlements", entitlements::grants_schema()),
        ("managed_by", optional_connection()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ];
    let details = |fields: &mut SchemaWriter| drop(details(fields, SubscriptionDetails::default()));
    schema::record_with_details(&before, details, &after)
}
