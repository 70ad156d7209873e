//! What a caller may change of a billed subscription.
//!
//! A field that is sent back unchanged is no change. All validation errors are collected before a conflict is reported.

use crate::lifecycle::Known;
use crate::lifecycle::billing::{BillingDraft, ParkReason};
use crate::lifecycle::change::MAX_PLAN_CHANGES;
use crate::lifecycle::create::{check_trial, discount, planned};
use crate::organizations::billing::OrganizationBilling;
use crate::plans::Plan;
use crate::subscriptions::{Subscription, SubscriptionDraft, SubscriptionStatus, check};
use crate::time::Time;
use crate::validation::{Rejection, Transition, ValidationCode, ValidationErrors};

use SubscriptionStatus::{Active, Cancelled, Expired, OnTrial, PastDue, Paused, Pending};

impl Subscription {
    /// The billed subscription after an update at `now`.
    pub(super) fn merge_billed(
        &self,
        patch: &SubscriptionDraft,
        sent: Option<BillingDraft>,
        plan: Option<&Plan>,
        mut errors: ValidationErrors,
        now: Time,
        known: &Known,
    ) -> Result<Self, Rejection> {
        let retries = sent.is_some();
        let sent = sent.unwrap_or_default();
        let mut after = self.clone();
        after.take_bills();
        self.check_fixed(patch, &sent, &mut errors);
        if let Some(details) = patch.details.clone() {
            after.details = details;
        }
        let plan = plan.filter(|plan| plan.id != self.plan_id);
        let status = patch.status.filter(|status| *status != self.status);
        self.check_change(&after, plan, status, known, &mut errors);
        after.set_billing(&sent, status, retries, now, known, &mut errors);
        if let Some(ends_at) = patch.ends_at.filter(|ends_at| *ends_at != self.ends_at) {
            self.check_end(ends_at, status, now, &mut errors);
            after.ends_at = ends_at;
        }
        after.move_trial(&sent, status, now, &mut errors);
        self.check_with_conflicts(patch, status, after.renews_at, now, &mut errors);
        if !errors.is_empty() {
            return Err(errors.into());
        }
        if let Some(status) = status.filter(|status| !self.allowed().contains(status)) {
            return Err(Rejection::ManagedStatus(self.transition(status)));
        }
        after.apply_plan(self, plan, &sent, now, known)?;
        if let Some(status) = status {
            let is_end_sent = patch.ends_at.is_some();
            after.apply_status(status, is_end_sent, now, known).map_err(|reason| impossible(reason, "/status"))?;
            if status == Expired && sent.prorate == Some(true) {
                after.bill_credit(self, now);
            }
        }
        set(&mut after.is_active, patch.is_active);
        let is_end_decided = status.is_some() || patch.ends_at.is_some();
        let is_end_new = patch.ends_at.is_some_and(|ends_at| ends_at != self.ends_at);
        after.check_result(is_end_decided, is_end_new, now, &mut errors);
        if !errors.is_empty() {
            return Err(errors.into());
        }
        if after != *self {
            after.schedule(&known.settings);
        }
        Ok(after)
    }

    /// The statuses that a caller may send now.
    pub(crate) fn allowed(&self) -> &'static [SubscriptionStatus] {
        match self.status {
            OnTrial => &[Active, Paused, Cancelled, Expired],
            Active | PastDue => &[Paused, Cancelled, Expired],
            Paused | Cancelled => &[Active, Expired],
            Expired => &[],
            _ => &[Expired],
        }
    }

    fn transition(&self, to: SubscriptionStatus) -> Transition {
        let allowed = self.allowed().iter().map(|status| status.as_str()).collect();
        Transition { from: self.status.as_str(), to: to.as_str(), allowed }
    }

    /// Fields that can only be sent back unchanged.
    fn check_fixed(&self, patch: &SubscriptionDraft, sent: &BillingDraft, errors: &mut ValidationErrors) {
        let billing = self.billing.as_deref();
        let fields = [
            ("/user_id", patch.user_id.is_none_or(|sent| sent == self.user_id)),
            ("/plan_version", patch.plan_version.is_none_or(|sent| sent == self.plan_version)),
            ("/billing_cycle", patch.billing_cycle.is_none_or(|sent| sent == self.billing_cycle)),
            ("/renews_at", patch.renews_at.is_none_or(|sent| sent == self.renews_at)),
            ("/starts_at", patch.starts_at.is_none_or(|sent| sent == self.starts_at)),
            (
                "/billing/time_zone",
                sent.time_zone.as_ref().is_none_or(|sent| Some(sent) == billing.map(|b| &b.time_zone)),
            ),
            ("/billing/anchor_at", sent.anchor_at.is_none_or(|sent| Some(sent) == billing.map(|b| b.anchor_at))),
        ];
        for (pointer, _) in fields.into_iter().filter(|(_, is_same)| !is_same) {
            let detail = "cannot be changed while the subscription is billed; omit it or send it unchanged";
            errors.note(pointer, ValidationCode::ReadOnlyField, detail);
        }
    }

    /// The rules of a plan or quantity that acts now.
    fn check_change(
        &self,
        after: &Self,
        plan: Option<&Plan>,
        status: Option<SubscriptionStatus>,
        known: &Known,
        errors: &mut ValidationErrors,
    ) {
        let is_changed = plan.is_some() || after.details.quantity != self.details.quantity;
        if is_changed && status.is_some() {
            errors.note("/status", ValidationCode::Inconsistent, "must not be sent with another plan or quantity");
        }
        if let (Some(plan), Some(own)) = (plan, &known.own)
            && plan.currency != own.currency
        {
            let detail = "must have the same currency as the subscription's plan";
            errors.note("/subscription_plan_id", ValidationCode::Inconsistent, detail);
        }
    }

    fn set_billing(
        &mut self,
        sent: &BillingDraft,
        status: Option<SubscriptionStatus>,
        retries: bool,
        now: Time,
        known: &Known,
        errors: &mut ValidationErrors,
    ) {
        let is_paused = status.unwrap_or(self.status) == Paused;
        let Some(billing) = &mut self.billing else { return };
        if retries {
            billing.parked = None;
        }
        set(&mut billing.collection, sent.collection);
        set(&mut billing.connection_id, sent.connection_id);
        set(&mut billing.payment_method, sent.payment_method.clone());
        let currency = known.own.as_deref().map(|own| own.currency);
        set(&mut billing.discount, discount(sent, currency, known, errors));
        if let Some(change) = &sent.change {
            billing.change = match &known.own {
                Some(own) => planned(change.as_ref(), own, known, errors),
                None => None,
            };
        }
        if let Some(resumes_at) = sent.resumes_at.filter(|sent| *sent != billing.resumes_at) {
            check_resume(resumes_at, is_paused, now, errors);
            billing.resumes_at = resumes_at;
        }
    }

    fn check_end(
        &self,
        ends_at: Option<Time>,
        status: Option<SubscriptionStatus>,
        now: Time,
        errors: &mut ValidationErrors,
    ) {
        if self.status == Expired {
            errors.note(
                "/ends_at",
                ValidationCode::Inconsistent,
                "cannot be changed after the subscription has expired",
            );
        } else if status.unwrap_or(self.status) != Cancelled
            && ends_at.is_some_and(|end| end <= now || end <= self.starts_at)
        {
            errors.note("/ends_at", ValidationCode::OutOfRange, "must be later than now and than starts_at");
        }
    }

    /// The rules of the result that do not depend on whether the update is allowed.
    fn check_with_conflicts(
        &self,
        patch: &SubscriptionDraft,
        status: Option<SubscriptionStatus>,
        renews_at: Option<Time>,
        now: Time,
        errors: &mut ValidationErrors,
    ) {
        let new_end = patch.ends_at.filter(|ends_at| status.is_some() || *ends_at != self.ends_at);
        if status.unwrap_or(self.status) == Cancelled
            && let Some(ends_at) = new_end
            && ends_at.is_none_or(|end| end <= now || renews_at.is_some_and(|renews_at| end > renews_at))
        {
            note_cancelled_end(renews_at, errors);
        }
        if self.status == Expired {
            let is_active = patch.is_active.unwrap_or(self.is_active);
            check(self.status, is_active, self.starts_at, None, None, errors);
        }
    }

    /// Moves the end of the trial. The end of the period and the anchor follow it.
    fn move_trial(
        &mut self,
        sent: &BillingDraft,
        status: Option<SubscriptionStatus>,
        now: Time,
        errors: &mut ValidationErrors,
    ) {
        let pointer = "/billing/trial_ends_at";
        let before = self.trial_ends_at();
        let Some(end) = sent.trial_ends_at.filter(|sent| *sent != before) else { return };
        match (self.status, end) {
            (Pending | OnTrial, _) if status.is_some() => {
                errors.note(pointer, ValidationCode::Inconsistent, "must not be sent with another status");
            }
            (Pending, None) => {}
            (OnTrial, None) => {
                errors.note(pointer, ValidationCode::Inconsistent, "can be null only before the trial begins");
            }
            (Pending | OnTrial, Some(end)) if end <= now => {
                errors.note(pointer, ValidationCode::OutOfRange, "must be later than now");
            }
            (Pending | OnTrial, Some(end)) => check_trial(end, self.starts_at, errors),
            _ => {
                let detail = "can be changed only before or during the trial";
                errors.note(pointer, ValidationCode::ReadOnlyField, detail);
            }
        }
        let Some(billing) = self.billing.as_mut().filter(|_| errors.is_empty()) else { return };
        billing.trial_ends_at = end;
        billing.anchor_at = end.unwrap_or(self.starts_at);
        if self.status == OnTrial {
            self.renews_at = end;
        }
    }

    /// Applies a plan or quantity that acts now. The pending change ends with it, unless a new one was sent.
    fn apply_plan(
        &mut self,
        before: &Self,
        plan: Option<&Plan>,
        sent: &BillingDraft,
        now: Time,
        known: &Known,
    ) -> Result<(), Rejection> {
        let is_change_sent = sent.change.is_some();
        let is_changed = plan.is_some() || self.details.quantity != before.details.quantity;
        if is_changed && !before.takes_changes() {
            return Err(Rejection::ChangeNotAllowed(before.status.as_str()));
        }
        if let Some(billing) = self.billing.as_mut().filter(|_| is_changed && !is_change_sent) {
            billing.change = None;
        }
        if let Some(plan) = plan {
            let made = self.billing.as_deref().map_or(0, |billing| billing.plan_changes);
            if made >= MAX_PLAN_CHANGES && matches!(self.status, Active | PastDue) {
                return Err(Rejection::TooManyChanges);
            }
            self.move_to_plan(plan, now, known).map_err(|reason| impossible(reason, "/subscription_plan_id"))?;
        }
        if is_changed {
            self.bill_change(before, sent.prorate.unwrap_or(true), now);
        }
        if plan.is_some() {
            return Ok(());
        }
        // The first period has not begun: its end follows the fields that were sent.
        if self.status == Pending && *self != *before {
            self.set_first_period(now, known).map_err(|reason| impossible(reason, "/ends_at"))?;
        }
        Ok(())
    }

    fn apply_status(
        &mut self,
        status: SubscriptionStatus,
        is_end_sent: bool,
        now: Time,
        known: &Known,
    ) -> Result<(), ParkReason> {
        match (self.status, status) {
            (OnTrial, Active) => {
                if let Some(billing) = &mut self.billing {
                    billing.trial_ends_at = Some(now);
                }
                self.begin_period_after_trial(now, known)
            }
            (Paused, Active) => self.resume(now, known),
            (Cancelled, Active) => {
                if !is_end_sent {
                    self.ends_at = None;
                }
                self.set_status(self.status_when_active(now), now);
                Ok(())
            }
            (_, Paused) => {
                self.set_status(Paused, now);
                if let Some(billing) = &mut self.billing {
                    billing.paused_at = Some(now);
                }
                Ok(())
            }
            (_, Cancelled) => {
                self.set_status(Cancelled, now);
                if !is_end_sent {
                    let end = self.renews_at.unwrap_or(now);
                    self.ends_at = Some(self.ends_at.map_or(end, |stored| stored.min(end)));
                }
                Ok(())
            }
            _ => {
                self.expire(now, known);
                Ok(())
            }
        }
    }

    /// The rules between the fields of the result.
    fn check_result(&self, is_end_decided: bool, is_end_new: bool, now: Time, errors: &mut ValidationErrors) {
        if self.status == Cancelled && is_end_decided {
            let is_in_period = match (self.ends_at, self.renews_at) {
                (None, _) => false,
                // A lifetime subscription that is cancelled ends now.
                (Some(end), None) => end > now || (end == now && !is_end_new),
                (Some(end), Some(renews_at)) => end > now && end <= renews_at,
            };
            if !is_in_period {
                note_cancelled_end(self.renews_at, errors);
            }
        }
        check(self.status, self.is_active, self.starts_at, None, None, errors);
    }

    /// The subscription of a user that is erased at `now`: cancelled, so that the engine ends it.
    #[must_use]
    pub fn cancel_for_erasure(&self, now: Time) -> Self {
        let mut after = self.clone();
        let ends_at = now.max(self.starts_at);
        after.set_status(Cancelled, now);
        after.ends_at = Some(ends_at);
        // A cancelled subscription grants access by default, but an end takes away only what was granted before. If the stored end is
        // late, access has ended without an event, which the engine writes with this end.
        after.is_active &= self.had_access(self.ends_at.map_or(ends_at, |stored| stored.min(ends_at)));
        if let Some(billing) = &mut after.billing {
            (billing.paused_at, billing.resumes_at, billing.parked) = (None, None, None);
        }
        // No renewal follows, so that no setting matters.
        after.schedule(&OrganizationBilling::default());
        after
    }
}

fn note_cancelled_end(renews_at: Option<Time>, errors: &mut ValidationErrors) {
    let detail = match renews_at {
        None => "must be later than now if the status is cancelled",
        Some(_) => "must be later than now and not after renews_at if the status is cancelled",
    };
    if !errors.touch("/ends_at") {
        errors.note("/ends_at", ValidationCode::Inconsistent, detail);
    }
}

fn check_resume(resumes_at: Option<Time>, is_paused: bool, now: Time, errors: &mut ValidationErrors) {
    let pointer = "/billing/resumes_at";
    match resumes_at {
        Some(_) if !is_paused => {
            errors.note(pointer, ValidationCode::Inconsistent, "can be set only while the subscription is paused");
        }
        Some(at) if at <= now => errors.note(pointer, ValidationCode::OutOfRange, "must be later than now"),
        _ => {}
    }
}

/// An update that the calendar or a missing plan makes impossible.
fn impossible(reason: ParkReason, pointer: &'static str) -> Rejection {
    let mut errors = ValidationErrors::none();
    match reason {
        ParkReason::MissingPlan => {
            errors.note(pointer, ValidationCode::Inconsistent, "needs a plan that does not exist");
        }
        _ => errors.note(pointer, ValidationCode::OutOfRange, "leaves no renewal before the year 10000"),
    }
    errors.into()
}

fn set<T>(field: &mut T, sent: Option<T>) {
    if let Some(sent) = sent {
        *field = sent;
    }
}
