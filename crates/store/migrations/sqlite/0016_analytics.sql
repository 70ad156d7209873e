-- The ledger of revenue analytics. Every row belongs to a generation: a rebuild fills a second one while the first is read.
-- Days are numbers of days since 1970-01-01, months numbers of months since 1970-01. Amounts are decimal texts, because sums need
-- 128 bits.

-- The generations of each organization: the position in the feed that they include, and the time they are complete up to.
CREATE TABLE analytics_ledgers (
    organization_id BLOB NOT NULL,
    generation INTEGER NOT NULL,
    state TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    event_id BLOB NOT NULL,
    as_of INTEGER NOT NULL,
    PRIMARY KEY (organization_id, generation)
) STRICT, WITHOUT ROWID;

-- The states of each subscription that count, and when figures change next by the clock alone.
CREATE TABLE analytics_subscriptions (
    organization_id BLOB NOT NULL,
    generation INTEGER NOT NULL,
    subscription_id BLOB NOT NULL,
    history TEXT NOT NULL,
    applied_at INTEGER NOT NULL,
    due_at INTEGER,
    PRIMARY KEY (organization_id, generation, subscription_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX analytics_subscriptions_by_due ON analytics_subscriptions (organization_id, generation, due_at)
WHERE due_at IS NOT NULL;

-- The movements of each customer.
CREATE TABLE analytics_movements (
    organization_id BLOB NOT NULL,
    generation INTEGER NOT NULL,
    currency TEXT NOT NULL,
    user_id BLOB NOT NULL,
    day INTEGER NOT NULL,
    kind TEXT NOT NULL,
    amount TEXT NOT NULL,
    mrr TEXT NOT NULL,
    cohort INTEGER NOT NULL,
    PRIMARY KEY (organization_id, generation, currency, user_id, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX analytics_movements_by_day ON analytics_movements (organization_id, generation, currency, day DESC, user_id);

-- Sums by day, month and year.
CREATE TABLE analytics_sums (
    organization_id BLOB NOT NULL,
    generation INTEGER NOT NULL,
    currency TEXT NOT NULL,
    series TEXT NOT NULL,
    grain TEXT NOT NULL,
    period INTEGER NOT NULL,
    kind TEXT NOT NULL,
    item BLOB NOT NULL,
    amount TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (organization_id, generation, currency, series, grain, period, kind, item)
) STRICT, WITHOUT ROWID;

-- The movements of each cohort by month.
CREATE TABLE analytics_cohorts (
    organization_id BLOB NOT NULL,
    generation INTEGER NOT NULL,
    currency TEXT NOT NULL,
    cohort INTEGER NOT NULL,
    month INTEGER NOT NULL,
    new_customers INTEGER NOT NULL,
    customers INTEGER NOT NULL,
    mrr TEXT NOT NULL,
    PRIMARY KEY (organization_id, generation, currency, cohort, month)
) STRICT, WITHOUT ROWID;

-- The payments that count, each as it counts.
CREATE TABLE analytics_payments (
    organization_id BLOB NOT NULL,
    generation INTEGER NOT NULL,
    payment_id BLOB NOT NULL,
    currency TEXT NOT NULL,
    day INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    is_collected INTEGER NOT NULL,
    is_refunded INTEGER NOT NULL,
    PRIMARY KEY (organization_id, generation, payment_id)
) STRICT, WITHOUT ROWID;

-- The versions of plans that events have shown, for plans whose rows were removed for good.
CREATE TABLE analytics_prices (
    organization_id BLOB NOT NULL,
    generation INTEGER NOT NULL,
    plan_id BLOB NOT NULL,
    version INTEGER NOT NULL,
    price INTEGER NOT NULL,
    currency TEXT NOT NULL,
    billing_cycle TEXT NOT NULL,
    PRIMARY KEY (organization_id, generation, plan_id, version)
) STRICT, WITHOUT ROWID;
