//! What a round is made of: processor time, latencies, and the numbers drawn from them.

pub(crate) mod histogram;
pub(crate) mod processes;
pub(crate) mod statistics;
