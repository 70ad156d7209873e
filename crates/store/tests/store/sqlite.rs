//! The SQLite file: its lock, its permissions, and the length of its log.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use perennial_store::{Change, Db, Error, SqliteOptions};

use crate::support::*;

#[tokio::test]
async fn a_second_server_is_told_and_a_command_is_not() {
    let place = Place::sqlite().await;
    let server = Db::open_sqlite(SqliteOptions::new(place.path())).await.unwrap();
    let second = Db::open_sqlite(SqliteOptions::new(place.path())).await;
    assert!(matches!(second.err(), Some(Error::Locked(_))));

    let command = place.open().await;
    command.commit(parent(1)).await.unwrap();
    server.commit(parent(2)).await.unwrap();
    assert_eq!(count(&server, "SELECT COUNT(*) FROM parents").await, 2);

    server.close().await;
    let successor = Db::open_sqlite(SqliteOptions::new(place.path())).await.unwrap();
    assert_eq!(count(&successor, "SELECT COUNT(*) FROM parents").await, 2);
}

#[cfg(unix)]
#[tokio::test]
async fn the_files_are_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = Place::empty_sqlite();
    let db = Db::open_sqlite(SqliteOptions::new(place.path())).await.unwrap();
    db.migrate().await.unwrap();
    let directory = place.path().parent().unwrap().to_owned();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&directory), 0o700);
    let names: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(names.len() >= 4, "{names:?}");
    for path in names {
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_stays_short_under_constant_load() {
    let place = Place::sqlite().await;
    let limit = 1 << 20;
    let options = SqliteOptions { wal_limit_bytes: limit, waiting: patient(), ..SqliteOptions::new(place.path()) };
    let db = Db::open_sqlite(options).await.unwrap();
    let mut longest = 0;
    for round in 0..60 {
        let changes = (0..200).map(|number| db.commit(child(Change::new(), round * 200 + number, 0)));
        assert!(join_all(changes).await.iter().all(Result::is_ok));
        let log = place.path().with_extension("db-wal");
        longest = longest.max(std::fs::metadata(log).unwrap().len());
    }
    assert!(longest < 4 * limit, "{longest} bytes");
    assert_eq!(count(&db, "SELECT COUNT(*) FROM children").await, 12_000);
    db.close().await;
    let left = std::fs::metadata(place.path().with_extension("db-wal")).map_or(0, |log| log.len());
    assert_eq!(left, 0);
}

/// Each commit writes more than the writer copies without a noticeable pause, so that it never finds so little left.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_starts_over_before_its_limit_however_much_a_commit_writes() {
    const MEBIBYTE: u64 = 1 << 20;
    let place = Place::sqlite().await;
    let limit = 512 * MEBIBYTE;
    let options = SqliteOptions { wal_limit_bytes: limit, ..SqliteOptions::new(place.path()) };
    let db = Db::open_sqlite(options).await.unwrap();
    let other = rusqlite::Connection::open(place.path()).unwrap();
    let mut longest = 0;
    for number in 0..limit / MEBIBYTE / 2 {
        let notes = (0..4).map(|part| vec![id(4 * number + part).into(), "x".repeat(1 << 18).into()]);
        db.commit(notes.fold(Change::new(), |change, note| change.event(&JOURNAL, note))).await.unwrap();
        let pages = other.query_row("PRAGMA wal_checkpoint(NOOP)", (), |row| row.get::<_, i64>(1)).unwrap();
        if pages < longest {
            return;
        }
        longest = pages;
    }
    panic!("the log has {longest} pages");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_do_not_wait_for_the_writer() {
    let place = Place::sqlite().await;
    let db = place.open().await;
    db.commit(parent(1)).await.unwrap();
    let blocker = rusqlite::Connection::open(place.path()).unwrap();
    blocker.execute_batch("BEGIN IMMEDIATE; DELETE FROM parents").unwrap();
    let read = count(&db, "SELECT COUNT(*) FROM parents");
    assert_eq!(tokio::time::timeout(Duration::from_secs(1), read).await.unwrap(), 1);
}

#[tokio::test]
async fn a_writer_that_is_kept_out_says_so_and_recovers() {
    let place = Place::sqlite().await;
    let options = SqliteOptions { busy_timeout: Duration::from_millis(50), ..SqliteOptions::new(place.path()) };
    let db = Db::open_sqlite(options).await.unwrap();
    let blocker = rusqlite::Connection::open(place.path()).unwrap();
    blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(matches!(db.commit(parent(1)).await, Err(Error::Unavailable(_))));
    blocker.execute_batch("ROLLBACK").unwrap();
    db.commit(parent(1)).await.unwrap();
    let failed = tokio::time::timeout(Duration::from_millis(10), db.failed()).await;
    assert!(failed.is_err(), "a busy moment is not the end");
}

#[tokio::test]
async fn a_broken_file_ends_the_writer_and_says_so() {
    let place = Place::sqlite().await;
    let open = || Db::open_sqlite(SqliteOptions::new(place.path()));
    let db = open().await.unwrap();
    db.commit(parent(1)).await.unwrap();
    db.close().await;

    // Page 1 names the tables; everything after it is torn.
    let mut bytes = std::fs::read(place.path()).unwrap();
    bytes[4096..].fill(0xff);
    std::fs::write(place.path(), bytes).unwrap();

    let db = open().await.unwrap();
    assert!(matches!(db.commit(parent(2)).await, Err(Error::Unavailable(_))));
    let reason = tokio::time::timeout(Duration::from_secs(5), db.failed()).await.unwrap();
    assert!(reason.contains("malformed"), "{reason}");
    assert!(matches!(db.commit(parent(3)).await, Err(Error::Unavailable(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_sees_what_was_acknowledged_before_it_whoever_wrote_it() {
    let place = Place::sqlite().await;
    let server = Db::open_sqlite(SqliteOptions::new(place.path())).await.unwrap();
    let command = place.open().await;
    for number in 0..100 {
        let writer = if number % 2 == 0 { &server } else { &command };
        // Reads that find nothing new stay in their snapshot: one is open when the next row is written.
        for _ in 0..5 {
            assert_eq!(count(&server, "SELECT COUNT(*) FROM parents").await, number);
        }
        writer.commit(parent(u64::try_from(number).unwrap())).await.unwrap();
    }
    assert_eq!(count(&server, "SELECT COUNT(*) FROM parents").await, 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_beside_the_writer_never_go_back_in_time() {
    let place = Place::sqlite().await;
    let db = Arc::new(Db::open_sqlite(SqliteOptions::new(place.path())).await.unwrap());
    db.commit(parent(1)).await.unwrap();
    let acknowledged = Arc::new(AtomicI64::new(0));
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let (db, acknowledged) = (db.clone(), acknowledged.clone());
            tokio::spawn(async move {
                loop {
                    let least = acknowledged.load(Ordering::Acquire);
                    let found = count(&db, "SELECT n FROM parents").await;
                    assert!(found >= least, "{found} after {least} was acknowledged");
                    if least == 1_000 {
                        return;
                    }
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for number in 1..=1_000 {
        db.commit(increment(Change::new(), 1)).await.unwrap();
        acknowledged.store(number, Ordering::Release);
    }
    for reader in readers {
        reader.await.unwrap();
    }
}

#[tokio::test]
async fn an_idle_reader_does_not_keep_the_log_from_starting_over() {
    let place = Place::sqlite().await;
    let options = SqliteOptions { wal_limit_bytes: 1 << 18, ..SqliteOptions::new(place.path()) };
    let db = Db::open_sqlite(options).await.unwrap();
    for _ in 0..3 {
        count(&db, "SELECT COUNT(*) FROM children").await;
    }
    for round in 0..30 {
        let changes = (0..100).map(|number| db.commit(child(Change::new(), round * 100 + number, 0)));
        assert!(join_all(changes).await.iter().all(Result::is_ok));
    }
    let log = std::fs::metadata(place.path().with_extension("db-wal")).unwrap().len();
    assert!(log < 1 << 20, "{log} bytes");
}

/// A writer must not wait for readers that wait for its next commit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_in_a_snapshot_do_not_hold_up_the_writer_that_starts_the_log_over() {
    let place = Place::sqlite().await;
    let options = SqliteOptions { wal_limit_bytes: 1 << 16, ..SqliteOptions::new(place.path()) };
    let db = Arc::new(Db::open_sqlite(options).await.unwrap());
    let callers = (0..8).map(|caller| {
        let db = Arc::clone(&db);
        tokio::spawn(async move {
            for number in 0..100 {
                // Twice: who finds nothing new stays in the snapshot.
                count(&db, "SELECT COUNT(*) FROM children").await;
                count(&db, "SELECT COUNT(*) FROM children").await;
                db.commit(child(Change::new(), caller * 100 + number, 0)).await.unwrap();
            }
        })
    });
    for caller in join_all(callers).await {
        caller.unwrap();
    }
    let log = std::fs::metadata(place.path().with_extension("db-wal")).unwrap().len();
    assert!(log < 1 << 20, "{log} bytes");
}
