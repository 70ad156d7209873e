//! R17: servers are killed while they deliver webhooks, and on PostgreSQL one is frozen for longer than its lease. Every
//! event arrives, the first arrivals of a record's events are in order, few events arrive twice, and none that arrived
//! is reported as undelivered.

mod freeze;
pub(crate) mod outages;
mod receiver;

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use perennial_harness::Connection;
use serde_json::{Value, json};

use crate::failure::{Failure, Result, could_not};
use crate::home::{Home, TRUSTED};
use crate::killed_servers::KilledServers;
use crate::rows;
use crate::scenario::{Engine, Measured, Run};
use receiver::{Arrival, Receiver};

/// Loopback may be reached, and a failed event is retried soon.
const SETTINGS: &str = r#"
[webhooks]
private_networks = ["127.0.0.0/8"]
retry_seconds = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
probe_seconds = [1]
"#;
/// Requests that may be repeated after a kill: the most that are in progress.
const REPEATS: usize = 64;
/// How long the rest may take after the last kill.
const LIMIT: Duration = Duration::from_mins(10);
const SETTLED: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(100);

const EVENTS: &str =
    "SELECT COUNT(*) FROM events WHERE kind LIKE 'subscription.%' OR kind LIKE 'payment.%' OR kind LIKE 'plan.%'";
const UNDELIVERED: &str = "SELECT COUNT(*) FROM webhook_undelivered";

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let kills = run.size.choose(4, 40, 500);
    let home = Home::new(run)?;
    home.configure(SETTINGS)?;
    let receiver = Receiver::start()?;
    let count = if run.engine == Engine::Postgres { 2 } else { 1 };
    let mut servers = KilledServers::start(&home, count, run.seed)?;
    // What was written before the endpoint existed is not sent.
    let earlier = rows::count(&home, EVENTS)?;
    let types = ["subscription.*", "payment.*", "plan.*"];
    post(servers.servers()[0].address(), "/webhook-endpoints", &json!({ "url": receiver.url(), "types": types }))?;

    let mut killed = 0;
    while killed < kills {
        killed += servers.kill_each()?.kills;
    }
    let events = rows::count(&home, EVENTS)? - earlier;
    let last_kill = Instant::now();
    let found = wait_for(&receiver, events)?;
    let drained = format!("{} ms", last_kill.elapsed().as_millis());
    let most = REPEATS * killed;
    let mut measured = vec![
        Measured::at_least("kills", killed, kills),
        Measured::at_least("events", events, kills * 20),
        Measured::none("events that did not arrive", events.abs_diff(found.events)),
        Measured::new("events that arrived again", found.repeats, format!("<= {most}"), found.repeats <= most),
        Measured::none("first arrivals of a record out of order", found.disordered),
        Measured::none("undelivered rows of events that arrived", undelivered(&home)?),
        Measured::new("until the last arrival after the last kill", drained, "any", true),
    ];
    if run.engine == Engine::Postgres {
        measured.extend(freeze::run(run, &home, servers.servers(), &receiver)?);
    }
    Ok(measured)
}

/// What the arrivals are, taken together.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    events: usize,
    repeats: usize,
    disordered: usize,
}

impl Found {
    fn of(arrivals: &[Arrival]) -> Self {
        let mut seen = HashSet::new();
        let mut last: HashMap<&str, u64> = HashMap::new();
        let mut found = Self::default();
        for arrival in arrivals {
            if !seen.insert(&arrival.event) {
                found.repeats += 1;
                continue;
            }
            found.events += 1;
            let last = last.entry(&arrival.record).or_default();
            found.disordered += usize::from(arrival.sequence <= *last);
            *last = arrival.sequence;
        }
        found
    }
}

/// Waits until so many events have arrived, or until the limit.
fn wait_for(receiver: &Receiver, events: usize) -> Result<Found> {
    let deadline = Instant::now() + LIMIT;
    loop {
        let found = Found::of(&receiver.arrivals());
        if found.events >= events || Instant::now() > deadline {
            return Ok(found);
        }
        std::thread::sleep(POLL);
    }
}

/// The rows that are left a moment after the last arrival, whose outcome may not be stored yet.
fn undelivered(home: &Home) -> Result<usize> {
    let deadline = Instant::now() + SETTLED;
    loop {
        let rows = rows::count(home, UNDELIVERED)?;
        if rows == 0 || Instant::now() > deadline {
            return Ok(rows);
        }
        std::thread::sleep(POLL);
    }
}

fn post(server: SocketAddr, target: &str, body: &Value) -> Result {
    let response = Connection::open(server)
        .and_then(|mut connection| connection.call("POST", target, &[TRUSTED], Some(&body.to_string())))
        .map_err(could_not(format!("call {target}")))?;
    if response.status == 201 {
        return Ok(());
    }
    Err(Failure::new(format!("{target} was refused: {}", response.json())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_and_disorder_are_counted() {
        let arrival = |event: &str, record: &str, sequence| Arrival {
            event: event.to_owned(),
            record: record.to_owned(),
            sequence,
        };
        let arrivals = [arrival("a", "x", 2), arrival("b", "y", 1), arrival("a", "x", 2), arrival("c", "x", 1)];
        assert_eq!(Found::of(&arrivals), Found { events: 3, repeats: 1, disordered: 1 });
    }
}
