-- The number of units of the plan.
ALTER TABLE subscriptions ADD COLUMN quantity BIGINT NOT NULL DEFAULT 1;
