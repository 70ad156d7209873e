-- The revision of the record before the event, so that a record's history is a walk along the primary key.
ALTER TABLE events ADD COLUMN previous_id BLOB;

-- Session events are not revisions of their record.
UPDATE events SET previous_id = earlier.previous_id
FROM (
    SELECT organization_id, id, LAG(id) OVER (PARTITION BY organization_id, record_id ORDER BY id) AS previous_id
    FROM events
    WHERE kind NOT LIKE 'session.%'
) AS earlier
WHERE events.organization_id = earlier.organization_id AND events.id = earlier.id AND earlier.previous_id IS NOT NULL;

-- The feed: the events of an organization in the order in which they were committed. The newest row is never removed, so
-- that positions only increase.
CREATE TABLE feed (
    organization_id BLOB NOT NULL,
    sequence INTEGER NOT NULL,
    event_id BLOB NOT NULL,
    entered_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, sequence)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX feed_by_event ON feed (organization_id, event_id);

INSERT INTO feed (organization_id, sequence, event_id, entered_at)
SELECT organization_id, ROW_NUMBER() OVER (PARTITION BY organization_id ORDER BY id), id,
       MAX(at) OVER (PARTITION BY organization_id ORDER BY id)
FROM events;

-- The position is assigned in the transaction of the change, whichever program writes the event.
CREATE TRIGGER events_enter_the_feed AFTER INSERT ON events BEGIN
    INSERT INTO feed (organization_id, sequence, event_id, entered_at)
    SELECT NEW.organization_id, COALESCE(last.sequence, 0) + 1, NEW.id,
           MAX(CAST(unixepoch('subsec') * 1000000 AS INTEGER), COALESCE(last.entered_at, 0))
    FROM (SELECT 1) LEFT JOIN (
        SELECT sequence, entered_at FROM feed WHERE organization_id = NEW.organization_id ORDER BY sequence DESC LIMIT 1
    ) AS last;
END;
