//! Queries of the store itself, without the service: one text of SQL for both engines, results as text.

use rusqlite::OpenFlags;
use rusqlite::types::ValueRef;

use crate::failure::{Failure, Result};
use crate::home::Home;

/// The rows of a query, each value as text, null as nothing. No value may hold `|` or a newline.
pub(crate) fn query(home: &Home, sql: &str) -> Result<Vec<Vec<String>>> {
    let Some(cluster) = &home.cluster else { return sqlite(home, sql) };
    let printed = cluster.query(sql)?;
    Ok(printed.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect())
}

/// The one number that a query returns.
pub(crate) fn count(home: &Home, sql: &str) -> Result<usize> {
    let rows = query(home, sql)?;
    let number = rows.first().and_then(|row| row.first()).and_then(|text| text.parse().ok());
    number.ok_or_else(|| Failure::new(format!("`{sql}` answered no number: {rows:?}")))
}

/// Writes past the service. On SQLite no server may be running.
pub(crate) fn execute(home: &Home, sql: &str) -> Result {
    match &home.cluster {
        Some(cluster) => cluster.query(sql).map(drop),
        None => Ok(rusqlite::Connection::open(home.database())?.execute(sql, []).map(drop)?),
    }
}

/// What SQLite itself finds wrong with its file; `None` on `PostgreSQL`, whose recovery is its own business.
pub(crate) fn integrity_faults(home: &Home) -> Result<Option<Vec<String>>> {
    if home.cluster.is_some() {
        return Ok(None);
    }
    let rows = sqlite(home, "PRAGMA integrity_check")?;
    Ok(Some(rows.into_iter().flatten().filter(|line| line != "ok").collect()))
}

fn sqlite(home: &Home, sql: &str) -> Result<Vec<Vec<String>>> {
    let connection = rusqlite::Connection::open_with_flags(home.database(), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| (0..columns).map(|at| row.get_ref(at).map(text)).collect())?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    }
}
