//! Applies migrations to PostgreSQL while servers of the previous version continue to serve requests.
//!
//! Each migration is one transaction under an advisory lock that ends with it, so that any number of servers may start
//! at once, also behind a pooler. A statement that waits for a table lock blocks all traffic on that table behind it,
//! so it waits one second at most; then the transaction is rolled back and tried again later.

use std::time::Duration;

use tokio_postgres::Client;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};

use super::database_error::{describe, unavailable};
use super::indexes;
use super::tls::Target;
use crate::error::Error;
use crate::migrate::{Applied, Migrated, Migration, Migrations};

const BEGIN: &str = "
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0";

/// Tried, not waited for: a waiting session holds a snapshot, and an index that is built concurrently waits for it.
/// The number identifies the lock.
const LOCK: &str = "SELECT pg_try_advisory_xact_lock(5836920415077)";

/// Checked first: CREATE TABLE IF NOT EXISTS needs the privilege to create even if the table exists.
const TABLE_STATE: &str = "
SELECT to_regclass('schema_migrations') IS NOT NULL,
       EXISTS (
           SELECT 1 FROM pg_attribute
           WHERE attrelid = to_regclass('schema_migrations') AND attname = 'oldest_program' AND NOT attisdropped)";

const TABLE: &str = "
CREATE TABLE schema_migrations (
    version BIGINT NOT NULL PRIMARY KEY,
    name TEXT COLLATE \"C\" NOT NULL,
    checksum BYTEA NOT NULL,
    applied_at TIMESTAMPTZ NOT NULL,
    oldest_program BIGINT
)";

const ADD_COLUMN: &str = "ALTER TABLE schema_migrations ADD COLUMN oldest_program BIGINT";

const APPLIED: &str = "SELECT version, name, checksum, oldest_program FROM schema_migrations ORDER BY version";

const RECORD: &str = "
INSERT INTO schema_migrations (version, name, checksum, applied_at, oldest_program)
VALUES ($1, $2, $3, now(), $4)";

/// How long to pause while another server migrates.
const TURN: Duration = Duration::from_millis(50);
/// The first pause after a table lock was not granted; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// About five minutes of pauses and waits.
const LOCK_ATTEMPTS: u32 = 30;

/// The outcome of one transaction.
enum Step {
    Applied(&'static Migration),
    /// Nothing is left to do; the schema has this version.
    Current(i64),
    /// Another server is migrating.
    Busy,
    /// A table lock was not granted in time.
    Blocked(String),
}

pub(super) async fn run(target: &Target, known: Migrations) -> Result<Migrated, Error> {
    // A separate connection, closed afterwards: no reader has a statement that was prepared before the migration.
    let (client, connection) = target.config.connect(target.tls.clone()).await.map_err(|error| unavailable(&error))?;
    let driver = tokio::spawn(connection);
    let outcome = all(&client, known).await;
    drop(client);
    let _ = driver.await;
    let migrated = outcome?;
    indexes::build(target, known).await?;
    Ok(migrated)
}

async fn all(client: &Client, known: Migrations) -> Result<Migrated, Error> {
    let mut applied = Vec::new();
    let mut blocked = 0;
    loop {
        match one(client, known).await? {
            Step::Applied(migration) => {
                applied.push(migration.name.to_owned());
                blocked = 0;
            }
            Step::Current(version) => return Ok(Migrated { applied, version }),
            Step::Busy => tokio::time::sleep(TURN).await,
            Step::Blocked(reason) => {
                blocked += 1;
                if blocked == LOCK_ATTEMPTS {
                    return Err(Error::Migration(format!(
                        "{reason}: another transaction held a lock through {LOCK_ATTEMPTS} attempts; \
                         find it in pg_stat_activity, end it and start again"
                    )));
                }
                tracing::warn!(reason, attempt = blocked, "a migration is waiting for a table lock");
                tokio::time::sleep(pause(blocked)).await;
            }
        }
    }
}

/// Long enough for the requests that queued up behind the lock to be served.
fn pause(blocked: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(1 << blocked.saturating_sub(1).min(8)).min(LONGEST_PAUSE)
}

/// Applies the next migration, if there is one.
async fn one(client: &Client, known: Migrations) -> Result<Step, Error> {
    client.batch_execute(BEGIN).await.map_err(|error| unavailable(&error))?;
    let outcome = apply_next(client, known).await;
    let end = match outcome {
        Ok(Step::Applied(_) | Step::Current(_)) => "COMMIT",
        _ => "ROLLBACK",
    };
    let ended = client.batch_execute(end).await.map_err(|error| unavailable(&error));
    outcome.and_then(|step| ended.map(|()| step))
}

async fn apply_next(client: &Client, known: Migrations) -> Result<Step, Error> {
    let lock = client.query_typed_one(LOCK, &[]).await.map_err(|error| unavailable(&error))?;
    if !lock.try_get::<_, bool>(0).map_err(|error| unavailable(&error))? {
        return Ok(Step::Busy);
    }
    if let Some(blocked) = make_table(client).await? {
        return Ok(blocked);
    }
    let applied = applied(client).await?;
    let Some(migration) = known.next(&applied)? else {
        return Ok(Step::Current(applied.iter().map(|row| row.version).max().unwrap_or(0)));
    };
    if let Err(error) = client.batch_execute(migration.text).await {
        let reason = format!("migration {} failed: {}", migration.name, describe(&error));
        return if is_blocked(&error) { Ok(Step::Blocked(reason)) } else { Err(Error::Migration(reason)) };
    }
    let params: [(&(dyn ToSql + Sync), _); 4] = [
        (&migration.version, Type::INT8),
        (&migration.name, Type::TEXT),
        (&migration.checksum(), Type::BYTEA),
        (&migration.oldest_program, Type::INT8),
    ];
    client.execute_typed(RECORD, &params).await.map_err(|error| unavailable(&error))?;
    Ok(Step::Applied(migration))
}

/// The table of applied migrations, with the column that older programs did not create.
async fn make_table(client: &Client) -> Result<Option<Step>, Error> {
    let state = client.query_typed_one(TABLE_STATE, &[]).await.map_err(|error| unavailable(&error))?;
    let is = |column: usize| state.try_get::<_, bool>(column).map_err(|error| unavailable(&error));
    let statement = match (is(0)?, is(1)?) {
        (false, _) => TABLE,
        (true, false) => ADD_COLUMN,
        (true, true) => return Ok(None),
    };
    match client.batch_execute(statement).await {
        Ok(()) => Ok(None),
        Err(error) if is_blocked(&error) => Ok(Some(Step::Blocked(describe(&error)))),
        Err(error) => Err(unavailable(&error)),
    }
}

async fn applied(client: &Client) -> Result<Vec<Applied>, Error> {
    let rows = client.query_typed(APPLIED, &[]).await.map_err(|error| unavailable(&error))?;
    rows.iter()
        .map(|row| {
            Ok(Applied {
                version: row.try_get(0).map_err(|error| unavailable(&error))?,
                name: row.try_get(1).map_err(|error| unavailable(&error))?,
                checksum: row.try_get(2).map_err(|error| unavailable(&error))?,
                oldest_program: row.try_get(3).map_err(|error| unavailable(&error))?,
            })
        })
        .collect()
}

fn is_blocked(error: &tokio_postgres::Error) -> bool {
    error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE)
}
