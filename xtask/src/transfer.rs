//! `cargo xtask transfer`: a demo store goes from `SQLite` through NDJSON to `PostgreSQL` and back to `SQLite`, and what
//! comes out is compared with what went in, byte by byte. Imports are killed half-way first, and must leave nothing.
//! Each step is timed, and none may hold more memory than it should, however large the store.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::arguments::Arguments;
use crate::peak::Peak;
use crate::postgres::{Purpose, Server};
use crate::process::{self, Failure, Profile, Result, could_not};

/// What a step may hold at most.
const LIMIT_MEBIBYTES: u64 = 128;
/// `perennial demo --scale` counts in hundredths of 20,000 subscriptions.
const IN_A_HUNDREDTH: u64 = 200;
const SMALL: u64 = 2_000;
const FULL: u64 = 1_000_000;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    subscriptions: u64,
    release: bool,
}

impl Options {
    /// What CI has time for.
    pub(crate) fn small() -> Self {
        Self { subscriptions: SMALL, release: false }
    }

    pub(crate) fn parse(mut arguments: Arguments) -> Result<Self> {
        let full = arguments.flag("--full");
        let release = arguments.flag("--release");
        let wanted = arguments.number("--subscriptions")?;
        arguments.finish()?;
        let subscriptions = match (full, wanted) {
            (true, Some(_)) => return Err(Failure::new("`--full` and `--subscriptions` exclude each other.")),
            (true, None) => FULL,
            (false, wanted) => wanted.unwrap_or(SMALL),
        };
        if subscriptions == 0 || subscriptions % IN_A_HUNDREDTH != 0 {
            return Err(Failure::new(format!("`--subscriptions` must be a multiple of {IN_A_HUNDREDTH}.")));
        }
        Ok(Self { subscriptions, release: full || release })
    }

    fn scale(&self) -> String {
        let hundredths = self.subscriptions / IN_A_HUNDREDTH;
        format!("{}.{:02}", hundredths / 100, hundredths % 100)
    }
}

pub(crate) fn run(options: &Options) -> Result {
    let profile = if options.release { Profile::Release } else { Profile::Dev };
    process::build(&["perennial"], profile)?;
    let program = profile.directory()?.join("perennial");
    let place = process::target()?.join("transfer");
    // What an earlier run has left would be in the way.
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).map_err(could_not(format!("create {}", place.display())))?;
    let postgres = Server::start_for(Purpose::Measure)?;
    let mut journey = Journey { program, place, steps: Vec::new() };
    let outcome = journey.go(options, &postgres.url());
    println!("\n{}", journey.table(&postgres.name()));
    let _ = fs::remove_dir_all(&journey.place);
    outcome?;
    journey.judge()
}

/// A step that was taken.
struct Step {
    name: &'static str,
    records: u64,
    took: Duration,
    peak_kibibytes: u64,
}

struct Journey {
    program: PathBuf,
    place: PathBuf,
    steps: Vec<Step>,
}

impl Journey {
    fn go(&mut self, options: &Options, url: &str) -> Result {
        let (scale, until) = (options.scale(), "2026-11-15T00:00:00Z");
        let file = self.place.join("all.ndjson");
        self.step("demo, SQLite", &["demo", "--scale", &scale, "--until", until, "--data-dir", "first"], "made")?;
        self.step("export, SQLite", &["export", "all.ndjson", "--data-dir", "first"], "records")?;
        self.remove("first");

        // The second end of the journey, and what a killed import leaves, on each engine.
        self.kill_an_import(&file, &["--data-dir", "second"])?;
        self.step("import, SQLite", &["import", "all.ndjson", "--data-dir", "second"], "made")?;
        self.remove("second");
        self.kill_an_import(&file, &["--database-url", url])?;
        self.step("import, PostgreSQL", &["import", "all.ndjson", "--database-url", url], "made")?;
        self.step("copy, PostgreSQL to SQLite", &["copy", "--from", url, "--to", "last"], "rows")?;
        self.compare(&file, &["--data-dir", "last"])?;
        // A copy has one row more, which is no record: the imported organization is on hold.
        let records = |step: &Step| step.records - u64::from(step.name.starts_with("copy"));
        let counts: Vec<u64> = self.steps.iter().map(records).collect();
        if counts.iter().any(|count| *count != counts[0]) {
            return Err(Failure::new(format!("the steps do not agree on how many records there are: {counts:?}")));
        }
        Ok(())
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        // No setting of the developer's own may steer it.
        command.args(words).current_dir(&self.place).env_clear().stdin(Stdio::null());
        command
    }

    /// Runs a command to its end; `count` is the member of its output with the number of records.
    fn step(&mut self, name: &'static str, words: &[&str], count: &str) -> Result {
        println!("{name}");
        let start = Instant::now();
        let child = self.command(words).arg("--json").stdout(Stdio::piped()).spawn();
        let child = child.map_err(could_not(format!("run `perennial {}`", words[0])))?;
        let peak = Peak::of(child.id());
        let output = child.wait_with_output().map_err(could_not("wait for it"))?;
        let (took, peak_kibibytes) = (start.elapsed(), peak.end());
        if !output.status.success() {
            return Err(Failure::new(format!("`perennial {}` failed ({}).", words[0], output.status)));
        }
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let records = match &answer["data"][count] {
            serde_json::Value::Object(kinds) => kinds.values().filter_map(serde_json::Value::as_u64).sum(),
            number => number.as_u64().unwrap_or(0),
        };
        // A demo creates an organization in addition to the records it counts.
        let records = if words[0] == "demo" { records + 1 } else { records };
        self.steps.push(Step { name, records, took, peak_kibibytes });
        Ok(())
    }

    /// Gives an import the first half of the file and kills it while it waits for the rest. Nothing may be left.
    fn kill_an_import(&self, file: &Path, store: &[&str]) -> Result {
        println!("import, killed half-way");
        let mut command = self.command(&[&["import", "-"], store].concat());
        let mut child = command.stdin(Stdio::piped()).spawn().map_err(could_not("run `perennial import`"))?;
        let half = file.metadata().map_err(could_not("look at the export"))?.len() / 2;
        let mut first_half = File::open(file).map_err(could_not("read the export"))?.take(half);
        if let Some(stdin) = child.stdin.as_mut() {
            io::copy(&mut first_half, stdin).map_err(could_not("write to the import"))?;
        }
        child.kill().and_then(|()| child.wait()).map_err(could_not("kill the import"))?;
        let left = process::output(&mut self.command(&[&["export"], store].concat()))?;
        if left.is_empty() {
            return Ok(());
        }
        Err(Failure::new(format!("an import that was killed has left {} records.", left.lines().count())))
    }

    /// Exports a store once more and holds it against the file.
    fn compare(&mut self, file: &Path, store: &[&str]) -> Result {
        let name = "export, and compare";
        println!("{name}");
        let start = Instant::now();
        let child = self.command(&[&["export"], store].concat()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(could_not("run `perennial export`"))?;
        let peak = Peak::of(child.id());
        let file = File::open(file).map_err(could_not("read the export"))?;
        let equal = match child.stdout.take() {
            Some(stdout) => first_difference(BufReader::with_capacity(1 << 16, file), stdout),
            None => Ok(Err(0)),
        };
        let status = child.wait().map_err(could_not("wait for the export"))?;
        let (took, peak_kibibytes) = (start.elapsed(), peak.end());
        match equal.map_err(could_not("compare the exports"))? {
            Ok(records) if status.success() => self.steps.push(Step { name, records, took, peak_kibibytes }),
            Ok(_) => return Err(Failure::new("`perennial export` failed.")),
            Err(line) => {
                return Err(Failure::new(format!("what came back differs from what went out at line {line}.")));
            }
        }
        Ok(())
    }

    fn remove(&self, directory: &str) {
        // It is in the way of nothing but other files.
        let _ = fs::remove_dir_all(self.place.join(directory));
    }

    fn table(&self, postgres: &str) -> String {
        let mut lines =
            vec![format!("{:<28}{:>12}{:>10}{:>12}{:>10}", postgres, "records", "seconds", "a second", "MiB")];
        for Step { name, records, took, peak_kibibytes } in &self.steps {
            let (seconds, peak) = (took.as_secs_f64(), peak_kibibytes / 1024);
            let rate = u128::from(*records) * 1_000 / took.as_millis().max(1);
            lines.push(format!("{name:<28}{records:>12}{seconds:>10.1}{rate:>12}{peak:>10}"));
        }
        lines.join("\n")
    }

    fn judge(&self) -> Result {
        let large = self.steps.iter().find(|step| step.peak_kibibytes > LIMIT_MEBIBYTES * 1024);
        if let Some(step) = large {
            return Err(Failure::new(format!("`{}` held more than {LIMIT_MEBIBYTES} MiB.", step.name)));
        }
        println!("\nWhat came back is what went out, every byte of it; killed imports left nothing.");
        Ok(())
    }
}

/// How many lines both have, or the number of the first that differs.
fn first_difference(mut one: impl Read, mut other: impl Read) -> io::Result<std::result::Result<u64, u64>> {
    let (mut lines, mut here, mut there) = (0, vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let (read, also) = (fill(&mut one, &mut here)?, fill(&mut other, &mut there)?);
        let difference = here[..read].iter().zip(&there[..also]).position(|(one, other)| one != other);
        let same = difference.unwrap_or(read.min(also));
        lines += here[..same].iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>();
        if difference.is_some() || read != also {
            return Ok(Err(lines + 1));
        }
        if read == 0 {
            return Ok(Ok(lines));
        }
    }
}

/// Reads until the buffer is full or there is no more.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(Arguments::new(line.split_whitespace().map(str::to_owned)))
    }

    #[test]
    fn the_size_is_small_full_or_chosen() {
        assert_eq!(parse("").unwrap(), Options::small());
        assert_eq!(parse("--full").unwrap(), Options { subscriptions: FULL, release: true });
        assert_eq!(parse("--full").unwrap().scale(), "50.00");
        assert_eq!(parse("--subscriptions 1000").unwrap().scale(), "0.05");
        assert!(parse("--subscriptions 1001").is_err());
        assert!(parse("--subscriptions 0").is_err());
        assert!(parse("--full --subscriptions 1000").is_err());
    }

    #[test]
    fn the_first_line_that_differs_is_found() {
        let difference = |one: &str, other: &str| first_difference(one.as_bytes(), other.as_bytes()).unwrap();
        assert_eq!(difference("a\nb\n", "a\nb\n"), Ok(2));
        assert_eq!(difference("a\nb\n", "a\nc\n"), Err(2));
        assert_eq!(difference("a\nb\n", "a\n"), Err(2));
        assert_eq!(difference("", ""), Ok(0));
        let long = "x\n".repeat(100_000);
        assert_eq!(difference(&long, &format!("{long}y")), Err(100_001));
    }
}
