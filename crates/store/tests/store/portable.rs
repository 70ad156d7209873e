//! Tables as they travel: whole, in the order of their keys, in one transaction.

use std::collections::BTreeSet;

use perennial_store::portable::{ALL, EVENTS, IDEMPOTENCY_KEYS, Portable};
use perennial_store::{Type, Value};

use crate::support::Place;

/// What has no business in another store: who applied which migration, and counts of the last minutes.
const STAYS: [&str; 2] = ["schema_migrations", "rate_limits"];

#[tokio::test]
async fn every_column_of_every_table_travels() {
    let place = Place::empty_sqlite();
    place.open().await.migrate().await.unwrap();
    let connection = rusqlite::Connection::open(place.path()).unwrap();
    let mut statement = connection
        .prepare(
            "SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'",
        )
        .unwrap();
    let columns = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    let found: BTreeSet<(String, String, String)> = columns.map(Result::unwrap).collect();
    let found: BTreeSet<_> = found.into_iter().filter(|(table, ..)| !STAYS.contains(&table.as_str())).collect();
    let kind = |kind| match kind {
        Type::Bool | Type::Int | Type::Time => "INTEGER",
        Type::Text => "TEXT",
        Type::Bytes | Type::Uuid => "BLOB",
    };
    let columns = |table: &&Portable| {
        let name = table.name.to_owned();
        table.columns.iter().map(move |(column, of)| (name.clone(), (*column).to_owned(), kind(*of).to_owned()))
    };
    let known: BTreeSet<_> = ALL.iter().flat_map(columns).collect();
    let missing: Vec<_> = found.symmetric_difference(&known).collect();
    assert!(missing.is_empty(), "crates/store/src/portable/tables.rs and the schema differ: {missing:?}");
}

/// A row whose key is this number and whose other values are as large or as absent as can be.
fn row(table: &Portable, number: u8) -> Vec<Value> {
    let value = |(place, (name, kind)): (usize, &(&str, Type))| match kind {
        _ if *name == "id" && *kind == Type::Int => Value::Int(1),
        Type::Uuid => Value::Uuid([if place < 2 { number } else { 255 }; 16]),
        Type::Text if place == 2 => Value::Text(format!("k{number}")),
        Type::Text if ["before", "email", "href"].contains(name) => Value::Null(Type::Text),
        Type::Text => Value::Text(format!("ä \u{1f} {name} {number}")),
        Type::Int => Value::Int(i64::from(number) + 9_000_000_000_000_000_000),
        Type::Bool => Value::Bool(number.is_multiple_of(2)),
        Type::Time if name.starts_with("deleted") => Value::Null(Type::Time),
        Type::Time => Value::Time(253_402_300_799_999_999 - i64::from(number)),
        Type::Bytes => Value::Bytes(vec![number; 40]),
    };
    table.columns.iter().enumerate().map(value).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_come_back_as_they_went_and_only_after_the_commit() {
    let mut places = vec![Place::empty_sqlite()];
    places.extend(Place::empty_postgres().await);
    for place in places {
        let db = place.open().await;
        db.migrate().await.unwrap();
        let mut load = db.load().await.unwrap();
        for table in ALL {
            let rows: Vec<_> = (1..=3).rev().map(|number| row(table, number)).collect();
            let made = table.insert(&mut load, &rows).await.unwrap();
            assert_eq!(made, if table.name == "installation" { 1 } else { 3 }, "{}", table.name);
            assert_eq!(table.insert(&mut load, &rows).await.unwrap(), 0, "{}", table.name);
        }
        let mut before = db.snapshot().await.unwrap();
        assert_eq!(EVENTS.count(&mut before).await.unwrap(), 0, "nobody sees what is not committed");
        load.commit().await.unwrap();
        assert_eq!(EVENTS.count(&mut before).await.unwrap(), 0, "a snapshot stays as it was");
        let mut after = db.snapshot().await.unwrap();
        for table in ALL.into_iter().filter(|table| table.name != "installation") {
            let first = table.page(&mut after, None, 2).await.unwrap();
            assert_eq!(first, [row(table, 1), row(table, 2)], "{}", table.name);
            let key = table.key(&first[1]).to_vec();
            let next = table.page(&mut after, Some(&key), 2).await.unwrap();
            assert_eq!(next, [row(table, 3)], "{}", table.name);
        }
        let keys: Vec<_> = [9, 2].map(|number| IDEMPOTENCY_KEYS.key(&row(&IDEMPOTENCY_KEYS, number)).to_vec()).into();
        let found = IDEMPOTENCY_KEYS.find(&mut after, &keys).await.unwrap();
        assert_eq!(found, [None, Some(row(&IDEMPOTENCY_KEYS, 2))]);
        let mut dropped = db.load().await.unwrap();
        EVENTS.insert(&mut dropped, &[row(&EVENTS, 7)]).await.unwrap();
        drop(dropped);
        assert_eq!(EVENTS.count(&mut db.snapshot().await.unwrap()).await.unwrap(), 3);
    }
}
