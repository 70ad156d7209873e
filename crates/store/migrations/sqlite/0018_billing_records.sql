-- Percentages that invoice lines refer to, in ten-thousandths of a percent.
CREATE TABLE tax_rates (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    name TEXT NOT NULL,
    percentage INTEGER NOT NULL,
    country TEXT,
    is_active INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

-- What usage is measured by.
CREATE TABLE meters (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    aggregation TEXT NOT NULL,
    unit TEXT,
    is_active INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE UNIQUE INDEX meters_by_slug ON meters (organization_id, slug);

-- Discounts that a code redeems. The percentage is in ten-thousandths of a percent.
CREATE TABLE coupons (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    code TEXT NOT NULL,
    percent INTEGER,
    amount INTEGER,
    currency TEXT,
    duration TEXT NOT NULL,
    periods INTEGER,
    plan_ids TEXT NOT NULL,
    redeem_by INTEGER,
    max_redemptions INTEGER,
    redemptions INTEGER NOT NULL,
    is_active INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE UNIQUE INDEX coupons_by_code ON coupons (organization_id, lower(code));

-- The ledger of each user's balance. Entries are only added.
CREATE TABLE credits (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    currency TEXT NOT NULL,
    amount INTEGER NOT NULL,
    reason TEXT NOT NULL,
    record_id TEXT,
    description TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE INDEX credits_by_user ON credits (organization_id, user_id, id);

-- The sums of the ledger.
CREATE TABLE credit_balances (
    organization_id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    currency TEXT NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (organization_id, user_id, currency)
) STRICT;

-- What documents print about a buyer. A profile that was never changed has no row.
CREATE TABLE billing_profiles (
    organization_id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    name TEXT,
    email TEXT,
    address TEXT NOT NULL,
    country TEXT,
    tax_id TEXT,
    tax_exempt INTEGER NOT NULL,
    tax_rate_ids TEXT NOT NULL,
    locale TEXT,
    note TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, user_id)
) STRICT;

-- Usage, clustered by subscription and time. The value is in millionths.
CREATE TABLE usage_events (
    organization_id BLOB NOT NULL,
    subscription_id BLOB NOT NULL,
    at INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    meter_id BLOB NOT NULL,
    value INTEGER NOT NULL,
    counted_key TEXT,
    PRIMARY KEY (organization_id, subscription_id, at, event_id)
) STRICT, WITHOUT ROWID;

-- An event counts once.
CREATE UNIQUE INDEX usage_events_by_id ON usage_events (organization_id, subscription_id, event_id);
