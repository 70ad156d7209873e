-- Accounts at payment providers. The secrets are sealed.
CREATE TABLE connections (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    mode TEXT COLLATE "C" NOT NULL,
    account TEXT COLLATE "C",
    base_url TEXT COLLATE "C" NOT NULL,
    drift TEXT COLLATE "C" NOT NULL,
    collect BOOLEAN NOT NULL,
    requests_per_minute BIGINT NOT NULL,
    allow_private_addresses BOOLEAN NOT NULL,
    allow_http BOOLEAN NOT NULL,
    is_enabled BOOLEAN NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    sealed_secrets BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deleted_at TIMESTAMPTZ,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX connections_by_name ON connections (organization_id, name) WHERE deleted_at IS NULL;

-- What changes with every request, sweep and probe. No event describes it.
CREATE TABLE connection_states (
    organization_id UUID NOT NULL,
    connection_id UUID NOT NULL,
    succeeded_at TIMESTAMPTZ,
    failing_since TIMESTAMPTZ,
    probe_at TIMESTAMPTZ,
    paused_until TIMESTAMPTZ,
    slow_until TIMESTAMPTZ,
    tokens BIGINT NOT NULL,
    tokens_at TIMESTAMPTZ,
    cursor TEXT COLLATE "C",
    caught_up_at TIMESTAMPTZ,
    sweep TEXT COLLATE "C",
    sweep_requested TEXT COLLATE "C",
    swept_at TIMESTAMPTZ,
    PRIMARY KEY (organization_id, connection_id)
);

-- Which object at a provider is which record here.
CREATE TABLE connection_links (
    organization_id UUID NOT NULL,
    connection_id UUID NOT NULL,
    object TEXT COLLATE "C" NOT NULL,
    external_id TEXT COLLATE "C" NOT NULL,
    record_id UUID NOT NULL,
    digest BYTEA NOT NULL,
    is_erased BOOLEAN NOT NULL,
    seen_at TIMESTAMPTZ NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, connection_id, object, external_id)
);
CREATE INDEX connection_links_by_record ON connection_links (organization_id, record_id);

-- Webhooks that were received.
CREATE TABLE connection_inbox (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    connection_id UUID NOT NULL,
    event_key TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C",
    object TEXT COLLATE "C",
    object_id TEXT COLLATE "C",
    unit UUID,
    state TEXT COLLATE "C" NOT NULL,
    code TEXT COLLATE "C",
    attempts BIGINT NOT NULL,
    next_attempt_at TIMESTAMPTZ,
    occurred_at TIMESTAMPTZ,
    received_at TIMESTAMPTZ NOT NULL,
    settled_at TIMESTAMPTZ,
    body BYTEA,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX connection_inbox_by_key ON connection_inbox (organization_id, connection_id, event_key);
CREATE INDEX connection_inbox_by_connection ON connection_inbox (organization_id, connection_id, id);
CREATE INDEX connection_inbox_due ON connection_inbox (next_attempt_at) WHERE state = 'waiting';
CREATE INDEX connection_inbox_by_unit ON connection_inbox (organization_id, unit, id) WHERE state = 'waiting';
CREATE INDEX connection_inbox_by_object ON connection_inbox (organization_id, connection_id, object_id);
CREATE INDEX connection_inbox_bodies ON connection_inbox (received_at) WHERE body IS NOT NULL;

-- Attempts to collect a payment through a provider.
CREATE TABLE connection_collections (
    organization_id UUID NOT NULL,
    payment_id UUID NOT NULL,
    number BIGINT NOT NULL,
    connection_id UUID NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    payment_method TEXT COLLATE "C",
    customer TEXT COLLATE "C",
    intent_id TEXT COLLATE "C",
    sends BIGINT NOT NULL,
    sent_at TIMESTAMPTZ,
    next_attempt_at TIMESTAMPTZ,
    code TEXT COLLATE "C",
    decline_code TEXT COLLATE "C",
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, payment_id, number)
);
CREATE INDEX connection_collections_due ON connection_collections (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX connection_collections_by_intent ON connection_collections (organization_id, intent_id) WHERE intent_id IS NOT NULL;

ALTER TABLE subscriptions ADD COLUMN managed_by UUID;
