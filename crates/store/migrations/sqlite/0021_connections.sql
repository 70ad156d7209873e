-- Accounts at payment providers. The secrets are sealed.
CREATE TABLE connections (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    mode TEXT NOT NULL,
    account TEXT,
    base_url TEXT NOT NULL,
    drift TEXT NOT NULL,
    collect INTEGER NOT NULL,
    requests_per_minute INTEGER NOT NULL,
    allow_private_addresses INTEGER NOT NULL,
    allow_http INTEGER NOT NULL,
    is_enabled INTEGER NOT NULL,
    state TEXT NOT NULL,
    sealed_secrets BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;
CREATE UNIQUE INDEX connections_by_name ON connections (organization_id, name) WHERE deleted_at IS NULL;

-- What changes with every request, sweep and probe. No event describes it.
CREATE TABLE connection_states (
    organization_id BLOB NOT NULL,
    connection_id BLOB NOT NULL,
    succeeded_at INTEGER,
    failing_since INTEGER,
    probe_at INTEGER,
    paused_until INTEGER,
    slow_until INTEGER,
    tokens INTEGER NOT NULL,
    tokens_at INTEGER,
    cursor TEXT,
    caught_up_at INTEGER,
    sweep TEXT,
    sweep_requested TEXT,
    swept_at INTEGER,
    PRIMARY KEY (organization_id, connection_id)
) STRICT;

-- Which object at a provider is which record here.
CREATE TABLE connection_links (
    organization_id BLOB NOT NULL,
    connection_id BLOB NOT NULL,
    object TEXT NOT NULL,
    external_id TEXT NOT NULL,
    record_id BLOB NOT NULL,
    digest BLOB NOT NULL,
    is_erased INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, connection_id, object, external_id)
) STRICT;
CREATE INDEX connection_links_by_record ON connection_links (organization_id, record_id);

-- Webhooks that were received.
CREATE TABLE connection_inbox (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    connection_id BLOB NOT NULL,
    event_key TEXT NOT NULL,
    kind TEXT,
    object TEXT,
    object_id TEXT,
    unit BLOB,
    state TEXT NOT NULL,
    code TEXT,
    attempts INTEGER NOT NULL,
    next_attempt_at INTEGER,
    occurred_at INTEGER,
    received_at INTEGER NOT NULL,
    settled_at INTEGER,
    body BLOB,
    PRIMARY KEY (organization_id, id)
) STRICT;
CREATE UNIQUE INDEX connection_inbox_by_key ON connection_inbox (organization_id, connection_id, event_key);
CREATE INDEX connection_inbox_by_connection ON connection_inbox (organization_id, connection_id, id);
CREATE INDEX connection_inbox_due ON connection_inbox (next_attempt_at) WHERE state = 'waiting';
CREATE INDEX connection_inbox_by_unit ON connection_inbox (organization_id, unit, id) WHERE state = 'waiting';
CREATE INDEX connection_inbox_by_object ON connection_inbox (organization_id, connection_id, object_id);
CREATE INDEX connection_inbox_bodies ON connection_inbox (received_at) WHERE body IS NOT NULL;

-- Attempts to collect a payment through a provider.
CREATE TABLE connection_collections (
    organization_id BLOB NOT NULL,
    payment_id BLOB NOT NULL,
    number INTEGER NOT NULL,
    connection_id BLOB NOT NULL,
    state TEXT NOT NULL,
    payment_method TEXT,
    customer TEXT,
    intent_id TEXT,
    sends INTEGER NOT NULL,
    sent_at INTEGER,
    next_attempt_at INTEGER,
    code TEXT,
    decline_code TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, payment_id, number)
) STRICT;
CREATE INDEX connection_collections_due ON connection_collections (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX connection_collections_by_intent ON connection_collections (organization_id, intent_id) WHERE intent_id IS NOT NULL;

ALTER TABLE subscriptions ADD COLUMN managed_by BLOB;
