//! R1: SIGKILL at a random moment under 32 writers, again and again. What was acknowledged is there afterwards, once,
//! with its event; what was not is sent again with its key, and is there once too.
//! The seed decides what is written and when each kill comes; where in the work it strikes is the scheduler's.

mod tally;

use std::time::Duration;

use crate::failure::Result;
use crate::home::Home;
use crate::killed_servers::KilledServers;
use crate::rows;
use crate::scenario::{Measured, Run, Size};
use tally::Tally;

/// A server that was killed is ready again within this.
const READY: Duration = Duration::from_secs(2);
/// Looking through the whole file takes longer as it grows: in a full run only each tenth kill is followed by it.
const LOOKS_IN_FULL: usize = 10;

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let kills = run.size.choose(5, 40, 500);
    let home = Home::new(run)?;
    let mut servers = KilledServers::start(&home, 1, run.seed)?;
    let mut tally = Tally::default();
    for kill in 0..kills {
        tally.add(servers.kill_each()?);
        if run.size != Size::Full || kill % LOOKS_IN_FULL == 0 || kill + 1 == kills {
            tally.integrity(rows::integrity_faults(&home)?);
        }
    }
    tally.gather(servers.into_journals().into_iter());
    tally.store(&home)?;
    Ok(tally.measured(kills, READY))
}
