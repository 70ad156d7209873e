//! Starts peers, each with its own store that contains the same rows.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;

use rusqlite::Connection;

use super::install::{self, quietly};
use crate::failure::{Failure, Result, could_not};
use crate::load::call;
use crate::load::request::Request;
use crate::options::Options;
use crate::results::Results;
use crate::rows::cluster::{Cluster, Layout};
use crate::rows::dataset::Dataset;
use crate::rows::store::Store;
use crate::targets::perennial::EMAIL;
use crate::targets::process::{Process, free_port, wait_until_ready};
use crate::targets::target::{
    BETTER_AUTH, DIRECTUS, FASTAPI, FASTIFY_POSTGRES, FASTIFY_SQLITE, Headers, Protocol, Target,
};

const SQLITE_SCHEMA: &str = include_str!("../../peers/schema.sqlite.sql");
const POSTGRES_SCHEMA: &str = include_str!("../../peers/schema.postgres.sql");
/// It opens nothing but a Directus that lives for this run.
const TOKEN: &str = "bench-bench-bench-bench";

pub(super) fn fastify_sqlite(options: &Options, dataset: Dataset, results: &mut Results) -> Result<Target> {
    let node = install::npm(options, "fastify", results)?;
    let directory = place(options, "fastify-sqlite")?;
    let file = directory.join("store.db");
    Connection::open(&file)?.execute_batch(SQLITE_SCHEMA)?;
    let store = Store::Sqlite(file.clone());
    store.load(Layout::Plain, dataset)?;
    let mut command = node.script("sqlite.js");
    let (process, address) =
        Process::start(FASTIFY_SQLITE, command.env("DATABASE_FILE", file), &directory.join("log"))?;
    Ok(Target { name: FASTIFY_SQLITE, address, process, protocol: Protocol::Plain, store: Some(store) })
}

pub(super) fn fastify_postgres(options: &Options, dataset: Dataset, results: &mut Results) -> Result<Target> {
    let node = install::npm(options, "fastify", results)?;
    let cluster = filled(options, "fastify", dataset)?;
    let directory = place(options, "fastify-postgres")?;
    let mut command = node.script("postgres.js");
    let (process, address) =
        Process::start(FASTIFY_POSTGRES, command.env("DATABASE_URL", &cluster.url), &directory.join("log"))?;
    let store = Some(Store::Postgres(cluster));
    Ok(Target { name: FASTIFY_POSTGRES, address, process, protocol: Protocol::Plain, store })
}

pub(super) fn fastapi(options: &Options, dataset: Dataset, results: &mut Results) -> Result<Target> {
    let home = install::python(options, "fastapi", results)?;
    let cluster = filled(options, "fastapi", dataset)?;
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()?));
    let mut command = Command::new(home.join("venv/bin/uvicorn"));
    command
        .args(["service:app", "--host", "127.0.0.1", "--no-access-log", "--log-level", "warning"])
        .args(["--port", &address.port().to_string()])
        .env("DATABASE_URL", &cluster.url)
        .current_dir(&home);
    let process = Process::start_at(FASTAPI, &mut command, &place(options, "fastapi")?.join("log"))?;
    wait_until_ready(address, "/ready")?;
    Ok(Target { name: FASTAPI, address, process, protocol: Protocol::Plain, store: Some(Store::Postgres(cluster)) })
}

/// Directus serves the tables that it finds in its database to its administrator.
pub(super) fn directus(options: &Options, dataset: Dataset, results: &mut Results) -> Result<Target> {
    let node = install::npm(options, "directus", results)?;
    let cluster = filled(options, "directus", dataset)?;
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()?));
    let command = |what: &str| {
        let mut command = node.script("node_modules/directus/cli.js");
        command.arg(what).env("HOST", "127.0.0.1").env("PORT", address.port().to_string()).envs([
            ("DB_CLIENT", "pg"),
            ("DB_CONNECTION_STRING", cluster.url.as_str()),
            ("SECRET", TOKEN),
            ("ADMIN_EMAIL", EMAIL),
            ("ADMIN_PASSWORD", TOKEN),
            ("ADMIN_TOKEN", TOKEN),
            ("TELEMETRY", "false"),
            ("RATE_LIMITER_ENABLED", "false"),
            ("LOG_LEVEL", "error"),
        ]);
        command
    };
    quietly(&mut command("bootstrap"))?;
    let process = Process::start_at(DIRECTUS, &mut command("start"), &place(options, "directus")?.join("log"))?;
    wait_until_ready(address, "/server/ping")?;
    let headers = vec![("authorization".to_owned(), format!("Bearer {TOKEN}"))];
    let store = Some(Store::Postgres(cluster));
    Ok(Target { name: DIRECTUS, address, process, protocol: Protocol::Directus(headers), store })
}

pub(super) fn better_auth(options: &Options, _: Dataset, results: &mut Results) -> Result<Target> {
    let node = install::npm(options, "better-auth", results)?;
    let directory = place(options, "better-auth")?;
    let mut command = node.script("auth.js");
    let file = directory.join("store.db");
    let (process, address) = Process::start(BETTER_AUTH, command.env("DATABASE_FILE", file), &directory.join("log"))?;
    let headers = sign_up(address)?;
    Ok(Target { name: BETTER_AUTH, address, process, protocol: Protocol::BetterAuth(headers), store: None })
}

/// The header that proves the session from now on.
fn sign_up(address: SocketAddr) -> Result<Headers> {
    let body = format!("{{\"name\":\"Bench\",\"email\":\"{EMAIL}\",\"password\":\"{TOKEN}\"}}");
    let response = call::expect(address, &Request::new("POST", "/api/auth/sign-up/email", &[], &body))?;
    let head = String::from_utf8_lossy(&response.bytes[..response.body_start]).into_owned();
    let cookies: Vec<&str> = head.lines().filter_map(cookie).collect();
    if cookies.is_empty() {
        return Err(Failure::new("signing up gave no cookie"));
    }
    Ok(vec![("cookie".to_owned(), cookies.join("; "))])
}

/// The name and value in a line `set-cookie: name=value; Path=/`.
fn cookie(line: &str) -> Option<&str> {
    let (name, value) = line.split_once(':')?;
    name.eq_ignore_ascii_case("set-cookie").then(|| value.split(';').next().unwrap_or_default().trim())
}

fn filled(options: &Options, name: &str, dataset: Dataset) -> Result<Cluster> {
    let cluster = options.cluster(name).ok_or_else(|| Failure::new("no PostgreSQL was given for it"))?;
    cluster.query(POSTGRES_SCHEMA)?;
    Store::Postgres(cluster.clone()).load(Layout::Plain, dataset)?;
    Ok(cluster)
}

fn place(options: &Options, name: &str) -> Result<PathBuf> {
    let directory = options.place.join(name);
    fs::create_dir_all(&directory).map_err(could_not(format!("create {}", directory.display())))?;
    Ok(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_its_name_and_value() {
        assert_eq!(cookie("Set-Cookie: a=b; Path=/; HttpOnly"), Some("a=b"));
        assert_eq!(cookie("content-type: text/html"), None);
    }
}
