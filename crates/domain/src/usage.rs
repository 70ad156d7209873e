//! Usage: events that a meter counts for a subscription.
//! An event counts once, whatever is sent again and in whatever order.

mod aggregate;
mod intake;

pub use aggregate::{Aggregate, Quantity, SpanError, TimeSpan, UsagePart};
pub use intake::{Intake, Sent, UsageWindow, closed_before, removable_before, sort_out};

use crate::id::{MeterId, SubscriptionId, UserId};
use crate::meters::{Aggregation, Meter, MeterKey};
use crate::number::{Number, NumberError};
use crate::text::Line;
use crate::time::Time;
use crate::validation::{InvalidValue, ValidationCode, ValidationErrors};
use crate::words::words;

words! {
    /// What a call does about quotas.
    UsageMode {
        /// Stores every valid event.
        Record = "record",
        /// Rejects a call that would exceed a quota.
        Enforce = "enforce",
    }
}

/// The most events of a call.
pub const MAX_EVENTS: usize = 500;
/// How far in the future an event may be.
const AHEAD_SECONDS: i64 = 5 * 60;
/// The decimals of a stored value.
const DECIMALS: u32 = 6;
/// The greatest value, in millionths.
pub const MAX_VALUE: i64 = 1_000_000_000 * 1_000_000;
const MILLION: i64 = 1_000_000;

/// What a `unique` meter counts, such as the ID of a device.
pub type UsageKey = Line<1, 255>;

/// The ID of a usage event, which the caller chooses. It is unique in its subscription.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct UsageEventId(String);

impl UsageEventId {
    /// The format, for documentation.
    pub const PATTERN: &'static str = "^[!-~]{1,100}$";

    /// Parses an ID.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        if text.is_empty() {
            return Err(InvalidValue::new(ValidationCode::TooShort, "must not be empty"));
        }
        if text.chars().count() > 100 {
            return Err(InvalidValue::new(ValidationCode::TooLong, "must have at most 100 characters"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(InvalidValue::new(ValidationCode::InvalidFormat, "must have only visible ASCII characters"));
        }
        Ok(Self(text.to_owned()))
    }

    /// A stored value, which was validated by `parse` before it was stored.
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The ID's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The value of an event: a number from −10⁹ to 10⁹ with at most six decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsageValue(i64);

impl UsageValue {
    /// The value of an event that has none.
    pub const ONE: Self = Self(MILLION);

    /// Parses a value.
    pub fn parse(number: Number) -> Result<Self, InvalidValue> {
        let range = || InvalidValue::new(ValidationCode::OutOfRange, "must be between -1000000000 and 1000000000");
        let value = number.scaled(DECIMALS).map_err(|error| match error {
            NumberError::Decimals => InvalidValue::new(ValidationCode::TooManyDecimals, "must have at most 6 decimals"),
            NumberError::Range => range(),
        })?;
        Self::from_millionths(value).ok_or_else(range)
    }

    /// The value of this many millionths, if it is within the bounds.
    pub const fn from_millionths(value: i64) -> Option<Self> {
        if value >= -MAX_VALUE && value <= MAX_VALUE { Some(Self(value)) } else { None }
    }

    /// The value in millionths, as it is stored.
    pub const fn millionths(self) -> i64 {
        self.0
    }
}

/// An event as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageEvent {
    /// The subscription that used something.
    pub subscription_id: SubscriptionId,
    /// The caller's ID of the event.
    pub id: UsageEventId,
    /// The meter that counts it.
    pub meter_id: MeterId,
    /// When it happened.
    pub at: Time,
    /// Its value; 1 for a meter that ignores values.
    pub value: UsageValue,
    /// What a `unique` meter counts.
    pub key: Option<UsageKey>,
}

/// An event as a caller sends it; an omitted or invalid field is `None`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct UsageDraft {
    pub id: Option<UsageEventId>,
    pub subscription_id: Option<SubscriptionId>,
    pub user_id: Option<UserId>,
    pub meter: Option<MeterKey>,
    pub at: Option<Time>,
    pub value: Option<UsageValue>,
    pub key: Option<UsageKey>,
}

impl UsageDraft {
    /// Checks that the event names a subscription or a user. `errors` are those of this event so far; what is no object at
    /// all lacks nothing.
    pub fn check_owner(&self, errors: &mut ValidationErrors) {
        if errors.touch("") {
            return;
        }
        let sent = |is_valid: bool, at: &str, errors: &ValidationErrors| is_valid || errors.touch(at);
        let subscription = sent(self.subscription_id.is_some(), "/subscription_id", errors);
        let user = sent(self.user_id.is_some(), "/user_id", errors);
        if subscription && user {
            errors.note("/user_id", ValidationCode::Inconsistent, "cannot be combined with subscription_id");
        }
        if !subscription && !user {
            errors.note("/subscription_id", ValidationCode::Required, "is required unless user_id is sent");
        }
    }

    /// Checks the time of the event, and what its meter requires, if that exists.
    pub fn check(&self, meter: Option<&Meter>, now: Time, errors: &mut ValidationErrors) {
        if self.at.is_some_and(|at| at > now.plus_seconds(AHEAD_SECONDS)) {
            errors.note("/at", ValidationCode::OutOfRange, "must be at most 5 minutes in the future");
        }
        let Some(aggregation) = meter.map(|meter| meter.aggregation) else { return };
        let is_negative = self.value.is_some_and(|value| value.0 < 0);
        if is_negative && matches!(aggregation, Aggregation::Max | Aggregation::Last) {
            errors.note("/value", ValidationCode::OutOfRange, "must be at least 0: only sum takes negative values");
        }
        if aggregation == Aggregation::Unique && self.key.is_none() && !errors.touch("/key") {
            errors.note("/key", ValidationCode::Required, "is required by a meter that counts unique keys");
        }
    }

    /// The event of a subscription and a meter, and whether its time was sent. Errors were found before.
    pub fn resolve(&self, subscription_id: SubscriptionId, meter: &Meter, now: Time) -> Option<(UsageEvent, bool)> {
        let value =
            if meter.aggregation.reads_values() { self.value.unwrap_or(UsageValue::ONE) } else { UsageValue::ONE };
        let id = self.id.clone()?;
        let at = self.at.unwrap_or(now);
        let key = self.key.clone();
        Some((UsageEvent { subscription_id, id, meter_id: meter.id, at, value, key }, self.at.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meters::tests::meter;
    use crate::plans::tests::instant;

    fn value(text: &str) -> Result<i64, ValidationCode> {
        UsageValue::parse(Number::parse(text).unwrap()).map(UsageValue::millionths).map_err(|reason| reason.code)
    }

    fn resolve(
        draft: &UsageDraft,
        aggregation: Aggregation,
    ) -> Result<(UsageEvent, bool), Vec<(String, ValidationCode)>> {
        let now = instant("2026-05-01T12:00:00Z");
        let mut errors = ValidationErrors::none();
        let meter = meter("calls", aggregation);
        draft.check(Some(&meter), now, &mut errors);
        let resolved = draft.resolve(SubscriptionId::new(now, 1), &meter, now).filter(|_| errors.is_empty());
        resolved.ok_or_else(|| errors.iter().map(|error| (error.pointer.to_string(), error.reason.code)).collect())
    }

    fn draft() -> UsageDraft {
        UsageDraft { id: Some(UsageEventId::parse("e1").unwrap()), ..UsageDraft::default() }
    }

    #[test]
    fn ids_are_visible_ascii() {
        for text in ["a", "!~", &"x".repeat(100)] {
            assert_eq!(UsageEventId::parse(text).unwrap().as_str(), text);
        }
        for text in ["", "a b", "ä", "a\n", &"x".repeat(101)] {
            assert!(UsageEventId::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn values_have_bounds_and_six_decimals() {
        assert_eq!(value("1000000000"), Ok(MAX_VALUE));
        assert_eq!(value("-1000000000"), Ok(-MAX_VALUE));
        assert_eq!(value("0.000001"), Ok(1));
        assert_eq!(value("1000000000.000001"), Err(ValidationCode::OutOfRange));
        assert_eq!(value("1e400"), Err(ValidationCode::OutOfRange));
        assert_eq!(value("0.0000001"), Err(ValidationCode::TooManyDecimals));
    }

    #[test]
    fn an_event_names_a_subscription_or_a_user() {
        let now = instant("2026-05-01T12:00:00Z");
        let (subscription, user) = (Some(SubscriptionId::new(now, 1)), Some(UserId::new(now, 1)));
        let codes = |subscription_id, user_id| {
            let mut errors = ValidationErrors::none();
            UsageDraft { subscription_id, user_id, ..draft() }.check_owner(&mut errors);
            errors.iter().map(|error| error.reason.code).collect::<Vec<_>>()
        };
        assert_eq!(codes(subscription, None), []);
        assert_eq!(codes(None, user), []);
        assert_eq!(codes(subscription, user), [ValidationCode::Inconsistent]);
        assert_eq!(codes(None, None), [ValidationCode::Required]);
    }

    #[test]
    fn an_event_is_now_and_1_by_default() {
        let (event, has_time) = resolve(&draft(), Aggregation::Sum).unwrap();
        assert_eq!((event.at, event.value, has_time), (instant("2026-05-01T12:00:00Z"), UsageValue::ONE, false));
    }

    #[test]
    fn an_event_is_at_most_five_minutes_ahead() {
        let at = |text: &str| UsageDraft { at: Some(instant(text)), ..draft() };
        assert!(resolve(&at("2026-05-01T12:05:00Z"), Aggregation::Sum).is_ok());
        let errors = resolve(&at("2026-05-01T12:05:00.000001Z"), Aggregation::Sum).unwrap_err();
        assert_eq!(errors, [("/at".to_owned(), ValidationCode::OutOfRange)]);
    }

    #[test]
    fn only_a_sum_takes_negative_values_and_some_meters_ignore_them() {
        let negative =
            UsageDraft { value: UsageValue::from_millionths(-1), key: Some(UsageKey::parse("k").unwrap()), ..draft() };
        assert_eq!(resolve(&negative, Aggregation::Sum).unwrap().0.value.millionths(), -1);
        for aggregation in [Aggregation::Count, Aggregation::Unique] {
            assert_eq!(resolve(&negative, aggregation).unwrap().0.value, UsageValue::ONE);
        }
        for aggregation in [Aggregation::Max, Aggregation::Last] {
            assert_eq!(
                resolve(&negative, aggregation).unwrap_err(),
                [("/value".to_owned(), ValidationCode::OutOfRange)]
            );
        }
    }

    #[test]
    fn a_unique_meter_needs_a_key() {
        assert_eq!(
            resolve(&draft(), Aggregation::Unique).unwrap_err(),
            [("/key".to_owned(), ValidationCode::Required)]
        );
    }
}
