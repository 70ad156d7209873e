//! The check of one feature: whether a user may use this much of it, and if not, why.

use super::grants::GrantValue;
use super::rules::{Remaining, UserEntitlements};
use crate::features::{Feature, FeatureKey, FeatureKind};
use crate::id::UserId;
use crate::time::Time;
use crate::usage::Quantity;
use crate::words::words;
use serde::Serialize;

words! {
    /// Why a feature is not allowed.
    Reason {
        /// The feature is not active.
        FeatureInactive = "feature_inactive",
        /// The user has no subscription with access.
        NoSubscription = "no_subscription",
        /// No subscription has a value, or it is `false` or 0.
        NotGranted = "not_granted",
        /// The value or what is left of it is less than what is needed.
        LimitReached = "limit_reached",
    }
}

/// Whether a user may use a feature. It serializes as the API returns it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Check {
    pub user_id: UserId,
    pub feature: FeatureKey,
    pub kind: FeatureKind,
    pub allowed: bool,
    pub value: Option<GrantValue>,
    pub used: Option<Quantity>,
    pub remaining: Option<Remaining>,
    pub resets_at: Option<Time>,
    pub need: i64,
    pub reason: Option<Reason>,
    pub valid_until: Option<Time>,
}

/// Checks one feature. `has_subscription`: the user has a subscription with access.
pub fn check(feature: &Feature, entitlements: &UserEntitlements, has_subscription: bool, need: i64) -> Check {
    let found = entitlements.entitlements.get(&feature.key);
    let reason = match found {
        _ if !feature.is_active => Some(Reason::FeatureInactive),
        _ if !has_subscription => Some(Reason::NoSubscription),
        None => Some(Reason::NotGranted),
        Some(found) => match (found.value, found.remaining) {
            (GrantValue::Flag(true) | GrantValue::Unlimited, _) => None,
            // Negative usage can leave something of a quota of 0.
            (_, Some(Remaining::Amount(left))) if left.millionths() >= i128::from(need) * 1_000_000 => None,
            (GrantValue::Flag(false) | GrantValue::Number(0), _) => Some(Reason::NotGranted),
            (GrantValue::Number(value), None) if value >= need => None,
            _ => Some(Reason::LimitReached),
        },
    };
    Check {
        user_id: entitlements.user_id,
        feature: feature.key.clone(),
        kind: feature.kind,
        allowed: reason.is_none(),
        value: found.map(|found| found.value),
        used: found.and_then(|found| found.used),
        remaining: found.and_then(|found| found.remaining),
        resets_at: found.and_then(|found| found.resets_at),
        need,
        reason,
        valid_until: entitlements.valid_until,
    }
}
