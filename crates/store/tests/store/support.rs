//! A separate database for every test, a small schema, and the statements over it.

use std::path::PathBuf;
use std::time::Duration;

use perennial_store::tables::PLANS;
use perennial_store::{
    Change, Db, Guard, Insert, Lock, Migration, Migrations, PostgresOptions, Sql, SqliteOptions, Type, Value,
    Violation, Waiting,
};
use tempfile::TempDir;

/// Runs each named `async fn(Place)` on both engines.
macro_rules! on_both_engines {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::support::Place::sqlite().await).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                if let Some(place) = crate::support::Place::postgres().await {
                    super::$name(place).await;
                }
            })+
        }
    };
}
pub(crate) use on_both_engines;

/// No change is rejected because a machine is slow.
pub(crate) fn patient() -> Waiting {
    Waiting { time: Duration::from_mins(1), ..Waiting::default() }
}

/// A database that is removed when the test is over.
pub(crate) enum Place {
    Sqlite(TempDir),
    Postgres { server: String, name: String },
}

const SQLITE_SCHEMA: &str = "
CREATE TABLE parents (id BLOB PRIMARY KEY, n INTEGER NOT NULL, deleted INTEGER NOT NULL) STRICT;
CREATE TABLE children (id BLOB PRIMARY KEY, parent_id BLOB NOT NULL, name TEXT NOT NULL CHECK (name <> '')) STRICT;
CREATE TABLE journal (id BLOB PRIMARY KEY, note TEXT) STRICT;
CREATE TABLE keys (organization_id BLOB, client_id BLOB, key TEXT, PRIMARY KEY (organization_id, client_id, key)) STRICT;
CREATE TABLE kinds (id BLOB PRIMARY KEY, b INTEGER, i INTEGER, t TEXT, y BLOB, u BLOB, m INTEGER) STRICT;
CREATE TABLE listed (organization_id BLOB NOT NULL, id BLOB NOT NULL, tier INTEGER NOT NULL, slug TEXT NOT NULL,
    ends_at INTEGER, flag INTEGER NOT NULL, deleted_at INTEGER, PRIMARY KEY (organization_id, id)) STRICT;";

const POSTGRES_SCHEMA: &str = "
CREATE TABLE parents (id UUID PRIMARY KEY, n BIGINT NOT NULL, deleted BOOLEAN NOT NULL);
CREATE TABLE children (id UUID PRIMARY KEY, parent_id UUID NOT NULL, name TEXT NOT NULL CHECK (name <> ''));
CREATE TABLE journal (id UUID PRIMARY KEY, note TEXT);
CREATE TABLE keys (organization_id UUID, client_id UUID, key TEXT, PRIMARY KEY (organization_id, client_id, key));
CREATE TABLE kinds (id UUID PRIMARY KEY, b BOOLEAN, i BIGINT, t TEXT, y BYTEA, u UUID, m TIMESTAMPTZ);
CREATE TABLE listed (organization_id UUID NOT NULL, id UUID NOT NULL, tier BIGINT NOT NULL,
    slug TEXT COLLATE \"C\" NOT NULL, ends_at TIMESTAMPTZ, flag BOOLEAN NOT NULL, deleted_at TIMESTAMPTZ,
    PRIMARY KEY (organization_id, id));";

impl Place {
    /// A SQLite database with the small schema.
    pub(crate) async fn sqlite() -> Self {
        let place = Self::empty_sqlite();
        place.script(SQLITE_SCHEMA).await;
        place
    }

    /// A PostgreSQL database with the small schema, where there is a server.
    pub(crate) async fn postgres() -> Option<Self> {
        let place = Self::empty_postgres().await?;
        place.script(POSTGRES_SCHEMA).await;
        Some(place)
    }

    pub(crate) fn empty_sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    pub(crate) async fn empty_postgres() -> Option<Self> {
        let server = std::env::var("PERENNIAL_TEST_POSTGRES").ok()?;
        // Runs that share a server may have the same process id, each in a separate container.
        let mut chance = [0; 16];
        aws_lc_rs::rand::fill(&mut chance).unwrap();
        let name = format!("store_test_{:032x}", u128::from_be_bytes(chance));
        run_script(&server, &format!("CREATE DATABASE {name}")).await;
        Some(Self::Postgres { server, name })
    }

    pub(crate) fn path(&self) -> PathBuf {
        match self {
            Self::Sqlite(directory) => directory.path().join("data").join("perennial.db"),
            Self::Postgres { .. } => panic!("this place has no file"),
        }
    }

    pub(crate) fn url(&self) -> String {
        match self {
            Self::Sqlite(_) => panic!("this place has no URL"),
            Self::Postgres { server, name } => {
                let (address, _) = server.rsplit_once('/').unwrap();
                format!("{address}/{name}")
            }
        }
    }

    /// Opens the database; a second handle on SQLite works next to the first, as the operator's commands do.
    pub(crate) async fn open(&self) -> Db {
        self.open_with(patient()).await
    }

    /// Opens it as an earlier program would, which carries the migrations up to this one.
    pub(crate) async fn open_earlier(&self, version: i64) -> Db {
        let db = match self {
            Self::Sqlite(_) => {
                let migrations = Migrations::sqlite().up_to(version);
                Db::open_sqlite(SqliteOptions { exclusive: false, migrations, ..SqliteOptions::new(self.path()) }).await
            }
            Self::Postgres { .. } => {
                let migrations = Migrations::postgres().up_to(version);
                Db::open_postgres(PostgresOptions { migrations, ..PostgresOptions::new(self.url()) }).await
            }
        };
        db.unwrap()
    }

    /// Opens it as a later program would, which carries one migration more.
    pub(crate) async fn open_later(&self, later: Migration) -> Db {
        let db = match self {
            Self::Sqlite(_) => {
                let migrations = Migrations::sqlite().followed_by(later);
                let options = SqliteOptions { exclusive: false, migrations, ..SqliteOptions::new(self.path()) };
                Db::open_sqlite(SqliteOptions { waiting: patient(), ..options }).await
            }
            Self::Postgres { .. } => {
                let migrations = Migrations::postgres().followed_by(later);
                let options = PostgresOptions { migrations, ..PostgresOptions::new(self.url()) };
                Db::open_postgres(PostgresOptions { waiting: patient(), ..options }).await
            }
        };
        db.unwrap()
    }

    pub(crate) async fn open_with(&self, waiting: Waiting) -> Db {
        match self {
            Self::Sqlite(_) => {
                let options = SqliteOptions { exclusive: false, waiting, ..SqliteOptions::new(self.path()) };
                Db::open_sqlite(options).await.unwrap()
            }
            Self::Postgres { .. } => {
                let options = PostgresOptions { waiting, ..PostgresOptions::new(self.url()) };
                Db::open_postgres(options).await.unwrap()
            }
        }
    }

    /// Runs statements past the store.
    pub(crate) async fn script(&self, script: &str) {
        match self {
            Self::Sqlite(_) => {
                let path = self.path();
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                let connection = rusqlite::Connection::open(path).unwrap();
                connection.busy_timeout(Duration::from_secs(5)).unwrap();
                connection.execute_batch(script).unwrap();
            }
            Self::Postgres { .. } => run_script(&self.url(), script).await,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Self::Postgres { server, name } = self else {
            return;
        };
        let drop_database = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        let server = server.clone();
        // A runtime cannot wait inside another, and `drop` cannot be async.
        let dropping = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap()
                .block_on(run_script(&server, &drop_database));
        });
        let _ = dropping.join();
    }
}

pub(crate) async fn connect(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

pub(crate) async fn run_script(url: &str, script: &str) {
    connect(url).await.batch_execute(script).await.unwrap();
}

/// Ids that differ, in no particular order.
pub(crate) fn id(number: u64) -> [u8; 16] {
    let scattered = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut id = [0; 16];
    id[..8].copy_from_slice(&scattered.to_be_bytes());
    id[8..].copy_from_slice(&number.to_be_bytes());
    id
}

pub(crate) static PARENT: Insert =
    Insert::new("parents", &[("id", Type::Uuid), ("n", Type::Int), ("deleted", Type::Bool)], "");
pub(crate) static CHILD: Insert = Insert::new(
    "children",
    &[("id", Type::Uuid), ("parent_id", Type::Uuid), ("name", Type::Text)],
    "ON CONFLICT DO NOTHING",
);
pub(crate) static JOURNAL: Insert = Insert::new("journal", &[("id", Type::Uuid), ("note", Type::Text)], "");
pub(crate) static KEY: Insert = Insert::new(
    "keys",
    &[("organization_id", Type::Uuid), ("client_id", Type::Uuid), ("key", Type::Text)],
    "ON CONFLICT DO NOTHING",
);

static PARENT_LIVE: Sql = Sql::new("SELECT 1 FROM parents WHERE id = $1 AND deleted = FALSE");
pub(crate) static INCREMENT: Sql = Sql::new("UPDATE parents SET n = n + 1 WHERE id = $1");

pub(crate) fn parent(number: u64) -> Change {
    let params = vec![id(number).into(), Value::Int(0), false.into()];
    Change::new().insert(&PARENT, params, Violation::Record)
}

/// A child and its journal entry.
pub(crate) fn child(change: Change, number: u64, parent: u64) -> Change {
    let params = vec![id(number).into(), id(parent).into(), "child".into()];
    change.insert(&CHILD, params, Violation::Record).event(&JOURNAL, vec![id(number).into(), "born".into()])
}

pub(crate) fn live(parent: u64, lock: Lock) -> Guard {
    Guard {
        table: &PLANS,
        key: id(parent),
        lock,
        sql: &PARENT_LIVE,
        params: vec![id(parent).into()],
        violation: Violation::Plan,
    }
}

pub(crate) fn increment(change: Change, parent: u64) -> Change {
    change.guard(live(parent, Lock::Exclusive)).execute(&INCREMENT, vec![id(parent).into()], Violation::Record)
}

pub(crate) async fn count(db: &Db, sql: &'static str) -> i64 {
    let sql = Sql::new(sql);
    db.one(&sql, &[], |row| row.int(0)).await.unwrap().unwrap()
}

/// Waits for something that must happen soon.
pub(crate) async fn until(condition: impl AsyncFn() -> bool) {
    for _ in 0..10_000 {
        if condition().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("it never came to that");
}
