-- Time-limited claims of servers on units of background work. The owner is drawn for each claim, so that a server that lost
-- one cannot write under it.
CREATE TABLE leases (
    organization_id UUID NOT NULL,
    job TEXT COLLATE "C" NOT NULL,
    unit UUID NOT NULL,
    owner UUID NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, job, unit)
);

-- The position of each webhook endpoint in the feed, and the state of its circuit.
CREATE TABLE webhook_readers (
    organization_id UUID NOT NULL,
    endpoint_id UUID NOT NULL,
    sequence BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    failing_since TIMESTAMPTZ,
    probes BIGINT NOT NULL,
    next_probe_at TIMESTAMPTZ,
    PRIMARY KEY (organization_id, endpoint_id)
);

-- Attempts to deliver events.
CREATE TABLE webhook_attempts (
    organization_id UUID NOT NULL,
    endpoint_id UUID NOT NULL,
    id UUID NOT NULL,
    event_id UUID NOT NULL,
    event_type TEXT COLLATE "C" NOT NULL,
    cause TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    status BIGINT,
    error TEXT COLLATE "C",
    duration_ms BIGINT NOT NULL,
    response TEXT COLLATE "C" NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, endpoint_id, id)
);

-- Events that an endpoint has not received and that its reader has passed.
CREATE TABLE webhook_undelivered (
    organization_id UUID NOT NULL,
    endpoint_id UUID NOT NULL,
    sequence BIGINT NOT NULL,
    event_id UUID NOT NULL,
    event_type TEXT COLLATE "C" NOT NULL,
    record_id UUID NOT NULL,
    entered_at TIMESTAMPTZ NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    attempts BIGINT NOT NULL,
    is_resend BOOLEAN NOT NULL,
    next_attempt_at TIMESTAMPTZ,
    first_failed_at TIMESTAMPTZ,
    last_status BIGINT,
    last_error TEXT COLLATE "C",
    PRIMARY KEY (organization_id, endpoint_id, sequence)
);

CREATE INDEX webhook_undelivered_by_due ON webhook_undelivered (organization_id, endpoint_id, next_attempt_at)
WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_undelivered_by_record ON webhook_undelivered (organization_id, endpoint_id, record_id, sequence);
