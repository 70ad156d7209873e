//! Usage: events are recorded in calls of many, and reported by meter.
//!
//! A call usually commits without reading whether its events are stored already: a unique index rejects the change if one
//! is. Then the stored events are read and the call is decided again. So an event counts once, through any server.

pub(crate) mod counted;
pub(crate) mod figures;
mod quotas;

use crate::business_time;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::entitlements;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use futures_util::future::try_join_all;
use perennial_domain::entitlements::{Holding, value_of};
use perennial_domain::features::Feature;
use perennial_domain::id::{MeterId, OrganizationId, SubscriptionId, UserId};
use perennial_domain::meters::{Aggregation, Meter, MeterKey, MeterSlug};
use perennial_domain::plans::PlanKey;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_domain::usage::{
    Aggregate, Intake, Quantity, Sent, TimeSpan, UsageDraft, UsageEventId, UsageMode, UsageWindow, sort_out,
};
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{
    self as store, Change, Violation, features, meters, plan_versions, plans, subscriptions, usage_events,
};
use quotas::Decision;
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// An event of a call, and the errors found while parsing it.
pub type ParsedEvent = (UsageDraft, ValidationErrors);

/// Records the events of a call: all that are new, or none if one of them is invalid or a quota would be exceeded. `errors`
/// are those outside of the events.
pub async fn record(
    app: &App,
    caller: &Caller,
    events: &[ParsedEvent],
    mode: UsageMode,
    errors: ValidationErrors,
) -> Result<Intake, Error> {
    let mut is_optimistic = app.optimistic.is_allowed(caller, app.clock.now());
    for _ in 0..ATTEMPTS {
        let time = business_time::read(app, caller).await?;
        let now = time.now;
        let known = References::read(app, caller.organization(), events, now).await?;
        let sent = known.resolve(events, errors.clone(), now)?;
        let mut intake = if is_optimistic { sort_out(sent.clone(), &[]) } else { Intake::default() };
        // What is late may be stored, and then is a duplicate.
        if !is_optimistic || intake.accepted.len() < sent.len() {
            is_optimistic = false;
            let keys: Vec<_> = sent.iter().map(|sent| (sent.event.subscription_id, &sent.event.id)).collect();
            let keys: Vec<(SubscriptionId, &UsageEventId)> =
                keys.into_iter().collect::<HashSet<_>>().into_iter().collect();
            let stored = usage_events::stored(&app.db, caller.organization(), &keys).await?;
            intake = sort_out(sent, &stored);
        }
        if intake.accepted.is_empty() {
            app.usage.count(&intake);
            return Ok(intake);
        }
        let effects = match quotas::decide(app, &known, &intake.accepted, mode, now).await? {
            Decision::Fits(effects) => effects,
            Decision::Opened => continue,
            // An event that is stored already does not count.
            Decision::Exceeded(_) if is_optimistic => {
                is_optimistic = false;
                continue;
            }
            Decision::Exceeded(quotas) => {
                app.usage.refuse();
                return Err(Conflict::QuotaExceeded(quotas).into());
            }
        };
        let guarded = known.subscriptions_of(&intake);
        let advanced = effects.advanced();
        let change = usage_events::insert(Change::new(), caller.organization(), &guarded, &intake.accepted, &advanced);
        let change = effects.store(app, caller, &known, change, now);
        let change = confirm(app, caller, time.guard(change)?).await?;
        match app.db.commit(change).await {
            Ok(()) => {
                app.usage.count(&intake);
                return Ok(intake);
            }
            Err(store::Error::Violated(Violation::UsageEvent)) => {
                if let Some(client) = caller.client_key().filter(|_| is_optimistic) {
                    app.optimistic.back_off(client, app.clock.now());
                }
                is_optimistic = false;
            }
            Err(store::Error::Violated(
                Violation::Subscription
                | Violation::Record
                | Violation::Plan
                | Violation::UsageTotal
                | Violation::Clock,
            )) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// The meters that the plan of a billed subscription has a charge for, in the version of the subscription.
async fn charged_meters(app: &App, subscription: &Subscription) -> Result<Vec<MeterId>, Error> {
    let organization = subscription.organization_id;
    if subscription.billing.is_none() {
        return Ok(Vec::new());
    }
    let Some(plan) = plans::find(&app.db, organization, &PlanKey::Id(subscription.plan_id)).await? else {
        return Ok(Vec::new());
    };
    let charges = if plan.version == subscription.plan_version {
        plan.charges().to_vec()
    } else {
        let replaced = plan_versions::by_number(&app.db, &plan, subscription.plan_version).await?;
        replaced.map(|version| version.charges).unwrap_or_default()
    };
    Ok(charges.iter().map(|charge| charge.meter_id).collect())
}

/// The records that the events of a call name.
struct References {
    meters: HashMap<MeterKey, Meter>,
    subscriptions: HashMap<SubscriptionId, Subscription>,
    /// The features of the organization.
    features: Vec<Feature>,
    /// The one subscription of a user that has access and a quota or a charge for a meter. None: there is none, or there are several.
    users: HashMap<(UserId, MeterId), Option<SubscriptionId>>,
}

impl References {
    async fn read(app: &App, organization: OrganizationId, events: &[ParsedEvent], now: Time) -> Result<Self, Error> {
        let keys: HashSet<&MeterKey> = events.iter().filter_map(|(draft, _)| draft.meter.as_ref()).collect();
        let find =
            async |key: &MeterKey| Ok::<_, Error>((key.clone(), meters::find(&app.db, organization, key).await?));
        let meters = try_join_all(keys.into_iter().map(find)).await?;
        let meters = meters.into_iter().filter_map(|(key, meter)| Some((key, meter?)));
        let ids: HashSet<SubscriptionId> = events.iter().filter_map(|(draft, _)| draft.subscription_id).collect();
        let subscriptions = ids.into_iter().map(|id| subscriptions::by_id(&app.db, organization, id));
        let subscriptions = try_join_all(subscriptions).await?;
        let mut references = Self {
            meters: meters.collect(),
            subscriptions: subscriptions.into_iter().flatten().map(|found| (found.id, found)).collect(),
            features: features::all(&app.db, organization).await?,
            users: HashMap::new(),
        };
        let users: HashSet<UserId> = events.iter().filter_map(|(draft, _)| draft.user_id).collect();
        for user in users {
            let held = entitlements::holdings(app, organization, user, now).await?;
            let ids = held.with_access.iter().map(|held| held.subscription.id);
            let found = try_join_all(ids.map(|id| subscriptions::by_id(&app.db, organization, id))).await?;
            let mut records = HashMap::new();
            for subscription in found.into_iter().flatten() {
                let charged = charged_meters(app, &subscription).await?;
                records.insert(subscription.id, (subscription, charged));
            }
            references.add_user(user, &held.with_access, &records);
        }
        Ok(references)
    }

    /// Finds the one subscription of a user for each meter. `records` are those with access, with the meters that they are
    /// charged for.
    fn add_user(
        &mut self,
        user: UserId,
        with_access: &[Holding],
        records: &HashMap<SubscriptionId, (Subscription, Vec<MeterId>)>,
    ) {
        let meters: HashSet<MeterId> = self.meters.values().map(|meter| meter.id).collect();
        for meter in meters {
            let of_meter = |feature: &&Feature| feature.is_active && feature.meter_id == Some(meter);
            let has_quota = |held: &Holding| {
                let mut quotas = self.features.iter().filter(of_meter);
                quotas.any(|feature| value_of(feature, held).is_some())
            };
            let counts = |held: &Holding| {
                let (subscription, charged) = records.get(&held.subscription.id)?;
                (has_quota(held) || charged.contains(&meter)).then_some(subscription)
            };
            let mut found = with_access.iter().filter_map(counts);
            let only = found.next().filter(|_| found.next().is_none());
            self.users.insert((user, meter), only.map(|subscription| subscription.id));
            self.subscriptions.extend(only.map(|subscription| (subscription.id, subscription.clone())));
        }
    }

    /// The events with what they name, or all errors of the call.
    fn resolve(&self, events: &[ParsedEvent], mut errors: ValidationErrors, now: Time) -> Result<Vec<Sent>, Error> {
        let mut sent = Vec::with_capacity(events.len());
        for (index, (draft, found)) in events.iter().enumerate() {
            let mut found = found.clone();
            draft.check_owner(&mut found);
            sent.extend(self.resolve_one(draft, &mut found, now));
            for error in &found {
                errors.add(format!("/events/{index}{}", error.pointer), error.reason.clone());
            }
            errors.omit(found.omitted());
        }
        Ok(errors.into_result(sent)?)
    }

    fn resolve_one(&self, draft: &UsageDraft, errors: &mut ValidationErrors, now: Time) -> Option<Sent> {
        let meter = draft.meter.as_ref().and_then(|key| self.meters.get(key)).filter(|meter| meter.is_active);
        draft.check(meter, now, errors);
        if draft.meter.is_some() && meter.is_none() {
            errors.note("/meter", ValidationCode::NotFound, "names no active meter of this organization");
        }
        let subscription = self.subscription(draft, meter, errors);
        let (subscription, meter) = (subscription?, meter?);
        let (event, has_time) = draft.resolve(subscription.id, meter, now).filter(|_| errors.is_empty())?;
        Some(Sent { event, has_time, window: UsageWindow::of(subscription, now) })
    }

    fn subscription(
        &self,
        draft: &UsageDraft,
        meter: Option<&Meter>,
        errors: &mut ValidationErrors,
    ) -> Option<&Subscription> {
        let id = match (draft.subscription_id, draft.user_id) {
            (Some(id), _) => id,
            // Which subscription it is depends on the meter, which has its error already.
            (None, Some(user)) => match self.users.get(&(user, meter?.id)).copied().flatten() {
                Some(id) => id,
                None => {
                    let detail = "does not have exactly one subscription with access and a quota or a charge for the meter; \
                                  send subscription_id";
                    errors.note("/user_id", ValidationCode::Ambiguous, detail);
                    return None;
                }
            },
            (None, None) => return None,
        };
        let found = self.subscriptions.get(&id);
        if found.is_none() {
            errors.note("/subscription_id", ValidationCode::NotFound, "names no subscription of this organization");
        }
        found
    }

    /// The subscriptions of the events that are stored.
    fn subscriptions_of(&self, intake: &Intake) -> Vec<&Subscription> {
        let ids: HashSet<SubscriptionId> = intake.accepted.iter().map(|event| event.subscription_id).collect();
        ids.iter().filter_map(|id| self.subscriptions.get(id)).collect()
    }
}

/// What a subscription used in a span of time.
#[derive(Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Usage {
    pub from: Time,
    pub to: Time,
    pub meters: Vec<MeterUsage>,
}

/// What a meter counted.
#[derive(Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct MeterUsage {
    pub meter_id: MeterId,
    pub slug: MeterSlug,
    pub aggregation: Aggregation,
    pub quantity: Quantity,
}

/// What a subscription used in a span of time, by the slug of the meter. Inactive meters are listed if they counted
/// something.
pub async fn report(app: &App, subscription: &Subscription, span: TimeSpan) -> Result<Usage, Error> {
    let organization = subscription.organization_id;
    let meters = meters::all(&app.db, organization).await?;
    let counted = counted::counted(app, organization, subscription.id, span, meters.iter()).await?;
    let listed = meters.into_iter().filter_map(|meter| {
        let found = counted.get(&meter.id);
        let Meter { id, slug, aggregation, is_active, .. } = meter;
        let quantity = found.map(Aggregate::quantity).unwrap_or_default();
        (is_active || found.is_some()).then_some(MeterUsage { meter_id: id, slug, aggregation, quantity })
    });
    Ok(Usage { from: span.from, to: span.to, meters: listed.collect() })
}
