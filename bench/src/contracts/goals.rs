//! The figures that the contracts of the project name with a number, each with the part of the run that measures it.

use crate::report::goal::Bound::{self, AtLeast, AtMost};

pub(super) struct Spec {
    pub(super) part: &'static str,
    pub(super) key: &'static str,
    pub(super) what: &'static str,
    pub(super) unit: &'static str,
    /// `None`: the contract sets no goal for this engine.
    pub(super) sqlite: Option<Bound>,
    pub(super) postgres: Option<Bound>,
}

const fn both(part: &'static str, key: &'static str, what: &'static str, bound: Bound, unit: &'static str) -> Spec {
    each(part, key, what, (bound, bound), unit)
}

const fn each(
    part: &'static str,
    key: &'static str,
    what: &'static str,
    (sqlite, postgres): (Bound, Bound),
    unit: &'static str,
) -> Spec {
    Spec { part, key, what, unit, sqlite: Some(sqlite), postgres: Some(postgres) }
}

const fn on_postgres(
    part: &'static str,
    key: &'static str,
    what: &'static str,
    bound: Bound,
    unit: &'static str,
) -> Spec {
    Spec { part, key, what, unit, sqlite: None, postgres: Some(bound) }
}

pub(super) const GOALS: &[Spec] = &[
    // Renewals.
    both("renewals", "renewals-rate", "renewals due at one midnight", AtLeast(2_500.0), "/s"),
    both("renewals", "numbered-rate", "renewals with their invoices numbered", AtLeast(1_389.0), "/s"),
    both("renewals", "renewals-loaded", "renewals with the API at half of saturation", AtLeast(500.0), "/s"),
    both("renewals", "renewals-p99", "API p99 during renewals: of quiet", AtMost(2.0), "×"),
    both("renewals", "renewals-other", "100 renewals of another organization", AtMost(5.0), "s"),
    both("renewals", "renewals-memory", "memory above serving during renewals", AtMost(16.0), "MiB"),
    both("renewals", "renewals-events", "events written per renewal", AtMost(4.5), "KB"),
    on_postgres("renewals", "renewals-three", "renewals by three servers: rate of one", AtLeast(1.0), "×"),
    both("idle", "idle-pass", "idle pass over 10,000 organizations: share of a core", AtMost(2.0), "%"),
    // Invoices and usage.
    both("invoices", "issue-rate", "invoices issued in one series", AtLeast(1_400.0), "/s"),
    both("pdf", "pdf", "a PDF of 50 lines", AtMost(20.0), "ms"),
    both("usage", "usage-rate", "usage in calls of 500: events", AtLeast(20_000.0), "/s"),
    both("usage", "usage-p99", "usage in calls of 500: p99", AtMost(100.0), "ms"),
    both("bill", "bill", "a bill over 100,000 usage events", AtMost(100.0), "ms"),
    // Events and webhooks.
    each("webhooks", "hook-p99", "webhook: commit to first byte p99", (AtMost(50.0), AtMost(300.0)), "ms"),
    on_postgres(
        "webhooks",
        "hook-p99-three",
        "webhook with three servers: commit to first byte p99",
        AtMost(300.0),
        "ms",
    ),
    both("webhooks", "deliveries", "deliveries to 20 endpoints that answer in 10 ms", AtLeast(1_000.0), "/s"),
    both("events", "history-p99", "history of a record, 50 events: p99", AtMost(10.0), "ms"),
    both("events", "access-changed", "access that ends by the clock: event after", AtMost(2.0), "s"),
    // Entitlements.
    each(
        "entitlements",
        "entitlements-p99",
        "entitlements of a user, 64 connections: p99",
        (AtMost(5.0), AtMost(8.0)),
        "ms",
    ),
    each("entitlements", "check-p99", "check of a feature, 64 connections: p99", (AtMost(5.0), AtMost(8.0)), "ms"),
    both("entitlements", "check-cpu", "check of a feature: CPU of a read by id", AtMost(1.6), "×"),
    both("entitlements", "many-p99", "entitlements of 10,000 subscriptions: p99 of one", AtMost(3.0), "×"),
    // Users, search, operators.
    both("management", "search-p99", "search: p99", AtMost(10.0), "ms"),
    both("management", "users-p99", "lists of users: p99", AtMost(10.0), "ms"),
    both("management", "operator-cpu", "call by an operator: CPU of a call by a client", AtMost(1.15), "×"),
    both("management", "list-p99", "list of subscriptions: p99", AtMost(50.0), "ms"),
    // Analytics.
    both("analytics", "payments-p99", "list of payments: p99", AtMost(50.0), "ms"),
    both("analytics", "revenue-months", "revenue of 24 months: p99", AtMost(50.0), "ms"),
    both("analytics", "revenue-days", "revenue of 90 days: p99", AtMost(20.0), "ms"),
    both("analytics", "cohorts", "cohorts of 24 months: p99", AtMost(60.0), "ms"),
    both("analytics", "overview", "overview of the console: sum of its p99", AtMost(100.0), "ms"),
    both("ledger", "figure-lag", "commit to figure at 400 events/s: p99", AtMost(10.0), "s"),
    both("ledger", "ledger-no-value", "ledger: events that change no value", AtLeast(5_000.0), "/s"),
    both("ledger", "ledger-customers", "ledger: changed customers", AtLeast(500.0), "/s"),
    both("ledger", "rebuild-rate", "rebuild of the ledger (2,000,000 events in 180 s)", AtLeast(11_111.0), "/s"),
    both("ledger", "rebuild-memory", "rebuild of the ledger: memory above serving", AtMost(64.0), "MiB"),
    both("ledger", "ledger-p99", "API p99 with the ledger: of without", AtMost(1.1), "×"),
    // Payment providers.
    both("connections", "inbox-rate", "webhooks of a provider into the inbox", AtLeast(200.0), "/s"),
    both("connections", "applied-p99", "received to applied, provider in 300 ms: p99", AtMost(2.0), "s"),
    // With `--against`.
    each("compared", "create-cpu", "create: CPU of the earlier build", (AtMost(1.15), AtMost(1.2)), "×"),
    both("compared", "read-cpu", "read by id: CPU of the earlier build", AtMost(1.03), "×"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::PARTS;

    #[test]
    fn every_goal_has_a_part_and_a_unique_key() {
        let mut keys: Vec<&str> = GOALS.iter().map(|goal| goal.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), GOALS.len());
        for goal in GOALS {
            assert!(PARTS.contains(&goal.part), "{}", goal.part);
        }
    }
}
