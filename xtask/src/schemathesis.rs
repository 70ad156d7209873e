//! `cargo xtask schemathesis`: a running server against its own `OpenAPI` document, on both engines.
//! Seeded and bounded, so that CI asks the same questions each time; all of it stays on loopback.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

use serde_json::Value;

use crate::arguments::Arguments;
use crate::postgres;
use crate::process::{self, Failure, Profile, Result, could_not};
use crate::python;
use crate::served::{CLIENT_ID, Place};

/// All but two: `positive_data_acceptance`, since a schema cannot say that a slug is taken or that a plan must
/// exist, and `object_level_authorization`, which needs a second identity.
const CHECKS: [&str; 12] = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "missing_required_header",
    "unsupported_method",
    "allow_header_conformance",
    "use_after_free",
    "ensure_resource_availability",
    "ignored_auth",
];

/// A proxy would take requests off this machine.
const PROXIES: [&str; 6] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) examples: u32,
    /// At least so many cases on each engine: the next seed follows until there are.
    pub(crate) cases: u64,
    pub(crate) seed: u64,
    pub(crate) sqlite: bool,
    pub(crate) postgres: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { examples: 20, cases: 1, seed: 1, sqlite: true, postgres: true }
    }
}

impl Options {
    pub(crate) fn parse(mut arguments: Arguments) -> Result<Self> {
        let usual = Self::default();
        let options = Self {
            examples: arguments.number("--examples")?.unwrap_or(usual.examples),
            cases: arguments.number("--cases")?.unwrap_or(usual.cases),
            seed: arguments.number("--seed")?.unwrap_or(usual.seed),
            sqlite: usual.sqlite,
            postgres: !arguments.flag("--sqlite"),
        };
        arguments.finish()?;
        Ok(options)
    }
}

pub(crate) fn run(options: &Options) -> Result {
    let schemathesis = python::program("st")?;
    process::build(&["perennial"], Profile::Dev)?;
    // Both engines at the same time: the requests of one keep one core busy. The lines of PostgreSQL follow at the end.
    let (sqlite, postgres) = thread::scope(|scope| {
        let postgres = scope.spawn(|| on_postgres(options, &schemathesis));
        (on_sqlite(options, &schemathesis), postgres.join().expect("the tests on PostgreSQL do not panic"))
    });
    let (postgres, lines) = postgres?;
    println!("{lines}");
    let failures: Vec<String> = [sqlite?, postgres].into_iter().flatten().collect();
    if failures.is_empty() {
        return Ok(());
    }
    let failures = failures.join(" and on ");
    Err(Failure::new(format!(
        "the server and its document disagree on {failures}; repeat with `cargo xtask schemathesis --seed {} --examples {} --cases {}`.",
        options.seed, options.examples, options.cases
    )))
}

fn on_sqlite(options: &Options, st: &Path) -> Result<Option<String>> {
    if !options.sqlite {
        return Ok(None);
    }
    test_engine(options, st, ("SQLite", None), &mut |line| println!("{line}"))
}

/// Also returns the lines that were printed.
fn on_postgres(options: &Options, st: &Path) -> Result<(Option<String>, String)> {
    let mut lines = String::new();
    if !options.postgres {
        return Ok((None, lines));
    }
    let server = postgres::Server::start()?;
    let mut print = |line: &str| lines.extend([line, "\n"]);
    let failure = test_engine(options, st, (&server.name(), Some(server.url())), &mut print)?;
    Ok((failure, lines))
}

/// Tests an engine. Returns the failure with the place of its reports, if there is one.
fn test_engine(
    options: &Options,
    st: &Path,
    (name, url): (&str, Option<String>),
    print: &mut dyn FnMut(&str),
) -> Result<Option<String>> {
    print(&format!("\n==> Schemathesis on {name}"));
    let start = Instant::now();
    let place = Place::new("schemathesis", url)?;
    let outcome = count_cases(options, st, &place, print);
    let seconds = start.elapsed().as_secs_f64();
    Ok(match outcome {
        Ok(cases) => {
            print(&format!("\n{name}: ok, {cases} cases, {seconds:.1} s"));
            None
        }
        Err(failure) => {
            print(&format!("\n{name}: FAILED, {seconds:.1} s: {failure}"));
            Some(format!("{name} ({failure} Reports are in {})", place.directory().display()))
        }
    })
}

/// Who signs up and in.
const PERSON: &str = "person@example.com";

/// Runs schemathesis until there are enough cases, and returns their number.
fn count_cases(options: &Options, st: &Path, place: &Place, print: &mut dyn FnMut(&str)) -> Result<u64> {
    place.serving(|api| {
        let user = user(place)?;
        let (mut seed, mut cases) = (options.seed, 0);
        while cases < options.cases {
            let mut command = schemathesis(options.examples, seed, st, place, api);
            command.env("SCHEMATHESIS_USER_ID", &user).env("SCHEMATHESIS_EMAIL", PERSON);
            // The plans of the seeds before are still there.
            command.env("SCHEMATHESIS_SLUG", format!("kept-{seed}"));
            let mut generated = None;
            let mut read = |line: &str| {
                generated = generated.or_else(|| generated_cases(line));
                print(line);
            };
            process::run_printing(command.env("SCHEMATHESIS_IDENTITY", place.identity(PERSON)?), &mut read)
                .map_err(|failure| Failure::new(format!("{failure} Its seed was {seed}.")))?;
            cases += generated.ok_or_else(|| Failure::new("schemathesis did not print how many cases it ran."))?;
            seed += 1;
        }
        Ok(cases)
    })
}

/// The number in the line `  2513 generated, 2513 passed, 49 skipped`, unless it is 0.
fn generated_cases(line: &str) -> Option<u64> {
    line.trim().split_once(" generated")?.0.parse().ok().filter(|cases| *cases > 0)
}

/// A user for generated subscriptions to belong to.
fn user(place: &Place) -> Result<String> {
    let output = place
        .perennial()?
        .args(["user", "create", "--email", "schemathesis@example.com", "--json"])
        .output()
        .map_err(could_not("run `perennial user create`"))?;
    let answer: Option<Value> = serde_json::from_slice(&output.stdout).ok();
    let id = answer.and_then(|answer| answer["data"]["id"].as_str().map(str::to_owned));
    id.ok_or_else(|| Failure::new(format!("no user could be made: {}", String::from_utf8_lossy(&output.stderr).trim())))
}

fn schemathesis(examples: u32, seed: u64, st: &Path, place: &Place, api: &str) -> Command {
    let mut command = Command::new(st);
    command
        .arg(concat!("--config-file=", env!("CARGO_MANIFEST_DIR"), "/schemathesis.toml"))
        .args(["run", &format!("{api}/openapi.json")])
        .env("SCHEMATHESIS_HOOKS", "schemathesis_hooks")
        .env("PYTHONPATH", env!("CARGO_MANIFEST_DIR"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("SCHEMATHESIS_API", api)
        .env("SCHEMATHESIS_CLIENT_ID", CLIENT_ID)
        .arg(format!("--header=client-id: {CLIENT_ID}"))
        .arg(format!("--checks={}", CHECKS.join(",")))
        .arg("--phases=examples,coverage,fuzzing,stateful")
        .arg(format!("--max-examples={examples}"))
        .arg(format!("--seed={seed}"))
        // More would make the order of requests, and with it the outcome, a matter of luck.
        .arg("--workers=1")
        .arg("--continue-on-failure")
        .arg("--generation-database=none")
        // The speed of a busy machine is no property of the server.
        .arg("--suppress-health-check=too_slow")
        .arg("--request-timeout=30")
        .arg("--report=junit,har")
        .arg("--report-dir=reports")
        .current_dir(place.directory())
        .env("NO_PROXY", "*");
    for proxy in PROXIES {
        command.env_remove(proxy);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_defaults_and_can_be_set() {
        let parse = |line: &str| Options::parse(Arguments::new(line.split_whitespace().map(str::to_owned)));
        let usual = parse("").unwrap();
        assert_eq!((usual.examples, usual.cases, usual.seed, usual.postgres), (20, 1, 1, true));
        let given = parse("--examples 5 --cases 9000 --seed=9 --sqlite").unwrap();
        assert_eq!((given.examples, given.cases, given.seed, given.postgres), (5, 9_000, 9, false));
        assert!(parse("--examples many").is_err());
    }

    #[test]
    fn the_number_of_cases_is_read_from_what_is_printed() {
        assert_eq!(generated_cases("  2513 generated, 2513 passed, 49 skipped"), Some(2_513));
        assert_eq!(generated_cases("many rejected generated data"), None);
        assert_eq!(generated_cases("  0 generated"), None);
    }
}
