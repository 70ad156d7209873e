//! A contestant's store as the bench sees it: rows go in at once, and are counted afterwards behind its back.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use rusqlite::{Connection, OpenFlags};

use super::dataset::Dataset;
use super::{copy, insert};
use crate::failure::{Failure, Result, could_not};

#[derive(Clone, Debug)]
pub(crate) enum Store {
    Sqlite(PathBuf),
    Postgres(Cluster),
}

/// A running PostgreSQL, and the programs that came with it.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub(crate) url: String,
    pub(crate) pid: u32,
    pub(crate) programs: PathBuf,
}

/// How a contestant's tables look where they differ from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Perennial's: an organization before every key, a revision behind every record, bytes for ids on SQLite.
    Perennial,
    /// What one would write by hand: a table with an id.
    Plain,
}

impl Store {
    /// Loads the rows, in the shape that the contestant's own schema has.
    pub(crate) fn load(&self, layout: Layout, dataset: Dataset) -> Result {
        match self {
            Self::Sqlite(path) => insert::load(path, layout, dataset),
            Self::Postgres(cluster) => copy::load(cluster, layout, dataset),
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

    pub(crate) fn cluster(&self) -> Option<&Cluster> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(cluster) => Some(cluster),
        }
    }
}

impl Cluster {
    /// A program of PostgreSQL: packages put some on the PATH and some beside the server.
    pub(crate) fn program(&self, name: &str) -> Command {
        let beside = self.programs.join(name);
        Command::new(if beside.is_file() { beside } else { PathBuf::from(name) })
    }

    pub(crate) fn psql(&self) -> Command {
        let mut command = self.program("psql");
        command.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]).arg(&self.url);
        command
    }

    /// Runs statements and gives what they print.
    pub(crate) fn query(&self, sql: &str) -> Result<String> {
        let output =
            self.psql().args(["--command", sql]).stdin(Stdio::null()).output().map_err(could_not("run psql"))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(Failure::new(format!("psql refused `{sql}`: {}", String::from_utf8_lossy(&output.stderr).trim())))
    }
}
