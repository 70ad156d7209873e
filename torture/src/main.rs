//! The reliability scenarios: Perennial as a process, broken on purpose, and counted afterwards.
//! `cargo xtask torture` builds what it needs and calls this program.
#![expect(clippy::print_stdout, reason = "its lines are read on the terminal")]

mod caller;
mod chains;
mod cluster;
mod concurrent_callers;
mod cpu;
mod evidence;
mod files;
mod home;
mod killed_servers;
mod latencies;
mod ledger;
mod linearizable;
mod load;
mod options;
mod proxies;
mod relay;
mod report;
mod responses;
mod rows;
mod scenario;
mod scenarios;
mod strace;
mod threads;
mod time_limit;
mod writer;

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
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

/// Runs the scenarios, as many at a time as there are jobs. One that falls short does not hide those after it.
fn torture(options: &Options) -> Result {
    let runs = options.runs();
    let next = AtomicUsize::new(0);
    let job = || -> Result<Vec<String>> {
        let mut short = Vec::new();
        while let Some((scenario, engine)) = runs.get(next.fetch_add(1, Relaxed)) {
            if !holds(options, scenario, *engine)? {
                short.push(format!("{} on {engine}", scenario.name));
            }
        }
        Ok(short)
    };
    let short = thread::scope(|scope| threads::join((0..options.jobs).map(|_| scope.spawn(job)).collect()))?.concat();
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
    let in_time = time_limit::start(options.size.limit(), format!("{} on {engine}", scenario.name));
    let outcome = (scenario.run)(&run);
    drop(in_time);
    let (lines, holds) = report::outcome(&outcome);
    // In one call, so that the lines of two jobs are not mixed.
    println!("{lines}{}", report::verdict(scenario, engine, options, holds, start.elapsed()));
    if holds {
        evidence.remove()?;
    } else {
        evidence.keep(&outcome)?;
    }
    Ok(holds)
}
