//! An open database of either engine. Reads are single statements; a write is a [`Change`], which one writer commits
//! together with others.

use std::sync::Arc;

use tokio::sync::Notify;

use crate::change::Change;
use crate::error::Error;
use crate::metrics::StoreMetrics;
use crate::migrate::{Migrated, Migrations};
use crate::postgres::examine::Server;
use crate::postgres::{Postgres, PostgresOptions};
use crate::row::Row;
use crate::spans;
use crate::sql::{Rows, Sql};
use crate::sqlite::{Sqlite, SqliteOptions};
use crate::value::Value;
use crate::walks::{Lane, Walk};

/// An open database; cheap to clone.
#[derive(Clone)]
pub struct Db {
    pub(crate) engine: Engine,
    commits: Arc<Notify>,
}

#[derive(Clone)]
pub(crate) enum Engine {
    Sqlite(Arc<Sqlite>),
    Postgres(Arc<Postgres>),
}

impl Db {
    /// Opens a SQLite file, which is created if it does not exist. The schema is not changed: see [`Db::migrate`].
    #[expect(clippy::unused_async, reason = "both engines have the same signature")]
    pub async fn open_sqlite(options: SqliteOptions) -> Result<Self, Error> {
        Ok(Self { engine: Engine::Sqlite(Arc::new(Sqlite::open(options)?)), commits: Arc::default() })
    }

    /// Connects to PostgreSQL. The schema is not changed: see [`Db::migrate`].
    pub async fn open_postgres(options: PostgresOptions) -> Result<Self, Error> {
        Ok(Self { engine: Engine::Postgres(Arc::new(Postgres::open(options).await?)), commits: Arc::default() })
    }

    /// Migrates the schema to the version of this program; several processes may do so at the same time.
    pub async fn migrate(&self) -> Result<Migrated, Error> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.migrate().await,
            Engine::Postgres(postgres) => postgres.migrate().await,
        }
    }

    /// The migrations of this program.
    pub(crate) fn migrations(&self) -> Migrations {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.migrations(),
            Engine::Postgres(postgres) => postgres.migrations(),
        }
    }

    /// The properties of a PostgreSQL server; with `prepared`, also whether it supports prepared statements.
    pub async fn examine_server(&self, prepared: bool) -> Result<Option<Server>, Error> {
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

    /// The row with this key, if there is one. On PostgreSQL concurrent reads by key are combined into one statement.
    pub async fn find<T: Send, const N: usize>(
        &self,
        sql: &'static Sql,
        key: [Value; N],
        map: impl Fn(&Row<'_>) -> Result<T, Error> + Send,
    ) -> Result<Option<T>, Error> {
        Ok(self.find_rows(sql, Rows::One, key, map).await?.into_iter().next())
    }

    /// The rows with this key, few and in any order, combined in the same way.
    pub(crate) async fn find_all<T: Send, const N: usize>(
        &self,
        sql: &'static Sql,
        key: [Value; N],
        map: impl Fn(&Row<'_>) -> Result<T, Error> + Send,
    ) -> Result<Vec<T>, Error> {
        self.find_rows(sql, Rows::All, key, map).await
    }

    /// The row of each key, in the order of the keys: one statement on PostgreSQL, one snapshot on SQLite.
    pub(crate) async fn find_each<T: Send, const N: usize>(
        &self,
        sql: &'static Sql,
        keys: &[[Value; N]],
        map: impl Fn(&Row<'_>) -> Result<T, Error> + Send,
    ) -> Result<Vec<Option<T>>, Error> {
        let _span = spans::read(self.system(), sql);
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.find_each(sql, keys, map),
            Engine::Postgres(postgres) => Box::pin(postgres.find_each(sql, keys, map)).await,
        }
    }

    async fn find_rows<T: Send, const N: usize>(
        &self,
        sql: &'static Sql,
        rows: Rows,
        key: [Value; N],
        map: impl Fn(&Row<'_>) -> Result<T, Error> + Send,
    ) -> Result<Vec<T>, Error> {
        let _span = spans::read(self.system(), sql);
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.read(sql, &key, rows.limit(), map),
            Engine::Postgres(postgres) => Box::pin(postgres.find(sql, rows, key.into(), map)).await,
        }
    }

    /// All rows. Each is mapped once, in their order.
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
    /// A caller that stops waiting before its change has begun cancels it.
    pub async fn commit(&self, change: Change) -> Result<(), Error> {
        let span = spans::commit(self.system());
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.commit(change, &span).await,
            Engine::Postgres(postgres) => postgres.commit(change, &span).await,
        }?;
        self.commits.notify_one();
        Ok(())
    }

    /// Resolves after a commit through this handle, or at once if there was one since the last call.
    pub async fn committed(&self) {
        self.commits.notified().await;
    }

    /// Resolves, with the reason, when the writer has failed for good and the process should end.
    pub async fn failed(&self) -> String {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.failed().await,
            Engine::Postgres(postgres) => postgres.failed().await,
        }
    }

    /// Whether other servers may use the database too.
    pub fn is_shared(&self) -> bool {
        matches!(self.engine, Engine::Postgres(_))
    }

    /// The store's counters.
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

    /// Commits what is queued, rejects later changes, and closes the database.
    pub async fn close(&self) {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.close().await,
            Engine::Postgres(postgres) => postgres.close().await,
        }
    }

    /// Visits the rows of a walk until `visit` returns false.
    pub(crate) async fn walk(
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
            // Boxed: the future of a network request is large, and every caller of SQLite would carry its size.
            Engine::Postgres(postgres) => Box::pin(postgres.read(sql, params, limit, map)).await,
        }
    }
}
