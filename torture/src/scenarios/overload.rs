//! R8: twice as many requests as can be answered, whether or not responses come. Half are reads, half creates.
//! A latency is counted from when its request was due, so that a generator held up by the server hides nothing.
//! Server and generator have a core each; the timings are the machine's, nothing is left to the seed.

mod client;
mod cores;
mod load;

use std::time::Duration;

use perennial_harness::Server;

use crate::cpu;
use crate::failure::{Result, could_not};
use crate::files;
use crate::home::{self, Home};
use crate::latencies::shown;
use crate::scenario::{Measured, Run};
use load::{Load, Outcomes, Requests, float};

/// Connections that saturate the server, and those that the surplus comes on.
const SATURATING: usize = 64;
const FLOODING: usize = 2_000;
/// How many times what saturates it the server is asked for.
const TIMES: f64 = 2.0;
const FILES: u64 = 5_000;
const PLAN: &str = "load";
const ACCEPTED_GOAL: Duration = Duration::from_millis(500);
const REFUSED_GOAL: Duration = Duration::from_millis(10);
const RECOVERY_GOAL: Duration = Duration::from_secs(5);
const STOP_LIMIT: Duration = Duration::from_secs(20);

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let time = Duration::from_secs(run.size.choose(3, 10, 60));
    files::allow(FILES)?;
    let home = Home::new(run)?;
    let pinned = cores::pin_generator()?;
    let server = serve(&home)?;
    let user = home.user("load@example.com")?;
    home::create_plan(&server, PLAN)?;

    let requests = Requests::new(server.address(), PLAN, &user);
    // Caches are cold and files are small at first.
    load::run(&requests, &Load::closed(SATURATING, time / 3))?;
    let before = cpu::used(server.pid())?;
    let saturated = load::run(&requests, &Load::closed(SATURATING, time))?;
    let an_answer = (cpu::used(server.pid())? - before) / float(saturated.accepted.count().max(1));
    let saturation = saturated.accepted_a_second();
    let mut flood = load::run(&requests, &Load::open(FLOODING, TIMES * saturation, time))?;
    let after = load::run(&requests, &Load::open(FLOODING, 0.5 * saturation, time.max(2 * RECOVERY_GOAL)))?;
    server.stop(STOP_LIMIT).map_err(could_not("stop the server"))?;
    let a_refusal = refusal(&home, &user, an_answer, time / 3)?;
    drop(pinned);

    let goodput = flood.accepted_a_second() / saturation;
    let responses = flood.answers_a_second() / (TIMES * saturation);
    let creates = flood.creates_a_second() / saturated.creates_a_second();
    let (accepted, refused) = (flood.accepted.percentile(99), flood.refused.percentile(99));
    let recovery = after.last_trouble(ACCEPTED_GOAL);
    Ok(vec![
        Measured::new("saturation", format!("{saturation:.0} /s"), "any", true),
        Measured::none("requests that failed or were answered otherwise", flood.failed + after.failed),
        Measured::timing(
            run.size,
            "goodput of saturation",
            format!("{:.0} %", 100.0 * goodput),
            ">= 90 %",
            goodput >= 0.9,
        ),
        Measured::new("  creates of those at saturation", format!("{:.0} %", 100.0 * creates), "any", true),
        Measured::timing(
            run.size,
            "p99 of the accepted",
            shown(accepted),
            "<= 500 ms",
            accepted <= Some(ACCEPTED_GOAL),
        ),
        Measured::timing(run.size, "p99 of the refusals", shown(refused), "<= 10 ms", refused <= Some(REFUSED_GOAL)),
        Measured::new("processor time of a refusal, of a response's", a_refusal, "any", true),
        Measured::new("responses a second of what was due", format!("{:.0} %", 100.0 * responses), "any", true),
        Measured::new(
            "p99 of all responses, from when they were asked for",
            shown(flood.responses.percentile(99)),
            "any",
            true,
        ),
        Measured::new("how late the generator itself was (p99)", shown(flood.own_delays.percentile(99)), "any", true),
        Measured::timing(
            run.size,
            "until all is well again",
            shown(Some(recovery)),
            "<= 5 s",
            recovery <= RECOVERY_GOAL,
        ),
    ])
}

/// A server on a dedicated core.
fn serve(home: &Home) -> Result<Server> {
    let complaint = || could_not("run the server");
    let mut command = cores::pinned_server(&home.serve_command());
    let mut server = Server::start(&mut command, &home.directory().join("server.log")).map_err(complaint())?;
    server.wait_until_ready(Duration::from_secs(30)).map_err(complaint())?;
    Ok(server)
}

/// What a refusal costs of what a response does, at a server that refuses all but one at a time. Processor time is the
/// one timing that a busy machine leaves alone.
fn refusal(home: &Home, user: &str, an_answer: f64, time: Duration) -> Result<String> {
    home.configure("[limits]\nrequests_in_flight = 1\n")?;
    let server = serve(home)?;
    let requests = Requests::new(server.address(), PLAN, user);
    let spent = |connections| -> Result<(f64, Outcomes)> {
        let before = cpu::used(server.pid())?;
        let outcomes = load::run(&requests, &Load::closed(connections, time))?;
        Ok((cpu::used(server.pid())? - before, outcomes))
    };
    // A create with a commit for itself costs more than one at saturation.
    let (alone, outcomes) = spent(1)?;
    let a_create = alone / float(outcomes.creates.max(1));
    let (crowded, outcomes) = spent(SATURATING)?;
    let a_refusal = (crowded - float(outcomes.creates) * a_create) / float(outcomes.refused.count().max(1));
    Ok(format!("{:.0} % of {:.0} us", 100.0 * a_refusal / an_answer, an_answer * 1e6))
}
