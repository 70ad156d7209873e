//! R8: twice as many requests as can be answered, whether or not answers come. Half are reads, half creates.
//! A latency is counted from when its request was due, so that a generator held up by the server hides nothing.
//! Server and generator have a core each; the timings are the machine's, nothing is left to the seed.

mod client;
mod cores;
mod load;

use std::time::Duration;

use perennial_running::Server;

use crate::failure::{Result, could_not};
use crate::figure::{Measured, Run};
use crate::files;
use crate::home::{self, Home};
use crate::latencies::shown;
use load::{Load, Requests};

/// Connections that saturate the server, and those that the surplus comes on.
const SATURATING: usize = 64;
const FLOODING: usize = 2_000;
const FILES: u64 = 5_000;
const PLAN: &str = "load";
const ACCEPTED_GOAL: Duration = Duration::from_millis(500);
const REFUSED_GOAL: Duration = Duration::from_millis(10);
const RECOVERY_GOAL: Duration = Duration::from_secs(5);

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let time = Duration::from_secs(run.size.choose(3, 10, 60));
    files::allow(FILES)?;
    let home = Home::new(run)?;
    let pinned = cores::pin_generator()?;
    let mut command = cores::pinned_server(&home.serve_command());
    let log = home.directory().join("server.log");
    let mut server = Server::start(&mut command, &log).map_err(could_not("run the server"))?;
    server.wait_until_ready(Duration::from_secs(30)).map_err(could_not("run the server"))?;
    let user = home.user("load@example.com")?;
    home::create_plan(&server, PLAN)?;

    let requests = Requests::new(server.address(), PLAN, &user);
    // Caches are cold and files are small at first.
    load::run(&requests, &Load::closed(SATURATING, time / 3))?;
    let saturation = load::run(&requests, &Load::closed(SATURATING, time))?.accepted_a_second();
    let mut flood = load::run(&requests, &Load::open(FLOODING, 2.0 * saturation, time))?;
    let after = load::run(&requests, &Load::open(FLOODING, 0.5 * saturation, time.max(2 * RECOVERY_GOAL)))?;
    drop(pinned);

    let goodput = flood.accepted_a_second() / saturation;
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
        Measured::timing(
            run.size,
            "p99 of the accepted",
            shown(accepted),
            "<= 500 ms",
            accepted <= Some(ACCEPTED_GOAL),
        ),
        Measured::timing(run.size, "p99 of the refusals", shown(refused), "<= 10 ms", refused <= Some(REFUSED_GOAL)),
        Measured::timing(
            run.size,
            "until all is well again",
            shown(Some(recovery)),
            "<= 5 s",
            recovery <= RECOVERY_GOAL,
        ),
    ])
}
