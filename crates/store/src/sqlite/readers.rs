//! The reading connections, and the snapshots they keep.
//!
//! Taking a snapshot costs as much as reading a row from it. So a connection that reads again, with nothing committed
//! since, stays in the snapshot it has. Commits of this process are counted, and none is answered before it is; a
//! command beside the server cannot be counted, so a snapshot is soon too old, and the command waits that long before it
//! says that it is done. Nobody ever reads less than what was acknowledged before they asked.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::SqliteOptions;
use super::connection::{self, Purpose};
use super::fault::read_error;
use crate::error::Error;

/// How long a snapshot is read from.
const LIFE: Duration = Duration::from_millis(1);
/// How long a command beside the server keeps its commit to itself.
pub(super) const DISCRETION: Duration = Duration::from_millis(2);

pub(super) struct Readers {
    options: SqliteOptions,
    idle: Mutex<Vec<Reader>>,
    commits: AtomicU64,
    /// Whether snapshots are kept at all.
    keep: AtomicBool,
}

pub(super) struct Reader {
    connection: Connection,
    /// The commits there had been when it last read.
    commits: u64,
    /// Since when it has been in a snapshot, if it is in one.
    since: Option<Instant>,
}

impl Readers {
    pub(super) fn new(options: SqliteOptions) -> Self {
        Self { options, idle: Mutex::default(), commits: AtomicU64::new(0), keep: AtomicBool::new(true) }
    }

    /// A connection that sees everything committed so far.
    pub(super) fn take(&self) -> Result<Reader, Error> {
        let idle = self.idle().pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => Reader { connection: connection::open(&self.options, Purpose::Read)?, commits: 0, since: None },
        };
        // Alone with the directory, this process sees every commit but those of commands.
        let commits = self.commits();
        let settled = self.options.exclusive && self.keeps() && commits == reader.commits;
        reader.commits = commits;
        reader.arrange(settled).map_err(|error| read_error(&error))?;
        Ok(reader)
    }

    pub(super) fn give_back(&self, mut reader: Reader) {
        let mut idle = self.idle();
        // A connection that cannot leave its snapshot is not worth keeping.
        let is_good = (self.keeps() && reader.commits == self.commits()) || reader.leave().is_ok();
        if is_good && idle.len() < self.options.readers {
            idle.push(reader);
        }
    }

    /// Something was committed. Nobody idle goes on holding what was before: the log could never be copied and started over.
    pub(super) fn committed(&self) {
        self.commits.fetch_add(1, Ordering::Release);
        self.idle().retain_mut(|reader| reader.leave().is_ok());
    }

    /// Lets nobody stay in a snapshot meanwhile, because this waits for all of them to leave.
    pub(super) fn kept_out<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.keep.store(false, Ordering::Release);
        self.idle().retain_mut(|reader| reader.leave().is_ok());
        let waited = wait();
        self.keep.store(true, Ordering::Release);
        waited
    }

    pub(super) fn close(&self) {
        self.idle().clear();
    }

    fn keeps(&self) -> bool {
        self.keep.load(Ordering::Acquire)
    }

    fn commits(&self) -> u64 {
        self.commits.load(Ordering::Acquire)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Reader>> {
        // A panic while holding the lock cannot leave the list of connections half changed.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader {
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// In a snapshot that is good, if nothing changes; in none, if it is not worth it.
    fn arrange(&mut self, settled: bool) -> rusqlite::Result<()> {
        let now = Instant::now();
        if settled && self.since.is_some_and(|since| now.duration_since(since) < LIFE) {
            return Ok(());
        }
        self.leave()?;
        if settled {
            // The snapshot itself is taken by the first statement after this.
            self.control("BEGIN")?;
            self.since = Some(now);
        }
        Ok(())
    }

    fn leave(&mut self) -> rusqlite::Result<()> {
        match self.since.take() {
            Some(_) => self.control("COMMIT"),
            None => Ok(()),
        }
    }

    fn control(&self, text: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(text)?.execute(()).map(drop)
    }
}
