//! Opening the store that the configuration names.

use crate::config::Config;
use crate::failure::Failure;
use crate::master_key;
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
    if config.database_url.is_none() {
        existing_path(config)?;
    }
    open(config, false).await
}

/// Opens it for a look that changes nothing, whatever state it is in.
pub(crate) async fn open_to_look(config: &Config) -> Result<Db, Failure> {
    match &config.database_url {
        // Statements that are not prepared get past every pooler.
        Some(url) => open_postgres(PostgresOptions { prepared: false, ..PostgresOptions::new(&url.0) }).await,
        None => {
            let options = SqliteOptions { read_only: true, exclusive: false, ..SqliteOptions::new(path(config)) };
            Ok(Db::open_sqlite(options).await?)
        }
    }
}

/// The file of the SQLite store, if there is one.
pub(crate) fn existing_path(config: &Config) -> Result<PathBuf, Failure> {
    let path = path(config);
    if path.exists() {
        return Ok(path);
    }
    let directory = config.data_dir.display();
    Err(Failure::new(format!(
        "there is no store in {directory}: start `perennial serve` once, or name another --data-dir"
    )))
}

/// Whether a command seals, opens or signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// It does none of it, so its keys are made up.
    NotNeeded,
    /// It does if it can.
    IfAtHand,
    /// It cannot do without.
    Needed,
}

/// The context of an operator's command on a store of this version.
pub(crate) async fn operator(config: &Config, need: Key, options: AppOptions) -> Result<App, Failure> {
    let given = match need {
        Key::NotNeeded => None,
        Key::IfAtHand | Key::Needed => master_key::given(config)?,
    };
    let db = open_beside(config).await?;
    db.ping().await?;
    if !first_run::has_happened(&db).await? {
        return Err(Failure::new(
            "this store is empty: start `perennial serve` once, which makes what every store needs",
        ));
    }
    let chance = Chance::from_system();
    let made_up = || MasterKey::new(chance.bytes());
    let keys = match &given {
        Some(key) => Keys::derive(key),
        None if need == Key::Needed => return Err(master_key::not_at_hand(config)),
        None => Keys::derive(&made_up()),
    };
    let app = App::new(db, Clock::System, chance, keys, options);
    if given.is_some() && !first_run::has_this_key(&app).await? {
        return Err(Failure::new("this store belongs to another master key: use the key it was first run with"));
    }
    Ok(app)
}

/// Opens it, and makes it if it is not there.
pub(crate) async fn open(config: &Config, exclusive: bool) -> Result<Db, Failure> {
    if let Some(url) = &config.database_url {
        let options = PostgresOptions {
            prepared: config.postgres.prepared,
            readers: config.postgres.readers.count(),
            waiting: config.limits.waiting(),
            ..PostgresOptions::new(&url.0)
        };
        return open_postgres(options).await;
    }
    let options = SqliteOptions { exclusive, waiting: config.limits.waiting(), ..SqliteOptions::new(path(config)) };
    Db::open_sqlite(options).await.map_err(|error| match error {
        Error::Unavailable(reason) => {
            let directory = config.data_dir.display();
            Failure::new(format!("{directory} cannot hold the store: {reason}; free it or choose another --data-dir"))
        }
        other => other.into(),
    })
}

async fn open_postgres(options: PostgresOptions) -> Result<Db, Failure> {
    Db::open_postgres(options).await.map_err(|error| match error {
        Error::Unavailable(reason) => Failure::new(format!(
            "PostgreSQL cannot be reached: {reason}; see that it runs and that --database-url is right"
        )),
        other => Failure::new(format!("{other}; correct --database-url")),
    })
}

/// The file of the SQLite store.
pub(crate) fn path(config: &Config) -> PathBuf {
    config.data_dir.join("perennial.db")
}
