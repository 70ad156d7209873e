//! R13: the database is replaced by its standby behind one address that does not change: a plain URL (a virtual IP address, a
//! DNS name, a TCP proxy), and `PgBouncer` in transaction mode. The server is connected to the standby before it is promoted,
//! so its writes meet a server in recovery, and the way to it is slow, so a promotion happens in the middle of a batch.
//!
//! The seed decides when the database changes and how slow the way is; what that interrupts is the scheduler's.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use perennial_harness::{SeededRandom, Server};

use crate::chains::{Chains, Stored};
use crate::cluster::Cluster;
use crate::failure::{Failure, Result};
use crate::home::{self, Home};
use crate::ledger::{self, Entry};
use crate::load::{Callers, Load, Work};
use crate::proxies::Pooler;
use crate::relay::Relay;
use crate::responses::Responses;
use crate::scenario::{Measured, Run};

const PLAN: &str = "promoted";
const CALLERS: Callers = &[
    (Work::ChangePayment, 8),
    (Work::ChangeSubscription, 4),
    (Work::Create, 6),
    (Work::CreateWithKey, 4),
    (Work::Read, 2),
];
/// `PgBouncer` before 1.21 does not know prepared statements in transaction mode.
const POOLED: &str = "[postgres]\nprepared = false\n";
const HEALTHY: Duration = Duration::from_secs(5);

/// The database and its standby, and the address in front of them.
struct Databases {
    home: Home,
    standby: Cluster,
    relay: Relay,
}

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let promotions = run.size.choose(2, 6, 30);
    let home = Home::new(run)?;
    let standby = Cluster::following(run, home.cluster()?)?;
    let relay = Relay::start(home.cluster()?.address(), run.seed)?;
    let mut databases = Databases { home, standby, relay };
    let mut random = SeededRandom::new(run.seed);
    let responses = Responses::default();

    let server = databases.home.serve_on(&databases.relay.url(), "plain.log")?;
    home::create_plan(&server, PLAN)?;
    let user = databases.home.user("promoted@example.com")?;
    let mut entries = databases.promote_under_load(&server, &user, &responses, &mut random, promotions, 0)?;
    drop(server);

    databases.home.configure(POOLED)?;
    let pooler = Pooler::start(&databases.home, databases.relay.address())?;
    let server = databases.home.serve_on(&pooler.url(), "pooled.log")?;
    entries.extend(databases.promote_under_load(&server, &user, &responses, &mut random, promotions, 1)?);

    let stored = Stored::read(&databases.home)?;
    let mut measured = of_answers(run, &responses, promotions);
    measured.extend(ledger::measured(&entries, &stored, promotions * 40));
    measured.push(ledger::never_sent(&entries, &stored));
    measured.extend(Chains::of(&stored, server.address())?.measured());
    Ok(measured)
}

impl Databases {
    fn promote_under_load(
        &mut self,
        server: &Server,
        user: &str,
        responses: &Responses,
        random: &mut SeededRandom,
        promotions: usize,
        part: u64,
    ) -> Result<Vec<Entry>> {
        let load = Load::new(server.address(), CALLERS, (user, PLAN), responses, part);
        load.during(|load| (0..promotions).try_for_each(|_| self.promote(load, random)))
    }

    /// Moves the address to the standby, ends the primary, and promotes the standby while writes arrive there. Then the old
    /// primary becomes the standby.
    fn promote(&mut self, load: &Load<'_>, random: &mut SeededRandom) -> Result {
        pause(random, 300, 1_000);
        load.outage(|| {
            self.relay.set_slow(true);
            // Before the primary ends: PgBouncer pauses for 15 s after a connection that was refused.
            self.relay.switch_to(self.standby.address());
            let primary = self.home.cluster.as_mut().ok_or_else(|| Failure::new("there is no primary"))?;
            primary.stop("QUIT")?;
            pause(random, 200, 800);
            self.standby.promote()?;
            pause(random, 100, 300);
            self.relay.set_slow(false);
            std::mem::swap(primary, &mut self.standby);
            Ok(())
        })?;
        self.standby.follow(self.home.cluster()?)
    }
}

fn of_answers(run: &Run, responses: &Responses, promotions: usize) -> Vec<Measured> {
    let recovery = responses.slowest_recovery();
    let millis = format!("{} ms", recovery.as_millis());
    vec![
        Measured::new("promotions behind a plain URL", promotions, promotions.to_string(), true),
        Measured::new("promotions behind PgBouncer", promotions, promotions.to_string(), true),
        Measured::at_least("answered with 503", responses.refused.load(Relaxed), promotions),
        Measured::none("answered otherwise (500), or not", responses.wrong.load(Relaxed)),
        Measured::timing(run.size, "slowest: all served after a promotion", millis, "<= 5000 ms", recovery <= HEALTHY),
    ]
}

fn pause(random: &mut SeededRandom, least_ms: u64, most_ms: u64) {
    std::thread::sleep(Duration::from_millis(random.between(least_ms, most_ms)));
}
