//! After SIGKILL the store has everything that it acknowledged.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Command, Stdio};

use futures_util::future::join_all;
use perennial_store::{Change, Db, SqliteOptions};

use crate::support::*;

const CHILD: &str = "PERENNIAL_TEST_CHILD";

/// Not a test by itself: the process that the test below kills. It journals every acknowledged write.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_to_be_killed() {
    let Ok(task) = std::env::var(CHILD) else {
        return;
    };
    let (first, path) = task.split_once(' ').unwrap();
    let first: u64 = first.parse().unwrap();
    let db = Db::open_sqlite(SqliteOptions { waiting: patient(), ..SqliteOptions::new(path) }).await.unwrap();
    let writers = (0..32).map(|writer| {
        let db = &db;
        async move {
            for round in 0..100_000 {
                let number = first + round * 32 + writer;
                db.commit(child(Change::new(), number, 0)).await.unwrap();
                writeln!(std::io::stdout(), "written {number}").unwrap();
            }
        }
    });
    join_all(writers).await;
}

#[tokio::test]
async fn a_killed_process_loses_nothing_acknowledged() {
    let place = Place::sqlite().await;
    let mut acknowledged = Vec::new();
    for run in 1..=5_u64 {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["durability::a_process_to_be_killed", "--exact", "--nocapture"])
            .env(CHILD, format!("{} {}", run * 10_000_000, place.path().display()))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let written = |line: String| line.rsplit_once("written ").map(|(_, number)| number.parse());
        // A different moment each time, in the middle of a batch more often than not.
        let enough = 200 + 137 * usize::try_from(run).unwrap();
        let before: Vec<u64> =
            lines.by_ref().map_while(Result::ok).filter_map(written).take(enough).map(Result::unwrap).collect();
        assert_eq!(before.len(), enough);
        process.kill().unwrap();
        process.wait().unwrap();
        acknowledged.extend(before);
        // The last line may be cut off.
        acknowledged.extend(lines.map_while(Result::ok).filter_map(written).filter_map(Result::ok));
    }
    let db = Db::open_sqlite(SqliteOptions::new(place.path())).await.unwrap();
    let by_id = perennial_store::Sql::new(
        "SELECT COUNT(*) FROM children JOIN journal ON journal.id = children.id WHERE children.id = $1",
    );
    for number in &acknowledged {
        let found = db.one(&by_id, &[id(*number).into()], |row| row.int(0)).await.unwrap();
        assert_eq!(found, Some(1), "{number} was acknowledged and is lost");
    }
    let integrity = perennial_store::Sql::new("PRAGMA integrity_check");
    assert_eq!(db.one(&integrity, &[], |row| row.text(0)).await.unwrap().unwrap(), "ok");
    let halves = "SELECT (SELECT COUNT(*) FROM children) - (SELECT COUNT(*) FROM journal)";
    assert_eq!(count(&db, halves).await, 0);
}
