//! `cargo xtask fuzz`: libFuzzer on the parsers of the edge, with stable Rust.
//! The counters it steers by are compiled into the crates of this workspace alone, so that everything else is built once.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::arguments::Arguments;
use crate::debian;
use crate::process::{self, Failure, Result, could_not};

const SECONDS: u32 = 20;
/// For CI, where the corpus does not grow from run to run.
const QUICK_SECONDS: u32 = 10;
const SEED: u32 = 1;
/// Bodies are bounded by 256 KiB; what a parser does wrong it does wrong on far less.
const LONGEST_INPUT_BYTES: u32 = 4096;
const MEMORY_MEBIBYTES: u32 = 1024;
/// An input that takes longer has found something too.
const SLOWEST_SECONDS: u32 = 10;

pub(crate) struct Options {
    targets: Vec<String>,
    seconds: u32,
    seed: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { targets: Vec::new(), seconds: SECONDS, seed: SEED }
    }
}

impl Options {
    pub(crate) fn quick() -> Self {
        Self { seconds: QUICK_SECONDS, ..Self::default() }
    }

    pub(crate) fn parse(mut arguments: Arguments) -> Result<Self> {
        let seconds = arguments.number("--seconds")?.unwrap_or(SECONDS);
        let seed = arguments.number("--seed")?.unwrap_or(SEED);
        let targets = arguments.words();
        arguments.finish()?;
        // libFuzzer takes both for "no bound" and "draw one".
        if seconds == 0 || seed == 0 {
            return Err(Failure::new("`--seconds` and `--seed` must be at least 1."));
        }
        Ok(Self { targets, seconds, seed })
    }
}

pub(crate) fn run(options: &Options) -> Result {
    let known = known_targets()?;
    if let Some(name) = options.targets.iter().find(|name| !known.contains(*name)) {
        let known: Vec<String> = known.into_iter().collect();
        return Err(Failure::new(format!("`{name}` is not a target; the targets are {}.", known.join(", "))));
    }
    let program = build()?;
    let wanted = |name: &&String| options.targets.is_empty() || options.targets.contains(name);
    let targets: Vec<&String> = known.iter().filter(wanted).collect();
    process::heading(&format!("Fuzzing {} targets for {} s each", targets.len(), options.seconds));
    let rows = fuzz_all(&program, &targets, options)?;
    println!("\n{:<22}{:>14}{:>10}", "target", "executions", "crashes");
    for (target, outcome) in &rows {
        println!("{target:<22}{:>14}{:>10}", outcome.executions, u8::from(outcome.found.is_some()));
    }
    match rows.iter().find(|(_, outcome)| outcome.found.is_some()) {
        None => Ok(()),
        Some((target, _)) => Err(Failure::new(format!(
            "{target} found a failing input and stored it. Fix the cause, add the input to fuzz/corpus/{target} \
             and run `cargo test -p perennial-fuzz`."
        ))),
    }
}

/// Fuzzes as many targets at once as there are cores.
fn fuzz_all<'a>(program: &Path, targets: &[&'a String], options: &Options) -> Result<Vec<(&'a String, Outcome)>> {
    let waiting = Mutex::new(targets.iter());
    let worker = || {
        let mut rows = Vec::new();
        loop {
            // The lock is free again before the target is run.
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(target) = next else { return Ok(rows) };
            let outcome = fuzz(program, target, options)?;
            println!("{}", outcome.line(target));
            rows.push((*target, outcome));
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let rows = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect::<Result<Vec<_>>>()
    })?;
    let mut rows: Vec<_> = rows.into_iter().flatten().collect();
    rows.sort_by_key(|(target, _)| *target);
    Ok(rows)
}

/// A target has a corpus, and its corpus is a directory.
fn known_targets() -> Result<BTreeSet<String>> {
    let corpus = process::root().join("fuzz/corpus");
    let entries = fs::read_dir(&corpus).map_err(could_not(format!("read {}", corpus.display())))?;
    Ok(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
}

fn build() -> Result<PathBuf> {
    if process::on_path("c++").is_none() && debian::can_install() {
        debian::install(&["g++"])?;
    }
    let mut command = process::cargo();
    command
        .args(["build", "--locked", "--workspace", "--bin", "perennial-fuzz", "--features", "perennial-fuzz/libfuzzer"])
        .env("RUSTC_WORKSPACE_WRAPPER", process::root().join("fuzz/coverage.sh"));
    process::run(&mut command)?;
    process::binary("perennial-fuzz")
}

/// What came of one target.
struct Outcome {
    executions: u64,
    found: Option<String>,
}

impl Outcome {
    fn line(&self, target: &str) -> String {
        match &self.found {
            None => format!("{target}: {} executions, nothing found", self.executions),
            Some(found) => format!("{target}: {found}"),
        }
    }
}

fn fuzz(program: &Path, target: &str, options: &Options) -> Result<Outcome> {
    let home = process::target()?.join("fuzz").join(target);
    let (grown, found) = (home.join("corpus"), home.join("found"));
    for directory in [&grown, &found] {
        fs::create_dir_all(directory).map_err(could_not(format!("make {}", directory.display())))?;
    }
    let output = Command::new(program)
        .arg(format!("-max_total_time={}", options.seconds))
        .arg(format!("-seed={}", options.seed))
        .arg(format!("-max_len={LONGEST_INPUT_BYTES}"))
        .arg(format!("-rss_limit_mb={MEMORY_MEBIBYTES}"))
        .arg(format!("-timeout={SLOWEST_SECONDS}"))
        .arg(format!("-artifact_prefix={}/", found.display()))
        .arg("-print_final_stats=1")
        .arg(&grown)
        .arg(process::root().join("fuzz/corpus").join(target))
        .env("PERENNIAL_FUZZ_TARGET", target)
        .stdin(Stdio::null())
        .output()
        .map_err(could_not("run the fuzzer"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let executions = number_after(&said, "stat::number_of_executed_units:").unwrap_or(0);
    if output.status.success() && executions > 0 {
        return Ok(Outcome { executions, found: None });
    }
    // The last lines say what happened and where the input is.
    let lines: Vec<&str> = said.lines().collect();
    println!("{}", lines[lines.len().saturating_sub(60)..].join("\n"));
    let kept = said.lines().find_map(|line| line.split_once("Test unit written to ").map(|(_, path)| path.to_owned()));
    Ok(Outcome { executions, found: Some(kept.unwrap_or_else(|| format!("the fuzzer ended with {}", output.status))) })
}

fn number_after(text: &str, label: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(label)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(Arguments::new(line.split_whitespace().map(str::to_owned)))
    }

    #[test]
    fn targets_and_bounds_are_told_apart() {
        let options = parse("slug --seconds 3 decimal --seed=9").unwrap();
        assert_eq!((options.seconds, options.seed), (3, 9));
        assert_eq!(options.targets, ["slug", "decimal"]);
        assert_eq!(parse("").unwrap().seconds, SECONDS);
        assert!(parse("--minutes 1").is_err() && parse("--seconds 0").is_err() && parse("--seed 0").is_err());
    }

    #[test]
    fn executions_are_read_from_the_statistics() {
        let said = "#12 DONE\nstat::number_of_executed_units: 34567\nstat::peak_rss_mb: 50\n";
        assert_eq!(number_after(said, "stat::number_of_executed_units:"), Some(34_567));
        assert_eq!(number_after("", "stat::number_of_executed_units:"), None);
    }
}
