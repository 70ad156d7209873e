//! Rows into a SQLite file, in one transaction and without indexes, which are built again afterwards.

use std::ops::Range;
use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::cluster::Layout;
use super::dataset::{Cell, Dataset, PLAN, PLANS, SUBSCRIPTION, USER, uuid_text};
use crate::failure::Result;

const DEFAULT: &str = "SELECT id FROM organizations WHERE name = 'default'";

/// Adds users with these numbers.
pub(super) fn add_users(path: &Path, dataset: Dataset, numbers: Range<u64>) -> Result {
    let mut connection = Connection::open(path)?;
    let organization: Vec<u8> = connection.query_row(DEFAULT, [], |row| row.get(0))?;
    let transaction = connection.transaction()?;
    insert(&transaction, Layout::Perennial, Some(&organization), dataset, ("users", USER, numbers))?;
    transaction.commit()?;
    Ok(())
}

pub(super) fn load(path: &Path, layout: Layout, dataset: Dataset) -> Result {
    let mut connection = Connection::open(path)?;
    // The target itself logs and syncs every commit; this is before its time, and a log would need the disk twice.
    connection.pragma_update(None, "journal_mode", "OFF")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update(None, "cache_size", -400_000)?;
    let organization: Option<Vec<u8>> = match layout {
        Layout::Perennial => Some(connection.query_row(DEFAULT, [], |row| row.get(0))?),
        Layout::Plain => None,
    };
    let transaction = connection.transaction()?;
    let indexes = take_indexes(&transaction)?;
    for (table, columns, count) in
        [("users", USER, dataset.users()), ("plans", PLAN, PLANS), ("subscriptions", SUBSCRIPTION, dataset.rows)]
    {
        insert(&transaction, layout, organization.as_ref(), dataset, (table, columns, 0..count))?;
    }
    for sql in indexes {
        transaction.execute_batch(&sql)?;
    }
    transaction.commit()?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    Ok(())
}

/// Drops the indexes of the big table and gives the statements that make them again.
fn take_indexes(connection: &Connection) -> Result<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'subscriptions' AND sql IS NOT NULL",
    )?;
    let indexes: Vec<(String, String)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    for (name, _) in &indexes {
        connection.execute_batch(&format!("DROP INDEX {name}"))?;
    }
    Ok(indexes.into_iter().map(|(_, sql)| sql).collect())
}

fn insert(
    connection: &Connection,
    layout: Layout,
    organization: Option<&Vec<u8>>,
    dataset: Dataset,
    (table, columns, numbers): (&str, &[&str], Range<u64>),
) -> Result {
    let mut names: Vec<&str> = columns.to_vec();
    if layout == Layout::Perennial {
        names.insert(0, "revision");
        names.insert(0, "organization_id");
    }
    let places = vec!["?"; names.len()].join(", ");
    let sql = format!("INSERT INTO {table} ({}) VALUES ({places})", names.join(", "));
    let mut statement = connection.prepare(&sql)?;
    for number in numbers {
        let values = names.iter().map(|column| match (*column, organization) {
            ("organization_id", Some(id)) => Value::Blob(id.clone()),
            _ => value(layout, dataset.cell(table, column, number)),
        });
        statement.execute(params_from_iter(values))?;
    }
    Ok(())
}

fn value(layout: Layout, cell: Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Uuid(bytes) if layout == Layout::Perennial => Value::Blob(bytes.to_vec()),
        Cell::Uuid(bytes) => Value::Text(uuid_text(bytes)),
        Cell::Text(text) => Value::Text(text),
        Cell::Word(word) => Value::Text(word.to_owned()),
        Cell::Number(number) => Value::Integer(number),
        Cell::Bool(flag) => Value::Integer(flag.into()),
        Cell::Time(time) if layout == Layout::Perennial => Value::Integer(time.as_micros()),
        Cell::Time(time) => Value::Text(time.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = "CREATE TABLE users (id TEXT, email TEXT, created_at TEXT, updated_at TEXT);
        CREATE TABLE plans (id, slug, name, product_id, variants, price, currency, href, billing_cycle, description,
            node_quota, features, most_popular, tier, is_active, created_at, updated_at);
        CREATE TABLE subscriptions (id TEXT PRIMARY KEY, user_id TEXT, plan_id TEXT, external_id TEXT, billing_cycle TEXT,
            status TEXT, is_active INTEGER, starts_at TEXT, renews_at TEXT, ends_at TEXT, created_at TEXT, updated_at TEXT);
        CREATE INDEX by_user ON subscriptions (user_id, id);";

    #[test]
    fn rows_and_indexes_are_there_afterwards() {
        let directory = std::env::temp_dir().join(format!("perennial-bench-insert-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join("store.db");
        Connection::open(&path).unwrap().execute_batch(SCHEMA).unwrap();
        load(&path, Layout::Plain, Dataset { rows: 250 }).unwrap();
        let connection = Connection::open(&path).unwrap();
        let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count("SELECT count(*) FROM subscriptions"), 250);
        assert_eq!(count("SELECT count(*) FROM users"), 2);
        assert_eq!(count("SELECT count(*) FROM sqlite_master WHERE name = 'by_user'"), 1);
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
