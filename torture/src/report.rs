//! What is printed: a scenario's name and seed, the command that repeats it, and a line for each thing counted.

use std::fmt::Write as _;
use std::time::Duration;

use crate::failure::Result;
use crate::options::Options;
use crate::scenario::{Engine, Measured, Scenario, Size};

pub(crate) fn heading(scenario: &Scenario, engine: Engine, options: &Options) {
    let again = command(scenario, engine, options);
    println!("\n==> {} on {engine}: {}\n  seed {}; again: {again}", scenario.name, scenario.about, options.seed);
}

fn command(scenario: &Scenario, engine: Engine, options: &Options) -> String {
    let size = match options.size {
        Size::Usual => String::new(),
        other => format!(" --{}", other.name()),
    };
    format!("cargo xtask torture {} --engine {engine} --seed {}{size}", scenario.name, options.seed)
}

/// The lines of a scenario's result, and whether it passed.
pub(crate) fn outcome(outcome: &Result<Vec<Measured>>) -> (String, bool) {
    match outcome {
        Ok(lines) => {
            let text = lines.iter().fold(String::new(), |mut text, measured| {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "  {}", line(measured));
                text
            });
            // A scenario that counted nothing has shown nothing.
            (text, !lines.is_empty() && lines.iter().all(|line| line.holds))
        }
        Err(failure) => (format!("  error: {failure}\n"), false),
    }
}

/// The last line of a scenario.
pub(crate) fn verdict(scenario: &Scenario, engine: Engine, options: &Options, holds: bool, took: Duration) -> String {
    let (name, size, seed) = (scenario.name, options.size.name(), options.seed);
    let verdict = if holds { "holds" } else { "FALLS SHORT" };
    format!("  {name} on {engine}, {size}, seed {seed}: {verdict} after {:.1} s", took.as_secs_f64())
}

pub(crate) fn line(measured: &Measured) -> String {
    let Measured { what, value, goal, holds } = measured;
    let verdict = if *holds { "" } else { "  FALLS SHORT" };
    format!("{what:<58}{value:>14}  goal {goal}{verdict}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;

    #[test]
    fn one_line_that_falls_short_is_enough_and_none_at_all_too() {
        let (good, bad) = (|| Measured::none("lost", 0), || Measured::none("lost", 1));
        let passes = |result| outcome(&result).1;
        assert!(passes(Ok(vec![good()])));
        assert!(!passes(Ok(vec![good(), bad()])));
        assert!(!passes(Ok(Vec::new())));
        assert!(!passes(Err(Failure::new("broken"))));
    }
}
