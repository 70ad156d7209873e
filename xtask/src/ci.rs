//! `cargo xtask ci`: everything the project asks of a commit, in one command that installs what it needs.
//! A failed step does not hide the ones after it; the table at the end shows them all. A step that fails runs once more: a
//! mistake fails twice, and what passes only then is shown as unsteady, which is a defect too.

use std::time::{Duration, Instant};

use crate::arguments::Arguments;
use crate::bench;
use crate::clients;
use crate::console;
use crate::console_e2e;
use crate::dependencies;
use crate::fuzz;
use crate::lint_words;
use crate::openapi;
use crate::otlp;
use crate::process::{self, Failure, Result};
use crate::schemathesis;
use crate::test;
use crate::torture;
use crate::transfer;

struct Step {
    name: &'static str,
    run: fn() -> Result,
}

const STEPS: [Step; 15] = [
    Step { name: "test", run: || test::run(&test::Options::default()) },
    Step { name: "fmt", run: || process::run(process::cargo().args(["fmt", "--all", "--check"])) },
    Step { name: "clippy", run: clippy },
    Step { name: "words", run: lint_words::run },
    Step { name: "dependencies", run: dependencies::run },
    Step { name: "openapi", run: openapi::check },
    Step { name: "clients", run: clients::test },
    Step { name: "console", run: console::check },
    Step { name: "console-e2e", run: console_e2e::run },
    Step { name: "schemathesis", run: || schemathesis::run(&schemathesis::Options::default()) },
    Step { name: "otlp", run: otlp::run },
    Step { name: "fuzz", run: || fuzz::run(&fuzz::Options::quick()) },
    Step { name: "torture", run: || torture::run(&torture::Options::quick()) },
    Step { name: "transfer", run: || transfer::run(&transfer::Options::small()) },
    // To see that the instrument works; what it reads on a machine of CI decides nothing.
    Step { name: "bench", run: bench_all },
];

fn bench_all() -> Result {
    bench::run(&bench::Options::quick())?;
    bench::run(&bench::Options::quick_contracts())
}

pub(crate) struct Options {
    steps: Vec<&'static Step>,
}

impl Options {
    pub(crate) fn parse(mut arguments: Arguments) -> Result<Self> {
        let mut names = Vec::new();
        while let Some(name) = arguments.value("--only")? {
            names.push(name);
        }
        arguments.finish()?;
        if let Some(name) = names.iter().find(|name| !is_step(name)) {
            let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
            return Err(Failure::new(format!("`{name}` is not a step; the steps are {}.", known.join(", "))));
        }
        let wanted = |step: &&Step| names.is_empty() || names.iter().any(|name| name == step.name);
        Ok(Self { steps: STEPS.iter().filter(wanted).collect() })
    }
}

pub(crate) fn run(options: &Options) -> Result {
    let mut rows = Vec::new();
    for step in &options.steps {
        process::heading(&format!("CI: {}", step.name));
        let start = Instant::now();
        let outcome = twice(step);
        rows.push((step.name, outcome, start.elapsed()));
    }
    println!("\n{}", table(&rows));
    let failed: Vec<&str> =
        rows.iter().filter(|(_, outcome, _)| *outcome == Outcome::Failed).map(|(name, ..)| *name).collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "failed: {}. A step runs alone with `cargo xtask ci --only {}`.",
        failed.join(", "),
        failed[0]
    )))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Unsteady,
    Failed,
}

/// Runs a step, and once more if it fails.
fn twice(step: &Step) -> Outcome {
    for outcome in [Outcome::Passed, Outcome::Unsteady] {
        match (step.run)() {
            Ok(()) => return outcome,
            Err(failure) => eprintln!("\nerror in {}: {failure}", step.name),
        }
    }
    Outcome::Failed
}

fn is_step(name: &str) -> bool {
    STEPS.iter().any(|step| step.name == name)
}

fn clippy() -> Result {
    process::run(process::cargo().args(["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]))
}

fn table(rows: &[(&str, Outcome, Duration)]) -> String {
    let total: Duration = rows.iter().map(|(_, _, took)| *took).sum();
    let mut lines: Vec<String> = rows
        .iter()
        .map(|(name, outcome, took)| {
            let outcome = match outcome {
                Outcome::Passed => "ok",
                Outcome::Unsteady => "UNSTEADY",
                Outcome::Failed => "FAILED",
            };
            format!("{name:<14}{outcome:<10}{:>8.1} s", took.as_secs_f64())
        })
        .collect();
    lines.push(format!("{:<24}{:>8.1} s", "total", total.as_secs_f64()));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    fn parse(line: &str) -> Result<Vec<&'static str>> {
        let options = Options::parse(Arguments::new(line.split_whitespace().map(str::to_owned)))?;
        Ok(options.steps.iter().map(|step| step.name).collect())
    }

    #[test]
    fn without_a_choice_every_step_runs() {
        assert_eq!(parse("").unwrap().len(), STEPS.len());
    }

    #[test]
    fn chosen_steps_run_in_the_usual_order() {
        assert_eq!(parse("--only clippy --only fmt").unwrap(), ["fmt", "clippy"]);
        assert!(parse("--only format").is_err());
    }

    #[test]
    fn a_step_that_fails_runs_once_more() {
        static RUNS: AtomicU32 = AtomicU32::new(0);
        let odd =
            || if RUNS.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) { Err(Failure::new("odd.")) } else { Ok(()) };
        assert_eq!(twice(&Step { name: "odd", run: odd }), Outcome::Unsteady);
        assert_eq!(twice(&Step { name: "broken", run: || Err(Failure::new("broken.")) }), Outcome::Failed);
        assert_eq!(twice(&Step { name: "fine", run: || Ok(()) }), Outcome::Passed);
    }

    #[test]
    fn the_table_shows_failures_and_the_total() {
        let rows = [
            ("test", Outcome::Passed, Duration::from_secs(61)),
            ("otlp", Outcome::Unsteady, Duration::from_secs(9)),
            ("fmt", Outcome::Failed, Duration::from_millis(1_250)),
        ];
        let expected = "test          ok            61.0 s\n\
                        otlp          UNSTEADY       9.0 s\n\
                        fmt           FAILED         1.2 s\n\
                        total                       71.2 s";
        assert_eq!(table(&rows), expected);
    }
}
