//! Single measurements: how long a start takes, how much memory is held, how large the program is.

use std::fs;
use std::time::Duration;

use crate::failure::{Result, could_not};
use crate::measure::processes::{peak_bytes, resident_bytes};
use crate::measure::statistics::{float, median};
use crate::options::Options;
use crate::results::Results;
use crate::targets::perennial::Home;
use crate::targets::target::Target;

const MEBIBYTE: f64 = 1_048_576.0;
/// A server at rest has put away what it needed for its start.
const REST: Duration = Duration::from_secs(1);

/// What a measurement is called in the results.
pub(crate) fn name(what: &str, target: &str) -> String {
    format!("{what}, {target}")
}

pub(crate) fn binary_size(options: &Options, results: &mut Results) -> Result {
    let size = fs::metadata(&options.perennial).map_err(could_not("look at the program"))?.len();
    results.measurement("size of the program", float(size) / MEBIBYTE, "MiB");
    Ok(())
}

/// Starts the server on its loaded store several times, ends it again each time but the last, and returns the median
/// time to ready and the memory at rest.
pub(crate) fn start(home: &Home, rounds: u64, results: &mut Results) -> Result<Target> {
    let mut times = Vec::new();
    for _ in 1..rounds.max(2) {
        let (target, took) = home.start_timed()?;
        times.push(took.as_secs_f64() * 1e3);
        target.process.end()?;
    }
    let (target, took) = home.start_timed()?;
    times.push(took.as_secs_f64() * 1e3);
    results.measurement(name("start to ready", home.name()), median(&times).unwrap_or_default(), "ms");
    std::thread::sleep(REST);
    memory("memory at rest", &target, results);
    Ok(target)
}

/// The memory of the server, without its database.
pub(crate) fn memory(what: &str, target: &Target, results: &mut Results) {
    if let Some(bytes) = resident_bytes(target.process.id()) {
        results.measurement(name(what, target.name), float(bytes) / MEBIBYTE, "MiB");
    }
}

pub(crate) fn peak_memory(target: &Target, results: &mut Results) {
    if let Some(bytes) = peak_bytes(target.process.id()) {
        results.measurement(name("most memory in the whole run", target.name), float(bytes) / MEBIBYTE, "MiB");
    }
}
