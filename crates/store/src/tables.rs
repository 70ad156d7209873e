//! Every table of the store, its columns listed once. All derived statements, the transfer of whole stores, the
//! removal of records and the order of locks follow from these descriptors. Tests compare them with the schema of both
//! engines.
//!
//! To add a column: one line in each migration, one line here, and one each in `write` and `read` of the record.

use crate::column::Column;
use crate::table::{Conflict, Sweep, Table};
use crate::value::Type;

/// Every table, each before those that refer to it. Locks are taken in this order.
pub static ALL: [&Table; 13] = [
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
];

/// One row: which master key the store belongs to.
pub static INSTALLATION: Table = Table::new(
    0,
    "installation",
    &[
        Column::key("id", Type::Int).unread(),
        Column::fixed("key_fingerprint", Type::Bytes),
        Column::fixed("issuer", Type::Text),
        Column::fixed("created_at", Type::Time),
    ],
);

/// The organizations. A deleted one is a record too, so `deleted_at` is an ordinary column here.
pub static ORGANIZATIONS: Table = Table::new(
    1,
    "organizations",
    &[
        Column::key("id", Type::Uuid),
        Column::fixed("name", Type::Text),
        Column::fixed("currency", Type::Text),
        Column::mutable("max_sessions", Type::Int).nullable(),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::fixed("deleted_at", Type::Time).nullable(),
        Column::mutable("revision", Type::Uuid),
    ],
);

/// The clients. The hash of a credential is searched for and never read.
pub static CLIENTS: Table = Table::new(
    2,
    "clients",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("name", Type::Text),
        Column::fixed("kind", Type::Text),
        Column::fixed("credential_hash", Type::Bytes).unread(),
        Column::fixed("public_id", Type::Text).nullable(),
        Column::mutable("scopes", Type::Text),
        Column::mutable("origins", Type::Text),
        Column::mutable("cidrs", Type::Text),
        Column::mutable("expires_at", Type::Time).nullable(),
        Column::mutable("disabled_at", Type::Time).nullable(),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::mutable("revision", Type::Uuid),
    ],
)
.small();

/// The identity providers, their secrets sealed.
pub static PROVIDERS: Table = Table::new(
    3,
    "providers",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("issuer", Type::Text),
        Column::fixed("kind", Type::Text),
        Column::fixed("settings", Type::Text),
        Column::fixed("sealed_secret", Type::Bytes).nullable(),
        Column::fixed("created_at", Type::Time),
    ],
)
.small();

/// The signing keys, sealed.
pub static SIGNING_KEYS: Table = Table::new(
    4,
    "signing_keys",
    &[
        Column::key("sequence", Type::Int),
        Column::fixed("kid", Type::Text),
        Column::fixed("active_from", Type::Time),
        Column::fixed("sealed", Type::Bytes),
        Column::fixed("created_at", Type::Time).unread(),
    ],
);

/// The users.
pub static USERS: Table = Table::new(
    5,
    "users",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::mutable("email", Type::Text).nullable().unique(),
        Column::mutable("issuer", Type::Text).nullable(),
        Column::mutable("subject", Type::Text).nullable(),
        Column::mutable("auth_type", Type::Text).nullable(),
        Column::mutable("username", Type::Text).nullable(),
        Column::mutable("first_name", Type::Text).nullable(),
        Column::mutable("last_name", Type::Text).nullable(),
        Column::mutable("terms", Type::Bool).nullable(),
        Column::mutable("notifications", Type::Bool).nullable(),
        Column::mutable("session_epoch", Type::Int),
        Column::fixed("blocked_at", Type::Time).nullable(),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::deleted_at(),
        Column::mutable("revision", Type::Uuid),
    ],
)
.personal();

/// The plans.
pub static PLANS: Table = Table::new(
    6,
    "plans",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("slug", Type::Text).unique(),
        Column::fixed("name", Type::Text),
        Column::fixed("product_id", Type::Text).nullable(),
        Column::fixed("variants", Type::Text),
        Column::mutable("price", Type::Int),
        Column::fixed("currency", Type::Text),
        Column::fixed("href", Type::Text).nullable(),
        Column::mutable("billing_cycle", Type::Text),
        Column::mutable("description", Type::Text),
        Column::mutable("node_quota", Type::Int),
        Column::mutable("features", Type::Text),
        Column::mutable("most_popular", Type::Bool),
        Column::mutable("tier", Type::Int),
        Column::mutable("is_active", Type::Bool),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::deleted_at(),
        Column::mutable("revision", Type::Uuid),
    ],
)
.deleted_unless("SELECT 1 FROM subscriptions WHERE organization_id = $1 AND plan_id = $2 AND deleted_at IS NULL");

/// The subscriptions.
pub static SUBSCRIPTIONS: Table = Table::new(
    7,
    "subscriptions",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::mutable("user_id", Type::Uuid).refers_to("users"),
        Column::mutable("plan_id", Type::Uuid).refers_to("plans"),
        Column::mutable("external_id", Type::Text).nullable().unique(),
        Column::mutable("billing_cycle", Type::Text),
        Column::mutable("status", Type::Text),
        Column::mutable("is_active", Type::Bool),
        Column::mutable("starts_at", Type::Time),
        Column::mutable("renews_at", Type::Time).nullable(),
        Column::mutable("ends_at", Type::Time).nullable(),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::deleted_at(),
        Column::mutable("revision", Type::Uuid),
    ],
);

/// The payments.
pub static PAYMENTS: Table = Table::new(
    8,
    "payments",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::mutable("subscription_id", Type::Uuid).refers_to("subscriptions"),
        Column::mutable("amount", Type::Int),
        Column::mutable("currency", Type::Text),
        Column::mutable("external_id", Type::Text).nullable().unique(),
        Column::mutable("status", Type::Text),
        Column::mutable("completed_at", Type::Time).nullable(),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::deleted_at(),
        Column::mutable("revision", Type::Uuid),
    ],
);

/// The sessions.
pub static SESSIONS: Table = Table::new(
    9,
    "sessions",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("user_id", Type::Uuid).refers_to("users"),
        Column::fixed("client_id", Type::Uuid),
        Column::fixed("generation", Type::Int),
        Column::fixed("signed_in_at", Type::Time),
        Column::fixed("rotated_at", Type::Time),
        Column::fixed("graces", Type::Text),
        Column::fixed("expires_at", Type::Time),
        Column::fixed("last_used_at", Type::Time),
        Column::fixed("ip_address", Type::Text).nullable(),
        Column::fixed("user_agent", Type::Text).nullable(),
        Column::fixed("revoked_at", Type::Time).nullable(),
    ],
)
.on_conflict(Conflict::Fail)
.personal()
.swept(Sweep { due: "expires_at <= $2", order: "expires_at" });

/// The events: appended, never rewritten.
pub static EVENTS: Table = Table::new(
    10,
    "events",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("kind", Type::Text),
        Column::fixed("record_id", Type::Uuid),
        Column::fixed("client_id", Type::Uuid).nullable(),
        Column::fixed("operator_id", Type::Uuid).nullable(),
        Column::fixed("request_id", Type::Text).nullable(),
        Column::fixed("at", Type::Time),
        Column::fixed("before", Type::Text).nullable(),
        Column::fixed("after", Type::Text).nullable(),
    ],
)
.on_conflict(Conflict::Fail)
.swept(Sweep { due: "id < $2", order: "id" });

/// The idempotency keys with the stored responses. An expired key is free: the next request with it replaces the row.
pub static IDEMPOTENCY_KEYS: Table = Table::new(
    11,
    "idempotency_keys",
    &[
        Column::key("organization_id", Type::Uuid).unread(),
        Column::key("client_id", Type::Uuid).unread(),
        Column::key("key", Type::Text).unread(),
        Column::fixed("fingerprint", Type::Bytes),
        Column::fixed("status", Type::Int),
        Column::fixed("body", Type::Text),
        Column::fixed("location", Type::Text),
        Column::fixed("etag", Type::Text),
        Column::fixed("created_at", Type::Time).unread(),
        Column::fixed("expires_at", Type::Time),
    ],
)
.on_conflict(Conflict::ReplaceIf("idempotency_keys.expires_at <= excluded.created_at"))
.swept(Sweep { due: "expires_at <= $2", order: "expires_at" });

/// Attempts that servers with a common store have counted, by the minute.
pub static RATE_LIMITS: Table = Table::new(
    12,
    "rate_limits",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("window_start", Type::Time),
        Column::key("bucket", Type::Bytes),
        Column::fixed("used", Type::Int),
    ],
)
.transient()
.swept(Sweep { due: "window_start < $2", order: "window_start, bucket" });

/// The tables that a copy of the store contains.
pub fn transferred() -> impl Iterator<Item = &'static Table> {
    ALL.into_iter().filter(|table| !table.is_transient())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_taken_in_the_order_of_the_list() {
        assert!(ALL.iter().map(|table| usize::from(table.order)).eq(0..ALL.len()));
    }
}
