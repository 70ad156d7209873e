//! The records that a decision about a subscription depends on.

use crate::caller::Caller;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::features;
use crate::lifecycle::known;
use perennial_domain::connections::Connection;
use perennial_domain::coupons::{Coupon, CouponKey};
use perennial_domain::cycle::BillingCycle;
use perennial_domain::entitlements::Grants;
use perennial_domain::id::{OrganizationId, UserId};
use perennial_domain::lifecycle::Known;
use perennial_domain::lifecycle::billing::Billing;
use perennial_domain::plans::{Plan, PlanKey};
use perennial_domain::subscriptions::{Subscription, SubscriptionDraft};
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{Change, connections, coupons, invoices, plan_versions, plans, users};
use std::sync::Arc;

/// What a decision needs to know of other records.
#[derive(Default)]
pub struct References {
    /// The plan that the draft names. None: it names none, or one that does not exist.
    pub(super) plan: Option<Arc<Plan>>,
    /// What only a billed subscription depends on.
    pub(super) known: Option<Box<Known>>,
    /// The grants after those that were sent. None: none were sent.
    pub(super) grants: Option<Grants>,
    /// The coupon that the caller sets.
    pub(super) coupon: Option<Arc<Coupon>>,
    /// The connection that the caller newly names.
    pub(super) connection: Option<Box<Connection>>,
}

impl References {
    /// Those of a create.
    pub(super) async fn of_draft(
        app: &App,
        caller: &Caller,
        draft: &SubscriptionDraft,
        errors: &mut ValidationErrors,
    ) -> Result<Self, Error> {
        let plan = find_user_and_plan(app, caller, draft.user_id, draft.plan.as_ref(), errors).await?;
        let sent = draft.entitlements.as_ref();
        let grants = features::apply_grants(app, caller.organization(), None, sent, errors).await?;
        if !is_billed(draft) {
            return Ok(Self { plan, grants, ..Self::default() });
        }
        let next = find_next(app, caller.organization(), draft, errors).await?;
        let settings = known::settings(app, caller.organization()).await?;
        let coupon = find_coupon(app, caller.organization(), draft, errors).await?;
        let known = Known { settings, own: plan.clone(), next, coupon: coupon.clone(), ..Known::default() };
        let connection = find_connection(app, caller.organization(), draft, None, errors).await?;
        Ok(Self { plan, known: Some(Box::new(known)), coupon, grants, connection })
    }

    /// Those that an update changes, and those that the billing of a subscription needs.
    pub(super) async fn of_patch(
        subscription: &Subscription,
        app: &App,
        caller: &Caller,
        patch: &SubscriptionDraft,
        errors: &mut ValidationErrors,
    ) -> Result<Self, Error> {
        let user = patch.user_id.filter(|user| *user != subscription.user_id);
        let own = PlanKey::Id(subscription.plan_id);
        let other = patch.plan.as_ref().filter(|key| **key != own);
        // Another version than the stored one can only be the plan's current one.
        let is_moved = patch.plan_version.is_some_and(|version| version != subscription.plan_version);
        let plan = other.or_else(|| is_moved.then_some(&own));
        let plan = find_user_and_plan(app, caller, user, plan, errors).await?;
        let mut coupon = None;
        let known = if subscription.billing.is_some() || is_billed(patch) {
            let mut known = known(subscription, app, patch, errors).await?;
            coupon = find_coupon(app, caller.organization(), patch, errors).await?;
            known.coupon = coupon.clone().or(known.coupon);
            Some(Box::new(known))
        } else {
            None
        };
        let connection = find_connection(app, caller.organization(), patch, Some(subscription), errors).await?;
        let (stored, sent) = (Some(&subscription.entitlements), patch.entitlements.as_ref());
        let grants = features::apply_grants(app, caller.organization(), stored, sent, errors).await?;
        Ok(Self { plan, known, grants, coupon, connection })
    }

    /// Sets the grants of a record that was decided without them.
    pub(super) fn grant(&self, subscription: &mut Subscription) {
        if let Some(grants) = &self.grants {
            subscription.entitlements = grants.clone();
        }
    }

    /// Rejects a connection that does not collect. No guard repeats this: each attempt checks it again.
    pub(super) fn check_connection(&self) -> Result<(), Error> {
        match &self.connection {
            Some(connection) if !connection.collects() => Err(Conflict::CollectingDisabled(connection.id).into()),
            _ => Ok(()),
        }
    }

    /// Rejects a new change to a plan that is not active. A change that is not new is not checked again.
    pub(super) fn check_next(&self, after: &Subscription, before: Option<&Subscription>) -> Result<(), Error> {
        match self.new_next(after, before) {
            Some(next) if !next.is_active => Err(Conflict::PlanInactive.into()),
            _ => Ok(()),
        }
    }

    /// Guards the plan of a new change.
    pub(super) fn guard_next(&self, change: Change, after: &Subscription, before: Option<&Subscription>) -> Change {
        // The plan that the caller moves the subscription to has its guard already.
        let is_moved = before.is_none_or(|before| before.plan_id != after.plan_id);
        let guarded = self.plan.as_ref().map(|plan| plan.id).filter(|id| is_moved && *id == after.plan_id);
        match self.new_next(after, before).filter(|next| Some(next.id) != guarded) {
            Some(next) => plans::guard_active(change, next),
            None => change,
        }
    }

    /// The plan of a new change: one that is pending, or one that begins with the period that the same update begins.
    fn new_next(&self, after: &Subscription, before: Option<&Subscription>) -> Option<&Arc<Plan>> {
        let of = |subscription: &Subscription| subscription.billing.as_deref().and_then(Billing::change_plan);
        let next = self.known.as_ref()?.next.as_ref()?;
        let is_pending = of(after) == Some(next.id);
        let is_made = before.is_some_and(|before| before.plan_id != after.plan_id) && after.plan_id == next.id;
        Some(next).filter(|_| (is_pending || is_made) && before.and_then(of) != Some(next.id))
    }
}

fn is_billed(draft: &SubscriptionDraft) -> bool {
    matches!(draft.billing, Some(Some(_)))
}

async fn known(
    subscription: &Subscription,
    app: &App,
    patch: &SubscriptionDraft,
    errors: &mut ValidationErrors,
) -> Result<Known, Error> {
    let organization = subscription.organization_id;
    let settings = known::settings(app, organization).await?;
    let own = known::plan(app, organization, subscription.plan_id).await?;
    let is_change_sent = matches!(&patch.billing, Some(Some(billing)) if billing.change.is_some());
    let stored = subscription.billing.as_deref().and_then(Billing::change_plan);
    let next = match stored {
        _ if is_change_sent => find_next(app, organization, patch, errors).await?,
        Some(id) => known::plan(app, organization, id).await?,
        None => None,
    };
    let pinned_cycle = match &own {
        Some(own) if subscription.billing.is_none() => pinned_cycle(app, own, subscription).await?,
        _ => None,
    };
    let discount = subscription.billing.as_deref().and_then(|billing| billing.discount);
    let coupon = match discount {
        Some(discount) => coupons::by_id(&app.db, organization, discount.coupon_id).await?.map(Arc::new),
        None => None,
    };
    // Invoices of an earlier billing can have been opened again.
    let overdue_invoices = match subscription.billing {
        Some(_) => 0,
        None => {
            let all = invoices::of_subscription(&app.db, organization, subscription.id).await?;
            all.iter().map(|invoice| i64::from(invoice.is_overdue())).sum()
        }
    };
    Ok(Known { settings, own, next, pinned_cycle, coupon, overdue_invoices })
}

/// The coupon that the caller sets. Adds an error if it does not exist.
async fn find_coupon(
    app: &App,
    organization: OrganizationId,
    draft: &SubscriptionDraft,
    errors: &mut ValidationErrors,
) -> Result<Option<Arc<Coupon>>, Error> {
    let Some(Some(billing)) = &draft.billing else { return Ok(None) };
    let Some(Some(key)) = &billing.coupon else { return Ok(None) };
    let found = match key {
        CouponKey::Id(id) => coupons::by_id(&app.db, organization, *id).await?,
        CouponKey::Code(code) => coupons::by_code(&app.db, organization, code).await?,
    };
    if found.is_none() {
        errors.note("/billing/coupon", ValidationCode::NotFound, "names no coupon of this organization");
    }
    Ok(found.map(Arc::new))
}

/// The connection that the caller newly names. Adds an error if it does not exist. One that is stored already is not checked
/// again, so that a removed connection does not block other changes.
async fn find_connection(
    app: &App,
    organization: OrganizationId,
    draft: &SubscriptionDraft,
    before: Option<&Subscription>,
    errors: &mut ValidationErrors,
) -> Result<Option<Box<Connection>>, Error> {
    let Some(Some(billing)) = &draft.billing else { return Ok(None) };
    let Some(Some(id)) = billing.connection_id else { return Ok(None) };
    let stored = before.and_then(|before| before.billing.as_deref()).and_then(|billing| billing.connection_id);
    if stored == Some(id) {
        return Ok(None);
    }
    let found = connections::by_id(&app.db, organization, id).await?;
    if found.is_none() {
        errors.note("/billing/connection_id", ValidationCode::NotFound, "names no connection of this organization");
    }
    Ok(found.map(Box::new))
}

/// The billing cycle of the plan version that the subscription has.
async fn pinned_cycle(app: &App, own: &Plan, subscription: &Subscription) -> Result<Option<BillingCycle>, Error> {
    if own.version == subscription.plan_version {
        return Ok(Some(own.billing_cycle));
    }
    let replaced = plan_versions::by_number(&app.db, own, subscription.plan_version).await?;
    Ok(replaced.map(|version| version.billing_cycle))
}

/// The plan that a pending change names. Adds an error if it does not exist.
async fn find_next(
    app: &App,
    organization: OrganizationId,
    draft: &SubscriptionDraft,
    errors: &mut ValidationErrors,
) -> Result<Option<Arc<Plan>>, Error> {
    let Some(Some(billing)) = &draft.billing else { return Ok(None) };
    let Some(Some(change)) = &billing.change else { return Ok(None) };
    let Some(key) = &change.plan else { return Ok(None) };
    let found = plans::find(&app.db, organization, key).await?;
    if found.is_none() {
        let pointer = "/billing/change/subscription_plan_id";
        errors.note(pointer, ValidationCode::NotFound, "names no plan of this organization");
    }
    Ok(found.map(Arc::new))
}

/// Reads the user and the plan, and adds an error for each that does not exist.
async fn find_user_and_plan(
    app: &App,
    caller: &Caller,
    user: Option<UserId>,
    plan: Option<&PlanKey>,
    errors: &mut ValidationErrors,
) -> Result<Option<Arc<Plan>>, Error> {
    let organization = caller.organization();
    let (user_exists, found_plan) = tokio::try_join!(
        async {
            match user {
                Some(user) => users::exists(&app.db, organization, user).await,
                None => Ok(true),
            }
        },
        async {
            match plan {
                Some(key) => plans::find(&app.db, organization, key).await,
                None => Ok(None),
            }
        },
    )?;
    if !user_exists {
        errors.note("/user_id", ValidationCode::NotFound, "names no user of this organization");
    }
    if plan.is_some() && found_plan.is_none() {
        errors.note("/subscription_plan_id", ValidationCode::NotFound, "names no plan of this organization");
    }
    let found_plan = found_plan.map(Arc::new);
    if let (Some(key), Some(plan)) = (plan, found_plan.as_ref().filter(|plan| plan.is_active)) {
        app.plans.put(key, plan, app.clock.now());
    }
    Ok(found_plan)
}
