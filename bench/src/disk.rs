//! The disk: how often in a second a small write can be synced, one after another. No store can commit more often.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::failure::{Result, could_not};
use crate::measure::statistics::float;

const PAGE: [u8; 4096] = [7; 4096];

/// Appends pages and calls `fdatasync` after each, for so long; gives the rate per second.
pub(crate) fn sync_rate(directory: &Path, duration: Duration) -> Result<f64> {
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
