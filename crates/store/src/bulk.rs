//! One long transaction on a separate connection, to read or write a whole store.
//! The writer's batches are for requests, which would all wait behind a million rows.

use crate::db::{Db, Engine};
use crate::error::Error;
use crate::lock::Lock;
use crate::row::Row;
use crate::sql::{Insert, Sql};
use crate::value::Value;
use crate::{postgres, sqlite};

/// A transaction. It is rolled back if it is dropped before it is committed.
pub struct Bulk {
    engine: Work,
}

enum Work {
    Sqlite(sqlite::bulk::Bulk),
    Postgres(postgres::bulk::Bulk),
}

impl Db {
    /// A consistent snapshot of the store.
    pub async fn snapshot(&self) -> Result<Bulk, Error> {
        Ok(Bulk {
            engine: match &self.engine {
                Engine::Sqlite(sqlite) => Work::Sqlite(sqlite::bulk::Bulk::read(sqlite)?),
                Engine::Postgres(postgres) => Work::Postgres(postgres::bulk::Bulk::read(postgres).await?),
            },
        })
    }

    /// A transaction that writes. On SQLite it is the only writer until it ends.
    pub async fn load(&self) -> Result<Bulk, Error> {
        Ok(Bulk {
            engine: match &self.engine {
                Engine::Sqlite(sqlite) => Work::Sqlite(sqlite::bulk::Bulk::write(sqlite)?),
                Engine::Postgres(postgres) => Work::Postgres(postgres::bulk::Bulk::write(postgres).await?),
            },
        })
    }
}

impl Bulk {
    /// All rows.
    pub async fn all<T>(
        &mut self,
        sql: &Sql,
        params: &[Value],
        map: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        match &self.engine {
            Work::Sqlite(bulk) => bulk.all(sql, params, map),
            Work::Postgres(bulk) => bulk.all(sql, params, map).await,
        }
    }

    /// The row of each key, in the order of the keys.
    pub async fn find<T>(
        &mut self,
        sql: &Sql,
        keys: &[Vec<Value>],
        map: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<Option<T>>, Error> {
        match &self.engine {
            Work::Sqlite(bulk) => bulk.find(sql, keys, map),
            Work::Postgres(bulk) => bulk.find(sql, keys, map).await,
        }
    }

    /// Locks the row of each key until this transaction ends. Returns how many there are. On SQLite the
    /// transaction is the only writer, so there is nothing to lock.
    pub async fn hold(&mut self, sql: &Sql, keys: &[Vec<Value>], lock: Lock) -> Result<u64, Error> {
        match &self.engine {
            Work::Sqlite(bulk) => Ok(bulk.find(sql, keys, |_| Ok(()))?.iter().flatten().count() as u64),
            Work::Postgres(bulk) => bulk.hold(sql, keys, lock).await,
        }
    }

    /// Adds rows; returns how many were inserted.
    pub async fn insert(&mut self, insert: &'static Insert, rows: &[Vec<Value>]) -> Result<u64, Error> {
        match &self.engine {
            Work::Sqlite(bulk) => bulk.insert(insert, rows),
            Work::Postgres(bulk) => bulk.insert(insert, rows).await,
        }
    }

    /// Runs a statement with each of these parameters; returns how many rows were affected.
    pub async fn execute(&mut self, sql: &'static Sql, rows: &[Vec<Value>]) -> Result<u64, Error> {
        match &self.engine {
            Work::Sqlite(bulk) => bulk.execute(sql, rows),
            Work::Postgres(bulk) => bulk.execute(sql, rows).await,
        }
    }

    /// Commits the transaction.
    pub async fn commit(self) -> Result<(), Error> {
        match self.engine {
            Work::Sqlite(bulk) => bulk.commit(),
            Work::Postgres(bulk) => bulk.commit().await,
        }
    }
}
