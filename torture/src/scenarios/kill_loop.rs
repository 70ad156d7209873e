//! R1: SIGKILL at a random moment under 32 writers, again and again. What was acknowledged is there afterwards, once,
//! with its event; what was not is sent again with its key, and is there once too.
//! The seed decides what is written and when each kill comes; where in the work it strikes is the scheduler's.

mod journal;
mod tally;
mod writer;

use std::time::{Duration, Instant};

use crate::failure::{Result, could_not};
use crate::home::{self, Home};
use crate::rows;
use crate::scenario::{Measured, Run, Size};
use crate::threads;
use perennial_harness::SeededRandom;
use tally::Tally;
use writer::Writer;

const WRITERS: u64 = 32;
/// A server that was killed is ready again within this.
const READY: Duration = Duration::from_secs(2);
/// Looking through the whole file takes longer as it grows: in a full run only each tenth kill is followed by it.
const LOOKS_IN_FULL: usize = 10;

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let kills = run.size.choose(5, 40, 500);
    let home = Home::new(run)?;
    let mut server = home.serve()?;
    let user = home.user("killed@example.com")?;
    home::create_plan(&server, writer::PLAN)?;

    let mut random = SeededRandom::new(run.seed);
    let mut writers = (0..WRITERS)
        .map(|number| Writer::new(number, random.part(number), &user, home.directory()))
        .collect::<Result<Vec<_>>>()?;
    let mut tally = Tally::default();
    for kill in 0..kills {
        let moment = Duration::from_millis(random.between(50, 2_000));
        let address = server.address();
        std::thread::scope(|scope| -> Result {
            let at_work: Vec<_> = writers.iter_mut().map(|writer| scope.spawn(move || writer.work(address))).collect();
            std::thread::sleep(moment);
            tally.killed(server.kill().map_err(could_not("kill the server"))?);
            threads::join(at_work).map(drop)
        })?;

        let start = Instant::now();
        server = home.serve()?;
        tally.ready(start.elapsed());

        let address = server.address();
        std::thread::scope(|scope| -> Result {
            let settling: Vec<_> =
                writers.iter_mut().map(|writer| scope.spawn(move || writer.settle(address))).collect();
            threads::join(settling).map(drop)
        })?;
        if run.size != Size::Full || kill % LOOKS_IN_FULL == 0 || kill + 1 == kills {
            tally.integrity(rows::integrity_faults(&home)?);
        }
    }
    tally.gather(writers.into_iter().map(Writer::into_journal));
    tally.store(&home)?;
    Ok(tally.measured(kills, READY))
}
