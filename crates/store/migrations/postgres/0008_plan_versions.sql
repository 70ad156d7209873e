-- The current version of a plan is the row of the plan. A program that does not know versions changes it in place.
ALTER TABLE plans ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE subscriptions ADD COLUMN plan_version BIGINT NOT NULL DEFAULT 1;

-- The versions that were replaced. Existing plans have none yet.
CREATE TABLE plan_versions (
    organization_id UUID NOT NULL,
    plan_id UUID NOT NULL,
    version BIGINT NOT NULL,
    price BIGINT NOT NULL,
    currency TEXT NOT NULL,
    billing_cycle TEXT NOT NULL,
    replaced_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, plan_id, version)
);
