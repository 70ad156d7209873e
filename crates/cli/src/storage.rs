//! Opening the store that the configuration names.

use crate::config::Config;
use crate::failure::Failure;
use perennial_app::context::{App, AppOptions, Chance, Clock};
use perennial_app::first_run;
use perennial_app::keys::{Keys, MasterKey};
use perennial_store::{Db, Error, PostgresOptions, SqliteOptions};
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
        return Err(Failure::new(format!(
            "there is no store in {directory}: start `perennial serve` once, or name another --data-dir"
        )));
    }
    open(config, false).await
}

/// The context of an operator's command on a store of this version. It signs nothing, so its keys are made up.
pub(crate) async fn operator(config: &Config) -> Result<App, Failure> {
    let db = open_beside(config).await?;
    db.ping().await?;
    if !first_run::has_happened(&db).await? {
        return Err(Failure::new(
            "this store is empty: start `perennial serve` once, which makes what every store needs",
        ));
    }
    let chance = Chance::from_system();
    let keys = Keys::derive(&MasterKey::new(chance.bytes()));
    Ok(App::new(db, Clock::System, chance, keys, AppOptions::default()))
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
        return Db::open_postgres(options).await.map_err(|error| match error {
            Error::Unavailable(reason) => Failure::new(format!(
                "PostgreSQL cannot be reached: {reason}; see that it runs and that --database-url is right"
            )),
            other => Failure::new(format!("{other}; correct --database-url")),
        });
    }
    let options = SqliteOptions { exclusive, queue: config.limits.queued_changes, ..SqliteOptions::new(path(config)) };
    Db::open_sqlite(options).await.map_err(|error| match error {
        Error::Unavailable(reason) => {
            let directory = config.data_dir().display();
            Failure::new(format!("{directory} cannot hold the store: {reason}; free it or choose another --data-dir"))
        }
        other => other.into(),
    })
}

fn path(config: &Config) -> PathBuf {
    config.data_dir().join("perennial.db")
}
