//! What a user sees and changes in the portal: subscriptions with their plans and prices, and payments.
//! What is offered is decided by the domain, and checked again when it is done.

use super::sessions::PortalSession;
use crate::business_time;
use crate::caller::Caller;
use crate::context::App;
use crate::cursor;
use crate::error::Error;
use crate::revision::IfMatch;
use crate::use_cases;
use crate::{payments, plans, subscriptions};
use futures_util::future::try_join_all;
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{PlanId, SubscriptionId};
use perennial_domain::lifecycle::Known;
use perennial_domain::lifecycle::billing::{Billing, BillingDraft, ChangeDraft};
use perennial_domain::money::Money;
use perennial_domain::payments::Payment;
use perennial_domain::plans::{Plan, PlanKey};
use perennial_domain::portal::{ChangeMode, PortalSettings};
use perennial_domain::portal_offers::Offers;
use perennial_domain::subscriptions::{Subscription, SubscriptionDraft, SubscriptionStatus};
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use perennial_store::plan_versions;
use perennial_store::{Page, Position};
use std::collections::HashMap;

/// The most subscriptions on a page.
const MAX_SUBSCRIPTIONS: usize = 100;
/// The most plans to choose from.
const MAX_PLANS: usize = 100;
/// The most payments on a page.
const MAX_PAYMENTS: usize = 25;

/// A subscription as the portal shows it.
pub struct Offered {
    /// The subscription.
    pub subscription: Subscription,
    /// Its plan.
    pub plan: Plan,
    /// What it costs per cycle, for one unit.
    pub price: Money,
    /// The currency of the price.
    pub currency: Currency,
    /// How often it is paid.
    pub cycle: BillingCycle,
    /// The plan of the next period, if another one is chosen.
    pub next_plan: Option<Plan>,
    /// What the user may do.
    pub offers: Offers,
}

/// A payment with the name of its plan.
pub struct Paid {
    /// The payment.
    pub payment: Payment,
    /// The name of the plan. None: the subscription was deleted just now.
    pub plan: Option<String>,
}

/// The user's subscriptions, newest first.
pub async fn list(app: &App, known: &PortalSession, settings: &PortalSettings) -> Result<Vec<Offered>, Error> {
    let caller = known.caller("");
    let query = subscriptions::Query::default();
    let found = subscriptions::page(app, &caller, None, query, None, MAX_SUBSCRIPTIONS).await?;
    let now = business_time::now(app, &caller).await?;
    let mut plans = Plans::default();
    let mut offered = Vec::with_capacity(found.items.len());
    for subscription in found.items {
        let plan = plans.find(app, known, subscription.plan_id).await?;
        let next_plan = match subscription.billing.as_deref().and_then(Billing::change_plan) {
            Some(next) => Some(plans.find(app, known, next).await?),
            None => None,
        };
        offered.push(describe(app, (subscription, plan, next_plan), settings, now).await?);
    }
    Ok(offered)
}

/// One of the user's subscriptions.
pub async fn read(
    app: &App,
    known: &PortalSession,
    settings: &PortalSettings,
    id: SubscriptionId,
) -> Result<Offered, Error> {
    let caller = known.caller("");
    let subscription = subscriptions::read(app, &caller, id).await?;
    let plan = plans::read(app, &caller, &PlanKey::Id(subscription.plan_id)).await?;
    let now = business_time::now(app, &caller).await?;
    describe(app, (subscription, plan, None), settings, now).await
}

/// Now, by the clock of the user's organization.
pub async fn now(app: &App, known: &PortalSession) -> Result<Time, Error> {
    business_time::now(app, &known.caller("")).await
}

/// The plans that a subscription can change to with its next period: active ones in its currency that renew.
pub async fn choices(app: &App, known: &PortalSession, offered: &Offered) -> Result<Vec<Plan>, Error> {
    let query = plans::Query { is_active: Some(true), ..plans::Query::default() };
    let found = plans::page(app, &known.caller(""), &query, None, MAX_PLANS).await?;
    let can_be_chosen = |plan: &Plan| {
        plan.id != offered.subscription.plan_id
            && plan.currency == offered.currency
            && plan.billing_cycle != BillingCycle::Lifetime
    };
    Ok(found.items.into_iter().filter(can_be_chosen).collect())
}

/// Sets the plan of the next period; none keeps the current plan.
pub async fn choose(
    app: &App,
    known: &PortalSession,
    settings: &PortalSettings,
    (id, plan): (SubscriptionId, Option<PlanId>),
    request_id: &str,
) -> Result<(), Error> {
    if let Some(plan) = plan {
        let offered = read(app, known, settings, id).await?;
        let choices = choices(app, known, &offered).await?;
        if !choices.iter().any(|choice| choice.id == plan) {
            return Err(Error::NotFound);
        }
    }
    change(app, known, id, request_id, |before, now| {
        let chosen = plan.map(|plan| ChangeDraft { plan: Some(PlanKey::Id(plan)), quantity: None });
        let billing = BillingDraft { change: Some(chosen), ..BillingDraft::default() };
        let billing = Some(Some(Box::new(billing)));
        let is_offered = settings.offers(before, now).change == ChangeMode::NextPeriod;
        is_offered.then(|| SubscriptionDraft { billing, ..SubscriptionDraft::default() })
    })
    .await
}

/// The instant at which access ends if the user cancels now.
pub fn end_of_access(offered: &Offered, settings: &PortalSettings, now: Time) -> Option<Time> {
    let patch = settings.cancellation(&offered.subscription, now)?;
    let cancelled = offered.subscription.update(patch, None, ValidationErrors::none(), now, &Known::default());
    cancelled.ok().and_then(|cancelled| cancelled.ends_at)
}

/// Cancels a subscription as the organization allows it.
pub async fn cancel(
    app: &App,
    known: &PortalSession,
    settings: &PortalSettings,
    id: SubscriptionId,
    request_id: &str,
) -> Result<(), Error> {
    change(app, known, id, request_id, |before, now| settings.cancellation(before, now)).await
}

/// Resumes a cancelled subscription before its end.
pub async fn resume(
    app: &App,
    known: &PortalSession,
    settings: &PortalSettings,
    id: SubscriptionId,
    request_id: &str,
) -> Result<(), Error> {
    change(app, known, id, request_id, |before, now| {
        let status = Some(SubscriptionStatus::Active);
        settings.offers(before, now).resume.then(|| SubscriptionDraft { status, ..SubscriptionDraft::default() })
    })
    .await
}

/// A page of the payments for the user's subscriptions, newest first, and the cursor of the next page.
pub async fn payments(
    app: &App,
    known: &PortalSession,
    cursor: Option<&str>,
) -> Result<(Vec<Paid>, Option<String>), Error> {
    let caller = known.caller("");
    let name = cursor::payments(caller.organization(), caller.own, &payments::Query::default());
    let (found, next) =
        cursor::list(&app.keys, &name, cursor, async |after| newest_payments(app, &caller, after).await).await?;
    let mut plans = Plans::default();
    let mut names: HashMap<SubscriptionId, Option<String>> = HashMap::new();
    let mut paid = Vec::with_capacity(found.len());
    for payment in found {
        let plan = match names.get(&payment.subscription_id) {
            Some(name) => name.clone(),
            None => {
                let name = plan_name(app, known, &mut plans, payment.subscription_id).await?;
                names.insert(payment.subscription_id, name.clone());
                name
            }
        };
        paid.push(Paid { payment, plan });
    }
    Ok((paid, next))
}

/// The list of all payments has no index by user: a page could be empty although an older one is not. Those of each subscription
/// have one.
async fn newest_payments(app: &App, caller: &Caller, after: Option<Position>) -> Result<Page<Payment>, Error> {
    let owned =
        subscriptions::page(app, caller, None, subscriptions::Query::default(), None, MAX_SUBSCRIPTIONS).await?;
    let of_subscription = async |subscription: &Subscription| {
        let query = payments::Query { subscription_id: Some(subscription.id), ..payments::Query::default() };
        payments::page(app, caller, query, after.clone(), MAX_PAYMENTS + 1).await
    };
    let pages = try_join_all(owned.items.iter().map(of_subscription)).await?;
    let mut newest: Vec<Payment> = pages.into_iter().flat_map(|page| page.items).collect();
    newest.sort_unstable_by_key(|payment| std::cmp::Reverse(payment.id));
    let has_more = newest.len() > MAX_PAYMENTS;
    newest.truncate(MAX_PAYMENTS);
    let next = newest.last().filter(|_| has_more).map(perennial_store::payments::position);
    Ok(Page { items: newest, next })
}

async fn plan_name(
    app: &App,
    known: &PortalSession,
    plans: &mut Plans,
    id: SubscriptionId,
) -> Result<Option<String>, Error> {
    match subscriptions::read(app, &known.caller(""), id).await {
        Ok(subscription) => {
            let plan = plans.find(app, known, subscription.plan_id).await?;
            Ok(Some(plan.name.as_str().to_owned()))
        }
        Err(Error::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Changes a subscription if it is offered for the record as it is when it changes. Nothing changes otherwise.
async fn change(
    app: &App,
    known: &PortalSession,
    id: SubscriptionId,
    request_id: &str,
    decide: impl Fn(&Subscription, Time) -> Option<SubscriptionDraft> + Send + Sync,
) -> Result<(), Error> {
    let caller = known.caller(request_id);
    let now = business_time::now(app, &caller).await?;
    let read_patch = |before: &Subscription| (decide(before, now).unwrap_or_default(), ValidationErrors::none());
    use_cases::update::<Subscription>(app, &caller, &id, &IfMatch::Unconditional, read_patch).await.map(drop)
}

async fn describe(
    app: &App,
    (subscription, plan, next_plan): (Subscription, Plan, Option<Plan>),
    settings: &PortalSettings,
    now: Time,
) -> Result<Offered, Error> {
    let offers = settings.offers(&subscription, now);
    let (price, currency, cycle) = if subscription.plan_version == plan.version {
        (plan.price, plan.currency, plan.billing_cycle)
    } else {
        let above = subscription.plan_version.get() + 1;
        let found = plan_versions::below(&app.db, &plan, above, 1).await?;
        let replaced = found.into_iter().find(|replaced| replaced.version == subscription.plan_version);
        replaced.map_or((plan.price, plan.currency, plan.billing_cycle), |old| {
            (old.price, plan.currency, old.billing_cycle)
        })
    };
    Ok(Offered { subscription, plan, price, currency, cycle, next_plan, offers })
}

/// The plans that were read for a page.
#[derive(Default)]
struct Plans(HashMap<PlanId, Plan>);

impl Plans {
    async fn find(&mut self, app: &App, known: &PortalSession, id: PlanId) -> Result<Plan, Error> {
        if let Some(plan) = self.0.get(&id) {
            return Ok(plan.clone());
        }
        let plan = plans::read(app, &known.caller(""), &PlanKey::Id(id)).await?;
        self.0.insert(id, plan.clone());
        Ok(plan)
    }
}
