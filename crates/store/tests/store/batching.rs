//! Many changes in one transaction, and each as if it were alone.

use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::future::join_all;
use perennial_store::{Change, Db, Error, Insert, Type, Violation, Waiting};

use crate::support::*;

on_both_engines!(
    waiting_changes_share_transactions,
    a_miss_costs_its_neighbours_nothing,
    a_broken_statement_costs_its_neighbours_nothing,
    an_unknown_statement_costs_its_neighbours_nothing,
    a_row_that_a_unique_index_refuses_is_a_miss,
    the_first_missed_step_is_reported,
    of_equal_keys_one_is_taken,
    a_full_queue_refuses_at_once,
    a_queue_that_stands_still_refuses_at_once,
    a_change_nobody_waits_for_any_more_is_not_made,
    a_change_that_has_waited_for_too_long_is_not_made,
    closing_finishes_what_is_queued,
    background_changes_get_their_share_and_no_more,
);

async fn waiting_changes_share_transactions(place: Place) {
    let db = place.open().await;
    let changes = (0..500).map(|number| db.commit(child(Change::new(), number, 0)));
    for outcome in join_all(changes).await {
        outcome.unwrap();
    }
    let metrics = db.metrics();
    assert_eq!(count(&db, "SELECT COUNT(*) FROM children").await, 500);
    assert_eq!(count(&db, "SELECT COUNT(*) FROM journal").await, 500);
    assert_eq!(metrics.changes, 500);
    assert!(metrics.batches < 250, "{metrics:?}");
    assert_eq!((metrics.replays, metrics.queue_depth), (0, 0));
    assert_eq!(metrics.batch_sizes.iter().sum::<u64>(), metrics.batches);
}

/// Requests that arrive later are committed before most of the background work, and that is committed too.
async fn background_changes_get_their_share_and_no_more(place: Place) {
    let db = place.open().await;
    let background = |number| db.commit(child(Change::new().background(), number, 0));
    let request = |number| db.commit(child(Change::new(), number, 0));
    let last = std::sync::atomic::AtomicU64::new(0);
    let noted = |outcome| {
        last.store(db.metrics().batches, std::sync::atomic::Ordering::Relaxed);
        outcome
    };
    let background = async { noted(join_all((0..1000).map(background)).await) };
    let ((outcomes, first), requests) =
        tokio::join!(async { (background.await, last.load(std::sync::atomic::Ordering::Relaxed)) }, async {
            let outcomes = join_all((1000..1100).map(request)).await;
            (outcomes, db.metrics().batches)
        });
    assert!(outcomes.iter().chain(&requests.0).all(Result::is_ok));
    assert!(requests.1 + 10 < first, "requests after {} batches, background after {first}", requests.1);
    assert_eq!(count(&db, "SELECT COUNT(*) FROM children").await, 1100);
}

async fn a_miss_costs_its_neighbours_nothing(place: Place) {
    let db = place.open().await;
    for taken in [10, 20, 290] {
        db.commit(child(Change::new(), taken, 0)).await.unwrap();
    }
    let changes = (0..300).map(|number| db.commit(child(Change::new(), number, 1)));
    let outcomes = join_all(changes).await;
    for (number, outcome) in outcomes.into_iter().enumerate() {
        match number {
            10 | 20 | 290 => assert_eq!(outcome, Err(Error::Violated(Violation::Record))),
            _ => assert_eq!(outcome, Ok(()), "{number}"),
        }
    }
    assert_eq!(count(&db, "SELECT COUNT(*) FROM children").await, 300);
    assert_eq!(count(&db, "SELECT COUNT(*) FROM journal").await, 300);
    assert!(db.metrics().replays >= 1);
}

async fn a_broken_statement_costs_its_neighbours_nothing(place: Place) {
    let db = place.open().await;
    let changes = (0..100).map(|number| {
        let name = if number == 50 { "" } else { "child" };
        let params = vec![id(number).into(), id(0).into(), name.into()];
        db.commit(Change::new().insert(&CHILD, params, Violation::Record))
    });
    for (number, outcome) in join_all(changes).await.into_iter().enumerate() {
        match number {
            50 => assert!(matches!(outcome, Err(Error::Internal(_))), "{outcome:?}"),
            _ => assert_eq!(outcome, Ok(()), "{number}"),
        }
    }
    assert_eq!(count(&db, "SELECT COUNT(*) FROM children").await, 99);
}

async fn an_unknown_statement_costs_its_neighbours_nothing(place: Place) {
    static NOWHERE: Insert = Insert::new("nowhere", &[("id", Type::Uuid)], "");
    let db = place.open().await;
    let changes = (0..20).map(|number| match number {
        7 => db.commit(Change::new().insert(&NOWHERE, vec![id(7).into()], Violation::Record)),
        _ => db.commit(child(Change::new(), number, 0)),
    });
    for (number, outcome) in join_all(changes).await.into_iter().enumerate() {
        assert_eq!(outcome.is_ok(), number != 7, "{number}: {outcome:?}");
    }
    assert_eq!(count(&db, "SELECT COUNT(*) FROM children").await, 19);
}

async fn a_row_that_a_unique_index_refuses_is_a_miss(place: Place) {
    let db = place.open().await;
    db.commit(parent(3)).await.unwrap();
    // This insert has no conflict clause.
    let changes = (0..6).map(|number| db.commit(parent(number)));
    for (number, outcome) in join_all(changes).await.into_iter().enumerate() {
        let expected = if number == 3 { Err(Error::Violated(Violation::Record)) } else { Ok(()) };
        assert_eq!(outcome, expected, "{number}");
    }
    assert_eq!(db.commit(parent(3)).await, Err(Error::Violated(Violation::Record)));
    assert_eq!(count(&db, "SELECT COUNT(*) FROM parents").await, 6);
}

fn keyed(key: &str) -> Change {
    let params = vec![id(1).into(), id(2).into(), key.into()];
    Change::new().key(&KEY, params, Violation::Key)
}

async fn the_first_missed_step_is_reported(place: Place) {
    let db = place.open().await;
    db.commit(child(keyed("a"), 1, 0)).await.unwrap();
    // Everything about these is wrong: key, guard (no such parent) and row. Only the key is reported.
    let wrong = |key| child(keyed(key).guard(live(9, perennial_store::Lock::Share)), 1, 0);
    let others = (10..20).map(|number| db.commit(child(Change::new(), number, 0)));
    let (taken, no_parent, others) = tokio::join!(db.commit(wrong("a")), db.commit(wrong("b")), join_all(others));
    assert_eq!(taken, Err(Error::Violated(Violation::Key)));
    assert_eq!(no_parent, Err(Error::Violated(Violation::Plan)));
    assert!(others.iter().all(Result::is_ok));
    assert_eq!(count(&db, "SELECT COUNT(*) FROM keys").await, 1);
}

async fn of_equal_keys_one_is_taken(place: Place) {
    let db = place.open().await;
    let changes = (0..160).map(|number| {
        let key = format!("key {}", number % 10);
        db.commit(child(keyed(&key), number, 0))
    });
    let outcomes = join_all(changes).await;
    let taken = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(taken, 10);
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Ok(()) | Err(Error::Violated(Violation::Key)))));
    assert_eq!(count(&db, "SELECT COUNT(*) FROM children").await, 10);
    assert_eq!(count(&db, "SELECT COUNT(*) FROM journal").await, 10);
}

/// Holds up the writer until dropped.
enum Blocker {
    Sqlite(rusqlite::Connection),
    Postgres(tokio_postgres::Client),
}

impl Blocker {
    async fn new(place: &Place) -> Self {
        match place {
            Place::Sqlite(_) => {
                let connection = rusqlite::Connection::open(place.path()).unwrap();
                connection.execute_batch("BEGIN IMMEDIATE").unwrap();
                Self::Sqlite(connection)
            }
            Place::Postgres { .. } => {
                let client = connect(&place.url()).await;
                client.batch_execute("BEGIN; LOCK TABLE children").await.unwrap();
                Self::Postgres(client)
            }
        }
    }

    async fn release(self) {
        match self {
            Self::Sqlite(connection) => connection.execute_batch("ROLLBACK").unwrap(),
            Self::Postgres(client) => client.batch_execute("ROLLBACK").await.unwrap(),
        }
    }
}

fn spawn(db: &Db, number: u64) -> tokio::task::JoinHandle<Result<(), Error>> {
    let db = db.clone();
    tokio::spawn(async move { db.commit(child(Change::new(), number, 0)).await })
}

async fn a_full_queue_refuses_at_once(place: Place) {
    let db = place.open_with(Waiting { changes: 3, time: Duration::from_mins(1) }).await;
    let blocker = Blocker::new(&place).await;
    let first = spawn(&db, 0);
    until(async || db.metrics().batches == 1).await;
    let waiting = [spawn(&db, 1), spawn(&db, 2), spawn(&db, 3)];
    until(async || db.metrics().queue_depth == 3).await;
    assert_eq!(db.commit(child(Change::new(), 4, 0)).await, Err(Error::Overloaded));
    blocker.release().await;
    first.await.unwrap().unwrap();
    for change in waiting {
        change.await.unwrap().unwrap();
    }
    assert_eq!(count(&db, "SELECT COUNT(*) FROM children").await, 4);
}

async fn a_queue_that_stands_still_refuses_at_once(place: Place) {
    let db = place.open_with(Waiting { changes: 4096, time: Duration::from_millis(100) }).await;
    let blocker = Blocker::new(&place).await;
    let first = spawn(&db, 0);
    until(async || db.metrics().batches == 1).await;
    let waiting = spawn(&db, 1);
    until(async || db.metrics().queue_depth == 1).await;
    // Of the later ones some join the queue, until the oldest has waited for too long.
    let mut joined = Vec::new();
    loop {
        let mut change = Box::pin(db.commit(child(Change::new(), 2 + joined.len() as u64, 0)));
        if let Poll::Ready(outcome) = change.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            assert_eq!(outcome, Err(Error::Overloaded));
            break;
        }
        joined.push(change);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    blocker.release().await;
    first.await.unwrap().unwrap();
    waiting.await.unwrap().unwrap();
    let made = 2 + joined.len();
    assert!(join_all(joined).await.iter().all(Result::is_ok));
    // The writer works again and rejects nothing.
    db.commit(child(Change::new(), 1_000_000, 0)).await.unwrap();
    assert_eq!(count(&db, "SELECT COUNT(*) FROM children").await, i64::try_from(made).unwrap() + 1);
}

async fn a_change_nobody_waits_for_any_more_is_not_made(place: Place) {
    let db = place.open().await;
    let blocker = Blocker::new(&place).await;
    let first = spawn(&db, 0);
    until(async || db.metrics().batches == 1).await;
    let (cancelled, awaited) = (spawn(&db, 1), spawn(&db, 2));
    until(async || db.metrics().queue_depth == 2).await;
    cancelled.abort();
    assert!(cancelled.await.unwrap_err().is_cancelled());
    blocker.release().await;
    first.await.unwrap().unwrap();
    awaited.await.unwrap().unwrap();
    assert_eq!(count(&db, "SELECT COUNT(*) FROM children").await, 2);
}

async fn a_change_that_has_waited_for_too_long_is_not_made(place: Place) {
    // Long enough for a busy machine to queue the second change before the queue counts as stuck.
    let limit = Duration::from_secs(1);
    let db = place.open_with(Waiting { changes: 4096, time: limit }).await;
    let blocker = Blocker::new(&place).await;
    let first = spawn(&db, 0);
    until(async || db.metrics().batches == 1).await;
    let queued_at = std::time::Instant::now();
    let late = tokio::spawn({
        let db = db.clone();
        async move { db.commit(child(Change::new(), 1, 0).within(limit)).await }
    });
    until(async || db.metrics().queue_depth == 1 && queued_at.elapsed() > limit * 3 / 2).await;
    blocker.release().await;
    first.await.unwrap().unwrap();
    assert_eq!(late.await.unwrap(), Err(Error::Overloaded));
    assert_eq!(count(&db, "SELECT COUNT(*) FROM children").await, 1);
    db.commit(child(Change::new(), 2, 0).within(Duration::from_mins(1))).await.unwrap();
}

async fn closing_finishes_what_is_queued(place: Place) {
    let db = place.open().await;
    let blocker = Blocker::new(&place).await;
    let first = spawn(&db, 0);
    until(async || db.metrics().batches == 1).await;
    let changes: Vec<_> = (1..50).map(|number| spawn(&db, number)).collect();
    until(async || db.metrics().queue_depth == 49).await;
    let closing = tokio::spawn({
        let db = db.clone();
        async move { db.close().await }
    });
    tokio::task::yield_now().await;
    blocker.release().await;
    closing.await.unwrap();
    first.await.unwrap().unwrap();
    for change in changes {
        change.await.unwrap().unwrap();
    }
    let late = db.commit(child(Change::new(), 99, 0)).await;
    assert!(matches!(late, Err(Error::Unavailable(_))), "{late:?}");
    let again = place.open().await;
    assert_eq!(count(&again, "SELECT COUNT(*) FROM children").await, 50);
}
