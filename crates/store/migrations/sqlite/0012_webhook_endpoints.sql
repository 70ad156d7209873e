-- URLs that receive an organization's events. The secrets are sealed.
CREATE TABLE webhook_endpoints (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    url TEXT NOT NULL,
    description TEXT NOT NULL,
    types TEXT NOT NULL,
    payload TEXT NOT NULL,
    signature TEXT NOT NULL,
    is_active INTEGER NOT NULL,
    state TEXT NOT NULL,
    disabled_reason TEXT,
    disabled_at INTEGER,
    sealed_secrets BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;
