-- The current version of a plan is the row of the plan. A program that does not know versions changes it in place.
ALTER TABLE plans ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE subscriptions ADD COLUMN plan_version INTEGER NOT NULL DEFAULT 1;

-- The versions that were replaced. Existing plans have none yet.
CREATE TABLE plan_versions (
    organization_id BLOB NOT NULL,
    plan_id BLOB NOT NULL,
    version INTEGER NOT NULL,
    price INTEGER NOT NULL,
    currency TEXT NOT NULL,
    billing_cycle TEXT NOT NULL,
    replaced_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, plan_id, version)
) STRICT;
