//! A look at a PostgreSQL server and at what stands before it, over connections of its own.

use tokio_postgres::{Client, SimpleQueryMessage};

use super::fault::describe;
use super::tls::Target;
use crate::error::Error;

const SETTINGS: &str = "
SELECT current_setting('server_version_num'), current_setting('fsync'), current_setting('synchronous_commit'),
       pg_is_in_recovery()";

const BACKEND: &str = "SELECT pg_backend_pid()";

/// What a server says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The major version.
    pub version: u32,
    /// Whether it waits for its disk.
    pub fsync: bool,
    /// What a commit waits for.
    pub synchronous_commit: String,
    /// Whether it is a standby, which takes no writes.
    pub is_standby: bool,
    /// What stands before it.
    pub pooling: Pooling,
}

/// How connections are shared before they reach the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// Each has the server for itself: no pooler, or one in session mode.
    None,
    /// For a transaction at a time.
    Transaction,
    /// For a statement at a time, which leaves no room for a transaction.
    Statement,
}

pub(super) async fn run(target: &Target) -> Result<Server, Error> {
    let (one, other) = (connect(target).await?, connect(target).await?);
    let settings = words(&one, SETTINGS).await?;
    let word = |place: usize| settings.get(place).map_or("", String::as_str);
    Ok(Server {
        version: word(0).parse::<u32>().unwrap_or_default() / 10_000,
        fsync: word(1) == "on",
        synchronous_commit: word(2).to_owned(),
        is_standby: word(3) == "t",
        pooling: pooling(&one, &other).await?,
    })
}

async fn pooling(one: &Client, other: &Client) -> Result<Pooling, Error> {
    // Two connections that are open at once and meet the same process share it.
    let shared = words(one, BACKEND).await? == words(other, BACKEND).await?;
    match one.batch_execute("BEGIN").await {
        Ok(()) => one.batch_execute("ROLLBACK").await.map_err(|error| unavailable(&error))?,
        // A server has no reason to refuse this; a pooler in statement mode does, and says so.
        Err(error) if error.as_db_error().is_some() => return Ok(Pooling::Statement),
        Err(error) => return Err(unavailable(&error)),
    }
    Ok(if shared { Pooling::Transaction } else { Pooling::None })
}

async fn connect(target: &Target) -> Result<Client, Error> {
    let (client, connection) = target.config.connect(target.tls.clone()).await.map_err(|error| unavailable(&error))?;
    // It ends with the client.
    tokio::spawn(connection);
    Ok(client)
}

/// The first row, as words: a plain text that no pooler has to keep a statement for.
async fn words(client: &Client, text: &str) -> Result<Vec<String>, Error> {
    let messages = client.simple_query(text).await.map_err(|error| unavailable(&error))?;
    let row = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    let row = row.ok_or_else(|| Error::Internal("a server that says nothing of itself".to_owned()))?;
    Ok((0..row.len()).map(|place| row.get(place).unwrap_or_default().to_owned()).collect())
}

fn unavailable(error: &tokio_postgres::Error) -> Error {
    Error::Unavailable(describe(error))
}
