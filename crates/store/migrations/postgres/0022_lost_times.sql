-- The time that a restored or copied store has lost: charges of it may be missing here.
ALTER TABLE lifecycle_holds ADD COLUMN lost_since TIMESTAMPTZ;
ALTER TABLE lifecycle_holds ADD COLUMN lost_until TIMESTAMPTZ;

-- When the state of an earlier restore was is not known.
UPDATE lifecycle_holds SET lost_since = TIMESTAMPTZ '1970-01-01 00:00:00+00' WHERE reason IN ('restored', 'copied');
