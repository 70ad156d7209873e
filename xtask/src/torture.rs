//! `cargo xtask torture`: builds the service and the instrument and lets the instrument break the one with the other.
//! Everything that counts is in the crate `torture`; here is only what must be there before it can begin, and R10, whose
//! instrument is schemathesis.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arguments::Arguments;
use crate::debian;
use crate::postgres_binaries::Binaries;
use crate::process::{self, Failure, Profile, Result, could_not};
use crate::schemathesis;

/// The scenario that is schemathesis.
const DOCUMENT: &str = "r10";

/// The scenario of three servers behind a proxy and a pooler, and the programs it needs.
pub(crate) const FLEET: &str = "fleet";
const FLEET_PROGRAMS: [&str; 3] = ["haproxy", "pgbouncer", "curl"];

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    quick: bool,
    full: bool,
    scenarios: Vec<String>,
    seed: Option<u64>,
    jobs: Option<u64>,
    engine: Option<String>,
}

/// The scenarios for CI, each less than a minute. R10 is a separate step there.
const QUICK: [&str; 10] = ["r1", "r6", "r7", "r12", "r13", "r14", "r16", "r17-outages", "r18", "r19"];

/// Scenarios wait for leases and limits most of the time, and a quick run judges no timing.
const QUICK_JOBS: u64 = 2;

impl Options {
    pub(crate) fn quick() -> Self {
        Self { quick: true, jobs: Some(QUICK_JOBS), scenarios: QUICK.map(str::to_owned).to_vec(), ..Self::default() }
    }

    fn profile(&self) -> Profile {
        if self.quick { Profile::Dev } else { Profile::Release }
    }

    /// One scenario alone.
    pub(crate) fn only(scenario: &str, arguments: Arguments) -> Result<Self> {
        let options = Self::parse(arguments)?;
        match options.scenarios.first() {
            None => Ok(Self { scenarios: vec![scenario.to_owned()], ..options }),
            Some(word) => {
                Err(Failure::new(format!("`{word}` is not understood here; `cargo xtask help` lists what is.")))
            }
        }
    }

    pub(crate) fn parse(mut arguments: Arguments) -> Result<Self> {
        let options = Self {
            quick: arguments.flag("--quick"),
            full: arguments.flag("--full"),
            seed: arguments.number("--seed")?,
            jobs: arguments.number("--jobs")?,
            engine: arguments.value("--engine")?,
            scenarios: arguments.words(),
        };
        arguments.finish()?;
        if options.quick && options.full {
            return Err(Failure::new("`--quick` and `--full` exclude each other."));
        }
        if options.jobs == Some(0) {
            return Err(Failure::new("`--jobs` must be at least 1."));
        }
        Ok(options)
    }

    fn wants(&self, scenario: &str) -> bool {
        self.scenarios.is_empty() || self.scenarios.iter().any(|wanted| wanted == scenario)
    }

    fn wants_instrument(&self) -> bool {
        self.scenarios.is_empty() || self.scenarios.iter().any(|wanted| wanted != DOCUMENT)
    }

    /// R10: the goal's 100,000 cases are half on one engine and half on the other.
    fn document(&self) -> Result<schemathesis::Options> {
        let (examples, cases) = match (self.quick, self.full) {
            (true, _) => (3, 1),
            (_, true) => (400, 50_000),
            _ => (100, 1),
        };
        let (sqlite, postgres) = match self.engine.as_deref() {
            None => (true, true),
            Some("sqlite") => (true, false),
            Some("postgres") => (false, true),
            Some(other) => return Err(Failure::new(format!("`{other}` is no engine; `sqlite` and `postgres` are."))),
        };
        Ok(schemathesis::Options { examples, cases, seed: self.seed.unwrap_or(1), sqlite, postgres })
    }
}

/// The scenarios that trace the service.
const TRACED: [&str; 2] = ["r2", "r3"];

/// The scenario that needs a pooler.
const POOLED: &str = "r13";

pub(crate) fn run(options: &Options) -> Result {
    let outcome = if options.wants_instrument() { run_instrument(options) } else { Ok(()) };
    // What falls short does not hide what comes after it.
    let document = if options.wants(DOCUMENT) { schemathesis::run(&options.document()?) } else { Ok(()) };
    outcome.and(document)
}

fn run_instrument(options: &Options) -> Result {
    let is_traced = TRACED.iter().any(|scenario| options.wants(scenario));
    if is_traced && process::on_path("strace").is_none() && debian::can_install() {
        debian::install(&["strace"])?;
    }
    if options.wants(FLEET) {
        debian::ensure(&FLEET_PROGRAMS)?;
    }
    if options.wants(POOLED) {
        debian::ensure(&["pgbouncer"])?;
    }
    process::build(&["perennial", "perennial-torture"], options.profile())?;
    process::run(&mut instrument(options)?)
}

fn instrument(options: &Options) -> Result<Command> {
    let target = process::target()?;
    let programs = options.profile().directory()?;
    let mut command = Command::new(programs.join("perennial-torture"));
    command
        .arg("--perennial")
        .arg(programs.join("perennial"))
        .arg("--place")
        .arg(target.join("torture"))
        .arg("--postgres-programs")
        .arg(postgres_programs()?)
        .current_dir(process::root())
        .args(options.quick.then_some("--quick"))
        .args(options.full.then_some("--full"))
        .args(options.scenarios.iter().filter(|scenario| *scenario != DOCUMENT));
    if let Some(seed) = options.seed {
        command.args(["--seed", &seed.to_string()]);
    }
    if let Some(jobs) = options.jobs {
        command.args(["--jobs", &jobs.to_string()]);
    }
    if let Some(engine) = &options.engine {
        command.args(["--engine", engine]);
    }
    Ok(command)
}

/// Where all of them are: a directory on the PATH may hold links to a few.
fn postgres_programs() -> Result<PathBuf> {
    let server = Binaries::find_or_install()?.directory.join("postgres");
    let server = server.canonicalize().map_err(could_not(format!("follow {}", server.display())))?;
    Ok(server.parent().map_or_else(PathBuf::new, Path::to_path_buf))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(Arguments::new(line.split_whitespace().map(str::to_owned)))
    }

    #[test]
    fn scenarios_are_words_and_the_rest_has_names() {
        let options = parse("r1 --seed 7 r6 --engine=sqlite --full --jobs 3").unwrap();
        assert_eq!(options.scenarios, ["r1", "r6"]);
        assert_eq!((options.seed, options.jobs, options.engine.as_deref()), (Some(7), Some(3), Some("sqlite")));
        assert!(options.full && !options.quick);
    }

    #[test]
    fn schemathesis_is_one_of_the_scenarios() {
        let wants = |line: &str| parse(line).map(|options| (options.wants_instrument(), options.wants(DOCUMENT)));
        assert_eq!(wants("").unwrap(), (true, true));
        assert_eq!(wants("r10").unwrap(), (false, true));
        assert_eq!(wants("r1 r10").unwrap(), (true, true));
        assert_eq!(wants("r1").unwrap(), (true, false));
        let full = parse("r10 --full --engine postgres --seed 3").unwrap().document().unwrap();
        assert_eq!((full.cases, full.seed, full.sqlite, full.postgres), (50_000, 3, false, true));
        assert!(parse("r10 --engine mysql").unwrap().document().is_err());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(parse("--quick --full").is_err());
        assert!(parse("--seed many").is_err());
        assert!(parse("r1 --chekc").is_err());
    }
}
