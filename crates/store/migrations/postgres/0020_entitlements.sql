-- What applications check. A quota has a meter and a period.
CREATE TABLE features (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    combine TEXT COLLATE "C" NOT NULL,
    per_unit BOOLEAN NOT NULL,
    meter_id UUID,
    period TEXT COLLATE "C",
    is_active BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX features_by_key ON features (organization_id, key);

-- Users who get what a subscription of another user grants.
CREATE TABLE subscription_members (
    organization_id UUID NOT NULL,
    subscription_id UUID NOT NULL,
    user_id UUID NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, subscription_id, user_id)
);

CREATE INDEX subscription_members_by_user ON subscription_members (organization_id, user_id, subscription_id);

-- Running totals of usage: the sum of the events of a subscription and a meter from `starts_at` until before `ends_at`, as
-- whole units and millionths from 0 to 999,999.
CREATE TABLE usage_totals (
    organization_id UUID NOT NULL,
    subscription_id UUID NOT NULL,
    meter_id UUID NOT NULL,
    starts_at TIMESTAMPTZ NOT NULL,
    ends_at TIMESTAMPTZ NOT NULL,
    units BIGINT NOT NULL,
    millionths BIGINT NOT NULL,
    PRIMARY KEY (organization_id, subscription_id, meter_id, starts_at, ends_at)
);

-- The thresholds of quotas that were reported, in percent.
CREATE TABLE usage_thresholds (
    organization_id UUID NOT NULL,
    subscription_id UUID NOT NULL,
    feature_id UUID NOT NULL,
    starts_at TIMESTAMPTZ NOT NULL,
    ends_at TIMESTAMPTZ NOT NULL,
    threshold BIGINT NOT NULL,
    PRIMARY KEY (organization_id, subscription_id, feature_id, starts_at, ends_at, threshold)
);

-- Values of features by key, as one JSON text. Null: none.
ALTER TABLE plans ADD COLUMN entitlements TEXT COLLATE "C";
ALTER TABLE subscriptions ADD COLUMN entitlements TEXT COLLATE "C";
