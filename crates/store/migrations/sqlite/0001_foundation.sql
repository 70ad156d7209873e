-- Types here: a time is INTEGER microseconds since 1970, an id 16 BLOB bytes, money INTEGER 10^-4 units.
-- Every key begins with the organization. A row with deleted_at is gone for everyone but the auditor.

CREATE TABLE installation (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    key_fingerprint BLOB NOT NULL,
    issuer TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE organizations (
    id BLOB NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    currency TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX organizations_by_name ON organizations (name);

CREATE TABLE clients (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    -- SHA-256 of what the client-id header carries; a trusted client's own text is never stored.
    credential_hash BLOB NOT NULL,
    public_id TEXT,
    scopes TEXT NOT NULL,
    origins TEXT NOT NULL,
    cidrs TEXT NOT NULL,
    expires_at INTEGER,
    disabled_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE UNIQUE INDEX clients_by_credential ON clients (credential_hash);

CREATE TABLE users (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    email TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE UNIQUE INDEX users_by_email ON users (organization_id, email)
    WHERE deleted_at IS NULL AND email IS NOT NULL;

CREATE TABLE plans (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    slug TEXT NOT NULL,
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
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE UNIQUE INDEX plans_by_slug ON plans (organization_id, slug) WHERE deleted_at IS NULL;
CREATE INDEX plans_by_tier ON plans (organization_id, tier, slug) WHERE deleted_at IS NULL;

CREATE TABLE subscriptions (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    plan_id BLOB NOT NULL,
    external_id TEXT,
    billing_cycle TEXT NOT NULL,
    status TEXT NOT NULL,
    is_active INTEGER NOT NULL,
    starts_at INTEGER NOT NULL,
    renews_at INTEGER,
    ends_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

-- Creation order is id order, so the primary key serves it. Each index here serves a filter or a sort of the list.
CREATE INDEX subscriptions_by_user ON subscriptions (organization_id, user_id, id) WHERE deleted_at IS NULL;
CREATE INDEX subscriptions_by_plan ON subscriptions (organization_id, plan_id, id) WHERE deleted_at IS NULL;
CREATE INDEX subscriptions_by_status ON subscriptions (organization_id, status, id) WHERE deleted_at IS NULL;
CREATE INDEX subscriptions_by_renewal ON subscriptions (organization_id, renews_at, id) WHERE deleted_at IS NULL;
CREATE INDEX subscriptions_by_end ON subscriptions (organization_id, ends_at, id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX subscriptions_by_external ON subscriptions (organization_id, external_id)
    WHERE deleted_at IS NULL AND external_id IS NOT NULL;

CREATE TABLE payments (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    subscription_id BLOB NOT NULL,
    amount INTEGER NOT NULL,
    currency TEXT NOT NULL,
    external_id TEXT,
    status TEXT NOT NULL,
    completed_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE UNIQUE INDEX payments_by_external ON payments (organization_id, external_id)
    WHERE deleted_at IS NULL AND external_id IS NOT NULL;

-- One row for every change of a record, written in the same transaction, never rewritten.
CREATE TABLE events (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    kind TEXT NOT NULL,
    record_id BLOB NOT NULL,
    client_id BLOB,
    request_id TEXT,
    at INTEGER NOT NULL,
    before TEXT,
    after TEXT,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE TABLE idempotency_keys (
    organization_id BLOB NOT NULL,
    client_id BLOB NOT NULL,
    key TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    status INTEGER NOT NULL,
    body TEXT NOT NULL,
    location TEXT NOT NULL,
    etag TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, client_id, key)
) STRICT;

-- For the sweep of keys past their day; appended in order, so it costs little.
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (organization_id, expires_at);
