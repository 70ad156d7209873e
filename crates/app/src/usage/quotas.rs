//! What the new events of a call do to quotas: whether they fit, what they add to running totals, and which thresholds they
//! reach. The rules are the pure `domain/entitlements/quota.rs`.

use super::References;
use crate::audit::json;
use crate::caller::Caller;
use crate::context::App;
use crate::error::Error;
use futures_util::future::try_join_all;
use perennial_domain::entitlements::{
    Bounds, Exceeded, Grants, Quota, Request, Terms, ThresholdReached, added, quotas, requests,
};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::features::Feature;
use perennial_domain::id::{FeatureId, MeterId, PlanId, SubscriptionId};
use perennial_domain::plans::{Plan, PlanKey};
use perennial_domain::stamp::{Stamp, Stamped};
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_domain::usage::{Quantity, TimeSpan, UsageEvent, UsageMode};
use perennial_store::usage_totals::{self, Total};
use perennial_store::{self as store, Change, Violation, events, features, plans, subscriptions};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What follows from the new events of a call.
pub(super) enum Decision {
    /// They would exceed quotas.
    Exceeded(Vec<Exceeded>),
    /// Totals were created: decide again.
    Opened,
    /// They fit.
    Fits(Effects),
}

/// What is stored in addition to the events.
#[derive(Default)]
pub(super) struct Effects {
    plans: Vec<Plan>,
    /// The meters of the call that no feature has.
    without_feature: Vec<MeterId>,
    groups: Vec<GroupEffects>,
    reached: Vec<Reached>,
}

struct GroupEffects {
    subscription: SubscriptionId,
    meter: MeterId,
    instants: (Time, Time),
    /// The number of totals that contain one of the instants between.
    totals: usize,
    additions: Vec<(TimeSpan, Quantity, Bounds)>,
}

struct Reached {
    feature: FeatureId,
    span: TimeSpan,
    data: ThresholdReached,
}

/// The new events of a subscription and a meter.
struct Group<'a> {
    subscription: &'a Subscription,
    meter: MeterId,
    events: Vec<&'a UsageEvent>,
    requests: Vec<Request>,
    totals: Vec<Total>,
}

/// Decides on the new events of a call.
pub(super) async fn decide(
    app: &App,
    known: &References,
    accepted: &[UsageEvent],
    mode: UsageMode,
    now: Time,
) -> Result<Decision, Error> {
    let has_feature: HashSet<MeterId> = known.features.iter().filter_map(|feature| feature.meter_id).collect();
    let (metered, others): (Vec<_>, Vec<_>) = accepted.iter().partition(|event| has_feature.contains(&event.meter_id));
    let without_feature: BTreeSet<MeterId> = others.into_iter().map(|event| event.meter_id).collect();
    let without_feature: Vec<MeterId> = without_feature.into_iter().collect();
    let mut by_meter: BTreeMap<(SubscriptionId, MeterId), Vec<&UsageEvent>> = BTreeMap::new();
    for event in metered {
        by_meter.entry((event.subscription_id, event.meter_id)).or_default().push(event);
    }
    if by_meter.is_empty() {
        return Ok(Decision::Fits(Effects { without_feature, ..Effects::default() }));
    }
    let plans = plans_of(app, known, by_meter.keys().map(|(subscription, _)| *subscription)).await?;
    let mut groups = Vec::with_capacity(by_meter.len());
    for ((id, meter), events) in by_meter {
        let Some(subscription) = known.subscriptions.get(&id) else { continue };
        let terms = Terms::from(subscription);
        let quotas = quotas_of(&terms, plans.get(&terms.plan_id), &known.features, meter, now);
        let requests = requests(&terms, &quotas, &events);
        groups.push(Group { subscription, meter, events, requests, totals: Vec::new() });
    }
    let read = groups.iter().map(|group| {
        let (organization, id) = (group.subscription.organization_id, group.subscription.id);
        usage_totals::overlapping(&app.db, organization, id, group.meter, group.instants())
    });
    let totals = try_join_all(read).await?;
    for (group, totals) in groups.iter_mut().zip(totals) {
        group.totals = totals;
    }
    if open_missing(app, &groups).await? {
        return Ok(Decision::Opened);
    }
    let exceeded: Vec<Exceeded> = groups.iter().flat_map(Group::exceeded).collect();
    if mode == UsageMode::Enforce && !exceeded.is_empty() {
        return Ok(Decision::Exceeded(exceeded));
    }
    let mut effects = Effects { plans: plans.into_values().collect(), without_feature, ..Effects::default() };
    for group in &groups {
        group.apply(app, mode, &mut effects).await?;
    }
    Ok(Decision::Fits(effects))
}

/// The quotas of a subscription for a meter. A plan that does not exist grants nothing.
fn quotas_of(subscription: &Terms, plan: Option<&Plan>, features: &[Feature], meter: MeterId, now: Time) -> Vec<Quota> {
    let nothing = Grants::default();
    quotas(subscription, plan.map_or(&nothing, |plan| &plan.entitlements), features, meter, now)
}

async fn plans_of(
    app: &App,
    known: &References,
    subscriptions: impl Iterator<Item = SubscriptionId>,
) -> Result<HashMap<PlanId, Plan>, Error> {
    let mut ids: Vec<(PlanId, &Subscription)> = Vec::new();
    for subscription in subscriptions.filter_map(|id| known.subscriptions.get(&id)) {
        if !ids.iter().any(|(id, _)| *id == subscription.plan_id) {
            ids.push((subscription.plan_id, subscription));
        }
    }
    let read = ids
        .into_iter()
        .map(async |(id, subscription)| plans::find(&app.db, subscription.organization_id, &PlanKey::Id(id)).await);
    let found = try_join_all(read).await?;
    Ok(found.into_iter().flatten().map(|plan| (plan.id, plan)).collect())
}

/// Creates the totals that quotas need and that do not exist, in a change of their own. True: there were some.
async fn open_missing(app: &App, groups: &[Group<'_>]) -> Result<bool, Error> {
    let mut has_opened = false;
    for group in groups {
        let mut change = Change::new();
        for request in &group.requests {
            let span = request.period.span();
            if group.total(span).is_none() {
                change = usage_totals::open(change, group.subscription, group.meter, span);
            }
        }
        if !change.is_empty() {
            match app.db.commit(change).await {
                // A subscription that was deleted is not found when the call is decided again.
                Ok(()) | Err(store::Error::Violated(Violation::Subscription)) => has_opened = true,
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(has_opened)
}

impl Group<'_> {
    /// The first and the last event.
    fn instants(&self) -> (Time, Time) {
        let times = || self.events.iter().map(|event| event.at);
        (times().min().unwrap_or(Time::MIN), times().max().unwrap_or(Time::MAX))
    }

    fn total(&self, span: TimeSpan) -> Option<Quantity> {
        self.totals.iter().find(|total| total.span == span).map(|total| total.quantity)
    }

    fn exceeded(&self) -> Vec<Exceeded> {
        let exceeded = |request: &Request| {
            let used = self.total(request.period.span()).unwrap_or_default();
            let limit = request.quota.limit.filter(|_| request.exceeds(used))?;
            Some(Exceeded {
                subscription_id: self.subscription.id,
                feature: request.quota.key.clone(),
                meter: self.meter,
                limit,
                used,
                requested: request.requested,
            })
        };
        self.requests.iter().filter_map(exceeded).collect()
    }

    /// What the events add to each total that contains one of them.
    async fn apply(&self, app: &App, mode: UsageMode, effects: &mut Effects) -> Result<(), Error> {
        let mut additions = Vec::new();
        for total in self.totals.iter().filter(|total| self.events.iter().any(|event| total.span.contains(event.at))) {
            let sum = added(&self.events, total.span);
            let mut bounds = Bounds::default();
            for request in self.requests.iter().filter(|request| request.period.span() == total.span) {
                if mode == UsageMode::Enforce {
                    bounds.fit(request);
                }
                self.report(app, request, total, sum, &mut bounds, effects).await?;
            }
            additions.push((total.span, sum, bounds));
        }
        let (subscription, meter, instants) = (self.subscription.id, self.meter, self.instants());
        effects.groups.push(GroupEffects { subscription, meter, instants, totals: self.totals.len(), additions });
        Ok(())
    }

    /// The thresholds that are reached now. What was reported is only read near a threshold.
    async fn report(
        &self,
        app: &App,
        request: &Request,
        total: &Total,
        more: Quantity,
        bounds: &mut Bounds,
        effects: &mut Effects,
    ) -> Result<(), Error> {
        let reached = request.reached(total.quantity, more);
        let (organization, id) = (self.subscription.organization_id, self.subscription.id);
        let mut known = match reached.as_slice() {
            [] => Vec::new(),
            _ => usage_totals::thresholds(&app.db, organization, id, request.quota.feature_id, total.span.from).await?,
        };
        let used = Quantity::from_millionths(total.quantity.millionths() + more.millionths());
        for threshold in reached {
            let Some(value) = request.quota.limit.filter(|_| !known.contains(&threshold)) else { continue };
            known.push(threshold);
            bounds.pin(total.quantity);
            let data = ThresholdReached {
                id,
                feature: request.quota.key.clone(),
                meter: self.meter,
                threshold,
                value,
                used,
                period_start: request.period.from,
                period_end: request.period.to,
            };
            effects.reached.push(Reached { feature: request.quota.feature_id, span: total.span, data });
        }
        bounds.stay_below_thresholds(request, more, &known);
        Ok(())
    }
}

impl Effects {
    /// The subscriptions that get a new revision, which must be guarded exclusively.
    pub(super) fn advanced(&self) -> Vec<SubscriptionId> {
        self.reached.iter().map(|reached| reached.data.id).collect()
    }

    /// Adds the guards, the totals and the events of thresholds. The subscriptions are guarded already.
    pub(super) fn store(
        &self,
        app: &App,
        caller: &Caller,
        known: &References,
        mut change: Change,
        now: Time,
    ) -> Change {
        let organization = caller.organization();
        for plan in &self.plans {
            change = plans::guard_unchanged(change, plan);
        }
        for meter in &self.without_feature {
            change = features::guard_meter_without_feature(change, organization, *meter);
        }
        for group in &self.groups {
            let GroupEffects { subscription, meter, instants, totals, additions } = group;
            change = usage_totals::guard_count(change, organization, *subscription, *meter, *instants, *totals);
            for (span, more, bounds) in additions {
                change = usage_totals::add(change, organization, *subscription, *meter, *span, (*more, *bounds));
            }
        }
        let mut last: BTreeMap<SubscriptionId, Stamp> = BTreeMap::new();
        for Reached { feature, span, data } in &self.reached {
            change = usage_totals::report(change, organization, data.id, *feature, *span, data.threshold);
            let Some(subscription) = known.subscriptions.get(&data.id) else { continue };
            // An event about a subscription is its new revision, so that its history has all of them.
            let before = last.get(&data.id).copied().unwrap_or_else(|| subscription.stamp());
            let stamp = before.next(now, app.entropy.id_bits());
            last.insert(data.id, stamp);
            let event = caller.event(EventKind::UsageThresholdReached, data.id.bytes(), stamp.revision, stamp.at);
            change = events::insert(change, &Event { after: Some(json(data)), ..event.following(before.revision) });
        }
        for (id, stamp) in last {
            if let Some(subscription) = known.subscriptions.get(&id) {
                change = subscriptions::write_advance(change, subscription, stamp.revision);
            }
        }
        change
    }
}
