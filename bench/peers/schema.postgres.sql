-- The tables of a peer on PostgreSQL: the same columns and the same indexes as Perennial's, for one tenant.
CREATE TABLE users (
    id UUID PRIMARY KEY,
    email TEXT UNIQUE,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE plans (
    id UUID PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    product_id TEXT,
    variants TEXT NOT NULL,
    price BIGINT NOT NULL,
    currency TEXT NOT NULL,
    href TEXT,
    billing_cycle TEXT NOT NULL,
    description TEXT NOT NULL,
    node_quota BIGINT NOT NULL,
    features TEXT NOT NULL,
    most_popular BOOLEAN NOT NULL,
    tier BIGINT NOT NULL,
    is_active BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE subscriptions (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id UUID NOT NULL,
    plan_id UUID NOT NULL,
    external_id TEXT,
    billing_cycle TEXT NOT NULL DEFAULT 'monthly',
    status TEXT NOT NULL DEFAULT 'active',
    is_active BOOLEAN NOT NULL DEFAULT true,
    starts_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    renews_at TIMESTAMPTZ DEFAULT now() + interval '30 days',
    ends_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE INDEX subscriptions_by_user ON subscriptions (user_id, id);
CREATE INDEX subscriptions_by_plan ON subscriptions (plan_id, id);
CREATE INDEX subscriptions_by_status ON subscriptions (status, id);
CREATE INDEX subscriptions_by_renewal ON subscriptions (renews_at, id);
CREATE INDEX subscriptions_by_end ON subscriptions (ends_at, id) WHERE ends_at IS NOT NULL;
CREATE UNIQUE INDEX subscriptions_by_external ON subscriptions (external_id) WHERE external_id IS NOT NULL;
