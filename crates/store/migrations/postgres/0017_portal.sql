-- The customer portal: its settings, and unused one-time links, of which only the hash is stored.
ALTER TABLE organizations ADD COLUMN portal_name TEXT COLLATE "C";
ALTER TABLE organizations ADD COLUMN portal_accent TEXT COLLATE "C" NOT NULL DEFAULT '#17734b';
ALTER TABLE organizations ADD COLUMN portal_cancel TEXT COLLATE "C" NOT NULL DEFAULT 'period_end';
ALTER TABLE organizations ADD COLUMN portal_resume BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE organizations ADD COLUMN portal_change TEXT COLLATE "C" NOT NULL DEFAULT 'off';
ALTER TABLE organizations ADD COLUMN portal_return_origins TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE TABLE portal_links (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    user_id UUID NOT NULL,
    link_hash BYTEA NOT NULL,
    return_url TEXT COLLATE "C",
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX portal_links_by_hash ON portal_links (link_hash);
CREATE INDEX portal_links_by_user ON portal_links (organization_id, user_id);
CREATE INDEX portal_links_by_expiry ON portal_links (organization_id, expires_at);
