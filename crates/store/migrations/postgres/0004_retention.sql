-- For the removal of deleted records. Only deleted rows are in these indexes, so creates and updates do not pay for them.
CREATE INDEX payments_deleted ON payments (organization_id, deleted_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX subscriptions_deleted ON subscriptions (organization_id, deleted_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX subscriptions_deleted_by_plan ON subscriptions (organization_id, plan_id) WHERE deleted_at IS NOT NULL;
CREATE INDEX subscriptions_deleted_by_user ON subscriptions (organization_id, user_id) WHERE deleted_at IS NOT NULL;
CREATE INDEX plans_deleted ON plans (organization_id, deleted_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX users_deleted ON users (organization_id, deleted_at, id) WHERE deleted_at IS NOT NULL;
