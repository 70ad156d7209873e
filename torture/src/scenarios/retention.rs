//! R15: what has expired is removed. A store with many expired idempotency keys and sessions is swept completely by a
//! running server while creates continue, and the metric of expired rows returns to 0. On SQLite, `perennial events prune`
//! next to a server under load keeps the write-ahead log small, and `perennial compact` shrinks the file afterwards.
//! Nothing is drawn by random.

mod metrics;
mod seeded;
mod space;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use perennial_harness::Server;

use crate::caller::{Caller, create_subscription};
use crate::chains::{Chains, Stored};
use crate::failure::{Result, could_not};
use crate::home::{self, Home};
use crate::ledger::{self, Entry};
use crate::responses::Responses;
use crate::rows;
use crate::scenario::{Measured, Run};
use crate::threads;
use metrics::Expired;

const PLAN: &str = "retained";
const CREATORS: u64 = 4;
const NUMBERS: u64 = 1_000_000;
const CREATE_PAUSE: Duration = Duration::from_millis(10);
const STOP_LIMIT: Duration = Duration::from_secs(15);
const LOOK: Duration = Duration::from_millis(500);
/// The count of expired rows is renewed once a minute.
const METRIC: Duration = Duration::from_secs(75);
const SLOWEST: Duration = Duration::from_secs(1);

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let expired = run.size.choose(60_000, 500_000, 2_000_000);
    let limit = Duration::from_secs(run.size.choose(180, 600, 1_800));
    let home = Home::new(run)?;
    let server = home.serve()?;
    home::create_plan(&server, PLAN)?;
    let user = home.user("retained@example.com")?;
    let subscription = create_subscription(server.address(), &user, PLAN)?;
    server.stop(STOP_LIMIT).map_err(could_not("stop the server"))?;
    seeded::expire(&home, expired)?;
    let events = seeded::events(&home, run.size.choose(300_000, 500_000, 1_000_000))?;

    let server = home.serve()?;
    let responses = Responses::default();
    let is_stopped = AtomicBool::new(false);
    let (mut measured, entries) = std::thread::scope(|scope| -> Result<_> {
        let (address, subscription) = (server.address(), subscription.as_str());
        let (responses, is_stopped) = (&responses, &is_stopped);
        let creators = (0..CREATORS)
            .map(|number| scope.spawn(move || Ok(create(address, subscription, responses, number, is_stopped))))
            .collect();
        let measured = under_load(run, &home, &server, expired, limit, events);
        is_stopped.store(true, Relaxed);
        let entries: Vec<Entry> = threads::join::<Vec<Entry>>(creators)?.into_iter().flatten().collect();
        Ok((measured?, entries))
    })?;
    let slowest = responses.slowest();
    measured.push(Measured::timing(
        run.size,
        "slowest create during the sweep",
        format!("{} ms", slowest.as_millis()),
        "<= 1000 ms",
        slowest <= SLOWEST,
    ));
    measured.push(Measured::none("creates answered otherwise, or not", responses.wrong.load(Relaxed)));
    measured.extend(if home.cluster.is_none() { space::compacted(&home, server)? } else { Vec::new() });

    let server = home.serve()?;
    let stored = Stored::read(&home)?;
    measured.extend(ledger::measured(&entries, &stored, 100));
    measured.extend(Chains::of(&stored, server.address())?.measured());
    Ok(measured)
}

/// The prune first: the server begins to sweep only a minute after its start.
fn under_load(
    run: &Run,
    home: &Home,
    server: &Server,
    expired: usize,
    limit: Duration,
    events: usize,
) -> Result<Vec<Measured>> {
    let start = Instant::now();
    let mut seen = Expired::default();
    seen.look(server)?;
    let mut measured = if home.cluster.is_none() { space::pruned(home, events)? } else { Vec::new() };
    while seeded::left(home)? > 0 && start.elapsed() < limit {
        seen.look(server)?;
        std::thread::sleep(LOOK);
    }
    let took = start.elapsed();
    let left = seeded::left(home)?;
    let counted = Instant::now();
    while left == 0 && !seen.look(server)?.is_zero() && counted.elapsed() < METRIC {
        std::thread::sleep(LOOK);
    }
    let goal = format!("<= {} s", limit.as_secs());
    measured.extend([
        Measured::new("expired keys and sessions", 2 * expired, (2 * expired).to_string(), true),
        Measured::none("of these still stored", left),
        Measured::new("swept after", format!("{:.0} s", took.as_secs_f64()), goal, left == 0 && took <= limit),
        Measured::at_least("most that perennial_expired_rows showed", seen.most(), 1_000),
        Measured::new("perennial_expired_rows in the end", seen.last(), "0", seen.is_zero()),
    ]);
    let live = rows::count(home, "SELECT COUNT(*) FROM idempotency_keys WHERE key NOT LIKE 'expired-%'")?;
    measured.push(Measured::at_least("live keys that stayed", live, run.size.choose(100, 1_000, 1_000)));
    Ok(measured)
}

fn create(
    address: SocketAddr,
    subscription: &str,
    responses: &Responses,
    number: u64,
    is_stopped: &AtomicBool,
) -> Vec<Entry> {
    let mut caller = Caller::new(address, responses);
    let stopped = || is_stopped.load(Relaxed);
    for number in ((number + 1) * NUMBERS).. {
        if stopped() {
            break;
        }
        caller.insist(subscription, number, stopped);
        std::thread::sleep(CREATE_PAUSE);
    }
    caller.entries
}
