//! The table of contents: every operation of the service.

use crate::operation::Operation;
use crate::router::Router;
use crate::{
    accounts, analytics, billing_profiles, clients, collect, connections, coupons, credit_notes, credits,
    entitlement_tokens, entitlements, events, features, hooks, invoices, members, meta, meters, operator_session,
    operators, organization, payments, plan_versions, plans, portal_links, search, sessions, subscriptions, tax_rates,
    test_clock, tokens, usage, user_sessions, users, webhook_deliveries, webhook_endpoints,
};
use std::sync::LazyLock;

/// The operations of each resource, in the order of the reference.
static RESOURCES: &[&[Operation]] = &[
    sessions::OPERATIONS,
    tokens::OPERATIONS,
    accounts::OPERATIONS,
    plans::OPERATIONS,
    plan_versions::OPERATIONS,
    subscriptions::OPERATIONS,
    payments::OPERATIONS,
    collect::OPERATIONS,
    users::OPERATIONS,
    user_sessions::OPERATIONS,
    portal_links::OPERATIONS,
    search::OPERATIONS,
    clients::OPERATIONS,
    organization::OPERATIONS,
    test_clock::OPERATIONS,
    operators::OPERATIONS,
    operator_session::OPERATIONS,
    events::OPERATIONS,
    webhook_endpoints::OPERATIONS,
    webhook_deliveries::OPERATIONS,
    analytics::OPERATIONS,
    tax_rates::OPERATIONS,
    coupons::OPERATIONS,
    meters::OPERATIONS,
    features::OPERATIONS,
    entitlements::OPERATIONS,
    entitlement_tokens::OPERATIONS,
    members::OPERATIONS,
    usage::OPERATIONS,
    billing_profiles::OPERATIONS,
    credits::OPERATIONS,
    connections::OPERATIONS,
    hooks::OPERATIONS,
    invoices::OPERATIONS,
    credit_notes::OPERATIONS,
    meta::OPERATIONS,
];

/// The routes to all of them.
pub(crate) static ROUTER: LazyLock<Router> = LazyLock::new(|| Router::new(RESOURCES));

/// Every operation.
pub(crate) fn all() -> &'static [&'static Operation] {
    ROUTER.operations()
}
