//! R3: a sync that fails, and a disk without room. Neither may make the service say what is not so.
//! The seed decides which sync fails and whether those after it do; who waits at that moment is the scheduler's.

mod full;
mod mount;
mod sync;
mod taken;
mod writers;

use crate::failure::Result;
use crate::scenario::{Measured, Run};

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let mut measured = sync::fails(&run.part("sync")?)?;
    measured.extend(full::has_no_room(&run.part("full")?)?);
    Ok(measured)
}
