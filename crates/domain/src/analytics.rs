//! Revenue analytics: the definitions behind every figure, as pure functions of events and an instant.
//!
//! Amounts are exact: the value of a subscription is what it pays in two years, an integer of ten-thousandths. Monthly revenue is
//! that value divided by 24, and a division happens only when a figure is rounded for a response.

pub mod calendar;
pub mod cohorts;
pub mod contribution;
pub mod event;
pub mod history;
pub mod movement;
pub mod movements;
pub mod payments;
pub mod range;
pub mod revenue;
pub mod rounding;
pub mod state;
pub mod steps;
pub mod sums;

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

use crate::cycle::BillingCycle;
use crate::money::Money;

/// What a subscription pays in two years, in ten-thousandths of the currency's unit.
pub type Value = i128;

/// The months of the period that a value covers.
pub const MONTHS: i128 = 24;

/// The value of a subscription: the only definition.
pub const fn value(price: Money, quantity: i64, cycle: BillingCycle) -> Value {
    price.ten_thousandths() as i128 * quantity as i128 * payments_in_two_years(cycle) as i128
}

/// How often a cycle bills in two years.
const fn payments_in_two_years(cycle: BillingCycle) -> i64 {
    match cycle {
        BillingCycle::Daily => 730,
        BillingCycle::Weekly => 104,
        BillingCycle::Biweekly => 52,
        BillingCycle::Monthly => 24,
        BillingCycle::Quarterly => 8,
        BillingCycle::Semiannual => 4,
        BillingCycle::Yearly => 2,
        BillingCycle::Biennial => 1,
        BillingCycle::Lifetime => 0,
    }
}
