//! Inspects a PostgreSQL server and the pooler in front of it, over separate connections.

use std::time::Duration;

use tokio_postgres::{Client, SimpleQueryMessage};

use super::database_error::describe;
use super::tls::Target;
use crate::error::Error;

const SETTINGS: &str = "
SELECT current_setting('server_version_num'), current_setting('fsync'), current_setting('synchronous_commit'),
       pg_is_in_recovery()";

const BACKEND: &str = "SELECT pg_backend_pid()";

/// A busy pooler assigns any process it has, so one attempt may not be conclusive.
const ROUNDS: u8 = 5;
/// How long a pooler may take to find another process. A pooler with a single process never does.
const NEXT_PROCESS: Duration = Duration::from_secs(1);

/// The properties of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The major version.
    pub version: u32,
    /// Whether it waits for its disk (`fsync`).
    pub fsync: bool,
    /// What a commit waits for (`synchronous_commit`).
    pub synchronous_commit: String,
    /// Whether it is a standby, which takes no writes.
    pub is_standby: bool,
    /// How connections reach it.
    pub pooling: Pooling,
}

/// How connections are shared before they reach the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// Each has its own server process: no pooler, or one in session mode.
    None,
    /// A pooler in transaction mode.
    Transaction {
        /// Whether a statement prepared in one transaction may be missing in the next; false unless it was tested.
        loses_prepared: bool,
    },
    /// A pooler in statement mode, which does not support transactions.
    Statement,
}

pub(super) async fn run(target: &Target, prepared: bool) -> Result<Server, Error> {
    let (one, other) = (connect(target).await?, connect(target).await?);
    let settings = words(&one, SETTINGS).await?;
    let word = |place: usize| settings.get(place).map_or("", String::as_str);
    Ok(Server {
        version: word(0).parse::<u32>().unwrap_or_default() / 10_000,
        fsync: word(1) == "on",
        synchronous_commit: word(2).to_owned(),
        is_standby: word(3) == "t",
        pooling: pooling(&one, &other, prepared).await?,
    })
}

async fn pooling(one: &Client, other: &Client, prepared: bool) -> Result<Pooling, Error> {
    match one.batch_execute("BEGIN").await {
        Ok(()) => one.batch_execute("ROLLBACK").await.map_err(|error| unavailable(&error))?,
        // A server does not reject this; a pooler in statement mode does.
        Err(error) if error.as_db_error().is_some() => return Ok(Pooling::Statement),
        Err(error) => return Err(unavailable(&error)),
    }
    for _ in 0..ROUNDS {
        // Two connections that are open at the same time and reach the same process share it.
        if words(one, BACKEND).await? == words(other, BACKEND).await? {
            // The test leaves a prepared statement in a server process, so it runs only if statements are prepared at
            // all.
            return Ok(Pooling::Transaction { loses_prepared: prepared && loses_prepared(one, other).await? });
        }
    }
    Ok(Pooling::None)
}

/// Prepares a statement, occupies its server process with another connection, and runs the statement on any other.
async fn loses_prepared(one: &Client, other: &Client) -> Result<bool, Error> {
    let failed = |error| unavailable(&error);
    for round in 0..ROUNDS {
        // A statement that another client left under the same name does not return this number.
        let own = i64::from(std::process::id()) * 10 + i64::from(round);
        one.batch_execute("BEGIN").await.map_err(failed)?;
        let prepared = one.prepare(&format!("SELECT {own}::bigint")).await;
        let knows_it = match &prepared {
            Ok(_) => words(one, BACKEND).await?,
            Err(_) => Vec::new(),
        };
        one.batch_execute("ROLLBACK").await.map_err(failed)?;
        // Or the name is in use.
        let Ok(statement) = prepared else { return Ok(true) };
        other.batch_execute("BEGIN").await.map_err(failed)?;
        let is_held = words(other, BACKEND).await? == knows_it;
        let result = tokio::time::timeout(NEXT_PROCESS, one.query(&statement, &[])).await;
        other.batch_execute("ROLLBACK").await.map_err(failed)?;
        // With a single server process there is no response, and no statement is lost.
        let Ok(result) = result else { return Ok(false) };
        let is_own =
            result.is_ok_and(|rows| rows.iter().all(|row| row.try_get::<_, i64>(0).is_ok_and(|found| found == own)));
        if is_held || !is_own {
            return Ok(!is_own);
        }
    }
    Ok(false)
}

async fn connect(target: &Target) -> Result<Client, Error> {
    let (client, connection) = target.config.connect(target.tls.clone()).await.map_err(|error| unavailable(&error))?;
    // It ends with the client.
    tokio::spawn(connection);
    Ok(client)
}

/// The first row as text, over the simple protocol, which needs no prepared statement.
async fn words(client: &Client, text: &str) -> Result<Vec<String>, Error> {
    let messages = client.simple_query(text).await.map_err(|error| unavailable(&error))?;
    let row = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    let row = row.ok_or_else(|| Error::Internal("the server returned no row".to_owned()))?;
    Ok((0..row.len()).map(|place| row.get(place).unwrap_or_default().to_owned()).collect())
}

fn unavailable(error: &tokio_postgres::Error) -> Error {
    Error::Unavailable(describe(error))
}
