//! A new billed subscription.

use crate::coupons::Duration;
use crate::currency::Currency;
use crate::entitlements::Grants;
use crate::id::{EventId, SubscriptionId};
use crate::invoices::Amount;
use crate::invoices::fees::{Price, Span};
use crate::lifecycle::Known;
use crate::lifecycle::actions::DAY;
use crate::lifecycle::bill::AppliedCoupon;
use crate::lifecycle::billing::{Billing, BillingDraft, ChangeDraft, ParkReason, PlannedChange, Quantity};
use crate::lifecycle::calendar::plus_calendar_days;
use crate::plans::Plan;
use crate::subscriptions::{Subscription, SubscriptionDraft, SubscriptionStatus};
use crate::time::Time;
use crate::validation::{Rejection, Transition, ValidationCode, ValidationErrors};

use SubscriptionStatus::{Active, Incomplete, OnTrial, Pending};

/// Days that the start may lie in the past.
const MAX_BACKDATED: i64 = 366;
/// The most days of a trial.
pub(super) const MAX_TRIAL: i64 = 730;
/// The most months between the start and the anchor.
const MAX_ANCHOR: i64 = 120;

impl Subscription {
    /// The billed subscription that a draft describes, or all its errors. `plan` is the plan that its key identifies.
    pub fn create_billed(
        mut draft: SubscriptionDraft,
        mut errors: ValidationErrors,
        plan: Option<&Plan>,
        id: SubscriptionId,
        revision: EventId,
        now: Time,
        known: &Known,
    ) -> Result<Self, Rejection> {
        let sent = draft.billing.take().flatten().map(|sent| *sent).unwrap_or_default();
        let starts_at = draft.starts_at.unwrap_or(now);
        check_times(&sent, starts_at, draft.ends_at.flatten(), now, &mut errors);
        let (Some(user_id), Some(plan)) = (draft.user_id, plan) else {
            // All other errors depend on the plan.
            return Err(errors.into());
        };
        let billing = new_billing(&sent, plan, known, starts_at, &mut errors);
        let mut created = Self {
            id,
            user_id,
            plan_id: plan.id,
            plan_version: plan.version,
            details: draft.details.clone().unwrap_or_default(),
            billing_cycle: plan.billing_cycle,
            status: Active,
            is_active: true,
            renews_at: None,
            starts_at,
            ends_at: draft.ends_at.flatten(),
            entitlements: Grants::default(),
            created_at: now,
            updated_at: now,
            organization_id: plan.organization_id,
            due_at: None,
            usage_closed_until: None,
            revision,
            billing: Some(Box::new(billing)),
            managed_by: None,
        };
        created.status = match () {
            () if starts_at > now => Pending,
            () if created.trial_ends_at().is_some() => OnTrial,
            () => Active,
        };
        if created.set_first_period(now, known).is_err() && !errors.touch("/starts_at") {
            let detail = "leaves no renewal before the year 10000";
            errors.note("/starts_at", ValidationCode::OutOfRange, detail);
        }
        let transition = created.first_status(draft.status, plan, &mut errors, now);
        created.is_active = draft.is_active.unwrap_or(created.status.is_active_by_default());
        created.check_unchanged(&draft, &mut errors);
        if !errors.is_empty() {
            return Err(errors.into());
        }
        if let Some(transition) = transition {
            return Err(Rejection::ManagedStatus(transition));
        }
        created.schedule(&known.settings);
        Ok(created)
    }

    /// The end of the first period or trial, which begins now unless the subscription is pending.
    pub(super) fn set_first_period(&mut self, now: Time, known: &Known) -> Result<(), ParkReason> {
        let starts_at = self.starts_at;
        if self.trial_ends_at().is_some() {
            self.begin_trial(starts_at);
        } else if starts_at > now {
            self.compute_period(starts_at)?;
        } else {
            self.set_period(starts_at, known)?;
        }
        if let Some(billing) = self.billing.as_mut().filter(|_| starts_at > now) {
            billing.period_start = None;
        }
        Ok(())
    }

    /// The status that the caller may choose: the computed one, or incomplete instead of active.
    fn first_status(
        &mut self,
        sent: Option<SubscriptionStatus>,
        plan: &Plan,
        errors: &mut ValidationErrors,
        now: Time,
    ) -> Option<Transition> {
        let sent = sent.filter(|sent| *sent != self.status)?;
        if (self.status, sent) != (Active, Incomplete) {
            let allowed = if self.status == Active { vec![Active, Incomplete] } else { vec![self.status] };
            let allowed = allowed.into_iter().map(SubscriptionStatus::as_str).collect();
            return Some(Transition { from: self.status.as_str(), to: sent.as_str(), allowed });
        }
        if self.renews_at.is_some_and(|end| end <= now) {
            errors.note("/status", ValidationCode::Inconsistent, "must not be incomplete if the first period is over");
        }
        if self.has_first_invoice(plan) {
            self.status = Incomplete;
            let hours = plan.settings().incomplete_hours;
            let at = self.created_at.plus_seconds(hours.get() * 3_600);
            let at = self.renews_at.map_or(at, |end| end.min(at));
            if let Some(billing) = &mut self.billing {
                billing.gives_up_at = Some(at);
            }
        }
        None
    }

    /// Whether the first period has a fee.
    fn has_first_invoice(&self, plan: &Plan) -> bool {
        let Some(billing) = self.billing.as_deref() else { return false };
        let (price, quantity) = (plan.price, self.details.quantity.get());
        let price = Price { price, quantity, currency: plan.currency };
        let fee = match self.renews_at {
            Some(end) => price.of_part(Span::between(self.starts_at, end), Span::from_micros(billing.cycle)),
            None => price.full(),
        };
        !fee.is_ok_and(Amount::is_zero)
    }

    /// What the service computes may only be sent as it computes it.
    fn check_unchanged(&self, draft: &SubscriptionDraft, errors: &mut ValidationErrors) {
        let fields = [
            ("/renews_at", draft.renews_at.is_none_or(|sent| sent == self.renews_at)),
            ("/billing_cycle", draft.billing_cycle.is_none_or(|sent| sent == self.billing_cycle)),
        ];
        for (pointer, _) in fields.into_iter().filter(|(_, is_same)| !is_same) {
            if !errors.touch(pointer) {
                errors.note(pointer, ValidationCode::ReadOnlyField, "is computed by the service; omit it");
            }
        }
    }
}

/// The bounds of the times that a create sends, which do not depend on the plan.
fn check_times(sent: &BillingDraft, starts_at: Time, ends_at: Option<Time>, now: Time, errors: &mut ValidationErrors) {
    if starts_at < now.plus_seconds(-MAX_BACKDATED * DAY) && !errors.touch("/starts_at") {
        errors.note("/starts_at", ValidationCode::OutOfRange, "must not be more than 366 days ago");
    }
    if ends_at.is_some_and(|end| end <= starts_at) && !errors.touch("/ends_at") {
        errors.note("/ends_at", ValidationCode::OutOfRange, "must be later than starts_at");
    }
    if let Some(Some(end)) = sent.trial_ends_at {
        check_trial(end, starts_at, errors);
    }
    if let Some(anchor) = sent.anchor_at {
        let (early, late) = (anchor.min(starts_at), anchor.max(starts_at));
        if early.plus_months(MAX_ANCHOR).is_some_and(|end| late > end) {
            errors.note("/billing/anchor_at", ValidationCode::OutOfRange, "must be within 10 years of starts_at");
        }
    }
    if sent.resumes_at.flatten().is_some() {
        let detail = "can be set only while the subscription is paused";
        errors.note("/billing/resumes_at", ValidationCode::Inconsistent, detail);
    }
}

/// The billing that a create describes, without what the status decides.
fn new_billing(
    sent: &BillingDraft,
    plan: &Plan,
    known: &Known,
    starts_at: Time,
    errors: &mut ValidationErrors,
) -> Billing {
    let zone = sent.time_zone.clone().unwrap_or_else(|| known.settings.time_zone.clone());
    let days = plan.settings().trial_days.get();
    let usual = || (days > 0).then(|| plus_calendar_days(starts_at, days, &zone)).flatten();
    let trial_ends_at = sent.trial_ends_at.unwrap_or_else(usual);
    if sent.anchor_at.is_some() && trial_ends_at.is_some() {
        let detail = "is the end of the trial; send trial_ends_at: null for a subscription without a trial";
        errors.note("/billing/anchor_at", ValidationCode::Inconsistent, detail);
    }
    let anchor_at = trial_ends_at.or(sent.anchor_at).unwrap_or(starts_at);
    Billing {
        collection: sent.collection.unwrap_or_default(),
        connection_id: sent.connection_id.flatten(),
        payment_method: sent.payment_method.clone().flatten(),
        trial_ends_at,
        change: planned(sent.change.as_ref().and_then(Option::as_ref), plan, known, errors),
        discount: discount(sent, Some(plan.currency), known, errors).flatten(),
        ..Billing::new(zone, anchor_at)
    }
}

/// The discount that a caller sets. None: it stays.
pub(super) fn discount(
    sent: &BillingDraft,
    currency: Option<Currency>,
    known: &Known,
    errors: &mut ValidationErrors,
) -> Option<Option<AppliedCoupon>> {
    let Some(key) = sent.coupon.as_ref()? else { return Some(None) };
    let Some(coupon) = known.coupon.as_deref().filter(|coupon| coupon.is_named(key)) else {
        // A coupon that does not exist has its error already.
        return Some(None);
    };
    if coupon.currency.is_some() && coupon.currency != currency {
        errors.note("/billing/coupon", ValidationCode::Inconsistent, "must have the currency of the plan");
    }
    let periods_left = match coupon.duration {
        Duration::Once => Some(1),
        Duration::Repeating => Some(coupon.periods.map_or(1, super::super::number::Whole::get)),
        Duration::Forever => None,
    };
    Some(Some(AppliedCoupon { coupon_id: coupon.id, periods_left }))
}

/// The bounds of the end of a trial.
pub(super) fn check_trial(end: Time, starts_at: Time, errors: &mut ValidationErrors) {
    if end <= starts_at || end > starts_at.plus_seconds(MAX_TRIAL * DAY) {
        let detail = "must be later than starts_at, by at most 730 days";
        errors.note("/billing/trial_ends_at", ValidationCode::OutOfRange, detail);
    }
}

/// The change that a caller plans for the next period. `own` is the plan of the subscription.
pub(super) fn planned(
    sent: Option<&ChangeDraft>,
    own: &Plan,
    known: &Known,
    errors: &mut ValidationErrors,
) -> Option<PlannedChange> {
    let sent = sent?;
    // A plan that does not exist has its error already.
    let next = known.next.as_deref().filter(|_| sent.plan.is_some());
    if next.is_some_and(|next| next.currency != own.currency) {
        let detail = "must have the same currency as the subscription's plan";
        errors.note("/billing/change/subscription_plan_id", ValidationCode::Inconsistent, detail);
    }
    let (plan_id, quantity): (_, Option<Quantity>) = (next.map(|next| next.id), sent.quantity);
    (plan_id.is_some() || quantity.is_some()).then_some(PlannedChange { plan_id, quantity })
}
