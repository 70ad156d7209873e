-- When the operator blocked the user; null for a user who may sign in.
ALTER TABLE users ADD COLUMN blocked_at INTEGER;
-- When the organization was deleted. The row stays, under its id as its name, for the event of the deletion.
ALTER TABLE organizations ADD COLUMN deleted_at INTEGER;
