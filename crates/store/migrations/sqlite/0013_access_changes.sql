-- When access changes next by the clock alone: at `starts_at`, or at `ends_at` while there is access.
ALTER TABLE subscriptions ADD COLUMN due_at INTEGER;

UPDATE subscriptions
SET due_at = CASE WHEN starts_at > CAST(unixepoch('subsec') * 1000000 AS INTEGER) THEN starts_at ELSE ends_at END
WHERE deleted_at IS NULL AND is_active AND status IN ('on_trial', 'active', 'past_due', 'cancelled')
    AND (starts_at > CAST(unixepoch('subsec') * 1000000 AS INTEGER) OR ends_at > CAST(unixepoch('subsec') * 1000000 AS INTEGER))
    AND (ends_at > starts_at OR (ends_at IS NULL AND status <> 'cancelled'));
