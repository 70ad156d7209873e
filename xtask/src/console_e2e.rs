//! `cargo xtask console-e2e`: the browser tests of the console and the portal, in Debian's Chromium against a debug server.
//! All of them run on SQLite, then one or two of each group of pages on PostgreSQL: what differs between the engines is below
//! the API, whose tests run on both.

use crate::arguments::Arguments;
use crate::clients::npm::{ensure_node, npm};
use crate::debian;
use crate::postgres::Server;
use crate::process::{self, Failure, Result};
use std::env;
use std::path::Path;
use std::process::Command;

const TESTS: &str = "console/e2e";
const POSTGRES: &str = "PERENNIAL_TEST_POSTGRES";
const ADVICE: &str = "The browser tests need Chromium, at /usr/bin/chromium or where the variable CHROMIUM points.
  Debian           sudo apt-get install chromium fonts-dejavu-core";

pub(crate) fn command(mut arguments: Arguments) -> Result {
    let (only_postgres, pictures) = (arguments.flag("--postgres"), arguments.flag("--pictures"));
    arguments.finish()?;
    prepare()?;
    match (only_postgres, pictures) {
        (_, true) => process::run(script("pictures")?.env_remove(POSTGRES)),
        (true, false) => on_postgres("test"),
        (false, false) => all(),
    }
}

pub(crate) fn run() -> Result {
    prepare()?;
    all()
}

/// Installs what the tests need, and builds the server.
fn prepare() -> Result {
    ensure_node()?;
    ensure_chromium()?;
    process::run(process::cargo().args(["build", "--locked", "--workspace", "--bin", "perennial"]))?;
    let directory = process::root().join(TESTS);
    process::run(npm(&directory).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]))
}

fn all() -> Result {
    process::heading("Browser tests on SQLite");
    process::run(script("test")?.env_remove(POSTGRES))?;
    on_postgres("test:selected")
}

/// Runs tests on the server that the environment names, or on a temporary one.
fn on_postgres(name: &str) -> Result {
    process::heading("Browser tests on PostgreSQL");
    if env::var_os(POSTGRES).is_some_and(|url| !url.is_empty()) {
        return process::run(&mut script(name)?);
    }
    let server = Server::start()?;
    process::run(script(name)?.env(POSTGRES, server.url()).env("PATH", path_with(server.programs())))
}

/// A script of the package, with the debug server.
fn script(name: &str) -> Result<Command> {
    let program = process::target()?.join("debug/perennial");
    let mut command = npm(&process::root().join(TESTS));
    command.args(["run", "--silent", name]).env("PERENNIAL_BINARY", program);
    Ok(command)
}

/// The tests create their databases with `psql`.
fn path_with(programs: &Path) -> std::ffi::OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    let directories = env::split_paths(&path).chain([programs.to_owned()]);
    env::join_paths(directories).unwrap_or(path)
}

fn ensure_chromium() -> Result {
    if env::var_os("CHROMIUM").is_some() || process::on_path("chromium").is_some() {
        return Ok(());
    }
    if debian::can_install() {
        debian::install(&["chromium", "fonts-dejavu-core"])?;
    }
    if process::on_path("chromium").is_some() { Ok(()) } else { Err(Failure::new(ADVICE)) }
}
