//! R4: the database goes away under load, and comes back or is replaced by its standby. What was acknowledged is there
//! afterwards, once; while it is away callers get 503 and nothing else, and soon after it is back all of them are served.
//! The seed decides when it goes and for how long; what it interrupts is the scheduler's.

mod load;
mod tally;
mod writer;

use std::time::Duration;

use perennial_harness::{SeededRandom, Server};

use crate::answers::Answers;
use crate::cluster::Cluster;
use crate::failure::{Failure, Result};
use crate::home::{self, Home};
use crate::scenario::{Measured, Run};
use load::Load;
use tally::Tally;

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let restarts = run.size.choose(1, 10, 100);
    let promotions = run.size.choose(0, 3, 20);
    let mut home = Home::new(run)?;
    let mut random = SeededRandom::new(run.seed);
    let answers = Answers::default();
    let mut tally = Tally::default();

    let server = home.serve()?;
    let user = home.user("outlived@example.com")?;
    home::create_plan(&server, writer::PLAN)?;
    let subscription = writer::create_subscription(&server, &user)?;
    let load = Load::new(&server, &subscription, &answers, &run.evidence, 0);
    tally.gather(load.during(|load| (0..restarts).try_for_each(|_| restart(&mut home, load, &mut random)))?);
    drop(server);

    if promotions > 0 {
        let mut standby = Cluster::following(run, primary(&mut home)?)?;
        let server = serve_either(&mut home, &standby)?;
        let load = Load::new(&server, &subscription, &answers, &run.evidence, 1);
        tally.gather(
            load.during(|load| {
                (0..promotions).try_for_each(|_| fail_over(&mut home, &mut standby, load, &mut random))
            })?,
        );
    }
    tally.store(&home)?;
    Ok(tally.measured(&answers, restarts + promotions))
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
