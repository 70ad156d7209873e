//! Every type goes in and comes out as it was, and so does its absence.

use futures_util::future::join_all;
use perennial_store::{Change, Db, Error, Insert, Sql, Type, Value, Violation};

use crate::support::*;

on_both_engines!(
    every_type_survives_alone,
    every_type_survives_in_company,
    a_wrong_column_is_an_error,
    statements_are_counted,
);

static KINDS: Insert = Insert::new(
    "kinds",
    &[
        ("id", Type::Uuid),
        ("b", Type::Bool),
        ("i", Type::Int),
        ("t", Type::Text),
        ("y", Type::Bytes),
        ("u", Type::Uuid),
        ("m", Type::Time),
    ],
    "",
);
static BY_ID: Sql = Sql::new("SELECT b, i, t, y, u, m FROM kinds WHERE id = $1");
static BY_ALL: Sql =
    Sql::new("SELECT COUNT(*) FROM kinds WHERE b = $1 AND i = $2 AND t = $3 AND y = $4 AND u = $5 AND m = $6");
const COLUMNS: [Type; 6] = [Type::Bool, Type::Int, Type::Text, Type::Bytes, Type::Uuid, Type::Time];

/// Rows of edge values, and one row of nulls for every column, and one of nothing else.
fn rows() -> Vec<Vec<Value>> {
    // 9999-12-31T23:59:59.999999Z
    let last = 253_402_300_799_999_999;
    let full = |b: bool, i: i64, t: &str, y: &[u8], u: u8, m: i64| {
        vec![b.into(), i.into(), t.into(), Value::bytes(y.to_vec()), [u; 16].into(), Value::time(m)]
    };
    let mut rows = vec![
        full(true, i64::MAX, "zażółć 🎉 $1 {} ' \"", &[0, 255, 10], 0xff, last),
        full(false, i64::MIN, "", &[], 0, 0),
        full(true, 0, "x", &[1], 1, 946_684_800_000_000),
        full(false, -1, "\u{1f}", &[2; 1000], 2, 1),
    ];
    for column in 0..COLUMNS.len() {
        let mut row = rows[0].clone();
        row[column] = Value::Null(COLUMNS[column]);
        rows.push(row);
    }
    rows.push(COLUMNS.iter().map(|kind| Value::Null(*kind)).collect());
    rows
}

fn insert(number: usize, row: &[Value]) -> Change {
    let mut params = vec![id(number as u64).into()];
    params.extend_from_slice(row);
    Change::new().insert(&KINDS, params, Violation::Record)
}

async fn compare(db: &Db) {
    for (number, row) in rows().iter().enumerate() {
        let read = db
            .one(&BY_ID, &[id(number as u64).into()], |found| {
                COLUMNS
                    .iter()
                    .enumerate()
                    .map(|(column, kind)| found.value(column, *kind))
                    .collect::<Result<Vec<_>, _>>()
            })
            .await
            .unwrap()
            .unwrap();
        assert_eq!(&read, row);
    }
    let found = db.one(&BY_ALL, &rows()[0], |row| row.int(0)).await.unwrap();
    assert_eq!(found, Some(1));
}

async fn every_type_survives_alone(place: Place) {
    let db = place.open().await;
    for (number, row) in rows().iter().enumerate() {
        db.commit(insert(number, row)).await.unwrap();
    }
    compare(&db).await;
}

async fn every_type_survives_in_company(place: Place) {
    let db = place.open().await;
    let rows = rows();
    let changes = rows.iter().enumerate().map(|(number, row)| db.commit(insert(number, row)));
    for outcome in join_all(changes).await {
        outcome.unwrap();
    }
    compare(&db).await;
}

async fn a_wrong_column_is_an_error(place: Place) {
    let db = place.open().await;
    db.commit(insert(0, &rows()[0])).await.unwrap();
    let by_id = [id(0).into()];
    let wrong_type = db.one(&BY_ID, &by_id, |row| row.uuid(2)).await;
    let missing = db.one(&BY_ID, &by_id, |row| row.int(6)).await;
    let too_few = db.one(&BY_ID, &[], |row| row.int(0)).await.map(drop);
    for outcome in [wrong_type.map(drop), missing.map(drop), too_few] {
        assert!(matches!(outcome, Err(Error::Internal(_))), "{outcome:?}");
    }
    db.commit(insert(1, &rows()[10])).await.unwrap();
    let null = db.one(&BY_ID, &[id(1).into()], |row| row.text(2)).await;
    assert!(matches!(null, Err(Error::Internal(_))), "{null:?}");
}

async fn statements_are_counted(place: Place) {
    let db = place.open().await;
    let before = db.metrics().statements;
    db.commit(child(Change::new(), 1, 1)).await.unwrap();
    assert_eq!(db.metrics().statements - before, 2);
    count(&db, "SELECT COUNT(*) FROM children").await;
    assert_eq!(db.metrics().statements - before, 3);
}
