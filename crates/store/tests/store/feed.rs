//! The feed: every committed event has exactly one position, a reader by position misses nothing, and nothing appears behind
//! it, whichever transactions are open.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId};
use perennial_domain::time::Time;
use perennial_store::feed::{self, FeedEvent, Filter};
use perennial_store::tables::EVENTS;
use perennial_store::{Change, Db, Sql, events, webhook_figures};

use crate::support::{Place, connect, count, run_script};

const WRITERS: u8 = 8;
const CHANGES: u64 = 60;

pub(super) fn organization() -> OrganizationId {
    OrganizationId::from_bytes([1; 16])
}

/// The event of a writer's n-th change, whose ID depends on the writer's wrong clock.
pub(super) fn event(writer: u8, number: u64) -> Event {
    let skew = i64::from(writer) * 3_600_000_000;
    let at = Time::from_micros(1_800_000_000_000_000 + skew + i64::try_from(number).unwrap()).unwrap();
    Event {
        id: EventId::new(at, number << 8 | u64::from(writer)),
        organization_id: organization(),
        kind: EventKind::PlanUpdated,
        record_id: [writer; 16],
        client_id: None,
        operator_id: None,
        request_id: None,
        at,
        previous_id: None,
        before: None,
        after: Some(number.to_string()),
    }
}

async fn places() -> Vec<(Place, Db)> {
    let mut places = vec![Place::empty_sqlite()];
    places.extend(Place::empty_postgres().await);
    let mut opened = Vec::new();
    for place in places {
        let db = place.open().await;
        db.migrate().await.unwrap();
        opened.push((place, db));
    }
    opened
}

/// Reads on from a position, and adds what it finds.
pub(super) async fn read_on(db: &Db, seen: &mut Vec<FeedEvent>) {
    loop {
        let after = seen.last().map_or(0, |event| event.sequence);
        let page = feed::page(db, organization(), (after, i64::MAX), &Filter::default(), 50).await.unwrap();
        if page.is_empty() {
            return;
        }
        seen.extend(page);
    }
}

/// Writes changes of two events each, one after the other.
async fn write(db: &Db, writer: u8) {
    for number in 0..CHANGES {
        let change = events::insert(Change::new(), &event(writer, 2 * number));
        db.commit(events::insert(change, &event(writer, 2 * number + 1))).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_by_position_sees_every_event_once_and_in_order() {
    for (place, db) in places().await {
        let stop = Arc::new(AtomicBool::new(false));
        let reader = tokio::spawn({
            let (db, stop) = (db.clone(), Arc::clone(&stop));
            async move {
                let mut seen = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    db.place_events().await.unwrap();
                    read_on(&db, &mut seen).await;
                }
                db.place_events().await.unwrap();
                read_on(&db, &mut seen).await;
                seen
            }
        });
        let mut writers = Vec::new();
        for writer in 0..WRITERS {
            // A connection apart for each, as on several servers.
            let db = place.open().await;
            writers.push(tokio::spawn(async move { write(&db, writer).await }));
        }
        // Another server places too.
        let other = place.open().await;
        while writers.iter().any(|writer| !writer.is_finished()) {
            other.place_events().await.unwrap();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        for writer in writers {
            writer.await.unwrap();
        }
        stop.store(true, Ordering::Relaxed);
        let seen = reader.await.unwrap();

        assert_eq!(seen.len() as u64, 2 * CHANGES * u64::from(WRITERS));
        assert!(seen.is_sorted_by(|one, next| one.sequence < next.sequence));
        let mut numbers: HashMap<[u8; 16], Vec<u64>> = HashMap::new();
        for FeedEvent { event, .. } in &seen {
            numbers.entry(event.record_id).or_default().push(event.after.as_ref().unwrap().parse().unwrap());
        }
        for numbers in numbers.values() {
            assert!(numbers.iter().copied().eq(0..2 * CHANGES), "events of a record are in the order of its revisions");
        }
        for pair in seen.chunks(2) {
            assert_eq!(pair[0].event.record_id, pair[1].event.record_id, "events of a change are adjacent");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_order_is_that_of_the_commits_whatever_the_clocks_of_their_writers_show() {
    for (_place, db) in places().await {
        // The clock of writer 3 is hours ahead, and all of them enter the feed together.
        let written = [3, 1, 2, 3, 2, 1].map(|writer| event(writer, u64::from(writer) * 10));
        let written: Vec<Event> = written
            .into_iter()
            .zip(0_u64..)
            .map(|(change, number)| Event { id: EventId::new(change.at, number << 8), ..change })
            .collect();
        for change in &written {
            db.commit(events::insert(Change::new(), change)).await.unwrap();
        }
        db.place_events().await.unwrap();
        let mut seen = Vec::new();
        read_on(&db, &mut seen).await;
        assert_eq!(seen.into_iter().map(|found| found.event).collect::<Vec<_>>(), written);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_transaction_delays_no_events_but_its_own() {
    let Some(place) = Place::empty_postgres().await else { return };
    let db = place.open().await;
    db.migrate().await.unwrap();
    let importing = connect(&place.url()).await;
    let late = "INSERT INTO events (organization_id, id, kind, record_id, at)
                VALUES ('01010101-0101-0101-0101-010101010101', gen_random_uuid(), 'plan.created', gen_random_uuid(), now())";
    importing.batch_execute(&format!("BEGIN; {late}")).await.unwrap();
    let mut seen = Vec::new();
    for number in 0..3 {
        db.commit(events::insert(Change::new(), &event(1, number))).await.unwrap();
        assert_eq!(db.place_events().await.unwrap().unwrap().events, 1);
        assert!(!db.has_unplaced_events().await.unwrap(), "those of the open transaction are not committed");
        read_on(&db, &mut seen).await;
        assert_eq!(seen.len() as u64, number + 1);
    }
    importing.batch_execute("COMMIT").await.unwrap();
    assert!(db.has_unplaced_events().await.unwrap());
    assert_eq!(db.place_events().await.unwrap().unwrap().events, 1);
    read_on(&db, &mut seen).await;
    assert_eq!((seen.len(), seen[3].event.kind), (4, EventKind::PlanCreated));
    assert!(seen.is_sorted_by(|one, next| one.sequence < next.sequence));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_events_of_a_statement_are_one_row_of_the_queue_and_keep_their_order() {
    // PostgreSQL stores the IDs of so many events outside of the row.
    const EVENTS: u64 = 1_000;
    let Some(place) = Place::empty_postgres().await else { return };
    let db = place.open().await;
    db.migrate().await.unwrap();
    let other = OrganizationId::from_bytes([2; 16]);
    // IDs in another order than the events, and every third event of another organization.
    let number = |place: u64| (place * 7_919) % EVENTS;
    let is_other = |place: &u64| place.is_multiple_of(3);
    let change = (0..EVENTS).fold(Change::new(), |change, place| {
        let event = event(1, number(place));
        let organization_id = if is_other(&place) { other } else { event.organization_id };
        events::insert(change, &Event { organization_id, ..event })
    });
    db.commit(change).await.unwrap();
    assert_eq!(count(&db, "SELECT COUNT(*) FROM feed_queue").await, 1);
    assert_eq!(webhook_figures::read(&db).await.unwrap().unplaced, EVENTS);
    assert!(db.has_unplaced_events().await.unwrap());
    assert_eq!(db.place_events().await.unwrap().unwrap().events, i64::try_from(EVENTS).unwrap());
    assert_eq!(webhook_figures::read(&db).await.unwrap().unplaced, 0);
    for organization in [organization(), other] {
        let page = feed::page(&db, organization, (0, i64::MAX), &Filter::default(), 2_000).await.unwrap();
        let expected = (0..EVENTS).filter(|place| is_other(place) == (organization == other));
        let expected: Vec<_> = expected.map(|place| (i64::try_from(place + 1).unwrap(), number(place))).collect();
        let number = |found: &FeedEvent| found.event.after.as_ref().unwrap().parse().unwrap();
        assert_eq!(page.iter().map(|found| (found.sequence, number(found))).collect::<Vec<_>>(), expected);
    }
    // A statement without events leaves no row.
    run_script(&place.url(), "INSERT INTO events SELECT * FROM events WHERE FALSE").await;
    assert!(!db.has_unplaced_events().await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_placement_reads_no_rows_of_earlier_ones_while_a_transaction_keeps_them() {
    const EARLIER: u64 = 5_000;
    const PLACEMENTS: u64 = 500;
    let Some(place) = Place::empty_postgres().await else { return };
    let db = place.open().await;
    db.migrate().await.unwrap();
    // PostgreSQL knows the tables as small ones, which it prefers to scan.
    db.commit(events::insert(Change::new(), &event(1, 0))).await.unwrap();
    run_script(&place.url(), "ANALYZE feed_queue, feed_end").await;
    let dump = connect(&place.url()).await;
    let open = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id(); SELECT COUNT(*) FROM feed";
    dump.batch_execute(open).await.unwrap();
    let earlier = (1..EARLIER).fold(Change::new(), |change, number| events::insert(change, &event(1, number)));
    db.commit(earlier).await.unwrap();
    assert_eq!(db.place_events().await.unwrap().unwrap().events, i64::try_from(EARLIER).unwrap());
    db.close().await;
    let before = pages_read(&place.url(), 0).await;
    let db = place.open().await;
    for number in 0..PLACEMENTS {
        db.commit(events::insert(Change::new(), &event(2, number))).await.unwrap();
        assert_eq!(db.place_events().await.unwrap().unwrap().events, 1);
    }
    db.close().await;
    let read = pages_read(&place.url(), before).await - before;
    let per_placement = read / i64::try_from(PLACEMENTS).unwrap();
    assert!(per_placement < 60, "{per_placement} pages are read for a placement");
}

/// Pages of the tables of placements that were read since the store was created, as soon as there are more than so many: a
/// session reports them when it ends.
async fn pages_read(url: &str, more_than: i64) -> i64 {
    let sum = "SELECT COALESCE(SUM(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read
             + COALESCE(toast_blks_hit + toast_blks_read + tidx_blks_hit + tidx_blks_read, 0)), 0)::bigint
         FROM pg_statio_user_tables WHERE relname IN ('feed_queue', 'feed_end')";
    let client = connect(url).await;
    loop {
        let read = client.query_one(sum, &[]).await.unwrap().get::<_, i64>(0);
        if read > more_than {
            return read;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_a_restored_database_are_placed_although_its_transactions_have_lower_numbers() {
    let Some(place) = Place::empty_postgres().await else { return };
    let db = place.open().await;
    db.migrate().await.unwrap();
    run_script(&place.url(), "UPDATE feed_end SET placed = '900000000:900000000:'").await;
    db.commit(events::insert(Change::new(), &event(1, 1))).await.unwrap();
    assert!(db.has_unplaced_events().await.unwrap());
    assert_eq!(db.place_events().await.unwrap().unwrap().events, 1);
    db.commit(events::insert(Change::new(), &event(1, 2))).await.unwrap();
    assert_eq!(db.place_events().await.unwrap().unwrap().events, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_that_were_restored_unplaced_come_before_those_that_were_written_since() {
    let Some(place) = Place::empty_postgres().await else { return };
    let db = place.open().await;
    db.migrate().await.unwrap();
    // A dump under load, restored into another cluster: its transactions have higher numbers than any here.
    db.commit(events::insert(Change::new(), &event(1, 1))).await.unwrap();
    run_script(&place.url(), "UPDATE feed_queue SET transaction_id = '900000000'").await;
    run_script(&place.url(), "UPDATE feed_end SET placed = '899999999:899999999:'").await;
    // A command writes before the first server has placed them.
    db.commit(events::insert(Change::new(), &event(1, 2))).await.unwrap();
    assert_eq!(db.place_events().await.unwrap().unwrap().events, 2);
    let mut seen = Vec::new();
    read_on(&db, &mut seen).await;
    assert_eq!(seen.iter().map(|found| found.event.clone()).collect::<Vec<_>>(), [1, 2].map(|n| event(1, n)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_have_the_events_that_match_and_say_what_they_examined() {
    for (_place, db) in places().await {
        for writer in 1..=3 {
            for number in 0..4 {
                db.commit(events::insert(Change::new(), &event(writer, number))).await.unwrap();
            }
        }
        db.place_events().await.unwrap();
        let filter =
            Filter { record_id: Some([2; 16]), kinds: vec!["plan.created", "plan.updated"], ..Filter::default() };
        let page = feed::page(&db, organization(), (0, i64::MAX), &filter, 3).await.unwrap();
        assert_eq!(page.iter().map(|found| found.event.clone()).collect::<Vec<_>>(), [0, 1, 2].map(|n| event(2, n)));
        let none = Filter { kinds: vec!["plan.created"], ..Filter::default() };
        assert!(feed::page(&db, organization(), (0, i64::MAX), &none, 3).await.unwrap().is_empty());
        let examined = feed::examined(&db, organization(), page[0].sequence, feed::EXAMINED).await.unwrap();
        assert_eq!((examined.count, examined.last.unwrap().event_id), (7, event(3, 3).id));
        let newest = feed::newest(&db, organization()).await.unwrap().unwrap();
        assert_eq!(examined.last, Some(newest.0));
        assert_eq!(feed::at(&db, organization(), newest.0.sequence).await.unwrap(), Some(newest.0.event_id));
        assert_eq!(feed::examined(&db, organization(), newest.0.sequence, 9).await.unwrap().count, 0);
        // Every event entered before the year 3000, and none before 1970.
        let far = Time::parse("3000-01-01T00:00:00Z").unwrap();
        assert_eq!(feed::last_before(&db, organization(), far).await.unwrap(), Some(newest.0));
        assert_eq!(feed::last_before(&db, organization(), Time::from_micros(0).unwrap()).await.unwrap(), None);
        let before = feed::last_before(&db, organization(), newest.1).await.unwrap();
        assert!(before.is_none_or(|position| position.sequence < newest.0.sequence));
        // An event has the first microsecond of its millisecond on SQLite, and may have entered at any of them.
        let later = feed::last_before(&db, organization(), newest.1.plus_micros(999)).await.unwrap();
        assert_eq!(later == Some(newest.0), db.is_shared());
    }
}

static STORED: Sql = Sql::new("SELECT before FROM events ORDER BY id");

#[tokio::test]
async fn of_the_record_before_an_update_only_what_differs_is_stored() {
    let (before, after) = (r#"{"id":"a","name":"old","rest":[1,2]}"#, r#"{"id":"a","name":"new","rest":[1,2]}"#);
    for (_place, db) in places().await {
        let update = Event { before: Some(before.to_owned()), after: Some(after.to_owned()), ..event(1, 1) };
        let delete = Event { before: Some(before.to_owned()), after: None, ..event(1, 2) };
        db.commit(events::insert(events::insert(Change::new(), &update), &delete)).await.unwrap();
        for event in [update, delete] {
            let found = events::by_id(&db, organization(), event.id).await.unwrap().unwrap();
            assert_eq!((found.before, found.after), (event.before, event.after));
        }
        let rows = EVENTS.page(&mut db.snapshot().await.unwrap(), None, 10).await.unwrap();
        assert!(rows.iter().all(|row| row[row.len() - 2] == before.into()), "a transfer has the whole record");
        let stored = db.all(&STORED, &[], |row| row.text(0)).await.unwrap();
        assert_eq!(stored, [r#"{"~":{"name":"old"}}"#, before]);
    }
}
