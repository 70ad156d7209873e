//! Who is measured: limits, Perennial, peers. Each is a process of its own.

pub(crate) mod contestant;
pub(crate) mod limit;
pub(crate) mod perennial;
pub(crate) mod process;
