//! Placement: moves committed events from the queue into the feed.
//!
//! It is one statement over committed rows, so it waits for no transaction. One placement runs at a time: the newest row of
//! `feed_end` is locked, and a placement that finds it locked or removed does nothing. Each placement replaces that row, so
//! that the last position is that of the placement before, also if the statement's snapshot is older.
//!
//! Rows that a placement removes stay in the tables and their indexes as long as any snapshot can see them, and there can be
//! millions. So a placement reads only rows that the one before could not see, along indexes, at any size of the tables.
//!
//! A row of the queue has all events of a statement. A transaction that wrote while the schema was migrated can leave rows of
//! one event each, without arrays.
//!
//! Transactions are numbered by the database cluster. A dump that is restored into another cluster can have queued events of
//! transactions with higher numbers than that cluster has drawn. They were committed before everything that follows, so
//! they come first.

use super::Postgres;
use crate::error::Error;
use crate::feed::Placed;

/// PostgreSQL would scan a table that was small when it was analyzed, and read every removed row of it. For the same reason
/// the statements compare with values and do not join.
const ALONG_INDEXES: &str = "BEGIN; SET LOCAL enable_seqscan = off";

pub(crate) const PLACE: &str = "
WITH head AS (
    SELECT ctid AS place, id, sequence, placed, GREATEST(entered_at, clock_timestamp()) AS entered_at,
           pg_snapshot_xmax(pg_current_snapshot()) AS next_transaction
    FROM feed_end WHERE id = (SELECT MAX(id) FROM feed_end) FOR UPDATE SKIP LOCKED
), found AS (
    SELECT ctid AS place FROM feed_queue WHERE transaction_id >= (SELECT pg_snapshot_xmax(placed) FROM head)
    UNION
    SELECT ctid FROM feed_queue WHERE transaction_id = ANY (ARRAY(SELECT pg_snapshot_xip(placed) FROM head))
    UNION
    -- Restored into another cluster: new transactions have lower numbers than the last placement expects.
    SELECT ctid FROM feed_queue
    WHERE (SELECT pg_snapshot_xmax(placed) > next_transaction FROM head)
        AND transaction_id < (SELECT pg_snapshot_xmax(placed) FROM head)
), taken AS (
    DELETE FROM feed_queue WHERE ctid = ANY (ARRAY(SELECT place FROM found))
    RETURNING transaction_id, place, COALESCE(organization_ids, ARRAY[organization_id]) AS organization_ids,
              COALESCE(event_ids, ARRAY[event_id]) AS event_ids
), ordered AS (
    SELECT t.organization_ids, t.event_ids, h.entered_at,
           h.sequence - CARDINALITY(t.event_ids) + SUM(CARDINALITY(t.event_ids)) OVER (
               ORDER BY t.transaction_id < h.next_transaction, t.transaction_id, t.place
           ) AS sequence
    FROM taken AS t, head AS h
), entered AS (
    INSERT INTO feed (organization_id, sequence, event_id, entered_at)
    SELECT e.organization_id, o.sequence + e.position, e.event_id, o.entered_at
    FROM ordered AS o, UNNEST(o.organization_ids, o.event_ids) WITH ORDINALITY AS e (organization_id, event_id, position)
), replaced AS (
    DELETE FROM feed_end WHERE ctid = ANY (ARRAY(SELECT place FROM head))
), counted AS (
    SELECT COALESCE(SUM(CARDINALITY(event_ids)), 0) AS events FROM taken
)
INSERT INTO feed_end (id, sequence, entered_at, placed)
SELECT id + 1, sequence + events, entered_at, pg_current_snapshot()
FROM head, counted
RETURNING sequence, (SELECT events FROM counted)";

/// Whether a placement would find something. It locks nothing and writes nothing, so that an idle server does not either.
pub(crate) const UNPLACED: &str = "
WITH head AS (
    SELECT placed FROM feed_end WHERE id = (SELECT MAX(id) FROM feed_end)
)
SELECT 1 WHERE
    EXISTS (SELECT 1 FROM feed_queue WHERE transaction_id >= (SELECT pg_snapshot_xmax(placed) FROM head))
    OR EXISTS (SELECT 1 FROM feed_queue WHERE transaction_id = ANY (ARRAY(SELECT pg_snapshot_xip(placed) FROM head)))
    OR (
        (SELECT pg_snapshot_xmax(placed) > pg_snapshot_xmax(pg_current_snapshot()) FROM head)
        AND EXISTS (SELECT 1 FROM feed_queue)
    )";

impl Postgres {
    /// Whether there are committed events to place.
    pub(crate) async fn has_unplaced(&self) -> Result<bool, Error> {
        let rows = self.placer.query_within(ALONG_INDEXES, UNPLACED).await.map_err(|failure| failure.error())?;
        Ok(!rows.is_empty())
    }

    /// Places the committed events, unless another placement is running.
    pub(crate) async fn place(&self) -> Result<Option<Placed>, Error> {
        let rows = self.placer.query_within(ALONG_INDEXES, PLACE).await.map_err(|failure| failure.error())?;
        let Some(row) = rows.first() else { return Ok(None) };
        let number = |place: usize| {
            row.try_get::<_, i64>(place)
                .map_err(|error| Error::Internal(format!("a placement returned no number: {error}")))
        };
        Ok(Some(Placed { last: number(0)?, events: number(1)? }))
    }
}
