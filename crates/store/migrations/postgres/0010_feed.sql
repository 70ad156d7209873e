-- The revision of the record before the event, so that a record's history is a walk along the primary key.
ALTER TABLE events ADD COLUMN previous_id UUID;

-- Session events are not revisions of their record.
UPDATE events SET previous_id = earlier.previous_id
FROM (
    SELECT organization_id, id, LAG(id) OVER (PARTITION BY organization_id, record_id ORDER BY id) AS previous_id
    FROM events
    WHERE kind NOT LIKE 'session.%'
) AS earlier
WHERE events.organization_id = earlier.organization_id AND events.id = earlier.id AND earlier.previous_id IS NOT NULL;

-- The feed: the events of an organization in the order in which they were committed. The newest row is never removed.
CREATE TABLE feed (
    organization_id UUID NOT NULL,
    sequence BIGINT NOT NULL,
    event_id UUID NOT NULL,
    entered_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, sequence)
);

CREATE UNIQUE INDEX feed_by_event ON feed (organization_id, event_id);

-- Committed events without a position. A transaction's number is drawn when it first writes, which is after all decisions
-- in it: a change that was decided after another one was committed has a higher number.
CREATE TABLE feed_queue (
    transaction_id XID8 NOT NULL DEFAULT pg_current_xact_id(),
    place BIGINT GENERATED ALWAYS AS IDENTITY,
    organization_id UUID NOT NULL,
    event_id UUID NOT NULL,
    PRIMARY KEY (transaction_id, place)
);

-- Rows live for milliseconds: vacuum often, so that the table stays small.
ALTER TABLE feed_queue SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- One row, locked by the one placement that runs at a time. The snapshot is that of the last placement: transactions that
-- it contains have no rows left in the queue, and their dead rows are not read again.
CREATE TABLE feed_head (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    sequence BIGINT NOT NULL,
    entered_at TIMESTAMPTZ NOT NULL,
    placed PG_SNAPSHOT NOT NULL
);

INSERT INTO feed (organization_id, sequence, event_id, entered_at)
SELECT organization_id, ROW_NUMBER() OVER (ORDER BY id), id, MAX(at) OVER (ORDER BY id)
FROM events;

INSERT INTO feed_head (id, sequence, entered_at, placed)
SELECT 1, COALESCE(MAX(sequence), 0), COALESCE(MAX(entered_at), now()), pg_current_snapshot()
FROM feed;

-- Whichever program writes an event, of this version or an earlier one, the event enters the queue with it.
CREATE FUNCTION queue_events_for_feed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO feed_queue (organization_id, event_id) SELECT organization_id, id FROM written;
    RETURN NULL;
END
$$;

CREATE TRIGGER events_enter_the_feed AFTER INSERT ON events
REFERENCING NEW TABLE AS written
FOR EACH STATEMENT EXECUTE FUNCTION queue_events_for_feed();
