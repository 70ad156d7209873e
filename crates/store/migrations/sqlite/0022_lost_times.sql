-- The time that a restored or copied store has lost: charges of it may be missing here.
ALTER TABLE lifecycle_holds ADD COLUMN lost_since INTEGER;
ALTER TABLE lifecycle_holds ADD COLUMN lost_until INTEGER;

-- When the state of an earlier restore was is not known.
UPDATE lifecycle_holds SET lost_since = 0 WHERE reason IN ('restored', 'copied');
