//! R14: the one writer of a server waits for something that does not come. A connection dies silently in the middle of a
//! transaction; another server is frozen while it holds a lock; an operator's session holds a lock or a name; the backend
//! hangs. Writes of other records must continue within seconds, on this server and on the others.
//!
//! Each case happens twice: once to see the writes of others recover, and once to end the stuck server with SIGTERM. All
//! limits are the defaults. Nothing is drawn by random.

mod case;
mod others;
mod scene;

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::chains::{Chains, Stored};
use crate::failure::Result;
use crate::home::{self, Home};
use crate::ledger::{self, Entry};
use crate::responses::Responses;
use crate::scenario::{Measured, Run};
use case::Case;
use scene::Seen;

const PLAN: &str = "stuck";
/// Until the writes of others continue.
const RECOVERED: Duration = Duration::from_secs(10);
/// From SIGTERM to the end of the process.
const DRAINED: Duration = Duration::from_secs(15);

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let cases = run.size.choose(&Case::QUICK[..], &Case::ALL[..], &Case::ALL[..]);
    let rounds = run.size.choose(1, 1, 3);
    let home = Home::new(run)?;
    let responses = Responses::default();
    let server = home.serve()?;
    home::create_plan(&server, PLAN)?;
    let user = home.user("stuck@example.com")?;

    let (mut measured, mut entries) = (Vec::new(), Vec::new());
    for (number, case) in (0..).zip(std::iter::repeat_n(cases, rounds).flatten()) {
        let seen = scene::play(&home, *case, &user, &responses, number, &mut entries)?;
        measured.extend(of_case(*case, &seen));
    }
    measured.extend(of_all(&home, &server, &responses, &entries)?);
    Ok(measured)
}

fn of_case(case: Case, seen: &Seen) -> Vec<Measured> {
    let name = case.name();
    let shown = |took: Option<Duration>| took.map_or("never".to_owned(), |took| format!("{:.1} s", took.as_secs_f64()));
    let within = |took: Option<Duration>, limit| took.is_some_and(|took| took <= limit);
    let mut measured = vec![
        Measured::new(
            format!("{name}: others write again after"),
            shown(seen.recovered),
            "<= 10.0 s",
            within(seen.recovered, RECOVERED),
        ),
        Measured::new(format!("{name}: the blocked request is answered"), &seen.blocked, "503", seen.blocked == "503"),
        Measured::new(
            format!("{name}: exit after SIGTERM while stuck"),
            shown(seen.exit),
            "<= 15.0 s",
            within(seen.exit, DRAINED),
        ),
        Measured::new(format!("{name}: /readyz in the end"), seen.readiness.last, "200", seen.readiness.last == 200),
    ];
    if case.stops_the_writer() {
        let was_503 = seen.readiness.was_503;
        measured.push(Measured::new(format!("{name}: /readyz was 503 while stuck"), was_503, "true", was_503));
    }
    measured
}

fn of_all(
    home: &Home,
    server: &perennial_harness::Server,
    responses: &Responses,
    entries: &[Entry],
) -> Result<Vec<Measured>> {
    let stored = Stored::read(home)?;
    let mut measured = vec![
        Measured::at_least("answered with 503", responses.refused.load(Relaxed), 1),
        Measured::none("answered otherwise (500), or not", responses.wrong.load(Relaxed)),
    ];
    measured.extend(ledger::measured(entries, &stored, 20));
    measured.extend(Chains::of(&stored, server.address())?.measured());
    Ok(measured)
}
