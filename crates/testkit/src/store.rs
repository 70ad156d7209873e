//! A separate store for each test: a file in a temporary directory, or a database on the server the environment names.
//! On PostgreSQL most of the time would be spent on migrations, so that a migrated database is copied instead.

use perennial_app::context::Entropy;
use perennial_store::{Db, Migration, Migrations, PostgresOptions, SqliteOptions, Waiting};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// Where a test's rows are; gone with the test.
#[derive(Clone)]
pub struct TestStore(Arc<Place>);

enum Place {
    Sqlite(TempDir),
    Postgres(String),
}

impl TestStore {
    /// An empty store on the engine of this run.
    pub async fn create() -> Self {
        Self::copied(async |_| "template1").await
    }

    /// A store without records on the engine of this run. On PostgreSQL it is migrated.
    pub async fn migrated() -> Self {
        Self::copied(template).await
    }

    async fn copied(template: impl AsyncFnOnce(&str) -> &'static str) -> Self {
        let place = match std::env::var("PERENNIAL_TEST_POSTGRES") {
            Ok(server) => Place::Postgres(create_database(&server, template(&server).await).await),
            Err(_) => Place::Sqlite(TempDir::new().unwrap()),
        };
        Self(Arc::new(place))
    }

    /// A copy of a PostgreSQL database that no connection uses.
    pub async fn copy_of(url: &str) -> Self {
        let server = std::env::var("PERENNIAL_TEST_POSTGRES").expect("the database is on the server of this run");
        let (_, name) = url.rsplit_once('/').expect("the URL names a database");
        Self(Arc::new(Place::Postgres(create_database(&server, name).await)))
    }

    /// Whether it is on PostgreSQL.
    pub fn is_postgres(&self) -> bool {
        matches!(*self.0, Place::Postgres(_))
    }

    /// The URL of the database, if it is on PostgreSQL.
    pub fn url(&self) -> Option<&str> {
        match &*self.0 {
            Place::Postgres(url) => Some(url),
            Place::Sqlite(_) => None,
        }
    }

    /// The bytes of its files, one after the other; none if it is on PostgreSQL.
    pub fn files(&self) -> Vec<u8> {
        let Place::Sqlite(directory) = &*self.0 else { return Vec::new() };
        let entries = std::fs::read_dir(directory.path()).unwrap();
        entries.flat_map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect()
    }

    /// Opens and migrates it.
    pub async fn open(&self) -> Db {
        let db = self.open_as_it_is().await;
        db.migrate().await.unwrap();
        db
    }

    /// Opens and migrates it as a later program would, which carries this migration more.
    pub async fn open_later(&self, later: Migration) -> Db {
        let db = self.open_with(Some(later)).await;
        db.migrate().await.unwrap();
        db
    }

    /// Opens it without migrating it.
    pub async fn open_as_it_is(&self) -> Db {
        self.open_with(None).await
    }

    async fn open_with(&self, later: Option<Migration>) -> Db {
        let followed = |own: Migrations| later.map_or(own, |later| own.followed_by(later));
        // A slow machine fails no test.
        let waiting = Waiting { time: Duration::from_mins(1), ..Waiting::default() };
        match &*self.0 {
            Place::Sqlite(directory) => {
                let path = directory.path().join("perennial.db");
                let migrations = followed(Migrations::sqlite());
                let options = SqliteOptions { exclusive: false, waiting, migrations, ..SqliteOptions::new(path) };
                Db::open_sqlite(options).await.unwrap()
            }
            Place::Postgres(url) => {
                let migrations = followed(Migrations::postgres());
                Db::open_postgres(PostgresOptions { waiting, migrations, ..PostgresOptions::new(url) }).await.unwrap()
            }
        }
    }
}

/// The database of this process that others are copied from: it has the schema and no rows.
async fn template(server: &str) -> &'static str {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    let migrate = async || {
        let url = create_database(server, "template1").await;
        let db = Db::open_postgres(PostgresOptions::new(&url)).await.unwrap();
        db.migrate().await.unwrap();
        // A database that is in use cannot be copied.
        db.close().await;
        url[url.rfind('/').unwrap() + 1..].to_owned()
    };
    TEMPLATE.get_or_init(migrate).await
}

async fn create_database(server: &str, template: &str) -> String {
    // Runs that share a server may have the same process id, each in its own container; entropy distinguishes them.
    let name = format!("t_{:032x}", u128::from_be_bytes(Entropy::from_system().bytes()));
    let (client, connection) = tokio_postgres::connect(server, tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute(&format!("CREATE DATABASE {name} TEMPLATE {template}")).await.unwrap();
    drop(client);
    connection.await.unwrap().unwrap();
    let (base, _) = server.rsplit_once('/').expect("the server's URL names a database");
    format!("{base}/{name}")
}
