//! Checkpoints: moving the write-ahead log into the database file without making commits wait.
//!
//! A thread copies what it can (PASSIVE) and syncs it, and again what was written during that time, until little is left or
//! no less than before. Under constant load that alone never restarts the log, so the writer restarts it then: it has to copy
//! and sync only what is left. (SQLite itself syncs the database file only when all of the log is copied.) Pages that are
//! written often are copied once for the whole log, so a long log is cheaper. A command next to a server copies its own
//! writes: an idle server does not check the log.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::connection::{Purpose, open};
use super::database_error::DatabaseError;
use super::options::SqliteOptions;
use super::readers::Readers;
use crate::error::Error;
use crate::queue::Failure;

/// Pages after which a checkpoint runs: fewer would copy and sync too often, with more the log would exceed its limit.
const PAGES: i64 = 6000;
/// So few pages are left to copy that the writer can do it without a noticeable pause.
const LITTLE: i64 = 250;
/// How often the thread copies what was written while it copied.
const ROUNDS: usize = 8;
/// Pages after which a command copies its writes.
const PAGES_OF_COMMAND: i64 = 1000;
const PAGE_BYTES: u64 = 4096;
/// How long the writer waits until no reader uses the log, before it retries later.
const PATIENCE: Duration = Duration::from_millis(50);
const PAUSE: Duration = Duration::from_secs(1);
/// How long an idle reader of a server may stay in a snapshot: nothing written after it can be copied out of the log.
const RELEASE_EVERY: Duration = Duration::from_millis(250);

pub(super) struct Checkpoints {
    wake: SyncSender<()>,
    thread: JoinHandle<()>,
    progress: Arc<Progress>,
    limit_bytes: u64,
    busy_timeout: Duration,
    not_before: Option<Instant>,
    failure: Failure,
}

/// What the thread reports to the writer.
#[derive(Default)]
struct Progress {
    /// The thread copies, so that the writer cannot restart the log.
    is_copying: AtomicBool,
    /// The thread copied the log, except for what was written during that time.
    is_copied: AtomicBool,
}

/// The state of the log, in pages.
struct Log {
    /// A reader prevented it.
    is_busy: bool,
    pages: i64,
    copied: i64,
}

impl Log {
    /// The pages that are not copied yet.
    const fn left(&self) -> i64 {
        self.pages - self.copied
    }

    /// Whether a reader has long been in a snapshot. One of a moment ago keeps the last commits from being copied, no more.
    const fn is_held(&self) -> bool {
        self.left() > LITTLE && self.left() > self.pages / 4
    }
}

impl Checkpoints {
    /// `database` is the file of the database, which must stay open longer than every connection.
    pub(super) fn start(
        options: &SqliteOptions,
        database: Arc<File>,
        readers: Arc<Readers>,
        failure: Failure,
    ) -> Result<Self, Error> {
        let connection = open(options, Purpose::Checkpoint)?;
        let (wake, woken) = sync_channel(1);
        let progress = Arc::<Progress>::default();
        let (raise, report) = (failure.clone(), Arc::clone(&progress));
        let thread = std::thread::Builder::new()
            .name("perennial-checkpoint".to_owned())
            .spawn(move || {
                loop {
                    match woken.recv_timeout(RELEASE_EVERY) {
                        Ok(()) => {
                            let outcome = copy(&connection, &database, &raise);
                            report.is_copied.store(matches!(outcome, Ok(true)), Ordering::Relaxed);
                            report.is_copying.store(false, Ordering::Release);
                            if let Err(error) = outcome {
                                note(&error, &raise);
                            }
                        }
                        Err(RecvTimeoutError::Timeout) => readers.release(),
                        Err(RecvTimeoutError::Disconnected) => return,
                    }
                }
            })
            .map_err(|error| Error::Unavailable(format!("no thread for checkpoints: {error}")))?;
        Ok(Self {
            wake,
            thread,
            progress,
            limit_bytes: options.wal_limit_bytes,
            busy_timeout: options.busy_timeout,
            not_before: None,
            failure,
        })
    }

    /// Called by the writer between two batches.
    pub(super) fn after_commit(&mut self, connection: &Connection, readers: &Readers) {
        // After a sync that failed, the log is the only copy of what it contains.
        if self.failure.reason().is_some() {
            return;
        }
        let log = match checkpoint(connection, "NOOP") {
            Ok(log) => log,
            Err(error) => return note(&error, &self.failure),
        };
        let bytes = u64::try_from(log.pages).unwrap_or(0) * PAGE_BYTES;
        let is_copying = self.progress.is_copying.load(Ordering::Acquire);
        // SQLite restarts a log by itself if all of it is copied.
        let is_copied = !is_copying && self.progress.is_copied.swap(false, Ordering::Relaxed) && log.pages >= PAGES;
        let longest = if is_copying { 2 * self.limit_bytes } else { self.limit_bytes };
        if (is_copied || bytes > longest) && self.not_before.is_none_or(|time| Instant::now() >= time) {
            readers.kept_out(|| self.restart(connection, bytes));
        } else if !is_copying && log.left() >= PAGES {
            self.progress.is_copying.store(true, Ordering::Relaxed);
            // The thread is idle, so that the channel has room. Without a thread the log restarts at twice its limit.
            let _ = self.wake.try_send(());
        }
    }

    pub(super) fn stop(self) {
        drop(self.wake);
        let _ = self.thread.join();
    }

    /// Copies the rest and starts the log over. The file keeps its size, which is faster to write into again, unless a
    /// long reader let it grow far beyond the limit.
    fn restart(&mut self, connection: &Connection, bytes: u64) {
        let mode = if bytes > 2 * self.limit_bytes { "TRUNCATE" } else { "RESTART" };
        let outcome = connection
            .busy_timeout(PATIENCE)
            .and_then(|()| checkpoint(connection, mode))
            .and_then(|log| connection.busy_timeout(self.busy_timeout).map(|()| log));
        match outcome {
            Ok(log) if !log.is_busy => self.not_before = None,
            Ok(_) => self.not_before = Some(Instant::now() + PAUSE),
            Err(error) => {
                self.not_before = Some(Instant::now() + PAUSE);
                let _ = connection.busy_timeout(self.busy_timeout);
                note(&error, &self.failure);
            }
        }
    }
}

/// Called by the writer of a command after each of its commits, so that a long command does not fill the disk with the
/// log.
pub(super) fn after_commit_of_command(connection: &Connection, options: &SqliteOptions, failure: &Failure) {
    let outcome = checkpoint(connection, "NOOP").and_then(|log| {
        if log.left() < PAGES_OF_COMMAND {
            return Ok(());
        }
        let log = checkpoint(connection, "PASSIVE")?;
        if u64::try_from(log.pages).unwrap_or(0) * PAGE_BYTES <= options.wal_limit_bytes / 4 {
            return Ok(());
        }
        // Nearly everything is copied, so writers wait for this no longer than for a reader.
        connection.busy_timeout(PATIENCE)?;
        let restarted = checkpoint(connection, "RESTART");
        connection.busy_timeout(options.busy_timeout)?;
        restarted.map(drop)
    });
    if let Err(error) = outcome {
        note(&error, failure);
    }
}

/// Copies and syncs until the writer can copy the rest. False: a reader of the log prevents it, or the disk fails.
fn copy(connection: &Connection, database: &File, failure: &Failure) -> rusqlite::Result<bool> {
    let mut before = i64::MAX;
    for _ in 0..ROUNDS {
        let log = checkpoint(connection, "PASSIVE")?;
        if let Err(error) = database.sync_data() {
            failure.raise(&format!("the database file cannot be synced: {error}"));
            return Ok(false);
        }
        if log.is_held() {
            return Ok(false);
        }
        let left = checkpoint(connection, "NOOP")?.left();
        if is_enough(before, left) {
            break;
        }
        before = left;
    }
    Ok(true)
}

/// Whether another round would leave about as many pages: little is left, or not much less than before.
const fn is_enough(before: i64, left: i64) -> bool {
    left <= LITTLE || left > before / 4 * 3
}

fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<Log> {
    connection
        .prepare_cached(&format!("PRAGMA wal_checkpoint({mode})"))?
        .query_row((), |row| Ok(Log { is_busy: row.get(0)?, pages: row.get(1)?, copied: row.get(2)? }))
}

/// A sync that failed once may pretend to succeed the next time, so a failing disk is final here too.
fn note(error: &rusqlite::Error, failure: &Failure) {
    if let DatabaseError::Disk(text) = DatabaseError::of(error) {
        failure.raise(&text);
    } else {
        tracing::debug!(%error, "a checkpoint was postponed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_end_with_little_or_with_as_much_as_before() {
        assert!(is_enough(i64::MAX, LITTLE));
        assert!(!is_enough(i64::MAX, PAGES));
        assert!(!is_enough(PAGES, PAGES / 2));
        assert!(is_enough(PAGES, PAGES - PAGES / 5));
    }

    #[test]
    fn only_a_reader_that_holds_much_of_the_log_counts() {
        let log = |pages, copied| Log { is_busy: false, pages, copied };
        assert!(!log(PAGES, PAGES).is_held());
        assert!(!log(PAGES, PAGES - 1_000).is_held());
        assert!(log(PAGES, 100).is_held());
        assert!(!log(LITTLE, 0).is_held());
    }

    #[test]
    fn after_a_failed_sync_the_log_is_not_restarted() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("perennial.db");
        let options = SqliteOptions { wal_limit_bytes: 1 << 16, ..SqliteOptions::new(&path) };
        let database = Arc::new(File::create(&path).unwrap());
        let connection = open(&options, Purpose::Write).unwrap();
        connection.execute_batch("CREATE TABLE notes (note); INSERT INTO notes VALUES (zeroblob(1 << 20))").unwrap();
        let readers = Arc::new(Readers::new(options.clone()));
        let failure = Failure::new();
        let mut checkpoints = Checkpoints::start(&options, database, Arc::clone(&readers), failure.clone()).unwrap();
        let left = |checkpoints: &mut Checkpoints| {
            checkpoints.after_commit(&connection, &readers);
            checkpoint(&connection, "NOOP").unwrap().left()
        };
        assert_eq!(left(&mut checkpoints), 0);
        connection.execute_batch("INSERT INTO notes VALUES (zeroblob(1 << 20))").unwrap();
        failure.raise("the database file cannot be synced");
        assert!(left(&mut checkpoints) > LITTLE);
        checkpoints.stop();
    }
}
