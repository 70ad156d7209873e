//! Applying migrations to PostgreSQL: each in its own transaction under an advisory lock that ends with it, so that
//! any number of servers may start at once, also behind a pooler.

use tokio_postgres::Client;

use super::fault::describe;
use super::tls::Target;
use crate::error::Error;
use crate::migrate::{Applied, Migrated, Migration, POSTGRES, known_version, next};

/// Any number will do, as long as it is ours.
const BEGIN: &str = "
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SELECT pg_advisory_xact_lock(5836920415077)";

/// Asked first: CREATE TABLE IF NOT EXISTS needs the right to create even where it does nothing.
const EXISTS: &str = "SELECT to_regclass('schema_migrations') IS NOT NULL";

const TABLE: &str = "
CREATE TABLE schema_migrations (
    version BIGINT NOT NULL PRIMARY KEY,
    name TEXT COLLATE \"C\" NOT NULL,
    checksum BYTEA NOT NULL,
    applied_at TIMESTAMPTZ NOT NULL
)";

const APPLIED: &str = "SELECT version, name, checksum FROM schema_migrations ORDER BY version";

const RECORD: &str = "
INSERT INTO schema_migrations (version, name, checksum, applied_at)
VALUES ($1, $2, $3, now())";

pub(super) async fn run(target: &Target) -> Result<Migrated, Error> {
    // A connection of its own, gone afterwards: no reader keeps a statement from before.
    let (client, connection) = target.config.connect(target.tls.clone()).await.map_err(|error| unavailable(&error))?;
    let driver = tokio::spawn(connection);
    let mut applied = Vec::new();
    let outcome = loop {
        match one(&client).await {
            Ok(Some(migration)) => applied.push(migration.name.to_owned()),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    drop(client);
    let _ = driver.await;
    outcome.map(|()| Migrated { applied, version: known_version() })
}

/// Applies the next migration, if there is one.
async fn one(client: &Client) -> Result<Option<&'static Migration>, Error> {
    client.batch_execute(BEGIN).await.map_err(|error| unavailable(&error))?;
    let outcome = apply_next(client).await;
    let end = match outcome {
        Ok(Some(_)) => "COMMIT",
        _ => "ROLLBACK",
    };
    let ended = client.batch_execute(end).await.map_err(|error| unavailable(&error));
    outcome.and_then(|migration| ended.map(|()| migration))
}

async fn apply_next(client: &Client) -> Result<Option<&'static Migration>, Error> {
    let exists = client.query_typed_one(EXISTS, &[]).await.map_err(|error| unavailable(&error))?;
    if !exists.try_get::<_, bool>(0).map_err(|error| unavailable(&error))? {
        client.batch_execute(TABLE).await.map_err(|error| unavailable(&error))?;
    }
    let Some(migration) = next(POSTGRES, &applied(client).await?)? else {
        return Ok(None);
    };
    client.batch_execute(migration.text).await.map_err(|error| {
        let cause = describe(&error);
        Error::Migration(format!("migration {} failed: {cause}", migration.name))
    })?;
    let params: [(&(dyn tokio_postgres::types::ToSql + Sync), _); 3] = [
        (&migration.version, tokio_postgres::types::Type::INT8),
        (&migration.name, tokio_postgres::types::Type::TEXT),
        (&migration.checksum(), tokio_postgres::types::Type::BYTEA),
    ];
    client.execute_typed(RECORD, &params).await.map_err(|error| unavailable(&error))?;
    Ok(Some(migration))
}

async fn applied(client: &Client) -> Result<Vec<Applied>, Error> {
    let rows = client.query_typed(APPLIED, &[]).await.map_err(|error| unavailable(&error))?;
    rows.iter()
        .map(|row| {
            Ok(Applied {
                version: row.try_get(0).map_err(|error| unavailable(&error))?,
                name: row.try_get(1).map_err(|error| unavailable(&error))?,
                checksum: row.try_get(2).map_err(|error| unavailable(&error))?,
            })
        })
        .collect()
}

fn unavailable(error: &tokio_postgres::Error) -> Error {
    Error::Unavailable(describe(error))
}
