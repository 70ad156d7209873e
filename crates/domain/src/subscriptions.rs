//! Subscriptions: a user, a plan, and the state between the two.
//! Access is computed from the record and the time on each request; it is never stored.

mod status;

pub use status::SubscriptionStatus;

use crate::cycle::BillingCycle;
use crate::entitlements::{Grants, GrantsDraft};
use crate::id::{ConnectionId, EventId, OrganizationId, PlanId, SubscriptionId, UserId};
use crate::lifecycle::billing::{Billing, BillingDraft};
use crate::number::Whole;
use crate::plans::{Plan, PlanKey, Version, set};
use crate::text::Line;
use crate::time::Time;
use crate::validation::{Rejection, Transition, ValidationCode, ValidationErrors};

/// A subscription's id in another system, unique among the organization's live subscriptions.
pub type ExternalSubscriptionId = Line<1, 255>;

/// A subscription. It serializes as the record in an event; a response adds whether it grants access.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Subscription {
    pub id: SubscriptionId,
    pub user_id: UserId,
    #[serde(rename = "subscription_plan_id")]
    pub plan_id: PlanId,
    /// The version of the plan when the subscription was created or moved to it.
    pub plan_version: Version,
    #[serde(flatten)]
    pub details: SubscriptionDetails,
    pub billing_cycle: BillingCycle,
    pub status: SubscriptionStatus,
    pub is_active: bool,
    pub renews_at: Option<Time>,
    pub starts_at: Time,
    pub ends_at: Option<Time>,
    /// None: the subscription is external, and other systems renew it.
    pub billing: Option<Box<Billing>>,
    /// Values of features that replace those of the plan.
    pub entitlements: Grants,
    /// The connection to a payment provider that the subscription follows.
    pub managed_by: Option<ConnectionId>,
    pub created_at: Time,
    pub updated_at: Time,
    #[serde(skip)]
    pub organization_id: OrganizationId,
    /// When the engine works on it next: at its next action or, without billing, when access changes by the clock alone.
    #[serde(skip)]
    pub due_at: Option<Time>,
    /// The end of the last window whose usage is billed: no event before it is accepted.
    #[serde(skip)]
    pub usage_closed_until: Option<Time>,
    /// Its last event.
    #[serde(skip)]
    pub revision: EventId,
}

/// The fields of a subscription that callers set freely: no rule between fields depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct SubscriptionDetails {
    pub external_subscription_id: Option<ExternalSubscriptionId>,
    pub quantity: Whole<1, 1_000_000>,
}

/// The fields of a create or an update; an omitted or invalid field is `None`, a cleared one `Some(None)`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct SubscriptionDraft {
    pub user_id: Option<UserId>,
    pub plan: Option<PlanKey>,
    /// Only in an update: the version that the subscription has, or the plan's current one.
    pub plan_version: Option<Version>,
    /// All details; in an update those that were not sent are as before.
    pub details: Option<SubscriptionDetails>,
    pub billing_cycle: Option<BillingCycle>,
    pub status: Option<SubscriptionStatus>,
    pub is_active: Option<bool>,
    pub renews_at: Option<Option<Time>>,
    pub starts_at: Option<Time>,
    pub ends_at: Option<Option<Time>>,
    pub billing: Option<Option<Box<BillingDraft>>>,
    /// Grants as they were sent. The use case checks them and sets the result, because they depend on the features.
    pub entitlements: Option<GrantsDraft>,
}

/// What access depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether the subscription is active.
    pub is_active: bool,
    /// Its status.
    pub status: SubscriptionStatus,
    /// When it starts.
    pub starts_at: Time,
    /// When it ends.
    pub ends_at: Option<Time>,
}

impl Access {
    /// Whether the user may use what was paid for at `now`.
    pub fn is_granted(self, now: Time) -> bool {
        let not_over = match self.ends_at {
            Some(end) => now < end,
            None => self.status != SubscriptionStatus::Cancelled,
        };
        self.is_active && self.status.is_active_by_default() && self.starts_at <= now && not_over
    }

    /// The first instant after this one at which access changes by the clock alone.
    pub fn next_change(self, after: Time) -> Option<Time> {
        let instants = [Some(self.starts_at), self.ends_at].into_iter().flatten();
        let changes = |instant: &Time| *instant > after && self.is_granted(*instant) != self.is_granted(after);
        instants.filter(changes).min()
    }
}

impl Subscription {
    /// The external subscription that a draft describes, or all its errors. `errors` are those found while parsing the draft;
    /// `plan` is the plan that its key identifies, if there is one.
    pub fn create(
        draft: SubscriptionDraft,
        mut errors: ValidationErrors,
        plan: Option<&Plan>,
        id: SubscriptionId,
        revision: EventId,
        now: Time,
    ) -> Result<Self, ValidationErrors> {
        let status = draft.status.unwrap_or(SubscriptionStatus::Active);
        let starts_at = draft.starts_at.unwrap_or(now);
        let cycle = draft.billing_cycle.or(plan.map(|plan| plan.billing_cycle));
        let renews_at = draft.renews_at.unwrap_or_else(|| cycle.and_then(|cycle| cycle.renewal(starts_at, 1)));
        if draft.renews_at.is_none()
            && renews_at.is_none()
            && cycle.is_some_and(|cycle| cycle != BillingCycle::Lifetime)
            && !errors.touch("/renews_at")
        {
            errors.note(
                "/starts_at",
                ValidationCode::OutOfRange,
                "leaves no renewal before the year 10000: send renews_at",
            );
        }
        let is_active = draft.is_active.unwrap_or(status.is_active_by_default());
        let ends_at = match draft.ends_at {
            // A null that was sent means null; an omitted field is filled in.
            None if status == SubscriptionStatus::Cancelled => Some(paid_until(starts_at, renews_at, now)),
            sent => sent.flatten(),
        };
        // Before the references are needed, so that all errors are reported together.
        check(status, is_active, starts_at, renews_at, ends_at, &mut errors);
        let (Some(user_id), Some(plan), Some(billing_cycle), true) = (draft.user_id, plan, cycle, errors.is_empty())
        else {
            return Err(errors);
        };
        let due_at = Access { is_active, status, starts_at, ends_at }.next_change(now);
        Ok(Self {
            id,
            user_id,
            plan_id: plan.id,
            plan_version: plan.version,
            details: draft.details.unwrap_or_default(),
            billing_cycle,
            status,
            is_active,
            renews_at,
            starts_at,
            ends_at,
            billing: None,
            entitlements: Grants::default(),
            managed_by: None,
            created_at: now,
            updated_at: now,
            organization_id: plan.organization_id,
            due_at,
            usage_closed_until: None,
            revision,
        })
    }

    /// The external subscription after an update at `now`. Equal to the subscription before if nothing changes.
    /// `plan` is the plan that the draft's key identifies, or the subscription's own if it was read.
    pub fn merge(
        &self,
        patch: SubscriptionDraft,
        plan: Option<&Plan>,
        mut errors: ValidationErrors,
        now: Time,
    ) -> Result<Self, Rejection> {
        let mut merged = self.clone();
        set(&mut merged.user_id, patch.user_id);
        if let Some(plan) = plan.filter(|plan| plan.id != self.plan_id) {
            (merged.plan_id, merged.plan_version) = (plan.id, plan.version);
        }
        merged.move_to_version(self.plan_version, patch.plan_version, plan, &mut errors);
        set(&mut merged.details, patch.details);
        set(&mut merged.billing_cycle, patch.billing_cycle);
        set(&mut merged.status, patch.status);
        set(&mut merged.renews_at, patch.renews_at);
        set(&mut merged.starts_at, patch.starts_at);
        set(&mut merged.ends_at, patch.ends_at);
        merged.is_active = match patch.is_active {
            Some(sent) => sent,
            // A value that was set explicitly stays; the default follows the status.
            None if self.is_active == self.status.is_active_by_default() && self.status != merged.status => {
                merged.status.is_active_by_default()
            }
            None => self.is_active,
        };
        if self.status != merged.status {
            merged.follow_status(self.status, patch.ends_at.is_some(), now);
        }
        check(merged.status, merged.is_active, merged.starts_at, merged.renews_at, merged.ends_at, &mut errors);
        if !errors.is_empty() {
            return Err(errors.into());
        }
        if !self.status.can_become(merged.status) {
            return Err(Rejection::Transition(Transition {
                from: self.status.as_str(),
                to: merged.status.as_str(),
                allowed: self.status.next().iter().map(|status| status.as_str()).collect(),
            }));
        }
        // Another server's clock can be ahead: what has changed by its last update does not change again.
        merged.due_at = merged.access().next_change(now.max(self.updated_at));
        Ok(merged)
    }

    /// Whether the user may use what was paid for at `now`.
    pub fn has_access(&self, now: Time) -> bool {
        self.access().is_granted(now)
    }

    /// Whether the user could use it just before an action at `instant`. A subscription that is not pending has begun: an action
    /// at the very instant of its start does not begin it a second time.
    pub fn had_access(&self, instant: Time) -> bool {
        let just_before = Time::from_micros(instant.as_micros() - 1).unwrap_or(instant);
        self.has_access(just_before.max(self.starts_at.min(instant)))
    }

    /// What access depends on.
    pub const fn access(&self) -> Access {
        let Self { is_active, status, starts_at, ends_at, .. } = *self;
        Access { is_active, status, starts_at, ends_at }
    }

    /// The subscription after the change of access that is due at `now`, apart from its revision, and whether it grants
    /// access from then on. None if nothing is due. However late it is, the value is that at the instant, and the next change
    /// is the one after it. No other field changes.
    pub fn change_access(&self, now: Time) -> Option<(Self, bool)> {
        let instant = self.due_at.filter(|due| *due <= now && self.billing.is_none())?;
        let after = Self { due_at: self.access().next_change(instant), ..self.clone() };
        Some((after, self.has_access(instant)))
    }

    /// A record can be sent back with its version. Only the plan's current version moves the subscription.
    fn move_to_version(
        &mut self,
        before: Version,
        sent: Option<Version>,
        plan: Option<&Plan>,
        errors: &mut ValidationErrors,
    ) {
        match sent {
            Some(sent) if sent == before => {}
            Some(sent) if plan.is_some_and(|plan| plan.version == sent) => self.plan_version = sent,
            Some(_) => {
                let detail = "must be the version that the subscription has, or the plan's current one";
                errors.note("/plan_version", ValidationCode::ReadOnlyField, detail);
            }
            None => {}
        }
    }

    fn follow_status(&mut self, before: SubscriptionStatus, end_was_sent: bool, now: Time) {
        match (before, self.status) {
            (_, SubscriptionStatus::Cancelled) if self.ends_at.is_none() => {
                self.ends_at = Some(paid_until(self.starts_at, self.renews_at, now));
            }
            (SubscriptionStatus::Cancelled, SubscriptionStatus::Expired) => {}
            (SubscriptionStatus::Cancelled, _) if !end_was_sent => self.ends_at = None,
            _ => {}
        }
    }
}

/// When a cancelled subscription ends: at the next renewal if there is one, otherwise now, and never before it starts.
fn paid_until(starts_at: Time, renews_at: Option<Time>, now: Time) -> Time {
    renews_at.filter(|renewal| *renewal > now).unwrap_or(now).max(starts_at)
}

/// The rules between the fields of a subscription. A field that already has an error gets no second one.
pub fn check(
    status: SubscriptionStatus,
    is_active: bool,
    starts_at: Time,
    renews_at: Option<Time>,
    ends_at: Option<Time>,
    errors: &mut ValidationErrors,
) {
    for (pointer, instant) in [("/renews_at", renews_at), ("/ends_at", ends_at)] {
        if instant.is_some_and(|instant| instant < starts_at) && !errors.touch(pointer) && !errors.touch("/starts_at") {
            errors.note(pointer, ValidationCode::Inconsistent, "must not be before starts_at");
        }
    }
    if is_active && status == SubscriptionStatus::Expired && !errors.touch("/is_active") {
        errors.note("/is_active", ValidationCode::Inconsistent, "must be false once the status is expired");
    }
}

#[cfg(test)]
mod tests;
