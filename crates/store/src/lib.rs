//! The store: the only floor that knows databases.
//!
//! Every query is written once and runs on SQLite and PostgreSQL. Reads are single statements; a write is a [`Change`],
//! handed to one writer that commits many of them in one transaction and answers each after COMMIT.
//! Nothing here knows what a plan costs or who may see it.

use std::sync::Arc;

mod bulk;
mod change;
mod claims;
mod codec;
mod error;
mod list;
mod metrics;
mod migrate;
mod postgres;
mod queue;
mod row;
mod spans;
mod sql;
mod sqlite;
#[doc(hidden)]
pub mod statements;
mod value;
mod walks;

pub mod clients;
pub mod deleted;
pub mod events;
pub mod examine;
pub mod idempotency;
pub mod installation;
pub mod organizations;
pub mod payments;
pub mod plans;
pub mod portable;
pub mod providers;
pub mod purge;
pub mod rate_limits;
pub mod sessions;
pub mod signing_keys;
pub mod subscriptions;
pub mod users;

pub use bulk::Bulk;
pub use change::{Change, Guard, Lock, Table, Violation};
pub use error::Error;
pub use list::{Key, List, Listing, Order, Page, Position, WALK};
pub use metrics::{BATCH_SIZES, StoreMetrics};
pub use migrate::{Index, Migrated, Migration, Migrations};
pub use postgres::{PostgresOptions, PostgresTimeouts};
pub use queue::Waiting;
pub use row::Row;
pub use spans::TRACE_TARGET;
pub use sql::{Insert, Sql};
pub use sqlite::{SqliteOptions, backup};
pub use value::{Type, Value};

use migrate::Found;
use postgres::Postgres;
use sqlite::Sqlite;
use walks::{Lane, Walk};

static VERSION: Sql = Sql::new(
    "SELECT COALESCE(MAX(version), 0), COALESCE(MAX(COALESCE(oldest_program, version)), 0) FROM schema_migrations",
);

/// An open database; cheap to clone.
#[derive(Clone)]
pub struct Db {
    engine: Engine,
}

#[derive(Clone)]
enum Engine {
    Sqlite(Arc<Sqlite>),
    Postgres(Arc<Postgres>),
}

impl Db {
    /// Opens a SQLite file, made if it does not exist. The schema is left as it is: see [`Db::migrate`].
    #[expect(clippy::unused_async, reason = "both engines open alike")]
    pub async fn open_sqlite(options: SqliteOptions) -> Result<Self, Error> {
        Ok(Self { engine: Engine::Sqlite(Arc::new(Sqlite::open(options)?)) })
    }

    /// Connects to PostgreSQL. The schema is left as it is: see [`Db::migrate`].
    pub async fn open_postgres(options: PostgresOptions) -> Result<Self, Error> {
        Ok(Self { engine: Engine::Postgres(Arc::new(Postgres::open(options).await?)) })
    }

    /// Brings the schema to the version of this program; several processes may try at once.
    pub async fn migrate(&self) -> Result<Migrated, Error> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.migrate().await,
            Engine::Postgres(postgres) => postgres.migrate().await,
        }
    }

    /// Whether the database answers and has a schema that this program works with.
    pub async fn ping(&self) -> Result<(), Error> {
        let read = self.one(&VERSION, &[], |row| Ok(Found { version: row.int(0)?, oldest_program: row.int(1)? }));
        let found = match read.await {
            // The one way in which this statement can be wrong: the table is missing, or was made by an older program.
            Err(Error::Internal(_)) => Found { version: examine::schema(self).await?.found, oldest_program: 0 },
            found => found?.unwrap_or_default(),
        };
        let known = self.migrations();
        if found.version < known.version() {
            return Err(Error::Migration(format!(
                "the database has schema version {} and needs {}; run `perennial migrate`",
                found.version,
                known.version()
            )));
        }
        known.check(found)
    }

    /// The migrations of this program.
    fn migrations(&self) -> Migrations {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.migrations(),
            Engine::Postgres(postgres) => postgres.migrations(),
        }
    }

    /// What the server says of itself, where there is one; and whether statements can be `prepared` there, if they are to be.
    pub async fn examine_server(&self, prepared: bool) -> Result<Option<examine::Server>, Error> {
        match &self.engine {
            Engine::Sqlite(_) => Ok(None),
            Engine::Postgres(postgres) => postgres.examine(prepared).await.map(Some),
        }
    }

    /// The first row, if there is any.
    pub async fn one<T: Send>(
        &self,
        sql: &Sql,
        params: &[Value],
        map: impl Fn(&Row<'_>) -> Result<T, Error> + Send,
    ) -> Result<Option<T>, Error> {
        let rows = self.read(sql, params, 1, map).await?;
        Ok(rows.into_iter().next())
    }

    /// The row that a key names, if there is any. On PostgreSQL those who ask at the same time ask together.
    pub async fn find<T: Send, const N: usize>(
        &self,
        sql: &'static Sql,
        key: [Value; N],
        map: impl Fn(&Row<'_>) -> Result<T, Error> + Send,
    ) -> Result<Option<T>, Error> {
        let _span = spans::read(self.system(), sql);
        match &self.engine {
            Engine::Sqlite(sqlite) => Ok(sqlite.read(sql, &key, 1, map)?.pop()),
            Engine::Postgres(postgres) => Box::pin(postgres.find(sql, key.into(), map)).await,
        }
    }

    /// All rows.
    pub async fn all<T: Send>(
        &self,
        sql: &Sql,
        params: &[Value],
        map: impl Fn(&Row<'_>) -> Result<T, Error> + Send,
    ) -> Result<Vec<T>, Error> {
        self.read(sql, params, usize::MAX, map).await
    }

    /// Commits a change, all or nothing, and returns when it is durable.
    ///
    /// A caller that stops waiting before its change has begun takes it back.
    pub async fn commit(&self, change: Change) -> Result<(), Error> {
        let span = spans::commit(self.system());
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.commit(change, &span).await,
            Engine::Postgres(postgres) => postgres.commit(change, &span).await,
        }
    }

    /// Resolves, with the reason, when the writer cannot go on and the process should end.
    pub async fn failed(&self) -> String {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.failed().await,
            Engine::Postgres(postgres) => postgres.failed().await,
        }
    }

    /// Whether other servers may be using it too.
    pub fn is_shared(&self) -> bool {
        matches!(self.engine, Engine::Postgres(_))
    }

    /// What the store has counted so far.
    pub fn metrics(&self) -> StoreMetrics {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.metrics(),
            Engine::Postgres(postgres) => postgres.metrics(),
        }
    }

    /// The size of SQLite's write-ahead log on disk; `None` on PostgreSQL, which has its own.
    pub fn wal_bytes(&self) -> Option<u64> {
        match &self.engine {
            Engine::Sqlite(sqlite) => Some(sqlite.wal_bytes()),
            Engine::Postgres(_) => None,
        }
    }

    /// Commits what is queued, refuses what comes later, and lets go of the database.
    pub async fn close(&self) {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.close().await,
            Engine::Postgres(postgres) => postgres.close().await,
        }
    }

    /// Visits the rows of a walk, until `visit` says that it is enough.
    async fn walk(
        &self,
        lane: Lane,
        walk: Walk,
        visit: impl FnMut(&Row<'_>) -> Result<bool, Error> + Send,
    ) -> Result<(), Error> {
        let _span = spans::read(self.system(), &walk.sql);
        match (&self.engine, lane) {
            (Engine::Sqlite(sqlite), Lane::Shared) => sqlite.walk(&walk, visit),
            (Engine::Sqlite(sqlite), Lane::Long) => Box::pin(sqlite.walk_apart(walk, visit)).await,
            (Engine::Postgres(postgres), _) => Box::pin(postgres.walk(lane, &walk, visit)).await,
        }
    }

    fn system(&self) -> &'static str {
        match self.engine {
            Engine::Sqlite(_) => "sqlite",
            Engine::Postgres(_) => "postgresql",
        }
    }

    async fn read<T: Send>(
        &self,
        sql: &Sql,
        params: &[Value],
        limit: usize,
        map: impl Fn(&Row<'_>) -> Result<T, Error> + Send,
    ) -> Result<Vec<T>, Error> {
        let _span = spans::read(self.system(), sql);
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.read(sql, params, limit, map),
            // Boxed: a conversation over the network is large, and every caller of SQLite would carry its size.
            Engine::Postgres(postgres) => Box::pin(postgres.read(sql, params, limit, map)).await,
        }
    }
}
