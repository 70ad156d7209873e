//! A backup is of one moment, however much is written while it is made.

use perennial_store::{Change, Db, SqliteOptions, backup};
use tokio::runtime::Handle;

use crate::support::*;

/// Some megabytes, so that the copy takes several steps.
async fn filled(place: &Place) -> Db {
    let db = Db::open_sqlite(SqliteOptions::new(place.path())).await.unwrap();
    let note = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
         INSERT INTO journal SELECT randomblob(16), '{}' FROM n",
        "x".repeat(2000)
    );
    place.script(&note).await;
    db
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_during_a_backup_are_acknowledged_and_neither_in_it_nor_able_to_make_it_start_over() {
    let place = Place::sqlite().await;
    let db = filled(&place).await;
    db.commit(parent(1)).await.unwrap();
    let (store, file) = (place.path(), place.path().with_file_name("backup"));
    let (runtime, writer, target) = (Handle::current(), db.clone(), file.clone());
    let reports = tokio::task::spawn_blocking(move || {
        let mut reports = Vec::new();
        backup::create(&store, &target, |progress| {
            reports.push(progress);
            assert!(reports.len() < 100, "it starts over with every write");
            runtime.block_on(writer.commit(parent(100 + reports.len() as u64))).unwrap();
        })
        .unwrap();
        reports
    })
    .await
    .unwrap();
    assert!(reports.len() > 2, "several steps, each followed by a write: {reports:?}");
    assert!(reports.windows(2).all(|pair| pair[0].copied < pair[1].copied && pair[0].total == pair[1].total));
    assert!(reports.last().is_some_and(|last| last.copied == last.total));

    let written = i64::try_from(reports.len()).unwrap() + 1;
    assert_eq!(count(&db, "SELECT COUNT(*) FROM parents").await, written);
    let copy = Db::open_sqlite(SqliteOptions { exclusive: false, ..SqliteOptions::new(file) }).await.unwrap();
    assert_eq!(count(&copy, "SELECT COUNT(*) FROM parents").await, 1);
    assert_eq!(count(&copy, "SELECT COUNT(*) FROM journal").await, 3000);
    db.commit(Change::new()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_backups_to_one_name_do_not_meet() {
    let place = Place::sqlite().await;
    let _db = filled(&place).await;
    let (store, file) = (place.path(), place.path().with_file_name("backup"));
    let mut second = None;
    backup::create(&store, &file, |_| {
        let rejected = || backup::create(&store, &file, |_| ()).unwrap_err();
        second.get_or_insert_with(rejected);
    })
    .unwrap();
    assert!(matches!(second, Some(backup::BackupError::BeingWritten(_))), "{second:?}");
    let third = backup::create(&store, &file, |_| ()).unwrap_err();
    assert!(matches!(third, backup::BackupError::Exists(_)), "{third:?}");
}

#[tokio::test]
async fn a_database_of_something_else_is_no_backup() {
    let place = Place::sqlite().await;
    let file = place.path().with_file_name("backup");
    backup::create(&place.path(), &file, |_| ()).unwrap();
    let fault = backup::verify(&file).unwrap_err().to_string();
    assert!(fault.ends_with("it is not a backup of Perennial"), "{fault}");
}
