//! Figures of a response: an exact quotient, rounded once, half away from zero.

use super::MONTHS;
use crate::currency::Currency;

/// The decimals of a rate.
const RATE_DECIMALS: u32 = 6;
/// The decimals of a stored amount.
const STORED_DECIMALS: u32 = 4;

/// A rounded number. It serializes as a JSON number in its shortest form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    digits: i128,
    decimals: u32,
}

impl Figure {
    /// Zero.
    pub const ZERO: Self = Self { digits: 0, decimals: 0 };
}

/// A value as monthly revenue.
pub fn monthly(value: i128, currency: Currency) -> Figure {
    money(value, MONTHS, currency)
}

/// A quotient of ten-thousandths as an amount of money.
pub fn money(numerator: i128, divisor: i128, currency: Currency) -> Figure {
    let decimals = currency.decimals();
    let unit = 10_i128.pow(STORED_DECIMALS - decimals);
    Figure { digits: divide(numerator, divisor.saturating_mul(unit)), decimals }
}

/// A quotient as a rate; none if the divisor is 0.
pub fn rate(numerator: i128, divisor: i128) -> Option<Figure> {
    let scale = 10_i128.pow(RATE_DECIMALS);
    (divisor != 0).then(|| Figure { digits: multiply_divide(numerator, scale, divisor), decimals: RATE_DECIMALS })
}

/// `a * b / divisor`, rounded.
pub(super) fn multiply_divide(a: i128, b: i128, divisor: i128) -> i128 {
    let common = gcd(b.unsigned_abs(), divisor.unsigned_abs());
    let (b, mut divisor) = (b / common, divisor / common);
    // No amount of this service comes near the limit. Beyond it, the last bits of both are given up.
    let (mut a, mut b) = (a, b);
    loop {
        match a.checked_mul(b) {
            Some(product) => return divide(product, divisor),
            None if a.unsigned_abs() > b.unsigned_abs() => a /= 2,
            None => b /= 2,
        }
        divisor = (divisor / 2).max(1);
    }
}

/// The quotient of two integers, rounded half away from zero.
fn divide(numerator: i128, divisor: i128) -> i128 {
    let (quotient, rest) = (numerator / divisor, numerator % divisor);
    let is_up = rest.unsigned_abs() >= divisor.unsigned_abs() - rest.unsigned_abs();
    let away = if (numerator < 0) == (divisor < 0) { 1 } else { -1 };
    if is_up { quotient + away } else { quotient }
}

fn gcd(a: u128, b: u128) -> i128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a.max(1)).unwrap_or(1)
}

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mut digits, mut decimals) = (self.digits, self.decimals);
        while decimals > 0 && digits % 10 == 0 {
            (digits, decimals) = (digits / 10, decimals - 1);
        }
        if decimals == 0 {
            return write!(f, "{digits}");
        }
        let unit = 10_u128.pow(decimals);
        let (whole, fraction) = (digits.unsigned_abs() / unit, digits.unsigned_abs() % unit);
        let (sign, width) = (if digits < 0 { "-" } else { "" }, decimals as usize);
        write!(f, "{sign}{whole}.{fraction:0width$}")
    }
}

impl serde::Serialize for Figure {
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

    fn usd(numerator: i128, divisor: i128) -> String {
        money(numerator, divisor, Currency::USD).to_string()
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        assert_eq!(
            (usd(50, 1), usd(49, 1), usd(-50, 1), usd(-49, 1)),
            ("0.01".into(), "0".into(), "-0.01".into(), "0".into())
        );
        assert_eq!(usd(5_800_000, 24), "24.17");
        assert_eq!(money(5_000, 1, Currency::parse("JPY").unwrap()).to_string(), "1");
        assert_eq!(money(10_005, 1, Currency::parse("KWD").unwrap()).to_string(), "1.001");
        assert_eq!(rate(1, 4).unwrap().to_string(), "0.25");
        assert_eq!(rate(1, 3).unwrap().to_string(), "0.333333");
        assert_eq!(rate(2, 3).unwrap().to_string(), "0.666667");
        assert_eq!(rate(-1, 2_000_000).unwrap().to_string(), "-0.000001");
        assert_eq!(rate(0, 7).unwrap().to_string(), "0");
        assert_eq!(rate(1, 0), None);
    }

    proptest! {
        #[test]
        fn a_rounded_quotient_is_within_half_a_unit(a in -1_000_000_000_000_i128..1_000_000_000_000, b in 1_i128..1_000_000) {
            let rounded = divide(a, b);
            prop_assert!((rounded * b - a).abs() * 2 <= b);
            prop_assert_eq!(divide(-a, b), -rounded);
        }

        #[test]
        fn a_product_beyond_the_range_is_divided_without_overflow(a: i128, b in 1..i128::MAX, divisor in 1..i128::MAX) {
            let _ = multiply_divide(a / 4, b, divisor);
        }
    }
}
