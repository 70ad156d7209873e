//! The billing of a subscription: what callers set, and what the service computes.
//!
//! It is stored as one text. Fields that a statement searches by have a column: the plan of a pending change, and the
//! due time.

use crate::coupons::CouponKey;
use crate::id::{ConnectionId, CouponId, PlanId};
use crate::lifecycle::action::Action;
use crate::lifecycle::bill::{AppliedCoupon, Bills, Paying, UsageState};
use crate::lifecycle::calendar::ZoneName;
use crate::number::Whole;
use crate::plans::PlanKey;
use crate::plans::billing::words;
use crate::text::Line;
use crate::time::Time;
use crate::validation::{InvalidValue, ValidationCode};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

/// The number of units of a plan.
pub type Quantity = Whole<1, 1_000_000>;

words! {
    /// How invoices are collected.
    Collection {
        /// Charged when issued, and retried on a schedule.
        #[default]
        Automatic = "automatic",
        /// Paid by the customer until they are due.
        Manual = "manual",
    }
}

words! {
    /// Why the engine stopped working on a subscription.
    ParkReason {
        /// A date after the year 9999.
        #[default]
        OutOfRange = "out_of_range",
        /// The plan or its version does not exist.
        MissingPlan = "missing_plan",
        /// The action failed for an hour while others succeeded.
        Failing = "failing",
    }
}

/// A payment method, as your application or a provider names it. Never a card number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PaymentMethod(Line<1, 255>);

impl PaymentMethod {
    /// Parses a name. A number that can be that of a card is rejected.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let line = Line::parse(text)?;
        if is_card_number(line.as_str()) {
            let detail = "must not be a card number: send the name that your payment provider gave it";
            return Err(InvalidValue::new(ValidationCode::InvalidText, detail));
        }
        Ok(Self(line))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// 13 to 19 digits whose last is the Luhn checksum of the others, also in groups as they are printed on a card.
fn is_card_number(text: &str) -> bool {
    let number: String = text.chars().filter(|char| !matches!(char, '-' | '.') && !char.is_whitespace()).collect();
    let digits = number.bytes().rev().map(|byte| u32::from(byte.wrapping_sub(b'0')));
    let is_number = (13..=19).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    let sum: u32 = digits
        .zip(0_u32..)
        .map(|(digit, place)| if place % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { digit })
        .sum();
    is_number && sum.is_multiple_of(10)
}

/// A change of plan or quantity for the next period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedChange {
    /// The plan. None: the same plan in the same version.
    #[serde(rename = "subscription_plan_id")]
    pub plan_id: Option<PlanId>,
    /// The quantity. None: the same.
    pub quantity: Option<Quantity>,
}

/// When and why the engine stopped working on a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Parked {
    /// When.
    pub at: Time,
    /// Why.
    pub reason: ParkReason,
}

/// The billing of a subscription. It serializes as the API returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Billing {
    /// How invoices are collected.
    pub collection: Collection,
    /// The connection that charges. None: the application.
    pub connection_id: Option<ConnectionId>,
    /// What is charged.
    pub payment_method: Option<PaymentMethod>,
    /// The zone of the calendar.
    pub time_zone: ZoneName,
    /// What the calendar is counted from.
    pub anchor_at: Time,
    /// When the trial ends or ended.
    pub trial_ends_at: Option<Time>,
    /// When a paused subscription resumes.
    pub resumes_at: Option<Time>,
    /// What changes with the next period.
    pub change: Option<PlannedChange>,
    /// When the current period or trial began.
    pub period_start: Option<Time>,
    /// When the subscription was paused.
    pub paused_at: Option<Time>,
    /// The number of overdue invoices.
    pub overdue_invoices: i64,
    /// When and why the engine stopped working on it.
    pub parked: Option<Parked>,
    /// The full length of the current period in microseconds. Not returned.
    pub cycle: i64,
    /// When the notice of the current trial or period is due. Not returned.
    pub notice_at: Option<Time>,
    /// Whether the notice was given. Not returned.
    pub is_noticed: bool,
    /// When an incomplete subscription expires. Not returned.
    pub gives_up_at: Option<Time>,
    /// The number of plan changes in the current period. Not returned.
    pub plan_changes: i64,
    /// The discount.
    pub discount: Option<AppliedCoupon>,
    /// The coupon that the current period uses. Not returned, as all that follow.
    pub period_coupon: Option<CouponId>,
    /// What pays for the rest of the period.
    pub paying: Option<Paying>,
    /// The window of usage that is not billed yet.
    pub usage: Option<UsageState>,
    /// Whether nothing is billed or credited until the next period.
    pub is_unbilled: bool,
    /// What the decision bills. Not stored.
    pub bills: Bills,
    /// The next action and its instant, as `Subscription::next_action` computes them. Not stored.
    pub next: Option<(Action, Time)>,
}

impl Billing {
    /// Billing that nothing was decided about yet.
    pub const fn new(time_zone: ZoneName, anchor_at: Time) -> Self {
        Self {
            collection: Collection::Automatic,
            connection_id: None,
            payment_method: None,
            time_zone,
            anchor_at,
            trial_ends_at: None,
            resumes_at: None,
            change: None,
            period_start: None,
            paused_at: None,
            overdue_invoices: 0,
            parked: None,
            cycle: 0,
            notice_at: None,
            is_noticed: false,
            gives_up_at: None,
            plan_changes: 0,
            discount: None,
            period_coupon: None,
            paying: None,
            usage: None,
            is_unbilled: false,
            bills: Bills(Vec::new()),
            next: None,
        }
    }

    /// The plan that the pending change names. It has a column.
    pub fn change_plan(&self) -> Option<PlanId> {
        self.change.and_then(|change| change.plan_id)
    }

    /// Whether something can be charged without the customer.
    pub fn can_charge(&self) -> bool {
        self.collection == Collection::Manual || self.payment_method.is_some() || self.connection_id.is_some()
    }
}

impl Serialize for Billing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Billing", 15)?;
        fields.serialize_field("collection", &self.collection)?;
        fields.serialize_field("connection_id", &self.connection_id)?;
        fields.serialize_field("payment_method", &self.payment_method)?;
        fields.serialize_field("time_zone", &self.time_zone)?;
        fields.serialize_field("anchor_at", &self.anchor_at)?;
        fields.serialize_field("trial_ends_at", &self.trial_ends_at)?;
        fields.serialize_field("resumes_at", &self.resumes_at)?;
        fields.serialize_field("change", &self.change)?;
        fields.serialize_field("period_start", &self.period_start)?;
        fields.serialize_field("paused_at", &self.paused_at)?;
        fields.serialize_field("discount", &self.discount)?;
        fields.serialize_field("overdue_invoices", &self.overdue_invoices)?;
        fields.serialize_field("parked", &self.parked)?;
        fields.serialize_field("next_action", &self.next.map(|(action, _)| action))?;
        fields.serialize_field("next_action_at", &self.next.map(|(_, at)| at))?;
        fields.end()
    }
}

/// The fields of a create or an update. An omitted or invalid one is `None`, a cleared one `Some(None)`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct BillingDraft {
    pub collection: Option<Collection>,
    pub connection_id: Option<Option<ConnectionId>>,
    pub payment_method: Option<Option<PaymentMethod>>,
    pub time_zone: Option<ZoneName>,
    pub anchor_at: Option<Time>,
    pub trial_ends_at: Option<Option<Time>>,
    pub resumes_at: Option<Option<Time>>,
    pub change: Option<Option<ChangeDraft>>,
    pub prorate: Option<bool>,
    /// The coupon that is set, or none if it is removed.
    pub coupon: Option<Option<CouponKey>>,
}

/// The fields of a pending change; it replaces the stored one as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct ChangeDraft {
    pub plan: Option<PlanKey>,
    pub quantity: Option<Quantity>,
}

/// The text that is stored: only what differs from the default.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    time_zone: ZoneName,
    anchor_at: Instant,
    #[serde(default, skip_serializing_if = "is_default")]
    collection: Collection,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    connection_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    payment_method: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trial_ends_at: Option<Instant>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resumes_at: Option<Instant>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    change_quantity: Option<Quantity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    period_start: Option<Instant>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paused_at: Option<Instant>,
    #[serde(default, skip_serializing_if = "is_default")]
    overdue_invoices: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parked_at: Option<Instant>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    park_reason: Option<ParkReason>,
    #[serde(default, skip_serializing_if = "is_default")]
    cycle: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    notice_at: Option<Instant>,
    #[serde(default, skip_serializing_if = "is_default")]
    is_noticed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gives_up_at: Option<Instant>,
    #[serde(default, skip_serializing_if = "is_default")]
    plan_changes: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    discount: Option<AppliedCoupon>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    period_coupon: Option<CouponId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paying: Option<Paying>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<UsageState>,
    #[serde(default, skip_serializing_if = "is_default")]
    is_unbilled: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A time in a stored text, in RFC 3339.
#[derive(Clone, Copy)]
struct Instant(Time);

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Time::parse(&text).map(Self).map_err(|invalid| serde::de::Error::custom(invalid.detail))
    }
}

impl Billing {
    /// The billing in a stored text, with the plan in its column. None if it is not valid.
    pub fn from_stored(text: &str, change_plan: Option<PlanId>) -> Option<Self> {
        let stored: Stored = serde_json::from_str(text).ok()?;
        let time = |time: Option<Instant>| time.map(|time| time.0);
        let is_change = change_plan.is_some() || stored.change_quantity.is_some();
        let are_valid = stored.change_quantity.is_none_or(Quantity::is_valid)
            && stored.overdue_invoices >= 0
            && stored.cycle >= 0
            && stored.plan_changes >= 0
            && stored.parked_at.is_some() == stored.park_reason.is_some();
        let connection_id = stored.connection_id.as_deref().map(str::parse).transpose().ok()?;
        let payment_method = stored.payment_method.as_deref().map(PaymentMethod::parse).transpose().ok()?;
        are_valid.then(|| Self {
            collection: stored.collection,
            connection_id,
            payment_method,
            anchor_at: stored.anchor_at.0,
            trial_ends_at: time(stored.trial_ends_at),
            resumes_at: time(stored.resumes_at),
            change: is_change.then_some(PlannedChange { plan_id: change_plan, quantity: stored.change_quantity }),
            period_start: time(stored.period_start),
            paused_at: time(stored.paused_at),
            overdue_invoices: stored.overdue_invoices,
            parked: time(stored.parked_at).zip(stored.park_reason).map(|(at, reason)| Parked { at, reason }),
            cycle: stored.cycle,
            notice_at: time(stored.notice_at),
            is_noticed: stored.is_noticed,
            gives_up_at: time(stored.gives_up_at),
            plan_changes: stored.plan_changes,
            discount: stored.discount,
            period_coupon: stored.period_coupon,
            paying: stored.paying,
            usage: stored.usage,
            is_unbilled: stored.is_unbilled,
            bills: Bills(Vec::new()),
            next: None,
            time_zone: stored.time_zone,
        })
    }

    /// The text that is stored. The plan of the pending change is not in it.
    pub fn to_stored(&self) -> String {
        let time = |time: Option<Time>| time.map(Instant);
        let stored = Stored {
            time_zone: self.time_zone.clone(),
            anchor_at: Instant(self.anchor_at),
            collection: self.collection,
            connection_id: self.connection_id.map(|id| id.to_string()),
            payment_method: self.payment_method.as_ref().map(|method| method.as_str().to_owned()),
            trial_ends_at: time(self.trial_ends_at),
            resumes_at: time(self.resumes_at),
            change_quantity: self.change.and_then(|change| change.quantity),
            period_start: time(self.period_start),
            paused_at: time(self.paused_at),
            overdue_invoices: self.overdue_invoices,
            parked_at: time(self.parked.map(|parked| parked.at)),
            park_reason: self.parked.map(|parked| parked.reason),
            cycle: self.cycle,
            notice_at: time(self.notice_at),
            is_noticed: self.is_noticed,
            gives_up_at: time(self.gives_up_at),
            plan_changes: self.plan_changes,
            discount: self.discount,
            period_coupon: self.period_coupon,
            paying: self.paying.clone(),
            usage: self.usage.clone(),
            is_unbilled: self.is_unbilled,
        };
        serde_json::to_string(&stored).expect("billing is plain data")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::tests::instant;
    use proptest::prelude::*;

    #[test]
    fn a_card_number_is_not_a_payment_method() {
        for text in [
            "4242424242424242",
            "378282246310005",
            "4000000000006",
            "4242 4242 4242 4242",
            "4242-4242-4242-4242",
            " 3782.822463.10005",
            "4242\u{a0}4242\u{a0}4242\u{a0}4242",
        ] {
            assert_eq!(PaymentMethod::parse(text).unwrap_err().code, ValidationCode::InvalidText, "{text}");
        }
        for text in
            ["pm_1", "4242424242424241", "42424242424242424242", "424242424242", "4242 4242 4242 4241", "pm-4242"]
        {
            assert_eq!(PaymentMethod::parse(text).unwrap().as_str(), text);
        }
        assert!(PaymentMethod::parse(&"x".repeat(256)).is_err());
    }

    #[test]
    fn usual_billing_is_a_short_text() {
        let billing = Billing::new(ZoneName::default(), instant("2026-01-31T10:00:00Z"));
        assert_eq!(billing.to_stored(), r#"{"time_zone":"UTC","anchor_at":"2026-01-31T10:00:00.000000Z"}"#);
        for text in [
            "",
            "{}",
            "null",
            r#"{"time_zone":"UTC","anchor_at":"x"}"#,
            r#"{"time_zone":"UTC","anchor_at":"2026-01-31T10:00:00Z","x":1}"#,
        ] {
            assert_eq!(Billing::from_stored(text, None), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_stored_reads_back(
            times in prop::collection::vec(prop::option::of(0..4_000_000_000_000_000_i64), 8),
            quantity in prop::option::of(1_i64..1_000_000), plan in prop::option::of(any::<u64>()),
            counts in (0_i64..9, 0_i64..9, 0_i64..9), manual: bool, noticed: bool,
        ) {
            let time = |place: usize| times[place].and_then(Time::from_micros);
            let plan_id = plan.map(|random| PlanId::new(Time::MAX, random));
            let quantity = quantity.map(Quantity::from_stored);
            let billing = Billing {
                collection: if manual { Collection::Manual } else { Collection::Automatic },
                connection_id: time(0).map(|at| ConnectionId::new(at, 7)),
                payment_method: time(0).map(|at| PaymentMethod::parse(&format!("pm_{at}")).unwrap()),
                trial_ends_at: time(1),
                resumes_at: time(2),
                change: (plan_id.is_some() || quantity.is_some()).then_some(PlannedChange { plan_id, quantity }),
                period_start: time(3),
                paused_at: time(4),
                overdue_invoices: counts.0,
                parked: time(5).map(|at| Parked { at, reason: ParkReason::Failing }),
                cycle: counts.1,
                notice_at: time(6),
                is_noticed: noticed,
                gives_up_at: time(7),
                plan_changes: counts.2,
                ..Billing::new(ZoneName::parse("Europe/Berlin").unwrap(), Time::MAX)
            };
            prop_assert_eq!(Billing::from_stored(&billing.to_stored(), plan_id), Some(billing));
        }
    }
}
