//! Long walks on SQLite: on separate blocking threads and connections, a few at a time.
//!
//! A walk of thousands of rows takes milliseconds. On the thread that handles requests it would delay all others.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::types::Value as Copied;
use rusqlite::{Connection, Row, params_from_iter};

use super::connection::{self, Purpose};
use super::database_error::read_error;
use super::options::SqliteOptions;
use crate::error::Error;
use crate::walks::{Walk, Walks};

pub(super) struct Walkers {
    options: SqliteOptions,
    walks: Walks,
    idle: Mutex<Vec<Connection>>,
}

impl Walkers {
    /// Half of the processors may walk, so that the others are free for requests.
    pub(super) fn new(options: &SqliteOptions) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self { options: options.clone(), walks: Walks::new((processors / 2).max(1)), idle: Mutex::default() }
    }

    /// The relevant rows of a walk: the matches, up to the wanted number, and the last row.
    pub(super) async fn run(walkers: &Arc<Self>, walk: Walk) -> Result<Vec<Vec<Copied>>, Error> {
        let permit = walkers.walks.enter().await?;
        let walkers = Arc::clone(walkers);
        // The permit is held as long as the walk runs, also if its caller cancels it.
        let walk = tokio::task::spawn_blocking(move || {
            let rows = walkers.walk(&walk);
            drop(permit);
            rows
        });
        walk.await.map_err(|stopped| Error::Internal(stopped.to_string()))?
    }

    pub(super) fn close(&self) {
        self.idle().clear();
    }

    fn walk(&self, walk: &Walk) -> Result<Vec<Vec<Copied>>, Error> {
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connection::open(&self.options, Purpose::Read)?,
        };
        let rows = copy_rows(&connection, walk);
        self.idle().push(connection);
        rows
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        // A panic while holding the lock cannot leave the list of connections half changed.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Steps through the rows of a walk until `visit` returns false.
pub(super) fn step(
    connection: &Connection,
    walk: &Walk,
    mut visit: impl FnMut(&Row<'_>) -> Result<bool, Error>,
) -> Result<(), Error> {
    let mut statement = connection.prepare_cached(walk.sql.sqlite()).map_err(|error| read_error(&error))?;
    let mut rows = statement.query(params_from_iter(&walk.params)).map_err(|error| read_error(&error))?;
    while let Some(row) = rows.next().map_err(|error| read_error(&error))? {
        if !visit(row)? {
            break;
        }
    }
    Ok(())
}

/// Numbers the rows of a walk, and copies those that match and the last one.
fn copy_rows(connection: &Connection, walk: &Walk) -> Result<Vec<Vec<Copied>>, Error> {
    let (mut copied, mut walked, mut matches) = (Vec::new(), 0, 0);
    step(connection, walk, |row| {
        walked += 1;
        let is_match = row.get(1).map_err(|error| read_error(&error))?;
        matches += usize::from(is_match);
        if is_match || walked == walk.rows {
            copied.push(copy(row, walked).map_err(|error| read_error(&error))?);
        }
        Ok(matches < walk.wanted)
    })?;
    Ok(copied)
}

/// The row's values, with its number in place of the first one.
fn copy(row: &Row<'_>, number: usize) -> rusqlite::Result<Vec<Copied>> {
    let number = Copied::Integer(i64::try_from(number).unwrap_or(i64::MAX));
    let rest = (1..row.as_ref().column_count()).map(|column| row.get(column));
    std::iter::once(Ok(number)).chain(rest).collect()
}
