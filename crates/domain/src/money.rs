//! Amounts of money: integers of a ten-thousandth of the currency's unit, so that every currency's
//! decimals fit and no amount is ever rounded.

use crate::currency::Currency;
use crate::number::{Number, NumberError};
use crate::validation::{InvalidValue, ValidationCode};

const DECIMALS: u32 = 4;
const UNIT: i64 = 10_000;
const MAX_UNITS: i64 = 999_999_999_999;

/// An amount from 0 to 999,999,999,999 with at most four decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(i64);

impl Money {
    /// The amount of this many ten-thousandths, if it is within the bounds.
    pub const fn from_ten_thousandths(amount: i64) -> Option<Self> {
        if amount >= 0 && amount <= MAX_UNITS * UNIT { Some(Self(amount)) } else { None }
    }

    /// The amount in ten-thousandths, as it is stored.
    pub const fn ten_thousandths(self) -> i64 {
        self.0
    }

    /// Parses an amount of any currency.
    pub fn parse(number: Number) -> Result<Self, InvalidValue> {
        let amount = number.scaled(DECIMALS).map_err(|misfit| match misfit {
            NumberError::Decimals => {
                InvalidValue::new(ValidationCode::TooManyDecimals, "has more decimals than any currency")
            }
            NumberError::Range => out_of_range(),
        })?;
        Self::from_ten_thousandths(amount).ok_or_else(out_of_range)
    }

    /// Whether the amount has no more decimals than `currency`.
    pub fn check(self, currency: Currency) -> Result<(), InvalidValue> {
        let decimals = currency.decimals();
        if self.0 % 10_i64.pow(DECIMALS - decimals) == 0 {
            return Ok(());
        }
        let detail = match decimals {
            0 => format!("must be a whole number: {currency} has no decimals"),
            _ => format!("must have at most {decimals} decimals: that is what {currency} has"),
        };
        Err(InvalidValue::new(ValidationCode::TooManyDecimals, detail))
    }
}

fn out_of_range() -> InvalidValue {
    InvalidValue::new(ValidationCode::OutOfRange, "must be between 0 and 999999999999")
}

impl std::fmt::Display for Money {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, mut fraction) = (self.0 / UNIT, self.0 % UNIT);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let mut width = 4;
        while fraction % 10 == 0 {
            fraction /= 10;
            width -= 1;
        }
        write!(f, "{whole}.{fraction:0width$}")
    }
}

impl serde::Serialize for Money {
    /// Serialized as a JSON number from its exact text, in the shortest form.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::value::RawValue::from_string(self.to_string())
            .map_err(serde::ser::Error::custom)?
            .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Money, ValidationCode> {
        Money::parse(Number::parse(text).unwrap()).map_err(|reason| reason.code)
    }

    #[test]
    fn bounds_hold() {
        assert_eq!(parse("0").unwrap().to_string(), "0");
        assert_eq!(parse("999999999999").unwrap().to_string(), "999999999999");
        assert_eq!(parse("999999999999.0001"), Err(ValidationCode::OutOfRange));
        assert_eq!(parse("1000000000000"), Err(ValidationCode::OutOfRange));
        assert_eq!(parse("-0.01"), Err(ValidationCode::OutOfRange));
        assert_eq!(parse("1e400"), Err(ValidationCode::OutOfRange));
        assert_eq!(parse("0.00001"), Err(ValidationCode::TooManyDecimals));
    }

    #[test]
    fn amounts_are_printed_in_their_shortest_form() {
        for (text, shown) in
            [("19.99", "19.99"), ("19.90", "19.9"), ("0.05", "0.05"), ("0.0001", "0.0001"), ("1e3", "1000")]
        {
            assert_eq!(serde_json::to_string(&parse(text).unwrap()).unwrap(), shown);
        }
    }

    #[test]
    fn a_currency_bounds_the_decimals() {
        let check = |text: &str, code: &str| parse(text).unwrap().check(Currency::parse(code).unwrap()).is_ok();
        assert!(check("100", "JPY") && !check("100.5", "JPY"));
        assert!(check("19.99", "USD") && !check("19.999", "USD"));
        assert!(check("1.234", "KWD") && !check("1.2345", "KWD"));
        assert!(check("1.2345", "CLF"));
        let detail =
            |text: &str, code: &str| parse(text).unwrap().check(Currency::parse(code).unwrap()).unwrap_err().detail;
        assert_eq!(detail("0.5", "JPY"), "must be a whole number: JPY has no decimals");
        assert_eq!(detail("0.001", "EUR"), "must have at most 2 decimals: that is what EUR has");
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(amount in 0..=MAX_UNITS * UNIT) {
            let money = Money::from_ten_thousandths(amount).unwrap();
            prop_assert_eq!(parse(&money.to_string()), Ok(money));
            prop_assert_eq!(money.ten_thousandths(), amount);
        }
    }
}
