//! Exact decimal numbers.

use perennial_domain::invoices::Amount;
use perennial_domain::percent::Percentage;

/// An exact decimal number, `digits × 10^-decimals`: a quantity or a price per unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are plain")]
pub struct Decimal {
    pub digits: i128,
    pub decimals: u8,
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Self {
        Self { digits: number.into(), decimals: 0 }
    }
}

impl From<Amount> for Decimal {
    fn from(amount: Amount) -> Self {
        Self { digits: amount.ten_thousandths().into(), decimals: 4 }
    }
}

impl From<Percentage> for Decimal {
    fn from(percentage: Percentage) -> Self {
        Self { digits: percentage.ten_thousandths().into(), decimals: 4 }
    }
}
