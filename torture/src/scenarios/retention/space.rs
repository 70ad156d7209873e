//! Space on SQLite: the write-ahead log while events are pruned, and the file after it was compacted.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use perennial_harness::Server;

use super::STOP_LIMIT;
use crate::failure::{Result, could_not};
use crate::home::Home;
use crate::rows;
use crate::scenario::Measured;

/// All events that were written by SQL are older, and no other.
const PRUNE_BEFORE: &str = "2020-01-01T00:00:00Z";
const MIB: u64 = 1 << 20;
const LARGEST_LOG: u64 = 128 * MIB;
const LOOK: Duration = Duration::from_millis(10);

/// Prunes next to the running server and samples the size of the log.
pub(super) fn pruned(home: &Home, events: usize) -> Result<Vec<Measured>> {
    let log = home.directory().join("data/perennial.db-wal");
    let (largest, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let start = Instant::now();
    let printed = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Relaxed) {
                largest.fetch_max(size(&log), Relaxed);
                std::thread::sleep(LOOK);
            }
        });
        let printed = home.text(&["events", "prune", "--before", PRUNE_BEFORE]);
        is_over.store(true, Relaxed);
        printed
    });
    printed?;
    let took = start.elapsed();
    let largest = largest.into_inner();
    let left = rows::count(home, "SELECT COUNT(*) FROM events WHERE before LIKE 'xxx%'")?;
    Ok(vec![
        Measured::new("events pruned next to the server", events, events.to_string(), left == 0),
        Measured::at_least("seconds that took", usize::try_from(took.as_secs()).unwrap_or(usize::MAX), 0),
        Measured::new(
            "largest write-ahead log while pruning",
            format!("{} MiB", largest / MIB),
            "< 128 MiB",
            largest < LARGEST_LOG,
        ),
    ])
}

/// Compacts, which is refused while the server runs, and compares the file's size.
pub(super) fn compacted(home: &Home, server: Server) -> Result<Vec<Measured>> {
    let refused = home.command().arg("compact").output().map_err(could_not("run `perennial compact`"))?;
    let is_refused = !refused.status.success();
    server.stop(STOP_LIMIT).map_err(could_not("stop the server"))?;
    let before = size(&home.database());
    let compacted = home.text(&["compact"]);
    let after = size(&home.database());
    let faults = rows::integrity_faults(home)?.unwrap_or_default();
    if let Err(failure) = &compacted {
        println!("  {failure}");
    }
    Ok(vec![
        Measured::new("compact next to a server is refused", is_refused, "true", is_refused),
        Measured::new("compact after the server stopped", compacted.is_ok(), "true", compacted.is_ok()),
        Measured::new(
            "the file before and after",
            format!("{}, {} MiB", before / MIB, after / MIB),
            "half at most",
            after <= before / 2,
        ),
        Measured::none("faults SQLite finds in it", faults.len()),
    ])
}

/// Of a file that is not there: 0.
fn size(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |metadata| metadata.len())
}
