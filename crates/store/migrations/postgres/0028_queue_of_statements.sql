-- A row of the queue has all events of a statement, instead of one row for each event. The first event is in the columns
-- that there were before.

-- Locked first, as a placement does: one that runs now ends before its row is moved.
LOCK TABLE feed_head IN EXCLUSIVE MODE;

ALTER TABLE feed_queue ADD COLUMN organization_ids UUID[], ADD COLUMN event_ids UUID[];

-- IDs do not become shorter when they are compressed.
ALTER TABLE feed_queue ALTER event_ids SET STORAGE EXTERNAL;

-- A placement of an earlier program would lose all events of a row but the first. It finds no row of feed_head to lock, and
-- does nothing.
CREATE TABLE feed_end (
    id BIGINT NOT NULL PRIMARY KEY,
    sequence BIGINT NOT NULL,
    entered_at TIMESTAMPTZ NOT NULL,
    placed PG_SNAPSHOT NOT NULL
);

-- Like the queue.
ALTER TABLE feed_end SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

INSERT INTO feed_end (id, sequence, entered_at, placed)
SELECT id, sequence, entered_at, placed FROM feed_head WHERE id = (SELECT MAX(id) FROM feed_head);

DELETE FROM feed_head;

-- Without GROUP BY, the arrays are in the order in which the events were written.
CREATE OR REPLACE FUNCTION queue_events_for_feed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO feed_queue (organization_id, event_id, organization_ids, event_ids)
    SELECT organizations[1], events[1], organizations, events
    FROM (SELECT ARRAY_AGG(organization_id) AS organizations, ARRAY_AGG(id) AS events FROM written) AS together
    WHERE events IS NOT NULL;
    RETURN NULL;
END
$$;
