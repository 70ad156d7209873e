//! R9: thousands of connections that do nothing, dribble, or do not read, and their effect on normal clients.
//! Nothing here is left to random but the scheduler's.

mod crowd;
mod good;

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crate::failure::{Failure, Result, could_not};
use crate::home::{self, Home};
use crate::latencies::shown;
use crate::scenario::{Measured, Run, Size};
use crate::{files, threads};
use crowd::{Crowd, Sizes};

/// Both ends of all connections, and what else is open.
const FILES: u64 = 12_500;
const LIMITS: &str = "[limits]\nconnections = 12000\n";
/// Enough for a response that does not fit into a socket.
const PLANS: usize = 200;
const SETTLED: Duration = Duration::from_secs(2);
const MEMORY_GOAL_KIBIBYTES: u64 = 128 * 1024;

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let sizes = match run.size {
        Size::Quick => Sizes { idle: 500, slow_heads: 400, slow_bodies: 100, not_reading: 100 },
        Size::Usual | Size::Full => Sizes { idle: 5_000, slow_heads: 3_000, slow_bodies: 2_000, not_reading: 1_000 },
    };
    let time = Duration::from_secs(run.size.choose(3, 15, 90));
    files::allow(FILES)?;
    let home = Home::new(run)?;
    home.configure(LIMITS)?;
    let server = home.serve()?;
    let address = server.address();
    for number in 0..PLANS {
        home::create_plan(&server, &format!("plan-{number}"))?;
    }

    let mut alone = good::work(address, time)?;
    let before = resident_kibibytes(server.pid())?;
    let over = AtomicBool::new(false);
    let mut crowd = Crowd::new(address);
    let (among_them, most) = std::thread::scope(|scope| -> Result<_> {
        let weighing = scope.spawn(|| most_resident(server.pid(), &over));
        let gathered = crowd.gather(&sizes);
        scope.spawn(|| crowd.keep(&over));
        // Their coming is a flood, which is R8's; this is about their being there.
        std::thread::sleep(SETTLED);
        let among_them = gathered.and_then(|()| good::work(address, time));
        over.store(true, Relaxed);
        Ok((among_them, threads::join(vec![weighing])?.into_iter().max().unwrap_or_default()))
    })?;
    let mut among_them = among_them?;
    let (p99_alone, p99) = (alone.latencies.percentile(99), among_them.latencies.percentile(99));
    let grown = most.saturating_sub(before);
    Ok(vec![
        Measured::new("connections of the crowd", crowd.size(), sizes.all().to_string(), crowd.size() == sizes.all()),
        Measured::new("  cut by the server and made again", crowd.made_again(), "any", true),
        Measured::at_least("good requests answered", among_them.latencies.count(), 1),
        Measured::none("  refused or failed", alone.failed + among_them.failed),
        Measured::new("  p99 without the crowd", shown(p99_alone), "none", true),
        Measured::timing(
            run.size,
            "  p99 among the crowd",
            shown(p99),
            "<= 2 x",
            p99 <= p99_alone.map(|alone| 2 * alone),
        ),
        Measured::new(
            "memory more than before (RSS)",
            format!("{} MiB", grown / 1024),
            "<= 128 MiB",
            grown <= MEMORY_GOAL_KIBIBYTES,
        ),
    ])
}

fn most_resident(pid: u32, over: &AtomicBool) -> Result<u64> {
    let mut most = 0;
    while !over.load(Relaxed) {
        most = most.max(resident_kibibytes(pid)?);
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(most)
}

fn resident_kibibytes(pid: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).map_err(could_not("weigh the server"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| Failure::new("the kernel does not say how much memory the server holds"))
}
