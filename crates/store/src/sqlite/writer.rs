//! The one writer: a thread that drains the queue, one batch per transaction.
//!
//! The changes of a batch run one after the other, so that each sees those before it. A violation rolls the batch back
//! and replays it once with a savepoint per change. No outcome is reported before COMMIT has returned.

use std::fs::File;
use std::sync::Arc;

use rusqlite::{Connection, params_from_iter};

use super::checkpoint::{Checkpoints, after_commit_of_command};
use super::connection::{Purpose, open};
use super::database_error::{DatabaseError, is_taken};
use super::options::SqliteOptions;
use super::prepared::Prepared;
use super::readers::{REPORT_DELAY, Readers};
use crate::change::{Change, Guard, Statement, Step};
use crate::error::Error;
use crate::metrics::Counters;
use crate::queue::{Failure, Inbox, Job};
use crate::sql::Insert;

struct Writer<'c> {
    options: SqliteOptions,
    connection: &'c Connection,
    prepared: Prepared<'c>,
    readers: Arc<Readers>,
    counters: Arc<Counters>,
    failure: Failure,
    checkpoints: Option<Checkpoints>,
}

/// Opens the writing connection, so that an invalid path is reported to the caller, and starts the thread.
pub(super) fn start(
    options: &SqliteOptions,
    database: Option<Arc<File>>,
    mut inbox: Inbox,
    readers: Arc<Readers>,
    counters: Arc<Counters>,
    failure: Failure,
) -> Result<(), Error> {
    let connection = open(options, Purpose::Write)?;
    let checkpoints = match database {
        Some(database) => Some(Checkpoints::start(options, database, Arc::clone(&readers), failure.clone())?),
        None => None,
    };
    let options = options.clone();
    std::thread::Builder::new()
        .name("perennial-writer".to_owned())
        .spawn(move || {
            let prepared = Prepared::new(&connection);
            let mut writer =
                Writer { options, connection: &connection, prepared, readers, counters, failure, checkpoints };
            let watch = writer.failure.watch_for_panic();
            while let Some(batch) = inbox.next_blocking() {
                writer.run(batch);
            }
            drop(watch);
            writer.finish();
            drop(connection);
            inbox.finished();
        })
        .map(drop)
        .map_err(|error| Error::Unavailable(format!("no thread for the writer: {error}")))
}

impl Writer<'_> {
    fn run(&mut self, batch: Vec<Job>) {
        if let Some(reason) = self.failure.reason() {
            return reject(batch, &Error::Unavailable(reason));
        }
        self.counters.batch(batch.len());
        match self.together(&batch) {
            Ok(()) => batch.into_iter().for_each(|job| job.complete(Ok(()))),
            Err(failure @ (DatabaseError::Violated(_) | DatabaseError::Statement(_))) if batch.len() == 1 => {
                self.rollback();
                reject(batch, &report(&failure));
            }
            Err(DatabaseError::Violated(_) | DatabaseError::Statement(_)) => {
                self.rollback();
                self.counters.replay();
                self.one_by_one(batch);
            }
            Err(failure) => self.give_up(batch, &failure),
        }
        match &mut self.checkpoints {
            Some(checkpoints) => checkpoints.after_commit(self.connection, &self.readers),
            None => after_commit_of_command(self.connection, &self.options, &self.failure),
        }
    }

    /// The whole batch, on the assumption that no step fails.
    fn together(&self, batch: &[Job]) -> Result<(), DatabaseError> {
        self.control("BEGIN IMMEDIATE")?;
        for job in batch {
            self.apply(&job.change)?;
        }
        self.commit()
    }

    /// The same batch, still one transaction, but each change can be undone alone.
    fn one_by_one(&mut self, batch: Vec<Job>) {
        match self.savepoints(&batch) {
            Ok(outcomes) => {
                for (job, outcome) in batch.into_iter().zip(outcomes) {
                    job.complete(outcome);
                }
            }
            Err(failure) => self.give_up(batch, &failure),
        }
    }

    fn savepoints(&self, batch: &[Job]) -> Result<Vec<Result<(), Error>>, DatabaseError> {
        self.control("BEGIN IMMEDIATE")?;
        let mut outcomes = Vec::with_capacity(batch.len());
        for job in batch {
            self.control("SAVEPOINT change")?;
            match self.apply(&job.change) {
                Ok(()) => outcomes.push(Ok(())),
                Err(failure @ (DatabaseError::Violated(_) | DatabaseError::Statement(_))) => {
                    self.control("ROLLBACK TO change")?;
                    outcomes.push(Err(report(&failure)));
                }
                Err(failure) => return Err(failure),
            }
            self.control("RELEASE change")?;
        }
        self.commit()?;
        Ok(outcomes)
    }

    fn apply(&self, change: &Change) -> Result<(), DatabaseError> {
        for step in &change.keys {
            self.step(step)?;
        }
        for guard in &change.guards {
            self.guard(guard)?;
        }
        for step in change.rows.iter().chain(&change.events) {
            self.step(step)?;
        }
        Ok(())
    }

    fn step(&self, step: &Step) -> Result<(), DatabaseError> {
        let text = match step.statement {
            Statement::InsertMany(insert) => return self.insert_many(insert, step),
            Statement::Insert(insert) => insert.sqlite(),
            Statement::Update(update) => update.one.sqlite(),
            Statement::Execute(sql) => sql.sqlite(),
        };
        self.counters.statements(1);
        let touched = self.prepared.run(text, |statement| statement.execute(params_from_iter(&step.params)));
        match (touched, step.violation) {
            (Ok(1), _) | (Ok(_), None) => Ok(()),
            (Ok(_), Some(violation)) => Err(DatabaseError::Violated(violation)),
            (Err(error), Some(violation)) if is_taken(&error) => Err(DatabaseError::Violated(violation)),
            (Err(error), _) => Err(DatabaseError::of(&error)),
        }
    }

    /// One statement, executed for each row.
    fn insert_many(&self, insert: &'static Insert, step: &Step) -> Result<(), DatabaseError> {
        let violated = || step.violation.map_or(Ok(()), |violation| Err(DatabaseError::Violated(violation)));
        for row in step.params.chunks(insert.columns.len()) {
            self.counters.statements(1);
            match self.prepared.run(insert.sqlite(), |statement| statement.execute(params_from_iter(row))) {
                Ok(1) => {}
                Ok(_) => return violated(),
                Err(error) if is_taken(&error) => return violated(),
                Err(error) => return Err(DatabaseError::of(&error)),
            }
        }
        Ok(())
    }

    fn guard(&self, guard: &Guard) -> Result<(), DatabaseError> {
        self.counters.statements(1);
        let is_one = |statement: &mut rusqlite::Statement<'_>| {
            let mut rows = statement.query(params_from_iter(&guard.params))?;
            Ok(rows.next()?.is_some() && rows.next()?.is_none())
        };
        let found = self.prepared.run(guard.sql.sqlite(), is_one).map_err(|error| DatabaseError::of(&error))?;
        if found { Ok(()) } else { Err(DatabaseError::Violated(guard.violation)) }
    }

    fn control(&self, text: &'static str) -> Result<(), DatabaseError> {
        self.prepared.run(text, |statement| statement.execute(())).map(drop).map_err(|error| DatabaseError::of(&error))
    }

    /// Returns when every reader sees the commit.
    fn commit(&self) -> Result<(), DatabaseError> {
        self.prepared
            .run("COMMIT", |statement| statement.execute(()))
            .map_err(|error| DatabaseError::at_commit(&error))?;
        self.readers.committed();
        if self.checkpoints.is_none() {
            std::thread::sleep(REPORT_DELAY);
        }
        Ok(())
    }

    fn rollback(&self) {
        // SQLite rolls back by itself on some errors.
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            self.failure.raise(&format!("a rollback failed: {error}"));
        }
    }

    fn give_up(&self, batch: Vec<Job>, failure: &DatabaseError) {
        self.rollback();
        if let DatabaseError::Disk(text) | DatabaseError::DiskAtCommit(text) = failure {
            self.failure.raise(text);
        } else {
            tracing::warn!(error = %failure.error(), changes = batch.len(), "a batch was not written");
        }
        reject(batch, &failure.error());
    }

    fn finish(self) {
        let Some(checkpoints) = self.checkpoints else {
            return;
        };
        checkpoints.stop();
        if self.failure.reason().is_none() {
            let truncated = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()));
            if let Err(error) = truncated {
                tracing::warn!(%error, "the last checkpoint failed; the next start repeats it");
            }
        }
    }
}

fn reject(batch: Vec<Job>, error: &Error) {
    for job in batch {
        job.complete(Err(error.clone()));
    }
}

fn report(failure: &DatabaseError) -> Error {
    if let DatabaseError::Statement(text) = failure {
        tracing::error!(error = text, "a statement of a change failed");
    }
    failure.error()
}
