//! R5: clients read and change single records while servers are killed under them. Afterwards an order must be found in
//! which every response that was given is right; on PostgreSQL two servers share the database, and either may be killed.
//! The seed decides what is asked and after how many responses each kill comes; how the clients interleave is the
//! scheduler's.

mod client;
mod judgement;
mod record;
mod servers;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};
use crate::home::{self, Home};
use crate::scenario::{Measured, Run};
use client::Client;
use judgement::Judgement;
use perennial_harness::SeededRandom;
use record::{History, Record};
use servers::Servers;

const PLAN: &str = "watched";
const OPERATIONS: usize = 1_000;
/// Records that are worked on at once, and clients at each of them.
const RECORDS: usize = 4;
const CLIENTS: u16 = 8;
/// Operations between two kills, over all records.
const BETWEEN_KILLS: (u64, u64) = (300, 900);
/// For a round of histories; one takes seconds.
const LIMIT: Duration = Duration::from_mins(10);

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let wanted = run.size.choose(3, 30, 1_000);
    let home = Home::new(run)?;
    let servers = Servers::start(&home, run.engine)?;
    let user = home.user("watched@example.com")?;
    servers.with_first(|server| home::create_plan(server, PLAN))?;

    let mut random = SeededRandom::new(run.seed);
    let mut judgement = Judgement::default();
    let mut kills = 0;
    for first in (0..wanted).step_by(RECORDS) {
        let numbers = first..(first + RECORDS).min(wanted);
        let histories = numbers
            .map(|number| Ok(History::new(Record::create(&servers, &user, number)?)))
            .collect::<Result<Vec<_>>>()?;
        kills += work(&servers, &histories, &mut random)?;
        for history in histories {
            judgement.add(history, home.directory())?;
        }
    }
    Ok(judgement.measured(wanted, kills))
}

/// Lets all clients work through their histories, and kills a server now and then. Responses how often.
fn work(servers: &Servers<'_>, histories: &[History], random: &mut SeededRandom) -> Result<usize> {
    let done = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let mut at_work = Vec::new();
        for history in histories {
            for number in 0..CLIENTS {
                let own = random.part(history.record.number as u64 * 1_000 + u64::from(number));
                let client = Client::new(number, history, servers, start, own);
                at_work.push(scope.spawn(|| client.work(&done, &stopped)));
            }
        }
        let outcome = kill_until_done(servers, &done, histories.len() * OPERATIONS, random);
        // After a failure the others might never finish.
        stopped.store(outcome.is_err(), Relaxed);
        for client in at_work {
            client.join().map_err(|_| Failure::new("a client panicked"))?;
        }
        // What the last kill may have taken shows only to someone who looks afterwards.
        for history in histories {
            Client::new(CLIENTS, history, servers, start, random.part(0)).look(&stopped);
        }
        outcome
    })
}

fn kill_until_done(servers: &Servers<'_>, done: &AtomicUsize, all: usize, random: &mut SeededRandom) -> Result<usize> {
    let start = Instant::now();
    let mut kills = 0;
    let mut next = 0;
    loop {
        next += usize::try_from(random.between(BETWEEN_KILLS.0, BETWEEN_KILLS.1)).expect("a small number");
        let moment = Duration::from_micros(random.between(0, 3_000));
        let which = random.index(servers.count());
        while done.load(Relaxed) < next.min(all) {
            if start.elapsed() > LIMIT {
                return Err(Failure::new("the clients were not done after ten minutes"));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        if next >= all {
            return Ok(kills);
        }
        std::thread::sleep(moment);
        servers.kill(which)?;
        kills += 1;
    }
}
