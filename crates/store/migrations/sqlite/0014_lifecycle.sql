-- How subscriptions are billed. Null: a subscription that other systems renew; a plan or an organization with all defaults.
ALTER TABLE subscriptions ADD COLUMN billing TEXT;
-- The plan that a pending change names: it cannot be deleted.
ALTER TABLE subscriptions ADD COLUMN change_plan_id BLOB;
ALTER TABLE plans ADD COLUMN billing TEXT;
-- Null: exclusive.
ALTER TABLE plan_versions ADD COLUMN tax_behavior TEXT;
ALTER TABLE organizations ADD COLUMN billing TEXT;
