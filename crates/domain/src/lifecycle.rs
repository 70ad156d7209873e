//! The lifecycle of a billed subscription: its calendar, its actions, and what callers may change.
//!
//! Every decision is a pure function of the stored record, the settings and an instant. All fields that an action sets are
//! computed from the instant of the action, so that a late action leaves what a punctual one leaves.

mod action;
pub mod actions;
pub mod bill;
pub mod billing;
mod bills;
pub mod calendar;
mod change;
mod convert;
mod create;
pub mod forecast;
mod invoiced;
mod period;
mod update;

#[cfg(test)]
mod calls;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod test_support;

use crate::coupons::Coupon;
use crate::cycle::BillingCycle;
use crate::organizations::billing::OrganizationBilling;
use crate::plans::Plan;
use std::sync::Arc;

/// What a decision needs to know in addition to the subscription.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The settings of the organization.
    pub settings: OrganizationBilling,
    /// The subscription's own plan, if it was read.
    pub own: Option<Arc<Plan>>,
    /// The plan that a pending or a new `change` names.
    pub next: Option<Arc<Plan>>,
    /// The billing cycle of the plan version that the subscription has, if it was read.
    pub pinned_cycle: Option<BillingCycle>,
    /// The coupon of the subscription's discount: the new one, if it is set now.
    pub coupon: Option<Arc<Coupon>>,
    /// How many invoices of a subscription that becomes billed are overdue.
    pub overdue_invoices: i64,
}
