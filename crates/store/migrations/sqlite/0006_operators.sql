-- The operator who requested the change; null for clients and the command line.
ALTER TABLE events ADD COLUMN operator_id BLOB;

-- People who manage one organization.
CREATE TABLE operators (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    issuer TEXT,
    subject TEXT,
    is_active INTEGER NOT NULL,
    last_sign_in_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE UNIQUE INDEX operators_by_name ON operators (organization_id, name) WHERE deleted_at IS NULL;
-- An identity signs in to one organization of the installation.
CREATE UNIQUE INDEX operators_by_identity ON operators (issuer, subject) WHERE deleted_at IS NULL AND subject IS NOT NULL;

-- Sign-ins of operators. Of the cookie only the SHA-256 is stored.
CREATE TABLE operator_sessions (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    operator_id BLOB NOT NULL,
    cookie_hash BLOB NOT NULL,
    method TEXT NOT NULL,
    signed_in_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ip_address TEXT,
    user_agent TEXT,
    ended_at INTEGER,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE UNIQUE INDEX operator_sessions_by_cookie ON operator_sessions (cookie_hash);
CREATE INDEX operator_sessions_by_operator ON operator_sessions (organization_id, operator_id, id);
CREATE INDEX operator_sessions_by_expiry ON operator_sessions (organization_id, expires_at);

-- Unused one-time links. Only the SHA-256 is stored. A used link is removed.
CREATE TABLE operator_links (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    operator_id BLOB NOT NULL,
    link_hash BLOB NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE UNIQUE INDEX operator_links_by_link ON operator_links (link_hash);
CREATE INDEX operator_links_by_operator ON operator_links (organization_id, operator_id, expires_at);
CREATE INDEX operator_links_by_expiry ON operator_links (organization_id, expires_at);
