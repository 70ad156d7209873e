//! A long transaction on PostgreSQL, on a separate connection.

use std::sync::Arc;

use super::Postgres;
use super::connection::{Connection, pipelined};
use super::database_error::DatabaseError;
use super::transaction::{CommitError, commit, control};
use super::value::Argument;
use crate::error::Error;
use crate::lock::Lock;
use crate::row::Row;
use crate::sql::{Insert, Rows, Sql};
use crate::value::{Type, Value};

const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/// One state of the database for the whole transaction: that of the first statement after BEGIN.
const BEGIN_READING: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1";

/// Every read here uses the index of its key. Tables that were just filled have no statistics yet, and a plan that was
/// made for an empty table would be reused until the table has millions of rows.
const DOWN_THE_INDEX: &str = "SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; SET LOCAL jit = off";

pub(crate) struct Bulk {
    connection: Arc<Connection>,
}

impl Bulk {
    pub(crate) async fn read(postgres: &Postgres) -> Result<Self, Error> {
        Self::begin(postgres, BEGIN_READING).await
    }

    pub(crate) async fn write(postgres: &Postgres) -> Result<Self, Error> {
        Self::begin(postgres, BEGIN).await
    }

    async fn begin(postgres: &Postgres, text: &str) -> Result<Self, Error> {
        let connection = postgres.spare.connection().await?;
        // The next user of the slot gets another connection.
        postgres.spare.discard(&connection);
        for text in [text, DOWN_THE_INDEX] {
            control(&connection, text).await.map_err(|failure| failure.error())?;
        }
        Ok(Self { connection })
    }

    pub(crate) async fn all<T>(
        &self,
        sql: &Sql,
        params: &[Value],
        map: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let arguments: Vec<Argument<'_>> = params.iter().map(Argument::One).collect();
        let rows = self.query(sql.postgres(), &arguments).await?;
        rows.iter().map(|row| map(&Row::postgres(row))).collect()
    }

    pub(crate) async fn find<T>(
        &self,
        sql: &Sql,
        keys: &[Vec<Value>],
        map: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<Option<T>>, Error> {
        let mut found: Vec<Option<T>> = keys.iter().map(|_| None).collect();
        let Some(first) = keys.first() else { return Ok(found) };
        let kinds: Vec<Type> = first.iter().map(Value::kind).collect();
        let arguments = columns(&kinds, keys);
        for row in self.query(sql.many(Rows::One, kinds.into_iter()), &arguments).await? {
            // The last column is the position of the key, counted from one.
            let place = Row::postgres(&row).int(row.len() - 1)? - 1;
            if let Some(slot) = usize::try_from(place).ok().and_then(|place| found.get_mut(place)) {
                *slot = Some(map(&Row::postgres(&row))?);
            }
        }
        Ok(found)
    }

    pub(crate) async fn hold(&self, sql: &Sql, keys: &[Vec<Value>], lock: Lock) -> Result<u64, Error> {
        let Some(first) = keys.first() else { return Ok(0) };
        let kinds: Vec<Type> = first.iter().map(Value::kind).collect();
        let arguments = columns(&kinds, keys);
        let text = sql.locking_many(lock, kinds.into_iter()).unwrap_or_default();
        Ok(self.query(text, &arguments).await?.len() as u64)
    }

    pub(crate) async fn insert(&self, insert: &'static Insert, rows: &[Vec<Value>]) -> Result<u64, Error> {
        if rows.is_empty() {
            return Ok(0);
        }
        let kinds: Vec<Type> = insert.columns.iter().map(|(_, kind)| *kind).collect();
        let arguments = columns(&kinds, rows);
        let failed = |error: &tokio_postgres::Error| DatabaseError::of(error).error();
        self.connection.prepare(insert.folded(), &arguments).await.map_err(|error| failed(&error))?;
        self.connection.execute(insert.folded(), &arguments).await.map_err(|error| failed(&error))
    }

    /// The server runs them one after the other; the client does not wait for a response in between.
    pub(crate) async fn execute(&self, sql: &'static Sql, rows: &[Vec<Value>]) -> Result<u64, Error> {
        let rows: Vec<Vec<Argument<'_>>> = rows.iter().map(|row| row.iter().map(Argument::One).collect()).collect();
        let Some(first) = rows.first() else { return Ok(0) };
        let failed = |error: &tokio_postgres::Error| DatabaseError::of(error).error();
        self.connection.prepare(sql.postgres(), first).await.map_err(|error| failed(&error))?;
        let sent = rows.iter().map(|row| self.connection.execute(sql.postgres(), row)).collect();
        let mut touched = 0;
        for result in pipelined(sent).await {
            touched += result.map_err(|error| failed(&error))?;
        }
        Ok(touched)
    }

    pub(crate) async fn commit(self) -> Result<(), Error> {
        commit(&self.connection, None).await.map_err(|failure| match failure {
            CommitError::NotSent => Error::Unavailable("the connection was lost".to_owned()),
            CommitError::Sent(error) => error,
        })
    }

    async fn query(&self, text: &str, arguments: &[Argument<'_>]) -> Result<Vec<tokio_postgres::Row>, Error> {
        self.connection.query(text, arguments).await.map_err(|error| DatabaseError::of(&error).error())
    }
}

/// The rows as arrays of columns, so that many of them are one statement.
fn columns<'a>(kinds: &[Type], rows: &'a [Vec<Value>]) -> Vec<Argument<'a>> {
    let column = |(place, kind): (usize, &Type)| Argument::Column(*kind, rows.iter().map(|row| &row[place]).collect());
    kinds.iter().enumerate().map(column).collect()
}
