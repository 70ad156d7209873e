//! R7: many sessions, each refreshed by twenty callers at once, one response in ten lost on its way, and thieves among them.
//! Each session takes one step, every caller gets the identical successor, and only thieves are signed out.
//! On PostgreSQL the callers are spread over two servers. The seed decides which responses are lost and who meets whom; the
//! order in which the twenty are heard is the scheduler's.
//!
//! The ten seconds in which a predecessor is accepted are waited for, so a quick run leaves out what comes after
//! them: the late retries, and the thief who takes turns with the owner.

mod owner;
mod sign_in;
mod thief;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use perennial_harness::{SeededRandom, Server};

use crate::concurrent_callers::ConcurrentCallers;
use crate::failure::Result;
use crate::home::Home;
use crate::rows;
use crate::scenario::{Measured, Run, Size};
use crate::threads;
use owner::Owner;
use thief::Thief;

const CALLERS: usize = 20;
/// Sessions that are refreshed at the same time.
const GROUPS: usize = 4;
/// Just over the ten seconds in which concurrent callers are one.
const LATER: Duration = Duration::from_millis(10_500);
/// A thief who takes turns with the owner has three late retries in hand, less what the owner used.
const TURNS: usize = 4;

const ONE_STEP_ON: &str = "SELECT COUNT(*) FROM sessions WHERE generation = 1";
const ENDED: &str = "SELECT COUNT(*) FROM sessions WHERE revoked_at IS NOT NULL";
const DEADLOCKS: &str = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let sessions = run.size.choose(40, 200, 2_000);
    let with_waiting = run.size != Size::Quick;
    let home = Home::new(run)?;
    let servers = home.serve_all()?;
    let addresses: Vec<SocketAddr> = servers.iter().map(Server::address).collect();
    let random = SeededRandom::new(run.seed);
    let mut owners: Vec<Owner> = sign_in::sessions(&home, addresses[0], sessions)?
        .into_iter()
        .zip(0..)
        .map(|(tokens, place)| Owner::new(tokens, Thief::of(place, with_waiting), random.part(place), with_waiting))
        .collect();

    let start = Instant::now();
    let mut everybody = Everybody::gather(&addresses, &mut owners)?;
    everybody.each(Owner::storm)?;
    if with_waiting {
        std::thread::sleep(LATER);
        everybody.each(Owner::retry_late)?;
    }
    let stormed = start.elapsed();
    let (one_step, forced) = (rows::count(&home, ONE_STEP_ON)?, rows::count(&home, ENDED)?);
    let refused: usize = everybody.owners.iter().map(|owner| owner.refused).sum();

    everybody.each(Owner::go_on)?;
    everybody.each(Owner::meet_old_thief)?;
    for _ in 0..if with_waiting { TURNS } else { 0 } {
        everybody.each(Owner::take_turn)?;
        std::thread::sleep(LATER);
        everybody.each(Owner::come_second)?;
    }
    everybody.each(Owner::look)?;
    let overloaded: usize = everybody.groups.iter().map(ConcurrentCallers::refused).sum();
    drop(everybody);
    let deadlocks = if home.cluster.is_some() { rows::count(&home, DEADLOCKS)? } else { 0 };

    let count = |which: &dyn Fn(&Owner) -> bool| owners.iter().filter(|owner| which(owner)).count();
    let total = |scenario: fn(&Owner) -> usize| owners.iter().map(scenario).sum::<usize>();
    let every = |what: &str, count: usize, all: usize| Measured::new(what, count, all.to_string(), count == all);
    let retried = total(|owner| owner.early_retries) + total(|owner| owner.late_retries);
    let refreshes = format!("{} in {:.1} s", total(|owner| owner.refreshes), stormed.as_secs_f64());
    let thieves = count(&|owner| owner.thief.is_some());
    Ok(vec![
        Measured::new("refreshes", refreshes, "any", true),
        Measured::new("refused with 503, and sent again", overloaded, "any", true),
        every("sessions one step on", one_step, sessions),
        every("sessions with one successor for all callers", count(&|owner| owner.given.len() == 1), sessions),
        Measured::at_least("responses lost", total(|owner| owner.lost), sessions),
        every("lost responses asked for again", retried, total(|owner| owner.lost)),
        Measured::none("refused to owners", refused),
        Measured::none("forced logouts", forced),
        every("thieves caught", count(&|owner| owner.thief.is_some() && owner.is_dead()), thieves),
        Measured::none("owners without a thief who were thrown out", count(&|it| it.thief.is_none() && it.is_dead())),
        Measured::none("sessions of which some tokens work and some do not", count(&|it| it.alive > 0 && it.dead > 0)),
        Measured::none("responses in the end that are neither 200 nor 401", total(|owner| owner.odd)),
        Measured::none("turns that gave another successor", total(|owner| owner.strangers)),
        Measured::none("deadlocks in the database", deadlocks),
    ])
}

/// All owners, shared out among the groups.
struct Everybody<'a> {
    groups: Vec<ConcurrentCallers>,
    owners: &'a mut [Owner],
}

impl<'a> Everybody<'a> {
    fn gather(servers: &[SocketAddr], owners: &'a mut [Owner]) -> Result<Self> {
        let groups = (0..GROUPS).map(|_| ConcurrentCallers::open(servers, CALLERS)).collect::<Result<_>>()?;
        Ok(Self { groups, owners })
    }

    /// Every owner does this, so many at a time.
    fn each(&mut self, act: fn(&mut Owner, &mut ConcurrentCallers) -> Result) -> Result {
        let share = self.owners.len().div_ceil(GROUPS);
        std::thread::scope(|scope| {
            let shares = self.groups.iter_mut().zip(self.owners.chunks_mut(share));
            let groups: Vec<_> = shares
                .map(|(callers, owners)| {
                    scope.spawn(move || owners.iter_mut().try_for_each(|owner| act(owner, callers)))
                })
                .collect();
            threads::join(groups).map(drop)
        })
    }
}
