-- URLs that receive an organization's events. The secrets are sealed.
CREATE TABLE webhook_endpoints (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    url TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    types TEXT COLLATE "C" NOT NULL,
    payload TEXT COLLATE "C" NOT NULL,
    signature TEXT COLLATE "C" NOT NULL,
    is_active BOOLEAN NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    disabled_reason TEXT COLLATE "C",
    disabled_at TIMESTAMPTZ,
    sealed_secrets BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deleted_at TIMESTAMPTZ,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, id)
);
