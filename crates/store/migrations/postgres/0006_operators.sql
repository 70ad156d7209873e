-- The operator who requested the change; null for clients and the command line.
ALTER TABLE events ADD COLUMN operator_id UUID;

-- People who manage one organization.
CREATE TABLE operators (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    issuer TEXT COLLATE "C",
    subject TEXT COLLATE "C",
    is_active BOOLEAN NOT NULL,
    last_sign_in_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deleted_at TIMESTAMPTZ,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX operators_by_name ON operators (organization_id, name) WHERE deleted_at IS NULL;
-- An identity signs in to one organization of the installation.
CREATE UNIQUE INDEX operators_by_identity ON operators (issuer, subject) WHERE deleted_at IS NULL AND subject IS NOT NULL;

-- Sign-ins of operators. Of the cookie only the SHA-256 is stored.
CREATE TABLE operator_sessions (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    operator_id UUID NOT NULL,
    cookie_hash BYTEA NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    signed_in_at TIMESTAMPTZ NOT NULL,
    last_used_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    ip_address TEXT COLLATE "C",
    user_agent TEXT COLLATE "C",
    ended_at TIMESTAMPTZ,
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX operator_sessions_by_cookie ON operator_sessions (cookie_hash);
CREATE INDEX operator_sessions_by_operator ON operator_sessions (organization_id, operator_id, id);
CREATE INDEX operator_sessions_by_expiry ON operator_sessions (organization_id, expires_at);

-- Unused one-time links. Only the SHA-256 is stored. A used link is removed.
CREATE TABLE operator_links (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    operator_id UUID NOT NULL,
    link_hash BYTEA NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX operator_links_by_link ON operator_links (link_hash);
CREATE INDEX operator_links_by_operator ON operator_links (organization_id, operator_id, expires_at);
CREATE INDEX operator_links_by_expiry ON operator_links (organization_id, expires_at);
