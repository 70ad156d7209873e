//! The fleet: three servers behind HAProxy, on one PostgreSQL through PgBouncer in transaction mode, each with the
//! configuration that `deploy/` recommends. They serve the README's tour; then, under load, one after another is stopped in
//! order and comes back, and one after another is killed and comes back.
//!
//! A request is what a client sends to the proxy once; what the proxy sends again is its own affair. It has **failed** when
//! its response is not the success it must be, or when there is none. The client then sends it again until it is served, and
//! each time counts. At the end every row and event is compared with the clients' responses. Nothing here is drawn by
//! random: the seed decides nothing, and what a stop or a kill interrupts depends on the scheduler.

mod client;
mod load;
mod member;
mod proxy;
mod store;
mod tour;

use std::time::Duration;

use crate::failure::{Result, could_not};
use crate::home::{self, Home};
use crate::proxies::Pooler;
use crate::scenario::{Measured, Run};
use crate::threads;
use load::{Kind, Load, Outcomes, Phase};
use member::Member;
use proxy::Proxy;
use store::Store;

const MEMBERS: usize = 3;
const CLIENTS: usize = 12;
const PLAN: &str = "fleet";
/// The stop's delay, and the ten seconds that a stop may take.
const LONGEST_EXIT: Duration = Duration::from_secs(member::STOP_DELAY_SECONDS + 10);
/// Between a kill and the next start: the proxy notices, and the others carry it all.
const ABSENT: Duration = Duration::from_millis(700);

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let rounds = run.size.choose(1, 6, 30);
    let home = Home::new(run)?;
    let pooler = Pooler::start(&home, home.cluster()?.address())?;
    let mut members = (0..MEMBERS).map(|number| Member::start(&home, &pooler, number)).collect::<Result<Vec<_>>>()?;
    let proxy = Proxy::start(&home, &members)?;
    let mut measured = tour::measured(&home, &pooler, proxy.address())?;

    home::create_plan(members[0].server()?, PLAN)?;
    let user = home.user("fleet@example.com")?;
    let load = Load::new(proxy.address(), user);
    let calm = Duration::from_secs(run.size.choose(2, 5, 20));
    let (outcomes, exits) = std::thread::scope(|scope| -> Result<(Vec<Outcomes>, usize)> {
        let at_work = &load;
        let clients = (0..CLIENTS).map(|number| scope.spawn(move || client::work(at_work, number))).collect();
        std::thread::sleep(calm);
        let disturbed = disturb(&home, &pooler, &mut members, &load, rounds);
        load.finish();
        let outcomes = threads::join(clients)?;
        Ok((outcomes, disturbed?))
    })?;

    let outcomes = Outcomes::together(outcomes);
    outcomes.write(&home.directory().join("failed.txt"))?;
    measured.extend(of_load(&outcomes, rounds, exits));
    measured.extend(Store::read(&home)?.measured(&outcomes));
    Ok(measured)
}

/// Stops and kills; returns how many stops were exits with 0 in time. A round is over when the server that came back carries
/// requests again.
fn disturb(home: &Home, pooler: &Pooler, members: &mut [Member], load: &Load, rounds: usize) -> Result<usize> {
    let mut exits = 0;
    for (phase, round) in
        [Phase::Stopping, Phase::Killing].into_iter().flat_map(|phase| (0..rounds).map(move |n| (phase, n)))
    {
        load.enter(phase);
        let member = &mut members[round % MEMBERS];
        match phase {
            Phase::Stopping => {
                let stopped = member.take()?.stop(LONGEST_EXIT);
                exits += usize::from(stopped.inspect_err(|error| eprintln!("  {error}")).is_ok());
            }
            Phase::Calm | Phase::Killing => {
                member.take()?.kill().map_err(could_not("kill a server"))?;
                std::thread::sleep(ABSENT);
            }
        }
        member.start_again(home, pooler)?;
        member.wait_until_it_carries()?;
    }
    Ok(exits)
}

fn of_load(outcomes: &Outcomes, rounds: usize, exits: usize) -> Vec<Measured> {
    let failed = |phase: Phase, kind: Kind| outcomes.count(phase, kind).failed;
    let sent = |phase: Phase| Kind::ALL.into_iter().map(|kind| outcomes.count(phase, kind).sent).sum::<usize>();
    let all_failed = |phase: Phase| Kind::ALL.into_iter().map(|kind| failed(phase, kind)).sum::<usize>();
    let changes = outcomes.count(Phase::Killing, Kind::Change);
    vec![
        Measured::at_least("requests while all was well", sent(Phase::Calm), 100),
        Measured::none("failed while all was well", all_failed(Phase::Calm)),
        Measured::new("servers stopped (SIGTERM), exits with 0", exits, rounds.to_string(), exits == rounds),
        Measured::at_least("requests while servers stopped and came back", sent(Phase::Stopping), rounds * 100),
        Measured::none("failed while servers stopped and came back", all_failed(Phase::Stopping)),
        Measured::new("servers killed (SIGKILL)", rounds, rounds.to_string(), true),
        Measured::at_least("requests while servers were killed and came back", sent(Phase::Killing), rounds * 100),
        Measured::none("reads failed at kills", failed(Phase::Killing, Kind::Read)),
        Measured::none("creates with a key failed at kills", failed(Phase::Killing, Kind::Create)),
        // The proxy may not repeat these: the client of a killed server gets an error, and decides.
        Measured::new(
            "changes failed at kills, of all changes then",
            format!("{} of {}", changes.failed, changes.sent),
            format!("<= {}", rounds * CLIENTS),
            changes.failed <= rounds * CLIENTS,
        ),
        Measured::none("reads that did not show what was acknowledged before", outcomes.stale),
    ]
}
