-- What applications check. A quota has a meter and a period.
CREATE TABLE features (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    kind TEXT NOT NULL,
    combine TEXT NOT NULL,
    per_unit INTEGER NOT NULL,
    meter_id BLOB,
    period TEXT,
    is_active INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE UNIQUE INDEX features_by_key ON features (organization_id, key);

-- Users who get what a subscription of another user grants.
CREATE TABLE subscription_members (
    organization_id BLOB NOT NULL,
    subscription_id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, subscription_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX subscription_members_by_user ON subscription_members (organization_id, user_id, subscription_id);

-- Running totals of usage: the sum of the events of a subscription and a meter from `starts_at` until before `ends_at`, as
-- whole units and millionths from 0 to 999,999.
CREATE TABLE usage_totals (
    organization_id BLOB NOT NULL,
    subscription_id BLOB NOT NULL,
    meter_id BLOB NOT NULL,
    starts_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    units INTEGER NOT NULL,
    millionths INTEGER NOT NULL,
    PRIMARY KEY (organization_id, subscription_id, meter_id, starts_at, ends_at)
) STRICT, WITHOUT ROWID;

-- The thresholds of quotas that were reported, in percent.
CREATE TABLE usage_thresholds (
    organization_id BLOB NOT NULL,
    subscription_id BLOB NOT NULL,
    feature_id BLOB NOT NULL,
    starts_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    threshold INTEGER NOT NULL,
    PRIMARY KEY (organization_id, subscription_id, feature_id, starts_at, ends_at, threshold)
) STRICT, WITHOUT ROWID;

-- Values of features by key, as one JSON text. Null: none.
ALTER TABLE plans ADD COLUMN entitlements TEXT;
ALTER TABLE subscriptions ADD COLUMN entitlements TEXT;
