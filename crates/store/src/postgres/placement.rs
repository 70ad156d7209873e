//! Placement: moves committed events from the queue into the feed.
//!
//! It is one autocommitted statement over committed rows, so it waits for no transaction. One placement runs at a time: the
//! row of `feed_head` is locked, and a placement that finds it locked does nothing. The last position is read from the
//! locked row and not from the statement's snapshot, which can be older than the placement before.
//!
//! Transactions are numbered by the database cluster. A dump that is restored into another cluster can have queued events of
//! transactions with higher numbers than that cluster has drawn. They were committed before everything that follows, so
//! they come first.

use std::sync::LazyLock;

use super::Postgres;
use crate::error::Error;
use crate::feed::Placed;

/// Only rows of transactions that the placement before could not see: rows that it removed stay in the index as long as any
/// snapshot can see them, and there can be millions.
pub(crate) static PLACE: LazyLock<String> = LazyLock::new(|| placement(""));

/// The whole queue. It is a separate statement: PostgreSQL would plan each execution for the value of a parameter.
pub(crate) static PLACE_ALL: LazyLock<String> = LazyLock::new(|| {
    placement(
        "
    UNION ALL
    SELECT q.transaction_id, q.place
    FROM head, feed_queue AS q WHERE q.transaction_id < pg_snapshot_xmax(head.placed)",
    )
});

fn placement(earlier: &str) -> String {
    format!(
        "
WITH head AS (
    SELECT sequence, placed, GREATEST(entered_at, clock_timestamp()) AS entered_at,
           pg_snapshot_xmax(pg_current_snapshot()) AS next_transaction
    FROM feed_head WHERE id = 1 FOR UPDATE SKIP LOCKED
), found AS (
    SELECT q.transaction_id, q.place
    FROM head, feed_queue AS q WHERE q.transaction_id >= pg_snapshot_xmax(head.placed)
    UNION ALL
    SELECT q.transaction_id, q.place
    FROM head, pg_snapshot_xip(head.placed) AS open (id), feed_queue AS q WHERE q.transaction_id = open.id{earlier}
), taken AS (
    DELETE FROM feed_queue AS q USING (SELECT DISTINCT transaction_id, place FROM found) AS f
    WHERE q.transaction_id = f.transaction_id AND q.place = f.place
    RETURNING q.transaction_id, q.place, q.organization_id, q.event_id
), entered AS (
    INSERT INTO feed (organization_id, sequence, event_id, entered_at)
    SELECT t.organization_id,
           h.sequence + ROW_NUMBER() OVER (
               ORDER BY t.transaction_id < h.next_transaction, t.transaction_id, t.place
           ),
           t.event_id, h.entered_at
    FROM taken AS t, head AS h
    RETURNING sequence
)
UPDATE feed_head SET
    sequence = head.sequence + (SELECT COUNT(*) FROM entered),
    entered_at = head.entered_at,
    placed = pg_current_snapshot()
FROM head WHERE feed_head.id = 1
RETURNING feed_head.sequence, (SELECT COUNT(*) FROM entered)"
    )
}

/// Whether a placement would find something. It locks nothing and writes nothing, so that an idle server does not either.
pub(crate) const UNPLACED: &str = "
SELECT 1 FROM feed_head AS head
WHERE head.id = 1 AND (
    EXISTS (SELECT 1 FROM feed_queue AS q WHERE q.transaction_id >= pg_snapshot_xmax(head.placed))
    OR EXISTS (
        SELECT 1 FROM pg_snapshot_xip(head.placed) AS open (id), feed_queue AS q WHERE q.transaction_id = open.id
    )
)";

impl Postgres {
    /// Whether there are committed events to place.
    pub(crate) async fn has_unplaced(&self) -> Result<bool, Error> {
        let rows = self.placer.query(UNPLACED, &[]).await.map_err(|failure| failure.error())?;
        Ok(!rows.is_empty())
    }

    /// Places the committed events, unless another placement is running.
    pub(crate) async fn place(&self, whole_queue: bool) -> Result<Option<Placed>, Error> {
        let statement = if whole_queue { &*PLACE_ALL } else { &*PLACE };
        let rows = self.placer.query(statement, &[]).await.map_err(|failure| failure.error())?;
        let Some(row) = rows.first() else { return Ok(None) };
        let number = |place: usize| {
            row.try_get::<_, i64>(place)
                .map_err(|error| Error::Internal(format!("a placement returned no number: {error}")))
        };
        Ok(Some(Placed { last: number(0)?, events: number(1)? }))
    }
}
