-- Who a user is at an identity provider, and what the person told us. Erased together with the account.
ALTER TABLE users ADD COLUMN issuer TEXT COLLATE "C";
ALTER TABLE users ADD COLUMN subject TEXT COLLATE "C";
ALTER TABLE users ADD COLUMN auth_type TEXT COLLATE "C";
ALTER TABLE users ADD COLUMN username TEXT COLLATE "C";
ALTER TABLE users ADD COLUMN first_name TEXT COLLATE "C";
ALTER TABLE users ADD COLUMN last_name TEXT COLLATE "C";
ALTER TABLE users ADD COLUMN terms BOOLEAN;
ALTER TABLE users ADD COLUMN notifications BOOLEAN;
-- Moves on whenever a session begins or all of them end, so that no sign-in slips past a revoke-all.
ALTER TABLE users ADD COLUMN session_epoch BIGINT NOT NULL DEFAULT 0;

CREATE UNIQUE INDEX users_by_identity ON users (organization_id, issuer, subject)
    WHERE deleted_at IS NULL AND subject IS NOT NULL;

-- How many sessions a user should have at most; none is no bound.
ALTER TABLE organizations ADD COLUMN max_sessions BIGINT;

-- What one sign-in began. The refresh token is made from the id, the generation and a key that is not in the store.
CREATE TABLE sessions (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    user_id UUID NOT NULL,
    client_id UUID NOT NULL,
    generation BIGINT NOT NULL,
    signed_in_at TIMESTAMPTZ NOT NULL,
    rotated_at TIMESTAMPTZ NOT NULL,
    graces TEXT COLLATE "C" NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    last_used_at TIMESTAMPTZ NOT NULL,
    ip_address TEXT COLLATE "C",
    user_agent TEXT COLLATE "C",
    revoked_at TIMESTAMPTZ,
    PRIMARY KEY (organization_id, id)
);

CREATE INDEX sessions_by_user ON sessions (organization_id, user_id, id);
-- For the sweep of sessions that are long over.
CREATE INDEX sessions_by_expiry ON sessions (organization_id, expires_at);

-- The installation's keys, sealed under the master key. The sequence lets one server make the next, not two.
CREATE TABLE signing_keys (
    sequence BIGINT NOT NULL PRIMARY KEY,
    kid TEXT COLLATE "C" NOT NULL,
    active_from TIMESTAMPTZ NOT NULL,
    sealed BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);

-- Where users of an organization may come from. A secret is sealed under the master key.
CREATE TABLE providers (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    issuer TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    settings TEXT COLLATE "C" NOT NULL,
    sealed_secret BYTEA,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX providers_by_issuer ON providers (organization_id, issuer);

-- Attempts counted together by servers that share a store; rows of past minutes are swept.
CREATE TABLE rate_limits (
    organization_id UUID NOT NULL,
    window_start TIMESTAMPTZ NOT NULL,
    bucket BYTEA NOT NULL,
    used BIGINT NOT NULL,
    PRIMARY KEY (organization_id, window_start, bucket)
);
