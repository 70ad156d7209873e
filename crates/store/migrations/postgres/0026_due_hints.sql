-- Replaced by an index of each connection, so that one with many hints does not delay the others.
DROP INDEX connection_inbox_due;
