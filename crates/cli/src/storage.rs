//! Opening the store that the configuration names.

use crate::config::Config;
use crate::failure::Failure;
use perennial_app::context::{App, Chance, Clock};
use perennial_app::keys::{Keys, MasterKey};
use perennial_store::{Db, PostgresOptions, SqliteOptions};
use std::path::PathBuf;

/// Opens it as the server that owns it.
pub(crate) async fn open_server(config: &Config) -> Result<Db, Failure> {
    open(config, true).await
}

/// Opens it for one command, beside a server that may be running.
pub(crate) async fn open_beside(config: &Config) -> Result<Db, Failure> {
    let path = path(config);
    if config.database_url.is_none() && !path.exists() {
        let directory = config.data_dir().display();
        return Err(Failure::new(format!("there is no store in {directory}: start `perennial serve` once, or name another --data-dir")));
    }
    open(config, false).await
}

/// The context of an operator's command on a store of this version. It signs nothing, so its keys are made up.
pub(crate) async fn operator(config: &Config) -> Result<App, Failure> {
    let db = open_beside(config).await?;
    db.ping().await?;
    let chance = Chance::from_system();
    let keys = Keys::derive(&MasterKey::new(chance.bytes()));
    Ok(App::new(db, Clock::System, chance, keys))
}

/// Opens it, and makes it if it is not there.
pub(crate) async fn open(config: &Config, exclusive: bool) -> Result<Db, Failure> {
    if let Some(url) = &config.database_url {
        let options = PostgresOptions {
            prepared: config.postgres.prepared,
            readers: config.postgres.readers.max(1),
            queue: config.limits.queued_changes,
            ..PostgresOptions::new(&url.0)
        };
        return Ok(Db::open_postgres(options).await?);
    }
    let options = SqliteOptions { exclusive, queue: config.limits.queued_changes, ..SqliteOptions::new(path(config)) };
    Ok(Db::open_sqlite(options).await?)
}

fn path(config: &Config) -> PathBuf {
    config.data_dir().join("perennial.db")
}
