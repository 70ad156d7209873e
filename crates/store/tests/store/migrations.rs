//! The schema: applied once, by the first process that starts, and never on top of an unknown one.

use futures_util::future::join_all;
use perennial_store::{Db, Error, SqliteOptions};

use crate::support::*;

async fn empty_places() -> Vec<Place> {
    let mut places = vec![Place::empty_sqlite()];
    places.extend(Place::empty_postgres().await);
    places
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_servers_starting_at_once_migrate_once() {
    for place in empty_places().await {
        let servers = join_all((0..8).map(|_| place.open())).await;
        let migrations = servers.iter().cloned().map(|db| tokio::spawn(async move { db.migrate().await }));
        let mut applied = Vec::new();
        for outcome in join_all(migrations).await {
            let migrated = outcome.unwrap().unwrap();
            assert_eq!(migrated.version, count(&servers[0], "SELECT MAX(version) FROM schema_migrations").await);
            applied.extend(migrated.applied);
        }
        let recorded = count(&servers[0], "SELECT COUNT(*) FROM schema_migrations").await;
        assert_eq!(i64::try_from(applied.len()).unwrap(), recorded);
        applied.sort_unstable();
        assert_eq!(applied[0], "0001_foundation", "whichever server reports it");
        for db in servers {
            db.ping().await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_not_migrated_is_not_ready() {
    for place in empty_places().await {
        let db = place.open().await;
        assert!(matches!(db.ping().await, Err(Error::Migration(_))));
        db.migrate().await.unwrap();
        db.ping().await.unwrap();
        assert!(db.migrate().await.unwrap().applied.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_migration_is_refused() {
    for place in empty_places().await {
        let db = place.open().await;
        db.migrate().await.unwrap();
        place.script("UPDATE schema_migrations SET checksum = substr(checksum, 2)").await;
        let Err(Error::Migration(sentence)) = db.migrate().await else {
            panic!("the edit went unnoticed");
        };
        assert!(sentence.contains("0001_foundation") && sentence.contains("never be edited"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_schema_is_refused() {
    for place in empty_places().await {
        let db = place.open().await;
        db.migrate().await.unwrap();
        place
            .script("INSERT INTO schema_migrations (version, name, checksum, applied_at) SELECT 9000, 'later', checksum, applied_at FROM schema_migrations WHERE version = 1")
            .await;
        assert!(matches!(db.migrate().await, Err(Error::SchemaNewer { found: 9000, .. })));
        assert!(matches!(db.ping().await, Err(Error::SchemaNewer { found: 9000, .. })));
    }
}

#[tokio::test]
async fn a_failing_migration_leaves_nothing_behind() {
    let place = Place::empty_sqlite();
    place.script("CREATE TABLE payments (x)").await;
    let db = Db::open_sqlite(SqliteOptions::new(place.path())).await.unwrap();
    assert!(matches!(db.migrate().await, Err(Error::Migration(_))));
    let tables = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'";
    assert_eq!(count(&db, tables).await, 1);
}
