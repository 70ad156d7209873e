//! `cargo xtask schemathesis`: a running server against its own `OpenAPI` document, on both engines.
//! Seeded and bounded, so that CI asks the same questions each time; all of it stays on loopback.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use perennial_running::Server;
use serde_json::Value;

use crate::arguments::Arguments;
use crate::postgres;
use crate::process::{self, Failure, Result, could_not};
use crate::python;

/// A trusted client's id in its usual shape. It opens nothing but servers that live for this run.
const CLIENT_ID: &str = "pk_SchemathesisRunsWithThisClientId";
/// Likewise: a master key for databases that are thrown away.
const MASTER_KEY: &str = "0000000000000000000000000000000000000000000000000000000000000000";

const START_LIMIT: Duration = Duration::from_secs(30);
/// The server gives what is in flight ten seconds; this is that and some.
const STOP_LIMIT: Duration = Duration::from_secs(20);

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
    process::run(process::cargo().args(["build", "--locked", "--package", "perennial"]))?;

    let mut failures = Vec::new();
    let mut engine = |name: &str, url: Option<String>| -> Result {
        process::heading(&format!("Schemathesis on {name}"));
        let start = Instant::now();
        let place = Place::new(if url.is_some() { "postgres" } else { "sqlite" })?;
        let outcome = on_engine(options, &schemathesis, &place, url.as_deref());
        let seconds = start.elapsed().as_secs_f64();
        match outcome {
            Ok(cases) => println!("\n{name}: ok, {cases} cases, {seconds:.1} s"),
            Err(failure) => {
                println!("\n{name}: FAILED, {seconds:.1} s: {failure}");
                failures.push(format!("{name} ({failure} Reports are in {})", place.0.display()));
            }
        }
        Ok(())
    };

    if options.sqlite {
        engine("SQLite", None)?;
    }
    if options.postgres {
        let server = postgres::Server::start()?;
        engine(&server.name(), Some(server.url()))?;
    }
    if failures.is_empty() {
        return Ok(());
    }
    let failures = failures.join(" and on ");
    Err(Failure::new(format!(
        "the server and its document disagree on {failures}; repeat with `cargo xtask schemathesis --seed {} --examples {} --cases {}`.",
        options.seed, options.examples, options.cases
    )))
}

/// Who signs up and in.
const PERSON: &str = "person@example.com";

/// Where one engine's run keeps its data, its log and its reports, emptied before each run.
struct Place(PathBuf);

impl Place {
    fn new(engine: &str) -> Result<Self> {
        let directory = process::target()?.join("schemathesis").join(engine);
        let complaint = || could_not(format!("empty {}", directory.display()));
        if directory.exists() {
            fs::remove_dir_all(&directory).map_err(complaint())?;
        }
        fs::create_dir_all(&directory).map_err(complaint())?;
        Ok(Self(directory))
    }
}

/// Tests one engine and tells with how many cases.
fn on_engine(options: &Options, st: &Path, place: &Place, url: Option<&str>) -> Result<u64> {
    let mut serve = perennial(place, url)?;
    serve.args(["serve", "--listen", "127.0.0.1:0"]);
    let complaint = || could_not("run the server");
    let mut server = Server::start(&mut serve, &place.0.join("server.log")).map_err(complaint())?;
    server.wait_until_ready(START_LIMIT).map_err(complaint())?;
    let tested = user(place, url).and_then(|user| {
        let api = format!("http://{}", server.address());
        let (mut seed, mut cases) = (options.seed, 0);
        while cases < options.cases {
            let mut command = schemathesis(options.examples, seed, st, place, &api);
            command.env("SCHEMATHESIS_USER_ID", &user).env("SCHEMATHESIS_EMAIL", PERSON);
            let printed = process::run_heard(command.env("SCHEMATHESIS_IDENTITY", identity(place, url)?))
                .map_err(|failure| Failure::new(format!("{failure} Its seed was {seed}.")))?;
            cases +=
                generated(&printed).ok_or_else(|| Failure::new("schemathesis did not say how many cases it ran."))?;
            seed += 1;
        }
        Ok(cases)
    });
    let stopped = server.stop(STOP_LIMIT).map_err(could_not("stop the server"));
    let cases = tested?;
    stopped.map(|()| cases)
}

/// The number in `  2513 generated, 2513 passed, 49 skipped`, unless it is none.
fn generated(printed: &str) -> Option<u64> {
    let number = |line: &str| line.trim().split_once(" generated")?.0.parse().ok();
    printed.lines().find_map(number).filter(|cases| *cases > 0)
}

/// The program, pointed at the run's own store.
fn perennial(place: &Place, url: Option<&str>) -> Result<Command> {
    let mut command = Command::new(process::binary("perennial")?);
    // Away from the root of the workspace, where a developer may keep a `perennial.toml`.
    command.env("PERENNIAL_BOOTSTRAP_CLIENT_ID", CLIENT_ID).current_dir(&place.0);
    match url {
        Some(url) => command.env("PERENNIAL_DATABASE_URL", url).env("PERENNIAL_MASTER_KEY", MASTER_KEY),
        None => command.env("PERENNIAL_DATA_DIR", place.0.join("data")),
    };
    Ok(command)
}

/// A user for generated subscriptions to belong to.
fn user(place: &Place, url: Option<&str>) -> Result<String> {
    let mut command = perennial(place, url)?;
    let output = command
        .args(["user", "create", "--email", "schemathesis@example.com", "--json"])
        .output()
        .map_err(could_not("run `perennial user create`"))?;
    let answer: Option<Value> = serde_json::from_slice(&output.stdout).ok();
    let id = answer.and_then(|answer| answer["data"]["id"].as_str().map(str::to_owned));
    id.ok_or_else(|| Failure::new(format!("no user could be made: {}", String::from_utf8_lossy(&output.stderr).trim())))
}

/// A token that signs somebody up and in.
fn identity(place: &Place, url: Option<&str>) -> Result<String> {
    let output = perennial(place, url)?
        .args(["identity", "token", "--email", PERSON])
        .output()
        .map_err(could_not("run `perennial identity token`"))?;
    let token = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if token.is_empty() {
        let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Failure::new(format!("no identity token could be made: {reason}")));
    }
    Ok(token)
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
        // How fast a busy machine is says nothing about the server.
        .arg("--suppress-health-check=too_slow")
        .arg("--request-timeout=30")
        .arg("--report=junit,har")
        .arg("--report-dir=reports")
        .current_dir(&place.0)
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
        assert_eq!(
            generated("many rejected generated data\nTest cases:\n  2513 generated, 2513 passed, 49 skipped\n"),
            Some(2_513)
        );
        assert_eq!(generated("Test cases:\n  0 generated\n"), None);
        assert_eq!(generated("nothing of the kind"), None);
    }

    #[test]
    fn the_client_id_has_the_shape_of_a_trusted_one() {
        let random = CLIENT_ID.strip_prefix("pk_").unwrap();
        assert_eq!(random.len(), 32);
        assert!(random.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    }
}
