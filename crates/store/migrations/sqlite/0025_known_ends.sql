-- Replaced by an index of the subscriptions that have an end: most have none when they are created, and every create paid for it.
DROP INDEX IF EXISTS subscriptions_by_end;
