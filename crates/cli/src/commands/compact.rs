//! `perennial compact`: returns the space of removed rows to the file system.

use crate::config::Config;
use crate::failure::Failure;
use crate::{output, storage};
use perennial_store::backup;
use serde_json::json;

pub(super) fn run(config: &Config, json: bool) -> Result<(), Failure> {
    if config.database_url.is_some() {
        return Err(Failure::new(
            "this store is in PostgreSQL, which reuses the space by itself (autovacuum); to give it back to the file system \
             run: psql \"$PERENNIAL_DATABASE_URL\" -c 'VACUUM (FULL, ANALYZE) events' while no server is needed, \
             or pg_repack while they run",
        ));
    }
    let store = storage::existing_path(config)?;
    let needed = backup::sizes(&store)?.used_bytes;
    check_space(config, needed)?;
    let compacted = backup::compact(&store)?;
    let freed = compacted.bytes_before.saturating_sub(compacted.bytes_after);
    let data = json!({
        "bytes_before": compacted.bytes_before,
        "bytes_after": compacted.bytes_after,
        "freed_bytes": freed,
        "needed_bytes": needed,
    });
    output::print(json, &data, || {
        format!(
            "Compacted {}: {} bytes before, {} bytes after, {freed} bytes freed.\n\
             It needed up to {needed} bytes next to the store.",
            store.display(),
            compacted.bytes_before,
            compacted.bytes_after,
        )
    })
}

/// Fails before anything is written if the file system cannot hold the second copy.
fn check_space(config: &Config, needed: u64) -> Result<(), Failure> {
    // On a file system that does not report its space it fails later, and the store does not change.
    let Ok(space) = rustix::fs::statvfs(&config.data_dir) else { return Ok(()) };
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    if free >= needed {
        return Ok(());
    }
    let directory = config.data_dir.display();
    Err(Failure::new(format!(
        "compacting needs up to {needed} bytes in {directory} and {free} bytes are free: make room, or prune more events first"
    )))
}
