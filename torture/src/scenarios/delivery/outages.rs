//! R17, second part: the endpoint is down while events are written, and on PostgreSQL the database goes away. The
//! undelivered rows do not grow with the events, nothing that was acknowledged is lost, everything arrives afterwards in
//! order, and the servers wait without using the processor.

use std::time::{Duration, Instant};

use perennial_harness::{Connection, Server};
use serde_json::json;

use super::receiver::Receiver;
use super::{EVENTS, Found, POLL, REPEATS, SETTINGS, UNDELIVERED, post, undelivered, wait_for};
use crate::cpu;
use crate::failure::{Failure, Result, could_not};
use crate::home::{self, Home, TRUSTED};
use crate::rows;
use crate::scenario::{Engine, Measured, Run};

/// The records that the events are about.
const PLANS: usize = 20;
/// The most rows of an endpoint that is down: those in progress when its circuit opened, and those behind them.
const MOST_ROWS: usize = 64;
/// How long the server has to read what was written, before the rows are counted.
const OBSERVED: Duration = Duration::from_secs(3);
/// What servers may use of a core while the database is away. A loop without a pause uses all of it.
const MOST_CPU: f64 = 0.2;
/// How long the first change may take after the database is back.
const HEALTHY: Duration = Duration::from_secs(10);

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let mut home = Home::new(run)?;
    home.configure(SETTINGS)?;
    let receiver = Receiver::start()?;
    let count = if run.engine == Engine::Postgres { 2 } else { 1 };
    let servers = (0..count).map(|_| home.serve()).collect::<Result<Vec<_>>>()?;
    (0..PLANS).try_for_each(|number| home::create_plan(&servers[0], &slug(number)))?;
    let earlier = rows::count(&home, EVENTS)?;
    post(servers[0].address(), "/webhook-endpoints", &json!({ "url": receiver.url(), "types": ["plan.*"] }))?;

    let mut changes = Changes::default();
    let mut measured = endpoint_down(run, &home, &servers, &receiver, &mut changes)?;
    if run.engine == Engine::Postgres {
        measured.extend(database_away(run, &mut home, &servers, &mut changes)?);
    }
    let events = rows::count(&home, EVENTS)? - earlier;
    let found = wait_for(&receiver, events)?;
    measured.extend([
        Measured::none("acknowledged changes without an event", changes.acknowledged.saturating_sub(events)),
        Measured::none("events that did not arrive", events.abs_diff(found.events)),
        Measured::new("events that arrived again", found.repeats, format!("<= {REPEATS}"), found.repeats <= REPEATS),
        Measured::none("first arrivals of a record out of order", found.disordered),
        Measured::none("undelivered rows of events that arrived", undelivered(&home)?),
    ]);
    Ok(measured)
}

/// Half of the events, and the other half: afterwards there are as few rows as before.
fn endpoint_down(
    run: &Run,
    home: &Home,
    servers: &[Server],
    receiver: &Receiver,
    changes: &mut Changes,
) -> Result<Vec<Measured>> {
    let half = run.size.choose(300, 5_000, 100_000);
    receiver.set_down(true);
    let mut measured = Vec::new();
    for part in ["half of the events", "all events"] {
        servers.iter().try_for_each(|server| changes.make(server, half / servers.len()))?;
        std::thread::sleep(OBSERVED);
        let rows = rows::count(home, UNDELIVERED)?;
        let name = format!("endpoint down: rows after {part}");
        measured.push(Measured::new(name, rows, format!("1 to {MOST_ROWS}"), (1..=MOST_ROWS).contains(&rows)));
    }
    let before = Found::of(&receiver.arrivals()).events;
    measured.push(Measured::none("endpoint down: events that it accepted", before));
    receiver.set_down(false);
    let up = Instant::now();
    let found = wait_for(receiver, changes.acknowledged)?;
    measured.push(Measured::at_least("endpoint up: events that arrived", found.events, changes.acknowledged));
    measured.push(Measured::new("endpoint up: until the last of them arrived", millis(up.elapsed()), "any", true));
    Ok(measured)
}

/// The database is stopped for a while, and is back.
fn database_away(run: &Run, home: &mut Home, servers: &[Server], changes: &mut Changes) -> Result<Vec<Measured>> {
    let away = Duration::from_secs(run.size.choose(5, 30, 300));
    let writes = run.size.choose(100, 1_000, 1_000);
    let cluster = home.cluster.as_mut().ok_or_else(|| Failure::new("this part is about PostgreSQL"))?;
    // Some of these events are being delivered when the database goes away.
    changes.make(&servers[0], writes)?;
    cluster.stop("QUIT")?;
    let used = || servers.iter().map(|server| cpu::used(server.pid())).sum::<Result<f64>>();
    let (start, before) = (Instant::now(), used()?);
    let mut unexpected = 0;
    while start.elapsed() < away {
        unexpected += usize::from(changes.try_one(&mut open(&servers[0])?)? != 503);
        std::thread::sleep(Duration::from_secs(1));
    }
    let share = (used()? - before) / start.elapsed().as_secs_f64();
    cluster.start_again()?;
    let back = Instant::now();
    while changes.try_one(&mut open(&servers[0])?)? != 200 && back.elapsed() < HEALTHY {
        std::thread::sleep(POLL);
    }
    let healthy = back.elapsed();
    changes.make(&servers[0], writes)?;
    Ok(vec![
        Measured::new("database away: for", millis(start.elapsed()), "any", true),
        Measured::none("database away: changes not answered with 503", unexpected),
        Measured::new(
            "database away: used of a core by all servers",
            format!("{share:.3}"),
            format!("<= {MOST_CPU}"),
            share <= MOST_CPU,
        ),
        Measured::new("database back: until the first change", millis(healthy), "<= 10000 ms", healthy <= HEALTHY),
    ])
}

/// Changes of plans, each of which is an event.
#[derive(Default)]
struct Changes {
    sent: usize,
    acknowledged: usize,
}

impl Changes {
    fn make(&mut self, server: &Server, count: usize) -> Result {
        let mut connection = open(server)?;
        (0..count).try_for_each(|_| match self.try_one(&mut connection)? {
            200 => Ok(()),
            status => Err(Failure::new(format!("a change of a plan was answered with {status}"))),
        })
    }

    /// The status of the response.
    fn try_one(&mut self, connection: &mut Connection) -> Result<u16> {
        self.sent += 1;
        let target = format!("/subscription-plans/{}", slug(self.sent % PLANS));
        let body = json!({ "description": format!("Change {}", self.sent) }).to_string();
        let response = connection.call("PUT", &target, &[TRUSTED], Some(&body)).map_err(could_not("change a plan"))?;
        self.acknowledged += usize::from(response.status == 200);
        Ok(response.status)
    }
}

fn open(server: &Server) -> Result<Connection> {
    Connection::open(server.address()).map_err(could_not("connect"))
}

fn slug(number: usize) -> String {
    format!("plan-{number}")
}

fn millis(duration: Duration) -> String {
    format!("{} ms", duration.as_millis())
}
