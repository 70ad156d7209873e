-- The customer portal: its settings, and unused one-time links, of which only the hash is stored.
ALTER TABLE organizations ADD COLUMN portal_name TEXT;
ALTER TABLE organizations ADD COLUMN portal_accent TEXT NOT NULL DEFAULT '#17734b';
ALTER TABLE organizations ADD COLUMN portal_cancel TEXT NOT NULL DEFAULT 'period_end';
ALTER TABLE organizations ADD COLUMN portal_resume INTEGER NOT NULL DEFAULT 1;
ALTER TABLE organizations ADD COLUMN portal_change TEXT NOT NULL DEFAULT 'off';
ALTER TABLE organizations ADD COLUMN portal_return_origins TEXT NOT NULL DEFAULT '';

CREATE TABLE portal_links (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    link_hash BLOB NOT NULL,
    return_url TEXT,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;
CREATE UNIQUE INDEX portal_links_by_hash ON portal_links (link_hash);
CREATE INDEX portal_links_by_user ON portal_links (organization_id, user_id);
CREATE INDEX portal_links_by_expiry ON portal_links (organization_id, expires_at);
