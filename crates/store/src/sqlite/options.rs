//! How to open a SQLite database.

use std::path::PathBuf;
use std::time::Duration;

use crate::migrate::Migrations;
use crate::queue::Waiting;

/// How to open a SQLite database.
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    /// The database file; its directory is created if it does not exist.
    pub path: PathBuf,
    /// A server locks the directory; the operator's commands run next to it without the lock.
    pub exclusive: bool,
    /// Nothing is created, written or locked for writing, to inspect a store that may be damaged.
    pub read_only: bool,
    /// The number of reading connections; under load more are opened temporarily.
    pub readers: usize,
    /// What may wait for the writer before new changes are rejected.
    pub waiting: Waiting,
    /// How long to wait for another process that is writing.
    pub busy_timeout: Duration,
    /// The size of the write-ahead log at which the writer restarts it, however much is left to copy; twice as much while it is
    /// being copied.
    pub wal_limit_bytes: u64,
    /// The migrations of the program; a test that simulates a later program has more.
    #[doc(hidden)]
    pub migrations: Migrations,
}

impl SqliteOptions {
    /// The settings of a server with the default sizes.
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
