//! The measured programs: limits, Perennial, peers. Each is a separate process.

pub(crate) mod limit;
pub(crate) mod perennial;
pub(crate) mod process;
pub(crate) mod target;
