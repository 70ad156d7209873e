//! A subscription becomes billed, or external again.

use crate::cycle::BillingCycle;
use crate::lifecycle::Known;
use crate::lifecycle::bill::UsageState;
use crate::lifecycle::billing::{Billing, BillingDraft};
use crate::lifecycle::calendar::{Calendar, OutOfCalendar};
use crate::lifecycle::create::{discount, planned};
use crate::plans::Plan;
use crate::subscriptions::{Subscription, SubscriptionDraft, SubscriptionStatus};
use crate::time::Time;
use crate::validation::{Rejection, ValidationCode, ValidationErrors};

use SubscriptionStatus::{Active, OnTrial};

impl Subscription {
    /// The subscription after an update at `now`, whether it is billed or external. Equal to the subscription before if
    /// nothing changes. `plan` is the plan that the draft's key identifies, if it was read.
    pub fn update(
        &self,
        mut patch: SubscriptionDraft,
        plan: Option<&Plan>,
        errors: ValidationErrors,
        now: Time,
        known: &Known,
    ) -> Result<Self, Rejection> {
        match (&self.billing, patch.billing.take()) {
            (None, None | Some(None)) => self.merge(patch, plan, errors, now),
            (None, Some(Some(sent))) => self.make_billed(patch, &sent, plan, errors, now, known),
            (Some(_), Some(None)) => self.make_external(now).merge(patch, plan, errors, now),
            (Some(_), None) => self.merge_billed(&patch, None, plan, errors, now, known),
            (Some(_), Some(Some(sent))) => self.merge_billed(&patch, Some(*sent), plan, errors, now, known),
        }
    }

    /// The same subscription without billing. All other fields stay.
    fn make_external(&self, now: Time) -> Self {
        let mut external = Self { billing: None, ..self.clone() };
        external.due_at = external.access().next_change(now.max(self.updated_at));
        external
    }

    /// An external subscription with billing from now on. Other fields of the update are applied first.
    fn make_billed(
        &self,
        patch: SubscriptionDraft,
        sent: &BillingDraft,
        plan: Option<&Plan>,
        mut errors: ValidationErrors,
        now: Time,
        known: &Known,
    ) -> Result<Self, Rejection> {
        let mut after = match self.merge(patch, plan, ValidationErrors::none(), now) {
            Err(Rejection::Invalid(more)) => {
                more.iter().for_each(|error| errors.add(error.pointer.clone(), error.reason.clone()));
                return Err(errors.into());
            }
            Err(_) if !errors.is_empty() => return Err(errors.into()),
            merged => merged?,
        };
        after.check_convertible(plan, known, now, &mut errors);
        let trial_ends_at = after.renews_at.filter(|_| after.status == OnTrial);
        let zone = sent.time_zone.clone().unwrap_or_else(|| known.settings.time_zone.clone());
        let from_start = Calendar::new(&zone, after.starts_at, after.billing_cycle);
        let anchor_at = match after.renews_at {
            Some(end) if from_start.is_boundary(end) => after.starts_at,
            Some(end) => end,
            None => after.starts_at,
        };
        let fixed = [
            ("/billing/anchor_at", sent.anchor_at.is_none_or(|sent| sent == anchor_at)),
            ("/billing/trial_ends_at", sent.trial_ends_at.is_none_or(|sent| sent == trial_ends_at)),
            ("/billing/resumes_at", sent.resumes_at.flatten().is_none()),
        ];
        for (pointer, _) in fixed.into_iter().filter(|(_, is_same)| !is_same) {
            errors.note(pointer, ValidationCode::Inconsistent, "follows from the subscription; omit it");
        }
        // The plan that the subscription moves to, or the one that it has.
        let own = plan.filter(|plan| plan.id == after.plan_id).or(known.own.as_deref());
        let change =
            own.and_then(|own| planned(sent.change.as_ref().and_then(Option::as_ref), own, known, &mut errors));
        let new_discount = discount(sent, own.map(|own| own.currency), known, &mut errors).flatten();
        let mut billing = Billing {
            collection: sent.collection.unwrap_or_default(),
            connection_id: sent.connection_id.flatten(),
            payment_method: sent.payment_method.clone().flatten(),
            trial_ends_at,
            change,
            period_start: Some(now),
            is_unbilled: trial_ends_at.is_none(),
            usage: trial_ends_at.is_none().then_some(UsageState {
                from: now,
                plan_id: after.plan_id,
                version: after.plan_version,
                changes: Vec::new(),
            }),
            discount: new_discount,
            overdue_invoices: known.overdue_invoices,
            ..Billing::new(zone, anchor_at)
        };
        match Calendar::new(&billing.time_zone, anchor_at, after.billing_cycle).period(now, None) {
            Ok(period) => billing.cycle = period.cycle,
            Err(OutOfCalendar) => {
                errors.note("/renews_at", ValidationCode::OutOfRange, "must leave a renewal after it");
            }
        }
        if !errors.is_empty() {
            return Err(errors.into());
        }
        if trial_ends_at.is_none() {
            // The first window begins now. No invoice would bill an earlier event.
            after.usage_closed_until = after.usage_closed_until.max(Some(now));
        }
        after.billing = Some(Box::new(billing));
        if after.status == Active {
            after.set_status(after.status_when_active(now), now);
        }
        after.schedule(&known.settings);
        Ok(after)
    }

    fn check_convertible(&self, plan: Option<&Plan>, known: &Known, now: Time, errors: &mut ValidationErrors) {
        let mut note = |pointer: &'static str, detail: &'static str| {
            if !errors.touch(pointer) {
                errors.note(pointer, ValidationCode::Inconsistent, detail);
            }
        };
        if !matches!(self.status, Active | OnTrial) {
            note("/status", "must be active or on_trial if billing begins");
        }
        if self.starts_at > now {
            note("/starts_at", "must not be in the future if billing begins");
        }
        let is_lifetime = self.billing_cycle == BillingCycle::Lifetime;
        match self.renews_at {
            Some(_) if is_lifetime && self.status != OnTrial => note("/renews_at", "must be null for lifetime"),
            Some(end) if end <= now => note("/renews_at", "must be later than now if billing begins"),
            None if !is_lifetime || self.status == OnTrial => note("/renews_at", "is required if billing begins"),
            _ => {}
        }
        // The version is the current one of a plan that was read for this update, or the pinned one.
        let moved = plan.filter(|plan| plan.id == self.plan_id && plan.version == self.plan_version);
        let cycle = moved.map(|plan| plan.billing_cycle).or(known.pinned_cycle);
        if cycle != Some(self.billing_cycle) {
            note("/billing_cycle", "must be that of the subscription's plan version if billing begins");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lifecycle::test_support::{at, billing_patch, charged, create, known, plan_of, update};
    use crate::usage::UsageWindow;

    fn external(status: SubscriptionStatus) -> (Subscription, Known) {
        let plan = plan_of(1, "10", BillingCycle::Monthly);
        let billed = create(charged(), &plan, at("2026-04-01"));
        (Subscription { billing: None, status, ..billed }, known(&plan))
    }

    fn accepted_from(subscription: &Subscription, known: &Known) -> Time {
        let now = at("2026-04-05");
        UsageWindow::of(&update(subscription, billing_patch(charged()), None, known, now).unwrap(), now).from
    }

    #[test]
    fn usage_before_the_first_window_is_late_after_a_conversion() {
        let (subscription, known) = external(Active);
        assert_eq!(accepted_from(&subscription, &known), at("2026-04-05"));
        // What an earlier billing closed stays closed.
        let closed = Subscription { usage_closed_until: Some(at("2026-04-20")), ..subscription };
        assert_eq!(accepted_from(&closed, &known), at("2026-04-20"));
    }

    #[test]
    fn usage_of_the_whole_trial_is_accepted_after_a_conversion() {
        let (subscription, known) = external(OnTrial);
        assert_eq!(accepted_from(&subscription, &known), at("2026-04-01"));
    }
}
