//! A place of a test's own: a working directory and an empty store, gone with the test.

use super::{Output, Server};
use perennial_store::{Change, Db, Migration, Migrations, PostgresOptions, Sql, SqliteOptions, Value};
use perennial_testkit::TestStore;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The key that servers on PostgreSQL are given.
pub(crate) const MASTER_KEY: &str = "00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef";

static SEAL: Sql = Sql::new("SELECT sealed FROM signing_keys");
static SET_SEAL: Sql = Sql::new("UPDATE signing_keys SET sealed = $1");

pub(crate) struct Place {
    directory: TempDir,
    url: Option<String>,
}

impl Place {
    /// On the engine of this run.
    pub(crate) fn new() -> Self {
        Self::postgres().unwrap_or_else(Self::sqlite)
    }

    pub(crate) fn sqlite() -> Self {
        Self { directory: TempDir::new().unwrap(), url: None }
    }

    /// On the engine of this run, without a schema: no program has run on it yet.
    pub(crate) fn without_schema() -> Self {
        Self::postgres_without_schema().unwrap_or_else(Self::sqlite)
    }

    pub(crate) fn postgres_without_schema() -> Option<Self> {
        Self::in_database(&block_on(TestStore::create()))
    }

    /// Where there is a server. The database has the schema: to copy it is faster than to migrate.
    pub(crate) fn postgres() -> Option<Self> {
        Self::in_database(&block_on(TestStore::migrated()))
    }

    fn in_database(store: &TestStore) -> Option<Self> {
        let url = store.url()?.to_owned();
        Some(Self { directory: TempDir::new().unwrap(), url: Some(url) })
    }

    /// A separate database with the rows of this one, which no server may use at this moment; only on PostgreSQL.
    pub(crate) fn copied(&self) -> Option<Self> {
        let copy = block_on(TestStore::copy_of(self.url.as_deref()?));
        Some(Self { directory: TempDir::new().unwrap(), url: copy.url().map(str::to_owned) })
    }

    /// Another working directory over the same database, as another machine would have.
    pub(crate) fn elsewhere(&self) -> Self {
        Self { directory: TempDir::new().unwrap(), url: self.url.clone() }
    }

    pub(crate) fn is_postgres(&self) -> bool {
        self.url.is_some()
    }

    /// Where the database is, if it is PostgreSQL's.
    pub(crate) fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// The working directory.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The data directory.
    pub(crate) fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    /// The program, with nothing but our own settings in its environment.
    pub(crate) fn program(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_perennial"));
        // A backtrace would be printed if there were one.
        command.current_dir(self.path()).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.env("RUST_BACKTRACE", "1").env("PERENNIAL_DATA_DIR", self.data());
        if let Some(url) = &self.url {
            command.env("PERENNIAL_DATABASE_URL", url).env("PERENNIAL_MASTER_KEY", MASTER_KEY);
        }
        command
    }

    /// `perennial serve` on a port that the system chooses.
    pub(crate) fn serve_command(&self) -> Command {
        let mut command = self.program();
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        command
    }

    #[track_caller]
    pub(crate) fn serve(&self) -> Server {
        Server::start(&mut self.serve_command())
    }

    /// Runs a command to its end.
    #[track_caller]
    pub(crate) fn run(&self, words: &[&str]) -> Output {
        Output::of(self.program().args(words))
    }

    /// Removes the events before an instant, also those that figures do not include yet.
    #[track_caller]
    pub(crate) fn prune_events(&self, before: &str) -> Output {
        let words = ["events", "prune", "--before", before, "--json"];
        Output::of(self.program().env("PERENNIAL_ANALYTICS_ENABLED", "false").args(words))
    }

    /// What a command answers with `--json`.
    #[track_caller]
    pub(crate) fn json(&self, words: &[&str]) -> Json {
        self.run(&[words, &["--json"]].concat()).data()
    }

    /// The events without their positions: on PostgreSQL a server assigns them later.
    #[track_caller]
    pub(crate) fn events(&self) -> Json {
        let mut listed = self.json(&["events", "list"]);
        for event in listed.as_array_mut().unwrap() {
            event.as_object_mut().unwrap().remove("sequence");
        }
        listed
    }

    /// One of the three ids in `clients.json`.
    #[track_caller]
    pub(crate) fn first(&self, name: &str) -> String {
        let text = std::fs::read_to_string(self.data().join("clients.json")).unwrap();
        serde_json::from_str::<Json>(&text).unwrap()[name].as_str().unwrap().to_owned()
    }

    /// Runs a statement on the store, past the program.
    pub(crate) fn tamper(&self, sql: &'static Sql) {
        block_on(async {
            let db = self.open().await;
            db.commit(Change::new().execute_any(sql, vec![])).await.unwrap();
            db.close().await;
        });
    }

    /// A number out of the store, past the program.
    pub(crate) fn number(&self, sql: &'static Sql) -> i64 {
        block_on(async { self.open().await.one(sql, &[], |row| row.int(0)).await.unwrap().unwrap() })
    }

    /// Migrates the store as a later version of the program would.
    pub(crate) fn migrate_later(&self, later: Migration) {
        block_on(async {
            let db = self.open_with(Some(later)).await;
            db.migrate().await.unwrap();
            db.close().await;
        });
    }

    /// The seal of the one signing key, past the program.
    pub(crate) fn signing_key_seal(&self) -> Vec<u8> {
        block_on(async { self.open().await.one(&SEAL, &[], |row| row.bytes(0)).await.unwrap().unwrap() })
    }

    pub(crate) fn set_signing_key_seal(&self, sealed: Vec<u8>) {
        block_on(async {
            let db = self.open().await;
            db.commit(Change::new().execute_any(&SET_SEAL, vec![Value::bytes(sealed)])).await.unwrap();
            db.close().await;
        });
    }

    pub(super) async fn open(&self) -> Db {
        self.open_with(None).await
    }

    async fn open_with(&self, later: Option<Migration>) -> Db {
        let followed = |own: Migrations| later.map_or(own, |later| own.followed_by(later));
        let opened = match &self.url {
            Some(url) => {
                let migrations = followed(Migrations::postgres());
                Db::open_postgres(PostgresOptions { migrations, ..PostgresOptions::new(url) }).await
            }
            None => {
                let migrations = followed(Migrations::sqlite());
                let path = self.data().join("perennial.db");
                Db::open_sqlite(SqliteOptions { exclusive: false, migrations, ..SqliteOptions::new(path) }).await
            }
        };
        opened.unwrap()
    }
}

/// Does something while no other process can write to the SQLite store.
pub(crate) fn holding_the_store<T>(place: &Place, work: impl FnOnce() -> T) -> T {
    block_on(async {
        let db = place.open().await;
        let held = db.load().await.unwrap();
        let done = work();
        drop(held);
        db.close().await;
        done
    })
}

pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(future)
}
