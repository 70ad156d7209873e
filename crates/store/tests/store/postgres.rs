//! What only a server can do: hang up, sit behind a pooler, be shared.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use futures_util::future::join_all;
use perennial_store::{Change, Db, Error, Lock, PostgresOptions, Sql, Violation, organizations};

use crate::support::*;

const HANG_UP: &str = "
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'perennial'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_connections_are_replaced() {
    let Some(place) = Place::postgres().await else {
        return;
    };
    let db = place.open().await;
    for round in 0..5 {
        db.commit(child(Change::new(), round, 0)).await.unwrap();
        assert_eq!(count(&db, "SELECT COUNT(*) FROM children").await, i64::try_from(round).unwrap() + 1);
        place.script(HANG_UP).await;
    }
    // Readers and the writer each came back at least once.
    assert!(db.metrics().reconnects >= 5, "{:?}", db.metrics());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_lost_under_load_lose_no_acknowledged_write() {
    let Some(place) = Place::postgres().await else {
        return;
    };
    let db = place.open().await;
    let hanging_up = async {
        for _ in 0..10 {
            tokio::time::sleep(Duration::from_millis(30)).await;
            place.script(HANG_UP).await;
        }
    };
    let writers = (0..16_u64).map(|writer| {
        let db = &db;
        async move {
            let mut written = Vec::new();
            for round in 0..200 {
                let number = writer * 1000 + round;
                match db.commit(child(Change::new(), number, 0)).await {
                    Ok(()) => written.push(number),
                    // The first must not have happened, the second may.
                    Err(Error::Unavailable(_)) => {
                        let again = db.commit(child(Change::new(), number, 0)).await;
                        assert!(!matches!(again, Err(Error::Violated(_))), "{number} was there");
                    }
                    Err(Error::OutcomeUnknown) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
            written
        }
    });
    let (written, ()) = tokio::join!(join_all(writers), hanging_up);
    let by_id = Sql::new("SELECT 1 FROM children JOIN journal USING (id) WHERE id = $1");
    for number in written.iter().flatten() {
        let found = db.one(&by_id, &[id(*number).into()], |row| row.int(0)).await;
        let found = match found {
            Err(Error::Unavailable(_)) => db.one(&by_id, &[id(*number).into()], |row| row.int(0)).await,
            found => found,
        };
        assert_eq!(found.unwrap(), Some(1), "{number} was acknowledged and is lost");
    }
    assert!(written.iter().flatten().count() > 1000);
}

#[tokio::test]
async fn an_unreachable_server_is_said_without_its_password() {
    let options = PostgresOptions::new("postgres://u:hunter2@127.0.0.1:1/d");
    assert!(!format!("{options:?}").contains("hunter2"));
    let error = Db::open_postgres(options).await.err().unwrap();
    assert!(matches!(error, Error::Unavailable(_)));
    assert!(!format!("{error} {error:?}").contains("hunter2"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deadlock_is_replayed_inside_the_store() {
    let Some(place) = Place::postgres().await else {
        return;
    };
    let db = place.open().await;
    for number in [1, 2] {
        db.commit(parent(number)).await.unwrap();
    }
    let (first, second) = if id(1) < id(2) { (1, 2) } else { (2, 1) };
    let other = connect(&place.url()).await;
    let update = |number: u64| {
        let id = u128::from_be_bytes(id(number));
        format!("UPDATE parents SET n = n + 10 WHERE id = '{id:032x}'")
    };
    // The other client takes the second row and then wants the first, against the common order.
    other.batch_execute(&format!("BEGIN; SET LOCAL deadlock_timeout = '10s'; {}", update(second))).await.unwrap();
    let change = tokio::spawn({
        let db = db.clone();
        async move { db.commit(increment(increment(Change::new(), 1), 2)).await }
    });
    let waiting =
        "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    until(async || count(&db, waiting).await > 0).await;
    other.batch_execute(&format!("{}; COMMIT", update(first))).await.unwrap();
    change.await.unwrap().unwrap();
    assert_eq!(count(&db, "SELECT CAST(SUM(n) AS BIGINT) FROM parents").await, 22);
    assert!(db.metrics().replays >= 1);
}

struct Pooler {
    process: Child,
    _directory: tempfile::TempDir,
    port: u16,
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Pooler {
    /// Transaction mode, two server connections for everyone, and a reset that would drop prepared statements.
    async fn start(server: &str) -> Option<Self> {
        let binary = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"]
            .into_iter()
            .find(|path| std::path::Path::new(path).exists())?;
        let config: tokio_postgres::Config = server.parse().unwrap();
        let tokio_postgres::config::Host::Tcp(host) = &config.get_hosts()[0] else {
            return None;
        };
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let directory = tempfile::tempdir().unwrap();
        let settings = directory.path().join("pgbouncer.ini");
        let user = config.get_user().unwrap();
        let password = config.get_password().map(|bytes| String::from_utf8(bytes.to_vec()).unwrap());
        let password = password.map(|password| format!(" password={password}")).unwrap_or_default();
        let text = format!(
            "[databases]\n* = host={host} port={} user={user}{password}\n[pgbouncer]\nlisten_addr=127.0.0.1\n\
             listen_port={port}\nunix_socket_dir=\nauth_type=any\npool_mode=transaction\n\
             default_pool_size=2\nmax_client_conn=100\nserver_reset_query_always=1\nserver_reset_query=DISCARD ALL\n\
             ignore_startup_parameters=extra_float_digits\n",
            config.get_ports()[0],
        );
        std::fs::write(&settings, text).unwrap();
        // PgBouncer does not run as root.
        let as_root = std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        let mut command = if as_root {
            let readable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(directory.path(), readable).unwrap();
            let mut command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups", binary]);
            command
        } else {
            Command::new(binary)
        };
        let process = command.arg("-q").arg(&settings).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let pooler = Self { process, _directory: directory, port };
        for _ in 0..500 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(pooler);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the pooler did not start");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_works_behind_a_pooler_in_transaction_mode() {
    let Some(place) = Place::postgres().await else {
        return;
    };
    let Some(pooler) = Pooler::start(&place.url()).await else {
        return;
    };
    let (_, name) = place.url().rsplit_once('/').map(|(address, name)| (address.to_owned(), name.to_owned())).unwrap();
    let url = format!("postgres://any@127.0.0.1:{}/{name}", pooler.port);
    let open = || Db::open_postgres(PostgresOptions { prepared: false, ..PostgresOptions::new(&url) });
    let servers = [open().await.unwrap(), open().await.unwrap()];
    let (left, right) = tokio::join!(servers[0].migrate(), servers[1].migrate());
    assert_eq!(
        left.unwrap().applied.len() + right.unwrap().applied.len(),
        usize::try_from(count(&servers[0], "SELECT COUNT(*) FROM schema_migrations").await).unwrap()
    );
    servers[0].ping().await.unwrap();

    servers[0].commit(parent(1)).await.unwrap();
    let changes = (0..200_u64).map(|number| {
        let db = &servers[usize::try_from(number % 2).unwrap()];
        async move {
            let change = Change::new().guard(live(1, Lock::Share));
            let twin = number % 50;
            let outcome = db.commit(child(change, twin, 1)).await;
            let seen = count(db, "SELECT COUNT(*) FROM children").await;
            assert!(seen > 0);
            outcome
        }
    });
    let outcomes = join_all(changes).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 50);
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Ok(()) | Err(Error::Violated(Violation::Record)))));
    assert_eq!(count(&servers[1], "SELECT COUNT(*) FROM journal").await, 50);
    for db in servers {
        db.close().await;
    }
}

#[tokio::test]
async fn those_who_read_at_once_read_together_and_each_gets_their_own() {
    let Some(place) = Place::empty_postgres().await else { return };
    let db = place.open().await;
    db.migrate().await.unwrap();
    let rows = "INSERT INTO organizations (id, name, currency, created_at, updated_at, revision)
                SELECT gen_random_uuid(), 'org-' || n, 'USD', now(), now(), gen_random_uuid() FROM generate_series(0, 98) AS n";
    place.script(rows).await;
    let before = db.metrics().statements;
    // One has no row, and one spoils the statement it is part of.
    let names: Vec<String> = (0..100).map(|n| format!("org-{n}")).chain(["spoilt\0".to_owned()]).collect();
    let found = join_all(names.iter().map(|name| organizations::by_name(&db, name))).await;
    for (name, found) in names.iter().zip(&found) {
        match (name.as_str(), found) {
            ("org-99", Ok(None)) | ("spoilt\0", Err(Error::Internal(_))) => {}
            (name, Ok(Some(organization))) => assert_eq!(organization.name.as_str(), name),
            other => panic!("{other:?}"),
        }
    }
    let spared = 101 - (db.metrics().statements - before);
    assert!((30..101).contains(&spared), "{spared} statements were not needed");
}
