-- Invoices. What no statement searches by is one text.
CREATE TABLE invoices (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    subscription_id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    number TEXT,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    currency TEXT NOT NULL,
    cycle_at INTEGER,
    overdue INTEGER NOT NULL,
    issued_at INTEGER,
    due_at INTEGER,
    -- When the engine acts on it next.
    acts_at INTEGER,
    -- The invoice that its credit line reverses.
    source_invoice_id BLOB,
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

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
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    number TEXT NOT NULL,
    invoice_id BLOB,
    subscription_id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    currency TEXT NOT NULL,
    settlement TEXT NOT NULL,
    source_invoice_id BLOB,
    content TEXT NOT NULL,
    issued_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    revision BLOB NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE INDEX credit_notes_by_subscription ON credit_notes (organization_id, subscription_id, id);
CREATE INDEX credit_notes_by_user ON credit_notes (organization_id, user_id, id);
CREATE INDEX credit_notes_by_invoice ON credit_notes (organization_id, invoice_id, id) WHERE invoice_id IS NOT NULL;
CREATE UNIQUE INDEX credit_notes_by_number ON credit_notes (organization_id, number);

-- The counters of numbers: the next one of each series.
CREATE TABLE number_series (
    organization_id BLOB NOT NULL,
    series TEXT NOT NULL,
    next INTEGER NOT NULL,
    PRIMARY KEY (organization_id, series)
) STRICT;

-- The invoice that a payment pays, and what of the payment it used: the rest went to the balance.
ALTER TABLE payments ADD COLUMN invoice_id BLOB;
ALTER TABLE payments ADD COLUMN applied INTEGER;
ALTER TABLE payments ADD COLUMN surplus INTEGER;
-- The end of the last window whose usage is billed.
ALTER TABLE subscriptions ADD COLUMN usage_closed_until INTEGER;
-- The metered prices of a version.
ALTER TABLE plan_versions ADD COLUMN charges TEXT;
