//! The totals of an invoice or credit note, computed from its lines, and what is due.

use super::taxes::{self, Tax, TaxMode, TaxedLine};
use super::{Amount, Result};
use crate::currency::Currency;

/// Everything that follows from the lines.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct Totals<Id> {
    pub subtotal: Amount,
    pub discount: Amount,
    /// One per group of lines and rate.
    pub taxes: Vec<Tax<Id>>,
    pub tax: Amount,
    pub tax_included: Amount,
    pub total: Amount,
}

impl<Id: Copy + PartialEq> Totals<Id> {
    /// Computes the totals. A negative total is a credit note's.
    pub fn of(lines: &[TaxedLine<Id>], currency: Currency) -> Result<Self> {
        let mut found = Vec::new();
        for group in taxes::groups(lines)? {
            found.extend(group.taxes(currency)?);
        }
        let subtotal = Amount::sum(lines.iter().map(|line| line.amount))?;
        let discount = Amount::sum(lines.iter().map(|line| line.discount))?;
        Self::from_parts(subtotal, discount, found)
    }

    /// The totals of a known subtotal, discount and taxes.
    pub(super) fn from_parts(subtotal: Amount, discount: Amount, taxes: Vec<Tax<Id>>) -> Result<Self> {
        let tax = Amount::sum(taxes.iter().map(|tax| tax.amount))?;
        let included = taxes.iter().filter(|tax| tax.mode == TaxMode::Inclusive);
        let tax_included = Amount::sum(included.map(|tax| tax.amount))?;
        let total = Amount::sum([subtotal, discount.negated(), tax, tax_included.negated()])?;
        Ok(Self { subtotal, discount, taxes, tax, tax_included, total })
    }
}

impl<Id: Copy> Totals<Id> {
    /// The totals with their signs turned: of the credit note of a change whose total is negative.
    pub fn negated(&self) -> Self {
        let turned = |tax: &Tax<Id>| Tax { base: tax.base.negated(), amount: tax.amount.negated(), ..*tax };
        Self {
            subtotal: self.subtotal.negated(),
            discount: self.discount.negated(),
            taxes: self.taxes.iter().map(turned).collect(),
            tax: self.tax.negated(),
            tax_included: self.tax_included.negated(),
            total: self.total.negated(),
        }
    }
}

/// What an invoice uses of the user's balance when it is issued.
pub fn credit_applied(balance: Amount, total: Amount) -> Amount {
    balance.min(total).or_zero()
}

/// The amounts that reduce what is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct Settled {
    pub credit_applied: Amount,
    pub amount_paid: Amount,
    pub amount_credited: Amount,
}

impl Settled {
    /// What is due of a total. Of a void invoice nothing is due: do not ask.
    pub fn amount_due(self, total: Amount) -> Result<Amount> {
        let settled = [self.credit_applied, self.amount_paid, self.amount_credited].map(Amount::negated);
        Amount::sum([total].into_iter().chain(settled))
    }
}
