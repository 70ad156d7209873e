//! The disk: how often in a second a small write can be synced, one after another. No store can commit more often.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::failure::{Result, could_not};
use crate::measure::statistics::float;
use crate::options::Options;
use crate::results::Results;

const PAGE: [u8; 4096] = [7; 4096];

/// The disk under our stores, and the one under PostgreSQL's if we may write there: both should be the same.
pub(crate) fn measure(options: &Options, results: &mut Results) -> Result {
    let rate = sync_rate(&options.place, options.duration)?;
    results.measurement("fdatasync where SQLite's stores are", rate, "per second");
    if let Some(cluster) = options.cluster("perennial") {
        let data = PathBuf::from(cluster.query("SHOW data_directory")?.trim());
        if let Some(rate) = data.parent().and_then(|parent| sync_rate(parent, options.duration).ok()) {
            results.measurement("fdatasync where PostgreSQL's stores are", rate, "per second");
        }
    }
    Ok(())
}

/// Appends pages and calls `fdatasync` after each, for so long; gives the rate per second.
fn sync_rate(directory: &Path, duration: Duration) -> Result<f64> {
    let path = directory.join("sync");
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .open(&path)
        .map_err(could_not(format!("create {}", path.display())))?;
    let (start, mut syncs) = (Instant::now(), 0_u64);
    while start.elapsed() < duration {
        file.write_all(&PAGE).and_then(|()| file.sync_data()).map_err(could_not("sync"))?;
        syncs += 1;
    }
    let rate = float(syncs) / start.elapsed().as_secs_f64();
    std::fs::remove_file(&path).map_err(could_not("remove a file"))?;
    Ok(rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_syncs_happen_and_nothing_is_left() {
        let directory = std::env::temp_dir().join(format!("perennial-bench-disk-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        assert!(sync_rate(&directory, Duration::from_millis(20)).unwrap() > 0.0);
        std::fs::remove_dir(&directory).unwrap();
    }
}
