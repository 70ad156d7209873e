//! Taxes: one computation per group of lines with the same behavior and the same rates, on the sum of their amounts.
//! Computed per line, rounding would add up.

use super::apportion::apportion;
use super::{Amount, Exact, Result};
use crate::currency::Currency;
use crate::percent::Percentage;

/// Whether the tax is added to the price or part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the words of the contract")]
pub enum TaxMode {
    Exclusive,
    Inclusive,
}

/// A tax rate of a line. `id` names it; its meaning is the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct TaxRate<Id> {
    pub id: Id,
    pub percentage: Percentage,
}

/// A line, as far as taxes and totals depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct TaxedLine<Id> {
    pub amount: Amount,
    pub discount: Amount,
    pub mode: TaxMode,
    pub rates: Vec<TaxRate<Id>>,
}

impl<Id> TaxedLine<Id> {
    /// The amount less the discount.
    pub fn base(&self) -> Result<Amount> {
        self.amount.minus(self.discount)
    }
}

/// Lines that are taxed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaxGroup<Id> {
    /// Whether the base includes the tax.
    pub mode: TaxMode,
    /// The rates, in the order of the first line.
    pub rates: Vec<TaxRate<Id>>,
    /// The indexes of the lines.
    pub lines: Vec<usize>,
    /// The sum of amounts less discounts.
    pub base: Amount,
}

/// The tax of a group and a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tax<Id> {
    /// The rate.
    pub rate: TaxRate<Id>,
    /// Whether the tax is part of the price.
    pub mode: TaxMode,
    /// What is taxed, without tax.
    pub base: Amount,
    /// The tax.
    pub amount: Amount,
}

/// The groups of lines, in the order of their first lines. The order of a line's rates makes no difference.
pub fn groups<Id: Copy + PartialEq>(lines: &[TaxedLine<Id>]) -> Result<Vec<TaxGroup<Id>>> {
    let mut groups: Vec<TaxGroup<Id>> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        match groups.iter_mut().find(|group| group.contains(line)) {
            Some(group) => {
                group.lines.push(index);
                group.base = group.base.plus(line.base()?)?;
            }
            None => groups.push(TaxGroup {
                mode: line.mode,
                rates: line.rates.clone(),
                lines: vec![index],
                base: line.base()?,
            }),
        }
    }
    Ok(groups)
}

impl<Id: Copy + PartialEq> TaxGroup<Id> {
    fn contains(&self, line: &TaxedLine<Id>) -> bool {
        self.mode == line.mode
            && self.rates.len() == line.rates.len()
            && self.rates.iter().all(|rate| line.rates.contains(rate))
    }

    /// The taxes of the group, one per rate.
    pub fn taxes(&self, currency: Currency) -> Result<Vec<Tax<Id>>> {
        self.taxes_of(self.base, currency)
    }

    /// The taxes of another base, for example of the part of the group that credit notes credited.
    pub fn taxes_of(&self, base: Amount, currency: Currency) -> Result<Vec<Tax<Id>>> {
        let (net, amounts) = match self.mode {
            TaxMode::Exclusive => (base, self.exclusive(base, currency)?),
            TaxMode::Inclusive => self.inclusive(base, currency)?,
        };
        let taxes = self.rates.iter().zip(amounts);
        Ok(taxes.map(|(rate, amount)| Tax { rate: *rate, mode: self.mode, base: net, amount }).collect())
    }

    fn exclusive(&self, base: Amount, currency: Currency) -> Result<Vec<Amount>> {
        let tax = |rate: &TaxRate<Id>| Exact::from(base).times(Exact::percent(rate.percentage)?)?.round(currency);
        self.rates.iter().map(tax).collect()
    }

    /// The net, and the share of each rate in the tax.
    fn inclusive(&self, base: Amount, currency: Currency) -> Result<(Amount, Vec<Amount>)> {
        let mut divisor = Exact::whole(1);
        for rate in &self.rates {
            divisor = divisor.plus(Exact::percent(rate.percentage)?)?;
        }
        let net = Exact::from(base).over(divisor)?.round(currency)?;
        let tax = base.minus(net)?;
        let weights: Vec<i128> = self.rates.iter().map(|rate| rate.percentage.ten_thousandths().into()).collect();
        if weights.iter().all(|weight| *weight == 0) {
            return Ok((net, vec![Amount::ZERO; weights.len()]));
        }
        if tax.is_negative() {
            let shares = apportion(tax.negated(), &weights, currency)?;
            return Ok((net, shares.into_iter().map(Amount::negated).collect()));
        }
        Ok((net, apportion(tax, &weights, currency)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(id: u8, percent: i64) -> TaxRate<u8> {
        TaxRate { id, percentage: Percentage::from_ten_thousandths(percent * 10_000).unwrap() }
    }

    fn line(cents: i64, mode: TaxMode, rates: &[TaxRate<u8>]) -> TaxedLine<u8> {
        let amount = Amount::from_ten_thousandths(cents * 100).unwrap();
        TaxedLine { amount, discount: Amount::ZERO, mode, rates: rates.to_vec() }
    }

    fn amounts(lines: &[TaxedLine<u8>]) -> Vec<Vec<String>> {
        let taxes = |group: &TaxGroup<u8>| group.taxes(Currency::USD).unwrap();
        groups(lines)
            .unwrap()
            .iter()
            .map(|group| taxes(group).iter().map(|tax| tax.amount.to_string()).collect())
            .collect()
    }

    #[test]
    fn lines_are_grouped_by_behavior_and_the_set_of_rates() {
        use TaxMode::{Exclusive, Inclusive};
        let (a, b) = (rate(1, 10), rate(2, 5));
        let lines = [
            line(100, Exclusive, &[a, b]),
            line(100, Inclusive, &[a, b]),
            line(200, Exclusive, &[b, a]),
            line(100, Exclusive, &[a]),
            line(100, Exclusive, &[]),
        ];
        let groups = groups(&lines).unwrap();
        let indexes: Vec<&[usize]> = groups.iter().map(|group| group.lines.as_slice()).collect();
        assert_eq!(indexes, [&[0, 2][..], &[1], &[3], &[4]]);
        assert_eq!(amounts(&lines), [vec!["0.3", "0.15"], vec!["0.09", "0.04"], vec!["0.1"], vec![]]);
    }

    #[test]
    fn an_inclusive_tax_is_split_by_largest_remainder_also_if_negative() {
        // 1.00 with 5 % and 9.975 %: net 0.87, tax 0.13.
        let rates = [rate(1, 5), TaxRate { id: 2, percentage: Percentage::from_ten_thousandths(99_750).unwrap() }];
        assert_eq!(amounts(&[line(100, TaxMode::Inclusive, &rates)]), [["0.04", "0.09"]]);
        assert_eq!(amounts(&[line(-100, TaxMode::Inclusive, &rates)]), [["-0.04", "-0.09"]]);
        // A tie goes to the earlier rate: net 0.91, tax 0.09.
        assert_eq!(amounts(&[line(100, TaxMode::Inclusive, &[rate(1, 5), rate(2, 5)])]), [["0.05", "0.04"]]);
    }

    #[test]
    fn a_rate_of_zero_is_listed_with_no_tax() {
        assert_eq!(amounts(&[line(100, TaxMode::Inclusive, &[rate(1, 0)])]), [["0"]]);
        assert_eq!(amounts(&[line(100, TaxMode::Exclusive, &[rate(1, 0)])]), [["0"]]);
    }
}
