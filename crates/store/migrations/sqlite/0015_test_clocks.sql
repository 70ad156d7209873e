-- Whether an organization is live or for tests. It never changes.
ALTER TABLE organizations ADD COLUMN mode TEXT NOT NULL DEFAULT 'live';

-- The clocks of test organizations. The key is the organization: each has at most one.
CREATE TABLE test_clocks (
    id BLOB NOT NULL PRIMARY KEY,
    now INTEGER NOT NULL,
    target INTEGER,
    state TEXT NOT NULL,
    transitions INTEGER NOT NULL,
    limit_reached INTEGER NOT NULL,
    revision BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Organizations whose lifecycle waits for the operator, and what the operator has released. The key is the organization.
CREATE TABLE lifecycle_holds (
    id BLOB NOT NULL PRIMARY KEY,
    reason TEXT,
    released_through INTEGER
) STRICT, WITHOUT ROWID;
