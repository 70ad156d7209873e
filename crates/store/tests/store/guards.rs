//! Decisions that rely on other rows: two conflicting changes never both succeed, in one process or in two.

use futures_util::future::join_all;
use perennial_store::tables::PLANS;
use perennial_store::{Change, Db, Error, Guard, Lock, Sql, Violation};

use crate::support::*;

on_both_engines!(
    a_deleted_parent_has_no_children_with_one_server,
    a_deleted_parent_has_no_children_with_two_servers,
    changes_of_one_row_take_turns,
    two_servers_take_locks_in_one_order,
);

static NO_CHILDREN: Sql = Sql::new("SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM children WHERE parent_id = $1)");
static DELETE: Sql = Sql::new("UPDATE parents SET deleted = TRUE WHERE id = $1");

fn delete(parent: u64) -> Change {
    let childless = Guard {
        table: &PLANS,
        key: id(parent),
        lock: Lock::None,
        sql: &NO_CHILDREN,
        params: vec![id(parent).into()],
        violation: Violation::InUse,
    };
    Change::new().guard(live(parent, Lock::Exclusive)).guard(childless).execute(
        &DELETE,
        vec![id(parent).into()],
        Violation::Record,
    )
}

async fn a_deleted_parent_has_no_children_with_one_server(place: Place) {
    let db = place.open().await;
    race(&db, &db.clone()).await;
}

async fn a_deleted_parent_has_no_children_with_two_servers(place: Place) {
    race(&place.open().await, &place.open().await).await;
}

/// Only the planner's settings of a change are compared: with others the same rows are found, later.
#[tokio::test]
async fn changes_follow_indexes_and_compile_no_plans_on_postgres() {
    static SETTINGS: Sql = Sql::new(
        "SELECT 1 FROM parents WHERE id = $1
             AND current_setting('enable_seqscan') = 'off' AND current_setting('jit') = 'off'",
    );
    let Some(place) = Place::postgres().await else { return };
    let db = place.open().await;
    db.commit(parent(1)).await.unwrap();
    let guard = Guard {
        table: &PLANS,
        key: id(1),
        lock: Lock::None,
        sql: &SETTINGS,
        params: vec![id(1).into()],
        violation: Violation::Plan,
    };
    db.commit(Change::new().guard(guard)).await.unwrap();
}

/// Each parent gets a deletion and a child at the same time, in both orders.
async fn race(left: &Db, right: &Db) {
    const PARENTS: u64 = 200;
    let parents = join_all((0..PARENTS).map(|number| left.commit(parent(number)))).await;
    assert!(parents.iter().all(Result::is_ok));
    let births = (0..PARENTS).map(|number| {
        let change = Change::new().guard(live(number, Lock::Share));
        left.commit(child(change, number, number))
    });
    // From the other end, so that some meet in one batch, some in two at once, some never.
    let deaths = (0..PARENTS).rev().map(|number| right.commit(delete(number)));
    let (births, mut deaths) = tokio::join!(join_all(births), join_all(deaths));
    deaths.reverse();
    for (birth, death) in births.iter().zip(&deaths) {
        match (birth, death) {
            (Ok(()), Err(Error::Violated(Violation::InUse))) | (Err(Error::Violated(Violation::Plan)), Ok(())) => {}
            other => panic!("{other:?}"),
        }
    }
    let orphans = "SELECT COUNT(*) FROM children WHERE parent_id IN (SELECT id FROM parents WHERE deleted = TRUE)";
    assert_eq!(count(left, orphans).await, 0);
}

async fn changes_of_one_row_take_turns(place: Place) {
    let db = place.open().await;
    db.commit(parent(1)).await.unwrap();
    let changes = (0..100).map(|_| db.commit(increment(Change::new(), 1)));
    for outcome in join_all(changes).await {
        outcome.unwrap();
    }
    assert_eq!(count(&db, "SELECT n FROM parents").await, 100);
}

/// Pairs of rows, each pair in both orders, from two servers at once.
async fn two_servers_take_locks_in_one_order(place: Place) {
    const ROWS: u64 = 100;
    const CHANGES: u64 = 1500;
    let servers = [place.open().await, place.open().await];
    let parents = join_all((0..ROWS).map(|number| servers[0].commit(parent(number)))).await;
    assert!(parents.iter().all(Result::is_ok));
    let changes = (0..CHANGES).map(|number| {
        let (one, other) = (number * 7 % ROWS, (number * 13 + 5) % ROWS);
        let other = if other == one { (one + 1) % ROWS } else { other };
        let (first, second) = if number % 3 == 0 { (one, other) } else { (other, one) };
        let db = &servers[usize::try_from(number % 2).unwrap()];
        db.commit(increment(increment(Change::new(), first), second))
    });
    for outcome in join_all(changes).await {
        outcome.unwrap();
    }
    let sum = "SELECT CAST(SUM(n) AS BIGINT) FROM parents";
    assert_eq!(count(&servers[0], sum).await, i64::try_from(2 * CHANGES).unwrap());
    let replays: u64 = servers.iter().map(|db| db.metrics().replays).sum();
    assert_eq!(replays, 0, "sorted locks leave nothing to replay");
}
