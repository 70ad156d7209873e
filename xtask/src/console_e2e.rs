//! `cargo xtask console-e2e`: the browser tests of the console and the portal, in Debian's Chromium against a debug server.
//! They use PostgreSQL if `PERENNIAL_TEST_POSTGRES` is set, and SQLite otherwise.

use crate::arguments::Arguments;
use crate::clients::npm::{ensure_node, npm};
use crate::debian;
use crate::process::{self, Failure, Result};
use std::env;

const TESTS: &str = "console/e2e";
const ADVICE: &str = "The browser tests need Chromium, at /usr/bin/chromium or where the variable CHROMIUM points.
  Debian           sudo apt-get install chromium fonts-dejavu-core";

pub(crate) fn command(arguments: Arguments) -> Result {
    arguments.finish()?;
    run()
}

pub(crate) fn run() -> Result {
    ensure_node()?;
    ensure_chromium()?;
    process::run(process::cargo().args(["build", "--locked", "--workspace", "--bin", "perennial"]))?;
    let directory = process::root().join(TESTS);
    process::run(npm(&directory).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]))?;
    let program = process::target()?.join("debug/perennial");
    process::run(npm(&directory).args(["run", "--silent", "test"]).env("PERENNIAL_BINARY", &program))
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
