//! A target's store as the bench sees it: rows go in at once, and are counted afterwards behind its back.

use std::ops::Range;
use std::path::PathBuf;

use rusqlite::{Connection, OpenFlags};

use super::cluster::{Cluster, Layout};
use super::dataset::Dataset;
use super::{copy, insert};
use crate::failure::{Failure, Result};

#[derive(Clone, Debug)]
pub(crate) enum Store {
    Sqlite(PathBuf),
    Postgres(Cluster),
}

impl Store {
    /// Loads the rows, in the shape that the target's own schema has.
    pub(crate) fn load(&self, layout: Layout, dataset: Dataset) -> Result {
        match self {
            Self::Sqlite(path) => insert::load(path, layout, dataset),
            Self::Postgres(cluster) => copy::load(cluster, layout, dataset),
        }
    }

    /// Adds users of Perennial's organization `default` with these numbers.
    pub(crate) fn add_users(&self, dataset: Dataset, numbers: Range<u64>) -> Result {
        match self {
            Self::Sqlite(path) => insert::add_users(path, dataset, numbers),
            Self::Postgres(cluster) => copy::add_users(cluster, dataset, numbers),
        }
    }

    /// The one number that a query finds.
    pub(crate) fn number(&self, sql: &str) -> Result<u64> {
        match self {
            Self::Sqlite(path) => {
                let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
                let number: i64 = connection.query_row(sql, [], |row| row.get(0))?;
                u64::try_from(number).map_err(|_| Failure::new(format!("`{sql}` found a negative number")))
            }
            Self::Postgres(cluster) => {
                cluster.query(sql)?.trim().parse().map_err(|_| Failure::new(format!("`{sql}` did not find a number")))
            }
        }
    }

    /// Runs statements.
    pub(crate) fn execute(&self, sql: &str) -> Result {
        match self {
            Self::Sqlite(path) => Ok(Connection::open(path)?.execute_batch(sql)?),
            Self::Postgres(cluster) => cluster.query(sql).map(drop),
        }
    }

    pub(crate) fn cluster(&self) -> Option<&Cluster> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(cluster) => Some(cluster),
        }
    }
}
