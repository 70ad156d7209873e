//! R12, the first half: SIGTERM under load, again and again. Nothing in flight fails, and the exit comes in time.
//!
//! In flight means what HTTP can promise (RFC 9112, 9.3 and 9.6). A request that the server had begun to take when the
//! signal came is served. Any other on an open connection gets a complete response, possibly a 503 that reports that the server
//! stops, or sees the connection end before the first byte of a response. In both cases the server did nothing of it, so
//! that it may safely be sent again elsewhere: it has left no trace in the store. Half a response, and a success that
//! that were not acknowledged, are failures.
//! The seed decides when the signals come; what they interrupt depends on the scheduler.

mod client;
mod ledger;
mod slow_client;

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use perennial_harness::{SeededRandom, Server};

use crate::failure::{Result, could_not};
use crate::home::{self, Home};
use crate::scenario::{Measured, Run};
use crate::threads;
use ledger::{Entry, Ledger};

const CLIENTS: usize = 32;
/// Requests that are half sent when the signal comes.
const SLOW_CLIENTS: usize = 4;
const LONGEST_EXIT: Duration = Duration::from_secs(10);
const PLAN: &str = "stopped";

/// What every client knows of one round.
struct Round<'a> {
    number: usize,
    address: std::net::SocketAddr,
    user: &'a str,
    /// When SIGTERM was sent.
    signal: OnceLock<Instant>,
}

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let stops = run.size.choose(4, 25, 100);
    let home = Home::new(run)?;
    let mut server = home.serve()?;
    let user = home.user("stopped@example.com")?;
    home::create_plan(&server, PLAN)?;

    let mut random = SeededRandom::new(run.seed);
    let mut ledger = Ledger::default();
    for number in 0..stops {
        let round = Round { number, address: server.address(), user: &user, signal: OnceLock::new() };
        stop_under_load(&round, &mut server, &mut random, &mut ledger)?;
        server = home.serve()?;
    }
    ledger.store(&home)?;
    ledger.write(&home.directory().join("journal.txt"))?;
    Ok(ledger.measured(stops, LONGEST_EXIT))
}

fn stop_under_load(round: &Round<'_>, server: &mut Server, random: &mut SeededRandom, ledger: &mut Ledger) -> Result {
    let moment = Duration::from_millis(random.between(100, 1_000));
    let delays = [(); SLOW_CLIENTS].map(|()| Duration::from_millis(random.between(1, 1_500)));
    let (entries, took) = std::thread::scope(|scope| -> Result<(Vec<Entry>, Option<Duration>)> {
        let mut clients: Vec<_> = (0..CLIENTS).map(|number| scope.spawn(move || client::work(round, number))).collect();
        let slow_clients = delays.into_iter().enumerate();
        clients
            .extend(slow_clients.map(|(number, delay)| scope.spawn(move || slow_client::work(round, number, delay))));
        std::thread::sleep(moment);
        let start = *round.signal.get_or_init(Instant::now);
        server.signal("TERM");
        let status = server.ended(LONGEST_EXIT * 2).map_err(could_not("wait for the server's end"))?;
        let took = status.is_some_and(|status| status.success()).then(|| start.elapsed());
        if status.is_none() {
            server.kill().map_err(could_not("kill the server"))?;
        }
        Ok((threads::join(clients)?.into_iter().flatten().collect(), took))
    })?;
    ledger.take(entries, took);
    Ok(())
}
