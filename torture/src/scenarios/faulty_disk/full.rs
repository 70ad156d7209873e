//! A full disk: writes are rejected, reads continue, and writes continue once there is space.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use perennial_harness::Connection;

use super::super::syncs::create;
use super::super::syncs::order::mark;
use super::mount::SmallDisk;
use super::writers::{self, WriteOutcomes};
use crate::failure::{Failure, Result, could_not};
use crate::home::{Home, TRUSTED};
use crate::rows;
use crate::scenario::{Measured, Run};

/// More than the writers fill in the time they have before it is full.
const MEBIBYTES: u32 = 128;
/// How long the disk stays full.
const FULL: Duration = Duration::from_secs(3);
const RECOVERY: Duration = Duration::from_secs(5);

pub(super) fn has_no_room(run: &Run) -> Result<Vec<Measured>> {
    let home = Home::new(run)?;
    let Some(disk) = SmallDisk::mount(&run.evidence.join("data"), MEBIBYTES)? else {
        println!("  not measured: a full disk; only root may mount a small one");
        return Ok(Vec::new());
    };
    let server = home.serve()?;
    let address = server.address();
    let next = AtomicUsize::new(0);
    let (before, ()) = writers::work(address, &next, || {
        std::thread::sleep(Duration::from_millis(300));
        Ok(())
    })?;
    let known = *before.acknowledged.first().ok_or_else(|| Failure::new("no write succeeded on an empty disk"))?;
    disk.fill()?;
    // What the log still has room for is written; then nothing is.
    let (during, reads) = writers::work(address, &next, || read_for(address, FULL, &mark(known)))?;
    disk.free()?;
    let recovered = recover(address, &next)?;
    server.stop(Duration::from_secs(20)).map_err(could_not("stop the server"))?;

    let no_room = during.refused_as(503, &["storage_unavailable"]);
    let overloaded = during.refused_as(503, &["overloaded"]);
    let mut outcomes = WriteOutcomes::default();
    let others = during.refused() - no_room - overloaded;
    outcomes.add(before);
    outcomes.add(during);
    let slugs: HashSet<String> = rows::query(&home, "SELECT slug FROM plans")?.into_iter().flatten().collect();
    let missing = outcomes.acknowledged.iter().filter(|row| !slugs.contains(&mark(**row))).count();
    let faults = rows::integrity_faults(&home)?.unwrap_or_default().len();
    drop(disk);
    Ok(vec![
        Measured::at_least("full disk: writes refused as storage_unavailable", no_room, 1),
        Measured::none("  writes answered otherwise, or cut off", others + outcomes.cut_off.len()),
        Measured::at_least("  reads answered", reads.good, 1),
        Measured::none("  reads refused", reads.bad),
        Measured::none("  acknowledged and missing", missing),
        Measured::none("  faults found by the integrity check", faults),
        Measured::new(
            "  until a write succeeds once there is room",
            format!("{:.2} s", recovered.as_secs_f64()),
            "<= 5 s",
            recovered <= RECOVERY,
        ),
    ])
}

struct Reads {
    good: usize,
    bad: usize,
}

fn read_for(address: SocketAddr, time: Duration, slug: &str) -> Result<Reads> {
    let target = format!("/subscription-plans/{slug}");
    let mut reads = Reads { good: 0, bad: 0 };
    let deadline = Instant::now() + time;
    while Instant::now() < deadline {
        let mut connection = Connection::open(address).map_err(could_not("connect"))?;
        for _ in 0..20 {
            match connection.call("GET", &target, &[TRUSTED], None) {
                Ok(response) if response.status == 200 => reads.good += 1,
                _ => reads.bad += 1,
            }
        }
    }
    Ok(reads)
}

/// How long it takes until a write succeeds.
fn recover(address: SocketAddr, next: &AtomicUsize) -> Result<Duration> {
    let start = Instant::now();
    let mut connection = Connection::open(address).map_err(could_not("connect"))?;
    while start.elapsed() < 4 * RECOVERY {
        let response = create(&mut connection, next.fetch_add(1, Relaxed)).map_err(could_not("write"))?;
        if response.status == 201 {
            return Ok(start.elapsed());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(Failure::new("no write succeeded for 20 seconds after there was room again"))
}
