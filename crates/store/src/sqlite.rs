//! The SQLite engine: one file, one writing thread, readers that never wait for it.
//! A read runs directly on the caller's thread: it takes microseconds, handing it over would take as long again.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use tracing::Span;

use crate::change::Change;
use crate::error::Error;
use crate::metrics::{Counters, StoreMetrics};
use crate::migrate::{Migrated, Migrations};
use crate::queue::{Failure, Queue, Rule, Waiting};
use crate::row::Row;
use crate::sql::Sql;
use crate::value::Value;
use crate::walks::Walk;

pub mod backup;
pub(crate) mod bulk;
mod checkpoint;
mod connection;
mod fault;
mod migrate;
mod readers;
mod walkers;
mod writer;

use fault::read_error;
use readers::Readers;
use walkers::Walkers;

/// How to open a SQLite database.
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    /// The database file; its directory is made if it does not exist.
    pub path: PathBuf,
    /// A server holds the directory for itself; the operator's commands work beside it.
    pub exclusive: bool,
    /// Nothing is made, written or locked for writing: for a look at a store that may be broken.
    pub read_only: bool,
    /// Reading connections to keep open; under pressure more are opened for a moment.
    pub readers: usize,
    /// What may wait for the writer before new changes are refused.
    pub waiting: Waiting,
    /// How long to wait for another process that is writing.
    pub busy_timeout: Duration,
    /// The size of the write-ahead log at which the writer stops to start it over.
    pub wal_limit_bytes: u64,
    /// The program's own; a test that plays a later program has more.
    #[doc(hidden)]
    pub migrations: Migrations,
}

impl SqliteOptions {
    /// The settings of a server with the usual sizes.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            exclusive: true,
            read_only: false,
            readers: std::thread::available_parallelism().map_or(4, usize::from),
            waiting: Waiting::default(),
            busy_timeout: Duration::from_secs(5),
            wal_limit_bytes: 64 << 20,
            migrations: Migrations::sqlite(),
        }
    }
}

pub(crate) struct Sqlite {
    options: SqliteOptions,
    readers: Arc<Readers>,
    walkers: Arc<Walkers>,
    queue: Queue,
    counters: Arc<Counters>,
    failure: Failure,
    /// Held for as long as the store is open.
    directory: Mutex<Option<File>>,
}

impl Sqlite {
    pub(crate) fn open(options: SqliteOptions) -> Result<Self, Error> {
        if !options.read_only {
            connection::create_file(&options.path)?;
        }
        let held = options.exclusive && !options.read_only;
        let directory = if held { Some(hold_directory(&options.path)?) } else { None };
        let counters = Arc::new(Counters::default());
        let failure = Failure::new();
        let (queue, inbox) = Queue::new(options.waiting, Arc::clone(&counters), Rule::Serial);
        let readers = Arc::new(Readers::new(options.clone()));
        // Without a writer whoever tries to commit is told that the store is closed.
        if !options.read_only {
            writer::start(&options, inbox, Arc::clone(&readers), Arc::clone(&counters), failure.clone())?;
        }
        let walkers = Arc::new(Walkers::new(&options));
        Ok(Self { options, readers, walkers, queue, counters, failure, directory: Mutex::new(directory) })
    }

    pub(crate) async fn migrate(&self) -> Result<Migrated, Error> {
        let options = self.options.clone();
        // Waiting for another process that migrates may take seconds, which is no read's measure.
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

    /// Visits rows on the caller's thread, until `visit` says that it is enough.
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
        self.directory.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The size of the log's file.
    pub(crate) fn wal_bytes(&self) -> u64 {
        std::fs::metadata(backup::log_of(&self.options.path)).map_or(0, |file| file.len())
    }

    pub(crate) fn metrics(&self) -> StoreMetrics {
        let total = self.options.readers.max(self.counters.reading.load(Relaxed));
        self.counters.snapshot(&self.queue, total)
    }
}

fn read_from<T>(
    connection: &Connection,
    sql: &Sql,
    params: &[Value],
    limit: usize,
    map: impl Fn(&Row<'_>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let mut statement = connection.prepare_cached(sql.sqlite()).map_err(|error| read_error(&error))?;
    let mut rows = statement.query(rusqlite::params_from_iter(params)).map_err(|error| read_error(&error))?;
    let mut mapped = Vec::new();
    while mapped.len() < limit {
        match rows.next().map_err(|error| read_error(&error))? {
            Some(row) => mapped.push(map(&Row::sqlite(row))?),
            None => break,
        }
    }
    Ok(mapped)
}

/// Takes the lock that tells a second server to go away.
fn hold_directory(path: &Path) -> Result<File, Error> {
    let directory = path.parent().unwrap_or(Path::new(""));
    let lock = directory.join("perennial.lock");
    let unusable =
        |error: &dyn std::fmt::Display| Error::Unavailable(format!("{} cannot be locked: {error}", lock.display()));
    let file = connection::private_file(&lock).map_err(|error| unusable(&error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Locked(format!(
            "another server is using {}; stop it or choose another data directory",
            directory.display()
        ))),
        Err(TryLockError::Error(error)) => Err(unusable(&error)),
    }
}
