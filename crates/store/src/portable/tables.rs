//! The tables of a store, each before those that refer to it. Counts of attempts are not among them: they are swept by
//! the minute. A test holds the columns to those of the schema.

use super::Portable;
use crate::value::Type;

/// All of them.
pub static ALL: [&Portable; 12] = [
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
];

/// The rows of `installation`.
pub static INSTALLATION: Portable = Portable::new(
    "installation",
    1,
    &[("id", Type::Int), ("key_fingerprint", Type::Bytes), ("issuer", Type::Text), ("created_at", Type::Time)],
);

/// The rows of `organizations`.
pub static ORGANIZATIONS: Portable = Portable::new(
    "organizations",
    1,
    &[
        ("id", Type::Uuid),
        ("name", Type::Text),
        ("currency", Type::Text),
        ("max_sessions", Type::Int),
        ("created_at", Type::Time),
        ("updated_at", Type::Time),
        ("deleted_at", Type::Time),
        ("revision", Type::Uuid),
    ],
);

/// The rows of `clients`.
pub static CLIENTS: Portable = Portable::new(
    "clients",
    2,
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("name", Type::Text),
        ("kind", Type::Text),
        ("credential_hash", Type::Bytes),
        ("public_id", Type::Text),
        ("scopes", Type::Text),
        ("origins", Type::Text),
        ("cidrs", Type::Text),
        ("expires_at", Type::Time),
        ("disabled_at", Type::Time),
        ("created_at", Type::Time),
        ("updated_at", Type::Time),
        ("revision", Type::Uuid),
    ],
);

/// The rows of `providers`.
pub static PROVIDERS: Portable = Portable::new(
    "providers",
    2,
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("issuer", Type::Text),
        ("kind", Type::Text),
        ("settings", Type::Text),
        ("sealed_secret", Type::Bytes),
        ("created_at", Type::Time),
    ],
);

/// The rows of `signing_keys`.
pub static SIGNING_KEYS: Portable = Portable::new(
    "signing_keys",
    1,
    &[
        ("sequence", Type::Int),
        ("kid", Type::Text),
        ("active_from", Type::Time),
        ("sealed", Type::Bytes),
        ("created_at", Type::Time),
    ],
);

/// The rows of `users`.
pub static USERS: Portable = Portable::known_by(
    Some("email"),
    "users",
    2,
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("email", Type::Text),
        ("issuer", Type::Text),
        ("subject", Type::Text),
        ("auth_type", Type::Text),
        ("username", Type::Text),
        ("first_name", Type::Text),
        ("last_name", Type::Text),
        ("terms", Type::Bool),
        ("notifications", Type::Bool),
        ("session_epoch", Type::Int),
        ("blocked_at", Type::Time),
        ("created_at", Type::Time),
        ("updated_at", Type::Time),
        ("deleted_at", Type::Time),
        ("revision", Type::Uuid),
    ],
);

/// The rows of `plans`.
pub static PLANS: Portable = Portable::known_by(
    Some("slug"),
    "plans",
    2,
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("slug", Type::Text),
        ("name", Type::Text),
        ("product_id", Type::Text),
        ("variants", Type::Text),
        ("price", Type::Int),
        ("currency", Type::Text),
        ("href", Type::Text),
        ("billing_cycle", Type::Text),
        ("description", Type::Text),
        ("node_quota", Type::Int),
        ("features", Type::Text),
        ("most_popular", Type::Bool),
        ("tier", Type::Int),
        ("is_active", Type::Bool),
        ("created_at", Type::Time),
        ("updated_at", Type::Time),
        ("deleted_at", Type::Time),
        ("revision", Type::Uuid),
    ],
);

/// The rows of `subscriptions`.
pub static SUBSCRIPTIONS: Portable = Portable::known_by(
    Some("external_id"),
    "subscriptions",
    2,
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("user_id", Type::Uuid),
        ("plan_id", Type::Uuid),
        ("external_id", Type::Text),
        ("billing_cycle", Type::Text),
        ("status", Type::Text),
        ("is_active", Type::Bool),
        ("starts_at", Type::Time),
        ("renews_at", Type::Time),
        ("ends_at", Type::Time),
        ("created_at", Type::Time),
        ("updated_at", Type::Time),
        ("deleted_at", Type::Time),
        ("revision", Type::Uuid),
    ],
);

/// The rows of `payments`.
pub static PAYMENTS: Portable = Portable::new(
    "payments",
    2,
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("subscription_id", Type::Uuid),
        ("amount", Type::Int),
        ("currency", Type::Text),
        ("external_id", Type::Text),
        ("status", Type::Text),
        ("completed_at", Type::Time),
        ("created_at", Type::Time),
        ("updated_at", Type::Time),
        ("deleted_at", Type::Time),
        ("revision", Type::Uuid),
    ],
);

/// The rows of `sessions`.
pub static SESSIONS: Portable = Portable::new(
    "sessions",
    2,
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("user_id", Type::Uuid),
        ("client_id", Type::Uuid),
        ("generation", Type::Int),
        ("signed_in_at", Type::Time),
        ("rotated_at", Type::Time),
        ("graces", Type::Text),
        ("expires_at", Type::Time),
        ("last_used_at", Type::Time),
        ("ip_address", Type::Text),
        ("user_agent", Type::Text),
        ("revoked_at", Type::Time),
    ],
);

/// The rows of `events`.
pub static EVENTS: Portable = Portable::new(
    "events",
    2,
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("kind", Type::Text),
        ("record_id", Type::Uuid),
        ("client_id", Type::Uuid),
        ("request_id", Type::Text),
        ("at", Type::Time),
        ("before", Type::Text),
        ("after", Type::Text),
    ],
);

/// The rows of `idempotency_keys`.
pub static IDEMPOTENCY_KEYS: Portable = Portable::new(
    "idempotency_keys",
    3,
    &[
        ("organization_id", Type::Uuid),
        ("client_id", Type::Uuid),
        ("key", Type::Text),
        ("fingerprint", Type::Bytes),
        ("status", Type::Int),
        ("body", Type::Text),
        ("location", Type::Text),
        ("etag", Type::Text),
        ("created_at", Type::Time),
        ("expires_at", Type::Time),
    ],
);
