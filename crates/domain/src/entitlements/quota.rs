//! Quotas: whether the events of a call fit, what they add to running totals, and which thresholds they reach.
//!
//! A decision is made for a total as it was read. The bounds of an addition say for which other totals it is the same, so that
//! concurrent calls need no retry unless one of them reaches a limit or a threshold.

use super::grants::{GrantValue, Grants};
use super::period::{Period, period};
use super::rules::own_value;
use super::terms::Terms;
use crate::features::{Feature, FeatureKey, FeatureKind, QuotaPeriod};
use crate::id::{FeatureId, MeterId, SubscriptionId};
use crate::time::Time;
use crate::usage::{Quantity, TimeSpan, UsageEvent};
use serde::Serialize;
use std::collections::BTreeMap;

/// The parts of a quota that are reported when they are used, in percent.
pub const THRESHOLDS: [i64; 2] = [80, 100];
const MILLION: i128 = 1_000_000;

/// A quota of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quota {
    /// The feature.
    pub feature_id: FeatureId,
    /// Its key.
    pub key: FeatureKey,
    /// Its period.
    pub period: QuotaPeriod,
    /// The value. None: unlimited.
    pub limit: Option<i64>,
}

/// The quotas of a subscription for a meter. Without access every quota is 0.
pub fn quotas(subscription: &Terms, plan: &Grants, features: &[Feature], meter: MeterId, now: Time) -> Vec<Quota> {
    let has_access = subscription.access().is_granted(now);
    let of_meter = features.iter().filter(|feature| feature.is_active && feature.meter_id == Some(meter));
    let quota = |feature: &Feature| {
        let limit = match own_value(feature, subscription, plan)? {
            _ if !has_access => Some(0),
            GrantValue::Number(number) => Some(number),
            GrantValue::Unlimited => None,
            GrantValue::Flag(_) => return None,
        };
        Some(Quota { feature_id: feature.id, key: feature.key.clone(), period: feature.period?, limit })
    };
    of_meter.filter(|feature| feature.kind == FeatureKind::Quota).filter_map(quota).collect()
}

/// The usage that a call asks for of one quota in one period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The quota.
    pub quota: Quota,
    /// The period.
    pub period: Period,
    /// The sum of the events that can be refused.
    pub requested: Quantity,
    /// The sum of all events of the call in the period, those that cannot be refused, too.
    pub added: Quantity,
}

/// What the new events of a subscription and a meter ask of its quotas, for each period with an event. Events of a billed
/// subscription from before its current period are never refused, but they count and reach thresholds.
pub fn requests(subscription: &Terms, quotas: &[Quota], events: &[&UsageEvent]) -> Vec<Request> {
    let period_start = subscription.billing.as_ref().and_then(|billing| billing.period_start);
    let mut requests = Vec::new();
    for quota in quotas {
        let mut sums: BTreeMap<Period, (i128, i128)> = BTreeMap::new();
        for event in events {
            let (requested, added) = sums.entry(period(subscription, quota.period, event.at)).or_default();
            let value = i128::from(event.value.millionths());
            *added += value;
            if period_start.is_none_or(|start| event.at >= start) {
                *requested += value;
            }
        }
        requests.extend(sums.into_iter().map(|(period, (requested, added))| Request {
            quota: quota.clone(),
            period,
            requested: Quantity::from_millionths(requested),
            added: Quantity::from_millionths(added),
        }));
    }
    requests
}

/// A quota that a call would exceed. It serializes as the API returns it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Exceeded {
    pub subscription_id: SubscriptionId,
    pub feature: FeatureKey,
    pub meter: MeterId,
    pub limit: i64,
    pub used: Quantity,
    pub requested: Quantity,
}

impl Request {
    /// Whether what is asked for does not fit. What takes nothing always fits.
    pub fn exceeds(&self, used: Quantity) -> bool {
        let after = used.millionths() + self.added.millionths();
        self.quota.limit.is_some_and(|limit| self.requested.millionths() > 0 && after > i128::from(limit) * MILLION)
    }

    /// Whether the quota reports thresholds of a total after this addition. A quota of 0 has none.
    fn mark(&self, threshold: i64) -> Option<i128> {
        let limit = self.quota.limit.filter(|limit| *limit > 0)?;
        Some(i128::from(limit) * i128::from(threshold) * (MILLION / 100))
    }

    /// The thresholds that a total reaches or has passed after an addition, whether or not they were reported.
    pub fn reached(&self, used: Quantity, added: Quantity) -> Vec<i64> {
        let after = used.millionths() + added.millionths();
        let is_reached = |threshold: &i64| self.mark(*threshold).is_some_and(|mark| after >= mark);
        if added.millionths() > 0 { THRESHOLDS.into_iter().filter(is_reached).collect() } else { Vec::new() }
    }
}

/// The totals for which a decision about an addition is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The least total. None: any.
    pub at_least: Option<Quantity>,
    /// The total must be less than this. None: any.
    pub below: Option<Quantity>,
}

impl Bounds {
    fn lower(&mut self, below: i128) {
        let below = Quantity::from_millionths(below);
        self.below = Some(self.below.map_or(below, |before| before.min(below)));
    }

    /// Limits the totals to those that a request fits.
    pub fn fit(&mut self, request: &Request) {
        if let Some(limit) = request.quota.limit.filter(|_| request.requested.millionths() > 0) {
            self.lower(i128::from(limit) * MILLION - request.added.millionths() + 1);
        }
    }

    /// Limits the totals to those that do not reach a further threshold. `known` were reported, or are reported now.
    pub fn stay_below_thresholds(&mut self, request: &Request, added: Quantity, known: &[i64]) {
        if added.millionths() <= 0 {
            return;
        }
        for threshold in THRESHOLDS.into_iter().filter(|threshold| !known.contains(threshold)) {
            if let Some(mark) = request.mark(threshold) {
                self.lower(mark - added.millionths());
            }
        }
    }

    /// Limits the totals to this one: an event contains it.
    pub fn pin(&mut self, used: Quantity) {
        self.at_least = Some(used);
        self.lower(used.millionths() + 1);
    }
}

/// The sum of the events in a span.
pub fn added(events: &[&UsageEvent], span: TimeSpan) -> Quantity {
    let within = events.iter().filter(|event| span.contains(event.at));
    Quantity::from_millionths(within.map(|event| i128::from(event.value.millionths())).sum())
}

/// A threshold that was reached. It serializes as the data of its event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct ThresholdReached {
    pub id: SubscriptionId,
    pub feature: FeatureKey,
    pub meter: MeterId,
    pub threshold: i64,
    pub value: i64,
    pub used: Quantity,
    pub period_start: Option<Time>,
    pub period_end: Option<Time>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entitlements::tests::{billed, external};
    use crate::features::tests::feature;
    use crate::plans::tests::instant;
    use crate::usage::{UsageEventId, UsageValue};
    use proptest::prelude::*;

    fn units(units: i128) -> Quantity {
        Quantity::from_millionths(units * MILLION)
    }

    fn event(at: &str, value: i64) -> UsageEvent {
        let feature = feature("calls", FeatureKind::Quota);
        UsageEvent {
            subscription_id: external(1, "2026-05-01T00:00:00Z").id,
            id: UsageEventId::parse("e").unwrap(),
            meter_id: feature.meter_id.unwrap(),
            at: instant(at),
            value: UsageValue::from_millionths(value * 1_000_000).unwrap(),
            key: None,
        }
    }

    fn request(limit: Option<i64>, requested: i128) -> Request {
        let feature = feature("calls", FeatureKind::Quota);
        let quota = Quota { feature_id: feature.id, key: feature.key, period: QuotaPeriod::Ever, limit };
        Request { quota, period: Period::ENDLESS, requested: units(requested), added: units(requested) }
    }

    #[test]
    fn without_access_every_quota_is_0_and_without_a_value_there_is_none() {
        let features = [feature("calls", FeatureKind::Quota), feature("sso", FeatureKind::Boolean)];
        let meter = features[0].meter_id.unwrap();
        let mut subscription = Terms::from(&external(1, "2026-05-01T00:00:00Z"));
        let now = instant("2026-05-10T00:00:00Z");
        let plan = Grants::from_stored(r#"{"calls":100,"sso":true}"#).unwrap();
        let limits = |subscription: &Terms, plan: &Grants| -> Vec<Option<i64>> {
            quotas(subscription, plan, &features, meter, now).iter().map(|quota| quota.limit).collect()
        };
        assert_eq!(limits(&subscription, &plan), [Some(100)]);
        assert_eq!(limits(&subscription, &Grants::default()), []);
        subscription.entitlements = Grants::from_stored(r#"{"calls":"unlimited"}"#).unwrap();
        assert_eq!(limits(&subscription, &plan), [None]);
        subscription.is_active = false;
        assert_eq!(limits(&subscription, &plan), [Some(0)]);
        assert_eq!(limits(&subscription, &Grants::default()), [Some(0)]);
    }

    #[test]
    fn each_event_counts_in_the_period_of_its_time() {
        let subscription = Terms::from(&external(1, "2026-05-01T00:00:00Z"));
        let quota = Quota { period: QuotaPeriod::Day, ..request(Some(10), 0).quota };
        let events = [
            event("2026-05-09T23:59:59.999999Z", 3),
            event("2026-05-10T00:00:00Z", 4),
            event("2026-05-10T23:00:00Z", 5),
        ];
        let found = requests(&subscription, &[quota], &events.iter().collect::<Vec<_>>());
        let sums: Vec<i128> = found.iter().map(|request| request.requested.millionths() / MILLION).collect();
        assert_eq!(sums, [3, 9]);
    }

    #[test]
    fn an_event_before_the_period_of_a_billed_subscription_is_not_refused() {
        let subscription = Terms::from(&billed(1, "2026-05-05T00:00:00Z"));
        let quota = Quota { period: QuotaPeriod::Month, ..request(Some(10), 0).quota };
        let events = [event("2026-05-04T00:00:00Z", 3), event("2026-05-05T00:00:00Z", 4)];
        let found = requests(&subscription, &[quota], &events.iter().collect::<Vec<_>>());
        assert_eq!(found.iter().map(|request| request.requested).collect::<Vec<_>>(), [units(4)]);
        assert_eq!(added(&events.iter().collect::<Vec<_>>(), found[0].period.span()), units(7));
        // Alone, it asks for nothing, and its period is still known: it can reach a threshold there.
        let quota = Quota { period: QuotaPeriod::Billing, ..request(Some(10), 0).quota };
        let found = requests(&subscription, &[quota], &[&events[0]]);
        let asked: Vec<_> = found.iter().map(|request| (request.period.to, request.requested)).collect();
        assert_eq!(asked, [(Some(instant("2026-05-05T00:00:00Z")), units(0))]);
    }

    #[test]
    fn what_cannot_be_refused_takes_room_from_the_other_events_of_the_call() {
        let subscription = Terms::from(&billed(1, "2026-05-05T00:00:00Z"));
        let quota = Quota { period: QuotaPeriod::Month, ..request(Some(10), 0).quota };
        let exceeds = |older, newer, used| {
            let events = [event("2026-05-04T00:00:00Z", older), event("2026-05-05T00:00:00Z", newer)];
            let found = requests(&subscription, std::slice::from_ref(&quota), &events.iter().collect::<Vec<_>>());
            let mut bounds = Bounds::default();
            bounds.fit(&found[0]);
            let is_within = bounds.below.is_none_or(|below| units(used) < below);
            assert_ne!(found[0].exceeds(units(used)), is_within);
            !is_within
        };
        assert!(exceeds(6, 5, 0));
        assert!(!exceeds(5, 5, 0));
        assert!(!exceeds(-5, 5, 10));
        assert!(exceeds(-4, 5, 10));
        assert!(!exceeds(99, 0, 10));
    }

    #[test]
    fn what_takes_nothing_always_fits() {
        assert!(request(Some(5), 6).exceeds(units(0)));
        assert!(!request(Some(5), 5).exceeds(units(0)));
        assert!(request(Some(5), 1).exceeds(units(5)));
        assert!(!request(Some(5), -1).exceeds(units(9)));
        assert!(!request(Some(5), 0).exceeds(units(9)));
        assert!(!request(None, 99).exceeds(units(9)));
        assert!(request(Some(0), 1).exceeds(units(-0)));
    }

    #[test]
    fn thresholds_are_reached_once_the_total_is_at_them() {
        let reached = |used, more| request(Some(10), more).reached(units(used), units(more));
        assert!(reached(0, 7).is_empty());
        assert_eq!(reached(0, 8), [80]);
        assert_eq!(reached(7, 3), [80, 100]);
        assert_eq!(reached(20, 1), [80, 100]);
        assert!(reached(20, -1).is_empty());
        assert!(request(Some(0), 1).reached(units(0), units(1)).is_empty());
        assert!(request(None, 1).reached(units(0), units(1)).is_empty());
    }

    proptest! {
        /// A decision holds for exactly the totals within its bounds.
        #[test]
        fn bounds_contain_the_totals_with_the_same_decision(
            limit in 0_i64..50, more in -5_i128..20, used in -5_i128..60, other in -5_i128..60, first: bool, second: bool,
        ) {
            let request = request(Some(limit), more);
            prop_assume!(!request.exceeds(units(used)));
            let known: Vec<i64> = [(80, first), (100, second)].iter().filter(|known| known.1).map(|known| known.0).collect();
            let news = |used: i128| {
                let reached = request.reached(units(used), units(more));
                reached.into_iter().filter(|threshold| !known.contains(threshold)).collect::<Vec<_>>()
            };
            prop_assume!(news(used).is_empty());
            let mut bounds = Bounds::default();
            bounds.fit(&request);
            bounds.stay_below_thresholds(&request, units(more), &known);
            let within = |used: i128| bounds.below.is_none_or(|below| units(used) < below);
            prop_assert!(within(used));
            prop_assert_eq!(within(other), !request.exceeds(units(other)) && news(other).is_empty());
        }
    }
}
