//! Every table of the store, in the order of locks, and what follows from the whole list: the tables that a copy
//! contains and the order of removal. A table's columns are listed once, in the descriptor in the file of its resource. Tests
//! compare the descriptors with the schema of both engines: a table that is missing here fails.

pub use crate::analytics_ledgers::ANALYTICS_LEDGERS;
pub use crate::analytics_movements::ANALYTICS_MOVEMENTS;
pub use crate::analytics_subscriptions::{ANALYTICS_PRICES, ANALYTICS_SUBSCRIPTIONS};
pub use crate::analytics_sums::{ANALYTICS_COHORTS, ANALYTICS_PAYMENTS, ANALYTICS_SUMS};
pub use crate::billing_profiles::BILLING_PROFILES;
pub use crate::clients::CLIENTS;
pub use crate::connection_collections::CONNECTION_COLLECTIONS;
pub use crate::connection_inbox::CONNECTION_INBOX;
pub use crate::connection_links::CONNECTION_LINKS;
pub use crate::connection_states::CONNECTION_STATES;
pub use crate::connections::CONNECTIONS;
pub use crate::coupons::COUPONS;
pub use crate::credit_notes::CREDIT_NOTES;
pub use crate::credits::{CREDIT_BALANCES, CREDITS};
pub use crate::events::EVENTS;
pub use crate::features::{FEATURE_VERSIONS, FEATURES};
pub use crate::feed::FEED;
pub use crate::holds::LIFECYCLE_HOLDS;
pub use crate::idempotency::IDEMPOTENCY_KEYS;
pub use crate::installation::INSTALLATION;
pub use crate::invoices::INVOICES;
pub use crate::leases::LEASES;
pub use crate::meters::METERS;
pub use crate::number_series::NUMBER_SERIES;
pub use crate::operator_links::OPERATOR_LINKS;
pub use crate::operator_sessions::OPERATOR_SESSIONS;
pub use crate::operators::OPERATORS;
pub use crate::organizations::ORGANIZATIONS;
pub use crate::payments::PAYMENTS;
pub use crate::plan_versions::PLAN_VERSIONS;
pub use crate::plans::PLANS;
pub use crate::portal_links::PORTAL_LINKS;
pub use crate::providers::PROVIDERS;
pub use crate::rate_limits::RATE_LIMITS;
pub use crate::sessions::SESSIONS;
pub use crate::signing_keys::SIGNING_KEYS;
pub use crate::subscription_members::SUBSCRIPTION_MEMBERS;
pub use crate::subscriptions::SUBSCRIPTIONS;
pub use crate::tax_rates::TAX_RATES;
pub use crate::test_clocks::TEST_CLOCKS;
pub use crate::usage_events::USAGE_EVENTS;
pub use crate::usage_totals::{USAGE_THRESHOLDS, USAGE_TOTALS};
pub use crate::users::USERS;
pub use crate::webhook_attempts::WEBHOOK_ATTEMPTS;
pub use crate::webhook_endpoints::WEBHOOK_ENDPOINTS;
pub use crate::webhook_readers::WEBHOOK_READERS;
pub use crate::webhook_undelivered::WEBHOOK_UNDELIVERED;

use crate::table::Table;

/// Every table, each before those that refer to it. Locks are taken in this order.
pub static ALL: [&Table; 53] = [
    &INSTALLATION,
    &ORGANIZATIONS,
    &CLIENTS,
    &PROVIDERS,
    &SIGNING_KEYS,
    &USERS,
    &PLANS,
    &SUBSCRIPTIONS,
    &PAYMENTS,
    &SESSIONS,
    &EVENTS,
    &IDEMPOTENCY_KEYS,
    &RATE_LIMITS,
    &PLAN_VERSIONS,
    &OPERATORS,
    &OPERATOR_SESSIONS,
    &OPERATOR_LINKS,
    &FEED,
    &WEBHOOK_ENDPOINTS,
    &LEASES,
    &WEBHOOK_READERS,
    &WEBHOOK_ATTEMPTS,
    &WEBHOOK_UNDELIVERED,
    &TEST_CLOCKS,
    &LIFECYCLE_HOLDS,
    &ANALYTICS_LEDGERS,
    &ANALYTICS_SUBSCRIPTIONS,
    &ANALYTICS_MOVEMENTS,
    &ANALYTICS_SUMS,
    &ANALYTICS_COHORTS,
    &ANALYTICS_PAYMENTS,
    &ANALYTICS_PRICES,
    &TAX_RATES,
    &METERS,
    &COUPONS,
    &CREDITS,
    &CREDIT_BALANCES,
    &BILLING_PROFILES,
    &USAGE_EVENTS,
    &PORTAL_LINKS,
    &INVOICES,
    &CREDIT_NOTES,
    &NUMBER_SERIES,
    &FEATURES,
    &SUBSCRIPTION_MEMBERS,
    &USAGE_TOTALS,
    &USAGE_THRESHOLDS,
    &CONNECTIONS,
    &CONNECTION_STATES,
    &CONNECTION_LINKS,
    &CONNECTION_INBOX,
    &CONNECTION_COLLECTIONS,
    &FEATURE_VERSIONS,
];

/// The tables that a copy of the store contains.
pub fn transferred() -> impl Iterator<Item = &'static Table> {
    ALL.into_iter().filter(|table| !table.is_transient())
}

/// The tables with rows of organizations, except for those with few rows. Rows about people are removed first, and rows
/// that refer to others before those.
pub fn purged() -> Vec<&'static Table> {
    let mut tables: Vec<&Table> = ALL.into_iter().rev().filter(|table| table.is_large()).collect();
    tables.sort_by_key(|table| !table.is_personal());
    tables
}

/// The tables whose rows use the time of the organization, and are removed with its test clock. Rows that refer to others
/// are removed before those.
pub fn under_clock() -> impl Iterator<Item = &'static Table> {
    ALL.into_iter().rev().filter(|table| table.is_under_clock())
}

/// The tables with soft deletion, each before those it refers to.
pub fn soft_deleted() -> impl Iterator<Item = &'static Table> {
    ALL.into_iter().rev().filter(|table| table.is_soft_deleted())
}

/// The tables with a column that refers to this one.
pub fn referring(table: &'static Table) -> impl Iterator<Item = &'static Table> {
    ALL.into_iter().filter(|other| other.references().any(|column| column.references == Some(table.name)))
}

/// The tables whose rows are parts of rows of this one, and are removed with them.
pub fn parts_of(table: &'static Table) -> impl Iterator<Item = &'static Table> {
    ALL.into_iter().filter(|part| part.is_part_of(table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_taken_in_the_order_of_the_list() {
        assert!(ALL.iter().map(|table| usize::from(table.order)).eq(0..ALL.len()));
    }
}
