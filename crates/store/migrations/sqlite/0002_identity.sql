-- Who a user is at an identity provider, and what the person told us. Erased together with the account.
ALTER TABLE users ADD COLUMN issuer TEXT;
ALTER TABLE users ADD COLUMN subject TEXT;
ALTER TABLE users ADD COLUMN auth_type TEXT;
ALTER TABLE users ADD COLUMN username TEXT;
ALTER TABLE users ADD COLUMN first_name TEXT;
ALTER TABLE users ADD COLUMN last_name TEXT;
ALTER TABLE users ADD COLUMN terms INTEGER;
ALTER TABLE users ADD COLUMN notifications INTEGER;
-- Moves on whenever a session begins or all of them end, so that no sign-in slips past a revoke-all.
ALTER TABLE users ADD COLUMN session_epoch INTEGER NOT NULL DEFAULT 0;

CREATE UNIQUE INDEX users_by_identity ON users (organization_id, issuer, subject)
    WHERE deleted_at IS NULL AND subject IS NOT NULL;

-- How many sessions a user should have at most; none is no bound.
ALTER TABLE organizations ADD COLUMN max_sessions INTEGER;

-- What one sign-in began. The refresh token is made from the id, the generation and a key that is not in the store.
CREATE TABLE sessions (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    client_id BLOB NOT NULL,
    generation INTEGER NOT NULL,
    signed_in_at INTEGER NOT NULL,
    rotated_at INTEGER NOT NULL,
    graces TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    ip_address TEXT,
    user_agent TEXT,
    revoked_at INTEGER,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE INDEX sessions_by_user ON sessions (organization_id, user_id, id);
-- For the sweep of sessions that are long over.
CREATE INDEX sessions_by_expiry ON sessions (organization_id, expires_at);

-- The installation's keys, sealed under the master key. The sequence lets one server make the next, not two.
CREATE TABLE signing_keys (
    sequence INTEGER NOT NULL PRIMARY KEY,
    kid TEXT NOT NULL,
    active_from INTEGER NOT NULL,
    sealed BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- Where users of an organization may come from. A secret is sealed under the master key.
CREATE TABLE providers (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    issuer TEXT NOT NULL,
    kind TEXT NOT NULL,
    settings TEXT NOT NULL,
    sealed_secret BLOB,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE UNIQUE INDEX providers_by_issuer ON providers (organization_id, issuer);

-- Attempts counted together by servers that share a store; rows of past minutes are swept.
CREATE TABLE rate_limits (
    organization_id BLOB NOT NULL,
    window_start INTEGER NOT NULL,
    bucket BLOB NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (organization_id, window_start, bucket)
) STRICT;
