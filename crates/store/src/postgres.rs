//! The PostgreSQL engine: reads pipelined down a few shared connections, one writer with a connection of its own.
//! Any number of servers may share the database; nothing here is held across transactions.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::change::Change;
use crate::error::Error;
use crate::metrics::{Counters, StoreMetrics};
use crate::migrate::Migrated;
use crate::queue::{Failure, Queue, Rule, Waiting};
use crate::row::Row;
use crate::sql::Sql;
use crate::value::Value;

mod connection;
mod fault;
mod migrate;
mod pause;
mod plan;
mod replay;
mod statistics;
mod tls;
mod transaction;
pub(crate) mod value;
mod verifier;
mod writer;

use connection::{Connection, Slot, recoverable};
use fault::Fault;
use pause::Pause;
use statistics::Statistics;
use tls::Target;
use value::Argument;

/// How to reach a PostgreSQL database.
#[derive(Clone)]
pub struct PostgresOptions {
    /// `postgres://user:password@host/database?sslmode=…&sslrootcert=…`
    pub url: String,
    /// Off behind a pooler that cannot carry prepared statements (PgBouncer before 1.21).
    pub prepared: bool,
    /// Shared connections for reads.
    pub readers: usize,
    /// What may wait for the writer before new changes are refused.
    pub waiting: Waiting,
}

impl PostgresOptions {
    /// The usual sizes.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), prepared: true, readers: 2, waiting: Waiting::default() }
    }
}

/// The URL holds a password and is not printed.
impl fmt::Debug for PostgresOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PostgresOptions")
            .field("prepared", &self.prepared)
            .field("readers", &self.readers)
            .field("waiting", &self.waiting)
            .finish_non_exhaustive()
    }
}

pub(crate) struct Postgres {
    target: Arc<Target>,
    readers: Vec<Slot>,
    turn: AtomicUsize,
    queue: Queue,
    counters: Arc<Counters>,
    failure: Failure,
}

impl Postgres {
    pub(crate) async fn open(options: PostgresOptions) -> Result<Self, Error> {
        let target = Arc::new(Target::parse(&options.url)?);
        let counters = Arc::new(Counters::default());
        let failure = Failure::new();
        let pause = Arc::new(Pause::default());
        let slot = || Slot::new(Arc::clone(&target), options.prepared, Arc::clone(&counters), Arc::clone(&pause));
        let (queue, inbox) = Queue::new(options.waiting, Arc::clone(&counters), Rule::Disjoint);
        let readers = (0..options.readers.max(1)).map(|_| slot()).collect();
        let writing = slot();
        // A server that cannot be reached should be told about now, not with the first request.
        writing.connection().await?;
        let statistics = Statistics::new(Arc::clone(&target));
        writer::start(writing, inbox, statistics, Arc::clone(&counters), failure.clone());
        Ok(Self { target, readers, turn: AtomicUsize::new(0), queue, counters, failure })
    }

    pub(crate) async fn migrate(&self) -> Result<Migrated, Error> {
        migrate::run(&self.target).await
    }

    /// Maps at most `limit` rows.
    pub(crate) async fn read<T>(
        &self,
        sql: &Sql,
        params: &[Value],
        limit: usize,
        map: impl Fn(&Row<'_>) -> Result<T, Error> + Send,
    ) -> Result<Vec<T>, Error> {
        let _reading = self.counters.reading();
        self.counters.statements(1);
        let arguments: Vec<Argument<'_>> = params.iter().map(Argument::One).collect();
        let rows = match self.query(sql, &arguments).await {
            Err(fault) if recoverable(&fault) => self.query(sql, &arguments).await,
            first => first,
        };
        rows.map_err(|fault| fault.error())?.iter().take(limit).map(|row| map(&Row::postgres(row))).collect()
    }

    pub(crate) async fn commit(&self, change: Change) -> Result<(), Error> {
        self.queue.commit(change).await
    }

    pub(crate) async fn failed(&self) -> String {
        self.failure.wait().await
    }

    pub(crate) async fn close(&self) {
        self.queue.close().await;
        self.readers.iter().for_each(Slot::close);
    }

    pub(crate) fn metrics(&self) -> StoreMetrics {
        self.counters.snapshot(self.queue.waiting(), self.queue.capacity(), self.readers.len())
    }

    async fn query(&self, sql: &Sql, arguments: &[Argument<'_>]) -> Result<Vec<tokio_postgres::Row>, Fault> {
        let (slot, connection) = self.reader().await?;
        connection.query(sql.postgres(), arguments).await.map_err(|error| {
            let fault = Fault::of(&error);
            match fault {
                Fault::Lost(_) => slot.discard(&connection),
                Fault::Stale(_) => connection.forget_statements(),
                _ => {}
            }
            fault
        })
    }

    /// The next connection in turn, or, if that one is lost and cannot be replaced now, any other that lives.
    async fn reader(&self) -> Result<(&Slot, Arc<Connection>), Fault> {
        let slot = &self.readers[self.turn.fetch_add(1, Relaxed) % self.readers.len()];
        let error = match slot.connection().await {
            Ok(connection) => return Ok((slot, connection)),
            Err(error) => error,
        };
        let other = self.readers.iter().find_map(|other| Some((other, other.live()?)));
        other.ok_or_else(|| match error {
            Error::Unavailable(text) => Fault::Lost(text),
            other => Fault::Moment(other.to_string()),
        })
    }
}
