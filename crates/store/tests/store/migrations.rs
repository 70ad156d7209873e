//! The schema: applied once, by the first process that starts, and never on top of an unknown one.

use futures_util::future::join_all;
use perennial_store::{Change, Db, Error, Sql, SqliteOptions};

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

/// A plan and a subscription as program 5 writes them.
static ROWS: [Sql; 2] = [
    Sql::split(
        "INSERT INTO plans (organization_id, id, slug, name, variants, price, currency, billing_cycle, description,
             node_quota, features, most_popular, tier, is_active, created_at, updated_at, revision)
         VALUES (x'00', x'01', 'pro', 'Pro', '', 1, 'USD', 'monthly', '', 0, '', 0, 0, 1, 0, 0, x'09')",
        "INSERT INTO plans (organization_id, id, slug, name, variants, price, currency, billing_cycle, description,
             node_quota, features, most_popular, tier, is_active, created_at, updated_at, revision)
         SELECT id, id, 'pro', 'Pro', '', 1, 'USD', 'monthly', '', 0, '', FALSE, 0, TRUE, now(), now(), id
         FROM gen_random_uuid() AS id",
    ),
    Sql::split(
        "INSERT INTO subscriptions (organization_id, id, user_id, plan_id, billing_cycle, status, is_active, starts_at,
             created_at, updated_at, revision)
         VALUES (x'00', x'02', x'03', x'01', 'monthly', 'active', 1, 0, 0, 0, x'09')",
        "INSERT INTO subscriptions (organization_id, id, user_id, plan_id, billing_cycle, status, is_active, starts_at,
             created_at, updated_at, revision)
         SELECT id, id, id, id, 'monthly', 'active', TRUE, now(), now(), now(), id FROM gen_random_uuid() AS id",
    ),
];

/// The older program still runs during an upgrade, so its rows arrive before the migrations and after them.
#[tokio::test(flavor = "multi_thread")]
async fn rows_of_an_earlier_program_are_of_quantity_and_version_one() {
    for place in empty_places().await {
        let old = place.open_earlier(5).await;
        assert_eq!(old.migrate().await.unwrap().version, 5);
        let write = async || {
            for sql in &ROWS {
                old.commit(Change::new().execute_any(sql, vec![])).await.unwrap();
            }
        };
        write().await;
        let new = place.open().await;
        new.migrate().await.unwrap();
        old.ping().await.unwrap();
        new.ping().await.unwrap();
        assert_eq!(count(&new, "SELECT COUNT(*) FROM plans WHERE version = 1").await, 1);
        let all = "SELECT COUNT(*) FROM subscriptions WHERE quantity = 1 AND plan_version = 1";
        assert_eq!(count(&new, all).await, 1);
        place.script("DELETE FROM plans; DELETE FROM subscriptions").await;
        write().await;
        assert_eq!(count(&new, all).await, 1);
        assert_eq!(count(&new, "SELECT COUNT(*) FROM plans WHERE version = 1").await, 1);
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
