//! Coupons: discounts that a code redeems, and whether a coupon can be redeemed at an instant.
//! What a coupon grants never changes, so that redeemed coupons keep their meaning; it can only be retired.

use crate::currency::Currency;
use crate::id::{CouponId, EventId, OrganizationId, PlanId};
use crate::money::Money;
use crate::number::Whole;
use crate::percent::Percent;
use crate::plans::set;
use crate::time::Time;
use crate::validation::{InvalidValue, ValidationCode, ValidationErrors};
use crate::words::words;

words! {
    /// How long a coupon discounts.
    Duration {
        /// One period.
        Once = "once",
        /// The number of periods in `periods`.
        Repeating = "repeating",
        /// Every period.
        Forever = "forever",
    }
}

/// The part of an amount that a coupon takes off.
pub type CouponPercent = Percent<2, 100>;
/// The number of periods of a repeating coupon.
pub type Periods = Whole<1, MAX_PERIODS>;
/// The most redemptions of a coupon.
pub type MaxRedemptions = Whole<1, MAX_REDEMPTIONS>;

/// The most periods of a repeating coupon.
pub const MAX_PERIODS: i64 = 120;
/// The greatest limit of redemptions.
pub const MAX_REDEMPTIONS: i64 = 2_147_483_647;
/// The most plans that a coupon names.
pub const MAX_COUPON_PLANS: usize = 100;

/// The code of a coupon, unique in the organization regardless of case. It is stored as it was sent.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CouponCode(String);

impl CouponCode {
    /// The format, for documentation.
    pub const PATTERN: &'static str = "^[A-Za-z0-9_-]{3,64}$";

    /// Parses a code.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let length = text.chars().count();
        if length < 3 {
            return Err(InvalidValue::new(ValidationCode::TooShort, "must have at least 3 characters"));
        }
        if length > 64 {
            return Err(InvalidValue::new(ValidationCode::TooLong, "must have at most 64 characters"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            return Err(InvalidValue::new(ValidationCode::InvalidFormat, "must have only letters, digits, _ and -"));
        }
        Ok(Self(text.to_owned()))
    }

    /// A stored value, which was validated by `parse` before it was stored.
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The code as it was sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How a caller names a coupon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CouponKey {
    /// By its ID.
    Id(CouponId),
    /// By its code.
    Code(CouponCode),
}

/// A coupon. It serializes as the record that the API returns.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Coupon {
    pub id: CouponId,
    pub code: CouponCode,
    pub percent: Option<CouponPercent>,
    pub amount: Option<Money>,
    pub currency: Option<Currency>,
    pub duration: Duration,
    pub periods: Option<Periods>,
    pub plan_ids: Vec<PlanId>,
    pub redeem_by: Option<Time>,
    pub max_redemptions: Option<MaxRedemptions>,
    pub redemptions: i64,
    pub is_active: bool,
    pub created_at: Time,
    pub updated_at: Time,
    #[serde(skip)]
    pub organization_id: OrganizationId,
    /// Its last event.
    #[serde(skip)]
    pub revision: EventId,
}

/// The fields of a create, or of an update, which changes `is_active` only. An omitted or invalid field is `None`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct CouponDraft {
    pub code: Option<CouponCode>,
    pub percent: Option<CouponPercent>,
    pub amount: Option<Money>,
    pub currency: Option<Currency>,
    pub duration: Option<Duration>,
    pub periods: Option<Periods>,
    pub plan_ids: Option<Vec<PlanId>>,
    pub redeem_by: Option<Time>,
    pub max_redemptions: Option<MaxRedemptions>,
    pub is_active: Option<bool>,
}

/// Why a coupon cannot be redeemed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// It was retired.
    Inactive,
    /// Its `redeem_by` has passed.
    Expired,
    /// It was redeemed `max_redemptions` times.
    UsedUp,
}

impl Coupon {
    /// The coupon that a draft describes, or all its errors. `errors` are those found while parsing it.
    pub fn create(
        draft: CouponDraft,
        mut errors: ValidationErrors,
        organization_id: OrganizationId,
        id: CouponId,
        revision: EventId,
        now: Time,
    ) -> Result<Self, ValidationErrors> {
        check_discount(&draft, &mut errors);
        check_duration(&draft, &mut errors);
        let (Some(code), Some(duration), true) = (draft.code, draft.duration, errors.is_empty()) else {
            return Err(errors);
        };
        Ok(Self {
            id,
            code,
            percent: draft.percent,
            amount: draft.amount,
            currency: draft.currency,
            duration,
            periods: draft.periods,
            plan_ids: draft.plan_ids.unwrap_or_default(),
            redeem_by: draft.redeem_by,
            max_redemptions: draft.max_redemptions,
            redemptions: 0,
            is_active: draft.is_active.unwrap_or(true),
            created_at: now,
            updated_at: now,
            organization_id,
            revision,
        })
    }

    /// The coupon after an update, or all its errors.
    pub fn merge(&self, patch: &CouponDraft, errors: ValidationErrors) -> Result<Self, ValidationErrors> {
        let mut merged = self.clone();
        set(&mut merged.is_active, patch.is_active);
        errors.into_result(merged)
    }

    /// Whether a caller names this coupon.
    pub fn is_named(&self, key: &CouponKey) -> bool {
        match key {
            CouponKey::Id(id) => self.id == *id,
            CouponKey::Code(code) => self.code.as_str().eq_ignore_ascii_case(code.as_str()),
        }
    }

    /// Whether the coupon discounts this plan.
    pub fn is_for(&self, plan: PlanId) -> bool {
        self.plan_ids.is_empty() || self.plan_ids.contains(&plan)
    }

    /// Whether the coupon can be redeemed at `now`. The last instant is `redeem_by` itself.
    pub fn availability(&self, now: Time) -> Result<(), Unavailable> {
        if !self.is_active {
            return Err(Unavailable::Inactive);
        }
        if self.redeem_by.is_some_and(|last| now > last) {
            return Err(Unavailable::Expired);
        }
        if self.max_redemptions.is_some_and(|most| self.redemptions >= most.get()) {
            return Err(Unavailable::UsedUp);
        }
        Ok(())
    }
}

/// A coupon takes off a percentage, or an amount of one currency.
fn check_discount(draft: &CouponDraft, errors: &mut ValidationErrors) {
    // A field with its own error was sent, and what is no object at all lacks nothing.
    let sent = |errors: &ValidationErrors, is_valid: bool, at: &str| is_valid || errors.touch(at);
    if errors.touch("") {
        return;
    }
    let percent = sent(errors, draft.percent.is_some(), "/percent");
    let amount = sent(errors, draft.amount.is_some(), "/amount");
    let currency = sent(errors, draft.currency.is_some(), "/currency");
    if percent && (amount || currency) {
        let detail = "cannot be combined with amount and currency";
        return errors.note("/percent", ValidationCode::Inconsistent, detail);
    }
    if percent {
        return;
    }
    if !amount && !currency {
        return errors.note("/percent", ValidationCode::Required, "is required unless amount and currency are sent");
    }
    if !amount {
        errors.note("/amount", ValidationCode::Required, "is required with currency");
    }
    if !currency {
        errors.note("/currency", ValidationCode::Required, "is required with amount");
    }
    if let Some(amount) = draft.amount {
        if amount.ten_thousandths() == 0 {
            errors.note("/amount", ValidationCode::OutOfRange, "must be greater than 0");
        } else if let Some(Err(reason)) = draft.currency.map(|currency| amount.check(currency)) {
            errors.add("/amount", reason);
        }
    }
}

/// Only a repeating coupon has a number of periods.
fn check_duration(draft: &CouponDraft, errors: &mut ValidationErrors) {
    match draft.duration {
        Some(Duration::Repeating) if draft.periods.is_none() && !errors.touch("/periods") => {
            errors.note("/periods", ValidationCode::Required, "is required with the duration repeating");
        }
        Some(Duration::Once | Duration::Forever) if draft.periods.is_some() => {
            errors.note("/periods", ValidationCode::Inconsistent, "is allowed with the duration repeating only");
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Number;
    use crate::plans::tests::{event, instant};
    use proptest::prelude::*;

    fn percent(text: &str) -> CouponPercent {
        CouponPercent::parse(Number::parse(text).unwrap()).unwrap()
    }

    fn money(text: &str) -> Money {
        Money::parse(Number::parse(text).unwrap()).unwrap()
    }

    fn draft() -> CouponDraft {
        CouponDraft {
            code: Some(CouponCode::parse("SPRING-25").unwrap()),
            percent: Some(percent("25")),
            duration: Some(Duration::Once),
            ..CouponDraft::default()
        }
    }

    fn create(draft: CouponDraft) -> Result<Coupon, ValidationErrors> {
        let now = instant("2026-01-15T00:00:00Z");
        let organization = OrganizationId::new(now, 1);
        Coupon::create(draft, ValidationErrors::none(), organization, CouponId::new(now, 2), event(1), now)
    }

    fn errors(draft: CouponDraft) -> Vec<(String, ValidationCode)> {
        let errors = create(draft).unwrap_err();
        errors.iter().map(|error| (error.pointer.to_string(), error.reason.code)).collect()
    }

    #[test]
    fn codes_are_short_and_plain() {
        for text in ["abc", "SPRING_25-x", &"a".repeat(64)] {
            assert_eq!(CouponCode::parse(text).unwrap().as_str(), text);
        }
        for text in ["", "ab", "a b c", "abc!", "äöü", "abc\n", &"a".repeat(65)] {
            assert!(CouponCode::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_coupon_is_unlimited_and_for_all_plans_by_default() {
        let coupon = create(draft()).unwrap();
        assert_eq!((coupon.max_redemptions, coupon.redeem_by, coupon.redemptions), (None, None, 0));
        assert!(coupon.plan_ids.is_empty() && coupon.is_active);
    }

    #[test]
    fn a_coupon_takes_off_a_percentage_or_an_amount() {
        let without = CouponDraft { percent: None, ..draft() };
        let euro = Some(Currency::parse("EUR").unwrap());
        assert!(create(CouponDraft { amount: Some(money("5")), currency: euro, ..without.clone() }).is_ok());
        let wrong = |at: &str, code| vec![(at.to_owned(), code)];
        assert_eq!(errors(without.clone()), wrong("/percent", ValidationCode::Required));
        assert_eq!(
            errors(CouponDraft { amount: Some(money("5")), ..draft() }),
            wrong("/percent", ValidationCode::Inconsistent)
        );
        assert_eq!(errors(CouponDraft { currency: euro, ..draft() }), wrong("/percent", ValidationCode::Inconsistent));
        assert_eq!(
            errors(CouponDraft { amount: Some(money("5")), ..without.clone() }),
            wrong("/currency", ValidationCode::Required)
        );
        assert_eq!(
            errors(CouponDraft { currency: euro, ..without.clone() }),
            wrong("/amount", ValidationCode::Required)
        );
        let of = |text: &str, code: &str| CouponDraft {
            amount: Some(money(text)),
            currency: Some(Currency::parse(code).unwrap()),
            ..without.clone()
        };
        assert_eq!(errors(of("5.5", "JPY")), wrong("/amount", ValidationCode::TooManyDecimals));
        assert_eq!(errors(of("0", "EUR")), wrong("/amount", ValidationCode::OutOfRange));
    }

    #[test]
    fn a_field_that_is_wrong_itself_is_not_missing_too() {
        let mut found = ValidationErrors::none();
        found.note("/percent", ValidationCode::OutOfRange, "");
        found.note("/periods", ValidationCode::OutOfRange, "");
        let now = instant("2026-01-15T00:00:00Z");
        let draft = CouponDraft { percent: None, duration: Some(Duration::Repeating), ..draft() };
        let id = CouponId::new(now, 2);
        let created = Coupon::create(draft, found.clone(), OrganizationId::new(now, 1), id, event(1), now);
        assert_eq!(created, Err(found));
    }

    #[test]
    fn only_a_repeating_coupon_has_periods() {
        let periods = Some(Periods::from_stored(3));
        let of = |duration, periods| CouponDraft { duration: Some(duration), periods, ..draft() };
        assert!(create(of(Duration::Repeating, periods)).is_ok());
        for duration in [Duration::Once, Duration::Forever] {
            assert!(create(of(duration, None)).is_ok());
            assert_eq!(errors(of(duration, periods)), [("/periods".to_owned(), ValidationCode::Inconsistent)]);
        }
        assert_eq!(errors(of(Duration::Repeating, None)), [("/periods".to_owned(), ValidationCode::Required)]);
    }

    #[test]
    fn a_coupon_can_be_redeemed_until_its_last_instant_and_up_to_its_limit() {
        let last = instant("2026-03-31T23:59:59Z");
        let limit = Some(MaxRedemptions::from_stored(2));
        let coupon =
            Coupon { redeem_by: Some(last), max_redemptions: limit, redemptions: 1, ..create(draft()).unwrap() };
        assert_eq!(coupon.availability(last), Ok(()));
        assert_eq!(coupon.availability(last.plus_seconds(1)), Err(Unavailable::Expired));
        let used_up = Coupon { redemptions: 2, ..coupon.clone() };
        assert_eq!(used_up.availability(last), Err(Unavailable::UsedUp));
        let inactive = Coupon { is_active: false, ..coupon };
        assert_eq!(inactive.availability(last), Err(Unavailable::Inactive));
    }

    proptest! {
        #[test]
        fn redeeming_as_long_as_it_is_available_stops_at_the_limit(limit in 1_i64..50, tries in 0_i64..100) {
            let now = instant("2026-02-01T00:00:00Z");
            let mut coupon = Coupon {
                max_redemptions: Some(MaxRedemptions::from_stored(limit)),
                ..create(draft()).unwrap()
            };
            for _ in 0..tries {
                if coupon.availability(now).is_ok() {
                    coupon.redemptions += 1;
                }
            }
            prop_assert_eq!(coupon.redemptions, tries.min(limit));
        }
    }
}
