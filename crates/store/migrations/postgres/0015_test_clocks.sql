-- Whether an organization is live or for tests. It never changes.
ALTER TABLE organizations ADD COLUMN mode TEXT COLLATE "C" NOT NULL DEFAULT 'live';

-- The clocks of test organizations. The key is the organization: each has at most one.
CREATE TABLE test_clocks (
    id UUID NOT NULL PRIMARY KEY,
    now TIMESTAMPTZ NOT NULL,
    target TIMESTAMPTZ,
    state TEXT COLLATE "C" NOT NULL,
    transitions BIGINT NOT NULL,
    limit_reached BOOLEAN NOT NULL,
    revision UUID NOT NULL
);

-- Organizations whose lifecycle waits for the operator, and what the operator has released. The key is the organization.
CREATE TABLE lifecycle_holds (
    id UUID NOT NULL PRIMARY KEY,
    reason TEXT COLLATE "C",
    released_through TIMESTAMPTZ
);
