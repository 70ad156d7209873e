-- Each placement replaces the one row by one with the next ID. An updated row would leave a version per placement, and while a
-- long transaction holds back vacuum, every placement would read them all.
ALTER TABLE feed_head DROP CONSTRAINT feed_head_id_check;

-- Like the queue.
ALTER TABLE feed_head SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
