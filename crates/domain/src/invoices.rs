//! The arithmetic of invoices: pure functions over plain data.
//!
//! Every intermediate value is an exact fraction of 128-bit integers, and a line is rounded once, half away from zero. A value that
//! is too large is the error [`OutOfRange`], never a panic. Nothing here reads a record, a clock or a store.
#![deny(clippy::float_arithmetic)]

mod amount;
mod apportion;
pub mod content;
pub mod credit_note;
pub mod credit_notes;
pub mod crediting;
mod decimal;
pub mod discounts;
pub mod dunning;
mod exact;
pub mod fees;
pub mod issuing;
pub mod items;
pub mod numbers;
pub mod payments;
pub mod pricing;
pub mod record;
pub mod status;
pub mod taxes;
pub mod totals;
pub mod transitions;
pub mod usage;

#[cfg(test)]
mod examples;
#[cfg(test)]
mod properties;

pub use crate::percent::Percentage;
pub use amount::Amount;
pub use decimal::Decimal;
pub use exact::Exact;

/// A result, or a value in between, does not fit. The subscription is parked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

/// A result of exact arithmetic.
pub type Result<T> = std::result::Result<T, OutOfRange>;

/// What a line of an invoice bills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words of the contract")]
pub enum LineKind {
    Fee,
    Usage,
    ProrationCredit,
    ProrationCharge,
    Item,
}

impl LineKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Fee, Self::Usage, Self::ProrationCredit, Self::ProrationCharge, Self::Item];

    /// The word in the API and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fee => "fee",
            Self::Usage => "usage",
            Self::ProrationCredit => "proration_credit",
            Self::ProrationCharge => "proration_charge",
            Self::Item => "item",
        }
    }

    /// The kind of a stored word.
    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Whether the line is money for time: a fee or a proration.
    pub const fn is_for_time(self) -> bool {
        matches!(self, Self::Fee | Self::ProrationCredit | Self::ProrationCharge)
    }
}
