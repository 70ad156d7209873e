-- The ledger of revenue analytics. Every row belongs to a generation: a rebuild fills a second one while the first is read.
-- Days are numbers of days since 1970-01-01, months numbers of months since 1970-01. Amounts are decimal texts, because sums need
-- 128 bits.

-- The generations of each organization: the position in the feed that they include, and the time they are complete up to.
CREATE TABLE analytics_ledgers (
    organization_id UUID NOT NULL,
    generation BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    sequence BIGINT NOT NULL,
    event_id UUID NOT NULL,
    as_of TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, generation)
);

-- The states of each subscription that count, and when figures change next by the clock alone.
CREATE TABLE analytics_subscriptions (
    organization_id UUID NOT NULL,
    generation BIGINT NOT NULL,
    subscription_id UUID NOT NULL,
    history TEXT COLLATE "C" NOT NULL,
    applied_at TIMESTAMPTZ NOT NULL,
    due_at TIMESTAMPTZ,
    PRIMARY KEY (organization_id, generation, subscription_id)
);

CREATE INDEX analytics_subscriptions_by_due ON analytics_subscriptions (organization_id, generation, due_at)
WHERE due_at IS NOT NULL;

-- The movements of each customer.
CREATE TABLE analytics_movements (
    organization_id UUID NOT NULL,
    generation BIGINT NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    user_id UUID NOT NULL,
    day BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    amount TEXT COLLATE "C" NOT NULL,
    mrr TEXT COLLATE "C" NOT NULL,
    cohort BIGINT NOT NULL,
    PRIMARY KEY (organization_id, generation, currency, user_id, day)
);

CREATE INDEX analytics_movements_by_day ON analytics_movements (organization_id, generation, currency, day DESC, user_id);

-- Sums by day, month and year.
CREATE TABLE analytics_sums (
    organization_id UUID NOT NULL,
    generation BIGINT NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    series TEXT COLLATE "C" NOT NULL,
    grain TEXT COLLATE "C" NOT NULL,
    period BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    item UUID NOT NULL,
    amount TEXT COLLATE "C" NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (organization_id, generation, currency, series, grain, period, kind, item)
);

-- The movements of each cohort by month.
CREATE TABLE analytics_cohorts (
    organization_id UUID NOT NULL,
    generation BIGINT NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    cohort BIGINT NOT NULL,
    month BIGINT NOT NULL,
    new_customers BIGINT NOT NULL,
    customers BIGINT NOT NULL,
    mrr TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, generation, currency, cohort, month)
);

-- The payments that count, each as it counts.
CREATE TABLE analytics_payments (
    organization_id UUID NOT NULL,
    generation BIGINT NOT NULL,
    payment_id UUID NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    day BIGINT NOT NULL,
    amount BIGINT NOT NULL,
    is_collected BOOLEAN NOT NULL,
    is_refunded BOOLEAN NOT NULL,
    PRIMARY KEY (organization_id, generation, payment_id)
);

-- The versions of plans that events have shown, for plans whose rows were removed for good.
CREATE TABLE analytics_prices (
    organization_id UUID NOT NULL,
    generation BIGINT NOT NULL,
    plan_id UUID NOT NULL,
    version BIGINT NOT NULL,
    price BIGINT NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    billing_cycle TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, generation, plan_id, version)
);
