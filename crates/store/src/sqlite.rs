//! The SQLite engine: one file, one writing thread, readers that never wait for it. A read runs on the caller's
//! thread: it takes microseconds, and passing it to another thread would take as long again.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tracing::Span;

use crate::change::Change;
use crate::error::Error;
use crate::metrics::{Counters, StoreMetrics};
use crate::migrate::{Migrated, Migrations};
use crate::queue::{Failure, Queue, Rule};
use crate::row::Row;
use crate::sql::Sql;
use crate::value::Value;
use crate::walks::Walk;

pub mod backup;
pub(crate) mod bulk;
mod checkpoint;
mod connection;
mod database_error;
mod files;
mod migrate;
mod options;
mod prepared;
mod readers;
mod walkers;
mod writer;

use database_error::read_error;
use files::{Files, log_of};
pub use options::SqliteOptions;
use readers::Readers;
use walkers::Walkers;

pub(crate) struct Sqlite {
    options: SqliteOptions,
    readers: Arc<Readers>,
    walkers: Arc<Walkers>,
    queue: Queue,
    counters: Arc<Counters>,
    failure: Failure,
    files: Mutex<Option<Files>>,
}

impl Sqlite {
    pub(crate) fn open(options: SqliteOptions) -> Result<Self, Error> {
        if !options.read_only {
            connection::create_file(&options.path)?;
        }
        let is_locked = options.exclusive && !options.read_only;
        let files = if is_locked { Some(Files::open(&options.path)?) } else { None };
        let counters = Arc::new(Counters::default());
        let failure = Failure::new();
        let (queue, inbox) = Queue::new(options.waiting, Arc::clone(&counters), Rule::Serial);
        let readers = Arc::new(Readers::new(options.clone()));
        // Without a writer, a commit fails with an error that the store is closed.
        if !options.read_only {
            let database = files.as_ref().map(|files| Arc::clone(&files.database));
            writer::start(&options, database, inbox, Arc::clone(&readers), Arc::clone(&counters), failure.clone())?;
        }
        let walkers = Arc::new(Walkers::new(&options));
        Ok(Self { options, readers, walkers, queue, counters, failure, files: Mutex::new(files) })
    }

    pub(crate) async fn migrate(&self) -> Result<Migrated, Error> {
        let options = self.options.clone();
        // Waiting for another process that migrates may take seconds, too long for the caller's thread.
        tokio::task::spawn_blocking(move || migrate::run(&options))
            .await
            .map_err(|stopped| Error::Internal(stopped.to_string()))?
    }

    pub(crate) fn migrations(&self) -> Migrations {
        self.options.migrations
    }

    /// Maps at most `limit` rows.
    pub(crate) fn read<T>(
        &self,
        sql: &Sql,
        params: &[Value],
        limit: usize,
        map: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let _reading = self.counters.reading();
        self.counters.statements(1);
        let reader = self.readers.take(params)?;
        let mapped = read_from(reader.connection(), sql, params, limit, map);
        self.readers.give_back(reader);
        mapped
    }

    /// The row of each key, in the order of the keys.
    pub(crate) fn find_each<T, const N: usize>(
        &self,
        sql: &Sql,
        keys: &[[Value; N]],
        map: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<Option<T>>, Error> {
        let Some(first) = keys.first() else { return Ok(Vec::new()) };
        let _reading = self.counters.reading();
        self.counters.statements(keys.len());
        let reader = self.readers.take(first)?;
        let find = |key: &[Value; N]| Ok(read_from(reader.connection(), sql, key, 1, &map)?.pop());
        let found = keys.iter().map(find).collect();
        self.readers.give_back(reader);
        found
    }

    /// Visits rows on the caller's thread until `visit` returns false.
    pub(crate) fn walk(
        &self,
        walk: &Walk,
        mut visit: impl FnMut(&Row<'_>) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let _reading = self.counters.reading();
        self.counters.statements(1);
        let reader = self.readers.take(&walk.params)?;
        let visited = walkers::step(reader.connection(), walk, |row| visit(&Row::sqlite(row)));
        self.readers.give_back(reader);
        visited
    }

    /// Visits the rows of a long walk, which runs on a thread and a connection of the walkers.
    pub(crate) async fn walk_apart(
        &self,
        walk: Walk,
        mut visit: impl FnMut(&Row<'_>) -> Result<bool, Error> + Send,
    ) -> Result<(), Error> {
        let _reading = self.counters.reading();
        self.counters.long_walk();
        for row in Walkers::run(&self.walkers, walk).await? {
            if !visit(&Row::copied(&row))? {
                break;
            }
        }
        Ok(())
    }

    pub(crate) async fn commit(&self, change: Change, span: &Span) -> Result<(), Error> {
        self.queue.commit(change, span).await
    }

    pub(crate) async fn failed(&self) -> String {
        self.failure.wait().await
    }

    pub(crate) async fn close(&self) {
        self.readers.close();
        self.queue.close().await;
        self.readers.close();
        self.walkers.close();
        self.files.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The size of the log's file.
    pub(crate) fn wal_bytes(&self) -> u64 {
        std::fs::metadata(log_of(&self.options.path)).map_or(0, |file| file.len())
    }

    pub(crate) fn metrics(&self) -> StoreMetrics {
        let total = self.options.readers.max(self.counters.reading.load(Relaxed));
        self.counters.snapshot(&self.queue.level(), total)
    }
}

/// Room for this many rows is reserved before the first is read.
const FIRST_ROWS: usize = 64;

fn read_from<T>(
    connection: &Connection,
    sql: &Sql,
    params: &[Value],
    limit: usize,
    map: impl Fn(&Row<'_>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let mut statement = connection.prepare_cached(sql.sqlite()).map_err(|error| read_error(&error))?;
    let mut rows = statement.query(rusqlite::params_from_iter(params)).map_err(|error| read_error(&error))?;
    let mut mapped = Vec::with_capacity(limit.min(FIRST_ROWS));
    while mapped.len() < limit {
        match rows.next().map_err(|error| read_error(&error))? {
            Some(row) => mapped.push(map(&Row::sqlite(row))?),
            None => break,
        }
    }
    Ok(mapped)
}
