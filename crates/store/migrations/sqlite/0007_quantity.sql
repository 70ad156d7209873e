-- The number of units of the plan.
ALTER TABLE subscriptions ADD COLUMN quantity INTEGER NOT NULL DEFAULT 1;
