//! Exact fractions of 128-bit integers, in units of the currency, and the only rounding of the project.
//! Every operation is checked: an overflow is [`OutOfRange`].

use std::cmp::Ordering;

use super::{Amount, OutOfRange, Result};
use crate::currency::Currency;
use crate::percent::Percentage;

/// The decimals of [`Amount`] and of a percentage.
const DECIMALS: u32 = 4;

/// An exact fraction in its lowest terms; the denominator is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    numerator: i128,
    denominator: i128,
}

impl Exact {
    /// Zero.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// The fraction `numerator / denominator`. A denominator of zero is out of range.
    pub fn new(numerator: i128, denominator: i128) -> Result<Self> {
        // The smallest integer has no absolute value; without it, signs turn without a check.
        if denominator == 0 || numerator == i128::MIN || denominator == i128::MIN {
            return Err(OutOfRange);
        }
        let divisor = greatest_common_divisor(numerator, denominator) * denominator.signum();
        Ok(Self { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// A whole number.
    pub fn whole(number: i64) -> Self {
        Self { numerator: i128::from(number), denominator: 1 }
    }

    /// The decimal number `digits × 10^-decimals`.
    pub fn decimal(digits: i128, decimals: u32) -> Result<Self> {
        Self::new(digits, 10_i128.checked_pow(decimals).ok_or(OutOfRange)?)
    }

    /// The percentage as a fraction of one: 19 % is 19/100.
    pub(super) fn percent(percentage: Percentage) -> Result<Self> {
        Self::decimal(i128::from(percentage.ten_thousandths()), DECIMALS + 2)
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Result<Self> {
        let divisor = greatest_common_divisor(self.denominator, other.denominator);
        let left = product(self.numerator, other.denominator / divisor)?;
        let right = product(other.numerator, self.denominator / divisor)?;
        let denominator = product(self.denominator, other.denominator / divisor)?;
        Self::new(left.checked_add(right).ok_or(OutOfRange)?, denominator)
    }

    /// The difference.
    pub fn minus(self, other: Self) -> Result<Self> {
        self.plus(other.negated())
    }

    /// The product. Common factors are removed first, so that it overflows only if it cannot be represented.
    pub fn times(self, other: Self) -> Result<Self> {
        let (left, right) =
            (Self::new(self.numerator, other.denominator)?, Self::new(other.numerator, self.denominator)?);
        Self::new(product(left.numerator, right.numerator)?, product(left.denominator, right.denominator)?)
    }

    /// The quotient. Division by zero is out of range.
    pub fn over(self, other: Self) -> Result<Self> {
        self.times(Self::new(other.denominator, other.numerator)?)
    }

    /// The number with its sign turned.
    pub fn negated(self) -> Self {
        Self { numerator: -self.numerator, ..self }
    }

    /// The smallest whole number that is not smaller.
    pub fn ceiling(self) -> Self {
        let floor = self.numerator.div_euclid(self.denominator);
        let numerator = floor + i128::from(self.numerator.rem_euclid(self.denominator) != 0);
        Self { numerator, denominator: 1 }
    }

    /// The sign: −1, 0 or 1.
    pub const fn signum(self) -> i128 {
        self.numerator.signum()
    }

    /// Compares two numbers.
    pub fn compare(self, other: Self) -> Result<Ordering> {
        self.minus(other).map(|difference| difference.signum().cmp(&0))
    }

    /// The amount: rounded once, half away from zero, to the decimals of the currency.
    pub fn round(self, currency: Currency) -> Result<Amount> {
        let decimals = currency.decimals();
        let scaled = product(self.numerator, 10_i128.pow(decimals))?;
        let (whole, rest) = (scaled.abs() / self.denominator, scaled.abs() % self.denominator);
        let rounded = whole + i128::from(rest >= self.denominator - rest);
        let step = 10_i128.pow(DECIMALS - decimals);
        Amount::from_wide(product(product(rounded, step)?, self.signum())?)
    }
}

impl From<Amount> for Exact {
    fn from(amount: Amount) -> Self {
        Self::decimal(i128::from(amount.ten_thousandths()), DECIMALS).expect("an amount is a short decimal number")
    }
}

fn product(left: i128, right: i128) -> Result<i128> {
    left.checked_mul(right).filter(|product| *product != i128::MIN).ok_or(OutOfRange)
}

/// Of absolute values; at least 1.
fn greatest_common_divisor(left: i128, right: i128) -> i128 {
    let (mut left, mut right) = (left.abs(), right.abs());
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rounded(numerator: i128, denominator: i128, currency: &str) -> String {
        Exact::new(numerator, denominator).unwrap().round(Currency::parse(currency).unwrap()).unwrap().to_string()
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        assert_eq!((rounded(5, 1_000, "USD"), rounded(-5, 1_000, "USD")), ("0.01".into(), "-0.01".into()));
        assert_eq!((rounded(4_999, 1_000_000, "USD"), rounded(-4_999, 1_000_000, "USD")), ("0".into(), "0".into()));
        assert_eq!(
            (rounded(5, 2, "JPY"), rounded(-5, 2, "JPY"), rounded(7, 3, "JPY")),
            ("3".into(), "-3".into(), "2".into())
        );
        assert_eq!((rounded(1, 3, "KWD"), rounded(2, 3, "CLF")), ("0.333".into(), "0.6667".into()));
    }

    #[test]
    fn an_overflow_is_an_error() {
        let huge = Exact::new(i128::MAX, 1).unwrap();
        let tiny = Exact::new(1, i128::MAX).unwrap();
        assert_eq!(huge.times(huge), Err(OutOfRange));
        assert_eq!(huge.plus(huge), Err(OutOfRange));
        assert_eq!(huge.plus(tiny), Err(OutOfRange));
        assert_eq!(huge.round(Currency::USD), Err(OutOfRange));
        assert_eq!(huge.over(Exact::ZERO), Err(OutOfRange));
        assert_eq!(Exact::new(i128::MIN, 1), Err(OutOfRange));
        assert_eq!(Exact::new(1, i128::MIN), Err(OutOfRange));
        assert_eq!(huge.times(tiny), Ok(Exact::whole(1)));
        assert_eq!(tiny.round(Currency::USD), Ok(Amount::ZERO));
    }

    #[test]
    fn a_ceiling_is_not_smaller() {
        for (numerator, denominator, ceiling) in
            [(0, 1, 0), (1, 1_000, 1), (1_000, 1_000, 1), (1_001, 1_000, 2), (-3, 2, -1)]
        {
            assert_eq!(Exact::new(numerator, denominator).unwrap().ceiling(), Exact::whole(ceiling));
        }
    }

    proptest! {
        #[test]
        fn a_rounded_number_differs_by_at_most_half_a_step(
            numerator in -1_000_000_000_000_i128..1_000_000_000_000, denominator in 1_i128..1_000_000,
        ) {
            for code in ["JPY", "USD", "KWD", "CLF"] {
                let currency = Currency::parse(code).unwrap();
                let exact = Exact::new(numerator, denominator).unwrap();
                let difference = Exact::from(exact.round(currency).unwrap()).minus(exact).unwrap();
                let half = Exact::new(1, 2 * 10_i128.pow(currency.decimals())).unwrap();
                prop_assert!(difference.compare(half).unwrap().is_le() && difference.negated().compare(half).unwrap().is_le());
                prop_assert_eq!(exact.negated().round(currency).unwrap(), exact.round(currency).unwrap().negated());
            }
        }

        #[test]
        fn fractions_obey_the_laws_of_arithmetic(
            a in -10_000_i128..10_000, b in 1_i128..500, c in -10_000_i128..10_000, d in 1_i128..500,
        ) {
            let (left, right) = (Exact::new(a, b).unwrap(), Exact::new(-c, -d).unwrap());
            prop_assert_eq!(left.plus(right).unwrap(), Exact::new(a * d + c * b, b * d).unwrap());
            prop_assert_eq!(left.times(right).unwrap(), Exact::new(a * c, b * d).unwrap());
            prop_assert_eq!(left.plus(right).unwrap().minus(right).unwrap(), left);
            if c != 0 {
                prop_assert_eq!(left.over(right).unwrap().times(right).unwrap(), left);
            }
            prop_assert_eq!(left.compare(right).unwrap(), (a * d).cmp(&(c * b)));
        }
    }
}
