-- Invoices. What no statement searches by is one text.
CREATE TABLE invoices (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    subscription_id UUID NOT NULL,
    user_id UUID NOT NULL,
    number TEXT COLLATE "C",
    kind TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    cycle_at TIMESTAMPTZ,
    overdue BOOLEAN NOT NULL,
    issued_at TIMESTAMPTZ,
    due_at TIMESTAMPTZ,
    -- When the engine acts on it next.
    acts_at TIMESTAMPTZ,
    -- The invoice that its credit line reverses.
    source_invoice_id UUID,
    content TEXT COLLATE "C" NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deleted_at TIMESTAMPTZ,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE INDEX invoices_by_subscription ON invoices (organization_id, subscription_id, id);
CREATE INDEX invoices_by_user ON invoices (organization_id, user_id, id);
CREATE UNIQUE INDEX invoices_by_number ON invoices (organization_id, number) WHERE number IS NOT NULL;
-- A period is billed once.
CREATE UNIQUE INDEX invoices_by_cycle ON invoices (organization_id, subscription_id, cycle_at)
    WHERE cycle_at IS NOT NULL AND status <> 'void' AND deleted_at IS NULL;
CREATE INDEX invoices_by_due ON invoices (organization_id, acts_at, id) WHERE acts_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX invoices_due ON invoices (acts_at, organization_id) WHERE acts_at IS NOT NULL AND deleted_at IS NULL;

-- Credit notes never change.
CREATE TABLE credit_notes (
    organization_id UUID NOT NULL,
    id UUID NOT NULL,
    number TEXT COLLATE "C" NOT NULL,
    invoice_id UUID,
    subscription_id UUID NOT NULL,
    user_id UUID NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    settlement TEXT COLLATE "C" NOT NULL,
    source_invoice_id UUID,
    content TEXT COLLATE "C" NOT NULL,
    issued_at TIMESTAMPTZ NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    revision UUID NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE INDEX credit_notes_by_subscription ON credit_notes (organization_id, subscription_id, id);
CREATE INDEX credit_notes_by_user ON credit_notes (organization_id, user_id, id);
CREATE INDEX credit_notes_by_invoice ON credit_notes (organization_id, invoice_id, id) WHERE invoice_id IS NOT NULL;
CREATE UNIQUE INDEX credit_notes_by_number ON credit_notes (organization_id, number);

-- The counters of numbers: the next one of each series.
CREATE TABLE number_series (
    organization_id UUID NOT NULL,
    series TEXT COLLATE "C" NOT NULL,
    next BIGINT NOT NULL,
    PRIMARY KEY (organization_id, series)
);

-- The invoice that a payment pays, and what of the payment it used: the rest went to the balance.
ALTER TABLE payments ADD COLUMN invoice_id UUID;
ALTER TABLE payments ADD COLUMN applied BIGINT;
ALTER TABLE payments ADD COLUMN surplus BIGINT;
-- The end of the last window whose usage is billed.
ALTER TABLE subscriptions ADD COLUMN usage_closed_until TIMESTAMPTZ;
-- The metered prices of a version.
ALTER TABLE plan_versions ADD COLUMN charges TEXT COLLATE "C";
