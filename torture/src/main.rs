//! The reliability scenarios: Perennial as a process, broken on purpose, and counted afterwards.
//! `cargo xtask torture` builds what it needs and calls this program.
#![expect(clippy::print_stdout, reason = "its lines are read on the terminal")]

mod answers;
mod caller;
mod chains;
mod cluster;
mod crew;
mod evidence;
mod files;
mod home;
mod hourglass;
mod killed_servers;
mod latencies;
mod ledger;
mod linearizable;
mod load;
mod options;
mod proxies;
mod relay;
mod report;
mod rows;
mod scenario;
mod scenarios;
mod strace;
mod threads;
mod writer;

use std::process::ExitCode;
use std::time::Instant;

use perennial_harness::failure::{self, Failure, Result};

use evidence::Evidence;
use options::Options;
use scenario::{Engine, Run, Scenario};

fn main() -> ExitCode {
    match Options::parse(std::env::args().skip(1)).and_then(|options| torture(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\nerror: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// One scenario after another: one that falls short does not hide those after it.
fn torture(options: &Options) -> Result {
    let mut short = Vec::new();
    for scenario in options.scenarios() {
        for engine in options.engines(scenario) {
            if !holds(options, scenario, engine)? {
                short.push(format!("{} on {engine}", scenario.name));
            }
        }
    }
    if short.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("fell short: {}", short.join(", "))))
}

fn holds(options: &Options, scenario: &Scenario, engine: Engine) -> Result<bool> {
    report::heading(scenario, engine, options);
    let evidence = Evidence::new(&options.place, scenario.name, engine, options.seed)?;
    let run = Run {
        seed: options.seed,
        size: options.size,
        engine,
        binary: options.perennial.clone(),
        postgres_programs: options.postgres_programs.clone(),
        evidence: evidence.directory().to_path_buf(),
    };
    let start = Instant::now();
    let in_time = hourglass::turn(options.size.limit(), format!("{} on {engine}", scenario.name));
    let outcome = (scenario.run)(&run);
    drop(in_time);
    let holds = report::outcome(&outcome);
    report::verdict(scenario, engine, options, holds, start.elapsed());
    if holds {
        evidence.remove()?;
    } else {
        evidence.keep(&outcome)?;
    }
    Ok(holds)
}
