//! Single figures: how long a start takes, how much memory is held, how large the program is.

use std::fs;
use std::time::Duration;

use crate::contestants::contestant::Contestant;
use crate::contestants::perennial::Home;
use crate::failure::{Result, could_not};
use crate::measure::processes::{peak_bytes, resident_bytes};
use crate::measure::statistics::{float, median};
use crate::options::Options;
use crate::results::Results;

const MEBIBYTE: f64 = 1_048_576.0;
/// A server at rest has put away what it needed for its start.
const REST: Duration = Duration::from_secs(1);

/// What a figure is called in the results.
pub(crate) fn name(what: &str, contestant: &str) -> String {
    format!("{what}, {contestant}")
}

pub(crate) fn binary_size(options: &Options, results: &mut Results) -> Result {
    let size = fs::metadata(&options.perennial).map_err(could_not("look at the program"))?.len();
    results.figure("size of the program", float(size) / MEBIBYTE, "MiB");
    Ok(())
}

/// Starts the server on its loaded store several times, ends it again each time but the last, and tells the median
/// time to ready and the memory at rest.
pub(crate) fn start(home: &Home, rounds: u64, results: &mut Results) -> Result<Contestant> {
    let mut times = Vec::new();
    for _ in 1..rounds.max(2) {
        let (contestant, took) = home.start_timed()?;
        times.push(took.as_secs_f64() * 1e3);
        contestant.process.end()?;
    }
    let (contestant, took) = home.start_timed()?;
    times.push(took.as_secs_f64() * 1e3);
    results.figure(name("start to ready", home.name()), median(&times).unwrap_or_default(), "ms");
    std::thread::sleep(REST);
    memory("memory at rest", &contestant, results);
    Ok(contestant)
}

/// The memory of the server, without its database.
pub(crate) fn memory(what: &str, contestant: &Contestant, results: &mut Results) {
    if let Some(bytes) = resident_bytes(contestant.process.id()) {
        results.figure(name(what, contestant.name), float(bytes) / MEBIBYTE, "MiB");
    }
}

pub(crate) fn peak_memory(contestant: &Contestant, results: &mut Results) {
    if let Some(bytes) = peak_bytes(contestant.process.id()) {
        results.figure(name("most memory in the whole run", contestant.name), float(bytes) / MEBIBYTE, "MiB");
    }
}
