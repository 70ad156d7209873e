//! A PostgreSQL cluster that the bench loads rows into, and the shape of the tables there.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::failure::{Failure, Result, could_not};

/// A running PostgreSQL, and the programs that came with it.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub(crate) url: String,
    pub(crate) pid: u32,
    pub(crate) programs: PathBuf,
}

/// How a target's tables look where they differ from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Perennial's: an organization before every key, a revision behind every record, bytes for ids on SQLite.
    Perennial,
    /// What one would write by hand: a table with an id.
    Plain,
}

impl Cluster {
    /// A program of PostgreSQL: packages install some on the PATH and some next to the server.
    pub(crate) fn program(&self, name: &str) -> Command {
        let own = self.programs.join(name);
        Command::new(if own.is_file() { own } else { PathBuf::from(name) })
    }

    pub(crate) fn psql(&self) -> Command {
        let mut command = self.program("psql");
        command.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]).arg(&self.url);
        command
    }

    /// Another, empty database of the same server.
    pub(crate) fn database(&self, name: &str) -> Result<Self> {
        self.query(&format!("DROP DATABASE IF EXISTS {name}"))?;
        self.query(&format!("CREATE DATABASE {name}"))?;
        let (server, _) = self.url.rsplit_once('/').ok_or_else(|| Failure::new("a URL without a database"))?;
        Ok(Self { url: format!("{server}/{name}"), ..self.clone() })
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
