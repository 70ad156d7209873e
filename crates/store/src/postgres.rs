//! The PostgreSQL engine: reads are pipelined over a few shared connections, and the writer has a separate connection.
//! Any number of servers can share the database; no state is held across transactions.

use std::fmt;
use std::sync::Arc;

use tracing::Span;

use crate::change::Change;
use crate::error::Error;
use crate::metrics::{Counters, StoreMetrics};
use crate::migrate::{Migrated, Migrations};
use crate::queue::{Failure, Queue, Rule, Waiting};
use crate::row::Row;
use crate::sql::{Rows, Sql};
use crate::value::Value;
use crate::walks::{Lane, Walk, Walks};

mod blocked;
pub(crate) mod bulk;
mod committer;
mod connection;
mod database_error;
pub(crate) mod examine;
mod finds;
mod indexes;
mod migrate;
mod pause;
pub(crate) mod placement;
mod plan;
mod readers;
mod replay;
mod schedule;
mod statistics;
mod timeouts;
mod tls;
mod transaction;
pub(crate) mod value;
mod verifier;
mod writer;

pub use timeouts::PostgresTimeouts;

use blocked::BlockedLane;
use connection::Slot;
use finds::Finds;
use pause::Pause;
use readers::Readers;
use statistics::Statistics;
use tls::Target;
use value::Argument;

/// Connections for long walks, opened when they are first needed.
const WALKERS: usize = 2;

/// How to reach a PostgreSQL database.
#[derive(Clone)]
pub struct PostgresOptions {
    /// `postgres://user:password@host/database?sslmode=…&sslrootcert=…`
    pub url: String,
    /// Off behind a pooler that does not support prepared statements (PgBouncer before 1.21).
    pub prepared: bool,
    /// Shared connections for reads.
    pub readers: usize,
    /// What may wait for the writer before new changes are rejected.
    pub waiting: Waiting,
    /// How long a change or a read may wait for the database.
    pub timeouts: PostgresTimeouts,
    /// The migrations of the program; a test that simulates a later program has more.
    #[doc(hidden)]
    pub migrations: Migrations,
}

impl PostgresOptions {
    /// The default sizes.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            prepared: true,
            readers: 2,
            waiting: Waiting::default(),
            timeouts: PostgresTimeouts::default(),
            migrations: Migrations::postgres(),
        }
    }
}

/// The URL contains a password and is not printed.
impl fmt::Debug for PostgresOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PostgresOptions")
            .field("prepared", &self.prepared)
            .field("readers", &self.readers)
            .field("waiting", &self.waiting)
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}

pub(crate) struct Postgres {
    target: Arc<Target>,
    migrations: Migrations,
    readers: Arc<Readers>,
    /// The connections of long walks, and the admission to them.
    walkers: Readers,
    walks: Walks,
    finds: Finds,
    queue: Queue,
    counters: Arc<Counters>,
    failure: Failure,
    /// Opens a separate connection.
    spare: Slot,
    /// The connection of placements, which must not wait behind reads.
    placer: Readers,
}

impl Postgres {
    pub(crate) async fn open(options: PostgresOptions) -> Result<Self, Error> {
        let target = Arc::new(Target::parse(&options.url)?);
        let counters = Arc::new(Counters::default());
        let failure = Failure::new();
        let pause = Arc::new(Pause::default());
        let slot = || {
            let shared = (Arc::clone(&target), Arc::clone(&counters), Arc::clone(&pause));
            Slot::new(shared.0, options.prepared, options.timeouts, shared.1, shared.2)
        };
        let (queue, inbox) = Queue::new(options.waiting, Arc::clone(&counters), Rule::Disjoint);
        let readers = Arc::new(Readers::new((0..options.readers.max(1)).map(|_| slot()).collect()));
        let walkers = Readers::new((0..WALKERS).map(|_| slot()).collect());
        let finds = Finds::new(&readers, &counters);
        let (writing, spare, placer) = (slot(), slot(), Readers::new(vec![slot()]));
        // A server that cannot be reached is reported now, not with the first request.
        writing.connection().await?;
        let statistics = Statistics::new(Arc::clone(&target));
        let blocked = BlockedLane::start(slot, &counters);
        writer::start(writing, blocked, inbox, statistics, Arc::clone(&counters), failure.clone());
        let (walks, migrations) = (Walks::new(WALKERS), options.migrations);
        Ok(Self { target, migrations, readers, walkers, walks, finds, queue, counters, failure, spare, placer })
    }

    pub(crate) async fn migrate(&self) -> Result<Migrated, Error> {
        migrate::run(&self.target, self.migrations).await
    }

    pub(crate) fn migrations(&self) -> Migrations {
        self.migrations
    }

    pub(crate) async fn examine(&self, prepared: bool) -> Result<examine::Server, Error> {
        examine::run(&self.target, prepared).await
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
        let rows = self.readers.query(sql.postgres(), &arguments).await.map_err(|failure| failure.error())?;
        rows.iter().take(limit).map(|row| map(&Row::postgres(row))).collect()
    }

    /// Visits the rows of a walk until `visit` returns false.
    pub(crate) async fn walk(
        &self,
        lane: Lane,
        walk: &Walk,
        mut visit: impl FnMut(&Row<'_>) -> Result<bool, Error> + Send,
    ) -> Result<(), Error> {
        let _reading = self.counters.reading();
        let (readers, _turn) = match lane {
            Lane::Shared => {
                self.counters.statements(1);
                (&*self.readers, None)
            }
            Lane::Long => {
                self.counters.long_walk();
                (&self.walkers, Some(self.walks.enter().await?))
            }
        };
        let arguments: Vec<Argument<'_>> = walk.params.iter().map(Argument::One).collect();
        let rows = readers.query(walk.sql.postgres(), &arguments).await.map_err(|failure| failure.error())?;
        for row in &rows {
            if !visit(&Row::postgres(row))? {
                break;
            }
        }
        Ok(())
    }

    /// Maps the rows with this key.
    pub(crate) async fn find<T>(
        &self,
        sql: &'static Sql,
        rows: Rows,
        key: Vec<Value>,
        map: impl Fn(&Row<'_>) -> Result<T, Error> + Send,
    ) -> Result<Vec<T>, Error> {
        let _reading = self.counters.reading();
        let found = self.finds.find(sql, rows, key).await.map_err(|failure| failure.error())?;
        found.iter().map(|row| map(&Row::postgres(row))).collect()
    }

    /// The row of each key, in the order of the keys.
    pub(crate) async fn find_each<T, const N: usize>(
        &self,
        sql: &Sql,
        keys: &[[Value; N]],
        map: impl Fn(&Row<'_>) -> Result<T, Error> + Send,
    ) -> Result<Vec<Option<T>>, Error> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let _reading = self.counters.reading();
        self.counters.statements(1);
        let keys: Vec<&[Value]> = keys.iter().map(<[Value; N]>::as_slice).collect();
        let found =
            finds::rows_of_each(&self.readers, sql, Rows::One, &keys).await.map_err(|failure| failure.error())?;
        found.iter().map(|rows| rows.first().map(|row| map(&Row::postgres(row))).transpose()).collect()
    }

    pub(crate) async fn commit(&self, change: Change, span: &Span) -> Result<(), Error> {
        self.queue.commit(change, span).await
    }

    pub(crate) async fn failed(&self) -> String {
        self.failure.wait().await
    }

    pub(crate) async fn close(&self) {
        self.queue.close().await;
        self.readers.close();
        self.walkers.close();
        self.placer.close();
    }

    pub(crate) fn metrics(&self) -> StoreMetrics {
        self.counters.snapshot(&self.queue.level(), self.readers.count())
    }
}
