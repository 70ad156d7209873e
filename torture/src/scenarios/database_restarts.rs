//! R4: the database goes away under load, and comes back or is replaced by its standby. What was acknowledged is there
//! afterwards, once; while it is away callers get 503 and nothing else, and soon after it is back all of them are served.
//! The seed decides when it goes and for how long; what it interrupts is the scheduler's.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use perennial_harness::{SeededRandom, Server};

use crate::chains::{Chains, Stored};
use crate::cluster::Cluster;
use crate::failure::{Failure, Result};
use crate::home::{self, Home};
use crate::ledger;
use crate::load::{Callers, Load, Work};
use crate::responses::Responses;
use crate::scenario::{Measured, Run};

const PLAN: &str = "outlived";
const CALLERS: Callers = &[(Work::CreateWithKey, 12), (Work::ChangePayment, 4), (Work::Read, 4)];
/// All callers are served again within this.
const HEALTHY: Duration = Duration::from_secs(5);
/// The service's own limit for a response.
const RESPONSE: Duration = Duration::from_secs(30);

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let restarts = run.size.choose(1, 10, 100);
    let promotions = run.size.choose(0, 3, 20);
    let mut home = Home::new(run)?;
    let mut random = SeededRandom::new(run.seed);
    let responses = Responses::default();

    let server = home.serve()?;
    let user = home.user("outlived@example.com")?;
    home::create_plan(&server, PLAN)?;
    let load = Load::new(server.address(), CALLERS, (&user, PLAN), &responses, 0);
    let mut entries = load.during(|load| (0..restarts).try_for_each(|_| restart(&mut home, load, &mut random)))?;

    let (server, _standby) =
        if promotions == 0 {
            (server, None)
        } else {
            drop(server);
            let mut standby = Cluster::following(run, primary(&mut home)?)?;
            let server = serve_either(&mut home, &standby)?;
            let load = Load::new(server.address(), CALLERS, (&user, PLAN), &responses, 1);
            entries.extend(load.during(|load| {
                (0..promotions).try_for_each(|_| fail_over(&mut home, &mut standby, load, &mut random))
            })?);
            (server, Some(standby))
        };
    let stored = Stored::read(&home)?;
    let outages = restarts + promotions;
    let mut measured = of_answers(&responses, outages);
    measured.extend(ledger::measured(&entries, &stored, outages * 20));
    measured.push(ledger::never_sent(&entries, &stored));
    measured.extend(Chains::of(&stored, server.address())?.measured());
    Ok(measured)
}

fn of_answers(responses: &Responses, outages: usize) -> Vec<Measured> {
    let (recovery, slowest) = (responses.slowest_recovery(), responses.slowest());
    let millis = |duration: Duration| format!("{} ms", duration.as_millis());
    vec![
        Measured::at_least("times the database went away", outages, outages),
        Measured::at_least("rejected with 503 during the outage", responses.refused.load(Relaxed), outages),
        Measured::none("rejected with 503 at other times", responses.refused_without_reason.load(Relaxed)),
        Measured::none("unexpected response, or none", responses.wrong.load(Relaxed)),
        Measured::new("slowest: all served after it was back", millis(recovery), "<= 5000 ms", recovery <= HEALTHY),
        Measured::new("slowest response", millis(slowest), "<= 30000 ms", slowest <= RESPONSE),
        Measured::at_least("repeated and answered from the key", responses.replayed.load(Relaxed), outages / 10),
    ]
}

/// Ends the database as `pg_ctl restart -m immediate` does, and starts it again, at once or a little later.
fn restart(home: &mut Home, load: &Load<'_>, random: &mut SeededRandom) -> Result {
    pause(random, 300, 1_500);
    load.outage(|| {
        let primary = primary(home)?;
        primary.stop("QUIT")?;
        pause(random, 0, 1_000);
        primary.start_again()
    })
}

/// Takes the primary away and lets the standby take its place; then the old one becomes the standby.
fn fail_over(home: &mut Home, standby: &mut Cluster, load: &Load<'_>, random: &mut SeededRandom) -> Result {
    pause(random, 300, 1_500);
    load.outage(|| {
        let primary = primary(home)?;
        primary.stop("QUIT")?;
        pause(random, 0, 300);
        standby.promote()?;
        std::mem::swap(primary, standby);
        Ok(())
    })?;
    standby.follow(primary(home)?)
}

fn primary(home: &mut Home) -> Result<&mut Cluster> {
    home.cluster.as_mut().ok_or_else(|| Failure::new("this scenario is about PostgreSQL"))
}

/// A server with the URLs of both databases that uses the writable one.
fn serve_either(home: &mut Home, standby: &Cluster) -> Result<Server> {
    let hosts = format!("{},{}", primary(home)?.host(), standby.host());
    let url = format!("postgres://postgres@{hosts}/postgres?target_session_attrs=read-write");
    home.serve_on(&url, "server.log")
}

fn pause(random: &mut SeededRandom, least_ms: u64, most_ms: u64) {
    std::thread::sleep(Duration::from_millis(random.between(least_ms, most_ms)));
}
