-- The same positions as before, found by two steps along the primary key instead of a join that SQLite stores first.
DROP TRIGGER events_enter_the_feed;

CREATE TRIGGER events_enter_the_feed AFTER INSERT ON events BEGIN
    INSERT INTO feed (organization_id, sequence, event_id, entered_at) VALUES (
        NEW.organization_id,
        1 + COALESCE((
            SELECT sequence FROM feed WHERE organization_id = NEW.organization_id ORDER BY sequence DESC LIMIT 1
        ), 0),
        NEW.id,
        MAX(CAST(unixepoch('subsec') * 1000000 AS INTEGER), COALESCE((
            SELECT entered_at FROM feed WHERE organization_id = NEW.organization_id ORDER BY sequence DESC LIMIT 1
        ), 0))
    );
END;
