//! Indexes of large tables, built concurrently so that writes continue.
//!
//! An index that is missing or invalid after a crash is built by the next server that starts. One server builds while
//! the others wait. The lock is an advisory lock of a second connection's transaction, which works behind a pooler and
//! holds no snapshot: an index that is built concurrently waits for every session that holds one.

use std::time::Duration;

use tokio_postgres::types::Type;
use tokio_postgres::{Client, SimpleQueryMessage};

use super::database_error::{describe, unavailable};
use super::tls::Target;
use crate::error::Error;
use crate::migrate::{Index, Migrations};

const LOCK: &str = "SELECT pg_try_advisory_xact_lock(5836920415078)";

/// The transaction is idle for as long as the build takes.
const HOLD: &str = "
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 0";

/// Those that exist: their names, whether they are valid, and whether a session is still building them.
const STATE: &str = "
SELECT relation.relname::text, index.indisvalid,
       EXISTS (SELECT 1 FROM pg_stat_progress_create_index AS building WHERE building.index_relid = relation.oid)
FROM pg_class AS relation
JOIN pg_index AS index ON index.indexrelid = relation.oid
WHERE relation.relname = ANY($1)
  AND relation.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('schema_migrations'))";

/// A role may have limits that end a build, which takes as long as it takes.
const TIMEOUTS: &str = "SELECT current_setting('statement_timeout') = '0' AND current_setting('lock_timeout') = '0'";
const NO_TIMEOUTS: &str = "SET statement_timeout = 0; SET lock_timeout = 0";
const USUAL_TIMEOUTS: &str = "RESET statement_timeout; RESET lock_timeout";

/// How long to pause while another server builds.
const TURN: Duration = Duration::from_millis(200);

/// How an index was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Missing,
    /// Left behind by a build that was interrupted.
    Invalid,
    /// A session is building it, perhaps one whose server is gone.
    Building,
    Valid,
}

/// Builds what is missing and returns when all indexes are valid.
pub(super) async fn build(target: &Target, known: Migrations) -> Result<(), Error> {
    let indexes: Vec<&Index> = known.indexes().collect();
    if indexes.is_empty() {
        return Ok(());
    }
    let client = connect(target).await?;
    while states(&client, &indexes).await?.iter().any(|(_, state)| *state != State::Valid) {
        let holder = connect(target).await?;
        if hold(&holder).await? {
            build_missing(&client, &indexes).await?;
        }
        // The lock ends with the connection.
        drop(holder);
        tokio::time::sleep(TURN).await;
    }
    Ok(())
}

/// Over the simple protocol: a portal of the extended one would keep its snapshot for as long as the transaction.
async fn hold(holder: &Client) -> Result<bool, Error> {
    holder.batch_execute(HOLD).await.map_err(|error| unavailable(&error))?;
    let messages = holder.simple_query(LOCK).await.map_err(|error| unavailable(&error))?;
    let is_granted = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0) == Some("t"),
        _ => false,
    };
    Ok(messages.iter().any(is_granted))
}

async fn build_missing(client: &Client, indexes: &[&Index]) -> Result<(), Error> {
    // Looked at again under the lock: the server that had it may have built everything.
    for (index, state) in states(client, indexes).await? {
        if state == State::Invalid {
            tracing::warn!(index = index.name, "dropping an index whose build was interrupted");
            run(client, index, &format!("DROP INDEX CONCURRENTLY IF EXISTS {}", index.name)).await?;
        }
        if matches!(state, State::Invalid | State::Missing) {
            tracing::info!(index = index.name, "building an index; writes continue");
            run(client, index, &format!("CREATE INDEX CONCURRENTLY {} ON {}", index.name, index.on)).await?;
        }
    }
    Ok(())
}

async fn run(client: &Client, index: &Index, statement: &str) -> Result<(), Error> {
    let unlimited = client.query_typed_one(TIMEOUTS, &[]).await.map_err(|error| unavailable(&error))?;
    let unlimited: bool = unlimited.try_get(0).map_err(|error| unavailable(&error))?;
    if !unlimited {
        client.batch_execute(NO_TIMEOUTS).await.map_err(|error| unavailable(&error))?;
    }
    let built = client.batch_execute(statement).await;
    if !unlimited {
        client.batch_execute(USUAL_TIMEOUTS).await.map_err(|error| unavailable(&error))?;
    }
    built
        .map_err(|error| Error::Migration(format!("the index {} could not be built: {}", index.name, describe(&error))))
}

async fn states<'a>(client: &Client, indexes: &[&'a Index]) -> Result<Vec<(&'a Index, State)>, Error> {
    let names: Vec<&str> = indexes.iter().map(|index| index.name).collect();
    let rows = client.query_typed(STATE, &[(&names, Type::TEXT_ARRAY)]).await.map_err(|error| unavailable(&error))?;
    let mut states: Vec<(&Index, State)> = indexes.iter().map(|index| (*index, State::Missing)).collect();
    for row in rows {
        let name: &str = row.try_get(0).map_err(|error| unavailable(&error))?;
        let valid: bool = row.try_get(1).map_err(|error| unavailable(&error))?;
        let building: bool = row.try_get(2).map_err(|error| unavailable(&error))?;
        let state = match (valid, building) {
            (true, _) => State::Valid,
            (false, true) => State::Building,
            (false, false) => State::Invalid,
        };
        states.iter_mut().filter(|(index, _)| index.name == name).for_each(|entry| entry.1 = state);
    }
    Ok(states)
}

async fn connect(target: &Target) -> Result<Client, Error> {
    let (client, connection) = target.config.connect(target.tls.clone()).await.map_err(|error| unavailable(&error))?;
    // It ends with the client.
    tokio::spawn(connection);
    Ok(client)
}
