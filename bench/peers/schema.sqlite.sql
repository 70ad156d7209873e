-- The tables of a peer on SQLite: the same columns and the same indexes as Perennial's, for one tenant.
PRAGMA journal_mode = WAL;

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT UNIQUE,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);

CREATE TABLE plans (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    product_id TEXT,
    variants TEXT NOT NULL,
    price INTEGER NOT NULL,
    currency TEXT NOT NULL,
    href TEXT,
    billing_cycle TEXT NOT NULL,
    description TEXT NOT NULL,
    node_quota INTEGER NOT NULL,
    features TEXT NOT NULL,
    most_popular INTEGER NOT NULL,
    tier INTEGER NOT NULL,
    is_active INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);

CREATE TABLE subscriptions (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    plan_id TEXT NOT NULL,
    external_id TEXT,
    billing_cycle TEXT NOT NULL,
    status TEXT NOT NULL,
    is_active INTEGER NOT NULL,
    starts_at TEXT NOT NULL,
    renews_at TEXT,
    ends_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);

CREATE INDEX subscriptions_by_user ON subscriptions (user_id, id);
CREATE INDEX subscriptions_by_plan ON subscriptions (plan_id, id);
CREATE INDEX subscriptions_by_status ON subscriptions (status, id);
CREATE INDEX subscriptions_by_renewal ON subscriptions (renews_at, id);
CREATE INDEX subscriptions_by_end ON subscriptions (ends_at, id) WHERE ends_at IS NOT NULL;
CREATE UNIQUE INDEX subscriptions_by_external ON subscriptions (external_id) WHERE external_id IS NOT NULL;
