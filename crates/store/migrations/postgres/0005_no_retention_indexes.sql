-- Removal of deleted records walks the primary keys: with these indexes, every create paid for it.
DROP INDEX IF EXISTS payments_deleted;
DROP INDEX IF EXISTS subscriptions_deleted;
DROP INDEX IF EXISTS subscriptions_deleted_by_plan;
DROP INDEX IF EXISTS subscriptions_deleted_by_user;
DROP INDEX IF EXISTS plans_deleted;
DROP INDEX IF EXISTS users_deleted;
