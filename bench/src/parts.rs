//! The parts of the figures of the contracts.

/// What `--only` may name, in the order of a run.
pub(crate) const PARTS: [&str; 14] = [
    "usage",
    "bill",
    "invoices",
    "pdf",
    "webhooks",
    "entitlements",
    "management",
    "connections",
    "events",
    "analytics",
    "ledger",
    "renewals",
    "idle",
    "compared",
];
