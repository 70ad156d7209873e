//! Credits: the append-only ledger of a user's balance in each currency. A balance is the sum of its entries and is
//! never negative.

use crate::currency::Currency;
use crate::id::{CreditId, OrganizationId, UserId};
use crate::money::Money;
use crate::number::{Number, NumberError};
use crate::text::Line;
use crate::time::Time;
use crate::validation::{InvalidValue, ValidationCode, ValidationErrors};
use crate::words::words;

words! {
    /// Why a balance changed.
    CreditReason {
        /// A caller of the API changed it.
        Adjustment = "adjustment",
        /// A payment exceeded what was due.
        Surplus = "surplus",
        /// Such a payment became void.
        SurplusReversed = "surplus_reversed",
        /// A credit note.
        CreditNote = "credit_note",
        /// An invoice used it.
        Applied = "applied",
        /// An invoice that used it became void.
        Returned = "returned",
    }
}

/// The description of an entry.
pub type CreditDescription = Line<1, 500>;

const DECIMALS: u32 = 4;
/// The greatest balance, in ten-thousandths: that of [`Money`].
pub const MAX_BALANCE: i64 = 9_999_999_999_990_000;

/// A signed amount of money other than 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditAmount(i64);

impl CreditAmount {
    /// Parses an amount of any currency.
    pub fn parse(number: Number) -> Result<Self, InvalidValue> {
        let amount = number.scaled(DECIMALS).map_err(|error| match error {
            NumberError::Decimals => {
                InvalidValue::new(ValidationCode::TooManyDecimals, "has more decimals than any currency")
            }
            NumberError::Range => out_of_range(),
        })?;
        Self::from_ten_thousandths(amount).ok_or_else(out_of_range)
    }

    /// The amount of this many ten-thousandths, if it is within the bounds.
    pub const fn from_ten_thousandths(amount: i64) -> Option<Self> {
        if amount != 0 && amount >= -MAX_BALANCE && amount <= MAX_BALANCE { Some(Self(amount)) } else { None }
    }

    /// The amount in ten-thousandths, as it is stored.
    pub const fn ten_thousandths(self) -> i64 {
        self.0
    }

    /// Whether the amount has no more decimals than `currency`.
    pub fn check(self, currency: Currency) -> Result<(), InvalidValue> {
        Money::from_ten_thousandths(self.0.abs()).map_or(Ok(()), |money| money.check(currency))
    }
}

fn out_of_range() -> InvalidValue {
    InvalidValue::new(ValidationCode::OutOfRange, "must be between -999999999999 and 999999999999, and not 0")
}

impl std::fmt::Display for CreditAmount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        crate::number::write_scaled(f, i128::from(self.0), DECIMALS)
    }
}

impl serde::Serialize for CreditAmount {
    /// Serialized as a JSON number from its exact text, in the shortest form.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::number::serialize_exact(self, serializer)
    }
}

/// An entry of the ledger. It serializes as the record that the API returns.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Credit {
    pub id: CreditId,
    pub user_id: UserId,
    pub currency: Currency,
    pub amount: CreditAmount,
    pub reason: CreditReason,
    /// The invoice, payment or credit note that changed the balance.
    pub record_id: Option<String>,
    pub description: Option<CreditDescription>,
    pub created_at: Time,
    #[serde(skip)]
    pub organization_id: OrganizationId,
}

/// The fields of an adjustment; an omitted or invalid field is `None`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct CreditDraft {
    pub currency: Option<Currency>,
    pub amount: Option<CreditAmount>,
    pub description: Option<CreditDescription>,
}

/// The balance of a user in one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Balance {
    pub currency: Currency,
    pub amount: Money,
}

/// Why an entry cannot be added to a balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BalanceError {
    /// The balance would be negative.
    Insufficient,
    /// The balance would exceed the greatest amount of money.
    TooLarge,
}

impl Credit {
    /// The adjustment that a draft describes, or all its errors. `errors` are those found while parsing it.
    pub fn adjust(
        draft: CreditDraft,
        mut errors: ValidationErrors,
        organization_id: OrganizationId,
        user_id: UserId,
        id: CreditId,
        now: Time,
    ) -> Result<Self, ValidationErrors> {
        if let (Some(amount), Some(currency)) = (draft.amount, draft.currency)
            && let Err(reason) = amount.check(currency)
        {
            errors.add("/amount", reason);
        }
        let (Some(currency), Some(amount), true) = (draft.currency, draft.amount, errors.is_empty()) else {
            return Err(errors);
        };
        Ok(Self {
            id,
            user_id,
            currency,
            amount,
            reason: CreditReason::Adjustment,
            record_id: None,
            description: draft.description,
            created_at: now,
            organization_id,
        })
    }
}

/// The balance after an entry.
pub fn balance_after(balance: Money, entry: CreditAmount) -> Result<Money, BalanceError> {
    let after = balance.ten_thousandths() + entry.ten_thousandths();
    if after < 0 {
        return Err(BalanceError::Insufficient);
    }
    Money::from_ten_thousandths(after).ok_or(BalanceError::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::tests::instant;
    use proptest::prelude::*;

    fn amount(text: &str) -> Result<CreditAmount, ValidationCode> {
        CreditAmount::parse(Number::parse(text).unwrap()).map_err(|reason| reason.code)
    }

    #[test]
    fn amounts_are_signed_and_never_zero() {
        for text in ["15", "-15.5", "0.0001", "999999999999", "-999999999999"] {
            assert_eq!(serde_json::to_string(&amount(text).unwrap()).unwrap(), text);
        }
        for text in ["0", "-0", "1000000000000", "1e400"] {
            assert_eq!(amount(text), Err(ValidationCode::OutOfRange), "{text}");
        }
        assert_eq!(amount("0.00001"), Err(ValidationCode::TooManyDecimals));
    }

    #[test]
    fn the_currency_bounds_the_decimals_of_either_sign() {
        let now = instant("2026-01-01T00:00:00Z");
        let adjust = |text: &str| {
            let draft = CreditDraft {
                currency: Some(Currency::parse("JPY").unwrap()),
                amount: Some(amount(text).unwrap()),
                description: None,
            };
            let (organization, user, id) = (OrganizationId::new(now, 1), UserId::new(now, 1), CreditId::new(now, 1));
            Credit::adjust(draft, ValidationErrors::none(), organization, user, id, now)
        };
        assert!(adjust("-100").is_ok());
        assert!(adjust("-0.5").unwrap_err().touch("/amount"));
        assert!(adjust("0.5").unwrap_err().touch("/amount"));
    }

    #[test]
    fn a_balance_stays_between_zero_and_the_greatest_amount() {
        let money = |units: i64| Money::from_ten_thousandths(units * 10_000).unwrap();
        assert_eq!(balance_after(money(10), amount("-10").unwrap()), Ok(money(0)));
        assert_eq!(balance_after(money(10), amount("-10.01").unwrap()), Err(BalanceError::Insufficient));
        assert_eq!(balance_after(money(999_999_999_999), amount("0.01").unwrap()), Err(BalanceError::TooLarge));
    }

    proptest! {
        #[test]
        fn the_balance_is_the_sum_of_what_was_accepted(entries in prop::collection::vec(-1_000_i64..1_000, 0..50)) {
            let (mut balance, mut ledger) = (Money::from_ten_thousandths(0).unwrap(), 0);
            for entry in entries.into_iter().filter_map(CreditAmount::from_ten_thousandths) {
                match balance_after(balance, entry) {
                    Ok(after) => {
                        balance = after;
                        ledger += entry.ten_thousandths();
                    }
                    Err(error) => {
                        prop_assert_eq!(error, BalanceError::Insufficient);
                        prop_assert!(ledger + entry.ten_thousandths() < 0);
                    }
                }
                prop_assert_eq!(balance.ten_thousandths(), ledger);
            }
        }
    }
}
