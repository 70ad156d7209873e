//! Checkpoints: moving the write-ahead log into the database file without making commits wait.
//!
//! A thread copies what it can (PASSIVE) and syncs it, and again what was written during that time, until little is left. Under
//! constant load that alone never restarts the log, so the writer restarts it then: it has to copy and sync only the little that
//! is left. (SQLite itself syncs the database file only when all of the log is copied.) Pages that are
//! written often are copied once for the whole log, so a long log is cheaper. A command next to a server copies its own
//! writes: an idle server does not check the log.

use std::fs::File;
use std::sync::Arc;
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
/// How often the thread copies what was written while it copied. Each portion is smaller than the one before.
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
    limit_bytes: u64,
    busy_timeout: Duration,
    not_before: Option<Instant>,
    failure: Failure,
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
        let raise = failure.clone();
        let thread = std::thread::Builder::new()
            .name("perennial-checkpoint".to_owned())
            .spawn(move || {
                loop {
                    match woken.recv_timeout(RELEASE_EVERY) {
                        Ok(()) => {
                            if let Err(error) = copy(&connection, &database, &raise) {
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
            limit_bytes: options.wal_limit_bytes,
            busy_timeout: options.busy_timeout,
            not_before: None,
            failure,
        })
    }

    /// Called by the writer between two batches.
    pub(super) fn after_commit(&mut self, connection: &Connection, readers: &Readers) {
        let log = match checkpoint(connection, "NOOP") {
            Ok(log) => log,
            Err(error) => return note(&error, &self.failure),
        };
        let bytes = u64::try_from(log.pages).unwrap_or(0) * PAGE_BYTES;
        let is_copied = log.pages >= PAGES && log.left() <= LITTLE;
        if (is_copied || bytes > self.limit_bytes) && self.not_before.is_none_or(|time| Instant::now() >= time) {
            readers.kept_out(|| self.restart(connection, bytes));
        } else if log.left() >= PAGES {
            // If the channel is full, the thread runs soon anyway.
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

/// Copies and syncs until little is left, or as far as readers of the log allow.
fn copy(connection: &Connection, database: &File, failure: &Failure) -> rusqlite::Result<()> {
    for _ in 0..ROUNDS {
        let is_hindered = checkpoint(connection, "PASSIVE")?.left() > 0;
        if let Err(error) = database.sync_data() {
            failure.raise(&format!("the database file cannot be synced: {error}"));
        }
        if is_hindered || checkpoint(connection, "NOOP")?.left() <= LITTLE {
            break;
        }
    }
    Ok(())
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
