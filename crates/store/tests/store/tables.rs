//! The table descriptors: they list exactly the columns of the schema on both engines, and rows are transferred whole,
//! in the order of their keys, in one transaction.

use std::collections::BTreeSet;

use perennial_store::tables::{ALL, EVENTS, IDEMPOTENCY_KEYS, transferred};
use perennial_store::{Column, Table, Type, Value, feed};

use crate::support::{Place, connect};

/// Have no descriptor: the migrations write the first themselves, and only a placement on PostgreSQL uses the others.
const UNDESCRIBED: [&str; 4] = ["schema_migrations", "feed_queue", "feed_head", "feed_end"];

/// Table, column, type, whether it can be null, and its place in the primary key, from 1; 0 outside of it.
type Described = (String, String, &'static str, bool, i64);

fn described(name_of: fn(Type) -> &'static str) -> BTreeSet<Described> {
    let describe = |table: &'static Table| {
        table.columns.iter().map(move |column| {
            let place = table.keys().iter().zip(1..).find(|(key, _)| key.name == column.name);
            let place = place.map_or(0, |(_, place)| place);
            (table.name.to_owned(), column.name.to_owned(), name_of(column.kind), column.nullable, place)
        })
    };
    ALL.into_iter().flat_map(describe).collect()
}

fn assert_equal(schema: &BTreeSet<Described>, tables: &BTreeSet<Described>) {
    let differing: Vec<_> = schema.symmetric_difference(tables).collect();
    assert!(differing.is_empty(), "src/tables.rs and the schema differ: {differing:?}");
}

#[tokio::test]
async fn every_column_of_the_sqlite_schema_is_described() {
    let place = Place::empty_sqlite();
    place.open().await.migrate().await.unwrap();
    let connection = rusqlite::Connection::open(place.path()).unwrap();
    let sql = "SELECT t.name, c.name, c.type, c.\"notnull\", c.pk FROM sqlite_schema t, pragma_table_info(t.name) c
               WHERE t.type = 'table' AND t.name NOT IN (?1, ?2, ?3, ?4)";
    let mut statement = connection.prepare(sql).unwrap();
    let columns = statement.query_map(UNDESCRIBED, |row| {
        let kind = ["INTEGER", "TEXT", "BLOB"].into_iter().find(|kind| row.get::<_, String>(2).unwrap() == *kind);
        Ok((row.get(0)?, row.get(1)?, kind.unwrap(), !row.get::<_, bool>(3)?, row.get(4)?))
    });
    let schema = columns.unwrap().map(Result::unwrap).collect();
    let name_of = |kind| match kind {
        Type::Bool | Type::Int | Type::Time => "INTEGER",
        Type::Text => "TEXT",
        Type::Bytes | Type::Uuid => "BLOB",
    };
    assert_equal(&schema, &described(name_of));
}

#[tokio::test]
async fn every_column_of_the_postgres_schema_is_described() {
    let Some(place) = Place::empty_postgres().await else { return };
    place.open().await.migrate().await.unwrap();
    let client = connect(&place.url()).await;
    let sql = "SELECT c.relname::text, a.attname::text, t.typname::text, NOT a.attnotnull,
                      COALESCE(array_position(i.indkey::int2[], a.attnum) + 1, 0)::bigint
               FROM pg_class c
               JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
               JOIN pg_type t ON t.oid = a.atttypid
               LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
               WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1)";
    let rows = client.query(sql, &[&UNDESCRIBED.as_slice()]).await.unwrap();
    let kinds = ["bool", "int8", "text", "bytea", "uuid", "timestamptz"];
    let describe = |row: &tokio_postgres::Row| {
        let kind = kinds.into_iter().find(|kind| row.get::<_, String>(2) == *kind);
        (row.get(0), row.get(1), kind.unwrap(), row.get(3), row.get(4))
    };
    let name_of = |kind| match kind {
        Type::Bool => "bool",
        Type::Int => "int8",
        Type::Text => "text",
        Type::Bytes => "bytea",
        Type::Uuid => "uuid",
        Type::Time => "timestamptz",
    };
    assert_equal(&rows.iter().map(describe).collect(), &described(name_of));
}

#[test]
fn a_table_comes_after_those_it_refers_to() {
    for (place, table) in ALL.iter().enumerate() {
        for column in table.columns {
            let known = |name| ALL[..place].iter().any(|earlier| earlier.name == name);
            assert!(column.references.is_none_or(known), "{}.{}", table.name, column.name);
        }
    }
}

/// A row whose key is this number and whose other values are as large or as absent as can be.
fn row(table: &Table, number: u8) -> Vec<Value> {
    let value = |(place, Column { name, kind, .. }): (usize, &Column)| match kind {
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
        for table in transferred() {
            let rows: Vec<_> = (1..=3).rev().map(|number| row(table, number)).collect();
            let made = table.insert(&mut load, &rows).await.unwrap();
            assert_eq!(made, if table.name == "installation" { 1 } else { 3 }, "{}", table.name);
            assert_eq!(table.insert(&mut load, &rows).await.unwrap(), 0, "{}", table.name);
            if table.name == "events" {
                feed::forget_copied(&mut load).await.unwrap();
            }
        }
        let mut before = db.snapshot().await.unwrap();
        assert_eq!(EVENTS.count(&mut before).await.unwrap(), 0, "uncommitted rows are not visible");
        load.commit().await.unwrap();
        assert_eq!(EVENTS.count(&mut before).await.unwrap(), 0, "a snapshot stays as it was");
        let mut after = db.snapshot().await.unwrap();
        for table in transferred().filter(|table| table.name != "installation") {
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
