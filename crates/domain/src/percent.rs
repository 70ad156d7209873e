//! Percentages: integers of a ten-thousandth of a percent, so that no percentage is ever rounded.

use crate::number::{Number, NumberError};
use crate::validation::{InvalidValue, ValidationCode};

/// The decimals of a stored percentage.
const STORED_DECIMALS: u32 = 4;
const UNIT: i64 = 10_000;

/// The greatest percentage, in ten-thousandths of a percent.
pub const MAX_PERCENT: i64 = 100 * UNIT;

/// Any percentage from 0 to 100 with at most four decimals: of a tax rate, and of a coupon in a computation.
pub type Percentage = Percent<STORED_DECIMALS, 0>;

/// A percentage with at most `DECIMALS` decimals, from `LEAST` ten-thousandths of a percent to 100 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percent<const DECIMALS: u32, const LEAST: i64>(i64);

impl<const DECIMALS: u32, const LEAST: i64> Percent<DECIMALS, LEAST> {
    /// Parses a percentage.
    pub fn parse(number: Number) -> Result<Self, InvalidValue> {
        let scaled = number.scaled(DECIMALS).map_err(|error| match error {
            NumberError::Decimals => {
                InvalidValue::new(ValidationCode::TooManyDecimals, format!("must have at most {DECIMALS} decimals"))
            }
            NumberError::Range => out_of_range(LEAST),
        })?;
        let stored = scaled.checked_mul(10_i64.pow(STORED_DECIMALS - DECIMALS));
        stored.and_then(Self::from_ten_thousandths).ok_or_else(|| out_of_range(LEAST))
    }

    /// The percentage of this many ten-thousandths of a percent, if it is within the bounds.
    pub const fn from_ten_thousandths(value: i64) -> Option<Self> {
        if value >= LEAST && value <= MAX_PERCENT { Some(Self(value)) } else { None }
    }

    /// The percentage in ten-thousandths of a percent, as it is stored.
    pub const fn ten_thousandths(self) -> i64 {
        self.0
    }
}

impl<const DECIMALS: u32> Default for Percent<DECIMALS, 0> {
    fn default() -> Self {
        Self(0)
    }
}

fn out_of_range(least: i64) -> InvalidValue {
    let least = if least == 0 { "at least 0" } else { "greater than 0" };
    InvalidValue::new(ValidationCode::OutOfRange, format!("must be {least} and at most 100"))
}

impl<const DECIMALS: u32, const LEAST: i64> std::fmt::Display for Percent<DECIMALS, LEAST> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        crate::number::write_scaled(f, i128::from(self.0), STORED_DECIMALS)
    }
}

impl<const DECIMALS: u32, const LEAST: i64> serde::Serialize for Percent<DECIMALS, LEAST> {
    /// Serialized as a JSON number from its exact text, in the shortest form.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::number::serialize_exact(self, serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Tax = Percentage;
    type Discount = Percent<2, 100>;

    fn tax(text: &str) -> Result<String, ValidationCode> {
        Tax::parse(Number::parse(text).unwrap()).map(|value| value.to_string()).map_err(|reason| reason.code)
    }

    fn discount(text: &str) -> Result<String, ValidationCode> {
        Discount::parse(Number::parse(text).unwrap()).map(|value| value.to_string()).map_err(|reason| reason.code)
    }

    #[test]
    fn bounds_and_decimals_hold() {
        for (text, shown) in [("0", "0"), ("19", "19"), ("8.8750", "8.875"), ("0.0001", "0.0001"), ("1e2", "100")] {
            assert_eq!(tax(text), Ok(shown.to_owned()));
        }
        for (text, code) in [
            ("-0.1", ValidationCode::OutOfRange),
            ("100.0001", ValidationCode::OutOfRange),
            ("1e400", ValidationCode::OutOfRange),
            ("8.87501", ValidationCode::TooManyDecimals),
        ] {
            assert_eq!(tax(text), Err(code), "{text}");
        }
        assert_eq!(discount("0.01"), Ok("0.01".to_owned()));
        assert_eq!(discount("100"), Ok("100".to_owned()));
        assert_eq!(discount("0"), Err(ValidationCode::OutOfRange));
        assert_eq!(discount("12.345"), Err(ValidationCode::TooManyDecimals));
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(value in 0..=MAX_PERCENT) {
            let percent = Tax::from_ten_thousandths(value).unwrap();
            let text = serde_json::to_string(&percent).unwrap();
            prop_assert_eq!(Tax::parse(Number::parse(&text).unwrap()), Ok(percent));
        }
    }
}
