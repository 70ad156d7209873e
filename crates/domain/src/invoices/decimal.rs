//! Exact decimal numbers of lines: quantities, prices per unit and percentages.

use super::{Amount, Exact, Percentage, Result};
use crate::money::Money;
use crate::number::{serialize_exact, write_scaled};

/// An exact decimal number, `digits × 10^-decimals`. It serializes as a JSON number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal {
    /// All digits.
    pub digits: i128,
    /// How many of them are decimals.
    pub decimals: u8,
}

impl Decimal {
    /// The number of this many digits, of which so many are decimals.
    pub const fn new(digits: i128, decimals: u8) -> Self {
        Self { digits, decimals }
    }

    /// The exact number.
    pub fn exact(self) -> Result<Exact> {
        Exact::decimal(self.digits, self.decimals.into())
    }

    /// Whether the number is zero.
    pub const fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// The percentage that the number is, if it is within the bounds.
    pub fn percentage(self) -> Option<Percentage> {
        const DECIMALS: u32 = 4;
        let decimals = u32::from(self.decimals);
        let value = if decimals <= DECIMALS {
            self.digits.checked_mul(10_i128.pow(DECIMALS - decimals))?
        } else {
            let divisor = 10_i128.checked_pow(decimals - DECIMALS)?;
            (self.digits % divisor == 0).then_some(self.digits / divisor)?
        };
        Percentage::from_ten_thousandths(i64::try_from(value).ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let decimals = u8::try_from(fraction.len()).ok().filter(|decimals| *decimals <= 20)?;
        let digits = format!("{whole}{fraction}").parse().ok()?;
        Some(Self { digits, decimals })
    }
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Self {
        Self::new(number.into(), 0)
    }
}

impl From<Amount> for Decimal {
    fn from(amount: Amount) -> Self {
        Self::new(amount.ten_thousandths().into(), 4)
    }
}

impl From<Money> for Decimal {
    fn from(money: Money) -> Self {
        Self::new(money.ten_thousandths().into(), 4)
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write_scaled(f, self.digits, self.decimals.into())
    }
}

impl serde::Serialize for Decimal {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serialize_exact(self, serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Decimal {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = <&serde_json::value::RawValue>::deserialize(deserializer)?;
        Self::parse(text.get()).ok_or_else(|| serde::de::Error::custom("not a decimal number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_written_in_the_shortest_form_and_read_back() {
        for (decimal, text) in [
            (Decimal::new(200, 4), "0.02"),
            (Decimal::new(3, 0), "3"),
            (Decimal::new(-15, 1), "-1.5"),
            (Decimal::new(1, 10), "0.0000000001"),
        ] {
            assert_eq!(serde_json::to_string(&decimal).unwrap(), text);
            let read: Decimal = serde_json::from_str(text).unwrap();
            assert_eq!(read.to_string(), text);
        }
    }
}
