-- Every statement of the store, written by a test of it. `$` marks the parameters on both engines.

-- installation.insert
INSERT INTO installation (id, key_fingerprint, issuer, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

-- installation.by_key
SELECT key_fingerprint, issuer, created_at FROM installation WHERE id = $1;

-- installation.live
SELECT 1 FROM installation WHERE id = $1;

-- installation.first_rows
SELECT id, key_fingerprint, issuer, created_at FROM installation ORDER BY id LIMIT $1;

-- installation.next_rows
SELECT id, key_fingerprint, issuer, created_at FROM installation WHERE (id) > ($1) ORDER BY id LIMIT $2;

-- installation.row
SELECT id, key_fingerprint, issuer, created_at FROM installation WHERE id = $1;

-- installation.insert_row
INSERT INTO installation (id, key_fingerprint, issuer, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

-- installation.count
SELECT COUNT(*) FROM installation;

-- organizations.insert
INSERT INTO organizations (id, name, currency, max_sessions, mode, billing, portal_name, portal_accent, portal_cancel,
    portal_resume, portal_change, portal_return_origins, created_at, updated_at, deleted_at, revision) VALUES ($1, $2,
    $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING;

-- organizations.by_key
SELECT id, name, currency, max_sessions, mode, billing, portal_name, portal_accent, portal_cancel, portal_resume,
    portal_change, portal_return_origins, created_at, updated_at, deleted_at, revision FROM organizations WHERE id = $1;

-- organizations.live
SELECT 1 FROM organizations WHERE id = $1;

-- organizations.first_rows
SELECT id, name, currency, max_sessions, mode, billing, portal_name, portal_accent, portal_cancel, portal_resume,
    portal_change, portal_return_origins, created_at, updated_at, deleted_at, revision FROM organizations ORDER BY id
    LIMIT $1;

-- organizations.next_rows
SELECT id, name, currency, max_sessions, mode, billing, portal_name, portal_accent, portal_cancel, portal_resume,
    portal_change, portal_return_origins, created_at, updated_at, deleted_at, revision FROM organizations WHERE (id) >
    ($1) ORDER BY id LIMIT $2;

-- organizations.row
SELECT id, name, currency, max_sessions, mode, billing, portal_name, portal_accent, portal_cancel, portal_resume,
    portal_change, portal_return_origins, created_at, updated_at, deleted_at, revision FROM organizations WHERE id = $1;

-- organizations.insert_row
INSERT INTO organizations (id, name, currency, max_sessions, mode, billing, portal_name, portal_accent, portal_cancel,
    portal_resume, portal_change, portal_return_origins, created_at, updated_at, deleted_at, revision) VALUES ($1, $2,
    $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING;

-- organizations.count
SELECT COUNT(*) FROM organizations;

-- organizations.at_revision
SELECT 1 FROM organizations WHERE id = $1 AND revision = $2;

-- organizations.update
UPDATE organizations SET max_sessions = $2, billing = $3, portal_name = $4, portal_accent = $5, portal_cancel = $6,
    portal_resume = $7, portal_change = $8, portal_return_origins = $9, updated_at = $10, revision = $11 WHERE id = $1
    AND revision = $12;

-- clients.insert
INSERT INTO clients (organization_id, id, name, kind, credential_hash, public_id, scopes, origins, cidrs, expires_at,
    disabled_at, created_at, updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    ON CONFLICT DO NOTHING;

-- clients.by_key
SELECT organization_id, id, name, kind, public_id, scopes, origins, cidrs, expires_at, disabled_at, created_at,
    updated_at, revision FROM clients WHERE organization_id = $1 AND id = $2;

-- clients.live
SELECT 1 FROM clients WHERE organization_id = $1 AND id = $2;

-- clients.first_rows
SELECT organization_id, id, name, kind, credential_hash, public_id, scopes, origins, cidrs, expires_at, disabled_at,
    created_at, updated_at, revision FROM clients ORDER BY organization_id, id LIMIT $1;

-- clients.next_rows
SELECT organization_id, id, name, kind, credential_hash, public_id, scopes, origins, cidrs, expires_at, disabled_at,
    created_at, updated_at, revision FROM clients WHERE (organization_id, id) > ($1, $2) ORDER BY organization_id, id
    LIMIT $3;

-- clients.row
SELECT organization_id, id, name, kind, credential_hash, public_id, scopes, origins, cidrs, expires_at, disabled_at,
    created_at, updated_at, revision FROM clients WHERE organization_id = $1 AND id = $2;

-- clients.insert_row
INSERT INTO clients (organization_id, id, name, kind, credential_hash, public_id, scopes, origins, cidrs, expires_at,
    disabled_at, created_at, updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    ON CONFLICT DO NOTHING;

-- clients.count
SELECT COUNT(*) FROM clients;

-- clients.at_revision
SELECT 1 FROM clients WHERE organization_id = $1 AND id = $2 AND revision = $3;

-- clients.update
UPDATE clients SET name = $3, scopes = $4, origins = $5, cidrs = $6, expires_at = $7, disabled_at = $8, updated_at =
    $9, revision = $10 WHERE organization_id = $1 AND id = $2 AND revision = $11;

-- clients.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM clients WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- clients.purge
DELETE FROM clients WHERE organization_id = $1 AND id IN (SELECT id FROM clients WHERE organization_id = $1 AND id <>
    $3 ORDER BY id LIMIT $2);

-- providers.insert
INSERT INTO providers (organization_id, id, issuer, kind, settings, sealed_secret, created_at) VALUES ($1, $2, $3, $4,
    $5, $6, $7) ON CONFLICT DO NOTHING;

-- providers.by_key
SELECT organization_id, id, issuer, kind, settings, sealed_secret, created_at FROM providers WHERE organization_id = $1
    AND id = $2;

-- providers.live
SELECT 1 FROM providers WHERE organization_id = $1 AND id = $2;

-- providers.first_rows
SELECT organization_id, id, issuer, kind, settings, sealed_secret, created_at FROM providers ORDER BY organization_id,
    id LIMIT $1;

-- providers.next_rows
SELECT organization_id, id, issuer, kind, settings, sealed_secret, created_at FROM providers WHERE (organization_id,
    id) > ($1, $2) ORDER BY organization_id, id LIMIT $3;

-- providers.row
SELECT organization_id, id, issuer, kind, settings, sealed_secret, created_at FROM providers WHERE organization_id = $1
    AND id = $2;

-- providers.insert_row
INSERT INTO providers (organization_id, id, issuer, kind, settings, sealed_secret, created_at) VALUES ($1, $2, $3, $4,
    $5, $6, $7) ON CONFLICT DO NOTHING;

-- providers.count
SELECT COUNT(*) FROM providers;

-- providers.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM providers WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- providers.purge
DELETE FROM providers WHERE organization_id = $1 AND id IN (SELECT id FROM providers WHERE organization_id = $1 AND id
    <> $3 ORDER BY id LIMIT $2);

-- signing_keys.insert
INSERT INTO signing_keys (sequence, kid, active_from, sealed, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO
    NOTHING;

-- signing_keys.by_key
SELECT sequence, kid, active_from, sealed FROM signing_keys WHERE sequence = $1;

-- signing_keys.live
SELECT 1 FROM signing_keys WHERE sequence = $1;

-- signing_keys.first_rows
SELECT sequence, kid, active_from, sealed, created_at FROM signing_keys ORDER BY sequence LIMIT $1;

-- signing_keys.next_rows
SELECT sequence, kid, active_from, sealed, created_at FROM signing_keys WHERE (sequence) > ($1) ORDER BY sequence LIMIT
    $2;

-- signing_keys.row
SELECT sequence, kid, active_from, sealed, created_at FROM signing_keys WHERE sequence = $1;

-- signing_keys.insert_row
INSERT INTO signing_keys (sequence, kid, active_from, sealed, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO
    NOTHING;

-- signing_keys.count
SELECT COUNT(*) FROM signing_keys;

-- users.insert
INSERT INTO users (organization_id, id, email, issuer, subject, auth_type, username, first_name, last_name, terms,
    notifications, session_epoch, blocked_at, created_at, updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8,
    $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING;

-- users.by_key
SELECT organization_id, id, email, issuer, subject, auth_type, username, first_name, last_name, terms, notifications,
    session_epoch, blocked_at, created_at, updated_at, revision FROM users WHERE organization_id = $1 AND id = $2 AND
    deleted_at IS NULL;

-- users.live
SELECT 1 FROM users WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL;

-- users.first_rows
SELECT organization_id, id, email, issuer, subject, auth_type, username, first_name, last_name, terms, notifications,
    session_epoch, blocked_at, created_at, updated_at, deleted_at, revision FROM users ORDER BY organization_id, id
    LIMIT $1;

-- users.next_rows
SELECT organization_id, id, email, issuer, subject, auth_type, username, first_name, last_name, terms, notifications,
    session_epoch, blocked_at, created_at, updated_at, deleted_at, revision FROM users WHERE (organization_id, id) >
    ($1, $2) ORDER BY organization_id, id LIMIT $3;

-- users.row
SELECT organization_id, id, email, issuer, subject, auth_type, username, first_name, last_name, terms, notifications,
    session_epoch, blocked_at, created_at, updated_at, deleted_at, revision FROM users WHERE organization_id = $1 AND
    id = $2;

-- users.insert_row
INSERT INTO users (organization_id, id, email, issuer, subject, auth_type, username, first_name, last_name, terms,
    notifications, session_epoch, blocked_at, created_at, updated_at, deleted_at, revision) VALUES ($1, $2, $3, $4, $5,
    $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ON CONFLICT DO NOTHING;

-- users.count
SELECT COUNT(*) FROM users;

-- users.by_unique
SELECT organization_id, id, email, issuer, subject, auth_type, username, first_name, last_name, terms, notifications,
    session_epoch, blocked_at, created_at, updated_at, revision FROM users WHERE organization_id = $1 AND email = $2
    AND email IS NOT NULL AND deleted_at IS NULL;

-- users.id_by_unique
SELECT id FROM users WHERE organization_id = $1 AND email = $2 AND email IS NOT NULL AND deleted_at IS NULL;

-- users.at_revision
SELECT 1 FROM users WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL;

-- users.update
UPDATE users SET email = $3, issuer = $4, subject = $5, auth_type = $6, username = $7, first_name = $8, last_name = $9,
    terms = $10, notifications = $11, session_epoch = $12, blocked_at = $13, updated_at = $14, revision = $15 WHERE
    organization_id = $1 AND id = $2 AND revision = $16 AND NOT EXISTS (SELECT 1 FROM users AS other WHERE
    other.organization_id = $1 AND other.email = $3 AND other.email IS NOT NULL AND other.deleted_at IS NULL AND
    other.id <> $2);

-- users.delete
UPDATE users SET deleted_at = $3, revision = $4 WHERE organization_id = $1 AND id = $2 AND revision = $5;

-- users.walk
SELECT id, deleted_at FROM users WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- users.remove
DELETE FROM users WHERE organization_id = $1 AND id = $2 AND deleted_at <= $3;

-- users.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM users WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- users.purge
DELETE FROM users WHERE organization_id = $1 AND id IN (SELECT id FROM users WHERE organization_id = $1 AND id <> $3
    ORDER BY id LIMIT $2);

-- plans.insert
INSERT INTO plans (organization_id, id, slug, name, product_id, variants, price, currency, href, billing_cycle,
    description, node_quota, features, most_popular, tier, is_active, version, billing, entitlements, created_at,
    updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
    $20, $21, $22) ON CONFLICT DO NOTHING;

-- plans.by_key
SELECT organization_id, id, slug, name, product_id, variants, price, currency, href, billing_cycle, description,
    node_quota, features, most_popular, tier, is_active, version, billing, entitlements, created_at, updated_at,
    revision FROM plans WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL;

-- plans.live
SELECT 1 FROM plans WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL;

-- plans.first_rows
SELECT organization_id, id, slug, name, product_id, variants, price, currency, href, billing_cycle, description,
    node_quota, features, most_popular, tier, is_active, version, billing, entitlements, created_at, updated_at,
    deleted_at, revision FROM plans ORDER BY organization_id, id LIMIT $1;

-- plans.next_rows
SELECT organization_id, id, slug, name, product_id, variants, price, currency, href, billing_cycle, description,
    node_quota, features, most_popular, tier, is_active, version, billing, entitlements, created_at, updated_at,
    deleted_at, revision FROM plans WHERE (organization_id, id) > ($1, $2) ORDER BY organization_id, id LIMIT $3;

-- plans.row
SELECT organization_id, id, slug, name, product_id, variants, price, currency, href, billing_cycle, description,
    node_quota, features, most_popular, tier, is_active, version, billing, entitlements, created_at, updated_at,
    deleted_at, revision FROM plans WHERE organization_id = $1 AND id = $2;

-- plans.insert_row
INSERT INTO plans (organization_id, id, slug, name, product_id, variants, price, currency, href, billing_cycle,
    description, node_quota, features, most_popular, tier, is_active, version, billing, entitlements, created_at,
    updated_at, deleted_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
    $17, $18, $19, $20, $21, $22, $23) ON CONFLICT DO NOTHING;

-- plans.count
SELECT COUNT(*) FROM plans;

-- plans.by_unique
SELECT organization_id, id, slug, name, product_id, variants, price, currency, href, billing_cycle, description,
    node_quota, features, most_popular, tier, is_active, version, billing, entitlements, created_at, updated_at,
    revision FROM plans WHERE organization_id = $1 AND slug = $2 AND deleted_at IS NULL;

-- plans.id_by_unique
SELECT id FROM plans WHERE organization_id = $1 AND slug = $2 AND deleted_at IS NULL;

-- plans.at_revision
SELECT 1 FROM plans WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL;

-- plans.update
UPDATE plans SET price = $3, billing_cycle = $4, description = $5, node_quota = $6, features = $7, most_popular = $8,
    tier = $9, is_active = $10, version = $11, billing = $12, entitlements = $13, updated_at = $14, revision = $15
    WHERE organization_id = $1 AND id = $2 AND revision = $16;

-- plans.delete
UPDATE plans SET deleted_at = $3, revision = $4 WHERE organization_id = $1 AND id = $2 AND revision = $5 AND NOT EXISTS
    (SELECT 1 FROM subscriptions WHERE organization_id = $1 AND plan_id = $2 AND deleted_at IS NULL UNION ALL SELECT 1
    FROM subscriptions WHERE organization_id = $1 AND change_plan_id = $2 AND deleted_at IS NULL);

-- plans.walk
SELECT id, deleted_at FROM plans WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- plans.remove
DELETE FROM plans WHERE organization_id = $1 AND id = $2 AND deleted_at <= $3;

-- plans.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM plans WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- plans.purge
DELETE FROM plans WHERE organization_id = $1 AND id IN (SELECT id FROM plans WHERE organization_id = $1 AND id <> $3
    ORDER BY id LIMIT $2);

-- subscriptions.insert
INSERT INTO subscriptions (organization_id, id, user_id, plan_id, plan_version, external_id, quantity, billing_cycle,
    status, is_active, starts_at, renews_at, ends_at, due_at, billing, change_plan_id, entitlements, managed_by,
    created_at, updated_at, revision, usage_closed_until) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
    $13, $14, $15, $16, $17, $18, $19, $20, $21, $22);
-- subscriptions.insert (SQLite)
INSERT INTO subscriptions (organization_id, id, user_id, plan_id, plan_version, external_id, quantity, billing_cycle,
    status, is_active, starts_at, renews_at, ends_at, due_at, billing, change_plan_id, entitlements, managed_by,
    created_at, updated_at, revision, usage_closed_until) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
    $13, $14, $15, $16, $17, $18, $19, $20, $21, $22) ON CONFLICT DO NOTHING;

-- subscriptions.by_key
SELECT organization_id, id, user_id, plan_id, plan_version, external_id, quantity, billing_cycle, status, is_active,
    starts_at, renews_at, ends_at, due_at, billing, change_plan_id, entitlements, managed_by, created_at, updated_at,
    revision, usage_closed_until FROM subscriptions WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL;

-- subscriptions.live
SELECT 1 FROM subscriptions WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL;

-- subscriptions.first_rows
SELECT organization_id, id, user_id, plan_id, plan_version, external_id, quantity, billing_cycle, status, is_active,
    starts_at, renews_at, ends_at, due_at, billing, change_plan_id, entitlements, managed_by, created_at, updated_at,
    deleted_at, revision, usage_closed_until FROM subscriptions ORDER BY organization_id, id LIMIT $1;

-- subscriptions.next_rows
SELECT organization_id, id, user_id, plan_id, plan_version, external_id, quantity, billing_cycle, status, is_active,
    starts_at, renews_at, ends_at, due_at, billing, change_plan_id, entitlements, managed_by, created_at, updated_at,
    deleted_at, revision, usage_closed_until FROM subscriptions WHERE (organization_id, id) > ($1, $2) ORDER BY
    organization_id, id LIMIT $3;

-- subscriptions.row
SELECT organization_id, id, user_id, plan_id, plan_version, external_id, quantity, billing_cycle, status, is_active,
    starts_at, renews_at, ends_at, due_at, billing, change_plan_id, entitlements, managed_by, created_at, updated_at,
    deleted_at, revision, usage_closed_until FROM subscriptions WHERE organization_id = $1 AND id = $2;

-- subscriptions.insert_row
INSERT INTO subscriptions (organization_id, id, user_id, plan_id, plan_version, external_id, quantity, billing_cycle,
    status, is_active, starts_at, renews_at, ends_at, due_at, billing, change_plan_id, entitlements, managed_by,
    created_at, updated_at, deleted_at, revision, usage_closed_until) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
    $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23) ON CONFLICT DO NOTHING;

-- subscriptions.count
SELECT COUNT(*) FROM subscriptions;

-- subscriptions.by_unique
SELECT organization_id, id, user_id, plan_id, plan_version, external_id, quantity, billing_cycle, status, is_active,
    starts_at, renews_at, ends_at, due_at, billing, change_plan_id, entitlements, managed_by, created_at, updated_at,
    revision, usage_closed_until FROM subscriptions WHERE organization_id = $1 AND external_id = $2 AND external_id IS
    NOT NULL AND deleted_at IS NULL;

-- subscriptions.id_by_unique
SELECT id FROM subscriptions WHERE organization_id = $1 AND external_id = $2 AND external_id IS NOT NULL AND deleted_at
    IS NULL;

-- subscriptions.at_revision
SELECT 1 FROM subscriptions WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL;

-- subscriptions.update
UPDATE subscriptions SET user_id = $3, plan_id = $4, plan_version = $5, external_id = $6, quantity = $7, billing_cycle
    = $8, status = $9, is_active = $10, starts_at = $11, renews_at = $12, ends_at = $13, due_at = $14, billing = $15,
    change_plan_id = $16, entitlements = $17, managed_by = $18, updated_at = $19, revision = $20 WHERE organization_id
    = $1 AND id = $2 AND revision = $21 AND NOT EXISTS (SELECT 1 FROM subscriptions AS other WHERE
    other.organization_id = $1 AND other.external_id = $6 AND other.external_id IS NOT NULL AND other.deleted_at IS
    NULL AND other.id <> $2);

-- subscriptions.delete
UPDATE subscriptions SET deleted_at = $3, revision = $4 WHERE organization_id = $1 AND id = $2 AND revision = $5;

-- subscriptions.walk
SELECT id, user_id, plan_id, deleted_at FROM subscriptions WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- subscriptions.remove
DELETE FROM subscriptions WHERE organization_id = $1 AND id = $2 AND deleted_at <= $3;

-- subscriptions.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM subscriptions WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- subscriptions.purge
DELETE FROM subscriptions WHERE organization_id = $1 AND id IN (SELECT id FROM subscriptions WHERE organization_id = $1
    AND id <> $3 ORDER BY id LIMIT $2);

-- payments.insert
INSERT INTO payments (organization_id, id, subscription_id, amount, currency, external_id, status, completed_at,
    created_at, updated_at, revision, invoice_id, applied, surplus) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
    $11, $12, $13, $14);
-- payments.insert (SQLite)
INSERT INTO payments (organization_id, id, subscription_id, amount, currency, external_id, status, completed_at,
    created_at, updated_at, revision, invoice_id, applied, surplus) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
    $11, $12, $13, $14) ON CONFLICT DO NOTHING;

-- payments.by_key
SELECT organization_id, id, subscription_id, amount, currency, external_id, status, completed_at, created_at,
    updated_at, revision, invoice_id, applied, surplus FROM payments WHERE organization_id = $1 AND id = $2 AND
    deleted_at IS NULL;

-- payments.live
SELECT 1 FROM payments WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL;

-- payments.first_rows
SELECT organization_id, id, subscription_id, amount, currency, external_id, status, completed_at, created_at,
    updated_at, deleted_at, revision, invoice_id, applied, surplus FROM payments ORDER BY organization_id, id LIMIT $1;

-- payments.next_rows
SELECT organization_id, id, subscription_id, amount, currency, external_id, status, completed_at, created_at,
    updated_at, deleted_at, revision, invoice_id, applied, surplus FROM payments WHERE (organization_id, id) > ($1, $2)
    ORDER BY organization_id, id LIMIT $3;

-- payments.row
SELECT organization_id, id, subscription_id, amount, currency, external_id, status, completed_at, created_at,
    updated_at, deleted_at, revision, invoice_id, applied, surplus FROM payments WHERE organization_id = $1 AND id = $2;

-- payments.insert_row
INSERT INTO payments (organization_id, id, subscription_id, amount, currency, external_id, status, completed_at,
    created_at, updated_at, deleted_at, revision, invoice_id, applied, surplus) VALUES ($1, $2, $3, $4, $5, $6, $7, $8,
    $9, $10, $11, $12, $13, $14, $15) ON CONFLICT DO NOTHING;

-- payments.count
SELECT COUNT(*) FROM payments;

-- payments.by_unique
SELECT organization_id, id, subscription_id, amount, currency, external_id, status, completed_at, created_at,
    updated_at, revision, invoice_id, applied, surplus FROM payments WHERE organization_id = $1 AND external_id = $2
    AND external_id IS NOT NULL AND deleted_at IS NULL;

-- payments.id_by_unique
SELECT id FROM payments WHERE organization_id = $1 AND external_id = $2 AND external_id IS NOT NULL AND deleted_at IS
    NULL;

-- payments.refers
SELECT EXISTS (SELECT 1 FROM payments WHERE organization_id = $1 AND subscription_id = $2);

-- payments.at_revision
SELECT 1 FROM payments WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL;

-- payments.update
UPDATE payments SET subscription_id = $3, amount = $4, currency = $5, external_id = $6, status = $7, completed_at = $8,
    updated_at = $9, revision = $10, invoice_id = $11, applied = $12, surplus = $13 WHERE organization_id = $1 AND id =
    $2 AND revision = $14 AND NOT EXISTS (SELECT 1 FROM payments AS other WHERE other.organization_id = $1 AND
    other.external_id = $6 AND other.external_id IS NOT NULL AND other.deleted_at IS NULL AND other.id <> $2);

-- payments.delete
UPDATE payments SET deleted_at = $3, revision = $4 WHERE organization_id = $1 AND id = $2 AND revision = $5;

-- payments.walk
SELECT id, subscription_id, deleted_at FROM payments WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- payments.remove
DELETE FROM payments WHERE organization_id = $1 AND id = $2 AND deleted_at <= $3;

-- payments.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM payments WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- payments.purge
DELETE FROM payments WHERE organization_id = $1 AND id IN (SELECT id FROM payments WHERE organization_id = $1 AND id <>
    $3 ORDER BY id LIMIT $2);

-- sessions.insert
INSERT INTO sessions (organization_id, id, user_id, client_id, generation, signed_in_at, rotated_at, graces,
    expires_at, last_used_at, ip_address, user_agent, revoked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
    $12, $13);
-- sessions.insert (SQLite)
INSERT OR FAIL INTO sessions (organization_id, id, user_id, client_id, generation, signed_in_at, rotated_at, graces,
    expires_at, last_used_at, ip_address, user_agent, revoked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
    $12, $13);

-- sessions.by_key
SELECT organization_id, id, user_id, client_id, generation, signed_in_at, rotated_at, graces, expires_at, last_used_at,
    ip_address, user_agent, revoked_at FROM sessions WHERE organization_id = $1 AND id = $2;

-- sessions.live
SELECT 1 FROM sessions WHERE organization_id = $1 AND id = $2;

-- sessions.first_rows
SELECT organization_id, id, user_id, client_id, generation, signed_in_at, rotated_at, graces, expires_at, last_used_at,
    ip_address, user_agent, revoked_at FROM sessions ORDER BY organization_id, id LIMIT $1;

-- sessions.next_rows
SELECT organization_id, id, user_id, client_id, generation, signed_in_at, rotated_at, graces, expires_at, last_used_at,
    ip_address, user_agent, revoked_at FROM sessions WHERE (organization_id, id) > ($1, $2) ORDER BY organization_id,
    id LIMIT $3;

-- sessions.row
SELECT organization_id, id, user_id, client_id, generation, signed_in_at, rotated_at, graces, expires_at, last_used_at,
    ip_address, user_agent, revoked_at FROM sessions WHERE organization_id = $1 AND id = $2;

-- sessions.insert_row
INSERT INTO sessions (organization_id, id, user_id, client_id, generation, signed_in_at, rotated_at, graces,
    expires_at, last_used_at, ip_address, user_agent, revoked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
    $12, $13) ON CONFLICT DO NOTHING;

-- sessions.count
SELECT COUNT(*) FROM sessions;

-- sessions.refers
SELECT EXISTS (SELECT 1 FROM sessions WHERE organization_id = $1 AND user_id = $2);

-- sessions.walk
SELECT id, user_id FROM sessions WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- sessions.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM sessions WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- sessions.purge
DELETE FROM sessions WHERE organization_id = $1 AND id IN (SELECT id FROM sessions WHERE organization_id = $1 AND id <>
    $3 ORDER BY id LIMIT $2);

-- sessions.due
SELECT id FROM sessions WHERE organization_id = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3;

-- sessions.count_due
SELECT COUNT(*) FROM (SELECT 1 FROM sessions WHERE organization_id = $1 AND expires_at <= $2 LIMIT $3) AS counted;

-- sessions.sweep
DELETE FROM sessions WHERE organization_id = $1 AND id IN (SELECT id FROM sessions WHERE organization_id = $1 AND
    expires_at <= $2 ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED);
-- sessions.sweep (SQLite)
DELETE FROM sessions WHERE organization_id = $1 AND id IN (SELECT id FROM sessions WHERE organization_id = $1 AND
    expires_at <= $2 ORDER BY expires_at LIMIT $3);

-- events.insert
INSERT INTO events (organization_id, id, kind, record_id, client_id, operator_id, request_id, at, previous_id, before,
    after) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);
-- events.insert (SQLite)
INSERT OR FAIL INTO events (organization_id, id, kind, record_id, client_id, operator_id, request_id, at, previous_id,
    before, after) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- events.by_key
SELECT organization_id, id, kind, record_id, client_id, operator_id, request_id, at, previous_id, before, after FROM
    events WHERE organization_id = $1 AND id = $2;

-- events.live
SELECT 1 FROM events WHERE organization_id = $1 AND id = $2;

-- events.first_rows
SELECT organization_id, id, kind, record_id, client_id, operator_id, request_id, at, previous_id, before, after FROM
    events ORDER BY organization_id, id LIMIT $1;

-- events.next_rows
SELECT organization_id, id, kind, record_id, client_id, operator_id, request_id, at, previous_id, before, after FROM
    events WHERE (organization_id, id) > ($1, $2) ORDER BY organization_id, id LIMIT $3;

-- events.row
SELECT organization_id, id, kind, record_id, client_id, operator_id, request_id, at, previous_id, before, after FROM
    events WHERE organization_id = $1 AND id = $2;

-- events.insert_row
INSERT INTO events (organization_id, id, kind, record_id, client_id, operator_id, request_id, at, previous_id, before,
    after) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING;

-- events.count
SELECT COUNT(*) FROM events;

-- events.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM events WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- events.purge
DELETE FROM events WHERE organization_id = $1 AND id IN (SELECT id FROM events WHERE organization_id = $1 AND id <> $3
    ORDER BY id LIMIT $2);

-- idempotency_keys.insert
INSERT INTO idempotency_keys (organization_id, client_id, key, fingerprint, status, body, location, etag, created_at,
    expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (organization_id, client_id, key) DO
    UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, location =
    excluded.location, etag = excluded.etag, created_at = excluded.created_at, expires_at = excluded.expires_at WHERE
    idempotency_keys.expires_at <= excluded.created_at;

-- idempotency_keys.by_key
SELECT fingerprint, status, body, location, etag, expires_at FROM idempotency_keys WHERE organization_id = $1 AND
    client_id = $2 AND key = $3;

-- idempotency_keys.live
SELECT 1 FROM idempotency_keys WHERE organization_id = $1 AND client_id = $2 AND key = $3;

-- idempotency_keys.first_rows
SELECT organization_id, client_id, key, fingerprint, status, body, location, etag, created_at, expires_at FROM
    idempotency_keys ORDER BY organization_id, client_id, key LIMIT $1;

-- idempotency_keys.next_rows
SELECT organization_id, client_id, key, fingerprint, status, body, location, etag, created_at, expires_at FROM
    idempotency_keys WHERE (organization_id, client_id, key) > ($1, $2, $3) ORDER BY organization_id, client_id, key
    LIMIT $4;

-- idempotency_keys.row
SELECT organization_id, client_id, key, fingerprint, status, body, location, etag, created_at, expires_at FROM
    idempotency_keys WHERE organization_id = $1 AND client_id = $2 AND key = $3;

-- idempotency_keys.insert_row
INSERT INTO idempotency_keys (organization_id, client_id, key, fingerprint, status, body, location, etag, created_at,
    expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING;

-- idempotency_keys.count
SELECT COUNT(*) FROM idempotency_keys;

-- idempotency_keys.insert_new
INSERT INTO idempotency_keys (organization_id, client_id, key, fingerprint, status, body, location, etag, created_at,
    expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);
-- idempotency_keys.insert_new (SQLite)
INSERT INTO idempotency_keys (organization_id, client_id, key, fingerprint, status, body, location, etag, created_at,
    expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING;

-- idempotency_keys.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM idempotency_keys WHERE organization_id = $1 LIMIT $2) AS counted;

-- idempotency_keys.purge
DELETE FROM idempotency_keys WHERE organization_id = $1 AND (client_id, key) IN (SELECT client_id, key FROM
    idempotency_keys WHERE organization_id = $1 ORDER BY client_id, key LIMIT $2);

-- idempotency_keys.due
SELECT client_id, key FROM idempotency_keys WHERE organization_id = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT
    $3;

-- idempotency_keys.count_due
SELECT COUNT(*) FROM (SELECT 1 FROM idempotency_keys WHERE organization_id = $1 AND expires_at <= $2 LIMIT $3) AS
    counted;

-- idempotency_keys.sweep
DELETE FROM idempotency_keys WHERE organization_id = $1 AND (client_id, key) IN (SELECT client_id, key FROM
    idempotency_keys WHERE organization_id = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP
    LOCKED);
-- idempotency_keys.sweep (SQLite)
DELETE FROM idempotency_keys WHERE organization_id = $1 AND (client_id, key) IN (SELECT client_id, key FROM
    idempotency_keys WHERE organization_id = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3);

-- rate_limits.insert
INSERT INTO rate_limits (organization_id, window_start, bucket, used) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

-- rate_limits.by_key
SELECT organization_id, window_start, bucket, used FROM rate_limits WHERE organization_id = $1 AND window_start = $2
    AND bucket = $3;

-- rate_limits.live
SELECT 1 FROM rate_limits WHERE organization_id = $1 AND window_start = $2 AND bucket = $3;

-- rate_limits.first_rows
SELECT organization_id, window_start, bucket, used FROM rate_limits ORDER BY organization_id, window_start, bucket
    LIMIT $1;

-- rate_limits.next_rows
SELECT organization_id, window_start, bucket, used FROM rate_limits WHERE (organization_id, window_start, bucket) >
    ($1, $2, $3) ORDER BY organization_id, window_start, bucket LIMIT $4;

-- rate_limits.row
SELECT organization_id, window_start, bucket, used FROM rate_limits WHERE organization_id = $1 AND window_start = $2
    AND bucket = $3;

-- rate_limits.insert_row
INSERT INTO rate_limits (organization_id, window_start, bucket, used) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

-- rate_limits.count
SELECT COUNT(*) FROM rate_limits;

-- rate_limits.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM rate_limits WHERE organization_id = $1 LIMIT $2) AS counted;

-- rate_limits.purge
DELETE FROM rate_limits WHERE organization_id = $1 AND (window_start, bucket) IN (SELECT window_start, bucket FROM
    rate_limits WHERE organization_id = $1 ORDER BY window_start, bucket LIMIT $2);

-- rate_limits.due
SELECT window_start, bucket FROM rate_limits WHERE organization_id = $1 AND window_start < $2 ORDER BY window_start,
    bucket LIMIT $3;

-- rate_limits.count_due
SELECT COUNT(*) FROM (SELECT 1 FROM rate_limits WHERE organization_id = $1 AND window_start < $2 LIMIT $3) AS counted;

-- rate_limits.sweep
DELETE FROM rate_limits WHERE organization_id = $1 AND (window_start, bucket) IN (SELECT window_start, bucket FROM
    rate_limits WHERE organization_id = $1 AND window_start < $2 ORDER BY window_start, bucket LIMIT $3 FOR UPDATE SKIP
    LOCKED);
-- rate_limits.sweep (SQLite)
DELETE FROM rate_limits WHERE organization_id = $1 AND (window_start, bucket) IN (SELECT window_start, bucket FROM
    rate_limits WHERE organization_id = $1 AND window_start < $2 ORDER BY window_start, bucket LIMIT $3);

-- plan_versions.insert
INSERT INTO plan_versions (organization_id, plan_id, version, price, currency, billing_cycle, replaced_at,
    tax_behavior, charges) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (organization_id, plan_id, version)
    DO UPDATE SET price = excluded.price, currency = excluded.currency, billing_cycle = excluded.billing_cycle,
    replaced_at = excluded.replaced_at, tax_behavior = excluded.tax_behavior, charges = excluded.charges WHERE TRUE;

-- plan_versions.by_key
SELECT version, price, currency, billing_cycle, replaced_at, tax_behavior, charges FROM plan_versions WHERE
    organization_id = $1 AND plan_id = $2 AND version = $3;

-- plan_versions.live
SELECT 1 FROM plan_versions WHERE organization_id = $1 AND plan_id = $2 AND version = $3;

-- plan_versions.first_rows
SELECT organization_id, plan_id, version, price, currency, billing_cycle, replaced_at, tax_behavior, charges FROM
    plan_versions ORDER BY organization_id, plan_id, version LIMIT $1;

-- plan_versions.next_rows
SELECT organization_id, plan_id, version, price, currency, billing_cycle, replaced_at, tax_behavior, charges FROM
    plan_versions WHERE (organization_id, plan_id, version) > ($1, $2, $3) ORDER BY organization_id, plan_id, version
    LIMIT $4;

-- plan_versions.row
SELECT organization_id, plan_id, version, price, currency, billing_cycle, replaced_at, tax_behavior, charges FROM
    plan_versions WHERE organization_id = $1 AND plan_id = $2 AND version = $3;

-- plan_versions.insert_row
INSERT INTO plan_versions (organization_id, plan_id, version, price, currency, billing_cycle, replaced_at,
    tax_behavior, charges) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING;

-- plan_versions.count
SELECT COUNT(*) FROM plan_versions;

-- plan_versions.insert_new
INSERT INTO plan_versions (organization_id, plan_id, version, price, currency, billing_cycle, replaced_at,
    tax_behavior, charges) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);
-- plan_versions.insert_new (SQLite)
INSERT INTO plan_versions (organization_id, plan_id, version, price, currency, billing_cycle, replaced_at,
    tax_behavior, charges) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING;

-- plan_versions.remove_parts
DELETE FROM plan_versions WHERE organization_id = $1 AND plan_id IN (SELECT id FROM plans WHERE organization_id = $1
    AND id = $2 AND deleted_at <= $3);

-- plan_versions.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM plan_versions WHERE organization_id = $1 LIMIT $2) AS counted;

-- plan_versions.purge
DELETE FROM plan_versions WHERE organization_id = $1 AND (plan_id, version) IN (SELECT plan_id, version FROM
    plan_versions WHERE organization_id = $1 ORDER BY plan_id, version LIMIT $2);

-- operators.insert
INSERT INTO operators (organization_id, id, name, role, issuer, subject, is_active, last_sign_in_at, created_at,
    updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING;

-- operators.by_key
SELECT organization_id, id, name, role, issuer, subject, is_active, last_sign_in_at, created_at, updated_at, revision
    FROM operators WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL;

-- operators.live
SELECT 1 FROM operators WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL;

-- operators.first_rows
SELECT organization_id, id, name, role, issuer, subject, is_active, last_sign_in_at, created_at, updated_at,
    deleted_at, revision FROM operators ORDER BY organization_id, id LIMIT $1;

-- operators.next_rows
SELECT organization_id, id, name, role, issuer, subject, is_active, last_sign_in_at, created_at, updated_at,
    deleted_at, revision FROM operators WHERE (organization_id, id) > ($1, $2) ORDER BY organization_id, id LIMIT $3;

-- operators.row
SELECT organization_id, id, name, role, issuer, subject, is_active, last_sign_in_at, created_at, updated_at,
    deleted_at, revision FROM operators WHERE organization_id = $1 AND id = $2;

-- operators.insert_row
INSERT INTO operators (organization_id, id, name, role, issuer, subject, is_active, last_sign_in_at, created_at,
    updated_at, deleted_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING;

-- operators.count
SELECT COUNT(*) FROM operators;

-- operators.by_unique
SELECT organization_id, id, name, role, issuer, subject, is_active, last_sign_in_at, created_at, updated_at, revision
    FROM operators WHERE organization_id = $1 AND name = $2 AND deleted_at IS NULL;

-- operators.id_by_unique
SELECT id FROM operators WHERE organization_id = $1 AND name = $2 AND deleted_at IS NULL;

-- operators.at_revision
SELECT 1 FROM operators WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL;

-- operators.update
UPDATE operators SET name = $3, role = $4, is_active = $5, updated_at = $6, revision = $7 WHERE organization_id = $1
    AND id = $2 AND revision = $8 AND NOT EXISTS (SELECT 1 FROM operators AS other WHERE other.organization_id = $1 AND
    other.name = $3 AND other.name IS NOT NULL AND other.deleted_at IS NULL AND other.id <> $2);

-- operators.delete
UPDATE operators SET deleted_at = $3, revision = $4 WHERE organization_id = $1 AND id = $2 AND revision = $5;

-- operators.walk
SELECT id, deleted_at FROM operators WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- operators.remove
DELETE FROM operators WHERE organization_id = $1 AND id = $2 AND deleted_at <= $3;

-- operators.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM operators WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- operators.purge
DELETE FROM operators WHERE organization_id = $1 AND id IN (SELECT id FROM operators WHERE organization_id = $1 AND id
    <> $3 ORDER BY id LIMIT $2);

-- operator_sessions.insert
INSERT INTO operator_sessions (organization_id, id, operator_id, cookie_hash, method, signed_in_at, last_used_at,
    expires_at, ip_address, user_agent, ended_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);
-- operator_sessions.insert (SQLite)
INSERT OR FAIL INTO operator_sessions (organization_id, id, operator_id, cookie_hash, method, signed_in_at,
    last_used_at, expires_at, ip_address, user_agent, ended_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- operator_sessions.by_key
SELECT organization_id, id, operator_id, method, signed_in_at, last_used_at, expires_at, ip_address, user_agent,
    ended_at FROM operator_sessions WHERE organization_id = $1 AND id = $2;

-- operator_sessions.live
SELECT 1 FROM operator_sessions WHERE organization_id = $1 AND id = $2;

-- operator_sessions.first_rows
SELECT organization_id, id, operator_id, cookie_hash, method, signed_in_at, last_used_at, expires_at, ip_address,
    user_agent, ended_at FROM operator_sessions ORDER BY organization_id, id LIMIT $1;

-- operator_sessions.next_rows
SELECT organization_id, id, operator_id, cookie_hash, method, signed_in_at, last_used_at, expires_at, ip_address,
    user_agent, ended_at FROM operator_sessions WHERE (organization_id, id) > ($1, $2) ORDER BY organization_id, id
    LIMIT $3;

-- operator_sessions.row
SELECT organization_id, id, operator_id, cookie_hash, method, signed_in_at, last_used_at, expires_at, ip_address,
    user_agent, ended_at FROM operator_sessions WHERE organization_id = $1 AND id = $2;

-- operator_sessions.insert_row
INSERT INTO operator_sessions (organization_id, id, operator_id, cookie_hash, method, signed_in_at, last_used_at,
    expires_at, ip_address, user_agent, ended_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO
    NOTHING;

-- operator_sessions.count
SELECT COUNT(*) FROM operator_sessions;

-- operator_sessions.walk
SELECT id, operator_id FROM operator_sessions WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- operator_sessions.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM operator_sessions WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- operator_sessions.purge
DELETE FROM operator_sessions WHERE organization_id = $1 AND id IN (SELECT id FROM operator_sessions WHERE
    organization_id = $1 AND id <> $3 ORDER BY id LIMIT $2);

-- operator_sessions.due
SELECT id FROM operator_sessions WHERE organization_id = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3;

-- operator_sessions.count_due
SELECT COUNT(*) FROM (SELECT 1 FROM operator_sessions WHERE organization_id = $1 AND expires_at <= $2 LIMIT $3) AS
    counted;

-- operator_sessions.sweep
DELETE FROM operator_sessions WHERE organization_id = $1 AND id IN (SELECT id FROM operator_sessions WHERE
    organization_id = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED);
-- operator_sessions.sweep (SQLite)
DELETE FROM operator_sessions WHERE organization_id = $1 AND id IN (SELECT id FROM operator_sessions WHERE
    organization_id = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3);

-- operator_links.insert
INSERT INTO operator_links (organization_id, id, operator_id, link_hash, expires_at) VALUES ($1, $2, $3, $4, $5);
-- operator_links.insert (SQLite)
INSERT OR FAIL INTO operator_links (organization_id, id, operator_id, link_hash, expires_at) VALUES ($1, $2, $3, $4,
    $5);

-- operator_links.by_key
SELECT organization_id, id, operator_id, expires_at FROM operator_links WHERE organization_id = $1 AND id = $2;

-- operator_links.live
SELECT 1 FROM operator_links WHERE organization_id = $1 AND id = $2;

-- operator_links.first_rows
SELECT organization_id, id, operator_id, link_hash, expires_at FROM operator_links ORDER BY organization_id, id LIMIT
    $1;

-- operator_links.next_rows
SELECT organization_id, id, operator_id, link_hash, expires_at FROM operator_links WHERE (organization_id, id) > ($1,
    $2) ORDER BY organization_id, id LIMIT $3;

-- operator_links.row
SELECT organization_id, id, operator_id, link_hash, expires_at FROM operator_links WHERE organization_id = $1 AND id =
    $2;

-- operator_links.insert_row
INSERT INTO operator_links (organization_id, id, operator_id, link_hash, expires_at) VALUES ($1, $2, $3, $4, $5) ON
    CONFLICT DO NOTHING;

-- operator_links.count
SELECT COUNT(*) FROM operator_links;

-- operator_links.walk
SELECT id, operator_id FROM operator_links WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- operator_links.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM operator_links WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- operator_links.purge
DELETE FROM operator_links WHERE organization_id = $1 AND id IN (SELECT id FROM operator_links WHERE organization_id =
    $1 AND id <> $3 ORDER BY id LIMIT $2);

-- operator_links.due
SELECT id FROM operator_links WHERE organization_id = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3;

-- operator_links.count_due
SELECT COUNT(*) FROM (SELECT 1 FROM operator_links WHERE organization_id = $1 AND expires_at <= $2 LIMIT $3) AS counted;

-- operator_links.sweep
DELETE FROM operator_links WHERE organization_id = $1 AND id IN (SELECT id FROM operator_links WHERE organization_id =
    $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED);
-- operator_links.sweep (SQLite)
DELETE FROM operator_links WHERE organization_id = $1 AND id IN (SELECT id FROM operator_links WHERE organization_id =
    $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3);

-- feed.insert
INSERT INTO feed (organization_id, sequence, event_id, entered_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

-- feed.by_key
SELECT organization_id, sequence, event_id, entered_at FROM feed WHERE organization_id = $1 AND sequence = $2;

-- feed.live
SELECT 1 FROM feed WHERE organization_id = $1 AND sequence = $2;

-- feed.first_rows
SELECT organization_id, sequence, event_id, entered_at FROM feed ORDER BY organization_id, sequence LIMIT $1;

-- feed.next_rows
SELECT organization_id, sequence, event_id, entered_at FROM feed WHERE (organization_id, sequence) > ($1, $2) ORDER BY
    organization_id, sequence LIMIT $3;

-- feed.row
SELECT organization_id, sequence, event_id, entered_at FROM feed WHERE organization_id = $1 AND sequence = $2;

-- feed.insert_row
INSERT INTO feed (organization_id, sequence, event_id, entered_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

-- feed.count
SELECT COUNT(*) FROM feed;

-- feed.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM feed WHERE organization_id = $1 LIMIT $2) AS counted;

-- feed.purge
DELETE FROM feed WHERE organization_id = $1 AND sequence IN (SELECT sequence FROM feed WHERE organization_id = $1 ORDER
    BY sequence LIMIT $2);

-- webhook_endpoints.insert
INSERT INTO webhook_endpoints (organization_id, id, url, description, types, payload, signature, is_active, state,
    disabled_reason, disabled_at, sealed_secrets, created_at, updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7,
    $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT DO NOTHING;

-- webhook_endpoints.by_key
SELECT organization_id, id, url, description, types, payload, signature, is_active, state, disabled_reason,
    disabled_at, sealed_secrets, created_at, updated_at, revision FROM webhook_endpoints WHERE organization_id = $1 AND
    id = $2 AND deleted_at IS NULL;

-- webhook_endpoints.live
SELECT 1 FROM webhook_endpoints WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL;

-- webhook_endpoints.first_rows
SELECT organization_id, id, url, description, types, payload, signature, is_active, state, disabled_reason,
    disabled_at, sealed_secrets, created_at, updated_at, deleted_at, revision FROM webhook_endpoints ORDER BY
    organization_id, id LIMIT $1;

-- webhook_endpoints.next_rows
SELECT organization_id, id, url, description, types, payload, signature, is_active, state, disabled_reason,
    disabled_at, sealed_secrets, created_at, updated_at, deleted_at, revision FROM webhook_endpoints WHERE
    (organization_id, id) > ($1, $2) ORDER BY organization_id, id LIMIT $3;

-- webhook_endpoints.row
SELECT organization_id, id, url, description, types, payload, signature, is_active, state, disabled_reason,
    disabled_at, sealed_secrets, created_at, updated_at, deleted_at, revision FROM webhook_endpoints WHERE
    organization_id = $1 AND id = $2;

-- webhook_endpoints.insert_row
INSERT INTO webhook_endpoints (organization_id, id, url, description, types, payload, signature, is_active, state,
    disabled_reason, disabled_at, sealed_secrets, created_at, updated_at, deleted_at, revision) VALUES ($1, $2, $3, $4,
    $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING;

-- webhook_endpoints.count
SELECT COUNT(*) FROM webhook_endpoints;

-- webhook_endpoints.at_revision
SELECT 1 FROM webhook_endpoints WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL;

-- webhook_endpoints.update
UPDATE webhook_endpoints SET url = $3, description = $4, types = $5, payload = $6, is_active = $7, state = $8,
    disabled_reason = $9, disabled_at = $10, updated_at = $11, revision = $12 WHERE organization_id = $1 AND id = $2
    AND revision = $13;

-- webhook_endpoints.delete
UPDATE webhook_endpoints SET deleted_at = $3, revision = $4 WHERE organization_id = $1 AND id = $2 AND revision = $5;

-- webhook_endpoints.walk
SELECT id, deleted_at FROM webhook_endpoints WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- webhook_endpoints.remove
DELETE FROM webhook_endpoints WHERE organization_id = $1 AND id = $2 AND deleted_at <= $3;

-- webhook_endpoints.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM webhook_endpoints WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- webhook_endpoints.purge
DELETE FROM webhook_endpoints WHERE organization_id = $1 AND id IN (SELECT id FROM webhook_endpoints WHERE
    organization_id = $1 AND id <> $3 ORDER BY id LIMIT $2);

-- leases.insert
INSERT INTO leases (organization_id, job, unit, owner, expires_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING;

-- leases.by_key
SELECT organization_id, job, unit, owner, expires_at FROM leases WHERE organization_id = $1 AND job = $2 AND unit = $3;

-- leases.live
SELECT 1 FROM leases WHERE organization_id = $1 AND job = $2 AND unit = $3;

-- leases.first_rows
SELECT organization_id, job, unit, owner, expires_at FROM leases ORDER BY organization_id, job, unit LIMIT $1;

-- leases.next_rows
SELECT organization_id, job, unit, owner, expires_at FROM leases WHERE (organization_id, job, unit) > ($1, $2, $3)
    ORDER BY organization_id, job, unit LIMIT $4;

-- leases.row
SELECT organization_id, job, unit, owner, expires_at FROM leases WHERE organization_id = $1 AND job = $2 AND unit = $3;

-- leases.insert_row
INSERT INTO leases (organization_id, job, unit, owner, expires_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING;

-- leases.count
SELECT COUNT(*) FROM leases;

-- leases.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM leases WHERE organization_id = $1 LIMIT $2) AS counted;

-- leases.purge
DELETE FROM leases WHERE organization_id = $1 AND (job, unit) IN (SELECT job, unit FROM leases WHERE organization_id =
    $1 ORDER BY job, unit LIMIT $2);

-- webhook_readers.insert
INSERT INTO webhook_readers (organization_id, endpoint_id, sequence, failures, failing_since, probes, next_probe_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING;

-- webhook_readers.by_key
SELECT organization_id, endpoint_id, sequence, failures, failing_since, probes, next_probe_at FROM webhook_readers
    WHERE organization_id = $1 AND endpoint_id = $2;

-- webhook_readers.live
SELECT 1 FROM webhook_readers WHERE organization_id = $1 AND endpoint_id = $2;

-- webhook_readers.first_rows
SELECT organization_id, endpoint_id, sequence, failures, failing_since, probes, next_probe_at FROM webhook_readers
    ORDER BY organization_id, endpoint_id LIMIT $1;

-- webhook_readers.next_rows
SELECT organization_id, endpoint_id, sequence, failures, failing_since, probes, next_probe_at FROM webhook_readers
    WHERE (organization_id, endpoint_id) > ($1, $2) ORDER BY organization_id, endpoint_id LIMIT $3;

-- webhook_readers.row
SELECT organization_id, endpoint_id, sequence, failures, failing_since, probes, next_probe_at FROM webhook_readers
    WHERE organization_id = $1 AND endpoint_id = $2;

-- webhook_readers.insert_row
INSERT INTO webhook_readers (organization_id, endpoint_id, sequence, failures, failing_since, probes, next_probe_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING;

-- webhook_readers.count
SELECT COUNT(*) FROM webhook_readers;

-- webhook_readers.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM webhook_readers WHERE organization_id = $1 LIMIT $2) AS counted;

-- webhook_readers.purge
DELETE FROM webhook_readers WHERE organization_id = $1 AND endpoint_id IN (SELECT endpoint_id FROM webhook_readers
    WHERE organization_id = $1 ORDER BY endpoint_id LIMIT $2);

-- webhook_attempts.insert
INSERT INTO webhook_attempts (organization_id, endpoint_id, id, event_id, event_type, cause, number, outcome, status,
    error, duration_ms, response, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON
    CONFLICT DO NOTHING;

-- webhook_attempts.by_key
SELECT organization_id, endpoint_id, id, event_id, event_type, cause, number, outcome, status, error, duration_ms,
    response, created_at FROM webhook_attempts WHERE organization_id = $1 AND endpoint_id = $2 AND id = $3;

-- webhook_attempts.live
SELECT 1 FROM webhook_attempts WHERE organization_id = $1 AND endpoint_id = $2 AND id = $3;

-- webhook_attempts.first_rows
SELECT organization_id, endpoint_id, id, event_id, event_type, cause, number, outcome, status, error, duration_ms,
    response, created_at FROM webhook_attempts ORDER BY organization_id, endpoint_id, id LIMIT $1;

-- webhook_attempts.next_rows
SELECT organization_id, endpoint_id, id, event_id, event_type, cause, number, outcome, status, error, duration_ms,
    response, created_at FROM webhook_attempts WHERE (organization_id, endpoint_id, id) > ($1, $2, $3) ORDER BY
    organization_id, endpoint_id, id LIMIT $4;

-- webhook_attempts.row
SELECT organization_id, endpoint_id, id, event_id, event_type, cause, number, outcome, status, error, duration_ms,
    response, created_at FROM webhook_attempts WHERE organization_id = $1 AND endpoint_id = $2 AND id = $3;

-- webhook_attempts.insert_row
INSERT INTO webhook_attempts (organization_id, endpoint_id, id, event_id, event_type, cause, number, outcome, status,
    error, duration_ms, response, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON
    CONFLICT DO NOTHING;

-- webhook_attempts.count
SELECT COUNT(*) FROM webhook_attempts;

-- webhook_attempts.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM webhook_attempts WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- webhook_attempts.purge
DELETE FROM webhook_attempts WHERE organization_id = $1 AND (endpoint_id, id) IN (SELECT endpoint_id, id FROM
    webhook_attempts WHERE organization_id = $1 AND id <> $3 ORDER BY endpoint_id, id LIMIT $2);

-- webhook_undelivered.insert
INSERT INTO webhook_undelivered (organization_id, endpoint_id, sequence, event_id, event_type, record_id, entered_at,
    state, attempts, is_resend, next_attempt_at, first_failed_at, last_status, last_error) VALUES ($1, $2, $3, $4, $5,
    $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING;

-- webhook_undelivered.by_key
SELECT organization_id, endpoint_id, sequence, event_id, event_type, record_id, entered_at, state, attempts, is_resend,
    next_attempt_at, first_failed_at, last_status, last_error FROM webhook_undelivered WHERE organization_id = $1 AND
    endpoint_id = $2 AND sequence = $3;

-- webhook_undelivered.live
SELECT 1 FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2 AND sequence = $3;

-- webhook_undelivered.first_rows
SELECT organization_id, endpoint_id, sequence, event_id, event_type, record_id, entered_at, state, attempts, is_resend,
    next_attempt_at, first_failed_at, last_status, last_error FROM webhook_undelivered ORDER BY organization_id,
    endpoint_id, sequence LIMIT $1;

-- webhook_undelivered.next_rows
SELECT organization_id, endpoint_id, sequence, event_id, event_type, record_id, entered_at, state, attempts, is_resend,
    next_attempt_at, first_failed_at, last_status, last_error FROM webhook_undelivered WHERE (organization_id,
    endpoint_id, sequence) > ($1, $2, $3) ORDER BY organization_id, endpoint_id, sequence LIMIT $4;

-- webhook_undelivered.row
SELECT organization_id, endpoint_id, sequence, event_id, event_type, record_id, entered_at, state, attempts, is_resend,
    next_attempt_at, first_failed_at, last_status, last_error FROM webhook_undelivered WHERE organization_id = $1 AND
    endpoint_id = $2 AND sequence = $3;

-- webhook_undelivered.insert_row
INSERT INTO webhook_undelivered (organization_id, endpoint_id, sequence, event_id, event_type, record_id, entered_at,
    state, attempts, is_resend, next_attempt_at, first_failed_at, last_status, last_error) VALUES ($1, $2, $3, $4, $5,
    $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING;

-- webhook_undelivered.count
SELECT COUNT(*) FROM webhook_undelivered;

-- webhook_undelivered.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM webhook_undelivered WHERE organization_id = $1 LIMIT $2) AS counted;

-- webhook_undelivered.purge
DELETE FROM webhook_undelivered WHERE organization_id = $1 AND (endpoint_id, sequence) IN (SELECT endpoint_id, sequence
    FROM webhook_undelivered WHERE organization_id = $1 ORDER BY endpoint_id, sequence LIMIT $2);

-- test_clocks.insert
INSERT INTO test_clocks (id, now, target, state, transitions, limit_reached, revision) VALUES ($1, $2, $3, $4, $5, $6,
    $7) ON CONFLICT DO NOTHING;

-- test_clocks.by_key
SELECT id, now, target, state, transitions, limit_reached, revision FROM test_clocks WHERE id = $1;

-- test_clocks.live
SELECT 1 FROM test_clocks WHERE id = $1;

-- test_clocks.first_rows
SELECT id, now, target, state, transitions, limit_reached, revision FROM test_clocks ORDER BY id LIMIT $1;

-- test_clocks.next_rows
SELECT id, now, target, state, transitions, limit_reached, revision FROM test_clocks WHERE (id) > ($1) ORDER BY id
    LIMIT $2;

-- test_clocks.row
SELECT id, now, target, state, transitions, limit_reached, revision FROM test_clocks WHERE id = $1;

-- test_clocks.insert_row
INSERT INTO test_clocks (id, now, target, state, transitions, limit_reached, revision) VALUES ($1, $2, $3, $4, $5, $6,
    $7) ON CONFLICT DO NOTHING;

-- test_clocks.count
SELECT COUNT(*) FROM test_clocks;

-- test_clocks.at_revision
SELECT 1 FROM test_clocks WHERE id = $1 AND revision = $2;

-- test_clocks.update
UPDATE test_clocks SET now = $2, target = $3, state = $4, transitions = $5, limit_reached = $6, revision = $7 WHERE id
    = $1 AND revision = $8;

-- lifecycle_holds.insert
INSERT INTO lifecycle_holds (id, reason, released_through, lost_since, lost_until) VALUES ($1, $2, $3, $4, $5) ON
    CONFLICT (id) DO UPDATE SET reason = excluded.reason, released_through = excluded.released_through, lost_since =
    excluded.lost_since, lost_until = excluded.lost_until WHERE TRUE;

-- lifecycle_holds.by_key
SELECT id, reason, released_through, lost_since, lost_until FROM lifecycle_holds WHERE id = $1;

-- lifecycle_holds.live
SELECT 1 FROM lifecycle_holds WHERE id = $1;

-- lifecycle_holds.first_rows
SELECT id, reason, released_through, lost_since, lost_until FROM lifecycle_holds ORDER BY id LIMIT $1;

-- lifecycle_holds.next_rows
SELECT id, reason, released_through, lost_since, lost_until FROM lifecycle_holds WHERE (id) > ($1) ORDER BY id LIMIT $2;

-- lifecycle_holds.row
SELECT id, reason, released_through, lost_since, lost_until FROM lifecycle_holds WHERE id = $1;

-- lifecycle_holds.insert_row
INSERT INTO lifecycle_holds (id, reason, released_through, lost_since, lost_until) VALUES ($1, $2, $3, $4, $5) ON
    CONFLICT DO NOTHING;

-- lifecycle_holds.count
SELECT COUNT(*) FROM lifecycle_holds;

-- lifecycle_holds.insert_new
INSERT INTO lifecycle_holds (id, reason, released_through, lost_since, lost_until) VALUES ($1, $2, $3, $4, $5);
-- lifecycle_holds.insert_new (SQLite)
INSERT INTO lifecycle_holds (id, reason, released_through, lost_since, lost_until) VALUES ($1, $2, $3, $4, $5) ON
    CONFLICT DO NOTHING;

-- analytics_ledgers.insert
INSERT INTO analytics_ledgers (organization_id, generation, state, sequence, event_id, as_of) VALUES ($1, $2, $3, $4,
    $5, $6) ON CONFLICT DO NOTHING;

-- analytics_ledgers.by_key
SELECT organization_id, generation, state, sequence, event_id, as_of FROM analytics_ledgers WHERE organization_id = $1
    AND generation = $2;

-- analytics_ledgers.live
SELECT 1 FROM analytics_ledgers WHERE organization_id = $1 AND generation = $2;

-- analytics_ledgers.first_rows
SELECT organization_id, generation, state, sequence, event_id, as_of FROM analytics_ledgers ORDER BY organization_id,
    generation LIMIT $1;

-- analytics_ledgers.next_rows
SELECT organization_id, generation, state, sequence, event_id, as_of FROM analytics_ledgers WHERE (organization_id,
    generation) > ($1, $2) ORDER BY organization_id, generation LIMIT $3;

-- analytics_ledgers.row
SELECT organization_id, generation, state, sequence, event_id, as_of FROM analytics_ledgers WHERE organization_id = $1
    AND generation = $2;

-- analytics_ledgers.insert_row
INSERT INTO analytics_ledgers (organization_id, generation, state, sequence, event_id, as_of) VALUES ($1, $2, $3, $4,
    $5, $6) ON CONFLICT DO NOTHING;

-- analytics_ledgers.count
SELECT COUNT(*) FROM analytics_ledgers;

-- analytics_ledgers.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM analytics_ledgers WHERE organization_id = $1 LIMIT $2) AS counted;

-- analytics_ledgers.purge
DELETE FROM analytics_ledgers WHERE organization_id = $1 AND generation IN (SELECT generation FROM analytics_ledgers
    WHERE organization_id = $1 ORDER BY generation LIMIT $2);

-- analytics_subscriptions.insert
INSERT INTO analytics_subscriptions (organization_id, generation, subscription_id, history, applied_at, due_at) VALUES
    ($1, $2, $3, $4, $5, $6) ON CONFLICT (organization_id, generation, subscription_id) DO UPDATE SET history =
    excluded.history, applied_at = excluded.applied_at, due_at = excluded.due_at WHERE TRUE;

-- analytics_subscriptions.by_key
SELECT subscription_id, history, applied_at, due_at FROM analytics_subscriptions WHERE organization_id = $1 AND
    generation = $2 AND subscription_id = $3;

-- analytics_subscriptions.live
SELECT 1 FROM analytics_subscriptions WHERE organization_id = $1 AND generation = $2 AND subscription_id = $3;

-- analytics_subscriptions.first_rows
SELECT organization_id, generation, subscription_id, history, applied_at, due_at FROM analytics_subscriptions ORDER BY
    organization_id, generation, subscription_id LIMIT $1;

-- analytics_subscriptions.next_rows
SELECT organization_id, generation, subscription_id, history, applied_at, due_at FROM analytics_subscriptions WHERE
    (organization_id, generation, subscription_id) > ($1, $2, $3) ORDER BY organization_id, generation, subscription_id
    LIMIT $4;

-- analytics_subscriptions.row
SELECT organization_id, generation, subscription_id, history, applied_at, due_at FROM analytics_subscriptions WHERE
    organization_id = $1 AND generation = $2 AND subscription_id = $3;

-- analytics_subscriptions.insert_row
INSERT INTO analytics_subscriptions (organization_id, generation, subscription_id, history, applied_at, due_at) VALUES
    ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING;

-- analytics_subscriptions.count
SELECT COUNT(*) FROM analytics_subscriptions;

-- analytics_subscriptions.insert_new
INSERT INTO analytics_subscriptions (organization_id, generation, subscription_id, history, applied_at, due_at) VALUES
    ($1, $2, $3, $4, $5, $6);
-- analytics_subscriptions.insert_new (SQLite)
INSERT INTO analytics_subscriptions (organization_id, generation, subscription_id, history, applied_at, due_at) VALUES
    ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING;

-- analytics_subscriptions.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM analytics_subscriptions WHERE organization_id = $1 LIMIT $2) AS counted;

-- analytics_subscriptions.purge
DELETE FROM analytics_subscriptions WHERE organization_id = $1 AND (generation, subscription_id) IN (SELECT generation,
    subscription_id FROM analytics_subscriptions WHERE organization_id = $1 ORDER BY generation, subscription_id LIMIT
    $2);

-- analytics_movements.insert
INSERT INTO analytics_movements (organization_id, generation, currency, user_id, day, kind, amount, mrr, cohort) VALUES
    ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (organization_id, generation, currency, user_id, day) DO UPDATE
    SET kind = excluded.kind, amount = excluded.amount, mrr = excluded.mrr, cohort = excluded.cohort WHERE TRUE;

-- analytics_movements.by_key
SELECT currency, user_id, day, kind, amount, mrr, cohort FROM analytics_movements WHERE organization_id = $1 AND
    generation = $2 AND currency = $3 AND user_id = $4 AND day = $5;

-- analytics_movements.live
SELECT 1 FROM analytics_movements WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND user_id = $4 AND
    day = $5;

-- analytics_movements.first_rows
SELECT organization_id, generation, currency, user_id, day, kind, amount, mrr, cohort FROM analytics_movements ORDER BY
    organization_id, generation, currency, user_id, day LIMIT $1;

-- analytics_movements.next_rows
SELECT organization_id, generation, currency, user_id, day, kind, amount, mrr, cohort FROM analytics_movements WHERE
    (organization_id, generation, currency, user_id, day) > ($1, $2, $3, $4, $5) ORDER BY organization_id, generation,
    currency, user_id, day LIMIT $6;

-- analytics_movements.row
SELECT organization_id, generation, currency, user_id, day, kind, amount, mrr, cohort FROM analytics_movements WHERE
    organization_id = $1 AND generation = $2 AND currency = $3 AND user_id = $4 AND day = $5;

-- analytics_movements.insert_row
INSERT INTO analytics_movements (organization_id, generation, currency, user_id, day, kind, amount, mrr, cohort) VALUES
    ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING;

-- analytics_movements.count
SELECT COUNT(*) FROM analytics_movements;

-- analytics_movements.insert_new
INSERT INTO analytics_movements (organization_id, generation, currency, user_id, day, kind, amount, mrr, cohort) VALUES
    ($1, $2, $3, $4, $5, $6, $7, $8, $9);
-- analytics_movements.insert_new (SQLite)
INSERT INTO analytics_movements (organization_id, generation, currency, user_id, day, kind, amount, mrr, cohort) VALUES
    ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING;

-- analytics_movements.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM analytics_movements WHERE organization_id = $1 LIMIT $2) AS counted;

-- analytics_movements.purge
DELETE FROM analytics_movements WHERE organization_id = $1 AND (generation, currency, user_id, day) IN (SELECT
    generation, currency, user_id, day FROM analytics_movements WHERE organization_id = $1 ORDER BY generation,
    currency, user_id, day LIMIT $2);

-- analytics_sums.insert
INSERT INTO analytics_sums (organization_id, generation, currency, series, grain, period, kind, item, amount, count)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (organization_id, generation, currency, series, grain,
    period, kind, item) DO UPDATE SET amount = excluded.amount, count = excluded.count WHERE TRUE;

-- analytics_sums.by_key
SELECT grain, period, kind, item, amount, count FROM analytics_sums WHERE organization_id = $1 AND generation = $2 AND
    currency = $3 AND series = $4 AND grain = $5 AND period = $6 AND kind = $7 AND item = $8;

-- analytics_sums.live
SELECT 1 FROM analytics_sums WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND series = $4 AND grain
    = $5 AND period = $6 AND kind = $7 AND item = $8;

-- analytics_sums.first_rows
SELECT organization_id, generation, currency, series, grain, period, kind, item, amount, count FROM analytics_sums
    ORDER BY organization_id, generation, currency, series, grain, period, kind, item LIMIT $1;

-- analytics_sums.next_rows
SELECT organization_id, generation, currency, series, grain, period, kind, item, amount, count FROM analytics_sums
    WHERE (organization_id, generation, currency, series, grain, period, kind, item) > ($1, $2, $3, $4, $5, $6, $7, $8)
    ORDER BY organization_id, generation, currency, series, grain, period, kind, item LIMIT $9;

-- analytics_sums.row
SELECT organization_id, generation, currency, series, grain, period, kind, item, amount, count FROM analytics_sums
    WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND series = $4 AND grain = $5 AND period = $6 AND
    kind = $7 AND item = $8;

-- analytics_sums.insert_row
INSERT INTO analytics_sums (organization_id, generation, currency, series, grain, period, kind, item, amount, count)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING;

-- analytics_sums.count
SELECT COUNT(*) FROM analytics_sums;

-- analytics_sums.insert_new
INSERT INTO analytics_sums (organization_id, generation, currency, series, grain, period, kind, item, amount, count)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);
-- analytics_sums.insert_new (SQLite)
INSERT INTO analytics_sums (organization_id, generation, currency, series, grain, period, kind, item, amount, count)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING;

-- analytics_sums.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM analytics_sums WHERE organization_id = $1 LIMIT $2) AS counted;

-- analytics_sums.purge
DELETE FROM analytics_sums WHERE organization_id = $1 AND (generation, currency, series, grain, period, kind, item) IN
    (SELECT generation, currency, series, grain, period, kind, item FROM analytics_sums WHERE organization_id = $1
    ORDER BY generation, currency, series, grain, period, kind, item LIMIT $2);

-- analytics_cohorts.insert
INSERT INTO analytics_cohorts (organization_id, generation, currency, cohort, month, new_customers, customers, mrr)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (organization_id, generation, currency, cohort, month) DO
    UPDATE SET new_customers = excluded.new_customers, customers = excluded.customers, mrr = excluded.mrr WHERE TRUE;

-- analytics_cohorts.by_key
SELECT cohort, month, new_customers, customers, mrr FROM analytics_cohorts WHERE organization_id = $1 AND generation =
    $2 AND currency = $3 AND cohort = $4 AND month = $5;

-- analytics_cohorts.live
SELECT 1 FROM analytics_cohorts WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND cohort = $4 AND
    month = $5;

-- analytics_cohorts.first_rows
SELECT organization_id, generation, currency, cohort, month, new_customers, customers, mrr FROM analytics_cohorts ORDER
    BY organization_id, generation, currency, cohort, month LIMIT $1;

-- analytics_cohorts.next_rows
SELECT organization_id, generation, currency, cohort, month, new_customers, customers, mrr FROM analytics_cohorts WHERE
    (organization_id, generation, currency, cohort, month) > ($1, $2, $3, $4, $5) ORDER BY organization_id, generation,
    currency, cohort, month LIMIT $6;

-- analytics_cohorts.row
SELECT organization_id, generation, currency, cohort, month, new_customers, customers, mrr FROM analytics_cohorts WHERE
    organization_id = $1 AND generation = $2 AND currency = $3 AND cohort = $4 AND month = $5;

-- analytics_cohorts.insert_row
INSERT INTO analytics_cohorts (organization_id, generation, currency, cohort, month, new_customers, customers, mrr)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING;

-- analytics_cohorts.count
SELECT COUNT(*) FROM analytics_cohorts;

-- analytics_cohorts.insert_new
INSERT INTO analytics_cohorts (organization_id, generation, currency, cohort, month, new_customers, customers, mrr)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8);
-- analytics_cohorts.insert_new (SQLite)
INSERT INTO analytics_cohorts (organization_id, generation, currency, cohort, month, new_customers, customers, mrr)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING;

-- analytics_cohorts.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM analytics_cohorts WHERE organization_id = $1 LIMIT $2) AS counted;

-- analytics_cohorts.purge
DELETE FROM analytics_cohorts WHERE organization_id = $1 AND (generation, currency, cohort, month) IN (SELECT
    generation, currency, cohort, month FROM analytics_cohorts WHERE organization_id = $1 ORDER BY generation,
    currency, cohort, month LIMIT $2);

-- analytics_payments.insert
INSERT INTO analytics_payments (organization_id, generation, payment_id, currency, day, amount, is_collected,
    is_refunded) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (organization_id, generation, payment_id) DO
    UPDATE SET currency = excluded.currency, day = excluded.day, amount = excluded.amount, is_collected =
    excluded.is_collected, is_refunded = excluded.is_refunded WHERE TRUE;

-- analytics_payments.by_key
SELECT currency, day, amount, is_collected, is_refunded FROM analytics_payments WHERE organization_id = $1 AND
    generation = $2 AND payment_id = $3;

-- analytics_payments.live
SELECT 1 FROM analytics_payments WHERE organization_id = $1 AND generation = $2 AND payment_id = $3;

-- analytics_payments.first_rows
SELECT organization_id, generation, payment_id, currency, day, amount, is_collected, is_refunded FROM
    analytics_payments ORDER BY organization_id, generation, payment_id LIMIT $1;

-- analytics_payments.next_rows
SELECT organization_id, generation, payment_id, currency, day, amount, is_collected, is_refunded FROM
    analytics_payments WHERE (organization_id, generation, payment_id) > ($1, $2, $3) ORDER BY organization_id,
    generation, payment_id LIMIT $4;

-- analytics_payments.row
SELECT organization_id, generation, payment_id, currency, day, amount, is_collected, is_refunded FROM
    analytics_payments WHERE organization_id = $1 AND generation = $2 AND payment_id = $3;

-- analytics_payments.insert_row
INSERT INTO analytics_payments (organization_id, generation, payment_id, currency, day, amount, is_collected,
    is_refunded) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING;

-- analytics_payments.count
SELECT COUNT(*) FROM analytics_payments;

-- analytics_payments.insert_new
INSERT INTO analytics_payments (organization_id, generation, payment_id, currency, day, amount, is_collected,
    is_refunded) VALUES ($1, $2, $3, $4, $5, $6, $7, $8);
-- analytics_payments.insert_new (SQLite)
INSERT INTO analytics_payments (organization_id, generation, payment_id, currency, day, amount, is_collected,
    is_refunded) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING;

-- analytics_payments.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM analytics_payments WHERE organization_id = $1 LIMIT $2) AS counted;

-- analytics_payments.purge
DELETE FROM analytics_payments WHERE organization_id = $1 AND (generation, payment_id) IN (SELECT generation,
    payment_id FROM analytics_payments WHERE organization_id = $1 ORDER BY generation, payment_id LIMIT $2);

-- analytics_prices.insert
INSERT INTO analytics_prices (organization_id, generation, plan_id, version, price, currency, billing_cycle) VALUES
    ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (organization_id, generation, plan_id, version) DO UPDATE SET price =
    excluded.price, currency = excluded.currency, billing_cycle = excluded.billing_cycle WHERE TRUE;

-- analytics_prices.by_key
SELECT price, currency, billing_cycle FROM analytics_prices WHERE organization_id = $1 AND generation = $2 AND plan_id
    = $3 AND version = $4;

-- analytics_prices.live
SELECT 1 FROM analytics_prices WHERE organization_id = $1 AND generation = $2 AND plan_id = $3 AND version = $4;

-- analytics_prices.first_rows
SELECT organization_id, generation, plan_id, version, price, currency, billing_cycle FROM analytics_prices ORDER BY
    organization_id, generation, plan_id, version LIMIT $1;

-- analytics_prices.next_rows
SELECT organization_id, generation, plan_id, version, price, currency, billing_cycle FROM analytics_prices WHERE
    (organization_id, generation, plan_id, version) > ($1, $2, $3, $4) ORDER BY organization_id, generation, plan_id,
    version LIMIT $5;

-- analytics_prices.row
SELECT organization_id, generation, plan_id, version, price, currency, billing_cycle FROM analytics_prices WHERE
    organization_id = $1 AND generation = $2 AND plan_id = $3 AND version = $4;

-- analytics_prices.insert_row
INSERT INTO analytics_prices (organization_id, generation, plan_id, version, price, currency, billing_cycle) VALUES
    ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING;

-- analytics_prices.count
SELECT COUNT(*) FROM analytics_prices;

-- analytics_prices.insert_new
INSERT INTO analytics_prices (organization_id, generation, plan_id, version, price, currency, billing_cycle) VALUES
    ($1, $2, $3, $4, $5, $6, $7);
-- analytics_prices.insert_new (SQLite)
INSERT INTO analytics_prices (organization_id, generation, plan_id, version, price, currency, billing_cycle) VALUES
    ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING;

-- analytics_prices.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM analytics_prices WHERE organization_id = $1 LIMIT $2) AS counted;

-- analytics_prices.purge
DELETE FROM analytics_prices WHERE organization_id = $1 AND (generation, plan_id, version) IN (SELECT generation,
    plan_id, version FROM analytics_prices WHERE organization_id = $1 ORDER BY generation, plan_id, version LIMIT $2);

-- tax_rates.insert
INSERT INTO tax_rates (organization_id, id, name, percentage, country, is_active, created_at, updated_at, revision)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING;

-- tax_rates.by_key
SELECT organization_id, id, name, percentage, country, is_active, created_at, updated_at, revision FROM tax_rates WHERE
    organization_id = $1 AND id = $2;

-- tax_rates.live
SELECT 1 FROM tax_rates WHERE organization_id = $1 AND id = $2;

-- tax_rates.first_rows
SELECT organization_id, id, name, percentage, country, is_active, created_at, updated_at, revision FROM tax_rates ORDER
    BY organization_id, id LIMIT $1;

-- tax_rates.next_rows
SELECT organization_id, id, name, percentage, country, is_active, created_at, updated_at, revision FROM tax_rates WHERE
    (organization_id, id) > ($1, $2) ORDER BY organization_id, id LIMIT $3;

-- tax_rates.row
SELECT organization_id, id, name, percentage, country, is_active, created_at, updated_at, revision FROM tax_rates WHERE
    organization_id = $1 AND id = $2;

-- tax_rates.insert_row
INSERT INTO tax_rates (organization_id, id, name, percentage, country, is_active, created_at, updated_at, revision)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING;

-- tax_rates.count
SELECT COUNT(*) FROM tax_rates;

-- tax_rates.at_revision
SELECT 1 FROM tax_rates WHERE organization_id = $1 AND id = $2 AND revision = $3;

-- tax_rates.update
UPDATE tax_rates SET is_active = $3, updated_at = $4, revision = $5 WHERE organization_id = $1 AND id = $2 AND revision
    = $6;

-- tax_rates.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM tax_rates WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- tax_rates.purge
DELETE FROM tax_rates WHERE organization_id = $1 AND id IN (SELECT id FROM tax_rates WHERE organization_id = $1 AND id
    <> $3 ORDER BY id LIMIT $2);

-- meters.insert
INSERT INTO meters (organization_id, id, slug, name, aggregation, unit, is_active, created_at, updated_at, revision)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING;

-- meters.by_key
SELECT organization_id, id, slug, name, aggregation, unit, is_active, created_at, updated_at, revision FROM meters
    WHERE organization_id = $1 AND id = $2;

-- meters.live
SELECT 1 FROM meters WHERE organization_id = $1 AND id = $2;

-- meters.first_rows
SELECT organization_id, id, slug, name, aggregation, unit, is_active, created_at, updated_at, revision FROM meters
    ORDER BY organization_id, id LIMIT $1;

-- meters.next_rows
SELECT organization_id, id, slug, name, aggregation, unit, is_active, created_at, updated_at, revision FROM meters
    WHERE (organization_id, id) > ($1, $2) ORDER BY organization_id, id LIMIT $3;

-- meters.row
SELECT organization_id, id, slug, name, aggregation, unit, is_active, created_at, updated_at, revision FROM meters
    WHERE organization_id = $1 AND id = $2;

-- meters.insert_row
INSERT INTO meters (organization_id, id, slug, name, aggregation, unit, is_active, created_at, updated_at, revision)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING;

-- meters.count
SELECT COUNT(*) FROM meters;

-- meters.by_unique
SELECT organization_id, id, slug, name, aggregation, unit, is_active, created_at, updated_at, revision FROM meters
    WHERE organization_id = $1 AND slug = $2;

-- meters.id_by_unique
SELECT id FROM meters WHERE organization_id = $1 AND slug = $2;

-- meters.at_revision
SELECT 1 FROM meters WHERE organization_id = $1 AND id = $2 AND revision = $3;

-- meters.update
UPDATE meters SET name = $3, unit = $4, is_active = $5, updated_at = $6, revision = $7 WHERE organization_id = $1 AND
    id = $2 AND revision = $8;

-- meters.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM meters WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- meters.purge
DELETE FROM meters WHERE organization_id = $1 AND id IN (SELECT id FROM meters WHERE organization_id = $1 AND id <> $3
    ORDER BY id LIMIT $2);

-- coupons.insert
INSERT INTO coupons (organization_id, id, code, percent, amount, currency, duration, periods, plan_ids, redeem_by,
    max_redemptions, redemptions, is_active, created_at, updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8,
    $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING;

-- coupons.by_key
SELECT organization_id, id, code, percent, amount, currency, duration, periods, plan_ids, redeem_by, max_redemptions,
    redemptions, is_active, created_at, updated_at, revision FROM coupons WHERE organization_id = $1 AND id = $2;

-- coupons.live
SELECT 1 FROM coupons WHERE organization_id = $1 AND id = $2;

-- coupons.first_rows
SELECT organization_id, id, code, percent, amount, currency, duration, periods, plan_ids, redeem_by, max_redemptions,
    redemptions, is_active, created_at, updated_at, revision FROM coupons ORDER BY organization_id, id LIMIT $1;

-- coupons.next_rows
SELECT organization_id, id, code, percent, amount, currency, duration, periods, plan_ids, redeem_by, max_redemptions,
    redemptions, is_active, created_at, updated_at, revision FROM coupons WHERE (organization_id, id) > ($1, $2) ORDER
    BY organization_id, id LIMIT $3;

-- coupons.row
SELECT organization_id, id, code, percent, amount, currency, duration, periods, plan_ids, redeem_by, max_redemptions,
    redemptions, is_active, created_at, updated_at, revision FROM coupons WHERE organization_id = $1 AND id = $2;

-- coupons.insert_row
INSERT INTO coupons (organization_id, id, code, percent, amount, currency, duration, periods, plan_ids, redeem_by,
    max_redemptions, redemptions, is_active, created_at, updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8,
    $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING;

-- coupons.count
SELECT COUNT(*) FROM coupons;

-- coupons.at_revision
SELECT 1 FROM coupons WHERE organization_id = $1 AND id = $2 AND revision = $3;

-- coupons.update
UPDATE coupons SET is_active = $3, updated_at = $4, revision = $5 WHERE organization_id = $1 AND id = $2 AND revision =
    $6;

-- coupons.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM coupons WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- coupons.purge
DELETE FROM coupons WHERE organization_id = $1 AND id IN (SELECT id FROM coupons WHERE organization_id = $1 AND id <>
    $3 ORDER BY id LIMIT $2);

-- credits.insert
INSERT INTO credits (organization_id, id, user_id, currency, amount, reason, record_id, description, created_at) VALUES
    ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING;

-- credits.by_key
SELECT organization_id, id, user_id, currency, amount, reason, record_id, description, created_at FROM credits WHERE
    organization_id = $1 AND id = $2;

-- credits.live
SELECT 1 FROM credits WHERE organization_id = $1 AND id = $2;

-- credits.first_rows
SELECT organization_id, id, user_id, currency, amount, reason, record_id, description, created_at FROM credits ORDER BY
    organization_id, id LIMIT $1;

-- credits.next_rows
SELECT organization_id, id, user_id, currency, amount, reason, record_id, description, created_at FROM credits WHERE
    (organization_id, id) > ($1, $2) ORDER BY organization_id, id LIMIT $3;

-- credits.row
SELECT organization_id, id, user_id, currency, amount, reason, record_id, description, created_at FROM credits WHERE
    organization_id = $1 AND id = $2;

-- credits.insert_row
INSERT INTO credits (organization_id, id, user_id, currency, amount, reason, record_id, description, created_at) VALUES
    ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING;

-- credits.count
SELECT COUNT(*) FROM credits;

-- credits.refers
SELECT EXISTS (SELECT 1 FROM credits WHERE organization_id = $1 AND user_id = $2);

-- credits.walk
SELECT id, user_id FROM credits WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- credits.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM credits WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- credits.purge
DELETE FROM credits WHERE organization_id = $1 AND id IN (SELECT id FROM credits WHERE organization_id = $1 AND id <>
    $3 ORDER BY id LIMIT $2);

-- credit_balances.insert
INSERT INTO credit_balances (organization_id, user_id, currency, amount) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

-- credit_balances.by_key
SELECT organization_id, user_id, currency, amount FROM credit_balances WHERE organization_id = $1 AND user_id = $2 AND
    currency = $3;

-- credit_balances.live
SELECT 1 FROM credit_balances WHERE organization_id = $1 AND user_id = $2 AND currency = $3;

-- credit_balances.first_rows
SELECT organization_id, user_id, currency, amount FROM credit_balances ORDER BY organization_id, user_id, currency
    LIMIT $1;

-- credit_balances.next_rows
SELECT organization_id, user_id, currency, amount FROM credit_balances WHERE (organization_id, user_id, currency) >
    ($1, $2, $3) ORDER BY organization_id, user_id, currency LIMIT $4;

-- credit_balances.row
SELECT organization_id, user_id, currency, amount FROM credit_balances WHERE organization_id = $1 AND user_id = $2 AND
    currency = $3;

-- credit_balances.insert_row
INSERT INTO credit_balances (organization_id, user_id, currency, amount) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

-- credit_balances.count
SELECT COUNT(*) FROM credit_balances;

-- credit_balances.remove_parts
DELETE FROM credit_balances WHERE organization_id = $1 AND user_id IN (SELECT id FROM users WHERE organization_id = $1
    AND id = $2 AND deleted_at <= $3);

-- credit_balances.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM credit_balances WHERE organization_id = $1 LIMIT $2) AS counted;

-- credit_balances.purge
DELETE FROM credit_balances WHERE organization_id = $1 AND (user_id, currency) IN (SELECT user_id, currency FROM
    credit_balances WHERE organization_id = $1 ORDER BY user_id, currency LIMIT $2);

-- billing_profiles.insert
INSERT INTO billing_profiles (organization_id, user_id, name, email, address, country, tax_id, tax_exempt,
    tax_rate_ids, locale, note, created_at, updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
    $12, $13, $14) ON CONFLICT DO NOTHING;

-- billing_profiles.by_key
SELECT organization_id, user_id, name, email, address, country, tax_id, tax_exempt, tax_rate_ids, locale, note,
    created_at, updated_at, revision FROM billing_profiles WHERE organization_id = $1 AND user_id = $2;

-- billing_profiles.live
SELECT 1 FROM billing_profiles WHERE organization_id = $1 AND user_id = $2;

-- billing_profiles.first_rows
SELECT organization_id, user_id, name, email, address, country, tax_id, tax_exempt, tax_rate_ids, locale, note,
    created_at, updated_at, revision FROM billing_profiles ORDER BY organization_id, user_id LIMIT $1;

-- billing_profiles.next_rows
SELECT organization_id, user_id, name, email, address, country, tax_id, tax_exempt, tax_rate_ids, locale, note,
    created_at, updated_at, revision FROM billing_profiles WHERE (organization_id, user_id) > ($1, $2) ORDER BY
    organization_id, user_id LIMIT $3;

-- billing_profiles.row
SELECT organization_id, user_id, name, email, address, country, tax_id, tax_exempt, tax_rate_ids, locale, note,
    created_at, updated_at, revision FROM billing_profiles WHERE organization_id = $1 AND user_id = $2;

-- billing_profiles.insert_row
INSERT INTO billing_profiles (organization_id, user_id, name, email, address, country, tax_id, tax_exempt,
    tax_rate_ids, locale, note, created_at, updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
    $12, $13, $14) ON CONFLICT DO NOTHING;

-- billing_profiles.count
SELECT COUNT(*) FROM billing_profiles;

-- billing_profiles.at_revision
SELECT 1 FROM billing_profiles WHERE organization_id = $1 AND user_id = $2 AND revision = $3;

-- billing_profiles.update
UPDATE billing_profiles SET name = $3, email = $4, address = $5, country = $6, tax_id = $7, tax_exempt = $8,
    tax_rate_ids = $9, locale = $10, note = $11, updated_at = $12, revision = $13 WHERE organization_id = $1 AND
    user_id = $2 AND revision = $14;

-- billing_profiles.remove_parts
DELETE FROM billing_profiles WHERE organization_id = $1 AND user_id IN (SELECT id FROM users WHERE organization_id = $1
    AND id = $2 AND deleted_at <= $3);

-- billing_profiles.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM billing_profiles WHERE organization_id = $1 LIMIT $2) AS counted;

-- billing_profiles.purge
DELETE FROM billing_profiles WHERE organization_id = $1 AND user_id IN (SELECT user_id FROM billing_profiles WHERE
    organization_id = $1 ORDER BY user_id LIMIT $2);

-- usage_events.insert
INSERT INTO usage_events (organization_id, subscription_id, at, event_id, meter_id, value, counted_key) VALUES ($1, $2,
    $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING;

-- usage_events.by_key
SELECT organization_id, subscription_id, at, event_id, meter_id, value, counted_key FROM usage_events WHERE
    organization_id = $1 AND subscription_id = $2 AND at = $3 AND event_id = $4;

-- usage_events.live
SELECT 1 FROM usage_events WHERE organization_id = $1 AND subscription_id = $2 AND at = $3 AND event_id = $4;

-- usage_events.first_rows
SELECT organization_id, subscription_id, at, event_id, meter_id, value, counted_key FROM usage_events ORDER BY
    organization_id, subscription_id, at, event_id LIMIT $1;

-- usage_events.next_rows
SELECT organization_id, subscription_id, at, event_id, meter_id, value, counted_key FROM usage_events WHERE
    (organization_id, subscription_id, at, event_id) > ($1, $2, $3, $4) ORDER BY organization_id, subscription_id, at,
    event_id LIMIT $5;

-- usage_events.row
SELECT organization_id, subscription_id, at, event_id, meter_id, value, counted_key FROM usage_events WHERE
    organization_id = $1 AND subscription_id = $2 AND at = $3 AND event_id = $4;

-- usage_events.insert_row
INSERT INTO usage_events (organization_id, subscription_id, at, event_id, meter_id, value, counted_key) VALUES ($1, $2,
    $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING;

-- usage_events.count
SELECT COUNT(*) FROM usage_events;

-- usage_events.remove_parts
DELETE FROM usage_events WHERE organization_id = $1 AND subscription_id IN (SELECT id FROM subscriptions WHERE
    organization_id = $1 AND id = $2 AND deleted_at <= $3);

-- usage_events.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM usage_events WHERE organization_id = $1 LIMIT $2) AS counted;

-- usage_events.purge
DELETE FROM usage_events WHERE organization_id = $1 AND (subscription_id, at, event_id) IN (SELECT subscription_id, at,
    event_id FROM usage_events WHERE organization_id = $1 ORDER BY subscription_id, at, event_id LIMIT $2);

-- portal_links.insert
INSERT INTO portal_links (organization_id, id, user_id, link_hash, return_url, expires_at) VALUES ($1, $2, $3, $4, $5,
    $6);
-- portal_links.insert (SQLite)
INSERT OR FAIL INTO portal_links (organization_id, id, user_id, link_hash, return_url, expires_at) VALUES ($1, $2, $3,
    $4, $5, $6);

-- portal_links.by_key
SELECT organization_id, id, user_id, return_url, expires_at FROM portal_links WHERE organization_id = $1 AND id = $2;

-- portal_links.live
SELECT 1 FROM portal_links WHERE organization_id = $1 AND id = $2;

-- portal_links.first_rows
SELECT organization_id, id, user_id, link_hash, return_url, expires_at FROM portal_links ORDER BY organization_id, id
    LIMIT $1;

-- portal_links.next_rows
SELECT organization_id, id, user_id, link_hash, return_url, expires_at FROM portal_links WHERE (organization_id, id) >
    ($1, $2) ORDER BY organization_id, id LIMIT $3;

-- portal_links.row
SELECT organization_id, id, user_id, link_hash, return_url, expires_at FROM portal_links WHERE organization_id = $1 AND
    id = $2;

-- portal_links.insert_row
INSERT INTO portal_links (organization_id, id, user_id, link_hash, return_url, expires_at) VALUES ($1, $2, $3, $4, $5,
    $6) ON CONFLICT DO NOTHING;

-- portal_links.count
SELECT COUNT(*) FROM portal_links;

-- portal_links.walk
SELECT id, user_id FROM portal_links WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- portal_links.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM portal_links WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- portal_links.purge
DELETE FROM portal_links WHERE organization_id = $1 AND id IN (SELECT id FROM portal_links WHERE organization_id = $1
    AND id <> $3 ORDER BY id LIMIT $2);

-- portal_links.due
SELECT id FROM portal_links WHERE organization_id = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3;

-- portal_links.count_due
SELECT COUNT(*) FROM (SELECT 1 FROM portal_links WHERE organization_id = $1 AND expires_at <= $2 LIMIT $3) AS counted;

-- portal_links.sweep
DELETE FROM portal_links WHERE organization_id = $1 AND id IN (SELECT id FROM portal_links WHERE organization_id = $1
    AND expires_at <= $2 ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED);
-- portal_links.sweep (SQLite)
DELETE FROM portal_links WHERE organization_id = $1 AND id IN (SELECT id FROM portal_links WHERE organization_id = $1
    AND expires_at <= $2 ORDER BY expires_at LIMIT $3);

-- invoices.insert
INSERT INTO invoices (organization_id, id, subscription_id, user_id, number, kind, status, currency, cycle_at, overdue,
    issued_at, due_at, acts_at, source_invoice_id, content, created_at, updated_at, revision) VALUES ($1, $2, $3, $4,
    $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) ON CONFLICT DO NOTHING;

-- invoices.by_key
SELECT organization_id, id, subscription_id, user_id, number, kind, status, currency, cycle_at, overdue, issued_at,
    due_at, acts_at, source_invoice_id, content, created_at, updated_at, revision FROM invoices WHERE organization_id =
    $1 AND id = $2 AND deleted_at IS NULL;

-- invoices.live
SELECT 1 FROM invoices WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL;

-- invoices.first_rows
SELECT organization_id, id, subscription_id, user_id, number, kind, status, currency, cycle_at, overdue, issued_at,
    due_at, acts_at, source_invoice_id, content, created_at, updated_at, deleted_at, revision FROM invoices ORDER BY
    organization_id, id LIMIT $1;

-- invoices.next_rows
SELECT organization_id, id, subscription_id, user_id, number, kind, status, currency, cycle_at, overdue, issued_at,
    due_at, acts_at, source_invoice_id, content, created_at, updated_at, deleted_at, revision FROM invoices WHERE
    (organization_id, id) > ($1, $2) ORDER BY organization_id, id LIMIT $3;

-- invoices.row
SELECT organization_id, id, subscription_id, user_id, number, kind, status, currency, cycle_at, overdue, issued_at,
    due_at, acts_at, source_invoice_id, content, created_at, updated_at, deleted_at, revision FROM invoices WHERE
    organization_id = $1 AND id = $2;

-- invoices.insert_row
INSERT INTO invoices (organization_id, id, subscription_id, user_id, number, kind, status, currency, cycle_at, overdue,
    issued_at, due_at, acts_at, source_invoice_id, content, created_at, updated_at, deleted_at, revision) VALUES ($1,
    $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT DO NOTHING;

-- invoices.count
SELECT COUNT(*) FROM invoices;

-- invoices.refers
SELECT EXISTS (SELECT 1 FROM invoices WHERE organization_id = $1 AND subscription_id = $2);

-- invoices.at_revision
SELECT 1 FROM invoices WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL;

-- invoices.update
UPDATE invoices SET number = $3, status = $4, overdue = $5, issued_at = $6, due_at = $7, acts_at = $8, content = $9,
    updated_at = $10, revision = $11 WHERE organization_id = $1 AND id = $2 AND revision = $12;

-- invoices.delete
UPDATE invoices SET deleted_at = $3, revision = $4 WHERE organization_id = $1 AND id = $2 AND revision = $5;

-- invoices.walk
SELECT id, subscription_id, user_id, deleted_at FROM invoices WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT
    $3;

-- invoices.remove
DELETE FROM invoices WHERE organization_id = $1 AND id = $2 AND deleted_at <= $3;

-- invoices.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM invoices WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- invoices.purge
DELETE FROM invoices WHERE organization_id = $1 AND id IN (SELECT id FROM invoices WHERE organization_id = $1 AND id <>
    $3 ORDER BY id LIMIT $2);

-- credit_notes.insert
INSERT INTO credit_notes (organization_id, id, number, invoice_id, subscription_id, user_id, currency, settlement,
    source_invoice_id, content, issued_at, created_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
    $12, $13) ON CONFLICT DO NOTHING;

-- credit_notes.by_key
SELECT organization_id, id, number, invoice_id, subscription_id, user_id, currency, settlement, source_invoice_id,
    content, issued_at, created_at, revision FROM credit_notes WHERE organization_id = $1 AND id = $2;

-- credit_notes.live
SELECT 1 FROM credit_notes WHERE organization_id = $1 AND id = $2;

-- credit_notes.first_rows
SELECT organization_id, id, number, invoice_id, subscription_id, user_id, currency, settlement, source_invoice_id,
    content, issued_at, created_at, revision FROM credit_notes ORDER BY organization_id, id LIMIT $1;

-- credit_notes.next_rows
SELECT organization_id, id, number, invoice_id, subscription_id, user_id, currency, settlement, source_invoice_id,
    content, issued_at, created_at, revision FROM credit_notes WHERE (organization_id, id) > ($1, $2) ORDER BY
    organization_id, id LIMIT $3;

-- credit_notes.row
SELECT organization_id, id, number, invoice_id, subscription_id, user_id, currency, settlement, source_invoice_id,
    content, issued_at, created_at, revision FROM credit_notes WHERE organization_id = $1 AND id = $2;

-- credit_notes.insert_row
INSERT INTO credit_notes (organization_id, id, number, invoice_id, subscription_id, user_id, currency, settlement,
    source_invoice_id, content, issued_at, created_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
    $12, $13) ON CONFLICT DO NOTHING;

-- credit_notes.count
SELECT COUNT(*) FROM credit_notes;

-- credit_notes.refers
SELECT EXISTS (SELECT 1 FROM credit_notes WHERE organization_id = $1 AND subscription_id = $2);

-- credit_notes.at_revision
SELECT 1 FROM credit_notes WHERE organization_id = $1 AND id = $2 AND revision = $3;

-- credit_notes.walk
SELECT id, subscription_id, user_id FROM credit_notes WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- credit_notes.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM credit_notes WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- credit_notes.purge
DELETE FROM credit_notes WHERE organization_id = $1 AND id IN (SELECT id FROM credit_notes WHERE organization_id = $1
    AND id <> $3 ORDER BY id LIMIT $2);

-- number_series.insert
INSERT INTO number_series (organization_id, series, next) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- number_series.by_key
SELECT organization_id, series, next FROM number_series WHERE organization_id = $1 AND series = $2;

-- number_series.live
SELECT 1 FROM number_series WHERE organization_id = $1 AND series = $2;

-- number_series.first_rows
SELECT organization_id, series, next FROM number_series ORDER BY organization_id, series LIMIT $1;

-- number_series.next_rows
SELECT organization_id, series, next FROM number_series WHERE (organization_id, series) > ($1, $2) ORDER BY
    organization_id, series LIMIT $3;

-- number_series.row
SELECT organization_id, series, next FROM number_series WHERE organization_id = $1 AND series = $2;

-- number_series.insert_row
INSERT INTO number_series (organization_id, series, next) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- number_series.count
SELECT COUNT(*) FROM number_series;

-- number_series.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM number_series WHERE organization_id = $1 LIMIT $2) AS counted;

-- number_series.purge
DELETE FROM number_series WHERE organization_id = $1 AND series IN (SELECT series FROM number_series WHERE
    organization_id = $1 ORDER BY series LIMIT $2);

-- features.insert
INSERT INTO features (organization_id, id, key, name, description, kind, combine, per_unit, meter_id, period,
    is_active, created_at, updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    ON CONFLICT DO NOTHING;

-- features.by_key
SELECT organization_id, id, key, name, description, kind, combine, per_unit, meter_id, period, is_active, created_at,
    updated_at, revision FROM features WHERE organization_id = $1 AND id = $2;

-- features.live
SELECT 1 FROM features WHERE organization_id = $1 AND id = $2;

-- features.first_rows
SELECT organization_id, id, key, name, description, kind, combine, per_unit, meter_id, period, is_active, created_at,
    updated_at, revision FROM features ORDER BY organization_id, id LIMIT $1;

-- features.next_rows
SELECT organization_id, id, key, name, description, kind, combine, per_unit, meter_id, period, is_active, created_at,
    updated_at, revision FROM features WHERE (organization_id, id) > ($1, $2) ORDER BY organization_id, id LIMIT $3;

-- features.row
SELECT organization_id, id, key, name, description, kind, combine, per_unit, meter_id, period, is_active, created_at,
    updated_at, revision FROM features WHERE organization_id = $1 AND id = $2;

-- features.insert_row
INSERT INTO features (organization_id, id, key, name, description, kind, combine, per_unit, meter_id, period,
    is_active, created_at, updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    ON CONFLICT DO NOTHING;

-- features.count
SELECT COUNT(*) FROM features;

-- features.by_unique
SELECT organization_id, id, key, name, description, kind, combine, per_unit, meter_id, period, is_active, created_at,
    updated_at, revision FROM features WHERE organization_id = $1 AND key = $2;

-- features.id_by_unique
SELECT id FROM features WHERE organization_id = $1 AND key = $2;

-- features.at_revision
SELECT 1 FROM features WHERE organization_id = $1 AND id = $2 AND revision = $3;

-- features.update
UPDATE features SET name = $3, description = $4, combine = $5, per_unit = $6, is_active = $7, updated_at = $8, revision
    = $9 WHERE organization_id = $1 AND id = $2 AND revision = $10;

-- features.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM features WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- features.purge
DELETE FROM features WHERE organization_id = $1 AND id IN (SELECT id FROM features WHERE organization_id = $1 AND id <>
    $3 ORDER BY id LIMIT $2);

-- subscription_members.insert
INSERT INTO subscription_members (organization_id, subscription_id, user_id, created_at) VALUES ($1, $2, $3, $4) ON
    CONFLICT DO NOTHING;

-- subscription_members.by_key
SELECT organization_id, subscription_id, user_id, created_at FROM subscription_members WHERE organization_id = $1 AND
    subscription_id = $2 AND user_id = $3;

-- subscription_members.live
SELECT 1 FROM subscription_members WHERE organization_id = $1 AND subscription_id = $2 AND user_id = $3;

-- subscription_members.first_rows
SELECT organization_id, subscription_id, user_id, created_at FROM subscription_members ORDER BY organization_id,
    subscription_id, user_id LIMIT $1;

-- subscription_members.next_rows
SELECT organization_id, subscription_id, user_id, created_at FROM subscription_members WHERE (organization_id,
    subscription_id, user_id) > ($1, $2, $3) ORDER BY organization_id, subscription_id, user_id LIMIT $4;

-- subscription_members.row
SELECT organization_id, subscription_id, user_id, created_at FROM subscription_members WHERE organization_id = $1 AND
    subscription_id = $2 AND user_id = $3;

-- subscription_members.insert_row
INSERT INTO subscription_members (organization_id, subscription_id, user_id, created_at) VALUES ($1, $2, $3, $4) ON
    CONFLICT DO NOTHING;

-- subscription_members.count
SELECT COUNT(*) FROM subscription_members;

-- subscription_members.remove_parts
DELETE FROM subscription_members WHERE organization_id = $1 AND subscription_id IN (SELECT id FROM subscriptions WHERE
    organization_id = $1 AND id = $2 AND deleted_at <= $3);

-- subscription_members.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM subscription_members WHERE organization_id = $1 LIMIT $2) AS counted;

-- subscription_members.purge
DELETE FROM subscription_members WHERE organization_id = $1 AND (subscription_id, user_id) IN (SELECT subscription_id,
    user_id FROM subscription_members WHERE organization_id = $1 ORDER BY subscription_id, user_id LIMIT $2);

-- usage_totals.insert
INSERT INTO usage_totals (organization_id, subscription_id, meter_id, starts_at, ends_at, units, millionths) VALUES
    ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING;

-- usage_totals.by_key
SELECT organization_id, subscription_id, meter_id, starts_at, ends_at, units, millionths FROM usage_totals WHERE
    organization_id = $1 AND subscription_id = $2 AND meter_id = $3 AND starts_at = $4 AND ends_at = $5;

-- usage_totals.live
SELECT 1 FROM usage_totals WHERE organization_id = $1 AND subscription_id = $2 AND meter_id = $3 AND starts_at = $4 AND
    ends_at = $5;

-- usage_totals.first_rows
SELECT organization_id, subscription_id, meter_id, starts_at, ends_at, units, millionths FROM usage_totals ORDER BY
    organization_id, subscription_id, meter_id, starts_at, ends_at LIMIT $1;

-- usage_totals.next_rows
SELECT organization_id, subscription_id, meter_id, starts_at, ends_at, units, millionths FROM usage_totals WHERE
    (organization_id, subscription_id, meter_id, starts_at, ends_at) > ($1, $2, $3, $4, $5) ORDER BY organization_id,
    subscription_id, meter_id, starts_at, ends_at LIMIT $6;

-- usage_totals.row
SELECT organization_id, subscription_id, meter_id, starts_at, ends_at, units, millionths FROM usage_totals WHERE
    organization_id = $1 AND subscription_id = $2 AND meter_id = $3 AND starts_at = $4 AND ends_at = $5;

-- usage_totals.insert_row
INSERT INTO usage_totals (organization_id, subscription_id, meter_id, starts_at, ends_at, units, millionths) VALUES
    ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING;

-- usage_totals.count
SELECT COUNT(*) FROM usage_totals;

-- usage_totals.remove_parts
DELETE FROM usage_totals WHERE organization_id = $1 AND subscription_id IN (SELECT id FROM subscriptions WHERE
    organization_id = $1 AND id = $2 AND deleted_at <= $3);

-- usage_totals.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM usage_totals WHERE organization_id = $1 LIMIT $2) AS counted;

-- usage_totals.purge
DELETE FROM usage_totals WHERE organization_id = $1 AND (subscription_id, meter_id, starts_at, ends_at) IN (SELECT
    subscription_id, meter_id, starts_at, ends_at FROM usage_totals WHERE organization_id = $1 ORDER BY
    subscription_id, meter_id, starts_at, ends_at LIMIT $2);

-- usage_thresholds.insert
INSERT INTO usage_thresholds (organization_id, subscription_id, feature_id, starts_at, ends_at, threshold) VALUES ($1,
    $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING;

-- usage_thresholds.by_key
SELECT organization_id, subscription_id, feature_id, starts_at, ends_at, threshold FROM usage_thresholds WHERE
    organization_id = $1 AND subscription_id = $2 AND feature_id = $3 AND starts_at = $4 AND ends_at = $5 AND threshold
    = $6;

-- usage_thresholds.live
SELECT 1 FROM usage_thresholds WHERE organization_id = $1 AND subscription_id = $2 AND feature_id = $3 AND starts_at =
    $4 AND ends_at = $5 AND threshold = $6;

-- usage_thresholds.first_rows
SELECT organization_id, subscription_id, feature_id, starts_at, ends_at, threshold FROM usage_thresholds ORDER BY
    organization_id, subscription_id, feature_id, starts_at, ends_at, threshold LIMIT $1;

-- usage_thresholds.next_rows
SELECT organization_id, subscription_id, feature_id, starts_at, ends_at, threshold FROM usage_thresholds WHERE
    (organization_id, subscription_id, feature_id, starts_at, ends_at, threshold) > ($1, $2, $3, $4, $5, $6) ORDER BY
    organization_id, subscription_id, feature_id, starts_at, ends_at, threshold LIMIT $7;

-- usage_thresholds.row
SELECT organization_id, subscription_id, feature_id, starts_at, ends_at, threshold FROM usage_thresholds WHERE
    organization_id = $1 AND subscription_id = $2 AND feature_id = $3 AND starts_at = $4 AND ends_at = $5 AND threshold
    = $6;

-- usage_thresholds.insert_row
INSERT INTO usage_thresholds (organization_id, subscription_id, feature_id, starts_at, ends_at, threshold) VALUES ($1,
    $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING;

-- usage_thresholds.count
SELECT COUNT(*) FROM usage_thresholds;

-- usage_thresholds.remove_parts
DELETE FROM usage_thresholds WHERE organization_id = $1 AND subscription_id IN (SELECT id FROM subscriptions WHERE
    organization_id = $1 AND id = $2 AND deleted_at <= $3);

-- usage_thresholds.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM usage_thresholds WHERE organization_id = $1 LIMIT $2) AS counted;

-- usage_thresholds.purge
DELETE FROM usage_thresholds WHERE organization_id = $1 AND (subscription_id, feature_id, starts_at, ends_at,
    threshold) IN (SELECT subscription_id, feature_id, starts_at, ends_at, threshold FROM usage_thresholds WHERE
    organization_id = $1 ORDER BY subscription_id, feature_id, starts_at, ends_at, threshold LIMIT $2);

-- connections.insert
INSERT INTO connections (organization_id, id, kind, name, mode, account, base_url, drift, collect, requests_per_minute,
    allow_private_addresses, allow_http, is_enabled, state, sealed_secrets, created_at, updated_at, revision) VALUES
    ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) ON CONFLICT DO NOTHING;

-- connections.by_key
SELECT organization_id, id, kind, name, mode, account, base_url, drift, collect, requests_per_minute,
    allow_private_addresses, allow_http, is_enabled, state, sealed_secrets, created_at, updated_at, revision FROM
    connections WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL;

-- connections.live
SELECT 1 FROM connections WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL;

-- connections.first_rows
SELECT organization_id, id, kind, name, mode, account, base_url, drift, collect, requests_per_minute,
    allow_private_addresses, allow_http, is_enabled, state, sealed_secrets, created_at, updated_at, deleted_at,
    revision FROM connections ORDER BY organization_id, id LIMIT $1;

-- connections.next_rows
SELECT organization_id, id, kind, name, mode, account, base_url, drift, collect, requests_per_minute,
    allow_private_addresses, allow_http, is_enabled, state, sealed_secrets, created_at, updated_at, deleted_at,
    revision FROM connections WHERE (organization_id, id) > ($1, $2) ORDER BY organization_id, id LIMIT $3;

-- connections.row
SELECT organization_id, id, kind, name, mode, account, base_url, drift, collect, requests_per_minute,
    allow_private_addresses, allow_http, is_enabled, state, sealed_secrets, created_at, updated_at, deleted_at,
    revision FROM connections WHERE organization_id = $1 AND id = $2;

-- connections.insert_row
INSERT INTO connections (organization_id, id, kind, name, mode, account, base_url, drift, collect, requests_per_minute,
    allow_private_addresses, allow_http, is_enabled, state, sealed_secrets, created_at, updated_at, deleted_at,
    revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT
    DO NOTHING;

-- connections.count
SELECT COUNT(*) FROM connections;

-- connections.by_unique
SELECT organization_id, id, kind, name, mode, account, base_url, drift, collect, requests_per_minute,
    allow_private_addresses, allow_http, is_enabled, state, sealed_secrets, created_at, updated_at, revision FROM
    connections WHERE organization_id = $1 AND name = $2 AND deleted_at IS NULL;

-- connections.id_by_unique
SELECT id FROM connections WHERE organization_id = $1 AND name = $2 AND deleted_at IS NULL;

-- connections.at_revision
SELECT 1 FROM connections WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL;

-- connections.update
UPDATE connections SET name = $3, mode = $4, account = $5, base_url = $6, drift = $7, collect = $8, requests_per_minute
    = $9, allow_private_addresses = $10, allow_http = $11, is_enabled = $12, state = $13, updated_at = $14, revision =
    $15 WHERE organization_id = $1 AND id = $2 AND revision = $16 AND NOT EXISTS (SELECT 1 FROM connections AS other
    WHERE other.organization_id = $1 AND other.name = $3 AND other.name IS NOT NULL AND other.deleted_at IS NULL AND
    other.id <> $2);

-- connections.delete
UPDATE connections SET deleted_at = $3, revision = $4 WHERE organization_id = $1 AND id = $2 AND revision = $5;

-- connections.walk
SELECT id, deleted_at FROM connections WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- connections.remove
DELETE FROM connections WHERE organization_id = $1 AND id = $2 AND deleted_at <= $3;

-- connections.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM connections WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- connections.purge
DELETE FROM connections WHERE organization_id = $1 AND id IN (SELECT id FROM connections WHERE organization_id = $1 AND
    id <> $3 ORDER BY id LIMIT $2);

-- connection_states.insert
INSERT INTO connection_states (organization_id, connection_id, succeeded_at, failing_since, probe_at, paused_until,
    slow_until, tokens, tokens_at, cursor, caught_up_at, sweep, sweep_requested, swept_at) VALUES ($1, $2, $3, $4, $5,
    $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING;

-- connection_states.by_key
SELECT organization_id, connection_id, succeeded_at, failing_since, probe_at, paused_until, slow_until, tokens,
    tokens_at, cursor, caught_up_at, sweep, sweep_requested, swept_at FROM connection_states WHERE organization_id = $1
    AND connection_id = $2;

-- connection_states.live
SELECT 1 FROM connection_states WHERE organization_id = $1 AND connection_id = $2;

-- connection_states.first_rows
SELECT organization_id, connection_id, succeeded_at, failing_since, probe_at, paused_until, slow_until, tokens,
    tokens_at, cursor, caught_up_at, sweep, sweep_requested, swept_at FROM connection_states ORDER BY organization_id,
    connection_id LIMIT $1;

-- connection_states.next_rows
SELECT organization_id, connection_id, succeeded_at, failing_since, probe_at, paused_until, slow_until, tokens,
    tokens_at, cursor, caught_up_at, sweep, sweep_requested, swept_at FROM connection_states WHERE (organization_id,
    connection_id) > ($1, $2) ORDER BY organization_id, connection_id LIMIT $3;

-- connection_states.row
SELECT organization_id, connection_id, succeeded_at, failing_since, probe_at, paused_until, slow_until, tokens,
    tokens_at, cursor, caught_up_at, sweep, sweep_requested, swept_at FROM connection_states WHERE organization_id = $1
    AND connection_id = $2;

-- connection_states.insert_row
INSERT INTO connection_states (organization_id, connection_id, succeeded_at, failing_since, probe_at, paused_until,
    slow_until, tokens, tokens_at, cursor, caught_up_at, sweep, sweep_requested, swept_at) VALUES ($1, $2, $3, $4, $5,
    $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING;

-- connection_states.count
SELECT COUNT(*) FROM connection_states;

-- connection_states.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM connection_states WHERE organization_id = $1 LIMIT $2) AS counted;

-- connection_states.purge
DELETE FROM connection_states WHERE organization_id = $1 AND connection_id IN (SELECT connection_id FROM
    connection_states WHERE organization_id = $1 ORDER BY connection_id LIMIT $2);

-- connection_links.insert
INSERT INTO connection_links (organization_id, connection_id, object, external_id, record_id, digest, is_erased,
    seen_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING;

-- connection_links.by_key
SELECT organization_id, connection_id, object, external_id, record_id, digest, is_erased, seen_at, created_at FROM
    connection_links WHERE organization_id = $1 AND connection_id = $2 AND object = $3 AND external_id = $4;

-- connection_links.live
SELECT 1 FROM connection_links WHERE organization_id = $1 AND connection_id = $2 AND object = $3 AND external_id = $4;

-- connection_links.first_rows
SELECT organization_id, connection_id, object, external_id, record_id, digest, is_erased, seen_at, created_at FROM
    connection_links ORDER BY organization_id, connection_id, object, external_id LIMIT $1;

-- connection_links.next_rows
SELECT organization_id, connection_id, object, external_id, record_id, digest, is_erased, seen_at, created_at FROM
    connection_links WHERE (organization_id, connection_id, object, external_id) > ($1, $2, $3, $4) ORDER BY
    organization_id, connection_id, object, external_id LIMIT $5;

-- connection_links.row
SELECT organization_id, connection_id, object, external_id, record_id, digest, is_erased, seen_at, created_at FROM
    connection_links WHERE organization_id = $1 AND connection_id = $2 AND object = $3 AND external_id = $4;

-- connection_links.insert_row
INSERT INTO connection_links (organization_id, connection_id, object, external_id, record_id, digest, is_erased,
    seen_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING;

-- connection_links.count
SELECT COUNT(*) FROM connection_links;

-- connection_links.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM connection_links WHERE organization_id = $1 LIMIT $2) AS counted;

-- connection_links.purge
DELETE FROM connection_links WHERE organization_id = $1 AND (connection_id, object, external_id) IN (SELECT
    connection_id, object, external_id FROM connection_links WHERE organization_id = $1 ORDER BY connection_id, object,
    external_id LIMIT $2);

-- connection_inbox.insert
INSERT INTO connection_inbox (organization_id, id, connection_id, event_key, kind, object, object_id, unit, state,
    code, attempts, next_attempt_at, occurred_at, received_at, settled_at, body) VALUES ($1, $2, $3, $4, $5, $6, $7,
    $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING;

-- connection_inbox.by_key
SELECT organization_id, id, connection_id, event_key, kind, object, object_id, unit, state, code, attempts,
    next_attempt_at, occurred_at, received_at, settled_at, body FROM connection_inbox WHERE organization_id = $1 AND id
    = $2;

-- connection_inbox.live
SELECT 1 FROM connection_inbox WHERE organization_id = $1 AND id = $2;

-- connection_inbox.first_rows
SELECT organization_id, id, connection_id, event_key, kind, object, object_id, unit, state, code, attempts,
    next_attempt_at, occurred_at, received_at, settled_at, body FROM connection_inbox ORDER BY organization_id, id
    LIMIT $1;

-- connection_inbox.next_rows
SELECT organization_id, id, connection_id, event_key, kind, object, object_id, unit, state, code, attempts,
    next_attempt_at, occurred_at, received_at, settled_at, body FROM connection_inbox WHERE (organization_id, id) >
    ($1, $2) ORDER BY organization_id, id LIMIT $3;

-- connection_inbox.row
SELECT organization_id, id, connection_id, event_key, kind, object, object_id, unit, state, code, attempts,
    next_attempt_at, occurred_at, received_at, settled_at, body FROM connection_inbox WHERE organization_id = $1 AND id
    = $2;

-- connection_inbox.insert_row
INSERT INTO connection_inbox (organization_id, id, connection_id, event_key, kind, object, object_id, unit, state,
    code, attempts, next_attempt_at, occurred_at, received_at, settled_at, body) VALUES ($1, $2, $3, $4, $5, $6, $7,
    $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING;

-- connection_inbox.count
SELECT COUNT(*) FROM connection_inbox;

-- connection_inbox.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM connection_inbox WHERE organization_id = $1 AND id <> $3 LIMIT $2) AS counted;

-- connection_inbox.purge
DELETE FROM connection_inbox WHERE organization_id = $1 AND id IN (SELECT id FROM connection_inbox WHERE
    organization_id = $1 AND id <> $3 ORDER BY id LIMIT $2);

-- connection_collections.insert
INSERT INTO connection_collections (organization_id, payment_id, number, connection_id, state, payment_method,
    customer, intent_id, sends, sent_at, next_attempt_at, code, decline_code, created_at, updated_at) VALUES ($1, $2,
    $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT DO NOTHING;

-- connection_collections.by_key
SELECT organization_id, payment_id, number, connection_id, state, payment_method, customer, intent_id, sends, sent_at,
    next_attempt_at, code, decline_code, created_at, updated_at FROM connection_collections WHERE organization_id = $1
    AND payment_id = $2 AND number = $3;

-- connection_collections.live
SELECT 1 FROM connection_collections WHERE organization_id = $1 AND payment_id = $2 AND number = $3;

-- connection_collections.first_rows
SELECT organization_id, payment_id, number, connection_id, state, payment_method, customer, intent_id, sends, sent_at,
    next_attempt_at, code, decline_code, created_at, updated_at FROM connection_collections ORDER BY organization_id,
    payment_id, number LIMIT $1;

-- connection_collections.next_rows
SELECT organization_id, payment_id, number, connection_id, state, payment_method, customer, intent_id, sends, sent_at,
    next_attempt_at, code, decline_code, created_at, updated_at FROM connection_collections WHERE (organization_id,
    payment_id, number) > ($1, $2, $3) ORDER BY organization_id, payment_id, number LIMIT $4;

-- connection_collections.row
SELECT organization_id, payment_id, number, connection_id, state, payment_method, customer, intent_id, sends, sent_at,
    next_attempt_at, code, decline_code, created_at, updated_at FROM connection_collections WHERE organization_id = $1
    AND payment_id = $2 AND number = $3;

-- connection_collections.insert_row
INSERT INTO connection_collections (organization_id, payment_id, number, connection_id, state, payment_method,
    customer, intent_id, sends, sent_at, next_attempt_at, code, decline_code, created_at, updated_at) VALUES ($1, $2,
    $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT DO NOTHING;

-- connection_collections.count
SELECT COUNT(*) FROM connection_collections;

-- connection_collections.count_owned
SELECT COUNT(*) FROM (SELECT 1 FROM connection_collections WHERE organization_id = $1 LIMIT $2) AS counted;

-- connection_collections.purge
DELETE FROM connection_collections WHERE organization_id = $1 AND (payment_id, number) IN (SELECT payment_id, number
    FROM connection_collections WHERE organization_id = $1 ORDER BY payment_id, number LIMIT $2);

-- feature_versions.insert
INSERT INTO feature_versions (id, version) VALUES ($1, $2) ON CONFLICT DO NOTHING;

-- feature_versions.by_key
SELECT id, version FROM feature_versions WHERE id = $1;

-- feature_versions.live
SELECT 1 FROM feature_versions WHERE id = $1;

-- feature_versions.first_rows
SELECT id, version FROM feature_versions ORDER BY id LIMIT $1;

-- feature_versions.next_rows
SELECT id, version FROM feature_versions WHERE (id) > ($1) ORDER BY id LIMIT $2;

-- feature_versions.row
SELECT id, version FROM feature_versions WHERE id = $1;

-- feature_versions.insert_row
INSERT INTO feature_versions (id, version) VALUES ($1, $2) ON CONFLICT DO NOTHING;

-- feature_versions.count
SELECT COUNT(*) FROM feature_versions;

-- analytics_events::AFTER
SELECT f.sequence, f.event_id, e.kind, e.record_id, e.at, e.before, e.after FROM feed AS f LEFT JOIN LATERAL ( SELECT
    kind, record_id, at, before, after FROM events WHERE organization_id = f.organization_id AND id = f.event_id AND
    STRPOS($4, ',' || kind || ',') > 0 OFFSET 0 ) AS e ON TRUE WHERE f.organization_id = $1 AND f.sequence > $2 AND
    f.sequence <= $3 ORDER BY f.sequence LIMIT $5;
-- analytics_events::AFTER (SQLite)
SELECT f.sequence, f.event_id, e.kind, e.record_id, e.at, e.before, e.after FROM feed AS f LEFT JOIN events AS e ON
    e.organization_id = f.organization_id AND e.id = f.event_id AND INSTR($4, ',' || e.kind || ',') > 0 WHERE
    f.organization_id = $1 AND f.sequence > $2 AND f.sequence <= $3 ORDER BY f.sequence LIMIT $5;

-- analytics_ledgers::WITH_WORK
SELECT o.id FROM organizations AS o LEFT JOIN leases AS l ON l.organization_id = o.id AND l.job = 'analytics' AND
    l.unit = o.id WHERE o.deleted_at IS NULL AND (l.expires_at IS NULL OR l.expires_at <= clock_timestamp()) AND ( NOT
    EXISTS (SELECT 1 FROM analytics_ledgers AS a WHERE a.organization_id = o.id AND a.state = 'active') OR EXISTS (
    SELECT 1 FROM analytics_ledgers AS h WHERE h.organization_id = o.id AND ( h.state <> 'active' OR (SELECT
    MAX(f.sequence) FROM feed AS f WHERE f.organization_id = o.id) > h.sequence OR ( SELECT MIN(s.due_at) FROM
    analytics_subscriptions AS s WHERE s.organization_id = o.id AND s.generation = h.generation AND s.due_at IS NOT
    NULL ) <= COALESCE((SELECT c.now FROM test_clocks AS c WHERE c.id = o.id), $1) OR (h.sequence > 0 AND NOT EXISTS (
    SELECT 1 FROM feed AS p WHERE p.organization_id = o.id AND p.sequence = h.sequence AND p.event_id = h.event_id )) )
    ) ) LIMIT $2;
-- analytics_ledgers::WITH_WORK (SQLite)
SELECT o.id FROM organizations AS o LEFT JOIN leases AS l ON l.organization_id = o.id AND l.job = 'analytics' AND
    l.unit = o.id WHERE o.deleted_at IS NULL AND (l.expires_at IS NULL OR l.expires_at <= CAST(unixepoch('subsec') *
    1000000 AS INTEGER)) AND ( NOT EXISTS (SELECT 1 FROM analytics_ledgers AS a WHERE a.organization_id = o.id AND
    a.state = 'active') OR EXISTS ( SELECT 1 FROM analytics_ledgers AS h WHERE h.organization_id = o.id AND ( h.state
    <> 'active' OR (SELECT MAX(f.sequence) FROM feed AS f WHERE f.organization_id = o.id) > h.sequence OR ( SELECT
    MIN(s.due_at) FROM analytics_subscriptions AS s WHERE s.organization_id = o.id AND s.generation = h.generation AND
    s.due_at IS NOT NULL ) <= COALESCE((SELECT c.now FROM test_clocks AS c WHERE c.id = o.id), $1) OR (h.sequence > 0
    AND NOT EXISTS ( SELECT 1 FROM feed AS p WHERE p.organization_id = o.id AND p.sequence = h.sequence AND p.event_id
    = h.event_id )) ) ) ) LIMIT $2;

-- analytics_ledgers::OF_ORGANIZATION
SELECT organization_id, generation, state, sequence, event_id, as_of FROM analytics_ledgers WHERE organization_id = $1
    ORDER BY generation;

-- analytics_ledgers::STATUS
SELECT h.organization_id, h.generation, h.state, h.sequence, h.event_id, h.as_of, (SELECT CAST(EXTRACT(EPOCH FROM
    (clock_timestamp() - f.entered_at)) AS BIGINT) FROM feed AS f WHERE f.organization_id = $1 AND f.sequence >
    h.sequence ORDER BY f.sequence LIMIT 1), (SELECT MIN(s.due_at) FROM analytics_subscriptions AS s WHERE
    s.organization_id = $1 AND s.generation = h.generation AND s.due_at IS NOT NULL), EXISTS (SELECT 1 FROM
    analytics_ledgers AS b WHERE b.organization_id = $1 AND b.state = 'building'), EXISTS ( SELECT 1 FROM feed_queue AS
    q WHERE q.organization_id = $1 OR $1 = ANY (q.organization_ids)) FROM analytics_ledgers AS h WHERE
    h.organization_id = $1 AND h.state = 'active';
-- analytics_ledgers::STATUS (SQLite)
SELECT h.organization_id, h.generation, h.state, h.sequence, h.event_id, h.as_of, (SELECT (CAST(unixepoch('subsec') *
    1000000 AS INTEGER) - f.entered_at) / 1000000 FROM feed AS f WHERE f.organization_id = $1 AND f.sequence >
    h.sequence ORDER BY f.sequence LIMIT 1), (SELECT MIN(s.due_at) FROM analytics_subscriptions AS s WHERE
    s.organization_id = $1 AND s.generation = h.generation AND s.due_at IS NOT NULL), EXISTS (SELECT 1 FROM
    analytics_ledgers AS b WHERE b.organization_id = $1 AND b.state = 'building'), FALSE FROM analytics_ledgers AS h
    WHERE h.organization_id = $1 AND h.state = 'active';

-- analytics_ledgers::SAVE
UPDATE analytics_ledgers SET sequence = $4, event_id = $5, as_of = $6 WHERE organization_id = $1 AND generation = $2
    AND sequence = $3;

-- analytics_ledgers::SET_STATE
UPDATE analytics_ledgers SET state = $4 WHERE organization_id = $1 AND generation = $2 AND state = $3;

-- analytics_ledgers::REMOVE
DELETE FROM analytics_ledgers WHERE organization_id = $1 AND generation = $2;

-- analytics_ledgers::LAG
SELECT CAST(EXTRACT(EPOCH FROM (clock_timestamp() - oldest)) AS BIGINT) FROM ( SELECT MIN(entered_at) AS oldest FROM (
    SELECT ( SELECT f.entered_at FROM feed AS f WHERE f.organization_id = h.organization_id AND f.sequence > h.sequence
    ORDER BY f.sequence LIMIT 1 ) AS entered_at FROM analytics_ledgers AS h JOIN organizations AS o ON o.id =
    h.organization_id WHERE h.state = 'active' AND o.deleted_at IS NULL ) AS pending ) AS lag WHERE oldest IS NOT NULL;
-- analytics_ledgers::LAG (SQLite)
SELECT (CAST(unixepoch('subsec') * 1000000 AS INTEGER) - oldest) / 1000000 FROM ( SELECT MIN(entered_at) AS oldest FROM
    ( SELECT ( SELECT f.entered_at FROM feed AS f WHERE f.organization_id = h.organization_id AND f.sequence >
    h.sequence ORDER BY f.sequence LIMIT 1 ) AS entered_at FROM analytics_ledgers AS h JOIN organizations AS o ON o.id
    = h.organization_id WHERE h.state = 'active' AND o.deleted_at IS NULL ) AS pending ) AS lag WHERE oldest IS NOT
    NULL;

-- analytics_subscriptions::DUE
SELECT subscription_id, history, applied_at, due_at FROM analytics_subscriptions WHERE organization_id = $1 AND
    generation = $2 AND due_at <= $3 ORDER BY due_at LIMIT $4;

-- analytics_subscriptions::REMOVE
DELETE FROM analytics_subscriptions WHERE (organization_id, generation, subscription_id) IN ( SELECT organization_id,
    generation, subscription_id FROM analytics_subscriptions WHERE organization_id = $1 AND generation = $2 LIMIT $3);

-- analytics_subscriptions::REMOVE_PRICES
DELETE FROM analytics_prices WHERE (organization_id, generation, plan_id, version) IN ( SELECT organization_id,
    generation, plan_id, version FROM analytics_prices WHERE organization_id = $1 AND generation = $2 LIMIT $3);

-- analytics_subscriptions::ANY
SELECT 1 FROM analytics_subscriptions WHERE organization_id = $1 AND generation = $2 LIMIT 1;

-- analytics_subscriptions::ANY_PRICES
SELECT 1 FROM analytics_prices WHERE organization_id = $1 AND generation = $2 LIMIT 1;

-- analytics_movements::OF_CUSTOMER
SELECT currency, user_id, day, kind, amount, mrr, cohort FROM analytics_movements WHERE organization_id = $1 AND
    generation = $2 AND currency = $3 AND user_id BETWEEN $4 AND $4 ORDER BY user_id, day;

-- analytics_movements::PAGE_OF_CUSTOMER
SELECT currency, user_id, day, kind, amount, mrr, cohort FROM analytics_movements WHERE organization_id = $1 AND
    generation = $2 AND currency = $3 AND user_id = $6 AND day >= $4 AND day < $5 ORDER BY day DESC LIMIT $7;

-- analytics_movements::PAGE_OF_DAY
SELECT currency, user_id, day, kind, amount, mrr, cohort FROM analytics_movements WHERE organization_id = $1 AND
    generation = $2 AND currency = $3 AND day = $4 AND user_id > $5 ORDER BY user_id LIMIT $6;

-- analytics_movements::PAGE
SELECT currency, user_id, day, kind, amount, mrr, cohort FROM analytics_movements WHERE organization_id = $1 AND
    generation = $2 AND currency = $3 AND day >= $4 AND day < $5 ORDER BY day DESC, user_id LIMIT $6;

-- analytics_movements::CUSTOMERS
SELECT m.currency, m.user_id, m.mrr FROM analytics_movements AS m WHERE m.organization_id = $1 AND m.generation = $2
    AND (m.currency, m.user_id) > ($3, $4) AND NOT EXISTS ( SELECT 1 FROM analytics_movements AS n WHERE
    n.organization_id = $1 AND n.generation = $2 AND n.currency = m.currency AND n.user_id = m.user_id AND n.day >
    m.day ) ORDER BY m.currency, m.user_id LIMIT $5;

-- analytics_movements::CURRENCIES
WITH RECURSIVE known (currency) AS ( SELECT MIN(currency) FROM analytics_movements WHERE organization_id = $1 AND
    generation = $2 UNION ALL SELECT ( SELECT MIN(m.currency) FROM analytics_movements AS m WHERE m.organization_id =
    $1 AND m.generation = $2 AND m.currency > known.currency ) FROM known WHERE known.currency IS NOT NULL ) SELECT
    currency FROM known WHERE currency IS NOT NULL ORDER BY currency;

-- analytics_movements::REMOVE_ONE
DELETE FROM analytics_movements WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND user_id = $4 AND
    day = $5;

-- analytics_movements::REMOVE
DELETE FROM analytics_movements WHERE (organization_id, generation, currency, user_id, day) IN ( SELECT
    organization_id, generation, currency, user_id, day FROM analytics_movements WHERE organization_id = $1 AND
    generation = $2 LIMIT $3);

-- analytics_movements::ANY
SELECT 1 FROM analytics_movements WHERE organization_id = $1 AND generation = $2 LIMIT 1;

-- analytics_sums::READ
SELECT state, sequence, state, event_id, state, generation FROM analytics_ledgers WHERE organization_id = $1 AND
    generation = $2 UNION ALL SELECT grain, period, kind, item, amount, count FROM analytics_sums WHERE organization_id
    = $1 AND generation = $2 AND currency = $3 AND series = $4 AND grain = 'year' AND period >= $5 AND period < $6
    UNION ALL SELECT grain, period, kind, item, amount, count FROM analytics_sums WHERE organization_id = $1 AND
    generation = $2 AND currency = $3 AND series = $4 AND grain = 'month' AND period >= $7 AND period < $8 UNION ALL
    SELECT grain, period, kind, item, amount, count FROM analytics_sums WHERE organization_id = $1 AND generation = $2
    AND currency = $3 AND series = $4 AND grain = 'day' AND period >= $9 AND period < $10;

-- analytics_sums::READ_COHORTS
SELECT -1, sequence, 0, 0, state FROM analytics_ledgers WHERE organization_id = $1 AND generation = $2 UNION ALL SELECT
    cohort, month, new_customers, customers, mrr FROM analytics_cohorts WHERE organization_id = $1 AND generation = $2
    AND currency = $3 AND cohort >= $4 AND cohort <= $5 AND month <= $5;

-- analytics_sums::REMOVE_SUM
DELETE FROM analytics_sums WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND series = $4 AND grain =
    $5 AND period = $6 AND kind = $7 AND item = $8;

-- analytics_sums::REMOVE_COHORT
DELETE FROM analytics_cohorts WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND cohort = $4 AND
    month = $5;

-- analytics_sums::REMOVE_PAYMENT
DELETE FROM analytics_payments WHERE organization_id = $1 AND generation = $2 AND payment_id = $3;

-- analytics_sums::REMOVE
DELETE FROM analytics_sums WHERE (organization_id, generation, currency, series, grain, period, kind, item) IN ( SELECT
    organization_id, generation, currency, series, grain, period, kind, item FROM analytics_sums WHERE organization_id
    = $1 AND generation = $2 LIMIT $3);

-- analytics_sums::REMOVE_COHORTS
DELETE FROM analytics_cohorts WHERE (organization_id, generation, currency, cohort, month) IN ( SELECT organization_id,
    generation, currency, cohort, month FROM analytics_cohorts WHERE organization_id = $1 AND generation = $2 LIMIT $3);

-- analytics_sums::REMOVE_PAYMENTS
DELETE FROM analytics_payments WHERE (organization_id, generation, payment_id) IN ( SELECT organization_id, generation,
    payment_id FROM analytics_payments WHERE organization_id = $1 AND generation = $2 LIMIT $3);

-- analytics_sums::ANY
SELECT 1 FROM analytics_sums WHERE organization_id = $1 AND generation = $2 LIMIT 1;

-- analytics_sums::ANY_COHORTS
SELECT 1 FROM analytics_cohorts WHERE organization_id = $1 AND generation = $2 LIMIT 1;

-- analytics_sums::ANY_PAYMENTS
SELECT 1 FROM analytics_payments WHERE organization_id = $1 AND generation = $2 LIMIT 1;

-- clients::BY_ORGANIZATION
SELECT organization_id, id, name, kind, public_id, scopes, origins, cidrs, expires_at, disabled_at, created_at,
    updated_at, revision FROM clients WHERE organization_id = $1 ORDER BY id;

-- clients::PUBLIC
SELECT organization_id, id, name, kind, public_id, scopes, origins, cidrs, expires_at, disabled_at, created_at,
    updated_at, revision FROM clients WHERE kind = 'public';

-- clients::REMOVE_ALL
DELETE FROM clients WHERE organization_id = $1;

-- clients::ROTATE
UPDATE clients SET credential_hash = $3, updated_at = $4, revision = $5 WHERE organization_id = $1 AND id = $2;

-- events::NEWEST
SELECT organization_id, id, kind, record_id, client_id, operator_id, request_id, at, previous_id, before, after FROM
    events WHERE organization_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3;

-- feed::AT
SELECT event_id FROM feed WHERE organization_id = $1 AND sequence = $2;

-- feed::BEFORE
SELECT sequence, event_id, entered_at FROM feed WHERE organization_id = $1 AND sequence < $2 ORDER BY sequence DESC
    LIMIT 1;

-- feed::DUE
SELECT sequence FROM feed WHERE organization_id = $1 AND sequence <= $2 ORDER BY sequence LIMIT $3;

-- feed::END_OF_PAGE
SELECT f.sequence, f.event_id, n.examined FROM ( SELECT MAX(sequence) AS sequence, COUNT(*) AS examined FROM ( SELECT
    sequence FROM feed WHERE organization_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3 ) AS p ) AS n JOIN feed
    AS f ON f.organization_id = $1 AND f.sequence = n.sequence;

-- feed::END_OF_PAGE_DOWN
SELECT MIN(sequence), COUNT(*) FROM ( SELECT sequence FROM feed WHERE organization_id = $1 AND sequence < $2 ORDER BY
    sequence DESC LIMIT $3 ) AS p HAVING COUNT(*) > 0;

-- feed::ENDS
SELECT o.id, COALESCE((SELECT MAX(f.sequence) FROM feed AS f WHERE f.organization_id = o.id), 0) FROM organizations AS
    o ORDER BY o.id;

-- feed::FORGET
DELETE FROM feed_queue WHERE transaction_id = pg_current_xact_id();
-- feed::FORGET (SQLite)
DELETE FROM feed;

-- feed::NEWEST
SELECT sequence, event_id, entered_at FROM feed WHERE organization_id = $1 ORDER BY sequence DESC LIMIT 1;

-- feed::NEXT
SELECT sequence, event_id, entered_at FROM feed WHERE organization_id = $1 AND sequence >= $2 ORDER BY sequence LIMIT 1;

-- feed::OLDEST
SELECT sequence, event_id, entered_at FROM feed WHERE organization_id = $1 ORDER BY sequence LIMIT 1;

-- feed::PAGE
SELECT e.organization_id, e.id, e.kind, e.record_id, e.client_id, e.operator_id, e.request_id, e.at, e.previous_id,
    e.before, e.after, f.sequence FROM feed AS f CROSS JOIN LATERAL ( SELECT * FROM events WHERE organization_id =
    f.organization_id AND id = f.event_id OFFSET 0 ) AS e WHERE f.organization_id = $1 AND f.sequence > $2 AND
    f.sequence <= $3 AND ($4 = '' OR STRPOS($4, ',' || e.kind || ',') > 0) AND (NOT $5 OR e.record_id = $6) AND (NOT $7
    OR e.client_id = $8) AND (NOT $9 OR e.operator_id = $10) ORDER BY f.sequence LIMIT $11;
-- feed::PAGE (SQLite)
SELECT e.organization_id, e.id, e.kind, e.record_id, e.client_id, e.operator_id, e.request_id, e.at, e.previous_id,
    e.before, e.after, f.sequence FROM feed AS f JOIN events AS e ON e.organization_id = f.organization_id AND e.id =
    f.event_id WHERE f.organization_id = $1 AND f.sequence > $2 AND f.sequence <= $3 AND ($4 = '' OR INSTR($4, ',' ||
    e.kind || ',') > 0) AND (NOT $5 OR e.record_id = $6) AND (NOT $7 OR e.client_id = $8) AND (NOT $9 OR e.operator_id
    = $10) ORDER BY f.sequence LIMIT $11;

-- feed::PAGE_DOWN
SELECT e.organization_id, e.id, e.kind, e.record_id, e.client_id, e.operator_id, e.request_id, e.at, e.previous_id,
    e.before, e.after, f.sequence FROM feed AS f CROSS JOIN LATERAL ( SELECT * FROM events WHERE organization_id =
    f.organization_id AND id = f.event_id OFFSET 0 ) AS e WHERE f.organization_id = $1 AND f.sequence < $2 AND
    f.sequence >= $3 AND ($4 = '' OR STRPOS($4, ',' || e.kind || ',') > 0) AND (NOT $5 OR e.record_id = $6) AND (NOT $7
    OR e.client_id = $8) AND (NOT $9 OR e.operator_id = $10) ORDER BY f.sequence DESC LIMIT $11;
-- feed::PAGE_DOWN (SQLite)
SELECT e.organization_id, e.id, e.kind, e.record_id, e.client_id, e.operator_id, e.request_id, e.at, e.previous_id,
    e.before, e.after, f.sequence FROM feed AS f JOIN events AS e ON e.organization_id = f.organization_id AND e.id =
    f.event_id WHERE f.organization_id = $1 AND f.sequence < $2 AND f.sequence >= $3 AND ($4 = '' OR INSTR($4, ',' ||
    e.kind || ',') > 0) AND (NOT $5 OR e.record_id = $6) AND (NOT $7 OR e.client_id = $8) AND (NOT $9 OR e.operator_id
    = $10) ORDER BY f.sequence DESC LIMIT $11;

-- feed::PLACE_QUEUED
INSERT INTO feed_queue (organization_id, event_id) VALUES ($1, $2);
-- feed::PLACE_QUEUED (SQLite)
INSERT INTO feed (organization_id, sequence, event_id, entered_at) SELECT $1, COALESCE((SELECT sequence FROM feed WHERE
    organization_id = $1 ORDER BY sequence DESC LIMIT 1), 0) + 1, $2, COALESCE((SELECT entered_at FROM feed WHERE
    organization_id = $1 ORDER BY sequence DESC LIMIT 1), e.at) FROM events AS e WHERE e.organization_id = $1 AND e.id
    = $2;

-- feed::PRUNE
DELETE FROM feed WHERE organization_id = $1 AND sequence = ANY (ARRAY( SELECT sequence FROM feed WHERE organization_id
    = $1 AND sequence <= $2 ORDER BY sequence LIMIT $3));
-- feed::PRUNE (SQLite)
DELETE FROM feed WHERE organization_id = $1 AND sequence IN ( SELECT sequence FROM feed WHERE organization_id = $1 AND
    sequence <= $2 ORDER BY sequence LIMIT $3);

-- feed::PRUNE_EVENTS
DELETE FROM events WHERE organization_id = $1 AND id = ANY (ARRAY( SELECT event_id FROM feed WHERE organization_id = $1
    AND sequence <= $2 ORDER BY sequence LIMIT $3));
-- feed::PRUNE_EVENTS (SQLite)
DELETE FROM events WHERE organization_id = $1 AND id IN ( SELECT event_id FROM feed WHERE organization_id = $1 AND
    sequence <= $2 ORDER BY sequence LIMIT $3);

-- feed::QUEUED
SELECT e.organization_id, e.event_id FROM feed_queue AS q, UNNEST(COALESCE(q.organization_ids,
    ARRAY[q.organization_id]), COALESCE(q.event_ids, ARRAY[q.event_id])) WITH ORDINALITY AS e (organization_id,
    event_id, position) ORDER BY q.transaction_id, q.place, e.position;
-- feed::QUEUED (SQLite)
SELECT organization_id, event_id FROM feed WHERE FALSE;

-- feed::RESUME
UPDATE feed_end SET sequence = GREATEST(sequence, (SELECT COALESCE(MAX(f.sequence), 0) FROM feed AS f)), entered_at =
    GREATEST(entered_at, (SELECT COALESCE(MAX(f.entered_at), feed_end.entered_at) FROM feed AS f));
-- feed::RESUME (SQLite)
DELETE FROM feed WHERE FALSE;

-- feed::SEQUENCE
SELECT sequence FROM feed WHERE organization_id = $1 AND event_id = $2;

-- feed::WITHDRAW
DELETE FROM feed_queue WHERE transaction_id = pg_current_xact_id() AND organization_id = $1 AND $2::bigint IS NOT NULL;
-- feed::WITHDRAW (SQLite)
DELETE FROM feed WHERE organization_id = $1 AND sequence > $2;

-- history::OF_CLIENT
SELECT revision FROM clients WHERE organization_id = $1 AND id = $2;

-- history::OF_ENDPOINT
SELECT revision FROM webhook_endpoints WHERE organization_id = $1 AND id = $2;

-- history::OF_OPERATOR
SELECT revision FROM operators WHERE organization_id = $1 AND id = $2;

-- history::OF_ORGANIZATION
SELECT revision FROM organizations WHERE id = $1;

-- history::OF_PAYMENT
SELECT revision FROM payments WHERE organization_id = $1 AND id = $2;

-- history::OF_PLAN
SELECT revision FROM plans WHERE organization_id = $1 AND id = $2;

-- history::OF_SUBSCRIPTION
SELECT revision FROM subscriptions WHERE organization_id = $1 AND id = $2;

-- history::OF_USER
SELECT revision FROM users WHERE organization_id = $1 AND id = $2;

-- history::WALK
WITH RECURSIVE walk (organization_id, id, kind, record_id, client_id, operator_id, request_id, at, previous_id, before,
    after, steps) AS ( SELECT e.organization_id, e.id, e.kind, e.record_id, e.client_id, e.operator_id, e.request_id,
    e.at, e.previous_id, e.before, e.after, CAST(1 AS BIGINT) FROM events AS e WHERE e.organization_id = $1 AND e.id =
    $2 UNION ALL SELECT e.organization_id, e.id, e.kind, e.record_id, e.client_id, e.operator_id, e.request_id, e.at,
    e.previous_id, e.before, e.after, w.steps + 1 FROM walk AS w JOIN events AS e ON e.organization_id = $1 AND e.id =
    w.previous_id WHERE w.steps < $3 ) SELECT w.organization_id, w.id, w.kind, w.record_id, w.client_id, w.operator_id,
    w.request_id, w.at, w.previous_id, w.before, w.after, f.sequence, w.steps FROM walk AS w LEFT JOIN feed AS f ON
    f.organization_id = $1 AND f.event_id = w.id;

-- examine::VERSION
SELECT COALESCE(MAX(version), 0), COALESCE(MAX(COALESCE(oldest_program, version)), 0) FROM schema_migrations;

-- examine::APPLIED
SELECT version, name, checksum, oldest_program FROM schema_migrations ORDER BY version;

-- examine::APPLIED_BEFORE
SELECT version, name, checksum FROM schema_migrations ORDER BY version;

-- examine::NOW
SELECT clock_timestamp();
-- examine::NOW (SQLite)
SELECT CAST(unixepoch('subsec') * 1000000 AS INTEGER);

-- installation::HOLDINGS
SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM organizations WHERE deleted_at IS NULL LIMIT $1) AS counted), (SELECT
    COUNT(*) FROM (SELECT 1 FROM subscriptions WHERE deleted_at IS NULL LIMIT $1) AS counted);
-- installation::HOLDINGS (SQLite)
SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM organizations WHERE deleted_at IS NULL LIMIT $1) AS counted), (SELECT
    COUNT(*) FROM ( SELECT 1 FROM subscriptions INDEXED BY subscriptions_by_user WHERE deleted_at IS NULL LIMIT $1) AS
    counted);

-- installation::MOVE_KEY
UPDATE installation SET key_fingerprint = $1 WHERE id = 1 AND key_fingerprint = $2;

-- leases::ACQUIRE
INSERT INTO leases (organization_id, job, unit, owner, expires_at) VALUES ($1, $2, $3, $4, clock_timestamp() + $5 *
    INTERVAL '1 second') ON CONFLICT (organization_id, job, unit) DO UPDATE SET owner = excluded.owner, expires_at =
    excluded.expires_at WHERE leases.expires_at <= clock_timestamp();
-- leases::ACQUIRE (SQLite)
INSERT INTO leases (organization_id, job, unit, owner, expires_at) VALUES ($1, $2, $3, $4, CAST(unixepoch('subsec') *
    1000000 AS INTEGER) + $5 * 1000000) ON CONFLICT (organization_id, job, unit) DO UPDATE SET owner = excluded.owner,
    expires_at = excluded.expires_at WHERE leases.expires_at <= CAST(unixepoch('subsec') * 1000000 AS INTEGER);

-- leases::CLEAR
DELETE FROM leases;

-- leases::RELEASE
DELETE FROM leases WHERE organization_id = $1 AND job = $2 AND unit = $3 AND owner = $4;

-- leases::RENEW
UPDATE leases SET expires_at = clock_timestamp() + $5 * INTERVAL '1 second' WHERE organization_id = $1 AND job = $2 AND
    unit = $3 AND owner = $4;
-- leases::RENEW (SQLite)
UPDATE leases SET expires_at = CAST(unixepoch('subsec') * 1000000 AS INTEGER) + $5 * 1000000 WHERE organization_id = $1
    AND job = $2 AND unit = $3 AND owner = $4;

-- leases::REVOKE
DELETE FROM leases WHERE organization_id = $1 AND job = $2 AND unit = $3;

-- operators::CONNECT
UPDATE operators SET issuer = $3, subject = $4, updated_at = $5, revision = $6 WHERE organization_id = $1 AND id = $2
    AND revision = $7;

-- operators::SIGNED_IN
UPDATE operators SET last_sign_in_at = $3 WHERE organization_id = $1 AND id = $2;

-- operators::REMOVE_ALL
DELETE FROM operators WHERE organization_id = $1;

-- operator_sessions::BY_OPERATOR
SELECT organization_id, id, operator_id, method, signed_in_at, last_used_at, expires_at, ip_address, user_agent,
    ended_at FROM operator_sessions WHERE organization_id = $1 AND operator_id = $2 AND ended_at IS NULL ORDER BY id
    DESC LIMIT $3;

-- operator_sessions::END
UPDATE operator_sessions SET ended_at = $3 WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL;

-- operator_sessions::END_ALL
UPDATE operator_sessions SET ended_at = $3 WHERE organization_id = $1 AND operator_id = $2 AND ended_at IS NULL;

-- operator_sessions::MARK_USED
UPDATE operator_sessions SET last_used_at = $3 WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL AND
    last_used_at < $3;

-- operator_sessions::REMOVE_ALL
DELETE FROM operator_sessions WHERE organization_id = $1;

-- operator_links::UNDER_LIMIT
SELECT 1 WHERE ( SELECT COUNT(*) FROM operator_links WHERE organization_id = $1 AND operator_id = $2 AND expires_at >
    $3 ) < $4;

-- operator_links::REMOVE
DELETE FROM operator_links WHERE organization_id = $1 AND id = $2;

-- operator_links::REMOVE_OF_OPERATOR
DELETE FROM operator_links WHERE organization_id = $1 AND operator_id = $2;

-- operator_links::REMOVE_ALL
DELETE FROM operator_links WHERE organization_id = $1;

-- portal_links::REMOVE
DELETE FROM portal_links WHERE organization_id = $1 AND id = $2;

-- portal_links::ERASE
DELETE FROM portal_links WHERE organization_id = $1 AND user_id = $2;

-- portal_links::REMOVE_ALL
DELETE FROM portal_links WHERE organization_id = $1;

-- organizations::ALL
SELECT id, name, currency, max_sessions, mode, billing, portal_name, portal_accent, portal_cancel, portal_resume,
    portal_change, portal_return_origins, created_at, updated_at, deleted_at, revision FROM organizations WHERE
    deleted_at IS NULL ORDER BY id;

-- organizations::DELETED_SINCE
SELECT id, name, currency, max_sessions, mode, billing, portal_name, portal_accent, portal_cancel, portal_resume,
    portal_change, portal_return_origins, created_at, updated_at, deleted_at, revision FROM organizations WHERE
    deleted_at >= $1 ORDER BY id;

-- organizations::DELETE
UPDATE organizations SET name = $2, deleted_at = $3, updated_at = $3, revision = $4 WHERE id = $1;

-- plan_versions::BELOW
SELECT version, price, currency, billing_cycle, replaced_at, tax_behavior, charges FROM plan_versions WHERE
    organization_id = $1 AND plan_id = $2 AND version < $3 ORDER BY version DESC LIMIT $4;

-- plan_versions::BY_NUMBER
SELECT version, price, currency, billing_cycle, replaced_at, tax_behavior, charges FROM plan_versions WHERE
    organization_id = $1 AND plan_id = $2 AND version = $3;

-- plans::EVER
SELECT organization_id, id, slug, name, product_id, variants, price, currency, href, billing_cycle, description,
    node_quota, features, most_popular, tier, is_active, version, billing, entitlements, created_at, updated_at,
    revision FROM plans WHERE organization_id = $1 AND id = $2;

-- providers::ALL
SELECT organization_id, id, issuer, kind, settings, sealed_secret, created_at FROM providers ORDER BY organization_id,
    id;

-- providers::BY_ORGANIZATION
SELECT organization_id, id, issuer, kind, settings, sealed_secret, created_at FROM providers WHERE organization_id = $1
    ORDER BY id;

-- providers::REMOVE
DELETE FROM providers WHERE organization_id = $1 AND id = $2;

-- providers::REMOVE_ALL
DELETE FROM providers WHERE organization_id = $1;

-- providers::RESEAL
UPDATE providers SET sealed_secret = $1 WHERE organization_id = $2 AND id = $3 AND sealed_secret = $4;

-- connection_collections::HASTEN
UPDATE connection_collections SET next_attempt_at = $4 WHERE organization_id = $1 AND payment_id = $2 AND connection_id
    = $3 AND next_attempt_at > $4;

-- connection_collections::HASTEN_ADOPTED
UPDATE connection_collections SET next_attempt_at = $4 WHERE organization_id = $1 AND intent_id = $2 AND connection_id
    = $3 AND next_attempt_at > $4;

-- connection_collections::LAST
SELECT organization_id, payment_id, number, connection_id, state, payment_method, customer, intent_id, sends, sent_at,
    next_attempt_at, code, decline_code, created_at, updated_at FROM connection_collections WHERE organization_id = $1
    AND payment_id = $2 ORDER BY number DESC LIMIT 1;

-- connection_collections::PUT
INSERT INTO connection_collections (organization_id, payment_id, number, connection_id, state, payment_method,
    customer, intent_id, sends, sent_at, next_attempt_at, code, decline_code, created_at, updated_at) VALUES ($1, $2,
    $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT (organization_id, payment_id, number) DO
    UPDATE SET state = excluded.state, payment_method = excluded.payment_method, customer = excluded.customer,
    intent_id = excluded.intent_id, sends = excluded.sends, sent_at = excluded.sent_at, next_attempt_at =
    excluded.next_attempt_at, code = excluded.code, decline_code = excluded.decline_code, updated_at =
    excluded.updated_at;

-- connection_collections::OF_INTENT
SELECT payment_id FROM connection_collections WHERE organization_id = $1 AND intent_id = $2 LIMIT 1;

-- connection_collections::WITH_WORK
SELECT c.organization_id, c.payment_id FROM connection_collections AS c LEFT JOIN leases AS l ON l.organization_id =
    c.organization_id AND l.job = 'collections' AND l.unit = c.payment_id LEFT JOIN connections AS k ON
    k.organization_id = c.organization_id AND k.id = c.connection_id AND k.deleted_at IS NULL WHERE c.next_attempt_at
    IS NOT NULL AND c.next_attempt_at <= $1 AND (k.id IS NULL OR k.is_enabled) AND (l.expires_at IS NULL OR
    l.expires_at <= clock_timestamp()) ORDER BY c.next_attempt_at LIMIT $2;
-- connection_collections::WITH_WORK (SQLite)
SELECT c.organization_id, c.payment_id FROM connection_collections AS c LEFT JOIN leases AS l ON l.organization_id =
    c.organization_id AND l.job = 'collections' AND l.unit = c.payment_id LEFT JOIN connections AS k ON
    k.organization_id = c.organization_id AND k.id = c.connection_id AND k.deleted_at IS NULL WHERE c.next_attempt_at
    IS NOT NULL AND c.next_attempt_at <= $1 AND (k.id IS NULL OR k.is_enabled) AND (l.expires_at IS NULL OR
    l.expires_at <= CAST(unixepoch('subsec') * 1000000 AS INTEGER)) ORDER BY c.next_attempt_at LIMIT $2;

-- connection_progress::CAUGHT_UP
UPDATE connection_states SET cursor = $3, caught_up_at = $4 WHERE organization_id = $1 AND connection_id = $2;

-- connection_progress::SEEN
UPDATE connection_links SET seen_at = $5 WHERE organization_id = $1 AND connection_id = $2 AND object = $3 AND
    external_id = $4 AND seen_at < $5;

-- connection_progress::SWEEP
UPDATE connection_states SET sweep = $3 WHERE organization_id = $1 AND connection_id = $2;

-- connection_progress::SWEPT
UPDATE connection_states SET sweep = NULL, swept_at = $3 WHERE organization_id = $1 AND connection_id = $2;

-- connection_progress::UNSEEN
SELECT organization_id, connection_id, object, external_id, record_id, digest, is_erased, seen_at, created_at FROM
    connection_links WHERE organization_id = $1 AND connection_id = $2 AND object = $3 AND external_id > $4 AND seen_at
    < $5 AND created_at >= $6 ORDER BY external_id LIMIT $7;

-- rate_limits::PUT
INSERT INTO rate_limits (organization_id, window_start, bucket, used) VALUES ($1, $2, $3, $4) ON CONFLICT
    (organization_id, window_start, bucket) DO UPDATE SET used = excluded.used;

-- rate_limits::ELSEWHERE
SELECT window_start, used FROM rate_limits WHERE organization_id = $1 AND window_start IN ($2, $3) AND bucket BETWEEN
    $4 AND $5 AND bucket <> $6;

-- clock_removal::PART
SELECT id FROM events WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- clock_removal::REMOVE_EVENTS
DELETE FROM events WHERE organization_id = $1 AND id > $2 AND id <= $3 AND id <> $5 AND STRPOS($4, ',' || kind || ',')
    > 0;
-- clock_removal::REMOVE_EVENTS (SQLite)
DELETE FROM events WHERE organization_id = $1 AND id > $2 AND id <= $3 AND id <> $5 AND INSTR($4, ',' || kind || ',') >
    0;

-- clock_removal::REMOVE_KEYS
DELETE FROM idempotency_keys WHERE organization_id = $1;

-- clock_removal::REMOVE_POSITIONS
DELETE FROM feed WHERE organization_id = $1 AND sequence IN ( SELECT f.sequence FROM events AS e JOIN feed AS f ON
    f.organization_id = e.organization_id AND f.event_id = e.id WHERE e.organization_id = $1 AND e.id > $2 AND e.id <=
    $3 AND e.id <> $5 AND STRPOS($4, ',' || e.kind || ',') > 0);
-- clock_removal::REMOVE_POSITIONS (SQLite)
DELETE FROM feed WHERE organization_id = $1 AND sequence IN ( SELECT f.sequence FROM events AS e JOIN feed AS f ON
    f.organization_id = e.organization_id AND f.event_id = e.id WHERE e.organization_id = $1 AND e.id > $2 AND e.id <=
    $3 AND e.id <> $5 AND INSTR($4, ',' || e.kind || ',') > 0);

-- clock_removal::REMOVE_UNDELIVERED
DELETE FROM webhook_undelivered WHERE organization_id = $1 AND NOT EXISTS ( SELECT 1 FROM events AS e WHERE
    e.organization_id = $1 AND e.id = webhook_undelivered.event_id);

-- due::ALL_PARKED
SELECT COUNT(*) FROM subscriptions WHERE deleted_at IS NULL AND (billing LIKE '%"parked_at":%');

-- due::ANY_DUE
SELECT 1 FROM subscriptions WHERE due_at <= $1 AND deleted_at IS NULL ORDER BY due_at LIMIT 1;

-- backlog::BACKLOG
SELECT COUNT(*), MIN(acts_at) FROM invoices WHERE organization_id = $1 AND acts_at <= $2 AND deleted_at IS NULL AND NOT
    (invoices.status = 'draft' AND (invoices.organization_id, invoices.subscription_id) IN ( SELECT s.organization_id,
    s.id FROM subscriptions AS s WHERE s.deleted_at IS NULL AND s.billing LIKE '%"parked_at":%'));

-- backlog::LATE
SELECT 1 FROM invoices WHERE organization_id = $1 AND acts_at > $3 AND acts_at < $2 AND updated_at < $2 AND deleted_at
    IS NULL AND NOT (invoices.status = 'draft' AND ( SELECT 1 FROM subscriptions AS s WHERE s.organization_id =
    invoices.organization_id AND s.id = invoices.subscription_id AND (s.billing LIKE '%"parked_at":%' OR s.updated_at
    >= $2)) IS NOT NULL) LIMIT 1;

-- backlog::LIVE_DUE
SELECT COUNT(*), MIN(acts_at) FROM ( SELECT invoices.acts_at FROM invoices LEFT JOIN test_clocks AS c ON c.id =
    invoices.organization_id LEFT JOIN lifecycle_holds AS h ON h.id = invoices.organization_id WHERE invoices.acts_at
    <= $1 AND invoices.deleted_at IS NULL AND c.id IS NULL AND (h.reason IS NULL OR invoices.acts_at <=
    h.released_through) AND NOT (invoices.status = 'draft' AND (invoices.organization_id, invoices.subscription_id) IN
    ( SELECT s.organization_id, s.id FROM subscriptions AS s WHERE s.deleted_at IS NULL AND s.billing LIKE
    '%"parked_at":%')) ORDER BY invoices.acts_at LIMIT 10000 ) AS due;

-- backlog::TEST_DUE
SELECT c.now, (SELECT COUNT(*) FROM (SELECT acts_at FROM invoices WHERE organization_id = c.id AND acts_at <= c.now AND
    deleted_at IS NULL AND (h.reason IS NULL OR acts_at <= h.released_through) AND NOT (invoices.status = 'draft' AND
    (invoices.organization_id, invoices.subscription_id) IN ( SELECT s.organization_id, s.id FROM subscriptions AS s
    WHERE s.deleted_at IS NULL AND s.billing LIKE '%"parked_at":%')) ORDER BY acts_at, id LIMIT 10000) AS due), (SELECT
    acts_at FROM invoices WHERE organization_id = c.id AND acts_at <= c.now AND deleted_at IS NULL AND (h.reason IS
    NULL OR acts_at <= h.released_through) AND NOT (invoices.status = 'draft' AND (invoices.organization_id,
    invoices.subscription_id) IN ( SELECT s.organization_id, s.id FROM subscriptions AS s WHERE s.deleted_at IS NULL
    AND s.billing LIKE '%"parked_at":%')) ORDER BY acts_at, id LIMIT 1) FROM test_clocks AS c LEFT JOIN lifecycle_holds
    AS h ON h.id = c.id WHERE c.state = 'idle' AND (SELECT acts_at FROM invoices WHERE organization_id = c.id AND
    acts_at <= c.now AND deleted_at IS NULL AND (h.reason IS NULL OR acts_at <= h.released_through) AND NOT
    (invoices.status = 'draft' AND (invoices.organization_id, invoices.subscription_id) IN ( SELECT s.organization_id,
    s.id FROM subscriptions AS s WHERE s.deleted_at IS NULL AND s.billing LIKE '%"parked_at":%')) ORDER BY acts_at, id
    LIMIT 1) IS NOT NULL LIMIT 1000;

-- due::BACKLOG
SELECT COUNT(*), MIN(due_at) FROM subscriptions WHERE organization_id = $1 AND due_at <= $2 AND deleted_at IS NULL;

-- due::DUE
SELECT organization_id, id, user_id, plan_id, plan_version, external_id, quantity, billing_cycle, status, is_active,
    starts_at, renews_at, ends_at, due_at, billing, change_plan_id, entitlements, managed_by, created_at, updated_at,
    revision, usage_closed_until FROM subscriptions WHERE organization_id = $1 AND organization_id BETWEEN $1 AND $1
    AND due_at <= $2 AND deleted_at IS NULL AND (due_at <= $4 OR NOT (billing IS NOT NULL)) ORDER BY due_at LIMIT $3;

-- due::LATE
SELECT 1 FROM subscriptions WHERE organization_id = $1 AND due_at > $3 AND due_at < $2 AND updated_at < $2 AND
    deleted_at IS NULL AND (billing IS NOT NULL) LIMIT 1;

-- due::LIVE_DUE
SELECT COUNT(*), MIN(due_at) FROM ( SELECT s.due_at FROM subscriptions AS s LEFT JOIN test_clocks AS c ON c.id =
    s.organization_id LEFT JOIN lifecycle_holds AS h ON h.id = s.organization_id WHERE s.due_at <= $1 AND s.deleted_at
    IS NULL AND c.id IS NULL AND (NOT (billing IS NOT NULL) OR h.reason IS NULL OR s.due_at <= h.released_through)
    ORDER BY s.due_at LIMIT 10000 ) AS due;

-- due::NEXT_DUE
SELECT due_at FROM subscriptions WHERE organization_id = $1 AND organization_id BETWEEN $1 AND $1 AND due_at IS NOT
    NULL AND deleted_at IS NULL ORDER BY due_at LIMIT 1;

-- due::PARKED
SELECT COUNT(*) FROM subscriptions WHERE organization_id = $1 AND deleted_at IS NULL AND (billing LIKE
    '%"parked_at":%');

-- due::TEST_DUE
SELECT c.now, (SELECT COUNT(*) FROM (SELECT due_at FROM subscriptions WHERE organization_id = c.id AND organization_id
    BETWEEN c.id AND c.id AND due_at <= c.now AND deleted_at IS NULL AND (NOT (billing IS NOT NULL) OR h.reason IS NULL
    OR due_at <= h.released_through) ORDER BY due_at LIMIT 10000) AS due), (SELECT due_at FROM subscriptions WHERE
    organization_id = c.id AND organization_id BETWEEN c.id AND c.id AND due_at <= c.now AND deleted_at IS NULL AND
    (NOT (billing IS NOT NULL) OR h.reason IS NULL OR due_at <= h.released_through) ORDER BY due_at LIMIT 1) FROM
    test_clocks AS c LEFT JOIN lifecycle_holds AS h ON h.id = c.id WHERE c.state = 'idle' AND (SELECT due_at FROM
    subscriptions WHERE organization_id = c.id AND organization_id BETWEEN c.id AND c.id AND due_at <= c.now AND
    deleted_at IS NULL AND (NOT (billing IS NOT NULL) OR h.reason IS NULL OR due_at <= h.released_through) ORDER BY
    due_at LIMIT 1) IS NOT NULL LIMIT 1000;

-- due::WITH_DUE
SELECT o.id FROM organizations AS o LEFT JOIN test_clocks AS c ON c.id = o.id LEFT JOIN lifecycle_holds AS h ON h.id =
    o.id LEFT JOIN leases AS l ON l.organization_id = o.id AND l.job = $1 AND l.unit = o.id WHERE o.id > $5 AND
    o.deleted_at IS NULL AND (l.expires_at IS NULL OR l.expires_at <= clock_timestamp()) AND (c.state IS NULL OR
    c.state = 'idle') AND (( SELECT 1 FROM subscriptions AS s WHERE s.organization_id = o.id AND s.organization_id
    BETWEEN o.id AND o.id AND s.due_at <= COALESCE(c.now, $2) AND s.deleted_at IS NULL AND (NOT (billing IS NOT NULL)
    OR ((h.reason IS NULL OR s.due_at <= h.released_through) AND (NOT $4 OR c.id IS NOT NULL))) ORDER BY s.due_at LIMIT
    1 ) IS NOT NULL OR ( SELECT 1 FROM invoices AS i WHERE i.organization_id = o.id AND i.acts_at <= COALESCE(c.now,
    $2) AND i.deleted_at IS NULL AND (h.reason IS NULL OR i.acts_at <= h.released_through) AND (NOT $4 OR c.id IS NOT
    NULL) AND NOT (i.status = 'draft' AND ( SELECT 1 FROM subscriptions AS p WHERE p.organization_id =
    i.organization_id AND p.id = i.subscription_id AND p.billing LIKE '%"parked_at":%' ) IS NOT NULL) ORDER BY
    i.acts_at, i.id LIMIT 1 ) IS NOT NULL) ORDER BY o.id LIMIT $3;
-- due::WITH_DUE (SQLite)
SELECT o.id FROM organizations AS o LEFT JOIN test_clocks AS c ON c.id = o.id LEFT JOIN lifecycle_holds AS h ON h.id =
    o.id LEFT JOIN leases AS l ON l.organization_id = o.id AND l.job = $1 AND l.unit = o.id WHERE o.id > $5 AND
    o.deleted_at IS NULL AND (l.expires_at IS NULL OR l.expires_at <= CAST(unixepoch('subsec') * 1000000 AS INTEGER))
    AND (c.state IS NULL OR c.state = 'idle') AND (( SELECT 1 FROM subscriptions AS s WHERE s.organization_id = o.id
    AND s.organization_id BETWEEN o.id AND o.id AND s.due_at <= COALESCE(c.now, $2) AND s.deleted_at IS NULL AND (NOT
    (billing IS NOT NULL) OR ((h.reason IS NULL OR s.due_at <= h.released_through) AND (NOT $4 OR c.id IS NOT NULL)))
    ORDER BY s.due_at LIMIT 1 ) IS NOT NULL OR ( SELECT 1 FROM invoices AS i WHERE i.organization_id = o.id AND
    i.acts_at <= COALESCE(c.now, $2) AND i.deleted_at IS NULL AND (h.reason IS NULL OR i.acts_at <= h.released_through)
    AND (NOT $4 OR c.id IS NOT NULL) AND NOT (i.status = 'draft' AND ( SELECT 1 FROM subscriptions AS p WHERE
    p.organization_id = i.organization_id AND p.id = i.subscription_id AND p.billing LIKE '%"parked_at":%' ) IS NOT
    NULL) ORDER BY i.acts_at, i.id LIMIT 1 ) IS NOT NULL) ORDER BY o.id LIMIT $3;

-- holds::HELD
SELECT h.id, o.name, h.reason FROM lifecycle_holds AS h JOIN organizations AS o ON o.id = h.id WHERE h.reason IS NOT
    NULL AND o.deleted_at IS NULL ORDER BY o.name LIMIT $1;

-- holds::HOLD
INSERT INTO lifecycle_holds (id, reason) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET reason = excluded.reason WHERE
    lifecycle_holds.reason IS NULL;

-- holds::HOLD_AFTER_LOSS
INSERT INTO lifecycle_holds (id, reason, lost_since) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET reason =
    COALESCE(lifecycle_holds.reason, excluded.reason), lost_since = CASE WHEN lifecycle_holds.lost_since <
    excluded.lost_since THEN lifecycle_holds.lost_since ELSE excluded.lost_since END, lost_until = NULL;

-- holds::HOLD_ALL
INSERT INTO lifecycle_holds (id, reason, lost_since) SELECT o.id, $1, COALESCE((SELECT MAX(f.entered_at) FROM feed AS f
    WHERE f.organization_id = o.id), $2) FROM organizations AS o WHERE o.deleted_at IS NULL ON CONFLICT (id) DO UPDATE
    SET reason = COALESCE(lifecycle_holds.reason, excluded.reason), lost_since = CASE WHEN lifecycle_holds.lost_since <
    excluded.lost_since THEN lifecycle_holds.lost_since ELSE excluded.lost_since END, lost_until = NULL;

-- holds::REMOVE
DELETE FROM lifecycle_holds WHERE id = $1;

-- sessions::BY_USER
SELECT s.organization_id, s.id, s.user_id, s.client_id, s.generation, s.signed_in_at, s.rotated_at, s.graces,
    s.expires_at, s.last_used_at, s.ip_address, s.user_agent, s.revoked_at, c.name FROM sessions AS s LEFT JOIN clients
    AS c ON c.organization_id = s.organization_id AND c.id = s.client_id WHERE s.organization_id = $1 AND s.user_id =
    $2 AND s.revoked_at IS NULL ORDER BY s.id DESC;

-- sessions::EXTEND
UPDATE sessions SET last_used_at = $3, expires_at = $4 WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL
    AND last_used_at < $3;

-- sessions::MARK_USED
UPDATE sessions SET last_used_at = $3 WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL AND last_used_at <
    $3;

-- sessions::REVOKE
UPDATE sessions SET revoked_at = $3 WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL;

-- sessions::REVOKE_UNCHANGED
UPDATE sessions SET revoked_at = $5 WHERE organization_id = $1 AND id = $2 AND generation = $3 AND graces = $4 AND
    revoked_at IS NULL;

-- sessions::ROTATE
UPDATE sessions SET generation = $5, rotated_at = $6, graces = $7, expires_at = $8, last_used_at = $9 WHERE
    organization_id = $1 AND id = $2 AND generation = $3 AND graces = $4 AND revoked_at IS NULL;

-- subscriptions::ACCEPTS_USAGE
SELECT 1 FROM subscriptions WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL AND
    (usage_closed_until IS NULL OR usage_closed_until <= $4);

-- subscriptions::ADVANCE
UPDATE subscriptions SET revision = $4 WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL;

-- subscriptions::CLOSE_USAGE
UPDATE subscriptions SET usage_closed_until = $3 WHERE organization_id = $1 AND id = $2 AND (usage_closed_until IS NULL
    OR usage_closed_until < $3);

-- subscriptions::COUNT_BY_PLAN
SELECT (SELECT COUNT(*) FROM subscriptions WHERE organization_id = $1 AND plan_id = $2 AND deleted_at IS NULL) +
    (SELECT COUNT(CASE WHEN plan_id = $2 THEN NULL ELSE 1 END) FROM subscriptions WHERE organization_id = $1 AND
    change_plan_id = $2 AND deleted_at IS NULL);

-- subscriptions::OPEN_BY_USER
SELECT organization_id, id, user_id, plan_id, plan_version, external_id, quantity, billing_cycle, status, is_active,
    starts_at, renews_at, ends_at, due_at, billing, change_plan_id, entitlements, managed_by, created_at, updated_at,
    revision, usage_closed_until FROM subscriptions WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL
    AND status <> 'expired' ORDER BY id;

-- subscriptions::OPEN_COUNT
SELECT 1 FROM ( SELECT COUNT(*) AS open FROM subscriptions WHERE organization_id = $1 AND user_id = $2 AND deleted_at
    IS NULL AND status <> 'expired') AS counted WHERE open = $3;

-- invoices::POSTPONE
UPDATE invoices SET acts_at = $3 WHERE organization_id = $1 AND id = $2 AND acts_at < $3;

-- subscriptions::POSTPONE
UPDATE subscriptions SET due_at = $3 WHERE organization_id = $1 AND id = $2 AND due_at < $3;

-- subscriptions::RESCHEDULE
UPDATE subscriptions SET due_at = $3 WHERE organization_id = $1 AND id = $2 AND revision = $4 AND deleted_at IS NULL;

-- subscriptions::SCHEDULE
UPDATE subscriptions SET due_at = CASE WHEN billing IS NOT NULL THEN clock_timestamp() WHEN starts_at >
    clock_timestamp() THEN starts_at ELSE ends_at END WHERE due_at IS NULL AND deleted_at IS NULL AND (( billing IS NOT
    NULL AND billing NOT LIKE '%"parked_at":"%' AND ( status IN ('pending', 'incomplete', 'on_trial') OR (status IN
    ('active', 'past_due') AND renews_at IS NOT NULL) OR (status = 'paused' AND billing LIKE '%"resumes_at":"%') OR
    (status <> 'expired' AND ends_at IS NOT NULL))) OR ( billing IS NULL AND is_active AND status IN ('on_trial',
    'active', 'past_due', 'cancelled') AND (starts_at > clock_timestamp() OR ends_at > clock_timestamp()) AND (ends_at
    > starts_at OR (ends_at IS NULL AND status <> 'cancelled'))));
-- subscriptions::SCHEDULE (SQLite)
UPDATE subscriptions SET due_at = CASE WHEN billing IS NOT NULL THEN CAST(unixepoch('subsec') * 1000000 AS INTEGER)
    WHEN starts_at > CAST(unixepoch('subsec') * 1000000 AS INTEGER) THEN starts_at ELSE ends_at END WHERE due_at IS
    NULL AND deleted_at IS NULL AND (( billing IS NOT NULL AND billing NOT LIKE '%"parked_at":"%' AND ( status IN
    ('pending', 'incomplete', 'on_trial') OR (status IN ('active', 'past_due') AND renews_at IS NOT NULL) OR (status =
    'paused' AND billing LIKE '%"resumes_at":"%') OR (status <> 'expired' AND ends_at IS NOT NULL))) OR ( billing IS
    NULL AND is_active AND status IN ('on_trial', 'active', 'past_due', 'cancelled') AND (starts_at >
    CAST(unixepoch('subsec') * 1000000 AS INTEGER) OR ends_at > CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND
    (ends_at > starts_at OR (ends_at IS NULL AND status <> 'cancelled'))));

-- test_clocks::ANY_IDLE
SELECT 1 FROM test_clocks WHERE state = 'idle' LIMIT 1;

-- test_clocks::NEWER
SELECT 1 WHERE EXISTS ( SELECT 1 FROM plans WHERE organization_id = $1 AND deleted_at IS NULL AND updated_at > $2) OR
    EXISTS ( SELECT 1 FROM subscriptions WHERE organization_id = $1 AND deleted_at IS NULL AND updated_at > $2) OR
    EXISTS ( SELECT 1 FROM payments WHERE organization_id = $1 AND deleted_at IS NULL AND updated_at > $2) OR EXISTS (
    SELECT 1 FROM invoices WHERE organization_id = $1 AND deleted_at IS NULL AND updated_at > $2) OR EXISTS (SELECT 1
    FROM coupons WHERE organization_id = $1 AND updated_at > $2) OR EXISTS (SELECT 1 FROM meters WHERE organization_id
    = $1 AND updated_at > $2) OR EXISTS (SELECT 1 FROM features WHERE organization_id = $1 AND updated_at > $2) OR
    EXISTS (SELECT 1 FROM credits WHERE organization_id = $1 AND created_at > $2) OR EXISTS (SELECT 1 FROM credit_notes
    WHERE organization_id = $1 AND created_at > $2) OR EXISTS (SELECT 1 FROM subscription_members WHERE organization_id
    = $1 AND created_at > $2);

-- test_clocks::NO_CLOCK
SELECT 1 FROM (SELECT COUNT(*) AS clocks FROM test_clocks WHERE id = $1) AS counted WHERE clocks = 0;

-- test_clocks::REMOVE
DELETE FROM test_clocks WHERE id = $1;

-- test_clocks::WITH_WORK
SELECT c.id FROM test_clocks AS c LEFT JOIN leases AS l ON l.organization_id = c.id AND l.job = $1 AND l.unit = c.id
    WHERE c.state <> 'idle' AND (l.expires_at IS NULL OR l.expires_at <= clock_timestamp()) LIMIT $2;
-- test_clocks::WITH_WORK (SQLite)
SELECT c.id FROM test_clocks AS c LEFT JOIN leases AS l ON l.organization_id = c.id AND l.job = $1 AND l.unit = c.id
    WHERE c.state <> 'idle' AND (l.expires_at IS NULL OR l.expires_at <= CAST(unixepoch('subsec') * 1000000 AS
    INTEGER)) LIMIT $2;

-- sessions::ERASE
DELETE FROM sessions WHERE organization_id = $1 AND user_id = $2;

-- signing_keys::ALL
SELECT sequence, kid, active_from, sealed FROM signing_keys ORDER BY sequence;

-- signing_keys::REMOVE
DELETE FROM signing_keys WHERE sequence = $1;

-- signing_keys::RESEAL
UPDATE signing_keys SET sealed = $1 WHERE sequence = $2 AND sealed = $3;

-- users::MOVE_EPOCH
UPDATE users SET session_epoch = session_epoch + 1 WHERE organization_id = $1 AND id = $2 AND revision = $3 AND
    session_epoch = $4 AND deleted_at IS NULL;

-- users::RELINK
UPDATE users SET issuer = $4, subject = $5, updated_at = $6, revision = $7 WHERE organization_id = $1 AND id = $2 AND
    revision = $3 AND deleted_at IS NULL AND NOT EXISTS ( SELECT 1 FROM users AS other WHERE other.organization_id = $1
    AND other.issuer = $4 AND other.subject = $5 AND other.subject IS NOT NULL AND other.deleted_at IS NULL);

-- users::ERASE
UPDATE users SET email = NULL, issuer = NULL, subject = NULL, auth_type = NULL, username = NULL, first_name = NULL,
    last_name = NULL, terms = NULL, notifications = NULL, blocked_at = NULL, deleted_at = $3, updated_at = $3, revision
    = $4 WHERE organization_id = $1 AND id = $2;

-- webhook_attempts::NUMBERED
SELECT id FROM webhook_attempts WHERE organization_id = $1 AND endpoint_id = $2 ORDER BY id DESC LIMIT 1 OFFSET $3;

-- webhook_attempts::OLDER
DELETE FROM webhook_attempts WHERE organization_id = $1 AND endpoint_id = $2 AND id IN ( SELECT id FROM
    webhook_attempts WHERE organization_id = $1 AND endpoint_id = $2 AND id < $3 ORDER BY id LIMIT $4 );

-- webhook_attempts::OLDEST
SELECT id FROM webhook_attempts WHERE organization_id = $1 AND endpoint_id = $2 AND id < $3 ORDER BY id LIMIT $4;

-- webhook_endpoints::OF_ANY_AGE
SELECT organization_id, id, CASE WHEN deleted_at IS NULL THEN 0 ELSE 1 END FROM webhook_endpoints;

-- webhook_figures::ENDPOINTS
SELECT state, COUNT(*) FROM webhook_endpoints WHERE deleted_at IS NULL GROUP BY state;

-- webhook_figures::LAG
SELECT CAST(EXTRACT(EPOCH FROM (clock_timestamp() - oldest)) AS BIGINT) FROM ( SELECT MIN(entered_at) AS oldest FROM (
    SELECT ( SELECT f.entered_at FROM feed AS f WHERE f.organization_id = r.organization_id AND f.sequence > r.sequence
    ORDER BY f.sequence LIMIT 1 ) AS entered_at FROM webhook_readers AS r JOIN webhook_endpoints AS e ON
    e.organization_id = r.organization_id AND e.id = r.endpoint_id WHERE e.deleted_at IS NULL AND e.is_active UNION ALL
    SELECT u.entered_at FROM webhook_undelivered AS u JOIN webhook_endpoints AS e ON e.organization_id =
    u.organization_id AND e.id = u.endpoint_id WHERE u.state = 'waiting' AND e.deleted_at IS NULL AND e.is_active ) AS
    pending ) AS lag WHERE oldest IS NOT NULL;
-- webhook_figures::LAG (SQLite)
SELECT (CAST(unixepoch('subsec') * 1000000 AS INTEGER) - oldest) / 1000000 FROM ( SELECT MIN(entered_at) AS oldest FROM
    ( SELECT ( SELECT f.entered_at FROM feed AS f WHERE f.organization_id = r.organization_id AND f.sequence >
    r.sequence ORDER BY f.sequence LIMIT 1 ) AS entered_at FROM webhook_readers AS r JOIN webhook_endpoints AS e ON
    e.organization_id = r.organization_id AND e.id = r.endpoint_id WHERE e.deleted_at IS NULL AND e.is_active UNION ALL
    SELECT u.entered_at FROM webhook_undelivered AS u JOIN webhook_endpoints AS e ON e.organization_id =
    u.organization_id AND e.id = u.endpoint_id WHERE u.state = 'waiting' AND e.deleted_at IS NULL AND e.is_active ) AS
    pending ) AS lag WHERE oldest IS NOT NULL;

-- webhook_figures::UNDELIVERED
SELECT state, COUNT(*) FROM webhook_undelivered GROUP BY state;

-- webhook_figures::UNREACHED
SELECT id, state FROM webhook_endpoints WHERE deleted_at IS NULL AND (state = 'failing' OR disabled_reason IN
    ('failing', 'gone')) ORDER BY id LIMIT 100;

-- webhook_figures::UNPLACED
SELECT COALESCE(SUM(COALESCE(CARDINALITY(event_ids), 1)), 0) FROM (SELECT event_ids FROM feed_queue LIMIT 20000) AS
    queued;
-- webhook_figures::UNPLACED (SQLite)
SELECT 0;

-- webhook_readers::CLOSE
UPDATE webhook_readers SET failures = 0, probes = 0, next_probe_at = NULL WHERE organization_id = $1 AND endpoint_id =
    $2;

-- webhook_readers::END_FAILURES
UPDATE webhook_readers SET failing_since = NULL WHERE organization_id = $1 AND endpoint_id = $2;

-- webhook_readers::REMOVE
DELETE FROM webhook_readers WHERE organization_id = $1 AND endpoint_id = $2;

-- webhook_readers::SAVE
UPDATE webhook_readers SET sequence = $3, failures = $4, failing_since = $5, probes = $6, next_probe_at = $7 WHERE
    organization_id = $1 AND endpoint_id = $2;

-- webhook_readers::SEEK
UPDATE webhook_readers SET sequence = $3 WHERE organization_id = $1 AND endpoint_id = $2;

-- webhook_readers::PASSED
SELECT MIN(passed) FROM ( SELECT r.sequence AS passed FROM webhook_readers AS r JOIN webhook_endpoints AS e ON
    e.organization_id = r.organization_id AND e.id = r.endpoint_id WHERE r.organization_id = $1 AND e.deleted_at IS
    NULL AND (e.is_active OR e.disabled_at > $2) UNION ALL SELECT u.sequence - 1 FROM webhook_undelivered AS u JOIN
    webhook_endpoints AS e ON e.organization_id = u.organization_id AND e.id = u.endpoint_id WHERE u.organization_id =
    $1 AND u.state = 'waiting' AND e.deleted_at IS NULL AND (e.is_active OR e.disabled_at > $2) ) AS readers;

-- webhook_readers::WITH_WORK
SELECT r.organization_id, r.endpoint_id FROM webhook_readers AS r JOIN webhook_endpoints AS e ON e.organization_id =
    r.organization_id AND e.id = r.endpoint_id LEFT JOIN leases AS l ON l.organization_id = r.organization_id AND l.job
    = 'webhooks' AND l.unit = r.endpoint_id WHERE e.deleted_at IS NULL AND e.state <> 'disabled' AND (l.expires_at IS
    NULL OR l.expires_at <= clock_timestamp()) AND CASE WHEN r.next_probe_at IS NOT NULL THEN r.next_probe_at <= $1
    ELSE (SELECT MAX(f.sequence) FROM feed AS f WHERE f.organization_id = r.organization_id) > r.sequence OR EXISTS (
    SELECT 1 FROM webhook_undelivered AS u WHERE u.organization_id = r.organization_id AND u.endpoint_id =
    r.endpoint_id AND u.next_attempt_at <= $1 ) END LIMIT $2;
-- webhook_readers::WITH_WORK (SQLite)
SELECT r.organization_id, r.endpoint_id FROM webhook_readers AS r JOIN webhook_endpoints AS e ON e.organization_id =
    r.organization_id AND e.id = r.endpoint_id LEFT JOIN leases AS l ON l.organization_id = r.organization_id AND l.job
    = 'webhooks' AND l.unit = r.endpoint_id WHERE e.deleted_at IS NULL AND e.state <> 'disabled' AND (l.expires_at IS
    NULL OR l.expires_at <= CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND CASE WHEN r.next_probe_at IS NOT NULL
    THEN r.next_probe_at <= $1 ELSE (SELECT MAX(f.sequence) FROM feed AS f WHERE f.organization_id = r.organization_id)
    > r.sequence OR EXISTS ( SELECT 1 FROM webhook_undelivered AS u WHERE u.organization_id = r.organization_id AND
    u.endpoint_id = r.endpoint_id AND u.next_attempt_at <= $1 ) END LIMIT $2;

-- webhook_undelivered::COUNT_RANGE
SELECT COUNT(*) FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2 AND entered_at >= $3 AND
    entered_at < $4;

-- webhook_undelivered::REMOVE_ALL
DELETE FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2;

-- webhook_undelivered::RESEND
INSERT INTO webhook_undelivered (organization_id, endpoint_id, sequence, event_id, event_type, record_id, entered_at,
    state, attempts, is_resend, next_attempt_at) SELECT f.organization_id, $2, f.sequence, e.id, e.kind, e.record_id,
    f.entered_at, 'waiting', 0, $4, $5 FROM feed AS f JOIN events AS e ON e.organization_id = f.organization_id AND
    e.id = f.event_id WHERE f.organization_id = $1 AND f.event_id = $3 ON CONFLICT (organization_id, endpoint_id,
    sequence) DO UPDATE SET state = excluded.state, is_resend = excluded.is_resend, next_attempt_at =
    excluded.next_attempt_at;

-- webhook_undelivered::RESEND_RANGE
UPDATE webhook_undelivered SET state = 'waiting', is_resend = $5, next_attempt_at = $6 WHERE organization_id = $1 AND
    endpoint_id = $2 AND entered_at >= $3 AND entered_at < $4 AND (next_attempt_at IS NOT NULL OR state = 'given_up');

-- webhook_undelivered::AFTER
SELECT sequence FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2 AND sequence > $3;

-- webhook_undelivered::BLOCKING
SELECT record_id FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2 AND state = 'waiting' AND
    attempts < $3;

-- webhook_undelivered::DUE
SELECT organization_id, endpoint_id, sequence, event_id, event_type, record_id, entered_at, state, attempts, is_resend,
    next_attempt_at, first_failed_at, last_status, last_error FROM webhook_undelivered WHERE organization_id = $1 AND
    endpoint_id = $2 AND next_attempt_at <= $3 ORDER BY next_attempt_at, sequence LIMIT $4;

-- webhook_undelivered::HASTEN
UPDATE webhook_undelivered SET next_attempt_at = $3 WHERE organization_id = $1 AND endpoint_id = $2 AND next_attempt_at
    > $3;

-- webhook_undelivered::RECORDS
SELECT DISTINCT record_id FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2;

-- webhook_undelivered::OLDEST_WAITING
SELECT organization_id, endpoint_id, sequence, event_id, event_type, record_id, entered_at, state, attempts, is_resend,
    next_attempt_at, first_failed_at, last_status, last_error FROM webhook_undelivered WHERE organization_id = $1 AND
    endpoint_id = $2 AND state = 'waiting' ORDER BY sequence LIMIT 1;

-- webhook_undelivered::PUT
INSERT INTO webhook_undelivered (organization_id, endpoint_id, sequence, event_id, event_type, record_id, entered_at,
    state, attempts, is_resend, next_attempt_at, first_failed_at, last_status, last_error) VALUES ($1, $2, $3, $4, $5,
    $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (organization_id, endpoint_id, sequence) DO UPDATE SET state =
    excluded.state, attempts = excluded.attempts, is_resend = excluded.is_resend, next_attempt_at =
    excluded.next_attempt_at, first_failed_at = excluded.first_failed_at, last_status = excluded.last_status,
    last_error = excluded.last_error;

-- webhook_undelivered::REMOVE
DELETE FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2 AND sequence = $3;

-- webhook_undelivered::REMOVE_GIVEN_UP
DELETE FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2 AND state = 'given_up' AND
    first_failed_at < $3;

-- webhook_undelivered::REMOVE_PRUNED
DELETE FROM webhook_undelivered WHERE organization_id = $1 AND sequence <= $2;

-- webhook_undelivered::REMOVE_SOUGHT
DELETE FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2 AND (state = 'waiting' OR sequence >
    $3);

-- webhook_undelivered::WAKE
UPDATE webhook_undelivered SET next_attempt_at = $4 WHERE organization_id = $1 AND endpoint_id = $2 AND sequence = (
    SELECT MIN(sequence) FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2 AND record_id = $3
    AND attempts < $5 AND state = 'waiting' ) AND next_attempt_at IS NULL;

-- webhook_undelivered::WAKE_ALL
UPDATE webhook_undelivered SET next_attempt_at = $3 WHERE organization_id = $1 AND endpoint_id = $2 AND sequence IN (
    SELECT MIN(sequence) FROM webhook_undelivered WHERE organization_id = $1 AND endpoint_id = $2 AND attempts < $4 AND
    state = 'waiting' GROUP BY record_id ) AND next_attempt_at IS NULL;

-- webhook_endpoints::ALL
SELECT organization_id, id, url, description, types, payload, signature, is_active, state, disabled_reason,
    disabled_at, sealed_secrets, created_at, updated_at, revision FROM webhook_endpoints WHERE deleted_at IS NULL ORDER
    BY organization_id, id;

-- webhook_endpoints::DISABLE_COPIED
UPDATE webhook_endpoints SET is_active = $1, state = 'disabled', disabled_reason = 'copied', disabled_at = $2 WHERE
    is_active AND deleted_at IS NULL;

-- webhook_endpoints::RESEAL
UPDATE webhook_endpoints SET sealed_secrets = $3 WHERE organization_id = $1 AND id = $2 AND sealed_secrets = $4;

-- webhook_endpoints::SET_SECRETS
UPDATE webhook_endpoints SET sealed_secrets = $3 WHERE organization_id = $1 AND id = $2;

-- webhook_endpoints::UNDER_LIMIT
SELECT 1 WHERE ( SELECT COUNT(*) FROM webhook_endpoints WHERE organization_id = $1 AND deleted_at IS NULL ) < $2;

-- billing_profiles::REMOVE
DELETE FROM billing_profiles WHERE organization_id = $1 AND user_id = $2;

-- connection_bucket::PAUSE
UPDATE connection_states SET paused_until = $3, slow_until = $4 WHERE organization_id = $1 AND connection_id = $2;

-- connection_bucket::READ
SELECT s.tokens, s.tokens_at, s.paused_until, s.slow_until, clock_timestamp() FROM connections c LEFT JOIN
    connection_states s ON s.organization_id = c.organization_id AND s.connection_id = c.id WHERE c.organization_id =
    $1 AND c.id = $2;
-- connection_bucket::READ (SQLite)
SELECT s.tokens, s.tokens_at, s.paused_until, s.slow_until, CAST(unixepoch('subsec') * 1000000 AS INTEGER) FROM
    connections c LEFT JOIN connection_states s ON s.organization_id = c.organization_id AND s.connection_id = c.id
    WHERE c.organization_id = $1 AND c.id = $2;

-- connection_bucket::TAKE
INSERT INTO connection_states (organization_id, connection_id, tokens, tokens_at) VALUES ($1, $2, $3, $4) ON CONFLICT
    (organization_id, connection_id) DO UPDATE SET tokens = excluded.tokens, tokens_at = excluded.tokens_at WHERE
    connection_states.tokens = $5 AND connection_states.tokens_at IS NOT DISTINCT FROM $6;

-- connection_inbox::BY_KEY
SELECT organization_id, id, connection_id, event_key, kind, object, object_id, unit, state, code, attempts,
    next_attempt_at, occurred_at, received_at, settled_at, body FROM connection_inbox WHERE organization_id = $1 AND
    connection_id = $2 AND event_key = $3;

-- connection_inbox::COUNT_FAILED
SELECT COUNT(*) FROM connection_inbox WHERE organization_id = $1 AND connection_id = $2 AND state = 'failed' AND unit
    IS NOT NULL;

-- connection_inbox::FORGET_BODIES
UPDATE connection_inbox SET body = NULL WHERE body IS NOT NULL AND (received_at < $2 OR (received_at < $1 AND
    settled_at < $1 AND state IN ('applied', 'unchanged')));

-- connection_inbox::FORGET_OBJECT
UPDATE connection_inbox SET body = NULL WHERE organization_id = $1 AND connection_id = $2 AND object_id = $3 AND body
    IS NOT NULL;

-- connection_inbox::FOUND
UPDATE connection_inbox SET next_attempt_at = $3 WHERE organization_id = $1 AND connection_id = $2 AND state =
    'waiting' AND code = 'missing_subscription' AND next_attempt_at > $3 AND next_attempt_at <= $4;

-- connection_inbox::HASTEN
UPDATE connection_inbox SET next_attempt_at = $3 WHERE organization_id = $1 AND connection_id = $2 AND state =
    'waiting' AND code IS NULL AND next_attempt_at > $3;

-- connection_inbox::LAST_RECEIVED
SELECT received_at FROM connection_inbox WHERE organization_id = $1 AND connection_id = $2 ORDER BY id DESC LIMIT 1;

-- connection_inbox::OF_OBJECT_SINCE
SELECT 1 FROM connection_inbox WHERE organization_id = $1 AND connection_id = $2 AND object_id = $3 AND received_at >=
    $4 LIMIT 1;

-- connection_inbox::OF_UNIT
SELECT organization_id, id, connection_id, event_key, kind, object, object_id, unit, state, code, attempts,
    next_attempt_at, occurred_at, received_at, settled_at, body FROM connection_inbox WHERE organization_id = $1 AND
    unit = $2 AND state = 'waiting' ORDER BY id LIMIT $3;

-- connection_inbox::PROBE
UPDATE connection_inbox SET next_attempt_at = $3 WHERE organization_id = $1 AND id = ( SELECT id FROM connection_inbox
    WHERE organization_id = $1 AND connection_id = $2 AND state = 'waiting' AND code IS NULL ORDER BY id LIMIT 1 ) AND
    next_attempt_at > $3;

-- connection_inbox::PROBES
SELECT s.organization_id, s.connection_id FROM connection_states AS s WHERE s.probe_at <= $1;

-- connection_inbox::REMOVE
DELETE FROM connection_inbox WHERE organization_id = $1 AND connection_id = $2;

-- connection_inbox::REPLACE_BODY
UPDATE connection_inbox SET body = $3 WHERE organization_id = $1 AND id = $2 AND body IS NOT NULL;

-- connection_inbox::RETRY
UPDATE connection_inbox SET state = 'waiting', code = NULL, next_attempt_at = $3, settled_at = NULL WHERE
    organization_id = $1 AND connection_id = $2 AND state = 'failed' AND unit IS NOT NULL;

-- connection_inbox::RETRY_ONE
UPDATE connection_inbox SET state = 'waiting', code = NULL, next_attempt_at = $3, settled_at = NULL WHERE
    organization_id = $1 AND connection_id = $2 AND event_key = $4 AND unit IS NOT NULL;

-- connection_inbox::SETTLE
UPDATE connection_inbox SET state = $3, code = $4, attempts = attempts + $5, next_attempt_at = $6, settled_at = $7
    WHERE organization_id = $1 AND id = $2 AND state = 'waiting';

-- connection_inbox::WAITING
SELECT COUNT(*), MIN(received_at) FROM (SELECT received_at FROM connection_inbox WHERE state = 'waiting' LIMIT 10000)
    AS counted;

-- connection_inbox::DUE_CONNECTIONS
SELECT s.tokens, s.tokens_at, s.paused_until, s.slow_until, clock_timestamp(), c.organization_id, c.id,
    c.requests_per_minute FROM connections AS c JOIN connection_states AS s ON s.organization_id = c.organization_id
    AND s.connection_id = c.id WHERE c.deleted_at IS NULL AND c.is_enabled AND (s.paused_until IS NULL OR
    s.paused_until <= $1) AND EXISTS ( SELECT 1 FROM connection_inbox AS i WHERE i.organization_id = c.organization_id
    AND i.connection_id = c.id AND i.state = 'waiting' AND i.next_attempt_at <= $1);
-- connection_inbox::DUE_CONNECTIONS (SQLite)
SELECT s.tokens, s.tokens_at, s.paused_until, s.slow_until, CAST(unixepoch('subsec') * 1000000 AS INTEGER),
    c.organization_id, c.id, c.requests_per_minute FROM connections AS c JOIN connection_states AS s ON
    s.organization_id = c.organization_id AND s.connection_id = c.id WHERE c.deleted_at IS NULL AND c.is_enabled AND
    (s.paused_until IS NULL OR s.paused_until <= $1) AND EXISTS ( SELECT 1 FROM connection_inbox AS i WHERE
    i.organization_id = c.organization_id AND i.connection_id = c.id AND i.state = 'waiting' AND i.next_attempt_at <=
    $1);

-- connection_inbox::DUE_UNITS
SELECT i.unit FROM connection_inbox AS i LEFT JOIN leases AS l ON l.organization_id = i.organization_id AND l.job =
    'connections' AND l.unit = i.unit WHERE i.organization_id = $1 AND i.connection_id = $2 AND i.state = 'waiting' AND
    i.next_attempt_at <= $3 AND (l.expires_at IS NULL OR l.expires_at <= clock_timestamp()) ORDER BY i.next_attempt_at
    LIMIT $4;
-- connection_inbox::DUE_UNITS (SQLite)
SELECT i.unit FROM connection_inbox AS i LEFT JOIN leases AS l ON l.organization_id = i.organization_id AND l.job =
    'connections' AND l.unit = i.unit WHERE i.organization_id = $1 AND i.connection_id = $2 AND i.state = 'waiting' AND
    i.next_attempt_at <= $3 AND (l.expires_at IS NULL OR l.expires_at <= CAST(unixepoch('subsec') * 1000000 AS
    INTEGER)) ORDER BY i.next_attempt_at LIMIT $4;

-- connection_collections::INTENTS
SELECT intent_id FROM connection_collections WHERE organization_id = $1 AND payment_id = $2 AND intent_id IS NOT NULL;

-- connection_links::ADD
INSERT INTO connection_links (organization_id, connection_id, object, external_id, record_id, digest, is_erased,
    seen_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (organization_id, connection_id,
    object, external_id) DO NOTHING;

-- connection_links::ERASE
UPDATE connection_links SET is_erased = $3, digest = $4 WHERE organization_id = $1 AND record_id = $2 AND object =
    'customer';

-- connection_links::OF_OBJECT
SELECT organization_id, connection_id, object, external_id, record_id, digest, is_erased, seen_at, created_at FROM
    connection_links WHERE organization_id = $1 AND connection_id = $2 AND object = $3 AND external_id = $4;

-- connection_links::OF_RECORD
SELECT organization_id, connection_id, object, external_id, record_id, digest, is_erased, seen_at, created_at FROM
    connection_links WHERE organization_id = $1 AND record_id = $2 ORDER BY connection_id, object, external_id;

-- connection_links::PUT
INSERT INTO connection_links (organization_id, connection_id, object, external_id, record_id, digest, is_erased,
    seen_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (organization_id, connection_id,
    object, external_id) DO UPDATE SET record_id = excluded.record_id, digest = excluded.digest, is_erased =
    excluded.is_erased, seen_at = excluded.seen_at;

-- connection_links::REMOVE
DELETE FROM connection_links WHERE organization_id = $1 AND connection_id = $2;

-- connection_states::FAILED
UPDATE connection_states SET failing_since = COALESCE(failing_since, $3), probe_at = $4 WHERE organization_id = $1 AND
    connection_id = $2;

-- connection_states::PAUSE
UPDATE connection_states SET paused_until = $3, slow_until = $4 WHERE organization_id = $1 AND connection_id = $2;

-- connection_states::REMOVE
DELETE FROM connection_states WHERE organization_id = $1 AND connection_id = $2;

-- connection_states::SUCCEEDED
UPDATE connection_states SET succeeded_at = $3, failing_since = NULL, probe_at = NULL WHERE organization_id = $1 AND
    connection_id = $2;

-- connections::ALL
SELECT organization_id, id, kind, name, mode, account, base_url, drift, collect, requests_per_minute,
    allow_private_addresses, allow_http, is_enabled, state, sealed_secrets, created_at, updated_at, revision FROM
    connections WHERE deleted_at IS NULL ORDER BY organization_id, id;

-- connections::DISABLE_COPIED
UPDATE connections SET is_enabled = $1, state = 'disabled', updated_at = $2 WHERE is_enabled AND deleted_at IS NULL;

-- connections::RESEAL
UPDATE connections SET sealed_secrets = $3 WHERE organization_id = $1 AND id = $2 AND sealed_secrets = $4;

-- connections::SWEPT
SELECT k.kind, MIN(COALESCE(s.swept_at, k.created_at)) FROM connections AS k LEFT JOIN connection_states AS s ON
    s.organization_id = k.organization_id AND s.connection_id = k.id WHERE k.is_enabled AND k.deleted_at IS NULL GROUP
    BY k.kind;

-- connections::SET_SECRETS
UPDATE connections SET sealed_secrets = $3 WHERE organization_id = $1 AND id = $2;

-- coupons::REDEEM
UPDATE coupons SET redemptions = redemptions + 1 WHERE organization_id = $1 AND id = $2 AND is_active AND (redeem_by IS
    NULL OR redeem_by >= $3) AND redemptions < COALESCE(max_redemptions, $4);

-- credit_notes::OF_CHANGES
SELECT organization_id, id, number, invoice_id, subscription_id, user_id, currency, settlement, source_invoice_id,
    content, issued_at, created_at, revision FROM credit_notes WHERE organization_id = $1 AND subscription_id = $2 AND
    invoice_id IS NULL ORDER BY id;

-- credits::ADD
UPDATE credit_balances SET amount = amount + $4 WHERE organization_id = $1 AND user_id = $2 AND currency = $3 AND
    amount + $4 BETWEEN 0 AND $5;

-- credits::BALANCES
SELECT currency, amount FROM credit_balances WHERE organization_id = $1 AND user_id = $2 ORDER BY currency;

-- credits::COMPUTE
INSERT INTO credit_balances (organization_id, user_id, currency, amount) SELECT organization_id, user_id, currency,
    CAST(SUM(amount) AS BIGINT) FROM credits WHERE TRUE GROUP BY organization_id, user_id, currency ON CONFLICT
    (organization_id, user_id, currency) DO UPDATE SET amount = excluded.amount;

-- credits::OPEN_BALANCE
INSERT INTO credit_balances (organization_id, user_id, currency, amount) VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING;

-- history::OF_BILLING_PROFILE
SELECT revision FROM billing_profiles WHERE organization_id = $1 AND user_id = $2;

-- history::OF_CONNECTION
SELECT revision FROM connections WHERE organization_id = $1 AND id = $2;

-- history::OF_COUPON
SELECT revision FROM coupons WHERE organization_id = $1 AND id = $2;

-- history::OF_CREDIT_NOTE
SELECT revision FROM credit_notes WHERE organization_id = $1 AND id = $2;

-- history::OF_INVOICE
SELECT revision FROM invoices WHERE organization_id = $1 AND id = $2;

-- history::OF_METER
SELECT revision FROM meters WHERE organization_id = $1 AND id = $2;

-- history::OF_TAX_RATE
SELECT revision FROM tax_rates WHERE organization_id = $1 AND id = $2;

-- invoices::ANY_DUE
SELECT 1 FROM invoices WHERE acts_at <= $1 AND deleted_at IS NULL ORDER BY acts_at LIMIT 1;

-- invoices::CLOSED_UNTIL
SELECT cycle_at FROM invoices WHERE organization_id = $1 AND subscription_id = $2 AND cycle_at IS NOT NULL AND
    issued_at <= $3 ORDER BY cycle_at DESC LIMIT 1;

-- invoices::DUE
SELECT organization_id, id, subscription_id, user_id, number, kind, status, currency, cycle_at, overdue, issued_at,
    due_at, acts_at, source_invoice_id, content, created_at, updated_at, revision FROM invoices WHERE organization_id =
    $1 AND acts_at <= $2 AND deleted_at IS NULL AND NOT (invoices.status = 'draft' AND ( SELECT 1 FROM subscriptions AS
    s WHERE s.organization_id = invoices.organization_id AND s.id = invoices.subscription_id AND s.billing LIKE
    '%"parked_at":%') IS NOT NULL) ORDER BY acts_at, id LIMIT $3;

-- invoices::DUE_OF
SELECT organization_id, id, subscription_id, user_id, number, kind, status, currency, cycle_at, overdue, issued_at,
    due_at, acts_at, source_invoice_id, content, created_at, updated_at, revision FROM invoices WHERE organization_id =
    $1 AND subscription_id = $2 AND acts_at <= $3 AND deleted_at IS NULL ORDER BY acts_at, id LIMIT $4;

-- invoices::NEXT_DUE
SELECT acts_at FROM invoices WHERE organization_id = $1 AND acts_at IS NOT NULL AND deleted_at IS NULL AND NOT
    (invoices.status = 'draft' AND ( SELECT 1 FROM subscriptions AS s WHERE s.organization_id =
    invoices.organization_id AND s.id = invoices.subscription_id AND s.billing LIKE '%"parked_at":%') IS NOT NULL)
    ORDER BY acts_at, id LIMIT 1;

-- invoices::NONE_OPEN
SELECT 1 WHERE NOT EXISTS ( SELECT 1 FROM invoices WHERE organization_id = $1 AND subscription_id = $2 AND status IN
    ('draft', 'open') AND deleted_at IS NULL);

-- invoices::NOT_A_SOURCE
SELECT 1 WHERE NOT EXISTS ( SELECT 1 FROM invoices WHERE organization_id = $1 AND subscription_id = $2 AND
    source_invoice_id = $3 AND status <> 'void' AND deleted_at IS NULL ) AND NOT EXISTS ( SELECT 1 FROM credit_notes
    WHERE organization_id = $1 AND subscription_id = $2 AND source_invoice_id = $3);

-- invoices::OF_SUBSCRIPTION
SELECT organization_id, id, subscription_id, user_id, number, kind, status, currency, cycle_at, overdue, issued_at,
    due_at, acts_at, source_invoice_id, content, created_at, updated_at, revision FROM invoices WHERE organization_id =
    $1 AND subscription_id = $2 AND deleted_at IS NULL ORDER BY id;

-- invoices::OPEN_OF_USER
SELECT organization_id, id, subscription_id, user_id, number, kind, status, currency, cycle_at, overdue, issued_at,
    due_at, acts_at, source_invoice_id, content, created_at, updated_at, revision FROM invoices WHERE organization_id =
    $1 AND user_id = $2 AND status IN ('draft', 'open') AND deleted_at IS NULL ORDER BY id;

-- meters::BY_SLUG
SELECT organization_id, id, slug, name, aggregation, unit, is_active, created_at, updated_at, revision FROM meters
    WHERE organization_id = $1 ORDER BY slug;

-- meters::CHARGED
SELECT 1 FROM plans WHERE organization_id = $1 AND deleted_at IS NULL AND billing LIKE $2 LIMIT 1;

-- number_series::ALL
SELECT series, next FROM number_series WHERE organization_id = $1 ORDER BY series;

-- number_series::DRAW
UPDATE number_series SET next = next + $4 WHERE organization_id = $1 AND series = $2 AND next = $3;

-- number_series::NEXT
SELECT next FROM number_series WHERE organization_id = $1 AND series = $2;

-- number_series::OPEN
INSERT INTO number_series (organization_id, series, next) VALUES ($1, $2, 1) ON CONFLICT DO NOTHING;

-- number_series::RAISE
UPDATE number_series SET next = $3 WHERE organization_id = $1 AND series = $2 AND next <= $3;

-- payments::PROCESSING
SELECT 1 FROM payments WHERE organization_id = $1 AND invoice_id = $2 AND status = 'processing' AND deleted_at IS NULL
    LIMIT 1;

-- payments::NONE_PROCESSING
SELECT 1 WHERE NOT EXISTS ( SELECT 1 FROM payments WHERE organization_id = $1 AND invoice_id = $2 AND status =
    'processing' AND deleted_at IS NULL);

-- subscriptions::MANAGED
SELECT COUNT(*) FROM subscriptions WHERE organization_id = $1 AND managed_by = $2 AND deleted_at IS NULL;

-- subscriptions::RELEASE
SELECT organization_id, id, user_id, plan_id, plan_version, external_id, quantity, billing_cycle, status, is_active,
    starts_at, renews_at, ends_at, due_at, billing, change_plan_id, entitlements, managed_by, created_at, updated_at,
    revision, usage_closed_until FROM subscriptions WHERE organization_id = $1 AND managed_by = $2 AND deleted_at IS
    NULL LIMIT $3;

-- tax_rates::ALL
SELECT organization_id, id, name, percentage, country, is_active, created_at, updated_at, revision FROM tax_rates WHERE
    organization_id = $1 ORDER BY id;

-- usage_events::NEXT_SUBSCRIPTION
SELECT subscription_id FROM usage_events WHERE organization_id = $1 AND subscription_id > $2 ORDER BY subscription_id
    LIMIT 1;

-- usage_events::OLD
SELECT event_id FROM usage_events WHERE organization_id = $1 AND subscription_id = $2 AND at < $3 ORDER BY at, event_id
    LIMIT $4;

-- usage_events::REMOVE_OLD
DELETE FROM usage_events WHERE organization_id = $1 AND subscription_id = $2 AND (at, event_id) IN ( SELECT at,
    event_id FROM usage_events WHERE organization_id = $1 AND subscription_id = $2 AND at < $3 ORDER BY at, event_id
    LIMIT $4 );

-- usage_events::WITHIN
SELECT at, event_id, meter_id, value, counted_key FROM usage_events WHERE organization_id = $1 AND subscription_id = $2
    AND (at, event_id) > ($3, $4) AND at < $5 ORDER BY at, event_id LIMIT $6;

-- usage_events::END_OF_PART
SELECT at, event_id FROM usage_events WHERE organization_id = $1 AND subscription_id = $2 AND (at, event_id) >= ($3,
    $4) AND at < $5 ORDER BY at, event_id LIMIT 1 OFFSET $6;

-- usage_events::SUMS
SELECT meter_id, COUNT(*), CAST(SUM(value / 1000000) AS BIGINT), CAST(SUM(value % 1000000) AS BIGINT), MAX(value) FROM
    usage_events WHERE organization_id = $1 AND subscription_id = $2 AND (at, event_id) >= ($3, $4) AND (at, event_id)
    < ($5, $6) GROUP BY meter_id;

-- usage_events::SUMS_OF_FIRST
SELECT meter_id, COUNT(*), CAST(SUM(value / 1000000) AS BIGINT), CAST(SUM(value % 1000000) AS BIGINT), MAX(value) FROM
    ( SELECT meter_id, value FROM usage_events WHERE organization_id = $1 AND subscription_id = $2 AND at >= $3 AND at
    < $4 ORDER BY at, event_id LIMIT $5 ) AS first GROUP BY meter_id;

-- features::AT_VERSION
SELECT f.organization_id, f.id, f.key, f.name, f.description, f.kind, f.combine, f.per_unit, f.meter_id, f.period,
    f.is_active, f.created_at, f.updated_at, f.revision, v.version FROM feature_versions AS v LEFT JOIN features AS f
    ON f.organization_id = $1 WHERE v.id = $1;

-- features::BY_KEY
SELECT organization_id, id, key, name, description, kind, combine, per_unit, meter_id, period, is_active, created_at,
    updated_at, revision FROM features WHERE organization_id = $1 ORDER BY key;

-- features::METER_UNUSED
SELECT 1 WHERE NOT EXISTS ( SELECT 1 FROM features WHERE organization_id = $1 AND meter_id = $2 AND is_active);

-- features::METER_WITHOUT_FEATURE
SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM features WHERE organization_id = $1 AND meter_id = $2);

-- features::UNDER_LIMIT
SELECT 1 WHERE (SELECT COUNT(*) FROM features WHERE organization_id = $1) < $2;

-- history::OF_FEATURE
SELECT revision FROM features WHERE organization_id = $1 AND id = $2;

-- subscription_members::MEMBERSHIPS
SELECT subscription_id FROM subscription_members WHERE organization_id = $1 AND user_id = $2 ORDER BY subscription_id
    DESC LIMIT $3;

-- usage_totals::OVERLAPPING
SELECT starts_at, ends_at, units, millionths FROM usage_totals WHERE organization_id = $1 AND subscription_id = $2 AND
    meter_id = $3 AND starts_at <= $5 AND ends_at > $4 ORDER BY starts_at, ends_at;

-- usage_totals::COUNT_OVERLAPPING
SELECT 1 FROM ( SELECT COUNT(*) AS totals FROM usage_totals WHERE organization_id = $1 AND subscription_id = $2 AND
    meter_id = $3 AND starts_at <= $5 AND ends_at > $4 ) AS counted WHERE totals = $6;

-- usage_totals::OPEN
INSERT INTO usage_totals (organization_id, subscription_id, meter_id, starts_at, ends_at, units, millionths) VALUES
    ($1, $2, $3, $4, $5, (SELECT CAST(COALESCE(SUM(value / 1000000), 0) + (COALESCE(SUM(value % 1000000), 0) -
    (COALESCE(SUM(value % 1000000), 0) % 1000000 + 1000000) % 1000000) / 1000000 AS BIGINT) FROM usage_events WHERE
    organization_id = $1 AND subscription_id = $2 AND meter_id = $3 AND at >= $4 AND at < $5), (SELECT
    CAST((COALESCE(SUM(value % 1000000), 0) % 1000000 + 1000000) % 1000000 AS BIGINT) FROM usage_events WHERE
    organization_id = $1 AND subscription_id = $2 AND meter_id = $3 AND at >= $4 AND at < $5)) ON CONFLICT DO NOTHING;

-- usage_totals::ADD
UPDATE usage_totals SET units = units + $6 + (millionths + $7) / 1000000, millionths = (millionths + $7) % 1000000
    WHERE organization_id = $1 AND subscription_id = $2 AND meter_id = $3 AND starts_at = $4 AND ends_at = $5 AND
    (units, millionths) >= ($8, $9) AND (units, millionths) < ($10, $11);

-- usage_totals::THRESHOLDS
SELECT threshold FROM usage_thresholds WHERE organization_id = $1 AND subscription_id = $2 AND feature_id = $3 AND
    starts_at = $4;

-- members::BELOW
SELECT 1 WHERE ( SELECT COUNT(*) FROM subscription_members WHERE organization_id = $1 AND subscription_id = $2) < $3;

-- members::COUNT
SELECT COUNT(*) FROM subscription_members WHERE organization_id = $1 AND subscription_id = $2;

-- members::COUNT_OF_USER_IS
SELECT 1 WHERE ( SELECT COUNT(*) FROM subscription_members WHERE organization_id = $1 AND user_id = $2) = $3;

-- members::OF_USER
SELECT organization_id, subscription_id, user_id, created_at FROM subscription_members WHERE organization_id = $1 AND
    user_id = $2 ORDER BY subscription_id;

-- members::REMOVE
DELETE FROM subscription_members WHERE organization_id = $1 AND subscription_id = $2 AND user_id = $3;

-- members::REMOVE_ALL
DELETE FROM subscription_members WHERE organization_id = $1 AND subscription_id = $2;

-- usage_totals::ANY_ENDED
SELECT 1 FROM usage_totals WHERE organization_id = $1 AND subscription_id = $2 AND ends_at < $3 LIMIT 1;

-- usage_totals::REMOVE_ALL
DELETE FROM usage_totals WHERE organization_id = $1 AND subscription_id = $2;

-- usage_totals::REMOVE_ENDED
DELETE FROM usage_totals WHERE organization_id = $1 AND subscription_id = $2 AND ends_at < $3;

-- operator_sessions::WITH_OPERATOR
SELECT s.organization_id, s.id, s.operator_id, s.method, s.signed_in_at, s.last_used_at, s.expires_at, s.ip_address,
    s.user_agent, s.ended_at, o.organization_id, o.id, o.name, o.role, o.issuer, o.subject, o.is_active,
    o.last_sign_in_at, o.created_at, o.updated_at, o.revision FROM operator_sessions AS s JOIN operators AS o ON
    o.organization_id = s.organization_id AND o.id = s.operator_id WHERE s.organization_id = $1 AND s.id = $2 AND
    o.deleted_at IS NULL;

-- payments::OWNER
SELECT s.user_id FROM payments AS p JOIN subscriptions AS s ON s.organization_id = p.organization_id AND s.id =
    p.subscription_id WHERE p.organization_id = $1 AND p.id = $2 AND p.deleted_at IS NULL;

-- sessions::WITH_USER
SELECT s.organization_id, s.id, s.user_id, s.client_id, s.generation, s.signed_in_at, s.rotated_at, s.graces,
    s.expires_at, s.last_used_at, s.ip_address, s.user_agent, s.revoked_at, u.organization_id, u.id, u.email, u.issuer,
    u.subject, u.auth_type, u.username, u.first_name, u.last_name, u.terms, u.notifications, u.session_epoch,
    u.blocked_at, u.created_at, u.updated_at, u.revision FROM sessions AS s JOIN users AS u ON u.organization_id =
    s.organization_id AND u.id = s.user_id WHERE s.organization_id = $1 AND s.id = $2 AND u.deleted_at IS NULL;

-- analytics_movements::LAST
SELECT currency, user_id, day, kind, amount, mrr, cohort FROM analytics_movements WHERE organization_id = $1 AND
    generation = $2 AND currency = $3 AND user_id BETWEEN $4 AND $4 ORDER BY user_id DESC, day DESC;

-- analytics_sums::PLAN
SELECT slug, name FROM plans WHERE organization_id = $1 AND id = $2;

-- analytics_subscriptions::PRICE
SELECT price, currency, billing_cycle FROM ( SELECT price, currency, billing_cycle FROM plan_versions WHERE
    organization_id = $1 AND plan_id = $2 AND version = $3 UNION ALL SELECT price, currency, billing_cycle FROM plans
    WHERE organization_id = $1 AND id = $2 AND version = $3 UNION ALL SELECT price, currency, billing_cycle FROM
    analytics_prices WHERE organization_id = $1 AND generation = $4 AND plan_id = $2 AND version = $3 ) AS versions;

-- clients::BY_CREDENTIAL
SELECT organization_id, id, name, kind, public_id, scopes, origins, cidrs, expires_at, disabled_at, created_at,
    updated_at, revision FROM clients WHERE credential_hash = $1;

-- operators::BY_IDENTITY
SELECT organization_id, id, name, role, issuer, subject, is_active, last_sign_in_at, created_at, updated_at, revision
    FROM operators WHERE issuer = $1 AND subject = $2 AND subject IS NOT NULL AND deleted_at IS NULL;

-- operator_sessions::BY_COOKIE
SELECT s.organization_id, s.id, s.operator_id, s.method, s.signed_in_at, s.last_used_at, s.expires_at, s.ip_address,
    s.user_agent, s.ended_at, o.organization_id, o.id, o.name, o.role, o.issuer, o.subject, o.is_active,
    o.last_sign_in_at, o.created_at, o.updated_at, o.revision FROM operator_sessions AS s JOIN operators AS o ON
    o.organization_id = s.organization_id AND o.id = s.operator_id WHERE s.cookie_hash = $1 AND o.deleted_at IS NULL;

-- portal_links::BY_LINK
SELECT organization_id, id, user_id, return_url, expires_at FROM portal_links WHERE link_hash = $1;

-- operator_links::BY_LINK
SELECT organization_id, id, operator_id, expires_at FROM operator_links WHERE link_hash = $1;

-- organizations::BY_NAME
SELECT id, name, currency, max_sessions, mode, billing, portal_name, portal_accent, portal_cancel, portal_resume,
    portal_change, portal_return_origins, created_at, updated_at, deleted_at, revision FROM organizations WHERE name =
    $1 AND deleted_at IS NULL;

-- credits::BALANCE
SELECT amount FROM credit_balances WHERE organization_id = $1 AND user_id = $2 AND currency = $3;

-- coupons::BY_CODE
SELECT organization_id, id, code, percent, amount, currency, duration, periods, plan_ids, redeem_by, max_redemptions,
    redemptions, is_active, created_at, updated_at, revision FROM coupons WHERE organization_id = $1 AND lower(code) =
    lower($2);

-- held::ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, (SELECT 1 FROM users AS u WHERE
    u.organization_id = $1 AND u.id = $2 AND u.deleted_at IS NULL) IS NOT NULL, (SELECT v.version FROM feature_versions
    AS v WHERE v.id = $1), CAST(NULL AS TIMESTAMPTZ), CAST(NULL AS UUID), CAST(NULL AS TIMESTAMPTZ), CAST(NULL AS
    TIMESTAMPTZ), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT) UNION ALL SELECT s.id, s.plan_id, s.quantity,
    s.billing_cycle, s.status, s.is_active, s.starts_at, s.renews_at, s.ends_at, s.billing, s.entitlements, (SELECT
    p.entitlements FROM plans AS p WHERE p.organization_id = $1 AND p.id = s.plan_id), FALSE, NULL, NULL, (SELECT e.at
    FROM usage_events AS e WHERE e.organization_id = $1 AND e.subscription_id = s.id ORDER BY e.at DESC LIMIT 1), NULL,
    NULL, NULL, NULL, NULL FROM (SELECT id, plan_id, quantity, billing_cycle, status, is_active, starts_at, renews_at,
    ends_at, billing, entitlements FROM subscriptions WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS
    NULL ORDER BY id DESC LIMIT 1001) AS s WHERE 1 = 1 UNION ALL SELECT s.id, s.plan_id, s.quantity, s.billing_cycle,
    s.status, s.is_active, s.starts_at, s.renews_at, s.ends_at, s.billing, s.entitlements, (SELECT p.entitlements FROM
    plans AS p WHERE p.organization_id = $1 AND p.id = s.plan_id), TRUE, NULL, NULL, (SELECT e.at FROM usage_events AS
    e WHERE e.organization_id = $1 AND e.subscription_id = s.id ORDER BY e.at DESC LIMIT 1), NULL, NULL, NULL, NULL,
    NULL FROM (SELECT subscription_id AS id FROM subscription_members WHERE organization_id = $1 AND user_id = $2 ORDER
    BY subscription_id DESC LIMIT 1001) AS joined CROSS JOIN subscriptions AS s WHERE s.organization_id = $1 AND s.id =
    joined.id AND s.deleted_at IS NULL AND s.user_id <> $2 AND 1 = 1 UNION ALL SELECT s.id, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, t.meter_id, t.starts_at, t.ends_at, t.units,
    t.millionths FROM (SELECT id FROM subscriptions WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL
    ORDER BY id DESC LIMIT 1001) AS s CROSS JOIN LATERAL ( SELECT meter_id, starts_at, ends_at, units, millionths FROM
    usage_totals WHERE organization_id = $1 AND subscription_id = s.id AND starts_at <= $3 AND ends_at > $3 OFFSET 0)
    AS t UNION ALL SELECT s.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, t.meter_id, t.starts_at, t.ends_at, t.units, t.millionths FROM (SELECT subscription_id AS id FROM
    subscription_members WHERE organization_id = $1 AND user_id = $2 ORDER BY subscription_id DESC LIMIT 1001) AS s
    CROSS JOIN LATERAL ( SELECT meter_id, starts_at, ends_at, units, millionths FROM usage_totals WHERE organization_id
    = $1 AND subscription_id = s.id AND starts_at <= $3 AND ends_at > $3 OFFSET 0) AS t;
-- held::ALL (SQLite)
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, (SELECT 1 FROM users AS u WHERE
    u.organization_id = $1 AND u.id = $2 AND u.deleted_at IS NULL) IS NOT NULL, (SELECT v.version FROM feature_versions
    AS v WHERE v.id = $1), CAST(NULL AS TIMESTAMPTZ), CAST(NULL AS UUID), CAST(NULL AS TIMESTAMPTZ), CAST(NULL AS
    TIMESTAMPTZ), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT) UNION ALL SELECT s.id, s.plan_id, s.quantity,
    s.billing_cycle, s.status, s.is_active, s.starts_at, s.renews_at, s.ends_at, s.billing, s.entitlements, (SELECT
    p.entitlements FROM plans AS p WHERE p.organization_id = $1 AND p.id = s.plan_id), FALSE, NULL, NULL, (SELECT e.at
    FROM usage_events AS e WHERE e.organization_id = $1 AND e.subscription_id = s.id ORDER BY e.at DESC LIMIT 1), NULL,
    NULL, NULL, NULL, NULL FROM (SELECT id, plan_id, quantity, billing_cycle, status, is_active, starts_at, renews_at,
    ends_at, billing, entitlements FROM subscriptions WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS
    NULL ORDER BY id DESC LIMIT 1001) AS s WHERE 1 = 1 UNION ALL SELECT s.id, s.plan_id, s.quantity, s.billing_cycle,
    s.status, s.is_active, s.starts_at, s.renews_at, s.ends_at, s.billing, s.entitlements, (SELECT p.entitlements FROM
    plans AS p WHERE p.organization_id = $1 AND p.id = s.plan_id), TRUE, NULL, NULL, (SELECT e.at FROM usage_events AS
    e WHERE e.organization_id = $1 AND e.subscription_id = s.id ORDER BY e.at DESC LIMIT 1), NULL, NULL, NULL, NULL,
    NULL FROM (SELECT subscription_id AS id FROM subscription_members WHERE organization_id = $1 AND user_id = $2 ORDER
    BY subscription_id DESC LIMIT 1001) AS joined CROSS JOIN subscriptions AS s WHERE s.organization_id = $1 AND s.id =
    joined.id AND s.deleted_at IS NULL AND s.user_id <> $2 AND 1 = 1 UNION ALL SELECT s.id, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, t.meter_id, t.starts_at, t.ends_at, t.units,
    t.millionths FROM (SELECT id FROM subscriptions WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL
    ORDER BY id DESC LIMIT 1001) AS s CROSS JOIN usage_totals AS t WHERE t.organization_id = $1 AND t.subscription_id =
    s.id AND t.starts_at <= $3 AND t.ends_at > $3 UNION ALL SELECT s.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, t.meter_id, t.starts_at, t.ends_at, t.units, t.millionths FROM
    (SELECT subscription_id AS id FROM subscription_members WHERE organization_id = $1 AND user_id = $2 ORDER BY
    subscription_id DESC LIMIT 1001) AS s CROSS JOIN usage_totals AS t WHERE t.organization_id = $1 AND
    t.subscription_id = s.id AND t.starts_at <= $3 AND t.ends_at > $3;

-- held::MAY_COUNT
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, (SELECT 1 FROM users AS u WHERE
    u.organization_id = $1 AND u.id = $2 AND u.deleted_at IS NULL) IS NOT NULL, (SELECT v.version FROM feature_versions
    AS v WHERE v.id = $1) UNION ALL SELECT s.id, s.plan_id, s.quantity, s.billing_cycle, s.status, s.is_active,
    s.starts_at, s.renews_at, s.ends_at, s.billing, s.entitlements, (SELECT p.entitlements FROM plans AS p WHERE
    p.organization_id = $1 AND p.id = s.plan_id), FALSE, NULL, NULL FROM (SELECT id, plan_id, quantity, billing_cycle,
    status, is_active, starts_at, renews_at, ends_at, billing, entitlements FROM subscriptions WHERE organization_id =
    $1 AND user_id = $2 AND deleted_at IS NULL ORDER BY id DESC LIMIT 1000) AS s WHERE s.is_active AND s.status <>
    'pending' AND s.status <> 'incomplete' AND s.status <> 'unpaid' AND s.status <> 'paused' AND s.status <> 'expired'
    AND (s.ends_at > $3 OR (s.ends_at IS NULL AND s.status <> 'cancelled')) UNION ALL SELECT s.id, s.plan_id,
    s.quantity, s.billing_cycle, s.status, s.is_active, s.starts_at, s.renews_at, s.ends_at, s.billing, s.entitlements,
    (SELECT p.entitlements FROM plans AS p WHERE p.organization_id = $1 AND p.id = s.plan_id), TRUE, NULL, NULL FROM
    (SELECT subscription_id AS id FROM subscription_members WHERE organization_id = $1 AND user_id = $2 ORDER BY
    subscription_id DESC LIMIT 1000) AS joined CROSS JOIN subscriptions AS s WHERE s.organization_id = $1 AND s.id =
    joined.id AND s.deleted_at IS NULL AND s.user_id <> $2 AND s.is_active AND s.status <> 'pending' AND s.status <>
    'incomplete' AND s.status <> 'unpaid' AND s.status <> 'paused' AND s.status <> 'expired' AND (s.ends_at > $3 OR
    (s.ends_at IS NULL AND s.status <> 'cancelled'));

-- held::MAY_COUNT_WITH_USAGE
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, (SELECT 1 FROM users AS u WHERE
    u.organization_id = $1 AND u.id = $2 AND u.deleted_at IS NULL) IS NOT NULL, (SELECT v.version FROM feature_versions
    AS v WHERE v.id = $1), CAST(NULL AS TIMESTAMPTZ), CAST(NULL AS UUID), CAST(NULL AS TIMESTAMPTZ), CAST(NULL AS
    TIMESTAMPTZ), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT) UNION ALL SELECT s.id, s.plan_id, s.quantity,
    s.billing_cycle, s.status, s.is_active, s.starts_at, s.renews_at, s.ends_at, s.billing, s.entitlements, (SELECT
    p.entitlements FROM plans AS p WHERE p.organization_id = $1 AND p.id = s.plan_id), FALSE, NULL, NULL, (SELECT e.at
    FROM usage_events AS e WHERE e.organization_id = $1 AND e.subscription_id = s.id ORDER BY e.at DESC LIMIT 1), NULL,
    NULL, NULL, NULL, NULL FROM (SELECT id, plan_id, quantity, billing_cycle, status, is_active, starts_at, renews_at,
    ends_at, billing, entitlements FROM subscriptions WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS
    NULL ORDER BY id DESC LIMIT 1000) AS s WHERE s.is_active AND s.status <> 'pending' AND s.status <> 'incomplete' AND
    s.status <> 'unpaid' AND s.status <> 'paused' AND s.status <> 'expired' AND (s.ends_at > $3 OR (s.ends_at IS NULL
    AND s.status <> 'cancelled')) UNION ALL SELECT s.id, s.plan_id, s.quantity, s.billing_cycle, s.status, s.is_active,
    s.starts_at, s.renews_at, s.ends_at, s.billing, s.entitlements, (SELECT p.entitlements FROM plans AS p WHERE
    p.organization_id = $1 AND p.id = s.plan_id), TRUE, NULL, NULL, (SELECT e.at FROM usage_events AS e WHERE
    e.organization_id = $1 AND e.subscription_id = s.id ORDER BY e.at DESC LIMIT 1), NULL, NULL, NULL, NULL, NULL FROM
    (SELECT subscription_id AS id FROM subscription_members WHERE organization_id = $1 AND user_id = $2 ORDER BY
    subscription_id DESC LIMIT 1000) AS joined CROSS JOIN subscriptions AS s WHERE s.organization_id = $1 AND s.id =
    joined.id AND s.deleted_at IS NULL AND s.user_id <> $2 AND s.is_active AND s.status <> 'pending' AND s.status <>
    'incomplete' AND s.status <> 'unpaid' AND s.status <> 'paused' AND s.status <> 'expired' AND (s.ends_at > $3 OR
    (s.ends_at IS NULL AND s.status <> 'cancelled')) UNION ALL SELECT s.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, t.meter_id, t.starts_at, t.ends_at, t.units, t.millionths FROM
    (SELECT id FROM subscriptions WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL ORDER BY id DESC
    LIMIT 1000) AS s CROSS JOIN LATERAL ( SELECT meter_id, starts_at, ends_at, units, millionths FROM usage_totals
    WHERE organization_id = $1 AND subscription_id = s.id AND starts_at <= $3 AND ends_at > $3 OFFSET 0) AS t UNION ALL
    SELECT s.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, t.meter_id,
    t.starts_at, t.ends_at, t.units, t.millionths FROM (SELECT subscription_id AS id FROM subscription_members WHERE
    organization_id = $1 AND user_id = $2 ORDER BY subscription_id DESC LIMIT 1000) AS s CROSS JOIN LATERAL ( SELECT
    meter_id, starts_at, ends_at, units, millionths FROM usage_totals WHERE organization_id = $1 AND subscription_id =
    s.id AND starts_at <= $3 AND ends_at > $3 OFFSET 0) AS t;
-- held::MAY_COUNT_WITH_USAGE (SQLite)
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, (SELECT 1 FROM users AS u WHERE
    u.organization_id = $1 AND u.id = $2 AND u.deleted_at IS NULL) IS NOT NULL, (SELECT v.version FROM feature_versions
    AS v WHERE v.id = $1), CAST(NULL AS TIMESTAMPTZ), CAST(NULL AS UUID), CAST(NULL AS TIMESTAMPTZ), CAST(NULL AS
    TIMESTAMPTZ), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT) UNION ALL SELECT s.id, s.plan_id, s.quantity,
    s.billing_cycle, s.status, s.is_active, s.starts_at, s.renews_at, s.ends_at, s.billing, s.entitlements, (SELECT
    p.entitlements FROM plans AS p WHERE p.organization_id = $1 AND p.id = s.plan_id), FALSE, NULL, NULL, (SELECT e.at
    FROM usage_events AS e WHERE e.organization_id = $1 AND e.subscription_id = s.id ORDER BY e.at DESC LIMIT 1), NULL,
    NULL, NULL, NULL, NULL FROM (SELECT id, plan_id, quantity, billing_cycle, status, is_active, starts_at, renews_at,
    ends_at, billing, entitlements FROM subscriptions WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS
    NULL ORDER BY id DESC LIMIT 1000) AS s WHERE s.is_active AND s.status <> 'pending' AND s.status <> 'incomplete' AND
    s.status <> 'unpaid' AND s.status <> 'paused' AND s.status <> 'expired' AND (s.ends_at > $3 OR (s.ends_at IS NULL
    AND s.status <> 'cancelled')) UNION ALL SELECT s.id, s.plan_id, s.quantity, s.billing_cycle, s.status, s.is_active,
    s.starts_at, s.renews_at, s.ends_at, s.billing, s.entitlements, (SELECT p.entitlements FROM plans AS p WHERE
    p.organization_id = $1 AND p.id = s.plan_id), TRUE, NULL, NULL, (SELECT e.at FROM usage_events AS e WHERE
    e.organization_id = $1 AND e.subscription_id = s.id ORDER BY e.at DESC LIMIT 1), NULL, NULL, NULL, NULL, NULL FROM
    (SELECT subscription_id AS id FROM subscription_members WHERE organization_id = $1 AND user_id = $2 ORDER BY
    subscription_id DESC LIMIT 1000) AS joined CROSS JOIN subscriptions AS s WHERE s.organization_id = $1 AND s.id =
    joined.id AND s.deleted_at IS NULL AND s.user_id <> $2 AND s.is_active AND s.status <> 'pending' AND s.status <>
    'incomplete' AND s.status <> 'unpaid' AND s.status <> 'paused' AND s.status <> 'expired' AND (s.ends_at > $3 OR
    (s.ends_at IS NULL AND s.status <> 'cancelled')) UNION ALL SELECT s.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, t.meter_id, t.starts_at, t.ends_at, t.units, t.millionths FROM
    (SELECT id FROM subscriptions WHERE organization_id = $1 AND user_id = $2 AND deleted_at IS NULL ORDER BY id DESC
    LIMIT 1000) AS s CROSS JOIN usage_totals AS t WHERE t.organization_id = $1 AND t.subscription_id = s.id AND
    t.starts_at <= $3 AND t.ends_at > $3 UNION ALL SELECT s.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, t.meter_id, t.starts_at, t.ends_at, t.units, t.millionths FROM (SELECT
    subscription_id AS id FROM subscription_members WHERE organization_id = $1 AND user_id = $2 ORDER BY
    subscription_id DESC LIMIT 1000) AS s CROSS JOIN usage_totals AS t WHERE t.organization_id = $1 AND
    t.subscription_id = s.id AND t.starts_at <= $3 AND t.ends_at > $3;

-- usage_events::STORED
SELECT at, event_id, meter_id, value, counted_key FROM usage_events WHERE organization_id = $1 AND subscription_id = $2
    AND event_id = $3;

-- usage_totals::USED
WITH total AS MATERIALIZED ( SELECT units, millionths FROM usage_totals WHERE organization_id = $1 AND subscription_id
    = $2 AND meter_id = $3 AND starts_at = $4 AND ends_at = $5) SELECT units, millionths FROM total UNION ALL SELECT
    CAST(COALESCE(SUM(value / 1000000), 0) AS BIGINT), CAST(COALESCE(SUM(value % 1000000), 0) AS BIGINT) FROM
    usage_events WHERE organization_id = $1 AND subscription_id = $2 AND meter_id = $3 AND at >= $4 AND at < $5 AND NOT
    EXISTS (SELECT 1 FROM total) HAVING NOT EXISTS (SELECT 1 FROM total);

-- users::BY_IDENTITY
SELECT organization_id, id, email, issuer, subject, auth_type, username, first_name, last_name, terms, notifications,
    session_epoch, blocked_at, created_at, updated_at, revision FROM users WHERE organization_id = $1 AND issuer = $2
    AND subject = $3 AND subject IS NOT NULL AND deleted_at IS NULL;

-- features::METER_ACTIVE
SELECT 1 FROM meters WHERE organization_id = $1 AND id = $2 AND revision = $3 AND is_active;

-- leases::HELD
SELECT 1 FROM leases WHERE organization_id = $1 AND job = $2 AND unit = $3 AND owner = $4;

-- operators::ACTIVE
SELECT 1 FROM operators WHERE organization_id = $1 AND id = $2 AND is_active = $3 AND deleted_at IS NULL;

-- operators::IN_ROLE
SELECT 1 FROM operators WHERE organization_id = $1 AND id = $2 AND role = $3 AND deleted_at IS NULL;

-- operator_sessions::OPEN
SELECT 1 FROM operator_sessions WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL;

-- plans::ACTIVE
SELECT 1 FROM plans WHERE organization_id = $1 AND id = $2 AND revision = $3 AND is_active AND deleted_at IS NULL;

-- sessions::UNCHANGED
SELECT 1 FROM sessions WHERE organization_id = $1 AND id = $2 AND generation = $3 AND graces = $4 AND revoked_at IS
    NULL;

-- sessions::LIVE
SELECT 1 FROM sessions WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL;

-- users::UNCHANGED
SELECT 1 FROM users WHERE organization_id = $1 AND id = $2 AND revision = $3 AND session_epoch = $4 AND deleted_at IS
    NULL;
