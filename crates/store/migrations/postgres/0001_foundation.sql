-- Types here: a time is TIMESTAMPTZ, an id UUID, money BIGINT 10^-4 units, text in byte order as SQLite has it.
-- Every key begins with the organization. A row with deleted_at is gone for everyone but the auditor.

CREATE TABLE installation (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    key_fingerprint BYTEA NOT NULL,
    issuer TEXT COLLATE "C" NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE organizations (
    id UUID NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    revision UUID NOT NULL
);

CREATE UNIQUE INDEX organizations_by_name ON organizations (name);

CREATE TABLE clients (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    -- SHA-256 of what the client-id header carries; a trusted client's own text is never stored.
    credential_hash BYTEA NOT NULL,
    public_id TEXT COLLATE "C",
    scopes TEXT COLLATE "C" NOT NULL,
    origins TEXT COLLATE "C" NOT NULL,
    cidrs TEXT COLLATE "C" NOT NULL,
    expires_at TIMESTAMPTZ,
    disabled_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX clients_by_credential ON clients (credential_hash);

CREATE TABLE users (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    email TEXT COLLATE "C",
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deleted_at TIMESTAMPTZ,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX users_by_email ON users (organization_id, email)
    WHERE deleted_at IS NULL AND email IS NOT NULL;

CREATE TABLE plans (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    slug TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    product_id TEXT COLLATE "C",
    variants TEXT COLLATE "C" NOT NULL,
    price BIGINT NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    href TEXT COLLATE "C",
    billing_cycle TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    node_quota BIGINT NOT NULL,
    features TEXT COLLATE "C" NOT NULL,
    most_popular BOOLEAN NOT NULL,
    tier BIGINT NOT NULL,
    is_active BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deleted_at TIMESTAMPTZ,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX plans_by_slug ON plans (organization_id, slug) WHERE deleted_at IS NULL;
CREATE INDEX plans_by_tier ON plans (organization_id, tier, slug) WHERE deleted_at IS NULL;

CREATE TABLE subscriptions (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    user_id UUID NOT NULL,
    plan_id UUID NOT NULL,
    external_id TEXT COLLATE "C",
    billing_cycle TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    is_active BOOLEAN NOT NULL,
    starts_at TIMESTAMPTZ NOT NULL,
    renews_at TIMESTAMPTZ,
    ends_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deleted_at TIMESTAMPTZ,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, id)
);

-- Creation order is id order, so the primary key serves it. Each index here serves a filter or a sort of the list.
CREATE INDEX subscriptions_by_user ON subscriptions (organization_id, user_id, id) WHERE deleted_at IS NULL;
CREATE INDEX subscriptions_by_plan ON subscriptions (organization_id, plan_id, id) WHERE deleted_at IS NULL;
CREATE INDEX subscriptions_by_status ON subscriptions (organization_id, status, id) WHERE deleted_at IS NULL;
CREATE INDEX subscriptions_by_renewal ON subscriptions (organization_id, renews_at, id) WHERE deleted_at IS NULL;
CREATE INDEX subscriptions_by_end ON subscriptions (organization_id, ends_at, id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX subscriptions_by_external ON subscriptions (organization_id, external_id)
    WHERE deleted_at IS NULL AND external_id IS NOT NULL;

CREATE TABLE payments (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    subscription_id UUID NOT NULL,
    amount BIGINT NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    external_id TEXT COLLATE "C",
    status TEXT COLLATE "C" NOT NULL,
    completed_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deleted_at TIMESTAMPTZ,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX payments_by_external ON payments (organization_id, external_id)
    WHERE deleted_at IS NULL AND external_id IS NOT NULL;

-- One row for every change of a record, written in the same transaction, never rewritten.
CREATE TABLE events (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    record_id UUID NOT NULL,
    client_id UUID,
    request_id TEXT COLLATE "C",
    at TIMESTAMPTZ NOT NULL,
    before TEXT COLLATE "C",
    after TEXT COLLATE "C",
    PRIMARY KEY (organization_id, id)
);

CREATE TABLE idempotency_keys (
    organization_id UUID NOT NULL,
    client_id UUID NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    fingerprint BYTEA NOT NULL,
    status BIGINT NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    location TEXT COLLATE "C" NOT NULL,
    etag TEXT COLLATE "C" NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, client_id, key)
);

-- For the sweep of keys past their day; appended in order, so it costs little.
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (organization_id, expires_at);
