//! Subscriptions and plans for the tests of the lifecycle, and the engine as a loop.

use super::Known;
use super::actions::Step;
use super::billing::{BillingDraft, ChangeDraft, PaymentMethod, Quantity};
use crate::cycle::BillingCycle;
use crate::id::{PlanId, SubscriptionId, UserId};
use crate::money::Money;
use crate::number::Number;
use crate::plans::billing::{PlanBilling, TrialDays};
use crate::plans::tests::{event, instant, plan};
use crate::plans::{Plan, PlanKey, Version};
use crate::subscriptions::{Subscription, SubscriptionDraft, SubscriptionStatus};
use crate::time::Time;
use crate::validation::{Rejection, ValidationErrors};
use std::sync::Arc;

pub(super) fn at(day: &str) -> Time {
    let text = if day.len() == 10 { format!("{day}T00:00:00Z") } else { format!("{day}:00Z") };
    instant(&text)
}

pub(super) fn plan_of(number: u64, price: &str, cycle: BillingCycle) -> Plan {
    let price = Money::parse(Number::parse(price).unwrap()).unwrap();
    Plan { id: PlanId::new(instant("2026-01-01T00:00:00Z"), number << 4), price, billing_cycle: cycle, ..plan() }
}

pub(super) fn with_trial(plan: Plan, days: i64) -> Plan {
    Plan {
        billing: Some(Box::new(PlanBilling { trial_days: TrialDays::from_stored(days), ..PlanBilling::default() })),
        ..plan
    }
}

pub(super) fn known(own: &Plan) -> Known {
    Known { own: Some(Arc::new(own.clone())), pinned_cycle: Some(own.billing_cycle), ..Known::default() }
}

pub(super) fn with_next(own: &Plan, next: &Plan) -> Known {
    Known { next: Some(Arc::new(next.clone())), ..known(own) }
}

/// Billing with a payment method.
pub(super) fn charged() -> BillingDraft {
    BillingDraft { payment_method: Some(Some(PaymentMethod::parse("pm_1").unwrap())), ..BillingDraft::default() }
}

pub(super) fn draft(billing: BillingDraft) -> SubscriptionDraft {
    let user_id = Some(UserId::new(instant("2026-01-01T00:00:00Z"), 4));
    SubscriptionDraft { user_id, billing: Some(Some(Box::new(billing))), ..SubscriptionDraft::default() }
}

pub(super) fn try_create(
    draft: SubscriptionDraft,
    plan: &Plan,
    known: &Known,
    now: Time,
) -> Result<Subscription, Rejection> {
    let id = SubscriptionId::new(now, 1 << 40);
    Subscription::create_billed(draft, ValidationErrors::none(), Some(plan), id, event(1), now, known)
}

pub(super) fn create(billing: BillingDraft, plan: &Plan, now: Time) -> Subscription {
    try_create(draft(billing), plan, &known(plan), now).unwrap()
}

pub(super) fn update(
    before: &Subscription,
    patch: SubscriptionDraft,
    plan: Option<&Plan>,
    known: &Known,
    now: Time,
) -> Result<Subscription, Rejection> {
    let mut after = before.update(patch, plan, ValidationErrors::none(), now, known)?;
    if after != *before {
        after.updated_at = now;
    }
    Ok(after)
}

pub(super) fn billing_patch(billing: BillingDraft) -> SubscriptionDraft {
    SubscriptionDraft { billing: Some(Some(Box::new(billing))), ..SubscriptionDraft::default() }
}

/// Every action that is due until `now`, and the subscription after them.
pub(super) fn run(subscription: &Subscription, known: &Known, now: Time) -> (Subscription, Vec<Step>) {
    let (mut current, mut steps) = (subscription.clone(), Vec::new());
    while current.next_action().is_some_and(|(_, at)| at <= now) {
        let step = current.act(known).unwrap().unwrap();
        current = Subscription { updated_at: now, ..step.after.clone() };
        steps.push(step);
        assert!(steps.len() < 10_000, "the engine does not end");
    }
    (current, steps)
}

/// The codes and pointers of a rejection.
pub(super) fn faults(result: Result<Subscription, Rejection>) -> Vec<String> {
    match result {
        Err(Rejection::Invalid(errors)) => {
            errors.iter().map(|error| format!("{} {}", error.pointer, error.reason.code.as_str())).collect()
        }
        other => panic!("expected errors, got {other:?}"),
    }
}

pub(super) fn version(number: i64) -> Version {
    Version::from_stored(number)
}

pub(super) fn send(status: SubscriptionStatus) -> SubscriptionDraft {
    SubscriptionDraft { status: Some(status), ..SubscriptionDraft::default() }
}

pub(super) fn quantity(subscription: &Subscription, number: i64) -> SubscriptionDraft {
    let mut details = subscription.details.clone();
    details.quantity = Quantity::from_stored(number);
    SubscriptionDraft { details: Some(details), ..SubscriptionDraft::default() }
}

pub(super) fn change_to(plan: &Plan) -> SubscriptionDraft {
    let change = ChangeDraft { plan: Some(PlanKey::Id(plan.id)), quantity: None };
    billing_patch(BillingDraft { change: Some(Some(change)), ..BillingDraft::default() })
}

/// The actions and their instants to the minute.
pub(super) fn days(steps: &[Step]) -> Vec<String> {
    steps.iter().map(|step| format!("{} {}", step.action.as_str(), &step.at.to_string()[..16])).collect()
}
