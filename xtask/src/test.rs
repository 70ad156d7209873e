//! `cargo xtask test`: everything on `SQLite`, then what reaches a store again on `PostgreSQL`.
//! The first half is plain `cargo test --workspace`, which must pass with nothing installed.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::arguments::Arguments;
use crate::postgres::Server;
use crate::postgres_binaries::want_pgbouncer;
use crate::process::{self, Failure, Result};

/// Tests run on `PostgreSQL` when this names a server, and on `SQLite` otherwise.
const SERVER: &str = "PERENNIAL_TEST_POSTGRES";

/// The test programs that use a store. The others know no engine, so once is enough. Selected within the whole
/// workspace: with `--package` cargo would enable other features and compile everything again.
const STORE_PROGRAMS: [&str; 7] = ["--workspace", "--test", "store", "--test", "api", "--test", "cli"];

#[derive(Debug, Default)]
pub(crate) struct Options {
    sqlite_only: bool,
    cargo_arguments: Vec<String>,
}

impl Options {
    pub(crate) fn parse(mut arguments: Arguments) -> Result<Self> {
        let options = Self { sqlite_only: arguments.flag("--sqlite"), cargo_arguments: arguments.trailing() };
        arguments.finish()?;
        Ok(options)
    }
}

pub(crate) fn run(options: &Options) -> Result {
    let mut halves = vec![half("SQLite".to_owned(), || on_sqlite(options))];
    if !options.sqlite_only {
        halves.push(on_postgres(options));
    }
    println!();
    for half in &halves {
        println!("{}", half.summary());
    }
    match halves.iter().filter(|half| half.failure.is_some()).count() {
        0 => Ok(()),
        _ => Err(Failure::new("some tests failed; see above.")),
    }
}

/// How one engine fared.
struct Half {
    engine: String,
    failure: Option<Failure>,
    took: Duration,
}

impl Half {
    fn summary(&self) -> String {
        let seconds = self.took.as_secs_f64();
        match &self.failure {
            None => format!("{}: ok, {seconds:.1} s", self.engine),
            Some(failure) => format!("{}: FAILED, {seconds:.1} s: {failure}", self.engine),
        }
    }
}

fn half(engine: String, tests: impl FnOnce() -> Result) -> Half {
    process::heading(&format!("Tests on {engine}"));
    let start = Instant::now();
    let failure = tests().err();
    Half { engine, failure, took: start.elapsed() }
}

fn on_sqlite(options: &Options) -> Result {
    let mut command = cargo_test(options, &["--workspace"]);
    process::run(command.env_remove(SERVER))
}

fn on_postgres(options: &Options) -> Half {
    let tests = |url: &str| process::run(cargo_test(options, &STORE_PROGRAMS).env(SERVER, url));

    if let Err(failure) = want_pgbouncer() {
        return half("PostgreSQL".to_owned(), || Err(failure));
    }
    if let Ok(url) = std::env::var(SERVER) {
        return half(format!("the PostgreSQL of {SERVER}"), || tests(&url));
    }
    match Server::start() {
        Ok(server) => half(server.name(), || tests(&server.url())),
        Err(failure) => half("PostgreSQL".to_owned(), || Err(failure)),
    }
}

fn cargo_test(options: &Options, programs: &[&str]) -> Command {
    let mut command = process::cargo();
    command.args(["test", "--locked", "--no-fail-fast"]).args(programs).args(&options.cargo_arguments);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_two_dashes_goes_to_cargo_test() {
        let words = ["--sqlite", "--", "--lib", "--", "--nocapture"];
        let options = Options::parse(Arguments::new(words.map(str::to_owned))).unwrap();
        assert!(options.sqlite_only);
        let command = cargo_test(&options, &["--workspace"]);
        let line: Vec<_> = command.get_args().collect();
        assert_eq!(line, ["test", "--locked", "--no-fail-fast", "--workspace", "--lib", "--", "--nocapture"]);
    }

    #[test]
    fn the_summary_tells_a_failure_from_a_success() {
        let took = Duration::from_millis(12_340);
        let engine = "SQLite".to_owned();
        let mut half = Half { engine, failure: None, took };
        assert_eq!(half.summary(), "SQLite: ok, 12.3 s");
        half.failure = Some(Failure::new("broken."));
        assert_eq!(half.summary(), "SQLite: FAILED, 12.3 s: broken.");
    }
}
