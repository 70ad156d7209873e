//! Two versions of the program on one database: what the older one accepts, and what a migration may do to the traffic
//! of the servers that are still running.

use std::time::Duration;

use futures_util::future::join_all;
use perennial_store::{Db, Error, Index, Migration, Migrations};

use crate::support::*;

/// Long enough for a slow machine; reached only by a statement that is blocked.
const HANG: Duration = Duration::from_mins(1);

const PARENTS_BY_N: Index = Index { name: "parents_by_n", on: "parents (n, id)" };

/// A migration that adds a column to a table of the tests, for the program after this one.
fn later(oldest_program: i64, indexes: &'static [Index]) -> Migration {
    let version = Migrations::sqlite().version() + 1;
    let text = "ALTER TABLE parents ADD COLUMN note TEXT NOT NULL DEFAULT ''";
    Migration { version, name: "later", text, oldest_program, indexes }
}

fn compatible(indexes: &'static [Index]) -> Migration {
    later(Migrations::sqlite().version(), indexes)
}

fn incompatible() -> Migration {
    later(Migrations::sqlite().version() + 1, &[])
}

/// A read and a write as the older program does them.
async fn works(db: &Db, number: u64) {
    db.commit(parent(number)).await.unwrap();
    db.commit(increment(perennial_store::Change::new(), number)).await.unwrap();
    assert!(count(db, "SELECT COUNT(*) FROM parents WHERE n = 1").await > 0);
}

async fn both_versions_work_on_a_schema_that_declares_itself_compatible(place: Place) {
    let old = place.open().await;
    old.migrate().await.unwrap();
    works(&old, 1).await;
    let new = place.open_later(compatible(&[PARENTS_BY_N])).await;
    let migrated = new.migrate().await.unwrap();
    assert_eq!(migrated.applied, ["later"]);
    old.ping().await.unwrap();
    new.ping().await.unwrap();
    works(&old, 2).await;
    works(&new, 3).await;
    let again = place.open().await;
    let unchanged = again.migrate().await.unwrap();
    assert!(unchanged.applied.is_empty());
    assert_eq!(unchanged.version, migrated.version, "the schema's version, not the program's");
    again.ping().await.unwrap();
    works(&again, 4).await;
    assert_eq!(count(&new, "SELECT COUNT(*) FROM parents WHERE note = ''").await, 4);
}

async fn the_older_version_refuses_a_schema_that_is_not_compatible(place: Place) {
    let old = place.open().await;
    old.migrate().await.unwrap();
    place.open_later(incompatible()).await.migrate().await.unwrap();
    let known = Migrations::sqlite().version();
    let rejected = Some(Error::SchemaNewer { found: known + 1, oldest: known + 1, known });
    assert_eq!(old.ping().await.err(), rejected);
    assert_eq!(place.open().await.migrate().await.err(), rejected);
}

async fn a_store_from_before_compatibility_was_recorded_is_upgraded(place: Place) {
    place.open().await.migrate().await.unwrap();
    place.script("ALTER TABLE schema_migrations DROP COLUMN oldest_program").await;
    let db = place.open().await;
    assert!(db.migrate().await.unwrap().applied.is_empty());
    db.ping().await.unwrap();
    place.open_later(compatible(&[])).await.migrate().await.unwrap();
    db.ping().await.unwrap();
}

on_both_engines!(
    both_versions_work_on_a_schema_that_declares_itself_compatible,
    the_older_version_refuses_a_schema_that_is_not_compatible,
    a_store_from_before_compatibility_was_recorded_is_upgraded,
);

/// Waits until the database reports it.
async fn until_true(client: &tokio_postgres::Client, sql: &str) {
    until(async || client.query_one(sql, &[]).await.unwrap().get::<_, bool>(0)).await;
}

const IS_VALID: &str =
    "SELECT COALESCE((SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('parents_by_n')), FALSE)";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_behind_a_long_transaction_does_not_stop_the_traffic() {
    let Some(place) = Place::postgres().await else { return };
    let old = place.open().await;
    old.migrate().await.unwrap();
    let (long, observer) = (connect(&place.url()).await, connect(&place.url()).await);
    long.batch_execute("BEGIN; SELECT COUNT(*) FROM parents").await.unwrap();
    let new = place.open_later(compatible(&[])).await;
    let migrating = tokio::spawn(async move { new.migrate().await });
    until_true(&observer, "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted)").await;
    // The read and the write queue up behind the migration, and are served although the long transaction is still open.
    tokio::time::timeout(HANG, works(&old, 1)).await.expect("the traffic stopped");
    assert!(!migrating.is_finished());
    long.batch_execute("COMMIT").await.unwrap();
    assert_eq!(migrating.await.unwrap().unwrap().applied, ["later"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_is_built_while_writes_continue() {
    let Some(place) = Place::postgres().await else { return };
    let old = place.open().await;
    old.migrate().await.unwrap();
    old.commit(parent(1)).await.unwrap();
    let (long, observer) = (connect(&place.url()).await, connect(&place.url()).await);
    // The build waits for this transaction, and no other write may wait for the build.
    long.batch_execute("BEGIN; UPDATE parents SET n = n").await.unwrap();
    let new = place.open_later(Migration { text: "SELECT 1", ..compatible(&[PARENTS_BY_N]) }).await;
    let migrating = tokio::spawn(async move { new.migrate().await });
    until_true(&observer, "SELECT EXISTS (SELECT 1 FROM pg_stat_progress_create_index)").await;
    tokio::time::timeout(HANG, works(&old, 2)).await.expect("writes were blocked");
    assert!(!migrating.is_finished());
    long.batch_execute("COMMIT").await.unwrap();
    migrating.await.unwrap().unwrap();
    until_true(&observer, IS_VALID).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_whose_build_was_interrupted_is_built_again() {
    let Some(place) = Place::postgres().await else { return };
    let migration = compatible(&[PARENTS_BY_N]);
    place.open_later(migration).await.migrate().await.unwrap();
    let observer = connect(&place.url()).await;
    for damage in [
        "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'parents_by_n'::regclass",
        "DROP INDEX parents_by_n",
    ] {
        place.script(damage).await;
        assert!(!observer.query_one(IS_VALID, &[]).await.unwrap().get::<_, bool>(0));
        assert!(place.open_later(migration).await.migrate().await.unwrap().applied.is_empty());
        assert!(observer.query_one(IS_VALID, &[]).await.unwrap().get::<_, bool>(0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_start_at_once_build_an_index_once() {
    let Some(place) = Place::postgres().await else { return };
    let migration = compatible(&[PARENTS_BY_N]);
    let servers = join_all((0..6).map(|_| place.open_later(migration))).await;
    let migrations = servers.into_iter().map(|db| tokio::spawn(async move { db.migrate().await }));
    let outcomes = tokio::time::timeout(HANG, join_all(migrations)).await.expect("they waited for each other");
    for outcome in outcomes {
        outcome.unwrap().unwrap();
    }
    let observer = connect(&place.url()).await;
    assert!(observer.query_one(IS_VALID, &[]).await.unwrap().get::<_, bool>(0));
}
