-- Time-limited claims of servers on units of background work. The owner is drawn for each claim, so that a server that lost
-- one cannot write under it.
CREATE TABLE leases (
    organization_id BLOB NOT NULL,
    job TEXT NOT NULL,
    unit BLOB NOT NULL,
    owner BLOB NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, job, unit)
) STRICT, WITHOUT ROWID;

-- The position of each webhook endpoint in the feed, and the state of its circuit.
CREATE TABLE webhook_readers (
    organization_id BLOB NOT NULL,
    endpoint_id BLOB NOT NULL,
    sequence INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    failing_since INTEGER,
    probes INTEGER NOT NULL,
    next_probe_at INTEGER,
    PRIMARY KEY (organization_id, endpoint_id)
) STRICT, WITHOUT ROWID;

-- Attempts to deliver events.
CREATE TABLE webhook_attempts (
    organization_id BLOB NOT NULL,
    endpoint_id BLOB NOT NULL,
    id BLOB NOT NULL,
    event_id BLOB NOT NULL,
    event_type TEXT NOT NULL,
    cause TEXT NOT NULL,
    number INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    status INTEGER,
    error TEXT,
    duration_ms INTEGER NOT NULL,
    response TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, endpoint_id, id)
) STRICT, WITHOUT ROWID;

-- Events that an endpoint has not received and that its reader has passed.
CREATE TABLE webhook_undelivered (
    organization_id BLOB NOT NULL,
    endpoint_id BLOB NOT NULL,
    sequence INTEGER NOT NULL,
    event_id BLOB NOT NULL,
    event_type TEXT NOT NULL,
    record_id BLOB NOT NULL,
    entered_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    is_resend INTEGER NOT NULL,
    next_attempt_at INTEGER,
    first_failed_at INTEGER,
    last_status INTEGER,
    last_error TEXT,
    PRIMARY KEY (organization_id, endpoint_id, sequence)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_undelivered_by_due ON webhook_undelivered (organization_id, endpoint_id, next_attempt_at)
WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_undelivered_by_record ON webhook_undelivered (organization_id, endpoint_id, record_id, sequence);
