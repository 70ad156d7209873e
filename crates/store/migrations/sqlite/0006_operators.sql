-- The operator who requested the change; null for clients and the command line.
ALTER TABLE events ADD COLUMN operator_id BLOB;
