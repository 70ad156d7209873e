//! The rules of entitlements: which subscriptions count, what each gives, and how the values combine.

use super::grants::{GrantValue, Grants, MAX_VALUE};
use super::period::{Period, period};
use super::terms::Terms;
use crate::features::{Combine, Feature, FeatureKey, FeatureKind};
use crate::id::{MeterId, SubscriptionId, UserId};
use crate::time::Time;
use crate::usage::Quantity;
use serde::{Serialize, Serializer};
use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The most subscriptions with access that count.
pub const MAX_USED: usize = 200;
/// The most subscriptions of a user that are considered, newest first.
pub const MAX_CONSIDERED: usize = 1_000;
/// The feature that members of a subscription do not get.
pub const SEATS: &str = "seats";

/// A subscription that a user owns or is a member of, and the grants of its plan.
#[derive(Clone, Debug)]
pub struct Holding {
    /// The subscription.
    pub subscription: Terms,
    /// The grants of its plan.
    pub plan: Arc<Grants>,
    /// Whether the user is a member and not the owner.
    pub is_member: bool,
}

/// The subscriptions of a user that count at an instant.
#[derive(Clone, Debug, Default)]
pub struct Holdings {
    /// Those with access.
    pub with_access: Vec<Holding>,
    /// When the clock alone next changes the access of one of them, or of one without access.
    pub next_change: Option<Time>,
    /// Whether the user has more than are considered.
    pub truncated: bool,
}

impl Holdings {
    /// Those of a user's newest subscriptions that count.
    pub fn select(mut newest: Vec<Holding>, now: Time) -> Self {
        newest.sort_unstable_by_key(|holding| std::cmp::Reverse(holding.subscription.id));
        let truncated = newest.len() > MAX_CONSIDERED;
        newest.truncate(MAX_CONSIDERED);
        let next_change = newest.iter().filter_map(|holding| holding.subscription.access().next_change(now)).min();
        newest.retain(|holding| holding.subscription.access().is_granted(now));
        let truncated = truncated || newest.len() > MAX_USED;
        newest.truncate(MAX_USED);
        Self { with_access: newest, next_change, truncated }
    }
}

/// A running total: the usage of a subscription in a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TotalKey {
    /// The subscription.
    pub subscription_id: SubscriptionId,
    /// The meter.
    pub meter_id: MeterId,
    /// The period.
    pub period: Period,
}

/// What subscriptions used. A total that is missing is 0.
pub type Usage = HashMap<TotalKey, Quantity>;

/// The value of a feature of one subscription, whether or not it has access. Values of another kind than the feature's do
/// not count.
pub fn own_value(feature: &Feature, subscription: &Terms, plan: &Grants) -> Option<GrantValue> {
    let granted = subscription.entitlements.get(&feature.key).or_else(|| plan.get(&feature.key))?;
    match (feature.kind, granted) {
        (FeatureKind::Boolean, GrantValue::Flag(_)) => Some(granted),
        (FeatureKind::Boolean, _) | (_, GrantValue::Flag(_)) => None,
        (_, GrantValue::Number(number)) if feature.per_unit => {
            let number = number.saturating_mul(subscription.quantity.get());
            Some(GrantValue::Number(number.min(MAX_VALUE)))
        }
        _ => Some(granted),
    }
}

/// The value of a feature of one holding. Members do not get seats.
pub fn value_of(feature: &Feature, holding: &Holding) -> Option<GrantValue> {
    let is_withheld = holding.is_member && feature.key.as_str() == SEATS;
    if is_withheld { None } else { own_value(feature, &holding.subscription, &holding.plan) }
}

/// The total that a quota of a subscription is compared with at an instant.
fn total_key(feature: &Feature, subscription: &Terms, at: Time) -> Option<TotalKey> {
    let (meter_id, kind) = (feature.meter_id?, feature.period?);
    Some(TotalKey { subscription_id: subscription.id, meter_id, period: period(subscription, kind, at) })
}

/// The totals that a user's entitlements depend on.
pub fn totals(holdings: &Holdings, features: &[impl Borrow<Feature>], now: Time) -> Vec<TotalKey> {
    let mut keys: Vec<TotalKey> = Vec::new();
    for feature in features.iter().map(Borrow::borrow).filter(|feature| feature.is_active_quota()) {
        let granting = holdings.with_access.iter().filter(|holding| value_of(feature, holding).is_some());
        keys.extend(granting.filter_map(|holding| total_key(feature, &holding.subscription, now)));
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// What is left of a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remaining {
    /// This much.
    Amount(Quantity),
    /// The quota is unlimited.
    Unlimited,
}

impl Serialize for Remaining {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Amount(amount) => amount.serialize(serializer),
            Self::Unlimited => GrantValue::Unlimited.serialize(serializer),
        }
    }
}

/// What a subscription contributes to an entitlement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Source {
    pub subscription_id: SubscriptionId,
    pub value: GrantValue,
    pub used: Option<Quantity>,
}

/// The value of a feature for a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Entitlement {
    pub kind: FeatureKind,
    pub value: GrantValue,
    pub used: Option<Quantity>,
    pub remaining: Option<Remaining>,
    pub resets_at: Option<Time>,
    pub sources: Vec<Source>,
}

/// What a user has at an instant. It serializes as the API returns it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct UserEntitlements {
    pub user_id: UserId,
    pub valid_until: Option<Time>,
    pub truncated: bool,
    pub entitlements: BTreeMap<FeatureKey, Entitlement>,
}

/// What a user has at an instant.
pub fn compute(
    user_id: UserId,
    holdings: &Holdings,
    features: &[impl Borrow<Feature>],
    usage: &Usage,
    now: Time,
) -> UserEntitlements {
    let mut entitlements = BTreeMap::new();
    for feature in features.iter().map(Borrow::borrow).filter(|feature| feature.is_active) {
        if let Some(entitlement) = entitlement(feature, holdings, usage, now) {
            entitlements.insert(feature.key.clone(), entitlement);
        }
    }
    let resets = entitlements.values().filter_map(|entitlement| entitlement.resets_at);
    let valid_until = resets.chain(holdings.next_change).min();
    UserEntitlements { user_id, valid_until, truncated: holdings.truncated, entitlements }
}

/// The value of one feature; none if no subscription has one.
fn entitlement(feature: &Feature, holdings: &Holdings, usage: &Usage, now: Time) -> Option<Entitlement> {
    let mut sources = Vec::new();
    let mut resets_at: Option<Time> = None;
    for holding in &holdings.with_access {
        let Some(value) = value_of(feature, holding) else { continue };
        let total = total_key(feature, &holding.subscription, now);
        let used = total.map(|key| usage.get(&key).copied().unwrap_or_default());
        resets_at = resets_at.into_iter().chain(total.and_then(|key| key.period.to)).min();
        sources.push(Source { subscription_id: holding.subscription.id, value, used });
    }
    sources.sort_unstable_by_key(|source| source.subscription_id);
    let value = sources.iter().map(|source| source.value).reduce(|a, b| combined(feature.combine, a, b))?;
    let is_quota = feature.kind == FeatureKind::Quota;
    let used = sources.iter().filter_map(|source| source.used).map(Quantity::millionths).sum();
    Some(Entitlement {
        kind: feature.kind,
        value,
        used: is_quota.then_some(Quantity::from_millionths(used)),
        remaining: is_quota.then(|| remaining(&sources)),
        resets_at,
        sources,
    })
}

fn combined(combine: Combine, a: GrantValue, b: GrantValue) -> GrantValue {
    match (a, b) {
        (GrantValue::Flag(a), GrantValue::Flag(b)) => GrantValue::Flag(a || b),
        (GrantValue::Number(a), GrantValue::Number(b)) if combine == Combine::Max => GrantValue::Number(a.max(b)),
        (GrantValue::Number(a), GrantValue::Number(b)) => GrantValue::Number(a.saturating_add(b).min(MAX_VALUE)),
        _ => GrantValue::Unlimited,
    }
}

/// A subscription that used more than its quota takes nothing from the others.
fn remaining(sources: &[Source]) -> Remaining {
    let mut left = 0;
    for source in sources {
        let GrantValue::Number(value) = source.value else { return Remaining::Unlimited };
        let used = source.used.unwrap_or_default().millionths();
        left += (i128::from(value) * 1_000_000 - used).max(0);
    }
    Remaining::Amount(Quantity::from_millionths(left))
}
