//! Opening the store that the configuration names.

use crate::config::Config;
use crate::failure::Failure;
use crate::master_key;
use perennial_app::context::{App, AppOptions, Clock, Entropy};
use perennial_app::first_run;
use perennial_app::keys::{Keys, MasterKey};
use perennial_store::{Db, Error, PostgresOptions, SqliteOptions};
use std::path::{Path, PathBuf};

/// The file of a SQLite store in its directory.
pub(crate) const FILE: &str = "perennial.db";

/// Opens the store as the server that owns it.
pub(crate) async fn open_server(config: &Config) -> Result<Db, Failure> {
    open(config, true).await
}

/// Opens the store for one command. A server may be running.
pub(crate) async fn open_beside(config: &Config) -> Result<Db, Failure> {
    if config.database_url.is_none() {
        existing_path(config)?;
    }
    open(config, false).await
}

/// Opens the store read-only, in any state.
pub(crate) async fn open_to_look(config: &Config) -> Result<Db, Failure> {
    match &config.database_url {
        // Unprepared statements work with every pooler.
        Some(url) => {
            let options = PostgresOptions { prepared: false, ..PostgresOptions::new(&url.0) };
            open_postgres(options, "--database-url").await
        }
        None => {
            let options = SqliteOptions { read_only: true, exclusive: false, ..SqliteOptions::new(path(config)) };
            Ok(Db::open_sqlite(options).await?)
        }
    }
}

/// The file of the SQLite store, if it exists.
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

/// Whether a command needs the master key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// It does not, so its keys are random.
    NotNeeded,
    /// It uses the key if there is one.
    IfAtHand,
    /// It fails without the key.
    Needed,
}

/// The context of an operator's command, for a store of this version.
pub(crate) async fn operator(config: &Config, need: Key, options: AppOptions) -> Result<App, Failure> {
    let given = match need {
        Key::NotNeeded => None,
        Key::IfAtHand | Key::Needed => master_key::keys(config)?,
    };
    let db = open_beside(config).await?;
    db.ping().await?;
    if !first_run::has_happened(&db).await? {
        return Err(Failure::new("this store is empty: start `perennial serve` once to initialize it"));
    }
    let entropy = Entropy::from_system();
    let made_up = || MasterKey::new(entropy.bytes());
    let is_given = given.is_some();
    let keys = match given {
        Some(keys) => keys,
        None if need == Key::Needed => return Err(master_key::not_at_hand(config)),
        None => Keys::derive(&made_up()),
    };
    let app = App::new(db, Clock::System, entropy, keys, options);
    if is_given && !first_run::has_this_key(&app).await? {
        return Err(Failure::new("this store belongs to another master key: use the key it was first run with"));
    }
    Ok(app)
}

/// Opens the store, and creates it if it does not exist.
pub(crate) async fn open(config: &Config, exclusive: bool) -> Result<Db, Failure> {
    match &config.database_url {
        Some(url) => open_postgres(postgres_options(config, &url.0), "--database-url").await,
        None => open_sqlite(config, &config.data_dir, "--data-dir", exclusive).await,
    }
}

/// Opens the store that a flag names by its directory or its URL, and creates it if it does not exist.
pub(crate) async fn open_named(config: &Config, place: &str, flag: &str, exclusive: bool) -> Result<Db, Failure> {
    if is_url(place) {
        open_postgres(postgres_options(config, place), flag).await
    } else {
        open_sqlite(config, Path::new(place), flag, exclusive).await
    }
}

/// Whether a location is a database URL and not a directory.
pub(crate) fn is_url(place: &str) -> bool {
    place.starts_with("postgres://") || place.starts_with("postgresql://")
}

fn postgres_options(config: &Config, url: &str) -> PostgresOptions {
    PostgresOptions {
        prepared: config.postgres.prepared,
        readers: config.postgres.readers.count(),
        waiting: config.limits.waiting(),
        timeouts: config.postgres.timeouts(),
        ..PostgresOptions::new(url)
    }
}

async fn open_postgres(options: PostgresOptions, flag: &str) -> Result<Db, Failure> {
    Db::open_postgres(options).await.map_err(|error| match error {
        Error::Unavailable(reason) => {
            Failure::new(format!("PostgreSQL cannot be reached: {reason}; see that it runs and that {flag} is right"))
        }
        other => Failure::new(format!("{other}; correct {flag}")),
    })
}

async fn open_sqlite(config: &Config, directory: &Path, flag: &str, exclusive: bool) -> Result<Db, Failure> {
    let path = directory.join(FILE);
    let options = SqliteOptions { exclusive, waiting: config.limits.waiting(), ..SqliteOptions::new(path) };
    Db::open_sqlite(options).await.map_err(|error| match error {
        Error::Unavailable(reason) => {
            let directory = directory.display();
            Failure::new(format!("{directory} cannot hold the store: {reason}; free it or choose another {flag}"))
        }
        other => other.into(),
    })
}

/// The file of the SQLite store.
pub(crate) fn path(config: &Config) -> PathBuf {
    config.data_dir.join(FILE)
}
