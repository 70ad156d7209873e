//! A subscription as one of its events left it, reduced to what figures depend on.

use super::Value;
use super::event::RecordEvent;
use crate::currency::Currency;
use crate::cycle::BillingCycle;
use crate::events::EventKind;
use crate::id::{PlanId, UserId};
use crate::money::Money;
use crate::number::Number;
use crate::subscriptions::{Access, SubscriptionStatus};
use crate::time::Time;
use serde::Deserialize;
use std::borrow::Cow;

/// The price and the cycle of a version of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanPrice {
    /// The price of one unit.
    pub price: Money,
    /// Its currency.
    pub currency: Currency,
    /// How often it is paid.
    pub cycle: BillingCycle,
}

/// A version of a plan.
pub type PlanVersionKey = (PlanId, i64);

/// The content of an event of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// When it happened.
    pub at: Time,
    /// The user.
    pub user_id: UserId,
    /// The plan and its version.
    pub plan: PlanVersionKey,
    /// The number of units.
    pub quantity: i64,
    /// The fields that access depends on.
    pub access: Access,
    /// The status before, of a cancelled subscription, if the event has it.
    pub status_before: Option<SubscriptionStatus>,
    /// Whether the subscription was deleted.
    pub is_deleted: bool,
}

/// A subscription after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// When the event happened.
    pub at: Time,
    /// The user.
    pub user_id: UserId,
    /// The plan.
    pub plan_id: PlanId,
    /// The currency and the value; none if the version of the plan is unknown.
    pub price: Option<(Currency, Value)>,
    /// The fields that access depends on.
    pub access: Access,
    /// While cancelled: the last other status.
    pub prior: Option<SubscriptionStatus>,
    /// Whether the subscription was deleted.
    pub is_deleted: bool,
}

/// The fields of a record in an event. Earlier programs wrote neither a quantity nor a version.
#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    user_id: Cow<'a, str>,
    #[serde(borrow)]
    subscription_plan_id: Cow<'a, str>,
    #[serde(default = "one")]
    plan_version: i64,
    #[serde(default = "one")]
    quantity: i64,
    #[serde(borrow)]
    status: Cow<'a, str>,
    is_active: bool,
    #[serde(borrow)]
    starts_at: Cow<'a, str>,
    #[serde(borrow)]
    ends_at: Option<Cow<'a, str>>,
}

const fn one() -> i64 {
    1
}

/// Reads the event of a subscription; none if it cannot be read, which only an imported one can be.
pub fn read(event: &RecordEvent) -> Option<Snapshot> {
    let is_deleted = event.kind == EventKind::SubscriptionDeleted;
    let deleted = if is_deleted { event.before() } else { None };
    let record = if is_deleted { deleted.as_deref() } else { event.after.as_deref() };
    let written: Written<'_> = serde_json::from_str(record?).ok()?;
    let status = SubscriptionStatus::from_stored(&written.status)?;
    let ends_at = match &written.ends_at {
        Some(time) => Some(Time::parse(time).ok()?),
        None => None,
    };
    let status_before = if status == SubscriptionStatus::Cancelled { status_before(event) } else { None };
    Some(Snapshot {
        at: event.at,
        user_id: written.user_id.parse().ok()?,
        plan: (written.subscription_plan_id.parse().ok()?, written.plan_version),
        quantity: written.quantity,
        access: Access {
            is_active: written.is_active,
            status,
            starts_at: Time::parse(&written.starts_at).ok()?,
            ends_at,
        },
        status_before,
        is_deleted,
    })
}

fn status_before(event: &RecordEvent) -> Option<SubscriptionStatus> {
    let before = event.before()?;
    let written: Written<'_> = serde_json::from_str(&before).ok()?;
    SubscriptionStatus::from_stored(&written.status)
}

impl Snapshot {
    /// The state after this event, given the state before and the price of the plan's version.
    pub fn after(&self, before: Option<&State>, price: Option<PlanPrice>) -> State {
        let status = self.access.status;
        let prior = match before {
            _ if status != SubscriptionStatus::Cancelled => None,
            Some(before) if before.access.status == SubscriptionStatus::Cancelled => before.prior,
            Some(before) => Some(before.access.status),
            None => self.status_before.filter(|status| *status != SubscriptionStatus::Cancelled),
        };
        State {
            at: self.at,
            user_id: self.user_id,
            plan_id: self.plan.0,
            price: price.map(|plan| (plan.currency, super::value(plan.price, self.quantity, plan.cycle))),
            access: self.access,
            prior,
            is_deleted: self.is_deleted,
        }
    }
}

impl State {
    /// Whether the subscription pays at an instant. A cancelled trial is not revenue.
    pub fn pays(&self, at: Time) -> bool {
        use SubscriptionStatus::{Active, Cancelled, Incomplete, OnTrial, PastDue, Pending};
        let is_paid = match self.access.status {
            Active | PastDue => true,
            Cancelled => !matches!(self.prior, Some(OnTrial | Pending | Incomplete)),
            _ => false,
        };
        !self.is_deleted && is_paid && self.access.is_granted(at)
    }

    /// Whether the value is expected to continue.
    pub fn is_committed(&self) -> bool {
        self.access.status != SubscriptionStatus::Cancelled && self.access.ends_at.is_none()
    }

    /// Whether the subscription is over at an instant, for a trial that did not convert.
    pub fn is_over(&self, at: Time) -> bool {
        let is_ended = match self.access.status {
            SubscriptionStatus::Expired => true,
            SubscriptionStatus::Cancelled => !self.access.is_granted(at),
            _ => false,
        };
        self.is_deleted || is_ended
    }

    /// Whether both are the same apart from their time.
    pub fn equals(&self, other: &Self) -> bool {
        Self { at: other.at, ..*self } == *other
    }
}

/// The price that the event of a plan shows.
#[derive(Deserialize)]
struct WrittenPlan<'a> {
    #[serde(borrow)]
    price: &'a serde_json::value::RawValue,
    #[serde(borrow)]
    currency: Cow<'a, str>,
    #[serde(borrow)]
    billing_cycle: Cow<'a, str>,
    #[serde(default = "one")]
    version: i64,
}

/// Reads the version of a plan from its event; none if it cannot be read.
pub fn read_price(event: &RecordEvent) -> Option<(PlanVersionKey, PlanPrice)> {
    let record = event.after.clone().or_else(|| event.before())?;
    let written: WrittenPlan<'_> = serde_json::from_str(&record).ok()?;
    let price = PlanPrice {
        price: Money::parse(Number::parse(written.price.get())?).ok()?,
        currency: Currency::parse(&written.currency).ok()?,
        cycle: BillingCycle::from_stored(&written.billing_cycle)?,
    };
    Some(((PlanId::from_bytes(event.record_id), written.version), price))
}
