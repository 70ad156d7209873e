//! What is printed: a scenario's name and seed, the command that repeats it, and a line for each thing counted.

use std::time::Duration;

use crate::failure::Result;
use crate::options::Options;
use crate::scenario::{Engine, Measured, Scenario, Size};

pub(crate) fn heading(scenario: &Scenario, engine: Engine, options: &Options) {
    println!("\n==> {} on {engine}: {}", scenario.name, scenario.about);
    println!("  seed {}; again: {}", options.seed, command(scenario, engine, options));
}

fn command(scenario: &Scenario, engine: Engine, options: &Options) -> String {
    let size = match options.size {
        Size::Usual => String::new(),
        other => format!(" --{}", other.name()),
    };
    format!("cargo xtask torture {} --engine {engine} --seed {}{size}", scenario.name, options.seed)
}

/// Prints the result of a scenario and returns whether it passed.
pub(crate) fn outcome(outcome: &Result<Vec<Measured>>) -> bool {
    match outcome {
        Ok(lines) => {
            for measured in lines {
                println!("  {}", line(measured));
            }
            // A scenario that counted nothing has shown nothing.
            !lines.is_empty() && lines.iter().all(|line| line.holds)
        }
        Err(failure) => {
            println!("  error: {failure}");
            false
        }
    }
}

/// The one line to remember.
pub(crate) fn verdict(scenario: &Scenario, engine: Engine, options: &Options, holds: bool, took: Duration) {
    let (name, size, seed) = (scenario.name, options.size.name(), options.seed);
    let verdict = if holds { "holds" } else { "FALLS SHORT" };
    println!("  {name} on {engine}, {size}, seed {seed}: {verdict} after {:.1} s", took.as_secs_f64());
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
        assert!(outcome(&Ok(vec![good()])));
        assert!(!outcome(&Ok(vec![good(), bad()])));
        assert!(!outcome(&Ok(Vec::new())));
        assert!(!outcome(&Err(Failure::new("broken"))));
    }
}
