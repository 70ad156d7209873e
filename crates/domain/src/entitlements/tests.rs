//! The rules of entitlements on generated cases, compared with a reference, and their invariants.

use super::reference;
use super::*;
use crate::features::tests::feature;
use crate::features::{Combine, Feature, FeatureKey, FeatureKind, QuotaPeriod};
use crate::id::{SubscriptionId, UserId};
use crate::lifecycle::Known;
use crate::lifecycle::billing::BillingDraft;
use crate::number::Whole;
use crate::plans::tests::{event, instant, plan};
use crate::subscriptions::{Subscription, SubscriptionDraft};
use crate::time::Time;
use crate::usage::Quantity;
use crate::validation::ValidationErrors;
use std::sync::Arc;

const NOW: &str = "2026-05-10T12:00:00Z";

fn draft(starts_at: Time) -> SubscriptionDraft {
    let user_id = Some(UserId::new(instant(NOW), 4));
    SubscriptionDraft { user_id, starts_at: Some(starts_at), ..SubscriptionDraft::default() }
}

pub(super) fn external(number: u64, starts_at: &str) -> Subscription {
    let starts_at = instant(starts_at);
    let id = SubscriptionId::new(starts_at, number << 4);
    let errors = ValidationErrors::none();
    Subscription::create(draft(starts_at), errors, Some(&plan()), id, event(2), starts_at).unwrap()
}

pub(super) fn billed(number: u64, starts_at: &str) -> Subscription {
    let starts_at = instant(starts_at);
    let id = SubscriptionId::new(starts_at, number << 4);
    let billing =
        BillingDraft { collection: crate::lifecycle::billing::Collection::Manual.into(), ..BillingDraft::default() };
    let draft = SubscriptionDraft { billing: Some(Some(Box::new(billing))), ..draft(starts_at) };
    let errors = ValidationErrors::none();
    let known = Known { own: Some(Arc::new(plan())), ..Known::default() };
    Subscription::create_billed(draft, errors, Some(&plan()), id, event(2), starts_at, &known).unwrap()
}

fn grants(text: &str) -> Grants {
    Grants::from_stored(text).unwrap()
}

fn holding(number: u64, own: &str, plan: &str) -> Holding {
    let mut subscription = Terms::from(&external(number, "2026-05-01T00:00:00Z"));
    subscription.entitlements = grants(own);
    Holding { subscription, plan: Arc::new(grants(plan)), is_member: false }
}

fn user() -> UserId {
    UserId::new(instant(NOW), 4)
}

fn at(holdings: Vec<Holding>, features: &[Feature], usage: &Usage, now: Time) -> UserEntitlements {
    compute(user(), &Holdings::select(holdings, now), features, usage, now)
}

fn values(holdings: Vec<Holding>, features: &[Feature]) -> String {
    let found = at(holdings, features, &Usage::new(), instant(NOW));
    let values: Vec<String> = found
        .entitlements
        .iter()
        .map(|(key, found)| format!("{}={}", key.as_str(), serde_json::to_string(&found.value).unwrap()))
        .collect();
    values.join(" ")
}

#[test]
fn an_override_replaces_the_value_of_the_plan_and_can_deny() {
    let features = [feature("seats", FeatureKind::Limit), feature("sso", FeatureKind::Boolean)];
    let plan = r#"{"seats":5,"sso":true}"#;
    assert_eq!(values(vec![holding(1, "{}", plan)], &features), "seats=5 sso=true");
    assert_eq!(values(vec![holding(1, r#"{"seats":0,"sso":false}"#, plan)], &features), "seats=0 sso=false");
    assert_eq!(values(vec![holding(1, r#"{"seats":"unlimited"}"#, "{}")], &features), "seats=\"unlimited\"");
    assert_eq!(values(vec![], &features), "");
}

#[test]
fn numbers_are_multiplied_by_the_quantity_and_capped() {
    let per_unit = Feature { per_unit: true, combine: Combine::Sum, ..feature("seats", FeatureKind::Limit) };
    let mut many = holding(1, r#"{"seats":3}"#, "{}");
    many.subscription.quantity = Whole::from_stored(4);
    assert_eq!(values(vec![many.clone()], std::slice::from_ref(&per_unit)), "seats=12");
    many.subscription.entitlements = grants(r#"{"seats":9007199254740991}"#);
    assert_eq!(values(vec![many, holding(2, r#"{"seats":3}"#, "{}")], &[per_unit]), "seats=9007199254740991");
}

#[test]
fn a_feature_that_is_not_active_is_absent() {
    let inactive = Feature { is_active: false, ..feature("sso", FeatureKind::Boolean) };
    assert_eq!(values(vec![holding(1, r#"{"sso":true}"#, "{}")], &[inactive]), "");
}

#[test]
fn members_get_everything_but_seats() {
    let features = [feature("seats", FeatureKind::Limit), feature("sso", FeatureKind::Boolean)];
    let member = Holding { is_member: true, ..holding(1, "{}", r#"{"seats":5,"sso":true}"#) };
    assert_eq!(values(vec![member], &features), "sso=true");
    let member = Holding { is_member: true, ..holding(1, "{}", r#"{"seats":true}"#) };
    assert_eq!(values(vec![member], &[feature("seats", FeatureKind::Boolean)]), "");
}

#[test]
fn what_is_left_of_a_quota_is_the_sum_of_what_is_left_of_each() {
    let calls = feature("calls", FeatureKind::Quota);
    let holdings = vec![holding(1, r#"{"calls":10}"#, "{}"), holding(2, r#"{"calls":10}"#, "{}")];
    let selected = Holdings::select(holdings.clone(), instant(NOW));
    let keys = totals(&selected, std::slice::from_ref(&calls), instant(NOW));
    assert_eq!(keys.len(), 2);
    let usage: Usage =
        [(keys[0], Quantity::from_millionths(15_000_000)), (keys[1], Quantity::from_millionths(2_500_000))].into();
    let found = at(holdings, std::slice::from_ref(&calls), &usage, instant(NOW));
    let json = serde_json::to_value(&found).unwrap();
    let entitlement = &json["entitlements"]["calls"];
    assert_eq!(entitlement["value"], 20);
    assert_eq!(entitlement["used"].to_string(), "17.5");
    assert_eq!(entitlement["remaining"].to_string(), "7.5");
    assert_eq!(entitlement["resets_at"], "2026-06-01T00:00:00.000000Z");
    assert_eq!(json["valid_until"], "2026-06-01T00:00:00.000000Z");
}

#[test]
fn the_first_reason_that_applies_is_given() {
    let (calls, sso) = (feature("calls", FeatureKind::Quota), feature("sso", FeatureKind::Boolean));
    let seats = feature("seats", FeatureKind::Limit);
    let features = [calls.clone(), sso.clone(), seats.clone()];
    let reason = |holdings: Vec<Holding>, feature: &Feature, need| {
        let has_subscription = !holdings.is_empty();
        let found = at(holdings, &features, &Usage::new(), instant(NOW));
        let check = check(feature, &found, has_subscription, need);
        assert_eq!(check.allowed, check.reason.is_none());
        check.reason.map_or("allowed", Reason::as_str)
    };
    let of = |own| vec![holding(1, own, "{}")];
    assert_eq!(reason(vec![], &Feature { is_active: false, ..sso.clone() }, 1), "feature_inactive");
    assert_eq!(reason(vec![], &sso, 1), "no_subscription");
    assert_eq!(reason(of("{}"), &sso, 1), "not_granted");
    assert_eq!(reason(of(r#"{"sso":false}"#), &sso, 1), "not_granted");
    assert_eq!(reason(of(r#"{"sso":true}"#), &sso, 99), "allowed");
    assert_eq!(reason(of(r#"{"seats":0}"#), &seats, 1), "not_granted");
    assert_eq!(reason(of(r#"{"seats":5}"#), &seats, 5), "allowed");
    assert_eq!(reason(of(r#"{"seats":5}"#), &seats, 6), "limit_reached");
    assert_eq!(reason(of(r#"{"calls":5}"#), &calls, 5), "allowed");
    assert_eq!(reason(of(r#"{"calls":5}"#), &calls, 6), "limit_reached");
    assert_eq!(reason(of(r#"{"calls":"unlimited"}"#), &calls, MAX_VALUE), "allowed");
}

#[test]
fn at_most_200_of_the_newest_1000_count() {
    let many = |count: u64| (0..count).map(|number| holding(number, "{}", "{}")).collect::<Vec<_>>();
    let select = |holdings| {
        let selected = Holdings::select(holdings, instant(NOW));
        (selected.with_access.len(), selected.truncated)
    };
    assert_eq!(select(many(200)), (200, false));
    assert_eq!(select(many(201)), (200, true));
    let mut old: Vec<Holding> = many(1_001);
    for holding in &mut old[1..] {
        holding.subscription.is_active = false;
    }
    assert_eq!(select(old), (0, true), "the oldest is not considered");
    let newest = Holdings::select(many(201), instant(NOW)).with_access;
    assert_eq!(newest[0].subscription.id, holding(200, "{}", "{}").subscription.id);
}

/// A generator of cases that needs no framework: 100,000 of them take seconds.
struct Random {
    state: u64,
    /// Templates, which cost more to make than to clone.
    features: Vec<Feature>,
    subscriptions: Vec<Terms>,
}

impl Random {
    fn new(state: u64) -> Self {
        let features = KEYS.iter().zip(KINDS).map(|(key, kind)| feature(key, kind)).collect();
        let starts =
            ["2026-05-01T00:00:00Z", "2026-05-10T12:00:00Z", "2026-05-10T12:00:00.000001Z", "2025-01-31T08:00:00Z"];
        Self { state, features, subscriptions: starts.map(|start| Terms::from(&external(1, start))).to_vec() }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % bound
    }

    fn grants(&mut self) -> Grants {
        let mut grants = Vec::new();
        for (place, kind) in KINDS.into_iter().enumerate() {
            let value = match (kind, self.below(8)) {
                (_, 0..=2) => continue,
                (FeatureKind::Boolean, pick) => GrantValue::Flag(pick < 6),
                (_, 3) => GrantValue::Unlimited,
                (_, 4) => GrantValue::Number(MAX_VALUE - 1),
                (_, pick) => GrantValue::Number(i64::try_from(self.below(pick * 10)).unwrap()),
            };
            grants.push((FeatureKey::from_stored(KEYS[place].to_owned()), value));
        }
        grants.into_iter().collect()
    }

    fn feature(&mut self, place: usize) -> Feature {
        let kind = KINDS[place];
        let combines = kind.combines();
        let pick = usize::try_from(self.below(combines.len() as u64)).unwrap();
        let mut made = self.features[place].clone();
        made.combine = combines[pick];
        made.per_unit = kind != FeatureKind::Boolean && self.below(3) == 0;
        made.is_active = self.below(10) > 0;
        if kind == FeatureKind::Quota {
            made.period = Some(QuotaPeriod::ALL[usize::try_from(self.below(5)).unwrap()]);
        }
        made
    }

    fn holding(&mut self, number: u64) -> Holding {
        let pick = usize::try_from(self.below(4)).unwrap();
        let mut subscription = self.subscriptions[pick].clone();
        subscription.id = SubscriptionId::new(subscription.starts_at, number << 4);
        let ends = [
            None,
            None,
            Some("2026-05-10T12:00:00Z"),
            Some("2026-05-10T12:00:00.000001Z"),
            Some("2026-07-01T00:00:00Z"),
        ];
        let end = ends[usize::try_from(self.below(5)).unwrap()].map(instant);
        subscription.ends_at = end.filter(|end| *end >= subscription.starts_at);
        subscription.is_active = self.below(8) > 0;
        subscription.quantity = Whole::from_stored(i64::try_from(1 + self.below(4)).unwrap());
        subscription.entitlements = self.grants();
        Holding { subscription, plan: Arc::new(self.grants()), is_member: self.below(4) == 0 }
    }
}

const KEYS: [&str; 5] = ["sso", "seats", "projects", "calls", "storage"];
const KINDS: [FeatureKind; 5] =
    [FeatureKind::Boolean, FeatureKind::Limit, FeatureKind::Limit, FeatureKind::Quota, FeatureKind::Quota];

struct Case {
    features: Vec<Feature>,
    holdings: Vec<Holding>,
    usage: Usage,
}

fn case(random: &mut Random) -> Case {
    let features: Vec<Feature> = (0..KEYS.len()).map(|place| random.feature(place)).collect();
    let count = random.below(5);
    let holdings: Vec<Holding> = (0..count).map(|number| random.holding(number)).collect();
    let selected = Holdings::select(holdings.clone(), instant(NOW));
    let keys = totals(&selected, &features, instant(NOW));
    let used = |random: &mut Random| Quantity::from_millionths(i128::from(random.below(60)) * 1_000_000 - 5_000_000);
    let usage = keys.into_iter().map(|key| (key, used(random))).collect();
    Case { features, holdings, usage }
}

#[test]
fn the_rules_equal_the_reference_in_100_000_cases() {
    let mut random = Random::new(26);
    let (mut granted, mut unlimited) = (0, 0);
    for number in 0..100_000 {
        let Case { features, holdings, usage } = case(&mut random);
        let found = at(holdings.clone(), &features, &usage, instant(NOW));
        let expected = reference::entitlements(&holdings, &features, &usage, instant(NOW));
        assert_eq!(serde_json::to_value(&found.entitlements).unwrap(), expected, "case {number}");
        granted += found.entitlements.len();
        unlimited += found.entitlements.values().filter(|found| found.value == GrantValue::Unlimited).count();
    }
    assert!(granted > 100_000 && unlimited > 1_000, "the cases are too simple: {granted}, {unlimited}");
}

/// N1: the order of subscriptions does not matter. N2: another subscription lowers no value.
#[test]
fn order_does_not_matter_and_another_subscription_lowers_nothing() {
    let mut random = Random::new(7);
    for _ in 0..5_000 {
        let Case { features, holdings, usage } = case(&mut random);
        let found = at(holdings.clone(), &features, &usage, instant(NOW));
        let reversed = at(holdings.iter().rev().cloned().collect(), &features, &usage, instant(NOW));
        assert_eq!(found, reversed);
        let more = [holdings, vec![random.holding(77)]].concat();
        let after = at(more, &features, &usage, instant(NOW));
        let rank = |value: GrantValue| match value {
            GrantValue::Flag(flag) => i64::from(flag),
            GrantValue::Number(number) => number,
            GrantValue::Unlimited => i64::MAX,
        };
        for (key, before) in &found.entitlements {
            assert!(rank(after.entitlements[key].value) >= rank(before.value), "{key:?}");
        }
    }
}

/// N3: without access there is nothing, to the microsecond.
#[test]
fn at_the_end_it_is_gone_and_a_microsecond_before_it_is_there() {
    let sso = [feature("sso", FeatureKind::Boolean)];
    let mut ending = holding(1, r#"{"sso":true}"#, "{}");
    let end = instant("2026-06-01T00:00:00Z");
    ending.subscription.ends_at = Some(end);
    let found = |now| at(vec![ending.clone()], &sso, &Usage::new(), now);
    assert_eq!(found(instant("2026-05-31T23:59:59.999999Z")).entitlements.len(), 1);
    assert_eq!(found(instant(NOW)).valid_until, Some(end));
    assert_eq!((found(end).entitlements.len(), found(end).valid_until), (0, None));
    let early = instant("2026-04-01T00:00:00Z");
    let starts = ending.subscription.starts_at;
    assert_eq!((found(early).entitlements.len(), found(early).valid_until), (0, Some(starts)));
}
