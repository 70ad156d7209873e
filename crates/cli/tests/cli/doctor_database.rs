//! `perennial doctor` on PostgreSQL: not available, behind a pooler, with a different clock.

use crate::doctor::Seen;
use crate::support::{MASTER_KEY, PATIENCE, Place, eventually, skipped};
use perennial_store::Sql;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

#[test]
fn a_database_that_cannot_be_reached_is_found_and_the_rest_looked_at() {
    let place = Place::sqlite();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("postgres://ada:hunter2@127.0.0.1:{port}/perennial");
    let mut command = place.program();
    command.args(["doctor", "--json", "--database-url", &url]);
    let seen = Seen::of(command.env("PERENNIAL_MASTER_KEY", MASTER_KEY));
    seen.has_one_problem("store", &["cannot be reached", "--database-url"]);
    assert!(!seen.data.to_string().contains("hunter2"), "{}", seen.data);
    for check in ["configuration", "proxies", "data_directory"] {
        assert_eq!(seen.found(check, "ok").len(), 1, "{check}: {:#}", seen.data);
    }
    let seen = Seen::at(&place, &["--database-url", "mysql://x"]);
    seen.says("store", "problem", &["postgres://"]);
    seen.says("master_key", "problem", &["openssl rand -hex 32"]);
}

#[test]
fn a_database_that_never_answers_is_found_too() {
    let place = Place::sqlite();
    // The kernel accepts the connection, and no response is ever sent.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://ada@{}/perennial", silent.local_addr().unwrap());
    let mut command = place.program();
    command.args(["doctor", "--json", "--database-url", &url]).env("PERENNIAL_MASTER_KEY", MASTER_KEY);
    Seen::of(&mut command).has_one_problem("store", &["not answered within 5 seconds", "--database-url"]);
}

/// `clock_timestamp()` of our own, found before the server's.
static OTHER_CLOCK: Sql = Sql::new(
    "CREATE FUNCTION public.clock_timestamp() RETURNS TIMESTAMPTZ LANGUAGE SQL
     AS 'SELECT pg_catalog.clock_timestamp() - INTERVAL ''10 minutes'''",
);
static OURS_FIRST: Sql = Sql::new(
    "DO 'BEGIN EXECUTE format(''ALTER DATABASE %I SET search_path = public, pg_catalog'', current_database()); END'",
);

#[test]
fn a_clock_that_is_not_the_databases_is_found() {
    let Some(place) = Place::postgres() else { return skipped("needs PERENNIAL_TEST_POSTGRES") };
    drop(place.serve());
    place.tamper(&OTHER_CLOCK);
    place.tamper(&OURS_FIRST);
    Seen::at(&place, &[]).has_one_problem("clock", &["PostgreSQL's", "apart", "NTP"]);
}

struct Pooler {
    process: Child,
    _directory: TempDir,
    port: u16,
    /// The 18 of 1.18.
    minor_version: u32,
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Pooler {
    /// `None` where PgBouncer is not installed.
    fn start(server: &str, mode: &str) -> Option<Self> {
        let binary = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].into_iter().find(|path| Path::new(path).exists())?;
        let server = url::Url::parse(server).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let directory = TempDir::new().unwrap();
        let settings = directory.path().join("pgbouncer.ini");
        let password = server.password().map(|password| format!(" password={password}")).unwrap_or_default();
        let text = format!(
            "[databases]\n* = host={} port={} user={}{password}\n[pgbouncer]\nlisten_addr=127.0.0.1\n\
             listen_port={port}\nunix_socket_dir=\nauth_type=any\npool_mode={mode}\n",
            server.host_str().unwrap(),
            server.port().unwrap_or(5432),
            server.username(),
        );
        std::fs::write(&settings, text).unwrap();
        // PgBouncer refuses to be root.
        let as_root = std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        let mut command = Command::new(if as_root { "setpriv" } else { binary });
        if as_root {
            std::fs::set_permissions(directory.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups", binary]);
        }
        let process = command.arg("-q").arg(&settings).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let version = String::from_utf8(Command::new(binary).arg("--version").output().unwrap().stdout).unwrap();
        let minor_version = version.split('.').nth(1).and_then(|minor| minor.parse().ok()).unwrap_or(u32::MAX);
        let pooler = Self { process, _directory: directory, port, minor_version };
        eventually(PATIENCE, "the pooler", || TcpStream::connect(("127.0.0.1", port)).ok());
        Some(pooler)
    }
}

#[test]
fn the_mode_of_a_pooler_is_found() {
    let Some(place) = Place::postgres() else { return skipped("needs PERENNIAL_TEST_POSTGRES") };
    drop(place.serve());
    Seen::at(&place, &[]).says("pooler", "ok", &["none"]);
    let url = place.url().unwrap();
    let (_, database) = url.rsplit_once('/').unwrap();
    let through = |pooler: &Pooler| format!("postgres://any@127.0.0.1:{}/{database}", pooler.port);
    for (mode, level, parts) in [
        ("transaction", "ok", ["transaction mode", "fine"]),
        ("session", "ok", ["none", "session mode"]),
        ("statement", "problem", ["statement mode", "pool_mode = transaction"]),
    ] {
        let Some(pooler) = Pooler::start(url, mode) else { return skipped("needs PgBouncer") };
        std::fs::write(place.path().join("perennial.toml"), "[postgres]\nprepared = false\n").unwrap();
        let seen = Seen::at(&place, &["--database-url", &through(&pooler)]);
        seen.says("pooler", level, &parts);
        assert_eq!(seen.data["problems"], u64::from(level == "problem"), "{:#}", seen.data);
        std::fs::remove_file(place.path().join("perennial.toml")).unwrap();
        if mode == "transaction" && pooler.minor_version < 21 {
            let seen = Seen::at(&place, &["--database-url", &through(&pooler)]);
            seen.has_one_problem("pooler", &["loses prepared statements", "prepared = false"]);
        }
    }
}
