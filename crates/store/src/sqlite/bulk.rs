//! A long transaction on a SQLite file. Pages that do not fit into memory are written to the log before the commit.

use std::sync::Arc;

use rusqlite::{Connection, params_from_iter};

use super::connection::{Purpose, open};
use super::database_error::{DatabaseError, read_error};
use super::readers::Readers;
use super::{Sqlite, read_from};
use crate::error::Error;
use crate::row::Row;
use crate::sql::{Insert, Sql};
use crate::value::Value;

pub(crate) struct Bulk {
    connection: Connection,
    readers: Arc<Readers>,
}

impl Bulk {
    pub(crate) fn read(sqlite: &Sqlite) -> Result<Self, Error> {
        // The snapshot is taken by the first read, not by BEGIN.
        Self::begin(sqlite, Purpose::Read, "BEGIN; SELECT COUNT(*) FROM sqlite_schema")
    }

    pub(crate) fn write(sqlite: &Sqlite) -> Result<Self, Error> {
        Self::begin(sqlite, Purpose::Write, "BEGIN IMMEDIATE")
    }

    fn begin(sqlite: &Sqlite, purpose: Purpose, text: &str) -> Result<Self, Error> {
        let connection = open(&sqlite.options, purpose)?;
        // A reader of the whole store needs no page twice, and random inserts benefit from every page that fits.
        let cache_kibibytes = if purpose == Purpose::Read { 16 << 10 } else { 32 << 10 };
        connection
            .pragma_update(None, "cache_size", format!("-{cache_kibibytes}"))
            .map_err(|error| read_error(&error))?;
        connection.execute_batch(text).map_err(|error| read_error(&error))?;
        Ok(Self { connection, readers: Arc::clone(&sqlite.readers) })
    }

    pub(crate) fn all<T>(
        &self,
        sql: &Sql,
        params: &[Value],
        map: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        read_from(&self.connection, sql, params, usize::MAX, map)
    }

    pub(crate) fn find<T>(
        &self,
        sql: &Sql,
        keys: &[Vec<Value>],
        map: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<Option<T>>, Error> {
        keys.iter().map(|key| Ok(read_from(&self.connection, sql, key, 1, &map)?.pop())).collect()
    }

    pub(crate) fn insert(&self, insert: &Insert, rows: &[Vec<Value>]) -> Result<u64, Error> {
        self.run(insert.sqlite(), rows)
    }

    pub(crate) fn execute(&self, sql: &Sql, rows: &[Vec<Value>]) -> Result<u64, Error> {
        self.run(sql.sqlite(), rows)
    }

    fn run(&self, text: &str, rows: &[Vec<Value>]) -> Result<u64, Error> {
        let mut touched = 0;
        let failed = |error: &rusqlite::Error| DatabaseError::of(error).error();
        let mut statement = self.connection.prepare_cached(text).map_err(|error| failed(&error))?;
        for row in rows {
            touched += statement.execute(params_from_iter(row)).map_err(|error| failed(&error))?;
        }
        Ok(touched as u64)
    }

    pub(crate) fn commit(self) -> Result<(), Error> {
        self.connection.execute_batch("COMMIT").map_err(|error| DatabaseError::at_commit(&error).error())?;
        self.readers.committed();
        Ok(())
    }
}
