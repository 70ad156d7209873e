//! The reading connections and their snapshots.
//!
//! Taking a snapshot costs as much as reading a row from it. So a connection that reads again, with nothing committed
//! since, reuses its snapshot. Commits of this process are counted before they are reported. Commits of a command next
//! to the server cannot be counted: a snapshot expires soon, and the command waits that long before it reports its
//! commit. A read always sees every commit that was reported before the read began.
//!
//! Each connection caches pages in memory. So that they do not all cache the same ones, records created around the same
//! time are read by the same connection, unless that one is busy.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::connection::{self, Purpose};
use super::database_error::read_error;
use super::options::SqliteOptions;
use crate::error::Error;
use crate::value::Value;

/// How long a snapshot is reused.
const LIFE: Duration = Duration::from_millis(1);
/// How long a command next to the server waits before it reports its commit.
pub(super) const REPORT_DELAY: Duration = Duration::from_millis(2);

pub(super) struct Readers {
    options: SqliteOptions,
    idle: Mutex<Vec<Reader>>,
    commits: AtomicU64,
    /// Whether snapshots are reused at all.
    keep: AtomicBool,
}

pub(super) struct Reader {
    connection: Connection,
    /// The records it reads as long as it is idle.
    number: usize,
    /// The number of commits when it last read.
    commits: u64,
    /// Since when it has been in a snapshot, if it is in one.
    since: Option<Instant>,
}

impl Readers {
    pub(super) fn new(options: SqliteOptions) -> Self {
        Self { options, idle: Mutex::default(), commits: AtomicU64::new(0), keep: AtomicBool::new(true) }
    }

    /// A connection that sees everything committed so far.
    pub(super) fn take(&self, params: &[Value]) -> Result<Reader, Error> {
        let idle = self.idle_for(neighbourhood(params));
        let mut reader = match idle {
            Some(reader) => reader,
            None => {
                let connection = connection::open(&self.options, Purpose::Read)?;
                Reader { connection, number: 0, commits: 0, since: None }
            }
        };
        // This process has the directory for itself, so it counts every commit except those of commands.
        let commits = self.commits();
        let settled = self.options.exclusive && self.keeps() && commits == reader.commits;
        reader.commits = commits;
        reader.arrange(settled).map_err(|error| read_error(&error))?;
        Ok(reader)
    }

    pub(super) fn give_back(&self, mut reader: Reader) {
        let mut idle = self.idle();
        // A connection that cannot release its snapshot is closed.
        let is_good = (self.keeps() && reader.commits == self.commits()) || reader.leave().is_ok();
        if is_good && idle.len() < self.options.readers {
            let is_free = |number: &usize| idle.iter().all(|other| other.number != *number);
            if !is_free(&reader.number) {
                reader.number = (0..self.options.readers).find(is_free).unwrap_or_default();
            }
            idle.push(reader);
        }
    }

    fn idle_for(&self, neighbourhood: usize) -> Option<Reader> {
        let mut idle = self.idle();
        let number = neighbourhood % self.options.readers.max(1);
        match idle.iter().position(|reader| reader.number == number) {
            Some(position) => Some(idle.swap_remove(position)),
            None => idle.pop(),
        }
    }

    /// Called after a commit. Idle connections release older snapshots: otherwise the log could never be checkpointed.
    pub(super) fn committed(&self) {
        self.commits.fetch_add(1, Ordering::Release);
        self.idle().retain_mut(|reader| reader.leave().is_ok());
    }

    /// Releases expired snapshots of idle connections. Otherwise an idle server would hold one until its next commit,
    /// and a command next to it could not restart the log.
    pub(super) fn release(&self) {
        let now = Instant::now();
        self.idle().retain_mut(|reader| !reader.is_outdated(now) || reader.leave().is_ok());
    }

    /// Releases all snapshots while this runs, because it waits until none is left.
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

/// The same number for records that were created within the same quarter of an hour: they share pages. An id begins
/// with the millisecond of its creation.
fn neighbourhood(params: &[Value]) -> usize {
    let Some(Value::Uuid([first, second, third, fourth, ..])) = params.last() else { return 0 };
    // Each unit is about 65 seconds.
    let since_1970 = u32::from_be_bytes([*first, *second, *third, *fourth]);
    usize::try_from(since_1970 >> 4).unwrap_or_default()
}

impl Reader {
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Enters a snapshot that can be reused, or none if reuse is off.
    fn arrange(&mut self, settled: bool) -> rusqlite::Result<()> {
        let now = Instant::now();
        if settled && self.since.is_some() && !self.is_outdated(now) {
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

    fn is_outdated(&self, now: Instant) -> bool {
        self.since.is_some_and(|since| now.duration_since(since) >= LIFE)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// An id that was created in this hour since 1970.
    fn made_in(hour: u64) -> Value {
        let milliseconds = (hour * 3_600_000).to_be_bytes();
        let mut id = [7; 16];
        id[..6].copy_from_slice(&milliseconds[2..]);
        Value::Uuid(id)
    }

    #[test]
    fn records_of_the_same_time_are_read_by_the_same_connection_unless_it_is_busy() {
        let directory = tempfile::tempdir().unwrap();
        let options = SqliteOptions { readers: 2, ..SqliteOptions::new(directory.path().join("perennial.db")) };
        connection::create_file(&options.path).unwrap();
        let readers = Readers::new(options);
        let all: Vec<Reader> = (0..3).map(|_| readers.take(&[]).unwrap()).collect();
        for reader in all {
            readers.give_back(reader);
        }
        let mut numbers = Vec::new();
        for hour in (400_000..400_100).flat_map(|hour| [hour, hour]) {
            let reader = readers.take(&[Value::Int(1), made_in(hour)]).unwrap();
            numbers.push(reader.number);
            readers.give_back(reader);
        }
        assert!(numbers.chunks(2).all(|pair| pair[0] == pair[1]), "{numbers:?}");
        assert!(numbers.contains(&0) && numbers.contains(&1), "{numbers:?}");
        let busy = readers.take(&[made_in(400_000)]).unwrap();
        assert_ne!(readers.take(&[made_in(400_000)]).unwrap().number, busy.number);
    }
}
