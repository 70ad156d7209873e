//! Discounts of a coupon, per line. A discount is never more than its line, and credits and items have none.

use super::{Amount, Exact, LineKind, Result};
use crate::currency::Currency;
use crate::percent::Percentage;

/// What a coupon takes off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discount {
    /// A part of every line.
    Percent(Percentage),
    /// An amount, taken from the lines in order until it is used up. It is for cycle invoices and for changes that begin a new
    /// period; within a period, a change has none.
    Amount(Amount),
}

/// A line, as far as its discount depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscountLine {
    /// What the line bills.
    pub kind: LineKind,
    /// The line's amount.
    pub amount: Amount,
    /// Whether the coupon is for the line's plan.
    pub is_eligible: bool,
}

/// The discount of each line, in order. The rest of an amount is not carried over.
pub fn discounts(discount: Discount, lines: &[DiscountLine], currency: Currency) -> Result<Vec<Amount>> {
    match discount {
        Discount::Percent(percent) => {
            let fraction = Exact::percent(percent)?;
            lines.iter().map(|line| Exact::from(line.discountable()).times(fraction)?.round(currency)).collect()
        }
        Discount::Amount(amount) => {
            let mut left = amount.or_zero();
            lines
                .iter()
                .map(|line| {
                    let taken = left.min(line.discountable());
                    left = left.minus(taken)?;
                    Ok(taken)
                })
                .collect()
        }
    }
}

impl DiscountLine {
    fn discountable(&self) -> Amount {
        match self.kind {
            LineKind::Fee | LineKind::Usage | LineKind::ProrationCharge if self.is_eligible => self.amount.or_zero(),
            LineKind::Fee
            | LineKind::Usage
            | LineKind::ProrationCharge
            | LineKind::ProrationCredit
            | LineKind::Item => Amount::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cents(cents: i64) -> Amount {
        Amount::from_ten_thousandths(cents * 100).unwrap()
    }

    fn line(kind: LineKind, amount: i64, is_eligible: bool) -> DiscountLine {
        DiscountLine { kind, amount: cents(amount), is_eligible }
    }

    #[test]
    fn credits_items_and_other_plans_have_no_discount() {
        let lines = [
            line(LineKind::ProrationCredit, -500, true),
            line(LineKind::Item, 1_000, true),
            line(LineKind::Usage, 1_000, false),
            line(LineKind::ProrationCharge, 999, true),
        ];
        let half = Discount::Percent(Percentage::from_ten_thousandths(500_000).unwrap());
        assert_eq!(discounts(half, &lines, Currency::USD).unwrap(), [0, 0, 0, 500].map(cents));
        assert_eq!(discounts(Discount::Amount(cents(700)), &lines, Currency::USD).unwrap(), [0, 0, 0, 700].map(cents));
    }

    #[test]
    fn an_amount_is_taken_from_the_lines_in_order_until_it_is_used_up() {
        let lines =
            [line(LineKind::Fee, 2_900, true), line(LineKind::Usage, 600, true), line(LineKind::Usage, 900, true)];
        let taken = |amount| discounts(Discount::Amount(cents(amount)), &lines, Currency::USD).unwrap();
        assert_eq!(taken(3_000), [2_900, 100, 0].map(cents));
        assert_eq!(taken(5_000), [2_900, 600, 900].map(cents));
        assert_eq!(taken(-5), [0, 0, 0].map(cents));
    }
}
