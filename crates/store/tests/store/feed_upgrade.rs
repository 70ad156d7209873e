//! The feed while the queue changes its form: programs before migration 28 write and place next to later ones, and every event
//! still gets exactly one position, in the order of commits.

use perennial_store::{Change, Db, events};
use tokio_postgres::Client;

use crate::feed::{event, read_on};
use crate::support::{Place, connect, count, run_script, until};

/// The placement of programs up to migration 27.
const EARLIER_PLACEMENT: &str = "
WITH head AS (
    SELECT ctid AS place, id, sequence, placed, GREATEST(entered_at, clock_timestamp()) AS entered_at,
           pg_snapshot_xmax(pg_current_snapshot()) AS next_transaction
    FROM feed_head WHERE id = (SELECT MAX(id) FROM feed_head) FOR UPDATE SKIP LOCKED
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
    RETURNING transaction_id, place, organization_id, event_id
), entered AS (
    INSERT INTO feed (organization_id, sequence, event_id, entered_at)
    SELECT t.organization_id,
           h.sequence + ROW_NUMBER() OVER (
               ORDER BY t.transaction_id < h.next_transaction, t.transaction_id, t.place
           ),
           t.event_id, h.entered_at
    FROM taken AS t, head AS h
    RETURNING sequence
), replaced AS (
    DELETE FROM feed_head WHERE ctid = ANY (ARRAY(SELECT place FROM head))
)
INSERT INTO feed_head (id, sequence, entered_at, placed)
SELECT id + 1, sequence + (SELECT COUNT(*) FROM entered), entered_at, pg_current_snapshot()
FROM head
RETURNING sequence, (SELECT COUNT(*) FROM entered)";

/// A store of an earlier program, and a connection for what its servers do.
async fn earlier() -> Option<(Place, Db, Client)> {
    let place = Place::empty_postgres().await?;
    let db = place.open_earlier(27).await;
    db.migrate().await.unwrap();
    let server = connect(&place.url()).await;
    Some((place, db, server))
}

async fn write(db: &Db, numbers: std::ops::Range<u64>) {
    let change = numbers.fold(Change::new(), |change, number| events::insert(change, &event(1, number)));
    db.commit(change).await.unwrap();
}

/// The events that an earlier program places; none if it finds nothing to lock.
async fn place_earlier(server: &Client) -> Option<i64> {
    server.query(EARLIER_PLACEMENT, &[]).await.unwrap().first().map(|row| row.get(1))
}

/// The positions and the events there.
async fn feed(db: &Db) -> Vec<(i64, String)> {
    let mut seen = Vec::new();
    read_on(db, &mut seen).await;
    seen.into_iter().map(|found| (found.sequence, found.event.after.unwrap())).collect()
}

fn first(events: u32) -> Vec<(i64, String)> {
    (0..events).map(|number| (i64::from(number) + 1, number.to_string())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_queued_before_the_migration_are_placed_before_those_after_it() {
    let Some((place, old, server)) = earlier().await else { return };
    write(&old, 0..2).await;
    assert_eq!(place_earlier(&server).await, Some(2));
    write(&old, 2..4).await;
    assert_eq!(count(&old, "SELECT COUNT(*) FROM feed_queue").await, 2, "a row for each event");
    let new = place.open().await;
    assert_eq!(new.migrate().await.unwrap().applied, ["0028_queue_of_statements"]);
    // An earlier server that continues to run writes rows of the new form, and places nothing.
    write(&old, 4..6).await;
    assert_eq!(count(&old, "SELECT COUNT(*) FROM feed_queue").await, 3);
    assert_eq!(place_earlier(&server).await, None);
    assert_eq!(count(&old, "SELECT COUNT(*) FROM feed_queue").await, 3);
    // A statement that waited for the migration still uses the function from before it.
    let late = "BEGIN; INSERT INTO events (organization_id, id, kind, record_id, at, after)
                SELECT organization_id, gen_random_uuid(), kind, record_id, at, '6' FROM events LIMIT 1;
                UPDATE feed_queue SET organization_ids = NULL, event_ids = NULL
                WHERE transaction_id = pg_current_xact_id(); COMMIT";
    run_script(&place.url(), late).await;
    write(&new, 7..9).await;
    assert!(new.has_unplaced_events().await.unwrap());
    assert_eq!(new.place_events().await.unwrap().unwrap().events, 7);
    assert_eq!(feed(&new).await, first(9));
    assert!(!new.has_unplaced_events().await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_migration_waits_for_a_placement_of_an_earlier_server() {
    let Some((place, old, server)) = earlier().await else { return };
    write(&old, 0..2).await;
    server.batch_execute("BEGIN").await.unwrap();
    assert_eq!(place_earlier(&server).await, Some(2));
    let new = place.open().await;
    let migrating = tokio::spawn({
        let new = new.clone();
        async move { new.migrate().await }
    });
    let observer = connect(&place.url()).await;
    let waits = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
    until(async || observer.query_one(waits, &[]).await.unwrap().get::<_, bool>(0)).await;
    server.batch_execute("COMMIT").await.unwrap();
    migrating.await.unwrap().unwrap();
    write(&old, 2..4).await;
    assert_eq!(place_earlier(&server).await, None);
    assert_eq!(new.place_events().await.unwrap().unwrap().events, 2);
    assert_eq!(feed(&new).await, first(4));
}
