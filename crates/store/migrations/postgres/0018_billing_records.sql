-- Percentages that invoice lines refer to, in ten-thousandths of a percent.
CREATE TABLE tax_rates (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    percentage BIGINT NOT NULL,
    country TEXT COLLATE "C",
    is_active BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, id)
);

-- What usage is measured by.
CREATE TABLE meters (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    slug TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    aggregation TEXT COLLATE "C" NOT NULL,
    unit TEXT COLLATE "C",
    is_active BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX meters_by_slug ON meters (organization_id, slug);

-- Discounts that a code redeems. The percentage is in ten-thousandths of a percent.
CREATE TABLE coupons (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    code TEXT COLLATE "C" NOT NULL,
    percent BIGINT,
    amount BIGINT,
    currency TEXT COLLATE "C",
    duration TEXT COLLATE "C" NOT NULL,
    periods BIGINT,
    plan_ids TEXT COLLATE "C" NOT NULL,
    redeem_by TIMESTAMPTZ,
    max_redemptions BIGINT,
    redemptions BIGINT NOT NULL,
    is_active BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX coupons_by_code ON coupons (organization_id, lower(code));

-- The ledger of each user's balance. Entries are only added.
CREATE TABLE credits (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    user_id UUID NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    amount BIGINT NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    record_id TEXT COLLATE "C",
    description TEXT COLLATE "C",
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE INDEX credits_by_user ON credits (organization_id, user_id, id);

-- The sums of the ledger.
CREATE TABLE credit_balances (
    organization_id UUID NOT NULL,
    user_id UUID NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (organization_id, user_id, currency)
);

-- What documents print about a buyer. A profile that was never changed has no row.
CREATE TABLE billing_profiles (
    organization_id UUID NOT NULL,
    user_id UUID NOT NULL,
    name TEXT COLLATE "C",
    email TEXT COLLATE "C",
    address TEXT COLLATE "C" NOT NULL,
    country TEXT COLLATE "C",
    tax_id TEXT COLLATE "C",
    tax_exempt BOOLEAN NOT NULL,
    tax_rate_ids TEXT COLLATE "C" NOT NULL,
    locale TEXT COLLATE "C",
    note TEXT COLLATE "C",
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, user_id)
);

-- Usage, clustered by subscription and time. The value is in millionths.
CREATE TABLE usage_events (
    organization_id UUID NOT NULL,
    subscription_id UUID NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    event_id TEXT COLLATE "C" NOT NULL,
    meter_id UUID NOT NULL,
    value BIGINT NOT NULL,
    counted_key TEXT COLLATE "C",
    PRIMARY KEY (organization_id, subscription_id, at, event_id)
);

-- An event counts once.
CREATE UNIQUE INDEX usage_events_by_id ON usage_events (organization_id, subscription_id, event_id);
