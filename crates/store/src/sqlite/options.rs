//! How to open a SQLite database.

use std::path::PathBuf;
use std::time::Duration;

use crate::migrate::Migrations;
use crate::queue::Waiting;

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
