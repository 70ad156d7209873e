//! Signed amounts: like [`Money`], integers of a ten-thousandth of the currency's unit, but a credit is negative.
//! An amount is never rounded; only [`Exact::round`](super::Exact::round) makes one from a fraction.

use super::{OutOfRange, Result};
use crate::money::Money;

const UNIT: u64 = 10_000;
const MAX: i64 = 9_999_999_999_990_000;

/// An amount from −999,999,999,999 to 999,999,999,999 with at most four decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(i64);

impl Amount {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The amount of this many ten-thousandths, if it is within the bounds.
    pub const fn from_ten_thousandths(amount: i64) -> Result<Self> {
        if -MAX <= amount && amount <= MAX { Ok(Self(amount)) } else { Err(OutOfRange) }
    }

    /// The amount in ten-thousandths, as it is stored.
    pub const fn ten_thousandths(self) -> i64 {
        self.0
    }

    /// The sum.
    pub const fn plus(self, other: Self) -> Result<Self> {
        Self::from_ten_thousandths(self.0 + other.0)
    }

    /// The difference.
    pub const fn minus(self, other: Self) -> Result<Self> {
        Self::from_ten_thousandths(self.0 - other.0)
    }

    /// The amount with its sign turned. The bounds are symmetric.
    pub const fn negated(self) -> Self {
        Self(-self.0)
    }

    /// The amount, or zero if it is negative.
    pub fn or_zero(self) -> Self {
        self.max(Self::ZERO)
    }

    /// Whether the amount is below zero.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Whether the amount is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The sum of all. Only the result must be within the bounds.
    pub fn sum(amounts: impl IntoIterator<Item = Self>) -> Result<Self> {
        let sum = amounts.into_iter().try_fold(0_i128, |sum, amount| sum.checked_add(i128::from(amount.0)));
        Self::from_wide(sum.ok_or(OutOfRange)?)
    }

    pub(super) fn from_wide(ten_thousandths: i128) -> Result<Self> {
        i64::try_from(ten_thousandths).map_err(|_| OutOfRange).and_then(Self::from_ten_thousandths)
    }
}

impl From<Money> for Amount {
    fn from(money: Money) -> Self {
        Self(money.ten_thousandths())
    }
}

impl TryFrom<Amount> for Money {
    type Error = OutOfRange;

    fn try_from(amount: Amount) -> Result<Self> {
        Self::from_ten_thousandths(amount.0).ok_or(OutOfRange)
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 < 0 {
            f.write_str("-")?;
        }
        let (whole, fraction) = (self.0.unsigned_abs() / UNIT, self.0.unsigned_abs() % UNIT);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let digits = format!("{fraction:04}");
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

impl serde::Serialize for Amount {
    /// Serialized as a JSON number from its exact text, in the shortest form.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serde_json::value::RawValue::from_string(self.to_string())
            .map_err(serde::ser::Error::custom)?
            .serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Amount {
    /// Read from the exact text of a JSON number.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = <&serde_json::value::RawValue>::deserialize(deserializer)?;
        let number = crate::number::Number::parse(text.get()).and_then(|number| number.scaled(4).ok());
        let amount = number.and_then(|number| Self::from_ten_thousandths(number).ok());
        amount.ok_or_else(|| serde::de::Error::custom("not an amount"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_bounded_on_both_sides() {
        let most = Amount::from_ten_thousandths(MAX).unwrap();
        let least = most.negated();
        let smallest = Amount::from_ten_thousandths(1).unwrap();
        assert_eq!((most.plus(smallest), least.minus(smallest)), (Err(OutOfRange), Err(OutOfRange)));
        assert_eq!(
            (Amount::from_ten_thousandths(MAX + 1), Amount::from_ten_thousandths(i64::MIN)),
            (Err(OutOfRange), Err(OutOfRange))
        );
        assert_eq!(Amount::sum([most, most, least, least, smallest]), Ok(smallest));
        assert_eq!(Amount::sum([most, smallest]), Err(OutOfRange));
    }

    #[test]
    fn amounts_are_written_as_exact_numbers() {
        for (amount, text) in [(0, "0"), (-5_000, "-0.5"), (189_900, "18.99"), (-1, "-0.0001"), (-MAX, "-999999999999")]
        {
            let amount = Amount::from_ten_thousandths(amount).unwrap();
            assert_eq!(serde_json::to_string(&amount).unwrap(), text);
        }
    }

    #[test]
    fn a_credit_is_not_money() {
        let money = Money::from_ten_thousandths(12).unwrap();
        assert_eq!(Money::try_from(Amount::from(money)), Ok(money));
        assert_eq!(Money::try_from(Amount::from(money).negated()), Err(OutOfRange));
    }
}
