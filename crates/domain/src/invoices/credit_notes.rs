//! Credit notes of an invoice: how much can be credited, over which tax groups it is spread, and its tax.
//!
//! The tax of a note is the tax of everything credited so far minus the tax credited before, so that any pieces add up to the
//! invoice's tax exactly.

use super::apportion::apportion;
use super::status::InvoiceStatus;
use super::taxes::{self, Tax, TaxGroup, TaxedLine};
use super::totals::Totals;
use super::{Amount, LineKind, OutOfRange, Result};
use crate::currency::Currency;

/// An issued invoice, as far as its credit notes depend on it.
#[derive(Clone, Debug)]
pub struct CreditedInvoice<Id> {
    currency: Currency,
    kinds: Vec<LineKind>,
    amounts: Vec<Amount>,
    groups: Vec<TaxGroup<Id>>,
    total: Amount,
    credited: Credited,
}

/// What earlier notes credited of an invoice.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Credited {
    /// Of each tax group: the sum of amounts less discounts.
    pub groups: Vec<Amount>,
    /// Of fees and prorations.
    pub of_time: Amount,
    /// Of usage and items.
    pub of_others: Amount,
    /// The total of all notes, with tax.
    pub total: Amount,
}

/// What a note credits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreditRequest {
    /// An amount before exclusive tax and with inclusive tax, over all tax groups.
    Amount(Amount),
    /// Amounts of lines, by index.
    Lines(Vec<(usize, Amount)>),
}

/// Why a note is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreditError {
    /// More than is left of a tax group, of the sum, of the total, or of the period's fees.
    ExceedsInvoice,
    /// An amount or a line is not positive.
    NotPositive,
    /// The invoice has no line with this index.
    UnknownLine,
    /// A value does not fit.
    OutOfRange,
}

impl From<OutOfRange> for CreditError {
    fn from(_: OutOfRange) -> Self {
        Self::OutOfRange
    }
}

/// A note, in the user's favor: amounts are positive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditNote<Id> {
    /// What is credited of each tax group, in the order of the invoice's groups.
    pub groups: Vec<Amount>,
    /// The totals.
    pub totals: Totals<Id>,
    /// What is credited of fees and prorations: it reduces what a later change credits.
    pub of_time: Amount,
    /// What all notes credited, this one included.
    pub credited: Credited,
}

impl<Id: Copy + PartialEq> CreditedInvoice<Id> {
    /// The invoice with these lines, of which earlier notes credited `credited`. Before the first note that is the default.
    pub fn new(lines: &[(LineKind, TaxedLine<Id>)], currency: Currency, credited: Credited) -> Result<Self> {
        let (kinds, lines): (Vec<LineKind>, Vec<TaxedLine<Id>>) = lines.iter().cloned().unzip();
        let groups = taxes::groups(&lines)?;
        let mut credited = credited;
        credited.groups.resize(groups.len(), Amount::ZERO);
        let total = Totals::of(&lines, currency)?.total;
        let amounts = lines.iter().map(TaxedLine::base).collect::<Result<_>>()?;
        Ok(Self { currency, kinds, amounts, groups, total, credited })
    }

    /// The tax groups.
    pub fn groups(&self) -> &[TaxGroup<Id>] {
        &self.groups
    }

    /// The note that a request describes. `left_of_period` is what notes left of the fees and prorations of the invoice's period, on
    /// all of its invoices.
    pub fn credit(
        &self,
        request: &CreditRequest,
        left_of_period: Amount,
    ) -> std::result::Result<CreditNote<Id>, CreditError> {
        let left = self.left()?;
        let (groups, of_time, of_others) = match request {
            CreditRequest::Amount(amount) => self.spread(*amount, &left)?,
            CreditRequest::Lines(lines) => self.of_lines(lines)?,
        };
        let sum = Amount::sum(groups.iter().copied())?;
        let exceeds_group = groups.iter().zip(&left).any(|(credit, left)| exceeds(*credit, *left));
        if exceeds_group || sum > Amount::sum(left)? || (of_time > Amount::ZERO && of_time > left_of_period) {
            return Err(CreditError::ExceedsInvoice);
        }
        let note = self.note(groups, sum, of_time, of_others)?;
        // With negative groups of other rates, rounding can leave a total that the invoice does not cover.
        if note.totals.total.is_negative() || note.credited.total > self.total {
            return Err(CreditError::ExceedsInvoice);
        }
        Ok(note)
    }

    fn left(&self) -> Result<Vec<Amount>> {
        self.groups.iter().zip(&self.credited.groups).map(|(group, credited)| group.base.minus(*credited)).collect()
    }

    /// An amount over the groups, in proportion to what is left. Usage and items are credited first.
    fn spread(
        &self,
        amount: Amount,
        left: &[Amount],
    ) -> std::result::Result<(Vec<Amount>, Amount, Amount), CreditError> {
        if amount <= Amount::ZERO {
            return Err(CreditError::NotPositive);
        }
        if amount > Amount::sum(left.iter().copied())? {
            return Err(CreditError::ExceedsInvoice);
        }
        let weights: Vec<i128> = left.iter().map(|left| left.ten_thousandths().into()).collect();
        let groups = apportion(amount, &weights, self.currency)?;
        let others = self.kinds.iter().zip(&self.amounts).filter(|(kind, _)| !kind.is_for_time());
        let others = Amount::sum(others.map(|(_, amount)| *amount))?.minus(self.credited.of_others)?;
        let of_others = amount.min(others.or_zero());
        Ok((groups, amount.minus(of_others)?, of_others))
    }

    fn of_lines(&self, lines: &[(usize, Amount)]) -> std::result::Result<(Vec<Amount>, Amount, Amount), CreditError> {
        let mut groups = vec![Amount::ZERO; self.groups.len()];
        let (mut of_time, mut of_others) = (Amount::ZERO, Amount::ZERO);
        for (line, amount) in lines {
            let kind = self.kinds.get(*line).ok_or(CreditError::UnknownLine)?;
            if *amount <= Amount::ZERO || self.amounts[*line] <= Amount::ZERO {
                return Err(CreditError::NotPositive);
            }
            let group = self.groups.iter().position(|group| group.lines.contains(line));
            let group = group.ok_or(CreditError::UnknownLine)?;
            groups[group] = groups[group].plus(*amount)?;
            let part = if kind.is_for_time() { &mut of_time } else { &mut of_others };
            *part = part.plus(*amount)?;
        }
        if lines.is_empty() {
            return Err(CreditError::NotPositive);
        }
        Ok((groups, of_time, of_others))
    }

    fn note(&self, groups: Vec<Amount>, sum: Amount, of_time: Amount, of_others: Amount) -> Result<CreditNote<Id>> {
        let mut after = self.credited.clone();
        let mut found = Vec::new();
        for (index, group) in self.groups.iter().enumerate() {
            let before = after.groups[index];
            after.groups[index] = before.plus(groups[index])?;
            if !groups[index].is_zero() {
                found.extend(difference(group, after.groups[index], before, self.currency)?);
            }
        }
        let totals = Totals::from_parts(sum, Amount::ZERO, found)?;
        after.of_time = after.of_time.plus(of_time)?;
        after.of_others = after.of_others.plus(of_others)?;
        after.total = after.total.plus(totals.total)?;
        Ok(CreditNote { groups, totals, of_time, credited: after })
    }
}

/// The taxes of one base minus those of another.
fn difference<Id: Copy + PartialEq>(
    group: &TaxGroup<Id>,
    after: Amount,
    before: Amount,
    currency: Currency,
) -> Result<Vec<Tax<Id>>> {
    let taxes = group.taxes_of(after, currency)?.into_iter().zip(group.taxes_of(before, currency)?);
    taxes
        .map(|(after, before)| {
            Ok(Tax { base: after.base.minus(before.base)?, amount: after.amount.minus(before.amount)?, ..after })
        })
        .collect()
}

/// Whether a credit is more than what is left, on the side of its sign.
fn exceeds(credit: Amount, left: Amount) -> bool {
    if left.is_negative() { credit < left || credit > Amount::ZERO } else { credit > left || credit.is_negative() }
}

/// What a note reduces of what is due, and what is left for its settlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settlement {
    /// What reduces the invoice's amount due.
    pub applied: Amount,
    /// What goes to the balance or is refunded.
    pub rest: Amount,
}

impl Settlement {
    /// Settles the total of a note with its invoice.
    pub fn of(total: Amount, amount_due: Amount, status: InvoiceStatus) -> Result<Self> {
        let applied = if status.is_due() { total.min(amount_due.or_zero()) } else { Amount::ZERO };
        Ok(Self { applied, rest: total.minus(applied)? })
    }
}

#[cfg(test)]
mod tests;
